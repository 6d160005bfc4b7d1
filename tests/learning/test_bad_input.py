"""Bad input is an answer, and a failure leaves the model as it was."""

import itertools
import sys
import warnings
from typing import NamedTuple

import numpy as np
import polars
import pytest
import scipy.sparse as sp
from forked import Forked
from numpy_twins import bits
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.preprocessing import scale

from rosenblatt import (
    AveragedPerceptron,
    Classifier,
    KernelPerceptron,
    LMSRegressor,
    Perceptron,
    rules,
    tune,
)
from rosenblatt.learning import training
from rosenblatt.learning.base import attributes_without_locks

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Class PassiveAggressive:FutureWarning"
)

# --- bad input is an answer ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"rule": "perceptrn"}, "rule must be one of"),
        ({"rule": rules.PA1}, "NamedTuple with a method step"),
        ({"output": "vote"}, "output must be one of"),
        ({"multi_class": "ovo"}, "multi_class must be one of"),
        ({"tie": 2}, "tie must be one of 0, -1, 1; got 2"),
        ({"penalty": "l3"}, "penalty must be one of"),
        ({"alpha": -1}, "alpha must be a number"),
        ({"l1_ratio": 1.5}, "l1_ratio must be a number"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"max_iter": 1.5}, "max_iter must be a whole number"),
        ({"tol": -0.1}, "tol must be a number"),
        ({"eta0": 0}, "eta0 must be a number"),
        ({"eta0": np.nan}, "eta0 must be a number"),
        ({"validation_fraction": 1.0}, "validation_fraction must be a number"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number"),
        ({"shards": 0}, "shards must be a whole number"),
        ({"shards": 1000}, "shards must be at most the 150 rows"),
        ({"class_weight": {9: 1.0}}, "class_weight"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(setting, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises((ValueError, TypeError), match=message):
        Perceptron(**setting).fit(X, y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.nan]], [0, 1], "NaN"),
        ([[1.0], [np.inf]], [0, 1], "infinity"),
        ([[1.0], [2.0]], [1, 1], "greater than one; got 1 class"),
        (np.zeros((0, 2)), [], "0 sample"),
        (np.zeros((2, 0)), [0, 1], "0 feature"),
        ([[1.0], [2.0]], [0, 1, 0], "inconsistent numbers of samples"),
        ([[1.0], [2.0]], [0.5, 1.7], "Unknown label type"),
        ([1.0, 2.0], [0, 1], "2D array"),
        ([["a"], ["b"]], [0, 1], "could not convert string"),
    ],
    ids=str,
)
def test_bad_data_is_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        Perceptron().fit(X, y)


def test_bad_batches_leave_the_model_unchanged():
    X, y = load_iris(return_X_y=True)
    model = Perceptron().partial_fit(X, y)
    before = bits(model)
    for bad_X, bad_y, kwargs in [
        (X[:, :3], y, {}),
        (X * np.nan, y, {}),
        (X, y[:-1], {}),
        (X, y, {"sample_weight": np.zeros(3)}),
        (X, np.array(["mixed"] * len(y)), {}),
    ]:
        with pytest.raises(ValueError):  # noqa: PT011  # each message has its own test
            model.partial_fit(bad_X, bad_y, **kwargs)
        assert bits(model) == before


@pytest.mark.parametrize(
    "late",
    [{"output": "average"}, {"output": "pocket"}, {"penalty": "l1"}, {"rule": "arow"}],
    ids=str,
)
def test_an_output_or_penalty_set_after_training_is_refused(late):
    X, y = load_iris(return_X_y=True)
    for model in (Perceptron().fit(X, y), Perceptron().fit(X, y > 0)):
        model.set_params(**late)
        with pytest.raises(ValueError, match="was set after training without it"):
            model.partial_fit(X, y if len(model.classes_) > 2 else y > 0)
        with pytest.raises(ValueError, match=r"was set after training|was not kept"):
            model.set_params(warm_start=True).fit(X, y if len(model.classes_) > 2 else y > 0)


@pytest.mark.parametrize(
    "failing",
    [
        lambda model, X, y: model.fit(np.ones((4, 50)), np.zeros(4)),
        lambda model, X, y: model.set_params(rule="lms", eta0=1e300).fit(X, y),
        lambda model, X, y: model.set_params(shards=1000).fit(X[:9], y[::17]),
        lambda model, X, y: model.set_params(class_weight={0: np.nan}).fit(X, y),
        lambda model, X, y: model.set_params(rule="bogus").partial_fit(X, y),
        lambda model, X, y: model.partial_fit(X[:, :2], y),
    ],
)
def test_a_failure_leaves_the_model_unchanged(failing):
    X, y = load_iris(return_X_y=True)
    model = Perceptron().fit(X, y)
    before, predicted, attributes = (
        bits(model),
        model.predict(X),
        set(attributes_without_locks(model)),
    )
    with pytest.raises(ValueError):  # noqa: PT011  # each message has its own test
        failing(model, X, y)
    model.set_params(**Perceptron().get_params())
    assert bits(model) == before
    assert set(attributes_without_locks(model)) == attributes
    np.testing.assert_array_equal(model.predict(X), predicted)


def test_a_failed_first_batch_leaves_the_model_unfitted():
    X, y = load_iris(return_X_y=True)
    model = Perceptron()
    with pytest.raises(ValueError, match="none of the classes"):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.partial_fit(X, y, classes=[0, 1, 2]).t_ == 151


def test_a_batch_of_weight_zero_makes_no_update():
    X, y = load_iris(return_X_y=True)
    weight = (np.arange(150) % 3 == 0).astype(float)
    whole, single = Perceptron(shuffle=False), Perceptron(shuffle=False)
    whole.partial_fit(X, y, sample_weight=weight)
    for i in range(150):
        single.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=weight[i : i + 1])
    assert bits(whole) == bits(single)


def test_an_interrupted_fit_leaves_every_class_active(monkeypatch):
    X, y = load_iris(return_X_y=True)
    model = Perceptron(max_iter=5000, tol=None, verbose=1)

    def interrupt(row):
        if row[0] == 15:
            raise KeyboardInterrupt

    monkeypatch.setattr("rosenblatt.learning.base.print_epoch", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model._state.active[:3].all()
    assert 15 <= model.n_iter_ < 5000
    assert model.t_ == model.n_iter_ * 150 + 1


@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet"])
def test_a_penalty_prevents_convergence(penalty):
    """Separable rows, a small alpha, many epochs: the weights move on, as scikit-learn's do."""
    X, y = load_iris(return_X_y=True)
    setting = {"penalty": penalty, "alpha": 1e-3, "tol": None, "max_iter": 50, "shuffle": False}
    for labels in (y == 0, y):
        ours = Perceptron(**setting).fit(X, labels)
        theirs = linear_model.Perceptron(**setting).fit(X, labels)
        np.testing.assert_array_equal(ours.coef_, theirs.coef_)
        assert ours.n_iter_ == 50
        assert not ours.converged_


@pytest.mark.parametrize("penalty", [None, "l1", "l2", "elasticnet"])
def test_mostly_zero_rows_give_the_same_bits_as_scikit_learn(penalty):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 20)) * (rng.random((400, 20)) < 0.15)
    y = rng.integers(0, 3, 400)
    setting = {"penalty": penalty, "alpha": 0.01, "tol": None, "max_iter": 3, "shuffle": False}
    ours = Perceptron(**setting).fit(X, y)
    theirs = linear_model.Perceptron(**setting).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)


def test_converged_weights_separate_the_rows():
    """Whatever the rule, the classes and the stopping: converged_ is never wrong."""
    seen = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((30, 2))
        y = np.digitize(X[:, 0], [-0.5, 0.5])
        for labels in (y, y > 0):
            for rule in ("perceptron", "pa1", "relaxation"):
                model = Perceptron(rule=rule, max_iter=200, random_state=seed).fit(X, labels)
                seen += model.converged_
                assert not model.converged_ or model.score(X, labels) == 1.0
    assert seen > 10


def test_a_joint_model_refuses_tie():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="takes the arg max"):
        Perceptron(multi_class="joint", tie=1).fit(X, y)
    with pytest.raises(ValueError, match="takes the arg max"):
        Perceptron(multi_class="joint", rule=rules.Perceptron(tie=-1.0)).fit(X, y)
    assert Perceptron(multi_class="joint").fit(X, y).score(X, y) > 0.8


def test_the_tie_of_a_rule_object_has_precedence():
    setting = {"shuffle": False, "fit_intercept": False, "max_iter": 1, "tol": None}
    model = Perceptron(rule=rules.Perceptron(tie=1.0), **setting).fit(np.eye(2), [1, 0])
    assert (model.mistakes_, model.updates_) == (1, 1)
    assert model.predict(np.zeros((1, 2))) == [1]


def test_classes_changed_by_hand_are_refused():
    X, y = load_iris(return_X_y=True)
    model = Perceptron().fit(X, y)
    model.classes_ = np.arange(9)
    with pytest.raises(ValueError, match="changed by hand"):
        model.partial_fit(X, y)


def test_the_average_is_updated_while_output_is_last():
    X, y = load_iris(return_X_y=True)
    on, off = (Perceptron(output="average", shuffle=False) for _ in range(2))
    for output in ("average", "last", "average"):
        on.partial_fit(X, y)
        off.set_params(output=output).partial_fit(X, y)
    assert bits(on) == bits(off)


def test_the_pocket_counts_errors_on_the_rows_of_the_fit():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(output="pocket", warm_start=True).fit(X, y == 0)
    assert model.fit(X, y != 0).score(X, y != 0) == 1.0
    for _ in range(20):
        model.partial_fit(X, y == 0)
    assert model.score(X, y == 0) == 1.0


def test_weights_can_be_assigned_and_training_continues_from_them():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(shuffle=False).fit(X, y)
    theirs = linear_model.Perceptron(shuffle=False).fit(X, y)
    for each in (model, theirs):
        each.coef_ = each.coef_ * 0.5
        each.intercept_ = each.intercept_ + 1.0
        each.partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, theirs.coef_)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        model.intercept_[0] = 1.0
    with pytest.raises(ValueError, match="cannot be set"):
        AveragedPerceptron().fit(X, y).intercept_ = [1.0, 2.0, 3.0]


def test_initial_weights_do_not_change_the_earlier_average():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    setting = {"output": "average", "shuffle": False, "tol": None, "max_iter": 1}
    model = Perceptron(warm_start=True, **setting).fit(X, y)
    first, start = model.coef_.copy(), np.full((1, 30), 3.0)
    model.fit(X, y, coef_init=start, intercept_init=[1.0])
    second = Perceptron(**setting).fit(X, y, coef_init=start, intercept_init=[1.0]).coef_
    np.testing.assert_allclose(model.coef_, (first + second) / 2, rtol=1e-9)


def test_a_second_fit_knows_no_more_classes_than_the_first():
    X, y = np.eye(4), np.array([0, 1, 0, 1])
    model = Perceptron().fit(X, y).set_params(class_weight={0: 1.0, 9: 5.0})
    with pytest.raises(ValueError, match="are no classes"):
        model.fit(X, y)


def test_class_weights_of_classes_that_appear_late():
    X, y = load_iris(return_X_y=True)
    late = Perceptron(class_weight={2: 5.0}, shuffle=False).partial_fit(X, y)
    known = Perceptron(class_weight={0: 1.0, 1: 1.0, 2: 5.0}, shuffle=False).partial_fit(X, y)
    assert bits(late) == bits(known)


def test_bad_numbers_in_a_batch_are_refused():
    X, y = load_iris(return_X_y=True)
    regressor = LMSRegressor().fit(X, y)
    for bad in (np.full(150, np.nan), np.full(150, "1"), np.full(150, 1j)):
        with pytest.raises(ValueError):  # noqa: PT011  # scikit-learn's own messages
            regressor.partial_fit(X, bad)
    with pytest.raises(ValueError, match="this model cannot be used any more"):
        Perceptron(rule="lms", eta0=10.0).partial_fit(np.tile(X, (200, 1)), np.tile(y, 200))
    with pytest.raises(ValueError, match="is for classification"):
        LMSRegressor(rule=rules.PA1()).fit(X, y)


INTERRUPTED = """
import numpy as np
import polars
from interrupts import interrupt_soon
from rosenblatt import Perceptron
rng = np.random.default_rng(0)
X = rng.standard_normal((30_000, 40))
y = rng.integers(0, 2, 30_000)
model = Perceptron(max_iter=100_000, tol=None)
interrupt_soon()
try:
    model.fit(X, y)
except KeyboardInterrupt:
    n = model.n_iter_
    print(n > 0, model.t_ == n * len(y) + 1, model.history_["mistakes"].sum() == model.mistakes_)
"""


def test_an_interrupted_epoch_is_counted():
    output, error = Forked(INTERRUPTED).communicate()
    assert output.split() == [b"True"] * 3, error


def test_an_interrupt_at_any_line_of_the_loop_leaves_a_whole_history():
    """Every epoch in the weights is in the history, wherever the interrupt comes."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 4)), rng.integers(0, 2, 300)
    lines = set()
    for n in range(1, 200):
        events = itertools.count(1)

        def trace(frame, event, argument, n=n, events=events):
            if frame.f_code.co_filename == training.__file__ and next(events) == n:
                sys.settrace(None)
                lines.add(frame.f_lineno)
                raise KeyboardInterrupt
            return trace

        model = Perceptron(max_iter=2000, tol=None, random_state=0)
        previous = sys.gettrace()
        sys.settrace(trace)
        try:
            with pytest.raises(KeyboardInterrupt):
                model.fit(X, y)
        finally:
            sys.settrace(previous)
        if hasattr(model, "n_iter_"):
            assert model.t_ == model.n_iter_ * 300 + 1, max(lines)
            assert model.history_["mistakes"].sum() == model.mistakes_
    assert len(lines) > 30


def test_sparsify_and_densify_leave_the_model_unchanged():
    X, y = load_iris(return_X_y=True)
    model = AveragedPerceptron().fit(X, y)
    before = bits(model)
    model.sparsify().densify()
    assert bits(model) == before


def test_refusals_name_the_problem():
    X, y = load_iris(return_X_y=True)
    model = Perceptron().partial_fit(X, y)
    with pytest.raises(ValueError, match="mixed types"):
        model.partial_fit(X[:1], np.array(["late"]))
    with pytest.raises(ValueError, match="zero"):
        Perceptron().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="early_stopping should be False"):
        Perceptron(early_stopping=True).partial_fit(X, y)
    with pytest.raises(ValueError, match="balanced"):
        Perceptron(class_weight="balanced").partial_fit(X, y)
    with pytest.raises(NotFittedError):
        Perceptron().predict(X)
    with pytest.raises(ValueError, match="floating-point range in epoch 1"):
        Perceptron(rule="lms", eta0=1e200).fit(X, y)
    with pytest.raises(ValueError, match="does not match dataset"):
        Perceptron().fit(X, y, coef_init=np.zeros((2, 4)))
    with pytest.raises(ValueError, match="Input coef_init contains NaN"):
        Perceptron().fit(X, y, coef_init=np.full((1, X.shape[1]), np.nan))
    with pytest.raises(ValueError, match="Input intercept_ contains infinity"):
        Perceptron().fit(X, y).intercept_ = [np.inf]
    with pytest.raises(ValueError, match="Input coef_ contains NaN"):
        Perceptron().fit(X, y).coef_ = np.full((1, X.shape[1]), np.nan)
    with pytest.raises(ValueError, match="warm_start continues"):
        Perceptron(warm_start=True).fit(X, y).fit(X[:, :3], y)


def test_a_fit_that_did_not_converge_warns():
    X, y = load_digits(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning, match="stopped after 2 epochs"):
            Perceptron(max_iter=2).fit(X, y)
        Perceptron(max_iter=2, tol=None).fit(X, y)


class Poisoned(NamedTuple):
    """A user rule that returns NaN for a large score."""

    def step(self, score, y, sqnorm):
        return np.nan if abs(score) > 5.0 else y


@pytest.mark.parametrize("K", [2, 12])
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_rule_that_returns_nan_is_refused(K, stored):
    rng = np.random.default_rng(0)
    X, y = stored(rng.standard_normal((200, 5))), rng.integers(0, K, 200)
    with pytest.raises(ValueError, match="floating-point range"):
        Perceptron(rule=Poisoned()).fit(X, y)


class Allocating(NamedTuple):
    """A user rule that allocates a list, and fails for a large score."""

    worst: float = 1e9

    def step(self, score, y, sqnorm):
        if abs(score) > self.worst:
            raise ValueError("too far")
        return y * max([0.0, 1.0 - y * score]) / sqnorm


def test_a_user_rule_can_allocate_memory():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    assert Perceptron(rule=Allocating(), max_iter=3, tol=None).fit(X, y).score(X, y) > 0.8


def test_steps_of_a_rule_that_fails_are_undone():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    model = Perceptron(rule=Allocating(worst=3.0)).partial_fit(X[:3] / 100, y[:3], [0, 1])
    before = bits(model)
    with pytest.raises(ValueError, match="too far"):
        model.partial_fit(X, y)
    assert bits(model) == before


@pytest.mark.parametrize("model", [Perceptron(), AveragedPerceptron(), LMSRegressor()])
@pytest.mark.parametrize("part", ["X", "sample_weight"])
def test_whole_numbers_beyond_float64(model, part):
    """Python's whole numbers have no largest; they are named."""
    X, weight = [[2], [1], [3]], [1, 1, 1]
    big = [10**400, 1, 1]
    arguments = ([[x] for x in big], [0, 1, 1], weight) if part == "X" else (X, [0, 1, 1], big)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=f"{part}.* has a whole number beyond float64"):
            learn(arguments[0], arguments[1], sample_weight=arguments[2])


@pytest.mark.parametrize(
    "use",
    [
        lambda X, y: Perceptron().fit(X, y),
        lambda X, y: Classifier().fit([[0.0], [1.0]], y).predict(X),
        lambda X, y: KernelPerceptron().fit(X, y),
        lambda X, y: tune(X, y),
    ],
)
def test_a_table_of_polars_that_is_not_read_yet_is_refused(use):
    X = polars.DataFrame({"x": [0.0, 1.0]}).lazy()
    with pytest.raises(ValueError, match=r"X is a LazyFrame of polars.* take X.collect\(\)"):
        use(X, [0, 1])
