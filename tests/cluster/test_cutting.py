"""Files at URLs as shards: cut by ranges and row groups, each byte read once an epoch."""

import gzip
import json
import logging
import os
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cluster_bits import assert_same_weights
from pyarrow import parquet
from range_server import range_server
from s3_server import s3_bucket
from serving import Served

from rosenblatt import Perceptron, load, save
from rosenblatt.cluster.cutting import cut
from rosenblatt.cluster.sources import list_shards
from rosenblatt.dask import DaskPerceptron
from rosenblatt.estimators.models import load_estimator
from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.io import remote

ROWS = "".join(f"{k % 2} 1:{k} 2:{k / 7:.9f}\n" for k in range(30_000))
TABLE = "a,b,kind\n" + "".join(f"{k},{k / 3:.9f},{'xy'[k % 2]}\n" for k in range(30_000))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lake")
    (folder / "a.svm").write_text(ROWS)
    (folder / "a.csv").write_text(TABLE)
    quoted = [f'"line {k}\nof ""two"" lines",{k},{"ab"[k % 2]}\n' for k in range(2000)]
    (folder / "quoted.csv").write_text("text,x,kind\n" + "".join(quoted))
    (folder / "b.svm.gz").write_bytes(gzip.compress(ROWS.encode()))
    k = np.arange(30_000)
    columns = {"a": np.random.default_rng(0).normal(size=len(k)), "b": k / 7.0, "y": k % 2}
    parquet.write_table(pa.table(columns), folder / "a.parquet", row_group_size=5000)
    return folder


@pytest.fixture
def web(folder):
    with range_server(folder) as server:
        yield server


def first_column(shard):
    parts = [batch.X[:, [0]] for batch in shard.batches()]
    return [x for X in parts for x in (X.toarray() if hasattr(X, "indptr") else X)[:, 0].tolist()]


@pytest.mark.parametrize(("name", "shards"), [("a.svm", 2), ("a.svm", 5), ("a.csv", 3)])
def test_a_text_is_cut_by_ranges_and_read_once_an_epoch(web, folder, name, shards):
    listed = list_shards(f"{web.url}/{name}", shards, ReadOptions()).rows
    size = (folder / name).stat().st_size
    rows = [first_column(one) for one in listed]  # the first epoch reads the first lines, too
    (whole,) = list_shards(str(folder / name), 1, ReadOptions()).rows
    assert [*chain(*rows)] == first_column(whole)
    assert max(map(len, rows)) < 1.1 * min(map(len, rows))
    for _ in range(2):
        web.clear()
        for one in listed:
            assert sum(len(batch.y) for batch in one.batches()) > 0
        assert web.sent <= 1.02 * size
        assert len(web.asked) == shards


def test_a_columnar_file_is_cut_by_row_groups(web, folder):
    url = f"{web.url}/a.parquet"
    listed = list_shards(url, 3, ReadOptions()).rows
    assert [one.names[0].partition("#")[2] for one in listed] == [
        *("row_groups=0-2", "row_groups=2-4", "row_groups=4-6")
    ]
    rows = [first_column(one) for one in listed]
    assert [*chain(*rows)] == open_stream(folder / "a.parquet").read()[0][:, 0].tolist()
    web.clear()
    for one in listed:
        list(one.batches())
    assert web.sent <= 1.02 * (folder / "a.parquet").stat().st_size
    with pytest.raises(ValueError, match="shards=7: 1 file cannot be cut into so many shards"):
        cut([url], 7, "parquet")


def test_columnar_files_of_a_disk_are_cut_alike(folder):
    path = folder / "a.parquet"
    listed = list_shards([f"{path}#row_groups=1-6"], 5, ReadOptions()).rows
    assert [one.names for one in listed] == [
        (f"{path}#row_groups={k}-{k + 1}",) for k in range(1, 6)
    ]
    assert sum(map(len, map(first_column, listed))) == 25_000


def test_a_table_with_quotes_is_cut_between_records(web):
    options = ReadOptions(schema={"text": "skip"})
    listed = list_shards(f"{web.url}/quoted.csv", 3, options).rows
    assert [*chain(*map(first_column, listed))] == [*range(2000)]


def test_several_files_are_put_together_and_compressed_ones_stay_whole(web):
    names = [f"{web.url}/a.svm", f"{web.url}/b.svm.gz"]
    parts = cut(names, 3, "svmlight")
    assert sorted(one.partition("#")[0] for part in parts for one in part)[-1] == names[1]
    with pytest.raises(ValueError, match=r"b\.svm\.gz: compressed text is whole"):
        cut(names[1:], 2, "svmlight")


def test_a_server_without_ranges_is_said(web):
    web.has_ranges = False
    assert len(list_shards(f"{web.url}/a.svm", None, ReadOptions()).rows) == 1
    with pytest.raises(ValueError, match=r"a\.svm: the server sends no ranges of bytes"):
        list_shards(f"{web.url}/a.svm", 2, ReadOptions())
    (table,) = list_shards(f"{web.url}/a.parquet", None, ReadOptions(cache_bytes=1 << 22)).rows
    list(table.batches())
    web.clear()
    assert len(first_column(table)) == 30_000
    assert web.asked == []  # the copy is in the cache
    web.tags["a.parquet"] = '"another"'
    with pytest.raises(DataError, match="it has changed since it was first read"):
        list(table._replace(options=table.options._replace(cache_bytes=0)).batches())


def test_a_file_that_changes_between_epochs_is_named(web):
    one, _ = list_shards(f"{web.url}/a.svm", 2, ReadOptions()).rows
    list(one.batches())
    web.tags["a.svm"] = '"another"'
    with pytest.raises(DataError, match=r"a\.svm#bytes=0-\d+: cannot be read: it has changed"):
        list(one.batches())


def test_long_lines_are_dealt_as_on_a_disk(tmp_path):
    lengths = np.random.default_rng(0).integers(2, 80, 120)
    lines = [" ".join(f"{j}:{k}" for j in range(1, n)) for k, n in enumerate(lengths)]
    (tmp_path / "a.svm").write_text("".join(f"1 {line}\n" for line in lines))
    rows = [f'"row {k}\n{"of " * n}",{k},a\n' for k, n in enumerate(lengths)]
    (tmp_path / "a.csv").write_text("text,x,kind\n" + "".join(rows))
    here = list_shards(str(tmp_path / "a.svm"), 3, ReadOptions(), interleave=True).rows
    with range_server(tmp_path) as web:
        there = list_shards(f"{web.url}/a.svm", 3, ReadOptions(), interleave=True).rows
        dealt = [*map(first_column, here)]
        assert [*map(first_column, there)] == dealt
    assert sorted(chain(*dealt)) == [*range(120)]
    options = ReadOptions(schema={"text": "skip"})
    table = list_shards(str(tmp_path / "a.csv"), 3, options, interleave=True).rows
    assert sorted(chain(*map(first_column, table))) == [*range(120)]
    with pytest.raises(ValueError, match="1 file cannot be cut into enough pieces for 200 shards"):
        list_shards(str(tmp_path / "a.csv"), 200, options, interleave=True)


def test_later_epochs_read_the_cache(web):
    listed = list_shards(f"{web.url}/a.svm", 2, ReadOptions(cache_bytes=1 << 22)).rows
    for one in listed:
        list(one.batches())
    web.clear()
    assert sum(map(len, map(first_column, listed))) == 30_000
    assert web.asked == []


def test_an_error_in_a_range_has_the_line_of_the_file(tmp_path):
    (tmp_path / "a.svm").write_text(ROWS.replace("\n1 1:25001", "\n1 1:x"))
    with range_server(tmp_path) as web:
        listed = list_shards(f"{web.url}/a.svm", 2, ReadOptions()).rows
        with pytest.raises(DataError, match=r"a\.svm:25002:\d+: found '1:x'"):
            list(listed[1].batches())


# --- a cluster -----------------------------------------------------------------------------------


@pytest.fixture
def client(processes):
    return processes


def test_rows_in_memory_are_read_once(web, folder, client):
    size = (folder / "a.svm").stat().st_size
    model = DaskPerceptron(shards=2, max_iter=4, tol=None, shuffle=True).fit(f"{web.url}/a.svm")
    assert web.sent <= 2.02 * size + 4 * (1 << 16)  # the first batch is all; first lines
    assert model.n_iter_ == 4


def test_a_cut_connection_costs_no_epoch(web, folder, client, monkeypatch):
    monkeypatch.setattr(remote, "RETRY_WAITS", (0.0, 0.0, 0.0))
    here = DaskPerceptron(shards=2, max_iter=2, tol=None, shuffle=False)
    here.fit(str(folder / "a.svm"), classes=[0, 1], n_features=2)
    there = DaskPerceptron(shards=2, max_iter=2, tol=None, shuffle=False)
    web.cuts = [None, None, None, 90_000, 80_000]
    there.fit(f"{web.url}/a.svm", classes=[0, 1], n_features=2)
    np.testing.assert_array_equal(here.coef_, there.coef_)


@pytest.fixture
def lake():
    """The URL of a folder on an S3 server; the environment has no keys, only the options."""
    with s3_bucket() as url:
        yield url


SECRET = "the-secret-of-the-lake"


@pytest.fixture
def storage(lake):
    """The options by which workers read the S3 server."""
    return {
        "key": "the-key-of-the-lake",
        "secret": SECRET,
        "client_kwargs": {"endpoint_url": os.environ["AWS_ENDPOINT_URL"]},
    }


@pytest.fixture
def words(storage):
    """The same for the command."""
    pairs = storage | {"client_kwargs": json.dumps(storage["client_kwargs"])}
    return [f"--storage-option={key}={value}" for key, value in pairs.items()]


def test_parquet_on_s3_to_a_model_file(lake, storage, words, folder, cluster, tmp_path, call):
    import s3fs
    from distributed import Client

    files = s3fs.S3FileSystem(**storage, skip_instance_cache=True)
    for k in range(2):
        files.put(str(folder / "a.parquet"), f"{lake}/part-{k}.parquet")
    files.put(str(folder / "a.svm"), f"{lake}/a.svm")
    pattern, checkpoint = f"{lake}/part-*.parquet", tmp_path / "c.checkpoint"
    with Client(cluster) as client:
        logs = []
        model = DaskPerceptron(shards=4, max_iter=2, tol=None, random_state=0)
        model.fit(pattern, target="y", storage_options=storage, checkpoint=checkpoint)
        predicted = model.predict(f"{lake}/part-0.parquet", storage_options=storage)[0].compute()
        with pytest.raises(DataError, match="there is no file at this address"):
            model.fit(f"{lake}/none.svm", storage_options=storage)
        logs += [client.get_worker_logs(), client.get_scheduler_logs()]
    local = Perceptron(shards=4, max_iter=2, tol=None, random_state=0)
    X, y = open_stream([str(folder / "a.parquet")] * 2, target="y").read()
    np.testing.assert_array_equal(local.fit(X, y).coef_, model.coef_)
    path = str(tmp_path / "m.rosenblatt")
    save(model.to_local(), path, notes=model.noted())
    status, out, error = call("predict", path, f"{lake}/part-0.parquet", *words)
    assert (status, error) == (0, "")
    assert list(map(int, out.split())) == predicted.tolist()
    trained = str(tmp_path / "t.rosenblatt")
    status, _, said = call("train", f"{lake}/a.svm", "-m", trained, "--epochs", 2, *words)
    assert status == 0
    texts = [Path(name).read_bytes() for name in (checkpoint, path, trained)]
    assert not any(SECRET.encode() in text for text in texts)
    assert SECRET not in str(logs) + said


@pytest.fixture
def people(lake, storage, tmp_path):
    """Rows of a folder on S3, in its order, as pandas and Spark write it: raw, and their labels."""
    import s3fs

    rng = np.random.default_rng(0)
    age, land = rng.integers(0, 90, 60), np.tile(["CH", "DE"], 30)
    rows = pd.DataFrame({
        "day": np.repeat(["2026-11-01", "2026-11-02", "2026-11-03"], 20), "land": land,
        "age": age.astype(float), "town": rng.choice(["Kiel", "Mainz", "Ulm"], 60),
        "kind": np.where(age + 20 * (land == "CH") > 45, "old", "new"),
    })  # fmt: skip
    rows.loc[::7, "age"] = np.nan
    rows.loc[::11, "town"] = None
    rows.to_parquet(tmp_path / "pq", partition_cols=["day", "land"])
    (tmp_path / "pq" / "_SUCCESS").touch()
    files = s3fs.S3FileSystem(**storage, skip_instance_cache=True)
    files.put(str(tmp_path / "pq"), f"{lake}/pq", recursive=True)
    files.pipe(f"{lake}/pq/day=2026-11-01_$folder$", b"")
    rows = rows.sort_values(["day", "land"], kind="stable")
    rows = rows.astype(object).where(rows.notna(), None)
    return rows.drop(columns="kind").to_dict("records"), rows["kind"].tolist()


def test_a_folder_on_s3_to_the_command_python_and_the_service(
    lake, storage, words, people, client, tmp_path, call, caplog
):
    def listings():
        number = sum("delimiter=&" in line for line in caplog.messages)
        caplog.clear()
        return number

    raw, labels = people
    pq, path = f"{lake}/pq/", tmp_path / "people.rosenblatt"
    caplog.set_level(logging.INFO, "werkzeug")
    train = ["--rule", "perceptron", "--epochs", 6, "--shards", 2, "--scale", "--impute", "mean"]
    address = client.scheduler.address
    status, _, said = call("train", pq, "-m", path, *train, "--scheduler", address, *words)
    assert (status, listings()) == (0, 1), said
    fitted = DaskPerceptron(shards=2, max_iter=6, scale=True, tol=None, shuffle=False)
    fitted.fit(pq, impute="mean", storage_options=storage)
    assert listings() == 1
    assert_same_weights(load_estimator(path), fitted)

    status, out, said = call("predict", path, pq, "--scores", "--json", "-q", *words)
    assert (status, listings()) == (0, 1), said
    command = [json.loads(line) for line in out.splitlines()]
    predicted = [one["prediction"] for one in command]
    assert np.mean(np.array(predicted) == labels) > 0.85
    parts = fitted.predict(pq, storage_options=storage)
    assert listings() == 1
    assert np.concatenate([part.compute() for part in parts]).tolist() == predicted
    assert load(path).predict(raw).tolist() == predicted
    with Served(tmp_path / "store") as served:
        assert served.raw("PUT", "/v1/models/people/file", path.read_bytes())[0] == 200
        for row, expected in zip(raw, command, strict=True):
            answer = served.post("/v1/models/people/predict", {"features": row})
            assert answer["label"] == expected["prediction"]
            assert answer["scores"]["old"] == expected["score"]
