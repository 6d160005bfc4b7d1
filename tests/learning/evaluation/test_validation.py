"""Predict, then learn: the same answers, row by row, as asking and teaching by hand."""

from collections import Counter, deque
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from rosenblatt.drift import Alarm, Drift
from rosenblatt.progressive import anytime_interval
from rosenblatt.validation import Point, read_lines, validate
from sklearn.datasets import load_digits

from rosenblatt import KernelPerceptron, OnlinePerceptron, Perceptron, validation
from rosenblatt.plots import ProgressiveDisplay
from rosenblatt.streams import Batch, open_stream

X, Y = load_digits(return_X_y=True)
X, Y = X[:500], Y[:500]
NAMED = [
    ({f"p{j}": v for j, v in enumerate(row) if v}, int(y)) for row, y in zip(X, Y, strict=True)
]


def batches(X, y, size, weight=None):
    for i in range(0, len(y), size):
        rows = slice(i, i + size)
        yield Batch(X[rows], y[rows], i, weight=None if weight is None else weight[rows])


def by_hand(model, X, y, delay, weight=None):
    """The ten lines: river's order, with ``predict`` and ``partial_fit``."""
    waiting, pairs = deque(), []

    def learn():
        i, answer = waiting.popleft()
        model.partial_fit(
            X[i : i + 1], y[i : i + 1], sample_weight=None if weight is None else weight[i : i + 1]
        )
        pairs.append((y[i].item(), answer))

    for i in range(len(y)):
        while waiting and waiting[0][0] + delay <= i:
            learn()
        known = model.__sklearn_is_fitted__()
        waiting.append((i, model.predict(X[i : i + 1])[0].item() if known else None))
    while waiting:
        learn()
    return pairs


MODELS = {
    "last": {},
    "average": {"output": "average"},
    "joint": {"multi_class": "joint", "rule": "pa1"},
    "shrunk": {"penalty": "l2", "alpha": 0.01},
    "weighed": {"class_weight": {3: 2.0}},
    "expansion": {"expansion": True},
    "pocket": {"output": "pocket"},
}


@pytest.mark.parametrize("delay", [0, 1, 2, 90])
@pytest.mark.parametrize("kind", MODELS)
def test_every_answer_is_that_of_its_moment(kind, delay):
    rows = X if kind in ("last", "joint") else sp.csr_array(X)
    rows, y = rows[:250], Y[:250] if kind != "average" else Y[:250] > 4
    model, twin = (Perceptron(shuffle=False, **MODELS[kind]) for _ in range(2))
    found = validate(model, batches(rows, y, 60), delay=delay)
    pairs = by_hand(twin, rows, y, delay)
    assert found.confusion == Counter(pairs)
    assert found.errors == sum(label != answer for label, answer in pairs)
    assert model.errors_ == twin.errors_
    assert model.coef_.tobytes() == twin.coef_.tobytes()
    assert model.intercept_.tobytes() == twin.intercept_.tobytes()


@pytest.mark.parametrize("delay", [0, 5])
def test_weights_of_rows_are_learned_with_and_not_counted(rng, delay):
    weight = rng.integers(0, 3, len(Y)).astype(float)
    model, twin = Perceptron(shuffle=False), Perceptron(shuffle=False)
    found = validate(model, batches(X, Y, 64, weight), delay=delay)
    assert found.confusion == Counter(by_hand(twin, X, Y, delay, weight))
    assert found.examples == found.confusion.total() == len(Y)
    assert model.coef_.tobytes() == twin.coef_.tobytes()


@given(st.integers(1, 80), st.integers(0, 30), st.integers(1, 40))
@settings(max_examples=20, deadline=None)
def test_batches_change_nothing(size, delay, window):
    points = [
        validate(Perceptron(shuffle=False), batches(X[:80], Y[:80], n, None), **how).points
        for n in (size, 80)
        for how in [{"delay": delay, "window": window, "every": 7}]
    ]
    assert points[0] == points[1]


def test_sparse_batches_may_widen_while_rows_wait():
    wide = sp.csr_array(X[:200])
    narrow = sp.csr_array((X[:100] * (np.arange(64) < 40))[:, :40])
    rows = sp.vstack([sp.csr_array((narrow.data, narrow.indices, narrow.indptr), (100, 64)), wide])
    y = np.concatenate([Y[:100], Y[:200]])
    given = [Batch(narrow, y[:100], 0), Batch(wide, y[100:], 100)]
    for delay in (0, 30, 250):
        model, twin = Perceptron(shuffle=False), Perceptron(shuffle=False)
        found = validate(model, given, delay=delay)
        assert found.confusion == Counter(by_hand(twin, rows.tocsr(), y, delay))


def test_a_kernel_learner_is_asked_row_by_row():
    models = [KernelPerceptron("poly", degree=2, gamma=0.01, shuffle=False) for _ in range(2)]
    found = validate(models[0], batches(X[:120], Y[:120], 50), delay=3)
    assert found.confusion == Counter(by_hand(models[1], X[:120], Y[:120], 3))


def test_a_model_that_has_learned_goes_on():
    model, twin = (Perceptron(shuffle=False, max_iter=3, tol=None).fit(X, Y) for _ in range(2))
    rows = X[::-1].copy()
    assert validate(model, batches(rows, Y[::-1], 100)).confusion == Counter(
        by_hand(twin, rows, Y[::-1], 0)
    )


@pytest.mark.parametrize("delay", [0, 1, 7, 100])
def test_names_one_by_one_are_as_river_has_them(delay):
    metrics = pytest.importorskip("river.metrics")
    from river.evaluate import progressive_val_score

    theirs = progressive_val_score(
        NAMED[:300], OnlinePerceptron(), metrics.ConfusionMatrix(), delay=delay
    )
    ours = validate(OnlinePerceptron(), NAMED[:300], delay=delay).confusion
    answered = {pair: number for pair, number in ours.items() if pair[1] is not None}
    assert answered == {
        (label, answer): theirs[label][answer]
        for label in range(10)
        for answer in range(10)
        if theirs[label][answer]
    }


@pytest.mark.parametrize("delay", [0, 4])
def test_names_are_learned_as_batches_of_the_same_rows(delay):
    named = validate(OnlinePerceptron(), NAMED, delay=delay, window=100, every=50)
    plain = validate(
        Perceptron(shuffle=False), batches(X, Y, 128), delay=delay, window=100, every=50
    )
    assert named.points == plain.points
    assert named.confusion == plain.confusion


class Parrot:
    """Says what it was last taught: any model will do."""

    def __init__(self):
        self.last, self.asked = None, []

    def predict_one(self, x):
        self.asked.append((x, self.last))
        return self.last

    def learn_one(self, x, y):
        self.last = x


def test_labels_arrive_when_they_should():
    model = Parrot()
    validate(model, [(i, 0) for i in range(6)], delay=3)
    assert model.asked == [(0, None), (1, None), (2, None), (3, 0), (4, 1), (5, 2)]
    assert model.last == 5


def errors_of(wrong):
    """A model that is wrong as told, and its stream."""

    class Told:
        def __init__(self):
            self.told = iter(wrong)

        def predict_one(self, x):
            return next(self.told)

        def learn_one(self, x, y):
            pass

    return Told(), [({}, False)] * len(wrong)


@given(st.lists(st.booleans(), min_size=1, max_size=300), st.integers(1, 50), st.integers(1, 60))
@settings(max_examples=30, deadline=None)
def test_points_say_what_was_counted(wrong, window, every):
    found = validate(*errors_of(wrong), window=window, every=every)
    due = {2**k for k in range(9)} | set(range(every, 301, every)) | {len(wrong)}
    assert [point.examples for point in found.points] == sorted(n for n in due if n <= len(wrong))
    for point in found.points:
        n = point.examples
        assert point.errors == sum(wrong[:n])
        assert point.error == sum(wrong[:n]) / n
        assert (point.low, point.high) == anytime_interval(point.errors, n)
        assert point.windowed == np.mean(wrong[:n][-window:])
    assert (found.examples, found.errors) == (len(wrong), sum(wrong))
    assert found.interval == (found.last.low, found.last.high)


def test_alarms_are_those_of_the_errors_and_come_in_time(rng):
    wrong = (rng.random(4000) < np.where(np.arange(4000) < 2000, 0.05, 0.5)).tolist()
    told = []
    found = validate(*errors_of(wrong), every=100, report=told.append)
    assert found.alarms == Drift().add(wrong) != []
    assert told == sorted(
        [*found.points, *found.alarms],
        key=lambda e: (e.examples, 1) if isinstance(e, Point) else (e.example, 0),
    )
    assert validate(*errors_of(wrong), drift=None).alarms == []


def test_a_point_is_told_before_the_next_example_is_asked_for():
    told, seen = [], []

    def live():
        for i in range(40):
            seen.append([point.examples for point in told])
            yield {"a": i}, "ab"[i % 2]

    validate(OnlinePerceptron(), live(), every=10, report=told.append)
    for n, before in enumerate(seen):
        assert before == sorted(k for k in {1, 2, 4, 8, 16, 32, 10, 20, 30} if k <= n)


def test_lines_come_back(tmp_path, rng):
    wrong = (rng.random(3000) < np.where(np.arange(3000) < 2000, 0.05, 0.5)).tolist()
    found = validate(*errors_of(wrong), every=500)
    found.to_lines(tmp_path / "run.jsonl")
    assert found.alarms
    assert read_lines(tmp_path / "run.jsonl") == (found.points, found.alarms)
    assert "Drift at example" in str(found)
    assert "3,000" in str(found)
    assert "2,500" not in str(found)


@pytest.mark.parametrize("line", ["{", "[]", '{"alarm": 3}', '{"examples": 1}', "7"])
def test_a_line_of_something_else_is_named(tmp_path, line):
    path = tmp_path / "run.jsonl"
    path.write_text('{"alarm": 64, "since": 33, "before": 0.0, "after": 1.0}\n' + line)
    with pytest.raises(ValueError, match=r"run.jsonl:2: expected a point or an alarm"):
        read_lines(path)
    path.write_text('{"alarm": 64, "since": 33, "before": 0.0, "after": 1.0}\n')
    assert read_lines(path) == ([], [Alarm(64, 33, 0.0, 1.0)])


@pytest.mark.parametrize("how", [{"window": 0}, {"delay": -1}, {"every": 0}, {"drift": 1.0}])
def test_parameters_out_of_range_are_refused(how):
    with pytest.raises(ValueError, match="|".join([*how, "confidence"])):
        validate(OnlinePerceptron(), NAMED, **how)


def test_a_model_that_does_not_go_with_the_stream_is_refused():
    with pytest.raises(
        TypeError, match="stream has batches, but a OnlinePerceptron has no predict"
    ):
        validate(OnlinePerceptron(), batches(X, Y, 10))
    with pytest.raises(TypeError, match="stream has pairs, but a Perceptron has no predict_one"):
        validate(Perceptron(), NAMED)


def test_nothing_is_counted_of_nothing():
    found = validate(OnlinePerceptron(), [])
    assert (found.examples, found.errors, found.interval, found.points) == (0, 0, (0.0, 1.0), [])


def test_what_the_model_refuses_is_an_error():
    spoilt = X.copy()
    spoilt[300, 5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        validate(Perceptron(shuffle=False), batches(spoilt, Y, 100))
    huge = np.array([[1e200], [-1e200]] * 4)
    with pytest.raises(ValueError, match="range"):
        validate(Perceptron(rule="lms", shuffle=False), batches(huge, np.array([0, 1] * 4), 8))


def test_a_stream_of_a_file_is_one_of_batches(tmp_path):
    found = validate(Perceptron(shuffle=False), open_stream("sklearn:digits"), every=300)
    assert found.examples == 1797
    assert found.errors < 300
    assert all(a.examples < b.examples for a, b in pairwise(found.points))


# --- the picture ---------------------------------------------------------------------------------


def test_the_picture_holds_the_points_and_the_alarms(tmp_path, rng):
    wrong = (rng.random(3000) < np.where(np.arange(3000) < 2000, 0.05, 0.5)).tolist()
    found = validate(*errors_of(wrong), window=200, every=50)
    found.to_lines(tmp_path / "run.jsonl")
    display = ProgressiveDisplay.from_lines(tmp_path / "run.jsonl")
    assert display.ax_.get_xscale() == "linear"
    examples, windowed = display.windowed_.get_data()
    assert examples.tolist() == [point.examples for point in found.points]
    assert np.allclose(windowed, [100 * point.windowed for point in found.points])
    assert np.allclose(display.overall_.get_ydata(), [100 * p.error for p in found.points])
    assert [line.get_xdata()[0] for line in display.alarms_] == [a.example for a in found.alarms]
    assert "The error rose from" in display.ax_.get_title("left")


def test_points_that_double_are_drawn_by_factors():
    found = validate(*errors_of([True] * 3 + [False] * 97))
    display = ProgressiveDisplay.from_validation(found)
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_title("left") == "3.0 % wrong"
    with pytest.raises(ValueError, match="nothing was predicted"):
        ProgressiveDisplay([], [])


def test_rows_that_wait_are_not_copied_with_every_batch(rng, monkeypatch):
    X, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
    copied, concat_batches = [], validation.concat_batches

    def counted(batches):
        rows = concat_batches(batches)
        copied.append(len(rows.y))
        return rows

    monkeypatch.setattr(validation, "concat_batches", counted)
    validate(Perceptron(shuffle=False), batches(X, y, 20), delay=1000)
    assert sum(copied) <= 2 * 2000
