"""Recorded runs: JSON restores every bit, explanations are right, counts agree."""

import json
import re
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traces import RUNS, seeds, some_rows

from rosenblatt import textbook, toys
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.tables import MAX_ROWS

examples = settings(max_examples=60, deadline=None)
names = st.sampled_from(sorted(RUNS))
rates = st.sampled_from([1.0, 0.5, 0.3])


def recorded(seed, name, eta):
    """A run on whole numbers, or on floats of many digits."""
    X, y = some_rows(seed)
    if seed % 2:
        X = X + np.random.default_rng(seed).standard_normal(X.shape) / 3
    return RUNS[name](X, y, eta)


# JSON.


@examples
@given(seed=seeds, name=names, eta=rates)
def test_from_json_restores_every_bit(seed, name, eta):
    run = recorded(seed, name, eta)
    for text in (run.to_json(), run.to_json().encode()):
        read = Trace.from_json(text)
        for field in fields(Trace):
            ours, theirs = getattr(run, field.name), getattr(read, field.name)
            assert type(ours) is type(theirs), field.name
            if isinstance(ours, np.ndarray):
                assert ours.dtype == theirs.dtype
                assert ours.shape == theirs.shape
                assert ours.tobytes() == theirs.tobytes()
                assert not theirs.flags.writeable
            else:
                assert ours == theirs
        assert read.to_json() == run.to_json()


def test_runs_without_a_step_and_with_extreme_numbers_are_read():
    still = textbook.augmented_perceptron([[1.0], [-1.0]], [1, -1], start=[0.0, 1.0])
    assert len(still) == 0
    assert Trace.from_json(still.to_json()).weights.tolist() == [[0.0, 1.0]]
    X = [[5e-324, -0.0], [1e150, 1 / 3]]
    run = textbook.online_perceptron(X, [-1, -1], eta=1e-300, start=[-1e-310, 1e-5])
    assert Trace.from_json(run.to_json()).weights.tobytes() == run.weights.tobytes()


def test_options_as_numpy_numbers_are_written():
    run = textbook.online_perceptron([[1.0]], [1], np.float32(0.5), tie=np.int64(-1))
    assert (Trace.from_json(run.to_json()).tie, run.eta) == (-1, 0.5)


def test_a_run_that_overflows_is_an_error():
    run = textbook.origin_perceptron([[1.0]], [1])
    with pytest.raises(ValueError, match="not JSON compliant"):
        replace(run, score=np.array([np.inf])).to_json()


RUN = textbook.augmented_perceptron(toys.two_points().X, toys.two_points().y)
NAN, INF = float("nan"), float("inf")
DEEP = json.loads("[" * 80 + "0" + "]" * 80)


def refused(text):
    with pytest.raises(ValueError, match=r"not a trace that this version wrote: ."):
        Trace.from_json(text)


@pytest.mark.parametrize(
    "text",
    ["", "no", "null", "3", '"text"', "[]", "{}", "[" * 10**6, b"\xff\xfe", "{}" * 2, "9" * 5000],
    ids=lambda text: repr(text[:9]),
)
def test_other_json_is_refused(text):
    refused(text)


@pytest.mark.parametrize("name", json.loads(RUN.to_json()))
@pytest.mark.parametrize(
    "value",
    [
        None,
        "0",
        [],
        {},
        {"0": 1},
        [None],
        ["0"],
        [["0", "0"]],
        NAN,
        INF,
        10**400,
        [10**30],
        -2,
        DEEP,
    ],
    ids=lambda value: repr(value)[:9],
)
def test_a_field_of_another_type_is_refused(name, value):
    read = json.loads(RUN.to_json())
    if (name, value) not in [("offset", None), ("algorithm", "0"), ("epochs", 10**400)]:
        refused(json.dumps({**read, name: value}))
    del read[name]
    refused(json.dumps(read))


@pytest.mark.parametrize(
    "change",
    [
        {"format": "another"},
        {"version": 2},
        {"algorithm": 3},
        {"eta": True},
        {"eta": 0.0},
        {"eta": -1.0},
        {"tie": True},
        {"tie": 1.0},
        {"tie": 2},
        {"epochs": 1.5},
        {"epochs": True},
        {"converged": 1},
        {"offset": False},
        {"offset": 0.0},
        {"offset": 1},
        {"offset": -1},  # the last place holds no constant 1
        {"X": [[1.0, 2.0, 1.0], [1.0, 1.0]]},
        {"X": [[1.0, 1.0, NAN], [1.0, 2.0, 1.0]]},
        {"X": [[1.0, 1.0, 2.0]]},
        {"X": [[1.0], [1.0]]},
        {"X": [[1.0], [1.0]], "weights": [[0.0], [1.0], [2.0]]},  # nothing but the constant 1
        {"X": [[], []]},
        {"X": [], "y": []},
        {"y": [1, 0]},
        {"y": [1.0, -1.0]},
        {"y": [True, True]},
        {"y": [[1], [-1]]},
        {"weights": [[0.0, 0.0, 0.0]]},
        {"weights": [[0.0, 0.0, 0.0]] * 5},
        {"weights": [[0.0, 0.0, INF]] * 3},
        {"weights": [0.0, 1.0, 2.0]},
        {"order": [1, 2]},
        {"order": [1, -1]},
        {"order": [0.5, 1.0]},
        {"order": [1]},
        {"order": [[1], [0]]},
        {"order": [True, False]},
        {"order": 1, "used": 0, "score": 0, "prediction": 1, "label": 1, "mistake": True},
        {"used": [1, 0]},
        {"used": [1, 1]},
        {"used": [0, 2]},
        {"used": [0, 3]},
        {"score": [NAN, 0.0]},
        {"score": [None, 0.0]},
        {"score": [True, False]},
        {"prediction": [1, 7]},
        {"label": [2, 1]},
        {"mistake": [1, 1]},
        {"mistake": ["false", "false"]},
        {"mistake": [True]},
    ],
    ids=str,
)
def test_an_inconsistent_trace_is_refused(change):
    read = json.loads(RUN.to_json())
    assert Trace.from_json(json.dumps(read)).to_json() == RUN.to_json()
    refused(json.dumps(read | change))


def test_numbers_too_large_for_a_float_are_refused():
    refused(RUN.to_json().replace('"eta": 1.0', '"eta": 1e999'))
    refused(RUN.to_json().replace('"score": [0.0', '"score": [1e999'))


# Words.

NUMBER = r"−?[\d.]+(?:e[+−]\d+)?"
NOW = re.compile(
    rf"Now w·x = (?P<old>{NUMBER}) \+ η y ‖x‖² = (?P=old) \+ "
    rf"(?P<eta>{NUMBER})·\((?P<y>[+−]1)\)·(?P<sq>{NUMBER}) = (?P<new>{NUMBER}), "
    r"(prediction [+−]?[01]|a tie, wrong for both labels): (?P<verdict>.*)\."
)


def number(text):
    return float(text.replace("−", "-"))


ROUNDED = re.compile(r" in floating point \([^)]* of the numbers as printed\)")
"""The remark on a score whose sign rounding decided."""


@examples
@given(seed=seeds, name=names, eta=rates)
def test_L0_2_after_a_mistake_the_score_is_the_old_one_and_eta_times_the_square(seed, name, eta):
    run = recorded(seed, name, eta)
    corrections = 0
    for t, step in enumerate(run):
        x, y = run.X[step.row], int(run.y[step.row])
        moved = step.after - step.before
        now = NOW.search(ROUNDED.sub("", run.explain(t)))
        along = moved.any() and np.allclose(moved, run.eta * y * x, rtol=1e-9, atol=1e-12)
        assert bool(now) == along
        if now is None:
            continue
        corrections += 1
        old, new = number(now["old"]), number(now["new"])
        by = number(now["eta"]) * number(now["y"]) * number(now["sq"])
        assert new == pytest.approx(old + by, rel=1e-5, abs=2e-5 * abs(by))
        assert (old, by) == pytest.approx((step.score, run.eta * y * float(x @ x)), rel=1e-5)
        assert new == pytest.approx(float(step.after @ x), rel=1e-5, abs=1e-9)
        assert (now["verdict"] == "right") == (y * new > 0 or (new == 0 and run.tie == y))
    if name in ("origin", "online", "perceptron", "augmented", "voted", "correction", "sample"):
        assert corrections == sum(run.X[step.row].any() for step in run if step.mistake)


def test_L0_2_by_hand():
    run = textbook.origin_perceptron([[3.0, -4.0], [1.0, 2.0]], [1, 1], eta=0.5)
    assert run.explain(0).splitlines() == [
        "Step 0, row 0: x = (3, −4), y = +1.",
        "w·x = 0·3 + 0·(−4) = 0, prediction −1: a mistake.",
        "w ← w + η y x = (0, 0) + 0.5·(+1)·(3, −4) = (1.5, −2).",
        "Now w·x = 0 + η y ‖x‖² = 0 + 0.5·(+1)·25 = 12.5, prediction +1: right.",
    ]
    assert run.explain(1).splitlines() == [
        "Step 1, row 1: x = (1, 2), y = +1.",
        "w·x = 1.5·1 + (−2)·2 = −2.5, prediction −1: a mistake.",
        "w ← w + η y x = (1.5, −2) + 0.5·(+1)·(1, 2) = (2, −1).",
        "Now w·x = −2.5 + η y ‖x‖² = −2.5 + 0.5·(+1)·5 = 0,"
        " prediction −1: still wrong, but closer.",
    ]
    assert run.explain(-1) == run.explain(1)
    for t in (2, -3):
        with pytest.raises(IndexError, match="the run has 2 steps"):
            run.explain(t)
    assert run.explain() == f"{run.explain(0)}\n\n{run.explain(1)}"
    assert repr(run) == "<Trace of origin_perceptron: 2 rows, 2 steps, 2 mistakes, not converged>"
    one = textbook.origin_perceptron([[1.0]], [1])
    assert repr(one) == "<Trace of origin_perceptron: 1 row, 1 step, 1 mistake, converged>"
    with pytest.raises(IndexError, match="the run has 1 step, got step 1"):
        one[1]


@pytest.mark.parametrize("steps", [12, 13, 1007])
def test_a_long_run_is_explained_by_its_first_and_last_steps(steps):
    signs = np.resize([1, -1], steps)
    run = textbook.perceptron(signs[:, None], signs, max_epochs=1)
    parts = run.explain().split("\n\n")
    assert len(run) == steps
    if steps == 12:
        assert parts == [run.explain(t) for t in range(12)]
    else:
        assert parts[:10] == [run.explain(t) for t in range(10)]
        assert parts[10:] == [
            f"… {steps - 11:,} steps: run.explain(t) explains step t …",
            run.explain(steps - 1),
        ]


@examples
@given(seed=seeds, name=names, eta=rates)
def test_the_sum_of_products_is_the_score(seed, name, eta):
    run = recorded(seed, name, eta)
    for t, step in enumerate(run):
        line = ROUNDED.sub("", run.explain(t).splitlines()[1])
        assert line.startswith("w·x = ")
        if run.X.shape[1] <= 6:
            products, score = re.split(", (?:pred|a tie)", line[len("w·x = ") :])[0].split(" = ")
            factors = re.findall(rf"\(?({NUMBER})\)?·\(?({NUMBER})\)?", products)
            assert len(factors) == run.X.shape[1]
            total = sum(number(a) * number(b) for a, b in factors)
            size = sum(abs(number(a) * number(b)) for a, b in factors)
            # six digits of each factor and of the score: each is off by 5e-6 of itself at most
            assert total == pytest.approx(number(score), abs=1.5001e-5 * (size + 1e-9))
            assert number(score) == pytest.approx(step.score, rel=1e-5)
        assert ("a mistake" in line) == step.mistake
        unchanged = np.array_equal(step.before, step.after)
        assert ("w is unchanged" in line) == (unchanged and not step.mistake)


def test_long_vectors_are_shortened_in_the_middle():
    run = textbook.origin_perceptron([np.arange(1.0, 9.0)], [1])
    text = run.explain(0)
    assert "x = (1, 2, 3, 4, 5, …, 8)" in text
    assert "w·x = 0·1 + 0·2 + 0·3 + 0·4 + 0·5 + … + 0·8 = 0" in text
    assert "·204 = 204" in text
    assert "…" not in textbook.origin_perceptron([np.arange(6.0)], [1]).explain(0)


def test_explanations_name_the_notebooks_classes_0_and_1():
    run = textbook.sample_correction([[0.0], [1.0]], [0, 1], start=[1.0, -2.0])
    first, second = (run.explain(t) for t in range(2))
    assert "= 1, prediction 1: a mistake" in first
    assert "1·(−1)·1 = 0, a tie, wrong for both labels: still wrong, but closer" in first
    assert "= −2, prediction 0: a mistake" in second
    assert "1·(+1)·2 = 0, a tie, wrong for both labels" in second


def test_a_tie_is_explained_as_wrong_for_both_labels():
    run = textbook.online_perceptron([[1.0], [2.0]], [1, -1], tie=0)
    assert "= 0, a tie, wrong for both labels: a mistake" in run.explain(0)
    assert "prediction +1: right" in run.explain(0)


def test_a_row_of_zeros_changes_nothing():
    run = textbook.origin_perceptron([[0.0], [0.0]], [-1, 1])
    assert run.explain(0).endswith("prediction −1: right, w is unchanged.")
    assert run.explain(1).endswith("prediction −1: a mistake.")


def test_an_update_not_along_the_row_is_explained_by_both_vectors():
    run = textbook.batch_descent([[0.0], [1.0], [3.0]], [0, 0, 1])
    assert run.explain(0).endswith("a tie, wrong for both labels: a mistake.")
    assert run.explain(2).endswith("a mistake.\nw changes from (0, 0) to (−1, 2).")
    assert run.explain(5).endswith("prediction +1: right.\nw changes from (−1, 2) to (−2, 1).")


# Counting.


@examples
@given(seed=seeds, name=names, eta=rates)
def test_errors_and_pocket_are_a_count_of_every_row(seed, name, eta):
    run = recorded(seed, name, eta)
    errors = []
    for w in run.weights.tolist():
        wrong = 0
        for x, label in zip(run.X.tolist(), run.y.tolist(), strict=True):
            score = 0.0
            for a, b in zip(w, x, strict=True):
                score += a * b
            wrong += (run.tie if score == 0.0 else 1 if score > 0.0 else -1) != label
        errors.append(wrong)
    assert run.errors.tolist() == errors
    assert run.pocket == errors.index(min(errors))
    assert run.converged == (errors[-1] == 0) or (name, run.converged) == ("correction", False)


@examples
@given(seed=seeds, name=names, eta=rates)
def test_lines_and_points_score_as_the_run_did(seed, name, eta):
    run = recorded(seed, name, eta)
    X = some_rows(seed)[0]
    if name != "kernel" and seed % 2 == 0:
        np.testing.assert_array_equal(run.points, X)
    assert run.points.shape[1] == run.X.shape[1] - (run.offset is not None)
    for t, step in enumerate(run):
        w, b = run.line(int(run.used[t]))
        assert w.shape == run.points.shape[1:]
        assert float(run.points[step.row] @ w + b) == pytest.approx(step.score, abs=1e-9)
    w, b = run.line(-1)
    assert (w.tolist(), b) == (run.w.tolist(), run.b)
    with pytest.raises(IndexError):
        run.line(len(run.weights))


@examples
@given(seed=seeds, name=st.sampled_from(sorted(RUNS)))
def test_L3_3_broken_rows_predictions_slices_and_the_table(seed, name):
    X, y = some_rows(seed)
    run = RUNS[name](X, y, 0.5)
    for t in range(len(run)):
        before, after = (run.X @ w for w in (run[t].before, run[t].after))
        signs = [np.where(s > 0, 1, np.where(s < 0, -1, run.tie)) for s in (before, after)]
        right, then = signs[0] == run.y, signs[1] == run.y
        assert run.broken(t).tolist() == np.flatnonzero(right & ~then).tolist()
    for part in (slice(1, 3), slice(-2, None), slice(None, None, 2)):
        rows = [step.row for step in run[part]]
        assert rows == run.order[part].tolist()
    predicted = run.predict(run.points)
    assert set(predicted.tolist()) <= ({0, 1} if (run.label == 0).any() else {-1, 0, 1})
    low = 0 if (run.label == 0).any() else -1
    assert int((predicted != np.where(run.y > 0, 1, low)).sum()) <= run.errors[-1]
    lines = run.table().splitlines()
    assert len(lines) == 1 + min(len(run), MAX_ROWS)
    assert lines[-1].split()[:2] == [str(len(run) - 1), str(run.order[-1])]
    with pytest.raises(ValueError, match="a row of X must have shape"):
        run.predict(np.zeros((1, len(run.w) + 1)))
    steps = "1 step" if len(run) == 1 else f"{len(run)} steps"
    with pytest.raises(IndexError, match=f"the run has {steps}, got step {len(run)}$"):
        run.broken(len(run))


def test_an_explanation_says_where_rounding_decided_the_sign():
    """0.1·0.4 − 0.4·0.1 is 1.4e-17 in floats, and 0 of the numbers that are printed."""
    rows = [[0.1, 0.1], [0.2, 0.3], [0.4, 0.1]]
    text = str(textbook.perceptron(rows, [1, -1, 1], max_epochs=2).explain())
    (line,) = [line for line in text.splitlines() if "in floating point" in line]
    assert "= 1.38778e−17 in floating point (0 of the numbers as printed), " in line
    whole = textbook.perceptron(np.array(rows) * 10, [1, -1, 1], max_epochs=2).explain()
    assert "in floating point" not in str(whole)
