"""Recorded runs: explanations are right, counts agree, and w is a sum of rows."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import RUNS, recorded, seeds, some_rows

from rosenblatt import textbook
from rosenblatt.criteria import LeastSquares
from rosenblatt.cycling import find_cycle
from rosenblatt.theory.textbook import cycling as cycling_module
from rosenblatt.theory.textbook import lecture3
from rosenblatt.theory.textbook import step as step_module
from rosenblatt.theory.textbook.step import STEP_HEADS
from rosenblatt.utils.tables import MAX_ROWS, abridged, text_table

examples = thorough(60)
names = st.sampled_from(sorted(RUNS))
rates = st.sampled_from([1.0, 0.5, 0.3])


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


def test_tables_of_long_runs_format_no_row_that_they_do_not_show(monkeypatch):
    rows, labels = [[0.0], [1.0], [2.0]], [1, -1, 1]
    run = textbook.perceptron(rows, labels, max_epochs=50)
    votes = textbook.voted_perceptron(rows, labels, epochs=50)
    cycle = find_cycle(np.arange(30.0)[:, None], np.resize([1, -1], 30))
    whole = [[f"{t}", f"{step.row}", *step.cells()] for t, step in enumerate(run)]
    assert run.table() == text_table(["step", *STEP_HEADS], abridged(whole))
    formatted = []
    for module in (step_module, lecture3, cycling_module):
        monkeypatch.setattr(module, "format_vector", lambda w: formatted.append(w) or "w")
    assert min(len(run), votes.run.mistakes, len(cycle.rows)) > 2 * MAX_ROWS
    for shown in (run, votes, cycle):
        formatted.clear()
        page = shown._repr_html_()
        assert len(formatted) <= MAX_ROWS + 2
        assert page.count("<tr>") == 1 + MAX_ROWS


def test_an_explanation_says_where_rounding_decided_the_sign():
    """0.1·0.4 − 0.4·0.1 is 1.4e-17 in floats, and 0 of the numbers that are printed."""
    rows = [[0.1, 0.1], [0.2, 0.3], [0.4, 0.1]]
    text = str(textbook.perceptron(rows, [1, -1, 1], max_epochs=2).explain())
    (line,) = [line for line in text.splitlines() if "in floating point" in line]
    assert "= 1.38778e−17 in floating point (0 of the numbers as printed), " in line
    whole = textbook.perceptron(np.array(rows) * 10, [1, -1, 1], max_epochs=2).explain()
    assert "in floating point" not in str(whole)


# The dual form.


@examples
@given(seed=seeds, name=names, eta=rates)
def test_L2_6_the_last_vector_is_the_start_and_the_sum_of_alpha_times_the_rows(seed, name, eta):
    run = recorded(seed, name, eta)
    if name == "kernel":
        assert run.alpha.tolist() == run.w.tolist()
        return
    if name in ("batch", "squares"):  # their updates are no steps along one row
        return
    alpha = run.alpha
    total = run.weights[0] + alpha @ run.X
    np.testing.assert_allclose(run.weights[-1], total, rtol=0, atol=1e-9)
    for i, (sign, alpha_i) in enumerate(zip(run.y.tolist(), alpha.tolist(), strict=True)):
        assert alpha_i == run.eta * (sign * run.corrected.tolist().count(i))


def test_L2_6_alpha_of_several_rates_is_the_sum_of_the_steps():
    run = textbook.sample_correction(
        [[0.0], [1.0], [3.0]], [0, 0, 1], eps=lambda t: 1 / t, start=[0.0, 0.0]
    )
    assert run.rates is not None
    expected = np.zeros(3)
    for i, rate in zip(run.corrected, run.rates, strict=True):
        expected[i] += run.y[i] * rate
    assert run.alpha.tolist() == expected.tolist()
    np.testing.assert_allclose(run.alpha @ run.X, run.weights[-1], rtol=1e-12)


def test_updates_that_are_no_steps_along_a_row_have_no_alpha():
    rows = [[0.0], [1.0], [3.0]], [0, 0, 1]
    batch = textbook.batch_descent(*rows)
    squares = textbook.sample_descent(*rows, LeastSquares(), 0.1, max_epochs=2)
    for run in (batch, squares):
        with pytest.raises(ValueError, match=f"and those of {run.algorithm} are not"):
            run.alpha  # noqa: B018


def test_a_notebook_shows_a_step_as_its_row_of_the_table():
    run = textbook.augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    cells = re.findall("<td[^>]*>([^<]*)", run[0]._repr_html_())
    assert cells == ["1", "0", "+1", "−1", "mistake", "(−1, −2, −1)"]
    assert cells == re.findall("<td[^>]*>([^<]*)", run.table()._repr_html_())[1:7]


def test_steps_are_counted_from_both_ends():
    run = textbook.perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    assert repr(run[-len(run)]) == repr(run[0])
    for t in (len(run), -len(run) - 1):
        with pytest.raises(IndexError, match=f"the run has {len(run)} steps, got step {t}"):
            run[t]
