"""Grids: their combinations, and what cannot be tried."""

import numpy as np
import pytest

from rosenblatt.learning.tuning.grid import (
    MAX_CANDIDATES,
    RATES,
    Candidate,
    Grid,
    columns_differ,
    default_metric,
)
from rosenblatt.rules import NAMES
from rosenblatt.streams.core.batch import csr


def test_the_default_tries_a_few_rules_and_of_log_loss_those_with_probabilities():
    every = {one.rule for one in Grid().candidates("error", differ=False)}
    assert every == set(RATES) <= set(NAMES)
    rates = {name: len(values) or 1 for name, values in RATES.items()}
    tried = 2 * sum(rates.values()) - 1  # auto has no average
    assert len(Grid().candidates("error", differ=False)) == tried
    assert len(Grid().candidates("error", differ=True)) == 2 * tried
    for metric in ("log_loss", "brier", "ece"):
        some = {one.rule for one in Grid().candidates(metric, differ=False)}
        assert some == {"auto", "logistic", "adagrad_logistic", "kt", "scinol"}
        calibrated = Grid(probabilities=True).candidates(metric, differ=False)
        assert {one.rule for one in calibrated} == every
    averaged = {one.rule for one in Grid(outputs=("average",)).candidates("error", differ=False)}
    assert averaged == every - {"auto"}
    Grid().check("auc")
    Grid(("pa1", "arow"), probabilities=True).check("log_loss")


def test_lists_are_combined_and_a_repeated_value_counts_once():
    grid = Grid(("pa1", "kt", "pa1"), (1.0, 0.5, 1.0), (True,), ("average",))
    assert grid.candidates("error", differ=False, interactions=True) == [
        Candidate("pa1", 1.0, True, "average", True),
        Candidate("pa1", 0.5, True, "average", True),
        Candidate("kt", None, True, "average", True),
    ]


def test_a_candidate_has_the_arguments_of_its_parameters():
    one = Candidate("arow", 1e-05, True)
    assert one.arguments == ["--rule", "arow", "--eta0", "1e-05", "--scale"]
    assert one.parameters == {"rule": "arow", "eta0": 1e-05, "scale": True, "output": "last"}
    assert Candidate("kt").parameters == {"rule": "kt", "scale": False, "output": "last"}


@pytest.mark.parametrize(
    ("grid", "metric", "says"),
    [
        (Grid(("bogus",)), "error", "rules must be one of"),
        (Grid(("minover",)), "error", "rules has 'minover', which chooses its row"),
        (Grid(()), "error", "rules must have at least one name"),
        (Grid(("pa1", "arow")), "log_loss", "is of probabilities, and pa1, arow give none"),
        (Grid(("auto", "kt"), outputs=("average",)), "error", "average does not go with auto"),
        (Grid(("kt", "cw"), (1.0,)), "error", "eta0 has no effect on kt, cw"),
        (Grid(("kt",), None, (False,), ("last",)), "error", "there is one candidate"),
        (Grid(NAMES[:5], tuple(range(1, MAX_CANDIDATES))), "error", "candidates are too many"),
    ],
)
def test_grids_that_cannot_be_tried_are_refused(grid, metric, says):
    with pytest.raises(ValueError, match=says):
        grid.check(metric)


def test_a_grid_is_refused_for_one_candidate_only_if_it_stays_one():
    Grid(("kt",), outputs=("last",)).check("error")  # scaling is tried where the columns differ


def test_the_metric_follows_the_rules():
    assert default_metric(("kt", "scinol")) == "log_loss"
    assert default_metric(("kt", "perceptron")) == "error"


@pytest.mark.parametrize(
    ("X", "differ"),
    [
        ([[1, 0], [0, 1]], False),
        ([[1, 0], [0, 3]], True),
        ([[1, -1], [-1, 1]], False),
        ([[5, 5.5], [6, 5]], True),  # a mean far from 0
        ([[1, 0], [1, 0]], False),  # constant columns
    ],
)
def test_columns_differ_in_size_or_dense_ones_in_their_means(X, differ):
    X = np.array(X, float)
    assert columns_differ(X) == differ
    entries = X != 0
    rows = csr(X[entries], np.nonzero(X)[1].astype(np.int32), np.r_[0, entries.sum(1).cumsum()], 2)
    assert columns_differ(rows) == (differ and X[0, 0] == 1)


def test_only_the_first_rows_are_measured():
    X = np.vstack([np.tile([[1.0, 1.0], [-1.0, -1.0]], (500, 1)), [[1.0, 900.0]]])
    assert not columns_differ(X)
