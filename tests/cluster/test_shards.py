"""Files on a cluster: columns that agree, options of the fit, labels, and what is missing."""

import gzip
import json

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest
from cluster_bits import assert_same_bits

from rosenblatt.dask import DaskPerceptron
from rosenblatt.streams import DataError, open_stream

REVERSED = ["c", "b", "a", "kind"]


def write(table, path):
    """Write a table as the format of the path's suffix."""
    if path.suffix == ".parquet":
        table.to_parquet(path, index=False)
    else:
        table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("params", [{"max_iter": 2}, {"max_iter": 1, "shuffle": False}], ids=str)
def test_files_with_other_columns_are_not_learned_together(client, table, tmp_path, suffix, params):
    first = write(table, tmp_path / f"t-0.{suffix}")
    other = write(table[REVERSED], tmp_path / f"t-1.{suffix}")
    expected = rf"t-1.{suffix}: has the columns c, b, a, but .*t-0.{suffix} has a, b, c: read them"
    for names in ([first, other], str(tmp_path / "t-*")):
        with pytest.raises(DataError, match=expected):
            DaskPerceptron(**params).fit(names, target="kind")


def test_files_of_two_formats_are_not_learned_together(client, table, tmp_path):
    names = [write(table, tmp_path / f"t.{suffix}") for suffix in ("csv", "parquet")]
    with pytest.raises(DataError, match=r"t\.parquet: is parquet, but .*t\.csv is csv"):
        DaskPerceptron(max_iter=1).fit(names)


@pytest.fixture
def fitted(client, table, tmp_path):
    """A model of a table in a file, and the file."""
    path = write(table, tmp_path / "fit.csv")
    return DaskPerceptron(max_iter=3, shards=2, tol=None).fit(path, target="kind"), path


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_new_files_with_other_columns_are_refused(fitted, table, tmp_path, suffix):
    model, _ = fitted
    other = write(table[REVERSED], tmp_path / f"new.{suffix}")
    expected = r"new\..*: has the columns c, b, a, but the fit has a, b, c: give files with"
    with pytest.raises(DataError, match=expected):
        model.score(other)
    for predictions in (model.predict(other), model.decision_function(other)):
        with pytest.raises(DataError, match=expected):
            dask.compute(*predictions)
    renamed = write(table.rename(columns={"b": "beta"}), tmp_path / f"renamed.{suffix}")
    with pytest.raises(DataError, match="no column 'b'"):
        model.score(renamed)


def test_files_after_a_fit_of_a_frame_have_its_columns(client, table, tmp_path):
    frame = dd.from_pandas(table, npartitions=2)
    model = DaskPerceptron(max_iter=3, tol=None).fit(frame[["a", "b", "c"]], frame["kind"])
    share = model.score(write(table, tmp_path / "a.csv"))
    assert share == model.score(frame[["a", "b", "c"]], frame["kind"])
    with pytest.raises(DataError, match="has the columns c, b, a, but the fit has a, b, c"):
        model.score(write(table[REVERSED], tmp_path / "b.csv"))


def test_new_files_are_read_as_in_the_fit(client, table, tmp_path):
    words = table.assign(a=[f"word {a}" for a in table["a"]])
    names = [tmp_path / "a.csv", tmp_path / "b.csv"]
    words.to_csv(names[0], index=False, sep=";")
    words[REVERSED].assign(new=1).to_csv(names[1], index=False, sep=";")
    reading = {"target": "kind", "bits": 10, "separator": ";", "schema": {"b": "category"}}
    model = DaskPerceptron(max_iter=3, tol=None).fit(names[0], **reading)
    expected = model.to_local().score(*open_stream(names[0], **reading).read())
    assert model.score(names[0]) == expected
    assert model.score(names) == expected  # hashed columns have no order
    assert model.score(write(words, tmp_path / "c.parquet")) == expected
    with pytest.raises(ValueError, match=r"bits=12 contradicts the fit, .* with bits=10"):
        model.score(names[0], bits=12)
    with pytest.raises(ValueError, match=r"schema=.* contradicts the fit"):
        model.predict(names[0], schema={"b": "number"})


def test_labels_of_which_none_is_a_class_are_refused(fitted, table, tmp_path):
    model, path = fitted
    other = write(table.assign(country="at"), tmp_path / "new.csv")
    assert model.score(other) == model.score(path)
    with pytest.raises(ValueError, match="found 'at', but the classes are ham, spam"):
        model.score(other, target="country")
    numbers = write(table.assign(kind=1), tmp_path / "numbers.csv")
    with pytest.raises(ValueError, match="found 1, but the classes are ham, spam"):
        model.score(numbers)
    some = write(table.assign(kind=table["kind"].mask(table.index == 0, "egg")), path)
    assert model.score(some) < 1


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_predictions_need_no_labels(fitted, table, tmp_path, suffix):
    model, path = fitted
    X = table[["a", "b", "c"]]
    rows = write(X, tmp_path / f"rows.{suffix}")
    for name in (rows, path):
        (labels,) = dask.compute(*model.predict(name))
        (scores,) = dask.compute(*model.decision_function(name))
        np.testing.assert_array_equal(labels, model.to_local().predict(X))
        np.testing.assert_array_equal(scores, model.to_local().decision_function(X))


def test_predictions_of_text_need_no_labels(client, folder, tmp_path):
    model = DaskPerceptron(max_iter=1, tol=None).fit(str(folder / "*.svm"))
    text = (folder / "part-0.svm").read_text().splitlines()
    (tmp_path / "rows.svm").write_text("".join(line.partition(" ")[2] + "\n" for line in text))
    labels, expected = dask.compute(
        model.predict(tmp_path / "rows.svm"), model.predict(folder / "part-0.svm")
    )
    np.testing.assert_array_equal(labels[0], expected[0])


def test_batches_have_scores(client, table):
    X, y = table[["a", "b", "c"]].to_numpy(float), table["kind"].to_numpy(str)
    batches = [dask.delayed((X[:20], y[:20])), dask.delayed((X[20:], y[20:]))]
    model = DaskPerceptron(max_iter=1, tol=None).fit(batches)
    scores = np.concatenate(dask.compute(*model.decision_function(batches)))
    np.testing.assert_array_equal(scores, model.to_local().decision_function(X))


def test_skipped_rows_are_counted(client, tmp_path):
    for k, bad in enumerate((2, 0, 1)):
        rows = [f"{i % 2} 1:{i}\n" for i in range(40)] + ["1 x\n"] * bad
        (tmp_path / f"{k}.svm").write_text("".join(rows))
    pattern, model = str(tmp_path / "*.svm"), DaskPerceptron(max_iter=2, tol=None)
    expected = r"skipped 3 rows that cannot be read: 2 in .*0\.svm, 1 in .*2\.svm\."
    with pytest.warns(UserWarning, match=expected) as caught:
        model.fit(pattern, on_bad_row="skip")
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert model.t_ == 2 * 120 + 1
    with pytest.warns(UserWarning, match=expected):
        model.score(pattern, on_bad_row="skip")
    with pytest.raises(DataError, match="svm:41"):
        model.score(pattern)
    model.fit(str(tmp_path / "1.svm"), on_bad_row="skip")  # no warning: none is skipped


def test_paths_begin_in_the_folder_of_the_client(client, folder, monkeypatch):
    monkeypatch.chdir(folder)
    model = DaskPerceptron(max_iter=1, tol=None).fit("part-*.svm")
    assert_same_bits(model, DaskPerceptron(max_iter=1, tol=None).fit(str(folder / "part-*.svm")))
    assert model.score("part-0.svm") == model.score(folder / "part-0.svm#bytes=0-1000000")


def test_files_that_a_worker_lacks_are_named_with_its_address(client, folder, tmp_path):
    addresses = "|".join(client.scheduler_info()["workers"])
    expected = rf"{tmp_path}/nope.* So it is on the worker ({addresses});"
    for name in ("nope.svm", "nope-*.svm"):
        with pytest.raises(DataError, match=expected):
            DaskPerceptron(max_iter=1).fit([folder / "part-0.svm", tmp_path / name])
    (empty := tmp_path / "empty.svm").touch()
    with pytest.raises(DataError, match=r"no rows in any of the files\.$"):
        DaskPerceptron(max_iter=1).fit([empty, empty])


def test_what_workers_cannot_read_is_refused(client, folder):
    model = DaskPerceptron(max_iter=1)
    with pytest.raises(ValueError, match="cannot read the standard input"):
        model.fit("-")
    with pytest.raises(TypeError, match=r"'tagret' is no option .*; did you mean 'target'\?"):
        model.fit(folder / "part-0.svm", tagret="kind")
    with pytest.raises(TypeError, match="bits: options of reading go with names of files"):
        model.fit(da.ones((4, 2)), da.ones(4), bits=3)


def test_a_compressed_file_is_one_shard_of_a_run(call, folder, tmp_path):
    path = tmp_path / "a.svm.gz"
    path.write_bytes(gzip.compress((folder / "part-0.svm").read_bytes()))
    train = ["train", path, "-m", tmp_path / "m", "--workers", 2, "--epochs", 1]
    status, out, err = call(*train, "--json")
    assert status == 0, err
    assert json.loads(out)["shards"] == 1
    status, _, err = call(*train, "--shards", 2)
    assert (status, "shards=2: 1 file cannot be cut" in err) == (1, True), err


def test_a_table_that_one_record_keeps_whole_is_one_shard_of_a_run(call, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,kind\n" + "1,ham\n" * 3 + '2,"' + "spam\n" * 50 + '"\n')
    train = ["train", path, "-m", tmp_path / "m", "--workers", 2, "--epochs", 1]
    status, out, err = call(*train, "--json")
    assert status == 0, err
    assert json.loads(out)["shards"] == 1
