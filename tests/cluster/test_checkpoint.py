"""A checkpoint knows its fit: other rows, other shards and other ways to read them are refused."""

import copy

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from cluster_bits import assert_same_bits
from joblib import Parallel
from range_server import range_server

from rosenblatt.cluster.checkpoint import ResumeError, read_checkpoint
from rosenblatt.dask import DaskPerceptron
from rosenblatt.estimators.models import load_estimator
from rosenblatt.learning.models.files import ModelError, describe, save

FIXED = {"tol": None, "shuffle": False}


def write_table(path, X, y):
    rows = (
        ",".join(f"{value:.3f}" for value in x) + f",{label}\n"
        for x, label in zip(X, y, strict=True)
    )
    path.write_text("a,b,other,kind\n" + "".join(rows))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[:, 2] = X[:, 0] > 0
    return X, (X[:, 1] > 0).astype(int)


@pytest.fixture
def tables(tmp_path, rows):
    """Two tables, and a checkpoint of two epochs over them."""
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, part in zip(paths, (slice(0, 30), slice(30, 60)), strict=True):
        write_table(path, *(array[part] for array in rows))
    return paths


@pytest.fixture
def saved(client, tables, tmp_path):
    path = tmp_path / "fit.checkpoint"
    DaskPerceptron(max_iter=2, **FIXED).fit(tables, target="kind", checkpoint=path)
    return path


def fit_held_out(tables, path):
    model = DaskPerceptron(max_iter=1, holdout=0.2, **FIXED)
    model.fit(tables, target="kind", checkpoint=path, client=Parallel(n_jobs=1))


@pytest.fixture
def kept(tables, tmp_path):
    """The model of a checkpoint with rows held out, and its notes."""
    path = tmp_path / "kept.checkpoint"
    fit_held_out(tables, path)
    return load_estimator(path), describe(path)["notes"]


def test_the_same_rows_resume_with_other_options_that_change_nothing(client, tables, saved):
    model = DaskPerceptron(max_iter=4, verbose=0, **FIXED)
    model.fit(tables, target="kind", quotes=None, batch_bytes=100, checkpoint=saved)
    assert_same_bits(model, DaskPerceptron(max_iter=4, **FIXED).fit(tables, target="kind"))


def test_another_fit_is_refused_before_its_rows_are_read(client, tables, saved):
    content = saved.read_bytes()
    a, b = tables
    b.write_text(b.read_text() + "1,2,no number,1\n")  # an error, if it were read
    for sources, params, reading, problem in (
        (
            [a, b],
            {"rule": "logistic"},
            {},
            "made with rule='perceptron', this fit has rule='logistic'",
        ),
        (
            [a, b],
            {"mixing": "errors"},
            {},
            "made with mixing='uniform', this fit has mixing='errors'",
        ),
        ([a, b], {}, {"target": "other"}, "made with target='kind', this fit has target='other'"),
        (
            [a, b],
            {},
            {"schema": {"b": "skip"}},
            r"schema={'b': 'n\w+'}, this fit has schema={'b': 'skip'}",
        ),
        ([a, b], {}, {"bits": 8}, "made with bits=None, this fit has bits=8"),
        ([a, b], {"shards": 3}, {}, "the checkpoint was made with 2 shards, this fit has 3\\."),
        ([a, a], {}, {}, r"whose shard 2 is \S+b\.csv, not \S+a\.csv"),
        ([a, b], {}, {}, r"whose shard \S+b\.csv had [\d,]+ bytes, not"),
    ):
        model = DaskPerceptron(max_iter=4, **FIXED | params)
        with pytest.raises(ResumeError, match=problem) as caught:
            model.fit(sources, **{"target": "kind"} | reading, checkpoint=saved)
        assert "delete the file" in str(caught.value)
    assert saved.read_bytes() == content


def test_other_values_in_as_many_bytes_are_refused(client, tables, saved):
    text = tables[1].read_text()
    digit = text.index(".", len(text) // 2) + 1
    tables[1].write_text(text[:digit] + str(9 - int(text[digit])) + text[digit + 1 :])
    model = DaskPerceptron(max_iter=4, **FIXED)
    with pytest.raises(ResumeError, match=r"whose shard \S+b\.csv had other rows"):
        model.fit(tables, target="kind", checkpoint=saved)


def test_files_that_are_read_once_are_compared_by_their_sizes(client, tables, tmp_path):
    options = {"classes": [0, 1], "target": "kind", "checkpoint": tmp_path / "fit.checkpoint"}
    model = DaskPerceptron(max_iter=1, **FIXED).fit(tables, **options)
    assert DaskPerceptron(max_iter=2, **FIXED).fit(tables, **options).t_ == 2 * model.t_ - 1
    tables[0].write_text(tables[0].read_text() + "1,2,0,1\n")
    with pytest.raises(ResumeError, match=r"a\.csv had [\d,]+ bytes"):
        DaskPerceptron(max_iter=3, **FIXED).fit(tables, **options)


def test_another_file_within_a_shard_is_named(tables, tmp_path):
    (a, b), here = tables, {"client": Parallel(n_jobs=1), "target": "kind"}
    other, path = tmp_path / "c.csv", tmp_path / "fit.checkpoint"
    other.write_text(b.read_text())
    DaskPerceptron(shards=1, max_iter=1, **FIXED).fit([a, b, a], checkpoint=path, **here)
    with pytest.raises(ResumeError, match=r"whose shard 1 has \S+b\.csv, not \S+c\.csv"):
        DaskPerceptron(shards=1, max_iter=2, **FIXED).fit([a, other, a], checkpoint=path, **here)


def test_a_url_with_other_bytes_of_the_same_number_is_named(tables, tmp_path):
    here = {"client": Parallel(n_jobs=1), "target": "kind", "classes": [0, 1]}
    path = tmp_path / "fit.checkpoint"
    with range_server(tmp_path) as web:
        urls = [f"{web.url}/{name}.csv?signature=5ecret" for name in "ab"]
        DaskPerceptron(max_iter=1, **FIXED).fit(urls, checkpoint=path, **here)
        DaskPerceptron(max_iter=2, **FIXED).fit(urls, checkpoint=path, **here)
        tables[1].write_text(tables[1].read_text()[::-1])
        problem = r"of another version of http\S+/b\.csv\?…: the file has changed since then"
        with pytest.raises(ResumeError, match=problem):
            DaskPerceptron(max_iter=3, **FIXED).fit(urls, checkpoint=path, **here)
    assert b"5ecret" not in path.read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"digests": [[], [30, 7]]},
        {"digests": [[30, 7]]},
        {"digests": [["30", 7], [30, 7]]},
        {"seeds": [1, 2, 3]},
        {"parts": [["a.csv"]]},
        {"best": ["0x1p+0", "0x1p+0"]},
        {"best": ["low"]},
        {"best": ["0x1p+9999"]},
        {"stalled": [1 << 70]},
        {"versions": {"s3://lake/a.csv": 9}},
        {"versions": {"s3://lake/a.csv": [9]}},
        {"versions": {"s3://lake/a.csv": [9, 5]}},
        {"versions": {"s3://lake/a.csv": ["9", "v1"]}},
        {"held_out": None},
        {"held_out": ["3"]},
        {"held_out_rows": "9"},
    ],
)
def test_a_note_that_does_not_fit_together_is_refused(kept, tmp_path, change):
    model, notes = kept
    path = str(tmp_path / "fit.checkpoint")
    save(model, path, notes=notes)
    assert read_checkpoint(path) is not None
    save(model, path, notes=notes | {"cluster": notes["cluster"] | change})
    with pytest.raises(ModelError, match="is a model, but no checkpoint of a fit on a cluster"):
        read_checkpoint(path)


def test_a_checkpoint_without_its_epochs_or_shards_is_refused(kept, tables, tmp_path):
    model, notes = copy.copy(kept[0]), kept[1]
    path = tmp_path / "fit.checkpoint"
    note = notes["cluster"] | {"shards": ["a.csv"], "parts": [], "bytes": [], "digests": None}
    save(model, path, notes=notes | {"cluster": note})
    with pytest.raises(ResumeError, match="made with 1 shard, this fit has 2"):
        fit_held_out(tables, path)
    del model.history_
    save(model, path, notes=notes)
    with pytest.raises(ModelError, match="it has no epochs of its fit"):
        read_checkpoint(str(path))


def test_other_arrays_and_batches_are_refused(client, rows, tmp_path):
    X, y = rows
    path = tmp_path / "fit.checkpoint"

    def fit(X, y, epochs):
        return DaskPerceptron(max_iter=epochs, shards=2, **FIXED).fit(X, y, checkpoint=path)

    fit(da.from_array(X), da.from_array(y), 1)
    fit(da.from_array(X), da.from_array(y), 2)
    with pytest.raises(ResumeError, match="whose shard block 0 had other rows"):
        fit(da.from_array(X[::-1]), da.from_array(y[::-1]), 3)
    with pytest.raises(ResumeError, match="whose shard block 0 had 30 rows, not 29"):
        fit(da.from_array(X[:58]), da.from_array(y[:58]), 3)
    path.unlink()
    make = dask.delayed(lambda X, y: (X, y))
    fit([make(X[:30], y[:30]), make(X[30:], y[30:])], None, 1)
    with pytest.raises(ResumeError, match="whose shard batch 1 had other rows"):
        fit([make(X[:30], y[:30]), make(2 * X[30:], y[30:])], None, 2)


def test_other_columns_and_types_are_refused_and_digests_are_kept(client, rows, tmp_path):
    X, y = rows
    table = dd.from_pandas(pd.DataFrame(X, columns=["a", "b", "c"]), npartitions=2)
    labels = dd.from_pandas(pd.Series(y), npartitions=2)
    path = tmp_path / "frame.checkpoint"
    DaskPerceptron(max_iter=2, **FIXED).fit(table, labels, checkpoint=path)
    with pytest.raises(ResumeError, match="of other columns, or in another order"):
        DaskPerceptron(max_iter=3, **FIXED).fit(table[["c", "a", "b"]], labels, checkpoint=path)
    with pytest.raises(ResumeError, match="of rows of type float64, not float32"):
        DaskPerceptron(max_iter=3, **FIXED).fit(table.astype("f4"), labels, checkpoint=path)
    path = tmp_path / "batches.checkpoint"
    DaskPerceptron(max_iter=2, **FIXED).fit([dask.delayed((X, y))], checkpoint=path)
    known = {"classes": [0, 1], "n_features": 3}
    DaskPerceptron(max_iter=3, **FIXED).fit([dask.delayed((X, y))], checkpoint=path, **known)
    with pytest.raises(ResumeError, match="whose shard batch 0 had other rows"):
        DaskPerceptron(max_iter=4, **FIXED).fit([dask.delayed((-X, y))], checkpoint=path)


def test_a_fit_with_a_generator_resumes_with_its_seeds(client, rows, tmp_path):
    X, y = (da.from_array(array, chunks=30) for array in rows)
    path = tmp_path / "fit.checkpoint"

    def model(epochs):
        return DaskPerceptron(max_iter=epochs, tol=None, random_state=np.random.RandomState(3))

    model(2).fit(X, y, checkpoint=path)
    assert_same_bits(model(4).fit(X, y, checkpoint=path), model(4).fit(X, y))
