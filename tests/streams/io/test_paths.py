"""Byte ranges of files: the ranges that cover a file share out its lines, in every text format."""

import gzip
import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import share

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.errors import NoRowsError
from rosenblatt.streams.io.files import file_chunks

N = 40
TEXTS = {
    "svm": "".join(f"{i % 3} {i + 1}:{i}.5 99:1\n" for i in range(N)),
    "vw": "".join(f"{i % 3} |words w{i}:2 v{i % 4}\n" for i in range(N)),
    "csv": "a,b,kind\n" + "".join(f"{i},{2 * i},{i % 3}\n" for i in range(N)),
    "tsv": "a\tb\tkind\n" + "".join(f"{i}\t{2 * i}\tk{i % 3}\r\n" for i in range(N)),
    "jsonl": "".join(json.dumps({"f": i, "y": i % 3}) + "\n" for i in range(N)),
}


def parts_of(path, cuts):
    """The rows of each range; a range without the start of a line has none."""
    for start, stop in pairwise(cuts):
        try:
            yield open_stream(f"{path}#bytes={start}-{stop}").whole()
        except NoRowsError:
            continue


@pytest.mark.parametrize(
    ("suffix", "size"),
    [
        (suffix, size)
        for turn, suffix in enumerate(TEXTS)
        for size in share([1, 7, 100, 10_000], 2, turn)
    ],
)
def test_ranges_share_out_the_rows(tmp_path, suffix, size):
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(TEXTS[suffix].encode())
    length = path.stat().st_size
    expected = open_stream(path).whole()
    cuts = [*range(0, length, size if size > 1 else 3), length]
    parts = list(parts_of(path, cuts))
    np.testing.assert_array_equal(np.concatenate([part.y for part in parts]), expected.y)
    assert sum(part.X.sum() for part in parts) == expected.X.sum()


@settings(deadline=None)
@given(
    st.lists(st.binary(max_size=9).map(lambda b: b.replace(b"\n", b"")), max_size=12),
    st.booleans(),
    st.lists(st.integers(0, 120), max_size=5),
    st.integers(1, 30),
)
def test_lines_belong_to_the_range_in_which_they_start(tmp_path_factory, lines, ended, cuts, size):
    text = b"\n".join(lines) + (b"\n" if ended else b"")
    path = tmp_path_factory.mktemp("spans") / "a"
    path.write_bytes(text)
    starts = [0, *(i + 1 for i in range(len(text) - 1) if text[i : i + 1] == b"\n")]
    cuts = [0, *sorted(cuts), 200]
    for low, high in pairwise(cuts):
        expected = b"".join(
            text[start:stop]
            for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)
            if low <= start < high
        )
        if low == 0:
            expected = expected.removeprefix(b"\xef\xbb\xbf")
        chunks = file_chunks(str(path), size, low, high)
        assert b"".join(chunk() for chunk in chunks) == expected


def test_a_bad_line_is_named_with_its_range(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n" * 5 + "1 1:\n")
    with pytest.raises(DataError, match=r"a\.svm#bytes=12-40:4:\d: found"):
        list(open_stream(f"{path}#bytes=12-40"))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a.svm#bytes=9-3", "is no byte range of a file: expected #bytes=A-B"),
        ("a.svm#bytes=3", "is no byte range of a file"),
        ("b.svm#bytes=0-3", "cannot be read: No such file"),
        ("a.svm.gz#bytes=0-3", "only text as it is has byte ranges"),
        ("a.npy#bytes=0-3", "has no byte ranges"),
        ("http://127.0.0.1:9/a.svm#bytes=0-3", "cannot be read: no connection"),
        ("a.svm#row_groups=0-3", "only Parquet and Arrow files have row groups"),
    ],
)
def test_names_that_are_no_ranges_are_refused(tmp_path, monkeypatch, name, problem):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.svm").write_text("1 1:1\n")
    np.save(tmp_path / "a.npy", np.eye(3))
    with gzip.open(tmp_path / "a.svm.gz", "wt") as file:
        file.write("1 1:1\n")
    with pytest.raises(DataError, match=problem):
        open_stream(name)


def test_a_range_of_a_file_whose_name_looks_like_a_pattern(tmp_path):
    path = tmp_path / "a[1].svm"
    path.write_text("1 1:1\n0 1:2\n")
    assert len(open_stream(f"{path}#bytes=0-1").read()[1]) == 1


def test_a_file_of_such_a_name_is_a_file(tmp_path):
    path = tmp_path / "a.svm#bytes=0-3"
    path.write_text("1 1:1\n-1 1:2\n")
    assert len(open_stream(path, format="svmlight").whole().y) == 2
