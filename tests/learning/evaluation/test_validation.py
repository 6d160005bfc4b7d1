"""validate: counts, points, alarms, delays and refusals, for batches and for pairs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from sklearn.datasets import load_digits

from rosenblatt import OnlinePerceptron, Perceptron, validation
from rosenblatt.drift import Alarm, Drift
from rosenblatt.plots import ProgressiveDisplay
from rosenblatt.progressive import anytime_interval
from rosenblatt.sets import AdaptiveSets
from rosenblatt.streams import Batch, open_stream
from rosenblatt.validation import Point, read_lines, validate

X, Y = load_digits(return_X_y=True)
X, Y = X[:500], Y[:500]
NAMED = [
    ({f"p{j}": v for j, v in enumerate(row) if v}, int(y)) for row, y in zip(X, Y, strict=True)
]


def batches(X, y, size, weight=None):
    for i in range(0, len(y), size):
        rows = slice(i, i + size)
        yield Batch(X[rows], y[rows], i, weight=None if weight is None else weight[rows])


@given(st.integers(1, 80), st.integers(0, 30), st.integers(1, 40))
@thorough(20)
def test_the_size_of_batches_changes_nothing(size, delay, window):
    points = [
        validate(Perceptron(shuffle=False), batches(X[:80], Y[:80], n, None), **params).points
        for n in (size, 80)
        for params in [{"delay": delay, "window": window, "every": 7}]
    ]
    assert points[0] == points[1]


@pytest.mark.parametrize("delay", [0, 1, 7, 100])
def test_pairs_give_the_confusion_of_river(delay):
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
    """Predicts the row learned last."""

    def __init__(self):
        self.last, self.calls = None, []

    def predict_one(self, x):
        self.calls.append((x, self.last))
        return self.last

    def learn_one(self, x, y):
        self.last = x


def test_labels_arrive_when_they_should():
    model = Parrot()
    validate(model, [(i, 0) for i in range(6)], delay=3)
    assert model.calls == [(0, None), (1, None), (2, None), (3, 0), (4, 1), (5, 2)]
    assert model.last == 5


def errors_of(wrong):
    """A model that makes the given errors, and its stream."""

    class Scripted:
        def __init__(self):
            self.predictions = iter(wrong)

        def predict_one(self, x):
            return next(self.predictions)

        def learn_one(self, x, y):
            pass

    return Scripted(), [({}, False)] * len(wrong)


@given(st.lists(st.booleans(), min_size=1, max_size=300), st.integers(1, 50), st.integers(1, 60))
@thorough(30)
def test_points_have_the_counts_of_their_example(wrong, window, every):
    result = validate(*errors_of(wrong), window=window, every=every)
    due = {2**k for k in range(9)} | set(range(every, 301, every)) | {len(wrong)}
    assert [point.examples for point in result.points] == sorted(n for n in due if n <= len(wrong))
    for point in result.points:
        n = point.examples
        assert point.errors == sum(wrong[:n])
        assert point.error == sum(wrong[:n]) / n
        assert (point.low, point.high) == anytime_interval(point.errors, n)
        assert point.windowed == np.mean(wrong[:n][-window:])
    assert (result.examples, result.errors) == (len(wrong), sum(wrong))
    assert result.interval == (result.last.low, result.last.high)


def test_alarms_are_those_of_the_errors_and_come_in_time(rng):
    wrong = (rng.random(4000) < np.where(np.arange(4000) < 2000, 0.05, 0.5)).tolist()
    reported = []
    result = validate(*errors_of(wrong), every=100, report=reported.append)
    assert result.alarms == Drift().add(wrong) != []
    assert reported == sorted(
        [*result.points, *result.alarms],
        key=lambda e: (e.examples, 1) if isinstance(e, Point) else (e.example, 0),
    )
    assert validate(*errors_of(wrong), drift=None).alarms == []


def test_a_point_is_reported_before_the_next_example_is_read():
    reported, seen = [], []

    def live():
        for i in range(40):
            seen.append([point.examples for point in reported])
            yield {"a": i}, "ab"[i % 2]

    validate(OnlinePerceptron(), live(), every=10, report=reported.append)
    for n, before in enumerate(seen):
        assert before == sorted(k for k in {1, 2, 4, 8, 16, 32, 10, 20, 30} if k <= n)


def test_lines_are_read_back(tmp_path, rng):
    wrong = (rng.random(3000) < np.where(np.arange(3000) < 2000, 0.05, 0.5)).tolist()
    result = validate(*errors_of(wrong), every=500)
    result.to_lines(tmp_path / "run.jsonl")
    assert result.alarms
    assert read_lines(tmp_path / "run.jsonl") == (result.points, result.alarms)
    assert "Drift at example" in str(result)
    assert "3,000" in str(result)
    assert "2,500" not in str(result)


@pytest.mark.parametrize("line", ["{", "[]", '{"alarm": 3}', '{"examples": 1}', "7"])
def test_an_invalid_line_is_refused_with_its_number(tmp_path, line):
    path = tmp_path / "run.jsonl"
    path.write_text('{"alarm": 64, "since": 33, "before": 0.0, "after": 1.0}\n' + line)
    with pytest.raises(ValueError, match=r"run.jsonl:2: expected a point or an alarm"):
        read_lines(path)
    path.write_text('{"alarm": 64, "since": 33, "before": 0.0, "after": 1.0}\n')
    assert read_lines(path) == ([], [Alarm(64, 33, 0.0, 1.0)])


@pytest.mark.parametrize("params", [{"window": 0}, {"delay": -1}, {"every": 0}, {"drift": 1.0}])
def test_parameters_out_of_range_are_refused(params):
    with pytest.raises(ValueError, match="|".join([*params, "confidence"])):
        validate(OnlinePerceptron(), NAMED, **params)


def test_a_model_that_does_not_go_with_the_stream_is_refused():
    with pytest.raises(
        TypeError, match="stream has batches, but a OnlinePerceptron has no predict"
    ):
        validate(OnlinePerceptron(), batches(X, Y, 10))
    with pytest.raises(TypeError, match="stream has pairs, but a Perceptron has no predict_one"):
        validate(Perceptron(), NAMED)


def test_an_empty_stream_gives_an_empty_result():
    result = validate(OnlinePerceptron(), [])
    assert (result.examples, result.errors, result.interval, result.points) == (
        0,
        0,
        (0.0, 1.0),
        [],
    )


def test_errors_of_the_model_are_raised():
    spoilt = X.copy()
    spoilt[300, 5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        validate(Perceptron(shuffle=False), batches(spoilt, Y, 100))
    huge = np.array([[1e200], [-1e200]] * 4)
    with pytest.raises(ValueError, match="range"):
        validate(Perceptron(rule="lms", shuffle=False), batches(huge, np.array([0, 1] * 4), 8))


def test_a_stream_of_a_data_set(tmp_path):
    result = validate(Perceptron(shuffle=False), open_stream("sklearn:digits"), every=300)
    assert result.examples == 1797
    assert result.errors < 300
    assert all(a.examples < b.examples for a, b in pairwise(result.points))


# --- the plot ------------------------------------------------------------------------------------


def test_the_plot_shows_points_and_alarms(tmp_path, rng):
    wrong = (rng.random(3000) < np.where(np.arange(3000) < 2000, 0.05, 0.5)).tolist()
    result = validate(*errors_of(wrong), window=200, every=50)
    result.to_lines(tmp_path / "run.jsonl")
    display = ProgressiveDisplay.from_lines(tmp_path / "run.jsonl")
    assert display.ax_.get_xscale() == "linear"
    examples, windowed = display.windowed_.get_data()
    assert examples.tolist() == [point.examples for point in result.points]
    assert np.allclose(windowed, [100 * point.windowed for point in result.points])
    assert np.allclose(display.overall_.get_ydata(), [100 * p.error for p in result.points])
    assert [line.get_xdata()[0] for line in display.alarms_] == [a.example for a in result.alarms]
    assert "The error rose from" in display.ax_.get_title("left")


def test_points_at_powers_of_two_have_a_logarithmic_axis():
    result = validate(*errors_of([True] * 3 + [False] * 97))
    display = ProgressiveDisplay.from_validation(result)
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_title("left") == "Error 3.0 %"
    with pytest.raises(ValueError, match="no example was predicted"):
        ProgressiveDisplay([], [])


def test_the_plot_has_the_baseline_and_no_line_twice():
    result = validate(Perceptron(shuffle=False), open_stream("sklearn:breast_cancer"), every=50)
    display = ProgressiveDisplay.from_validation(result)  # the window has all examples
    assert display.windowed_ is None
    assert display.baseline_.get_ydata()[0] == pytest.approx(100 * 212 / 569)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["all examples", "95 % interval", "baseline 37.3 %"]


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


class NoChange:
    """Predicts the label learned last."""

    label = None

    def predict_one(self, x):
        return self.label

    def learn_one(self, x, y):
        self.label = y


@pytest.mark.parametrize("delay", [0, 1, 5, 80])
def test_the_no_change_baseline_is_the_model_that_repeats_the_label(delay, rng):
    runs = np.repeat(rng.choice(["up", "down"], 30), rng.integers(1, 9, 30)).tolist()
    result = validate(NoChange(), [({}, label) for label in runs], delay=delay)
    assert result.no_change_errors == result.errors > 0
    assert result.no_change_error == result.error
    assert result.kappa_temporal == 0.0


def test_batches_have_the_no_change_baseline_of_their_rows():
    named = validate(OnlinePerceptron(), NAMED, delay=4)
    plain = validate(Perceptron(shuffle=False), batches(X, Y, 128), delay=4)
    assert named.no_change_errors == plain.no_change_errors > 0
    assert named.kappa == plain.kappa
    assert named.kappa_temporal == 1 - named.errors / named.no_change_errors


# --- sets of labels ------------------------------------------------------------------------------


def drifting_rows(rng, n):
    """Batches of rows whose labels change their meaning half way."""
    X = rng.standard_normal((n, 3))
    w = np.where(np.arange(n)[:, None] < n // 2, 1.5, [[-1.5, 0.0, 1.5]])
    y = (rng.random(n) < 1 / (1 + np.exp(-(X * w).sum(axis=1)))).astype(int)
    for start in range(0, n, 400):
        yield Batch(X[start : start + 400], y[start : start + 400], start)


def test_sets_have_the_coverage_along_a_drift(rng):
    sets = AdaptiveSets(0.9, gamma=0.02)
    model = Perceptron(rule="logistic", eta0=0.1, shuffle=False)
    result = validate(model, drifting_rows(rng, 4000), sets=sets)
    assert result.sets is sets
    assert sets.rows == result.scores.rows >= 3990
    assert abs(sets.errors / sets.rows - 0.1) <= (0.9 + 0.02) / (sets.rows * 0.02)
    assert sets.rows < sets.labels < 2 * sets.rows
    again = Perceptron(rule="logistic", eta0=0.1, shuffle=False)
    assert validate(again, drifting_rows(np.random.default_rng(0), 4000)).sets is None
    np.testing.assert_array_equal(model.classes_, again.classes_)


@pytest.mark.parametrize("rule", ["pa1", "auto"])
def test_sets_are_of_calibrated_probabilities_too(rng, rule):
    sets = AdaptiveSets(0.9, gamma=0.02)
    model = Perceptron(rule=rule, probabilities=True, shuffle=False)
    result = validate(model, drifting_rows(rng, 1200), sets=sets)
    assert sets.rows == result.scores.rows >= 1190
    assert abs(sets.errors / sets.rows - 0.1) <= (0.9 + 0.02) / (sets.rows * 0.02)


def test_sets_need_probabilities_and_labels_at_once(rng):
    with pytest.raises(TypeError, match="this Perceptron has none"):
        validate(Perceptron(), drifting_rows(rng, 400), sets=AdaptiveSets())
    model = Perceptron(rule="logistic")
    with pytest.raises(ValueError, match="delay must be 0; got 5"):
        validate(model, drifting_rows(rng, 400), sets=AdaptiveSets(), delay=5)
