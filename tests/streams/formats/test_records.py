"""Headers and records of tables, and tables with blanks between their columns."""

import csv
import gzip
import io
import subprocess
import sys
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from forked import Piped
from profiles import share
from stream_rows import rows_by_name

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.formats.records import is_blank_separated, records_of_width


def named(stream):
    """Return the rows as dictionaries."""
    return [row for row, _ in rows_by_name(stream)]


@pytest.mark.parametrize(
    ("size", "suffix"), share(product([1, 7, 100, 5000, 1 << 22], [".csv", ".csv.gz"]), 3, 0)
)
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
    text = ["sh", "-c", "printf 'x,y\\n1,a\\n2,\"'; exec yes b"]
    with subprocess.Popen(text, stdout=subprocess.PIPE) as source:
        process = Piped(code, stdin=source.stdout.fileno(), stdout=subprocess.PIPE)
        source.stdout.close()
        message, kilobytes = process.communicate()[0].splitlines()
    assert ":3:4: found a field that cannot be read (its quote is never closed)" in message
    assert int(kilobytes) < 600_000


@pytest.mark.parametrize(
    ("text", "has_header", "expected"),
    [
        ("1  2 a\n3 4   b", False, True),
        ("x  y kind\n3 4   b", True, True),
        ("1  2 a\n3 4   b", True, False),  # no header
        ("x y\n", True, False),  # no row
        ("x y\na b", True, False),  # texts
        ("1\n2", False, False),  # one column
        ("1 2 3\n4 5", False, False),
        ("1, 2\n3, 4", False, False),
        ("1; 2\n3; 4", False, False),
        ("1\ttwo words\n2\tthree words", False, False),  # tabs and texts
        ("1 2\ttwo\n3 4\twords", False, True),
        ('1 "a, b"\n2 "c"', False, True),
    ],
)
def test_what_is_a_table_separated_by_blanks(text, has_header, expected):
    assert is_blank_separated(text.encode().split(b"\n"), has_header=has_header) is expected


def test_quoted_cells_and_long_files(tmp_path):
    path = tmp_path / "auto-mpg.data"
    path.write_text('18.0   8   "ford  torino, v8"\t1\n15.5  6   "fiat"\t0\n' * 5000)
    stream = open_stream(path, header=False)
    assert (stream.format, stream.separator) == ("tsv", " ")
    batches = list(stream)
    assert sum(len(batch.y) for batch in batches) == 10_000
    assert stream.feature_names == ["c1", "c2", "c3=ford  torino, v8", "c3=fiat"]
    assert batches[-1].X.toarray()[-1].tolist() == [15.5, 6.0, 0.0, 1.0]


def test_a_fault_names_its_line(tmp_path):
    path = tmp_path / "a.data"
    path.write_text("1   2  a\n\n2   x  b\n3   4  a\n" + "5 6 a\n" * 30)
    with pytest.raises(DataError, match=r"a\.data:3:3"):
        list(open_stream(path, header=False, schema={"c2": "number"}))


def test_a_csv_file_separated_by_blanks_names_the_option(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a  b  y\n1  2  3\n")
    with pytest.raises(DataError, match="If blanks separate the columns: --separator ' '"):
        open_stream(path)


@pytest.mark.parametrize("options", [("--no-header",), ("--separator", " ", "--no-header")])
def test_from_file_to_prediction(tmp_path, monkeypatch, call, options):
    monkeypatch.chdir(tmp_path)
    rows = [f" {i % 7}.5   {-i % 5}  {'up' if i % 7 > 3 else 'down'}" for i in range(60)]
    Path("train.data").write_text("\n".join(rows) + "\n")
    status, _, err = call("train", "train.data", "-m", "m", "--epochs", "20", "-q", *options)
    assert (status, err) == (0, "")
    Path("new.data").write_text("".join(row.rsplit(maxsplit=1)[0] + "\n" for row in rows))
    status, out, err = call("predict", "m", "new.data", "-q")
    assert (status, err) == (0, "")
    assert out.split() == [row.split()[-1] for row in rows]


def test_a_repeated_name_of_a_wide_header_is_found_at_once(write):
    names = ",".join(f"gene{j}" for j in range(30_000))
    begin = process_time()
    with pytest.raises(DataError, match="found the column 'gene29999' twice"):
        open_stream(write("a.csv", f"{names},gene29999,y\n"))
    assert process_time() - begin < 5  # seconds; with a count of each name it took a minute


def test_many_malformed_rows_take_time_in_proportion_to_their_number():
    begin = process_time()
    assert list(records_of_width(['"a"b\n'] * 50_000, 1, ",", True)) == []
    assert process_time() - begin < 5  # seconds; with a copy of the rest for each, ten
