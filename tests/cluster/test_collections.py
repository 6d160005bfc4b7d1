"""Frames and arrays as shards: partitions that belong together, and columns that are numbers."""

import warnings

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from cluster_bits import assert_same_bits
from profiles import share
from stream_rows import NEAREST

from rosenblatt import Perceptron
from rosenblatt.dask import DaskPerceptron
from rosenblatt.streams import DataError

FIXED = {"max_iter": 2, "tol": None}
PARTS = 4
IS_PANDAS_2 = pd.__version__.startswith("2.")


@pytest.fixture(scope="module")
def table():
    """Rows whose label depends on two of eight columns."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(4000, 8)), columns=list("abcdefgh"))
    return table.assign(kind=np.where(table.a > table.b, "ham", "spam"))


def rows_and_labels(frame):
    return frame.drop(columns="kind"), frame["kind"]


FRAMES = ["parquet", "csv", "memory"]


@pytest.fixture(params=FRAMES)
def frame(request, table, tmp_path):
    """The table as a Dask DataFrame of four partitions."""
    if request.param == "memory":
        return dd.from_pandas(table, npartitions=PARTS)
    for i, part in enumerate(np.array_split(np.arange(len(table)), PARTS)):
        path = tmp_path / f"part-{i}.{request.param}"
        rows = table.iloc[part]
        rows.to_csv(path, index=False) if request.param == "csv" else rows.to_parquet(path)
    exact = NEAREST if request.param == "csv" else {}
    return getattr(dd, f"read_{request.param}")(str(tmp_path / f"part-*.{request.param}"), **exact)


def test_columns_of_one_frame_are_read_together(client, frame, table):
    X, y = rows_and_labels(frame)
    here = Perceptron(shards=PARTS, max_iter=2, tol=None).fit(*rows_and_labels(table))
    for shards in (None, PARTS):
        model = DaskPerceptron(**FIXED, shards=shards).fit(X, y)
        assert_same_bits(model, here)
    assert model.score(X, y) == here.score(*rows_and_labels(table))
    weight = X["a"].abs()
    weighed = DaskPerceptron(**FIXED, shuffle=False).fit(X, y, sample_weight=weight)
    expected = Perceptron(shards=PARTS, max_iter=2, tol=None, shuffle=False)
    expected.fit(*rows_and_labels(table), sample_weight=table["a"].abs())
    assert_same_bits(weighed, expected)
    two = DaskPerceptron(**FIXED, output="average").fit(X[["a", "b"]], y)
    assert two.score(X[["a", "b"]], y) > 0.95


def test_frames_of_other_partitions_name_persist(client, table, tmp_path):
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
        for i, part in enumerate(np.array_split(np.arange(len(table)), PARTS)):
            table.iloc[part].to_parquet(tmp_path / name / f"{i}.parquet")
    left, right = (dd.read_parquet(tmp_path / name) for name in ("left", "right"))
    X, y = rows_and_labels(left)[0], right["kind"]
    assert len(X.to_delayed()) != len(y.to_delayed())
    if IS_PANDAS_2:  # Dask then reads two files at once of either, and loses persisted rows
        model = DaskPerceptron(**FIXED).fit(X, y)
        here = Perceptron(shards=2, max_iter=2, tol=None).fit(*rows_and_labels(table))
        assert_same_bits(model, here)
        return
    with pytest.raises(ValueError, match=r"partitions; they have 4, 2\. .* FRAME\.persist\(\)"):
        DaskPerceptron(**FIXED).fit(X, y)
    model = DaskPerceptron(**FIXED).fit(X.persist(), right.persist()["kind"])
    here = Perceptron(shards=PARTS, max_iter=2, tol=None).fit(*rows_and_labels(table))
    assert_same_bits(model, here)
    with pytest.raises(ValueError, match="same partitions; they have 4, 2"):
        DaskPerceptron(**FIXED).fit(X, y.repartition(npartitions=2))


@pytest.mark.parametrize(
    ("frame", "params"),
    [("parquet", {}), ("csv", {"shuffle": False}), ("memory", {"shards": 3})],
    indirect=["frame"],
    ids=str,
)
def test_labels_of_other_rows_are_refused(client, frame, params):
    X, y = rows_and_labels(frame)
    model = DaskPerceptron(**FIXED, **params)
    with pytest.raises(DataError, match=r"partition \d: the indexes of X and y differ"):
        model.fit(X, y.sample(frac=1.0, random_state=0))
    weight = X["a"].abs().sample(frac=1.0, random_state=0)
    with pytest.raises(DataError, match=r"partition \d: the indexes of X and sample_weight differ"):
        model.fit(X, y, sample_weight=weight)
    with pytest.raises(DataError, match=r"partition \d: the indexes of X and y differ"):
        model.fit(X, y).score(X, y.sample(frac=1.0, random_state=0))


@pytest.mark.parametrize("kind", ["text", "number"])
def test_partitions_without_rows_have_no_say(client, table, kind):
    table = table.assign(day=np.arange(len(table)) // 1000)
    if kind == "number":
        table = table.assign(kind=(table["kind"] == "ham").astype(int))
    frame = dd.from_pandas(table, npartitions=PARTS)
    X, y = rows_and_labels(frame[frame["day"] != 2].drop(columns="day"))
    model = DaskPerceptron(**FIXED, shuffle=False).fit(X, y)
    assert model.score(X, y) > 0.9
    mask = da.from_array((table["day"] != 2).to_numpy(), chunks=1000)
    rows = da.from_array(table[list("abcdefgh")].to_numpy(), chunks=(1000, 8))[mask]
    labels = da.from_array(table["kind"].to_numpy(str if kind == "text" else int), chunks=1000)[
        mask
    ]
    assert_same_bits(DaskPerceptron(**FIXED, shuffle=False).fit(rows, labels), model)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.Categorical([3, 1, 2, 1] * 10), "column 'x' of X is of type category: make it columns"),
        (["jp", "de"] * 20, "column 'x' of X is of type string: make it columns"),
        (pd.date_range("2024-01-01", periods=40), "column 'x' of X holds dates"),
    ],
    ids=["category", "text", "dates"],
)
def test_columns_that_are_no_numbers_are_refused_by_their_types(client, column, message):
    table = pd.DataFrame({"a": np.arange(40.0), "x": column, "kind": [0, 1] * 20})
    X, y = rows_and_labels(dd.from_pandas(table, npartitions=2))
    for shards in (None, 3):
        with pytest.raises(ValueError, match=message) as caught:
            DaskPerceptron(**FIXED, shards=shards).fit(X, y)
        assert not isinstance(caught.value, DataError)  # before any work


def test_missing_cells_are_named_with_their_column(client, table):
    table = table.assign(c=table["c"].mask(table["c"] > 3))
    X, y = rows_and_labels(dd.from_pandas(table, npartitions=PARTS))
    for shuffle in (True, False):
        with pytest.raises(DataError, match=r"partition \d: Input X contains NaN: column 'c'"):
            DaskPerceptron(**FIXED, shuffle=shuffle).fit(X, y)


@pytest.mark.parametrize("params", [{}, {"shuffle": False}, {"shards": 2}], ids=str)
def test_delayed_tables_keep_their_names(client, table, params):
    X, y = rows_and_labels(table)
    parts = np.array_split(np.arange(len(X)), PARTS)
    batches = [dask.delayed((X.iloc[part], y.iloc[part])) for part in parts]
    empty = dask.delayed((X[:0], y[:0]))
    model = DaskPerceptron(**FIXED, **params).fit([*batches, empty, empty])
    assert model.feature_names_in_.tolist() == list("abcdefgh")
    assert model.score(batches) > 0.9
    turned = dask.delayed((X.iloc[parts[0]][list("hgfedcba")], y.iloc[parts[0]]))
    with pytest.raises(ValueError, match=r"another order: .*a, b, c, d, e"):
        DaskPerceptron(**FIXED, **params).fit([turned, *batches[1:]])


@pytest.mark.parametrize("frame", share(FRAMES, 3, 1), indirect=True)
def test_scoring_a_frame_warns_of_no_names_and_needs_rows(client, frame):
    X, y = rows_and_labels(frame)
    model = DaskPerceptron(**FIXED).fit(X, y)
    client.run(warnings.simplefilter, "error")
    try:
        assert model.score(X, y) > 0.9
    finally:
        client.run(warnings.resetwarnings)
    with pytest.raises(ValueError, match="no rows to score"):
        model.score(X[X["a"] > 99], y[X["a"] > 99])


def test_labels_of_pandas_or_of_another_index_are_refused_however_rows_are_cut(client, table):
    shuffled = table.sample(frac=1, random_state=0)
    X = dd.from_pandas(rows_and_labels(shuffled)[0], npartitions=PARTS)  # sorted by the index
    model = DaskPerceptron(**FIXED).fit(X, dd.from_pandas(table["kind"], npartitions=PARTS))
    with pytest.raises(ValueError, match="a pandas object beside a Dask DataFrame"):
        DaskPerceptron(**FIXED).fit(X, shuffled["kind"])
    with pytest.raises(ValueError, match="a pandas object beside a Dask DataFrame"):
        model.score(X, shuffled["kind"])
    y = dd.from_pandas(shuffled["kind"], npartitions=PARTS, sort=False)
    weight = da.ones(len(table), chunks=len(table) // PARTS)
    for shards in (None, 3):
        with pytest.raises(DataError, match="indexes of X and y differ"):
            DaskPerceptron(**FIXED, shards=shards).fit(X, y, sample_weight=weight)


def test_delayed_tables_have_the_columns_of_the_fit(client, table):
    def batches(*orders):
        parts = np.array_split(np.arange(len(table)), len(orders))
        return [
            dask.delayed((table.iloc[part][list(order)], table.iloc[part]["kind"]))
            for part, order in zip(parts, orders, strict=True)
        ]

    known = {"classes": ["ham", "spam"], "n_features": 3}
    with pytest.raises(ValueError, match=r"other columns, or another order: a, b, c"):
        DaskPerceptron(**FIXED).fit(batches("abc", "cab"), **known)
    model = DaskPerceptron(**FIXED).fit(batches("abc", "abc"), **known)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.score(batches("abc")) > 0.9
    message = "must be those of the fit, in their order: a, b, c"
    with pytest.raises(DataError, match=message):
        model.score(batches("cab"))
    with pytest.raises(DataError, match=message):
        dask.compute(model.predict(batches("cab")))
