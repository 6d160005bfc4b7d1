"""Sources of bytes: chunks of files, pipes, compression."""

import os
import pickle
import subprocess
import sys
import threading
import time

import pytest
from forked import Piped
from hypothesis import given, settings
from hypothesis import strategies as st
from stream_rows import COMPRESS, SVM, SVM_ROWS, refused, rows_of

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.io.files import File, file_chunks
from rosenblatt.streams.io.lines import LineBlock, line_blocks

BOM = b"\xef\xbb\xbf"


@settings(deadline=None)
@given(
    st.lists(st.binary(max_size=9).map(lambda b: b.replace(b"\n", b"")), max_size=20),
    st.booleans(),
    st.integers(1, 30),
)
def test_chunks_are_whole_lines_and_cover_the_file(tmp_path_factory, lines, ended, size):
    text = b"\n".join(lines) + (b"\n" if ended else b"")
    path = tmp_path_factory.mktemp("spans") / "a"
    path.write_bytes(text)
    texts = [span() for span in file_chunks(str(path), size)]
    assert b"".join(texts) == text.removeprefix(BOM)
    assert all(part.endswith(b"\n") for part in texts[:-1])
    assert all(len(part) < size + max(map(len, lines), default=0) + 2 for part in texts)


def test_a_chunk_is_read_from_the_open_file(write, tmp_path):
    path = write("a.svm", b"1 1:1\n" * 10)
    first, *others = list(file_chunks(str(path), 20))
    os.replace(write("b.svm", b"-1 2:2\n" * 10), path)
    assert b"".join([first(), *(span() for span in others)]) == b"1 1:1\n" * 10


def test_chunks_can_be_pickled(write):
    text = b"\xef\xbb\xbf" + b"1 1:1\n-1 2:1\n" * 20
    chunks = list(file_chunks(str(write("a.svm", text)), 50))
    copies = pickle.loads(pickle.dumps(chunks))
    assert [copy() for copy in copies] == [chunk() for chunk in chunks]
    assert b"".join(copy() for copy in copies) == text.removeprefix(BOM)


def test_a_file_that_shrinks_while_it_is_read_is_named(write):
    path = write("a.svm", b"1 1:1\n-1 2:1\n" * 1000)
    batches = iter(open_stream(path, batch_bytes=100))
    assert len(next(batches).y) > 0
    os.truncate(path, 6000)
    with pytest.raises(DataError, match=r"a\.svm.*cannot be read: it became shorter") as caught:
        list(batches)
    assert caught.value.line > 0


def test_lines_appended_while_reading_are_read_in_the_next_epoch(write):
    path = write("a.svm", b"1 1:1\n" * 1000)
    stream = open_stream(path, batch_bytes=100)
    batches = iter(stream)
    next(batches)
    with path.open("ab") as file:
        file.write(b"-1 1:1\n" * 50)
    assert sum(len(batch.y) for batch in batches) < 1000
    assert len(stream.read()[1]) == 1050


def test_a_line_longer_than_many_chunks(write):
    row = b"1 " + b" ".join(b"%d:1.5" % k for k in range(1, 60_000)) + b"\n"
    X, y = open_stream(write("a.svm", row + b"-1 1:2\n" + row), batch_bytes=1000).read()
    assert X.shape == (3, 59_999)
    assert y.tolist() == [1, -1, 1]
    assert X[[1]].nnz == 1


def test_leaving_early_ends_the_threads_and_closes_the_file(write):
    path = write("a.svm", b"1 1:1\n" * 10_000)
    before = threading.active_count()
    batches = iter(open_stream(path, batch_bytes=100))
    next(batches)
    batches.close()
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before  # threads of earlier tests may end, too
    del batches
    assert not any(
        os.path.realpath(f"/proc/self/fd/{fd}") == str(path) for fd in os.listdir("/proc/self/fd")
    )


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


@pytest.mark.parametrize("suffix", COMPRESS)
def test_archives(write, suffix):
    path = write(f"a.svm{suffix}", COMPRESS[suffix](SVM))
    assert rows_of(open_stream(path)) == SVM_ROWS
    assert rows_of(open_stream(write(f"a.csv{suffix}", COMPRESS[suffix](b"x,y\n1,2\n")))) == [
        ([1.0], 2)
    ]
    assert rows_of(open_stream(write(f"a{suffix}", COMPRESS[suffix](SVM)))) == SVM_ROWS


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_truncated_archive_names_the_last_whole_line(write, suffix):
    whole = "".join(f"{k % 2} {k % 7 + 1}:{k}.5\n" for k in range(110_000)).encode()
    packed = COMPRESS[suffix](whole)
    source = File(str(write(f"a.svm{suffix}", packed[: len(packed) * 4 // 5])), 1 << 18)
    read: list[LineBlock] = []
    with pytest.raises(DataError, match="the archive is truncated or damaged after line") as caught:
        read.extend(line_blocks(source.name, (load() for load in source.chunks())))
    text = b"".join(block.text for block in read)
    assert 0 < len(text) < len(whole)
    assert whole.startswith(text)
    assert caught.value.line == text.count(b"\n")
    assert f"after line {caught.value.line} " in str(caught.value)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_damaged_archive(write, suffix):
    wrong = (
        "truncated or damaged before its first|damaged from its first byte on, or not compressed"
    )
    refused(write(f"a.svm{suffix}", b"1 1:2\n"), wrong)
    refused(
        write(f"b.svm{suffix}", COMPRESS[suffix](b"1 1:2\n")[:8]), "truncated or damaged before"
    )


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\x1f\x8b\x08\xff", "gzip"),
        (b"\xfd7zXZ\x00", "xz"),
        (b"PK\x03\x04\xff", "zip"),
        (b"\x28\xb5\x2f\xfd", "zstandard"),
    ],
)
def test_an_archive_under_another_name_is_recognised(write, start, kind):
    refused(write("a.svm", start + b"\xfe"), f"found {kind} data, expected text", 1, 1)


def test_zstd_without_pyarrow(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused(
        write("a.svm.zst", b"x"), r"pyarrow, which is missing: pip install 'rosenblatt\[data\]'"
    )


def test_archives_of_several_frames(write):
    packed = COMPRESS[".zst"](SVM + b"\n")
    assert len(rows_of(open_stream(write("a.svm.zst", packed * 3)))) == 3 * len(SVM_ROWS)


def script(source):
    return f"""
import sys
from rosenblatt.streams import open_stream
stream = open_stream({source!r})
print(stream.name, stream.format, [b.y.tolist() for b in stream])
try:
    list(stream)
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("content", "format", "labels"),
    [(SVM, "svmlight", [1, -1, -1, 1]), (b"x\ty\n1\ta\n", "tsv", ["a"])],
)
def test_stdin_can_be_read_only_once(content, format, labels):
    pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    out, _ = Piped(script("-"), text=False, **pipes).communicate(content)
    first, second = out.decode().splitlines()
    assert first == f"stdin {format} [{labels}]"
    assert second == "DataError stdin: can be read only once: for several epochs, give a file."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_fifo_is_a_pipe(tmp_path):
    path = tmp_path / "rows"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(SVM,))
    writer.start()
    stream = open_stream(path)
    assert rows_of(stream) == SVM_ROWS
    writer.join()
    with pytest.raises(DataError, match="can be read only once"):
        list(stream)


def test_a_closed_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    refused("-", "standard input is closed")


def test_a_byte_order_mark_is_dropped(write):
    assert rows_of(open_stream(write("a.svm", b"\xef\xbb\xbf" + SVM))) == SVM_ROWS
    stream = open_stream(write("a.csv", b"\xef\xbb\xbfx,y\n1,2\n"))
    assert stream.feature_names == ["x"]
    assert rows_of(stream) == [([1.0], 2)]
