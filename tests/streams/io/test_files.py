"""Reading files: spans read in any thread, faults in later blocks, rows kept for the next pass."""

import gzip
import io
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rosenblatt.progressive import learn
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt import Perceptron
from rosenblatt.streams import Batch, DataError, open_stream
from rosenblatt.streams.core.batch import CachedBatches
from rosenblatt.streams.io.files import file_chunks

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def write(tmp_path):
    def write(content, name="a.svm"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


# --- spans ---------------------------------------------------------------------------------------


@settings(deadline=None)
@given(
    st.lists(st.binary(max_size=9).map(lambda b: b.replace(b"\n", b"")), max_size=20),
    st.booleans(),
    st.integers(1, 30),
)
def test_spans_are_whole_lines_and_all_of_the_file(tmp_path_factory, lines, ended, size):
    text = b"\n".join(lines) + (b"\n" if ended else b"")
    path = tmp_path_factory.mktemp("spans") / "a"
    path.write_bytes(text)
    texts = [span() for span in file_chunks(str(path), size)]
    assert b"".join(texts) == text.removeprefix(BOM)
    assert all(part.endswith(b"\n") for part in texts[:-1])
    assert all(len(part) < size + max(map(len, lines), default=0) + 2 for part in texts)


def test_a_span_is_read_from_the_file_that_was_opened(write, tmp_path):
    path = write(b"1 1:1\n" * 10)
    first, *others = list(file_chunks(str(path), 20))
    os.replace(write(b"-1 2:2\n" * 10, "b.svm"), path)
    assert b"".join([first(), *(span() for span in others)]) == b"1 1:1\n" * 10


def test_a_file_that_shrinks_while_it_is_read_is_named(write):
    path = write(b"1 1:1\n-1 2:1\n" * 1000)
    batches = iter(open_stream(path, batch_bytes=100))
    assert len(next(batches).y) > 0
    os.truncate(path, 6000)
    with pytest.raises(DataError, match=r"a\.svm.*cannot be read: it became shorter") as caught:
        list(batches)
    assert caught.value.line > 0


def test_what_is_appended_while_it_is_read_is_left_for_the_next_pass(write):
    path = write(b"1 1:1\n" * 1000)
    stream = open_stream(path, batch_bytes=100)
    batches = iter(stream)
    next(batches)
    with path.open("ab") as file:
        file.write(b"-1 1:1\n" * 50)
    assert sum(len(batch.y) for batch in batches) < 1000
    assert len(stream.read()[1]) == 1050


def test_a_line_longer_than_many_blocks(write):
    row = b"1 " + b" ".join(b"%d:1.5" % k for k in range(1, 60_000)) + b"\n"
    X, y = open_stream(write(row + b"-1 1:2\n" + row), batch_bytes=1000).read()
    assert X.shape == (3, 59_999)
    assert y.tolist() == [1, -1, 1]
    assert X[[1]].nnz == 1


def test_leaving_early_ends_the_threads_and_closes_the_file(write):
    path = write(b"1 1:1\n" * 10_000)
    before = threading.active_count()
    batches = iter(open_stream(path, batch_bytes=100))
    next(batches)
    batches.close()
    assert threading.active_count() == before
    del batches
    assert not any(
        os.path.realpath(f"/proc/self/fd/{fd}") == str(path) for fd in os.listdir("/proc/self/fd")
    )


# --- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 60, 10_000])
@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        (b"1 x:2", 3, "found 'x:2'"),
        (b"1 1:1 # caf\xe9", 12, "byte 0xe9, expected UTF-8"),
        (b"1 1:1 # \0", 9, "NUL byte"),
        (b"1 1:1 \0\0", 7, "NUL byte"),
    ],
)
def test_a_fault_far_into_the_file_has_its_place_and_what_precedes_it_comes_out(
    write, line, column, message, size
):
    path = write(b"1 1:1 # one\n-1 2:1\n\n" * 40 + line + b"\n1 1:1\n")
    labels = []
    with pytest.raises(DataError, match=message) as caught:
        labels.extend(len(batch.y) for batch in open_stream(path, batch_bytes=size))
    assert sum(labels) == 80
    assert (caught.value.line, caught.value.column) == (121, column)


def test_the_first_of_two_faults_is_named(write):
    for first, second, message in (
        (b"1 x:1", b"1 1:1 # \0", "found 'x:1'"),
        (b"1 1:1 # \0", b"1 x:1", "NUL byte"),
    ):
        with pytest.raises(DataError, match=message) as caught:
            open_stream(write(b"1 1:1\n" + first + b"\n" + second + b"\n")).read()
        assert caught.value.line == 2


def test_comments_may_be_in_any_script(write):
    X, _ = open_stream(write("1 1:1 # größer als 寺\n-1 2:1\n".encode())).read()
    assert X.toarray().tolist() == [[1.0, 0.0], [0.0, 1.0]]


# --- pipes ---------------------------------------------------------------------------------------


def test_a_pipe_left_early_is_closed_under_its_writer(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    code = f"""
import sys
try:
    with open({str(path)!r}, "wb", buffering=0) as pipe:
        while True:
            pipe.write(b"1 1:1\\n" * 10_000)
except BrokenPipeError:
    sys.exit(7)
"""
    writer = subprocess.Popen([sys.executable, "-c", code])
    stream = open_stream(path, format="svmlight", batch_bytes=1000)
    batches = iter(stream)
    next(batches)
    batches.close()
    assert writer.wait(timeout=20) == 7
    assert stream is not None


# --- all at once, and once more ------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("size", [50, 1 << 22])
def test_all_rows_are_what_scikit_learn_reads(write, packed, size):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 30)) * 10.0 ** rng.integers(-300, 300, (200, 30))
    X *= rng.random((200, 30)) < 0.3
    file = io.BytesIO()
    dump_svmlight_file(X, rng.integers(0, 3, 200), file, zero_based=False)
    text = file.getvalue()
    path = write(gzip.compress(text), "a.svm.gz") if packed else write(text)
    wanted, labels = load_svmlight_file(io.BytesIO(text))
    read, y = open_stream(path, batch_bytes=size).read()
    assert read.shape == wanted.shape
    np.testing.assert_array_equal(read.indptr, wanted.indptr)
    np.testing.assert_array_equal(read.indices, wanted.indices)
    assert read.data.tobytes() == wanted.data.tobytes()
    assert (read.indices.dtype, read.indptr.dtype) == (np.int32, np.int32)
    np.testing.assert_array_equal(y, labels)


class Counted:
    """Batches, and how often they were asked for."""

    def __init__(self, batches):
        self.batches, self.passes = batches, 0

    def __iter__(self):
        self.passes += 1
        yield from self.batches


def two_batches():
    X = np.arange(20.0).reshape(10, 2)
    return [Batch(X[:6], np.arange(6), 0), Batch(X[6:], np.arange(4), 6)]


def test_rows_that_fit_are_read_once():
    counted = Counted(two_batches())
    kept = CachedBatches(counted)
    for _ in range(3):
        assert [len(batch.y) for batch in kept] == [6, 4]
    assert counted.passes == 1


def test_rows_that_do_not_fit_are_read_in_every_pass():
    counted = Counted(two_batches())
    kept = CachedBatches(counted, max_bytes=100)
    for _ in range(3):
        assert [len(batch.y) for batch in kept] == [6, 4]
    assert counted.passes == 3


def test_a_pass_that_was_left_early_is_not_taken_for_the_whole():
    kept = CachedBatches(Counted(two_batches()))
    next(iter(kept))
    assert [len(batch.y) for batch in kept] == [6, 4]


def test_passes_over_kept_rows_are_those_over_read_rows(write):
    rng = np.random.default_rng(0)
    lines = [b"%d %d:%.3f\n" % (rng.choice([-1, 1]), k % 50 + 1, rng.normal()) for k in range(900)]
    path = write(b"".join(lines))
    models = []
    for stream in (open_stream(path, batch_bytes=500), list(open_stream(path, batch_bytes=500))):
        model = Perceptron(shuffle=False, output="average")
        learn(model, stream, epochs=4)
        models.append(model)
    assert models[0].coef_.tobytes() == models[1].coef_.tobytes()
    os.remove(path)
    with pytest.raises(DataError):
        open_stream(path)
