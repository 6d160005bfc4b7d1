"""Criteria against the number of rows used."""

import numpy as np
import pytest
from displays import drawn, words

from rosenblatt import textbook, toys
from rosenblatt.criteria import LeastSquares, Misclassified, PerceptronCriterion, Residual, values
from rosenblatt.plots import CriterionDisplay
from rosenblatt.plots.displays import criterion

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)


def test_L4_5_batch_and_single_sample_by_the_rows_they_looked_at():
    toy = toys.unit_square(30)
    runs = {
        "batch": textbook.batch_descent(toy.X, toy.y, LeastSquares(), 0.005, max_updates=7),
        "single": textbook.sample_descent(toy.X, toy.y, LeastSquares(), 0.01, max_epochs=5),
    }
    display = drawn(CriterionDisplay.from_traces(runs, LeastSquares()))
    batch, single = display.curves.values()
    assert batch.looks.tolist() == [0, 30, 60, 90, 120, 150, 180, 210, 240]
    assert single.looks[:4].tolist() == [0, 1, 2, 3]
    for run, curve in zip(runs.values(), display.curves.values(), strict=True):
        assert np.array_equal(curve.values[:-1], values(LeastSquares(), run))
        assert curve.looks[-1] == len(run)
    assert [line.get_xydata().tolist() for line in display.lines_] == [
        np.column_stack(curve).tolist() for curve in display.curves.values()
    ]
    assert display.ax_.get_ylabel() == "Least squares, J(w)"


@pytest.mark.parametrize(
    ("found", "scale"), [([5.0, 4.0], "linear"), ([500.0, 4.0], "log"), ([500.0, 4, 0], "symlog")]
)
def test_a_log_scale_for_values_over_decades(found, scale):
    curve = criterion.Curve(np.arange(len(found)), np.array(found))
    display = drawn(CriterionDisplay({"run": curve}, "Made up").plot())
    assert display.ax_.get_yscale() == scale


def test_L4_5_of_runs_that_end_at_zero_the_first_is_best():
    toy = toys.unit_square(30)
    runs = {
        "batch": textbook.batch_descent(toy.X, toy.y, max_updates=1000),
        "single": textbook.sample_descent(toy.X, toy.y, max_epochs=1000),
    }
    assert all(run.converged for run in runs.values())
    display = drawn(CriterionDisplay.from_traces(runs, PerceptronCriterion()))
    best = min(runs, key=lambda name: len(runs[name]))
    assert f"Smallest at the end: {best}" in words(display.figure_)


def test_one_run_alone_and_a_named_criterion():
    run = textbook.batch_descent(TOY.X, TOY.y, max_updates=4)
    criterion = Residual(np.abs, np.sign)
    display = drawn(CriterionDisplay.from_traces(run, criterion, name="Least absolute"))
    assert list(display.curves) == ["batch descent"]
    said = words(display.figure_)
    assert "Least absolute, J(w)" in said
    assert "Best" not in said
    found = display.curves["batch descent"].values
    assert f"J from {found[0]:.3g} to {found[-1]:.3g}" in said
    with pytest.raises(TypeError, match=r"runs must be a Trace, or a mapping .* got list"):
        CriterionDisplay.from_traces([run], criterion)
    with pytest.raises(TypeError, match=r"run must be a Trace.* got str"):
        CriterionDisplay.from_traces({"batch": "run"}, criterion)


def test_at_most_four_runs_are_drawn():
    run = textbook.batch_descent(TOY.X, TOY.y)
    for runs in ({}, dict.fromkeys("abcde", run)):
        with pytest.raises(ValueError, match=f"runs must be from 1 to 4, got {len(runs)}"):
            CriterionDisplay.from_traces(runs, Misclassified())
