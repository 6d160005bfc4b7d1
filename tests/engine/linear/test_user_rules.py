"""Rules of a user's in the loops: what they see, return and raise; interrupts, and the note.

That they have the bits of the library's rules, test_core.py tests.
"""

import signal
import time
from typing import NamedTuple

import numpy as np
import pytest
from loop_runs import assert_same_bits

from rosenblatt import Perceptron, rules, save
from rosenblatt.engine import multiclass, state
from rosenblatt.engine.linear import loops, user_rules
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.theory.declaration import Field
from rosenblatt.theory.rule_kinds import own_fields, traits_of

N, D = 30, 4


class FailedError(Exception):
    """What a rule raises."""


class Limited:
    """A rule whose calls of a method raise after some."""

    calls = 0
    most = 10**9

    @classmethod
    def count(cls):
        Limited.calls += 1
        if Limited.calls > Limited.most:
            raise FailedError(Limited.calls)


class Plain(rules.PA1):
    def step(self, score, y, sqnorm):
        Limited.count()
        return rules.PA1.step(self, score, y, sqnorm)


class Lossy(rules.PA1):
    def loss(self, score, y):
        Limited.count()
        return rules.PA1.loss(self, score, y)


class Confident(rules.CW):
    def step(self, score, y, variance):
        Limited.count()
        return rules.CW.step(self, score, y, variance)


class Unsure(rules.FullAROW):
    def needs_variance(self, score, y):
        Limited.count()
        return rules.AROW.needs_variance(self, score, y)


class Rescaling(rules.Pegasos):
    def rescale(self, score, y, sqnorm, wsqnorm, t, k):
        Limited.count()
        return rules.Pegasos.rescale(self, score, y, sqnorm, wsqnorm, t, k)


class Weightwise(NamedTuple):
    """AROW, by a number of its own for each weight."""

    r: float = 1.0
    numbers = {"sums": Field(minimum=0.0)}  # noqa: RUF012

    def gradient(self, score, y, variance):
        Limited.count()
        hinge = 1.0 - y * score
        return -y * (hinge / (variance + self.r)) if hinge > 0.0 else 0.0

    def weighted_gradient(self, score, y, variance, weight):
        return Weightwise(self.r / weight).gradient(score, y, variance) if weight > 0.0 else 0.0

    def rate(self, sums):
        return 1.0 / (1.0 + sums)

    def move(self, w, sums, x, g):
        return w - g * x * self.rate(sums), sums + x * x * (1.0 / self.r)

    def loss(self, score, y):
        return max(0.0, 1.0 - y * score)


FAILING = [Plain(0.5), Lossy(0.5), Confident(0.7), Unsure(0.5), Rescaling(0.1), Weightwise(0.5)]


def problem(rule, scheme=None):
    """The specification of a rule, its examples, and an empty state with everything kept."""
    rng, K = np.random.default_rng(0), 1 if scheme is None else 3
    y = rng.integers(0, max(K, 2), N)
    y = np.where(y == 1, 1.0, -1.0) if scheme is None else y
    examples = loops.Examples(as_rows(rng.standard_normal((N, D))), y, np.ones(N))
    books = {"average": True, "pocket": True}
    kind = scheme and multiclass.SCHEMES[scheme]
    spec = UpdateSpec(rule, kind, np.ones(K), 0.0, True, 1.0, **books)
    return spec, examples, state.empty(D, K, own=own_fields(type(rule)), **books)


@pytest.fixture(autouse=True)
def limit():
    Limited.calls, Limited.most = 0, 10**9
    yield
    user_rules._seconds.clear()


@pytest.mark.parametrize("scheme", [None, "ovr", "joint"])
@pytest.mark.parametrize("rule", FAILING, ids=lambda rule: type(rule).__name__)
def test_what_a_rule_raises_ends_the_epoch_before_its_row(rule, scheme):
    calls = 3 if scheme == "ovr" else 1  # of a row
    spec, examples, memory = problem(rule, scheme)
    Limited.most = 17 * calls + calls // 2
    with pytest.raises(FailedError, match=str(Limited.most + 1)):
        loops.epoch(examples, np.arange(N), memory, spec)
    Limited.most = 10**9
    expected = problem(rule, scheme)[2]
    loops.epoch(examples, np.arange(17), expected, spec)
    assert memory.t[0] == 17
    for name, one in state.arrays_of(memory).items():
        if not name.startswith("norm"):  # a squared norm may be computed before the step
            np.testing.assert_array_equal(one, state.arrays_of(expected)[name], err_msg=name)


@pytest.mark.parametrize("scheme", [None, "ovr", "joint"])
def test_a_weightwise_rule_sees_the_variance_by_its_rate(scheme):
    """The same bits as the rule of the library, which is of another kind."""
    states = []
    for rule in (rules.complete(Weightwise(1.0)), rules.AROW(1.0)):
        spec, examples, memory = problem(rule, scheme)
        loops.epoch(examples, np.arange(N), memory, spec)
        states.append(memory)
    mine, ours = states
    assert mine.updates.sum() > 5
    for one, other in (
        (mine.W, ours.W),
        (mine.b, ours.b),
        (mine.losses, ours.losses),
        (mine.own["numbers.sums"], ours.own["C"]),
        (mine.own["numbers.sums.b"], ours.own["cb"]),
    ):
        assert one.tobytes() == other.tobytes()


class Adam(NamedTuple):
    """Two means of gradients: numbers that may become anything."""

    eta: float = 0.1
    numbers = {"mean": Field(two_classes="mirrored"), "square": Field(minimum=0.0)}  # noqa: RUF012

    def gradient(self, score, y):
        return -y if y * score < 1.0 else 0.0

    def move(self, w, mean, square, x, g):
        mean, square = 0.9 * mean + 0.1 * g * x, 0.99 * square + 0.01 * (g * x) ** 2
        return w - self.eta * mean / square**0.5, mean, square


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_number_of_a_weightwise_rule_leaves_the_range(dtype):
    """Squares that vanish or overflow, and 0/0, leave a weight as it was or move it by a limit."""
    rng, sizes = np.random.default_rng(0), [1e-38, 1.0, 1e30] if dtype == np.float32 else None
    X = rng.choice([-1.0, 1.0], (40, 3)) * (sizes or [1e-300, 1.0, 1e300])
    model = Perceptron(rule=Adam(), shuffle=False, output="average")
    model.partial_fit(X.astype(dtype), rng.choice([-1, 1], 40))
    memory = model._state
    for name, array in state.arrays_of(memory).items():
        assert np.isfinite(array).all() or name == "pocket_errors", name
    assert memory.updates[0] > 0


def test_a_weightwise_rule_is_learned_scored_and_kept_with_all_that_a_learner_does():
    X, rng = np.random.default_rng(0).normal(size=(300, 3)), np.random.default_rng(1)
    y = np.where(X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=300) > 0, 1, -1)
    whole = Perceptron(rule=Adam(), shuffle=False, max_iter=1, tol=None).fit(X, y)
    assert whole.score(X, y) > 0.9
    parts = Perceptron(rule=Adam(), shuffle=False)
    for start in range(0, 300, 7):
        parts.partial_fit(X[start : start + 7], y[start : start + 7], classes=[-1, 1])
    for name, array in state.arrays_of(whole._state).items():
        if name not in ("losses", "run"):
            np.testing.assert_array_equal(array, state.arrays_of(parts._state)[name], name)
    with pytest.raises(TypeError, match="no code"):
        save(parts, "never-written")
    late = Perceptron(rule=Adam()).partial_fit(X, y).partial_fit(X[:1] + 5.0, [7])
    assert late.coef_.shape == (3, 3)
    untouched = Perceptron(rule=Adam()).partial_fit(X, y)._state
    twice = state.insert_column(untouched, 1, 2).own["numbers.mean"]
    np.testing.assert_array_equal(twice[:, :2], untouched.own["numbers.mean"] * [-1.0, 1.0])


class Numberless(NamedTuple):
    def gradient(self, score, y):
        return y

    def move(self, w, x, g):
        return w


class Moveless(NamedTuple):
    numbers = {"a": Field()}  # noqa: RUF012

    def gradient(self, score, y):
        return y


class Short(Moveless):
    def move(self, w, a, x, g):
        return w


class Misnamed(Moveless):
    def move(self, w, b, x, g):
        return w, b


class Counting(Short):
    counts = {"rows": Field()}  # noqa: RUF012

    def move(self, w, a, rows, x, g):
        return w, a


class Untouched(Counting):
    def begin(self, rows):
        return rows + 1.0


class Forgetful(Untouched):
    def touch(self, w, a, rows, x):
        return w, a


class Wordy(Forgetful):
    def begin(self, rows):
        return "one"


class Listed(Short):
    counts = [1.0]  # noqa: RUF012


class Both(Short):
    def rescale(self, score, y, sqnorm, wsqnorm, t, k):
        return 1.0, y


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Numberless(), r"Numberless has gradient, so it needs a dict of one to 4 numbers"),
        (Moveless(), r"Moveless has gradient, so it needs a method move\(w, a, x, g\)"),
        (Short(), r"Short.move must return 2 numbers, w, a; it returned 1.0"),
        (Misnamed(), r"Misnamed.move must take \(w, a, x, g\); it takes \(w, b, x, g\)"),
        (Counting(), r"Counting has gradient, so it needs a method begin\(rows\)"),
        (Untouched(), r"Untouched has gradient, so it needs a method touch\(w, a, rows, x\)"),
        (Forgetful(), r"Forgetful.touch must return 3 numbers, w, a, rows; it returned"),
        (Wordy(), r"Wordy.begin must return a number, rows; it returned 'one'"),
        (Listed(), r"Listed.counts must be a dict of at most 2 numbers"),
        (Both(), "Both has gradient and rescale: a rule is of one kind"),
    ],
)
def test_a_weightwise_rule_with_an_error_is_refused_before_it_learns(rule, message):
    with pytest.raises(TypeError, match=message):
        rules.complete(rule)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": "columns"}, "shape must be 'weights' for a rule; got 'columns'"),
        ({"dtype": "float32"}, "dtype must be 'float64'"),
        ({"mixture": "bigest"}, "mixture must be 'mean' or 'sum' or 'largest' or 'fresh'"),
        ({"two_classes": "foo"}, "two_classes must be 'mirrored' or"),
        ({"initial": np.nan}, "initial must be a finite number"),
        ({"initial": -1.0, "minimum": 0.0}, "initial must be a finite number, and at least"),
        ({"initial": "a"}, "initial must be a finite number"),
    ],
)
def test_a_field_that_makes_no_sense_is_refused(change, message):
    numbers = Weightwise.numbers
    name = next(iter(numbers))
    changed = numbers | {name: numbers[name]._replace(**change)}
    rule = type("Wrong", (Weightwise,), {"numbers": changed})
    with pytest.raises(ValueError, match=message):
        Perceptron(rule=rule()).fit([[0.0], [1.0]], [0, 1])


def test_numbers_that_changed_after_a_fit_are_refused():
    rule = type("Changed", (Weightwise,), {"numbers": dict(Weightwise.numbers)})
    model = Perceptron(rule=rule(), max_iter=1, tol=None).fit([[0.0], [1.0]], [0, 1])
    rule.numbers = {**rule.numbers, "more": rules.Field()}
    with pytest.raises((ValueError, TypeError)):
        model.partial_fit([[0.0], [1.0]], [0, 1])


class Helped(NamedTuple):
    eta: float = 1.0

    def step(self, score, y, sqnorm):
        return -self.eta * self.gradient(score, y)

    def gradient(self, score, y):
        return -y if y * score <= 0.0 else 0.0


def test_a_plain_rule_may_have_a_helper_named_gradient():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), [0, 1]
    assert traits_of(Helped).plain
    assert Perceptron(rule=Helped()).fit(X, y).score(X, y) == 1.0


def test_a_rule_that_forgets_a_number_ends_the_epoch():
    class Forgets(Moveless):
        def move(self, w, a, x, g):
            return (w, a) if w in (0.0, 1.0) else (w, a, a)

    spec, examples, memory = problem(rules.complete(Forgets()))
    memory.W[:] = 0.5
    with pytest.raises(ValueError, match="as many numbers as it had"):
        loops.epoch(examples, np.arange(N), memory, spec)


class Interrupted(NamedTuple):
    """The perceptron; Ctrl-C is pressed at a call."""

    at: float

    def step(self, score, y, sqnorm):
        Limited.count()
        if Limited.calls == self.at:
            signal.raise_signal(signal.SIGINT)
        return y if y * score <= 0.0 else 0.0


def test_an_interrupt_waits_for_the_end_of_a_block(monkeypatch):
    monkeypatch.setattr(user_rules, "BLOCK", 8)
    monkeypatch.setattr(user_rules, "BLOCK_SECONDS", 1e9)  # no block is cut for its time
    spec, examples, memory = problem(rules.complete(Interrupted(11.0)))
    with pytest.raises(KeyboardInterrupt):
        loops.epoch(examples, np.arange(N), memory, spec)
    assert (memory.t[0], Limited.calls) == (16, 17), "one call tries the rule"


def test_blocks_have_the_bits_of_one_call(monkeypatch):
    states = []
    for block in (N, 7):
        monkeypatch.setattr(user_rules, "BLOCK", block)
        spec, examples, memory = problem(Plain(0.5))
        assert loops.epoch(examples, np.arange(N), memory, spec) == loops.FINITE
        states.append(memory)
    assert_same_bits(*states)


class Large(NamedTuple):
    """Steps that leave the range."""

    def step(self, score, y, sqnorm):
        return 1e308 * y


def test_the_first_bad_row_of_all_blocks_is_returned(monkeypatch):
    monkeypatch.setattr(user_rules, "BLOCK", 1)
    spec, examples, memory = problem(rules.complete(Large()))
    found = loops.epoch(examples, np.arange(N), memory, spec)
    spec, examples, memory = problem(rules.complete(Large()))
    monkeypatch.setattr(user_rules, "BLOCK", N)
    assert 0 <= found == loops.epoch(examples, np.arange(N), memory, spec)


class Seen(rules.PA):
    """A rule that keeps what it sees."""

    def step(self, score, y, sqnorm):
        return seen.append((score, y, sqnorm)) or 1.0 / (sqnorm - sqnorm)


seen = []


def test_a_rule_sees_numpys_numbers_and_may_divide_by_zero():
    spec, examples, memory = problem(Seen())
    found = loops.epoch(examples, np.arange(2), memory, spec)
    assert found == 0, "the step was infinite"
    assert {type(x) for row in seen for x in row} == {np.float64}
    X = examples.rows.X
    assert seen[0] == (0.0, examples.y[0], sum(x * x for x in X[0].tolist()) + 1.0)


class Returns(NamedTuple):
    """A rule that returns what a test wants."""

    def step(self, score, y, sqnorm):
        return returned[0]

    def loss(self, score, y):
        return 0


class ReturnsPair(NamedTuple):
    """A rule that rescales by what a test wants."""

    def rescale(self, score, y, sqnorm, wsqnorm, t, k):
        return returned[0]

    def loss(self, score, y):
        return 0


returned = {}


def test_steps_are_numbers_of_any_type_and_pairs_of_any_sequence(monkeypatch):
    def weights(kind, value):
        monkeypatch.setitem(returned, 0, 1.0 if kind is Returns else (1.0, 1.0))
        spec, examples, memory = problem(rules.complete(kind()))
        monkeypatch.setitem(returned, 0, value)
        loops.epoch(examples, np.arange(3), memory, spec)
        return memory.W.ravel().tolist()

    assert weights(Returns, 1.0) == weights(Returns, np.float32(1)) == weights(Returns, True)
    assert weights(ReturnsPair, (1.0, 1.0)) == weights(ReturnsPair, np.ones(2))
    for value in (None, "1", [1.0], 1j):
        with pytest.raises(TypeError):
            weights(Returns, value)
    for value in (None, 1.0, (None, 1.0)):
        with pytest.raises(TypeError):
            weights(ReturnsPair, value)
    with pytest.raises(ValueError, match="two numbers"):
        weights(ReturnsPair, (1.0, 1.0, 1.0))


def sizes_of_blocks(rows, seconds):
    sizes = []

    def learn(order):
        sizes.append(len(order))
        time.sleep(seconds * len(order))
        return -1

    user_rules.in_blocks(learn, np.arange(rows), rules.complete(Plain()))
    assert sum(sizes) == rows
    return sizes


def test_blocks_are_as_large_as_their_time_allows(monkeypatch):
    slow = sizes_of_blocks(100, 0.002)
    assert slow[0] == user_rules.FIRST_BLOCK
    assert max(slow[1:]) <= user_rules.BLOCK_SECONDS / 0.002
    monkeypatch.setattr(user_rules, "BLOCK_SECONDS", 1e9)
    assert sizes_of_blocks(9000, 0.0) == [64, 128, 256, 512, 1024, 2048, 4096, 872]
