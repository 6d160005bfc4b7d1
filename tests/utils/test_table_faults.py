"""Columns of tables that are no numbers are named, with row and remedy."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rosenblatt import Perceptron, certify

Y = [0, 1, 0, 1]
DATES = pd.date_range("2024-01-01", periods=4)
TABLES = [
    (pd.DataFrame({"a": range(4), "plan": ["1", "x", "y", "1"]}), "'plan' of X has 'x' in row 1:"),
    (pd.DataFrame({"plan": pd.Categorical(list("xyxy"))}), "get_dummies(X, columns=['plan'])"),
    (
        pd.DataFrame({"pay": [1, 2, np.nan, 4]}, index=list("abcd")),
        "'pay' has no number in row 2 (c)",
    ),
    (pd.DataFrame({"pay": pd.array([1, None, 3, 4], "Int64")}), "'pay' has no number in row 1:"),
    (pd.DataFrame({"since": DATES}), "column 'since' of X holds dates"),
    (
        pd.DataFrame({"a": 1.0, "since": DATES.tz_localize("UTC")}),
        "(X['since'] - X['since'].min()).dt",
    ),
    (pd.DataFrame({"since": DATES - DATES[0]}), "column 'since' of X holds dates"),
    (DATES.to_numpy().reshape(-1, 1), "X holds dates"),
    (pl.DataFrame({"since": DATES.to_numpy(), "plan": list("xyxy")}), "column 'since' of X holds"),
    (pl.DataFrame({"a": [1, 2, 3, 4], "plan": list("xyxy")}), "'plan' of X has 'x' in row 0:"),
    (pl.DataFrame({"plan": list("xyxy")}), "X.to_dummies('plan'), or drop"),
    (pl.DataFrame({"pay": [1, None, 3, 4]}), "X.fill_nan(None).fill_null(strategy='mean'), or"),
    (
        pl.DataFrame({"since": DATES.to_numpy()}),
        "(X['since'] - X['since'].min()).dt.total_days(), or",
    ),
]


@pytest.mark.parametrize(("table", "message"), TABLES)
@pytest.mark.parametrize("use", [certify, lambda X, y: Perceptron().fit(X, y)])
def test_the_column_the_row_and_the_remedy_are_named(table, message, use):
    with pytest.raises(ValueError, match=re.escape(message)):
        use(table, Y)


def test_the_remedies_for_polars_work():
    X = pl.DataFrame(
        {"pay": [1.0, None, float("nan"), 4], "plan": list("xyxy"), "since": DATES.to_numpy()}
    )
    X = X.with_columns((X["since"] - X["since"].min()).dt.total_days()).to_dummies("plan")
    certify(X.fill_nan(None).fill_null(strategy="mean"), Y)
    assert len(X.fill_nan(None).drop_nulls()) == 2


@pytest.mark.parametrize("use", [certify, lambda X, y: Perceptron().fit(X, y)])
def test_other_faults_keep_their_message(use):
    with pytest.raises(ValueError, match=r"numbers of samples|4 rows"):
        use(pd.DataFrame({"a": range(4)}), Y[:3])
    with pytest.raises(ValueError, match="infinity"):
        use(pd.DataFrame({"a": [1.0, 2.0, 3.0, np.inf]}), Y)


def test_a_number_beyond_floats_is_named_as_one():
    table = pd.DataFrame({"a": [10**400, 1, 2, 3]}, dtype=object)
    with pytest.raises(ValueError, match="has a whole number beyond float64: scale the numbers"):
        Perceptron().fit(table, Y)
