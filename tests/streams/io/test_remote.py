"""URLs, read from a real web server, also one that fails."""

import bz2
import gzip
import http.server
import importlib.util
import json
import lzma
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import fsspec
import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

from rosenblatt import Perceptron
from rosenblatt.progressive import learn
from rosenblatt.streams import DataError, open_stream, write_arrow
from rosenblatt.streams.io import remote

LINES = 400
UNWELL = "cannot be read: the server answers 503 Service Unavailable, at byte 0, after 4 tries."
SVM = "".join(f"{k % 2} 1:{k} {2 + k % 7}:0.5\n" for k in range(LINES))
CSV = "a,b,kind\n1,0.1,oak\n-2,3,elm\n"
PACKED = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serve the files of a folder; below cut/ half of each, below stall/ half and then silence."""

    def do_GET(self):
        self.server.asked.append(self.path)
        how, _, name = self.path[1:].partition("/")
        if how in ("cut", "stall", "encoded"):
            body = Path(self.directory, name).read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            if how == "encoded":
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(body if how == "encoded" else body[: len(body) // 2])
            self.wfile.flush()
            if how == "stall":
                self.server.over.wait()
            elif how == "cut":
                time.sleep(0.2)  # what was sent arrives before the end does
            self.close_connection = True
        elif how == "broken":
            self.send_error(503)
        else:
            super().do_GET()

    def log_message(self, *args):
        pass


@pytest.fixture
def web(tmp_path, monkeypatch):
    """Start a web server for the working folder; return its URL and the list of requests."""

    def handler(*args):
        return Handler(*args, directory=str(tmp_path))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(remote, "RETRY_WAITS", (0.0, 0.0, 0.0))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.asked, server.over = [], threading.Event()
        server.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.over.set()
        server.shutdown()
        thread.join()


def told(source, **options):
    """Return the rows of a source before it ends or fails, and the error."""
    rows = []
    try:
        for batch in open_stream(source, **options):
            X = batch.X.toarray() if hasattr(batch.X, "indptr") else batch.X
            rows += [(*row.nonzero()[0], *row[row != 0], y) for row, y in zip(X, batch.y)]  # noqa: B905
    except DataError as error:
        return rows, str(error)
    return rows, None


# --- what is there -------------------------------------------------------------------------------


def write(name):
    """Write a small file in the format of its suffix."""
    inner = Path(name).stem if Path(name).suffix in (*PACKED, ".zst") else name
    texts = {
        ".svm": SVM,
        ".csv": CSV,
        ".tsv": CSV.replace(",", "\t"),
        ".jsonl": '{"y": 1, "n": 2.5}\n{"y": 2, "kind": "oak"}\n',
        ".vw": "1 |f x y:2\n-1 |f z\n",
    }
    suffix = Path(inner).suffix
    if suffix in (".parquet", ".arrow"):
        Path("a.csv").write_text(CSV)
        write_arrow(open_stream("a.csv"), "a.arrow")
        if suffix == ".parquet":
            from pyarrow import parquet

            parquet.write_table(pa.ipc.open_file("a.arrow").read_all(), name)
    elif suffix == ".npy":
        np.save(name, [[1.5, 2.0, 1], [0.5, 0.0, -1]])
    elif suffix == ".npz":
        sp.save_npz("m.npz", sp.csr_array(np.eye(3)))
        with np.load("m.npz") as parts:
            np.savez(name, **parts, y=[1, 2, 1])
    elif name.endswith(".zst"):
        with pa.CompressedOutputStream(name, "zstd") as file:
            file.write(texts[suffix].encode())
    else:
        pack = PACKED.get(Path(name).suffix, bytes)
        Path(name).write_bytes(pack(texts[suffix].encode()))


@pytest.mark.parametrize(
    "name",
    [
        *("a.svm", "a.csv", "a.tsv", "a.jsonl", "a.vw", "a.svm.gz", "a.vw.xz", "a.csv.bz2"),
        *("a.jsonl.zst", "a.parquet", "a.arrow", "a.npy", "a.npz"),
    ],
)
def test_a_url_reads_like_the_file(web, name):
    write(name)
    stream, file = open_stream(f"{web.url}/{name}"), open_stream(name)
    assert (stream.format, stream.target) == (file.format, file.target)
    assert stream.name == f"{web.url}/{name}"
    for _ in range(2):
        assert told(f"{web.url}/{name}") == told(name)
    assert [len(batch.y) for batch in stream] == [len(batch.y) for batch in stream]


def test_small_chunks_of_a_url(web):
    write("a.svm.gz")
    assert told(f"{web.url}/a.svm.gz", batch_bytes=50) == told("a.svm.gz")


def test_the_format_of_a_url_with_a_query(web):
    Path("rows").write_text(SVM)
    Path("a.svm.gz").write_bytes(gzip.compress(SVM.encode()))
    assert open_stream(f"{web.url}/rows").format == "svmlight"
    assert told(f"{web.url}/a.svm.gz?key=*.csv") == told("rows")


def test_a_compressed_file_with_content_encoding(web):
    write("a.svm.gz")
    assert told(f"{web.url}/encoded/a.svm.gz") == told("a.svm.gz")


def test_several_urls_and_a_file_are_one_stream(web):
    write("a.svm")
    write("a.svm.gz")
    rows, _ = told([f"{web.url}/a.svm", "a.svm", f"{web.url}/a.svm.gz"])
    assert rows == 3 * told("a.svm")[0]


def test_every_epoch_downloads_and_cached_rows_do_not(web):
    write("a.svm")
    stream = open_stream(f"{web.url}/a.svm")
    assert web.asked == ["/a.svm"]  # the first lines
    list(stream), list(stream)
    assert len(web.asked) == 2
    learn(Perceptron(shuffle=False), stream, epochs=3)
    assert len(web.asked) == 3


def test_a_temporary_copy_is_deleted_with_its_stream(web, monkeypatch, tmp_path):
    write("a.npy")
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    stream = open_stream(f"{web.url}/a.npy")
    assert len(os.listdir("copies")) == 1
    assert len(list(stream)) == 1
    del stream
    assert os.listdir("copies") == []


@pytest.fixture
def store():
    """Return fsspec's store in memory; empty it after the test."""
    files = fsspec.filesystem("memory")
    yield files
    files.rm("/", recursive=True)


def test_other_file_systems_and_their_patterns(store):
    for name in ("b", "a"):
        store.pipe(f"/days/{name}.svm", f"{len(store.find('/'))} 1:1\n".encode())
    store.pipe("/days/x.svm.gz", gzip.compress(b"7 2:1\n"))
    assert told("memory://days/b.svm") == ([(0, 1.0, 0)], None)
    assert told("memory://days/x.svm.gz") == ([(1, 1.0, 7)], None)
    assert [row[-1] for row in told("memory://days/?.svm*")[0]] == [1, 0, 7]
    with pytest.raises(DataError, match=r"^memory://days/\*.csv: no file matches"):
        open_stream("memory://days/*.csv")


# --- what is not ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/none.svm", "cannot be read: there is no file at this address."),
        ("/none.parquet", "cannot be read: there is no file at this address."),
        (
            "/broken/a.svm",
            UNWELL,
        ),
        (
            "/broken/a.npy",
            UNWELL,
        ),
    ],
)
def test_http_errors(web, path, message):
    with pytest.raises(DataError) as caught:
        open_stream(web.url + path)
    assert str(caught.value) == f"{web.url}{path}: {message}"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://nowhere.invalid/a.svm", "cannot be read: no connection .*nowhere.invalid"),
        ("http://127.0.0.1:9/a.svm", "cannot be read: no connection .*127.0.0.1:9"),
        ("http://127.0.0.1:9/a.npy", "cannot be read: no connection .*127.0.0.1:9"),
        ("memory://none/a.svm", "cannot be read: there is no file at this address"),
        ("carrier-pigeon://loft/a.svm", "unknown kind of address .*carrier-pigeon"),
    ],
)
def test_urls_that_cannot_be_opened(url, message):
    with pytest.raises(DataError, match=f"^{url}: {message}"):
        open_stream(url)


class OtherRegion(http.server.BaseHTTPRequestHandler):
    """What S3 answers to a request that another region is to be asked."""

    def do_HEAD(self):
        self.send_response(301)
        self.send_header("x-amz-bucket-region", "eu-west-1")
        self.end_headers()

    def do_GET(self):
        body = b"<Error><Code>PermanentRedirect</Code><Message>Go.</Message></Error>"
        self.send_response(301)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Write nothing."""


def test_a_bucket_in_another_region_says_how_to_set_it():
    pytest.importorskip("s3fs")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherRegion) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        store = {
            "endpoint_url": f"http://127.0.0.1:{server.server_port}",
            "key": "k",
            "secret": "s",
        }
        named = "is in another region, eu-west-1: set AWS_DEFAULT_REGION=eu-west-1; an endpoint"
        for url, message in (
            ("s3://b/a.svm", named),
            ("s3://b/a.svm#bytes=0-9", named),
            ("s3://b/*.svm", "is in another region: set AWS_DEFAULT_REGION=…; an endpoint"),
        ):
            with pytest.raises(DataError, match=message):
                open_stream(url, storage_options=store)
        server.shutdown()


def test_without_fsspec(monkeypatch):
    if importlib.util.find_spec("s3fs") is None:
        for url in ("s3://bucket/a.svm", "s3://bucket/*.svm"):
            with pytest.raises(DataError, match=r"fsspec cannot read it: Install s3fs"):
                open_stream(url)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for url in ("https://example.org/a.svm", "https://example.org/a.npy", "s3://b/*.svm"):
        with pytest.raises(DataError, match=r"pip install 'rosenblatt\[remote\]'"):
            open_stream(url)


@pytest.mark.parametrize("name", ["a.svm", "a.svm.gz"])
def test_a_connection_that_is_lost(web, name):
    write(name)
    rows, problem = told(f"{web.url}/cut/{name}", batch_bytes=64)
    assert rows == told(name)[0][: len(rows)]
    assert 0 < len(rows) < LINES
    place = f"{web.url}/cut/{name}:{len(rows)}: cannot be read: the connection was lost (Resp"
    assert problem.startswith(place)


def test_a_server_that_stops_sending(web, monkeypatch):
    write("a.svm")
    monkeypatch.setattr(remote, "READ_TIMEOUT", 0.2)
    rows, problem = told(f"{web.url}/stall/a.svm", batch_bytes=64)
    assert 0 < len(rows) < LINES
    place = f"{web.url}/stall/a.svm:{len(rows)}"
    assert problem == f"{place}: cannot be read: no answer for 0.2 s."


@pytest.mark.parametrize("how", ["cut", "stall"])
def test_an_interrupted_download_leaves_no_copy(web, how, monkeypatch, tmp_path):
    write("a.npy")
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    monkeypatch.setattr(remote, "READ_TIMEOUT", 0.2)
    with pytest.raises(DataError, match=r"cannot be read: (the connection was lost|no answer)"):
        open_stream(f"{web.url}/{how}/a.npy")
    assert os.listdir("copies") == []


def test_compressed_parquet_is_refused(web):
    with pytest.raises(DataError, match="Parquet is read as it is: decompress it first"):
        open_stream(f"{web.url}/a.parquet.gz")
    assert web.asked == []


# --- the command ---------------------------------------------------------------------------------


def test_the_command_reads_urls(web, call):
    write("a.svm")
    url = f"{web.url}/a.svm"
    status, out, error = call("train", url, "-m", "m.rosenblatt", "-q", "--json", "--epochs", 2)
    assert (status, error, json.loads(out)["examples"]) == (0, "", LINES)
    assert call("predict", "m.rosenblatt", url) == call("predict", "m.rosenblatt", "a.svm")
    assert json.loads(call("evaluate", "m.rosenblatt", url, "--json")[1])["examples"] == LINES
    assert call("convert", url, "b.arrow", "-q") == (0, "", "")
    assert told("b.arrow") == told("a.svm")


def test_epochs_of_a_url_are_said_to_be_downloads(web, call):
    write("a.svm")
    words = ["train", f"{web.url}/a.svm?key=secret", "-m", "m.rosenblatt", "--epochs", 2]
    said = f"{web.url}/a.svm?…: each epoch reads it again, unless its rows fit into 512 MiB"
    assert said in " ".join(call(*words)[2].split())
    assert "each epoch" not in call(*words, "--cache", "1M")[2]
    assert b"secret" not in Path("m.rosenblatt").read_bytes()
    assert "--cache: 'much' is no size" in call(*words, "--cache", "much")[2]
    refused = call(*words, "--storage-option", "secret")
    assert (refused[0], "--storage-option must be KEY=VALUE." in refused[2]) == (2, True)


def test_a_failure_is_bad_data_and_leaves_no_model(web, call):
    write("a.svm")
    status, _, error = call("train", f"{web.url}/cut/a.svm", "-m", "m.rosenblatt", "-q")
    assert (status, Path("m.rosenblatt").exists()) == (3, False)
    assert "the connection was lost" in error
    assert call("train", f"{web.url}/none.svm", "-m", "m.rosenblatt", "-q")[0] == 3


def test_imports_of_reading_a_url():
    code = (
        "import sys, rosenblatt.streams; print('fsspec' in sys.modules, 'aiohttp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
