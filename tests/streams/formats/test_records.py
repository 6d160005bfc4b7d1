"""Records of tables: quotes that contain newlines, wherever a text is cut."""

import csv
import gzip
import io
import subprocess
import sys

import numpy as np
import pytest
from stream_rows import rows_by_name

from rosenblatt.streams import DataError, open_stream


def named(stream):
    """Return the rows as dictionaries."""
    return [row for row, _ in rows_by_name(stream)]


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
@pytest.mark.parametrize("size", [1, 7, 100, 5000, 1 << 22])
def test_quoted_newlines_at_any_cut(tmp_path, suffix, size):
    words = [f'line {k}\nof "{k}",\n\nand {k % 7}' * (k % 3) for k in range(200)]
    written = io.StringIO(newline="")
    rows = [("x", "two\nlines", "y"), *((k, word, k) for k, word in enumerate(words))]
    csv.writer(written).writerows(rows)
    raw = written.getvalue().encode()
    path = tmp_path / f"a{suffix}"
    path.write_bytes(gzip.compress(raw) if suffix == ".csv.gz" else raw)
    stream = open_stream(path, schema={"two\nlines": "category"}, batch_bytes=size)
    expected = [{"x": k} | {f"two\nlines={word.strip()}": 1} for k, word in enumerate(words)]
    expected = [{k: v for k, v in row.items() if v and not k.endswith("=")} for row in expected]
    assert named(stream) == expected
    assert np.concatenate([batch.y for batch in stream]).tolist() == list(range(200))


UNQUOTED = 'label\ttext\nham\t"Hi" said she\nspam\t"win\nham\tit is 5" wide\n'


def test_tsv_whose_quotes_are_characters(write):
    stream = open_stream(write("a.tsv", UNQUOTED), schema={"text": "category"})
    assert stream.quotes is False
    assert stream.noted()["quotes"] is False
    assert "quotes are read as any other character" in stream.remarks[0]
    assert [list(row) for row in named(stream)] == [
        ['text="Hi" said she'],
        ['text="win'],
        ['text=it is 5" wide'],
    ]


@pytest.mark.parametrize("size", [30, 1 << 22])
@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ('y\tx\n1\t"a\tb"\n2\t"c ""d"""\n', ["a\tb", 'c "d"']),
        ('y\tx\n1\t"a\nb"\n2\tc\n', ["a\nb", "c"]),
        ('y\tx\n1\ta\n2\t"long enough to be cut\nhere"\n', ["a", "long enough to be cut\nhere"]),
    ],
)
def test_tsv_whose_quotes_enclose_cells(write, text, cells, size):
    schema = {"x": "category"}
    stream = open_stream(write("a.tsv", text), target="y", schema=schema, batch_bytes=size)
    assert (stream.quotes, stream.remarks) == (None, ())
    assert [list(row) for row in named(stream)] == [[f"x={cell}"] for cell in cells]


def test_the_option_decides_what_a_quote_is(write):
    path = write("a.tsv", UNQUOTED)
    with pytest.raises(DataError, match=r"text follows .* --no-quotes reads them"):
        list(open_stream(path, quotes=True))
    path = write("a.csv", 'x,y\n"a,1\nb",2\n')
    rows = open_stream(path, quotes=False, schema={"x": "category"})
    assert [list(row) for row in named(rows)] == [['x="a'], ['x=b"']]
    assert rows.remarks == ()


def test_rows_before_a_fault_after_quoted_newlines(write):
    path = write("a.csv", 'x,y\n1,"a\nb"\n2,c\n3,"d\n\0"\n')
    rows = []
    with pytest.raises(DataError, match="NUL byte") as caught:
        rows.extend(batch.X.tolist() for batch in open_stream(path))
    assert (rows, caught.value.line) == ([[[1.0], [2.0]]], 6)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_unclosed_quote_is_reported_early():
    """The text after it never ends: neither do those that read all of it before they say so."""
    code = (
        "import re\n"
        "from rosenblatt.streams import open_stream\n"
        "try: list(open_stream('-', format='csv'))\n"
        "except ValueError as error: print(str(error))\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    command = """(printf 'x,y\\n1,a\\n2,"'; yes b) | "$0" -c "$1" """
    arguments = ["sh", "-c", command, sys.executable, code]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    message, kilobytes = done.stdout.splitlines()
    assert ":3:4: found a field that cannot be read (its quote is never closed)" in message
    assert int(kilobytes) < 600_000
