"""Tables separated by blanks: what is one, quoted cells, line numbers, from file to prediction."""

from pathlib import Path

import pytest

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.formats.blanks import is_blank_separated


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
