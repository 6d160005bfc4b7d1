"""CSV and TSV tables: headers, targets, cells, and every malformed line."""

import csv
import io
import re
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stream_rows import refused, rows_of

from rosenblatt.streams import Batch, DataError, open_stream
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.formats.delimited import TableStream
from rosenblatt.streams.io.files import Pipe, Text
from rosenblatt.streams.io.lines import LineBlock


def test_a_table_with_another_separator_is_guessed(write):
    refused(write("a.csv", b"a;b;y\n1;2;3\n"), "If ';' separates the columns: --separator ';'", 1)


CSV = 'age,"height, m",kind\r\n1, 2.5 ,oak\r\n\r\n-3,.5e1,"elm ""old"""\r\n'


CSV_ROWS = [([1.0, 2.5], "oak"), ([-3.0, 5.0], 'elm "old"')]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt"])
def test_tables(write, name):
    text = CSV.replace(",", "\t").replace('height\t m"', 'height, m"') if "tsv" in name else CSV
    format = None if name != "a.txt" else "csv"
    stream = open_stream(write(name, text), format=format)
    assert stream.format == name[2:].replace("txt", "csv")
    assert (stream.feature_names, stream.target) == (["age", "height, m"], "kind")
    assert (stream.sparse, stream.labelled, stream.index_base) == (False, True, None)
    assert rows_of(stream) == CSV_ROWS == rows_of(stream)
    (batch,) = stream
    assert isinstance(batch, Batch)
    assert batch.X.flags.c_contiguous


@pytest.mark.parametrize(
    ("header", "target", "chosen"),
    [
        ("a,b,c", None, "c"),
        ("a,y,c", None, "y"),
        ("y,Class,c", None, "Class"),
        ("class,label,c", None, "label"),
        ("label,TARGET,c", None, "TARGET"),
        ("label,b,c", "b", "b"),
        ("0,1,2", None, "2"),
        ("label,1,2", None, "label"),
    ],
)
def test_the_target(write, header, target, chosen):
    stream = open_stream(write("a.csv", f"{header}\n1,2,3\n"), target=target)
    assert stream.target == chosen
    assert stream.feature_names == [name for name in header.split(",") if name != chosen]
    assert rows_of(stream)[0][1] == header.split(",").index(chosen) + 1


def test_tables_without_labels(write):
    path = write("a.csv", "a,y\n1,2\n")
    for target, names, values in [(None, ["a", "y"], [1.0, 2.0]), ("y", ["a"], [1.0])]:
        stream = open_stream(path, target=target, labelled=False)
        assert (stream.labelled, stream.feature_names) == (False, names)
        assert [(batch.X.tolist(), batch.y) for batch in stream] == [([values], None)]
    stream = open_stream(path, target="kind", labelled=False)
    assert (stream.feature_names, stream.target) == (["a", "y"], None)


@pytest.mark.parametrize("batch_bytes", [1, 8, 1 << 20])
@pytest.mark.parametrize(
    ("content", "line", "column", "message"),
    [
        (
            "x,y\n1,1\nabc,1\n",
            3,
            1,
            "column 'x': found 'abc', expected a number: encode the column",
        ),
        ("x,y\n1,1\n1_0,1\n", 3, 1, "column 'x': found '1_0', expected a number"),
        ("x,y\n1,1\n\u0661,1\n", 3, 1, "column 'x': found '\u0661', expected a number"),
        ("x,y\n1,1\n,1\n", 3, 1, "column 'x': found nothing, expected a number: fill it in"),
        ("x,y\n1,1\nNaN,1\n", 3, 1, "column 'x': found 'NaN', expected a finite number"),
        ("x,y\n1,1\n-inf,1\n", 3, 1, "column 'x': found '-inf', expected a finite number"),
        ("x,y\n1,1\n1e999,1\n", 3, 1, "column 'x': found '1e999', .* fits a float64"),
        ("x,y\n1,1\n2,\n", 3, None, "column 'y': found nothing, expected a label"),
        ("x,y\n1,1\n2,nan\n", 3, None, "column 'y': found 'nan', expected a label"),
        ("x,y\n1,1\n2\n", 3, 1, "found 1 fields, expected the 2 of the header"),
        ("x,y\n1,1\n2,3,4\n", 3, 1, "found 3 fields, expected the 2 of the header"),
        ("x,y\n1,a\nb,a\n2\n", 3, 1, "column 'x': found 'b'"),
        ('x,y\n1,"a\nb"\n\n2,"a\nb"\nz,c\n', 7, 1, "column 'x': found 'z'"),
        ('x,y\n1,"a\n2,b\n', 2, 4, "a field that cannot be read .* check its quotes"),
        ('x,y\n1,"a"b\n', 2, 4, "a field that cannot be read .* check its quotes"),
        ("x,y\n1,a\r2,b\r", 2, 3, "a field that cannot be read"),
        ("x,y\n", None, None, "no rows: found a header only"),
        ("\n\n", None, None, "no rows"),
        ("y\n1\n", 1, None, "a single column"),
        ("x,,y\n1,2,3\n", 1, None, "column 2 of the header has no name"),
        ("x, x,y\n1,2,3\n", 1, None, "found the column 'x' twice"),
        ("5.1,3.5,oak\n1,2,elm\n", 1, None, "found the number '5.1', expected a header line"),
        ("1,1,0\n1,2,1\n", 1, None, "found the number '1', expected a header line"),
    ],
)
def test_bad_tables(write, content, line, column, message, batch_bytes):
    refused(write("bad.csv", content), message, line, column, batch_bytes=batch_bytes)


def test_bad_bytes_in_tables(write):
    refused(write("a.csv", b"x,y\n1,caf\xe9\n"), "byte 0xe9, expected UTF-8", 2, 6)
    refused(write("b.csv", b"x,y\n1,a\n1,\x00\n"), "NUL byte", 3, 3)
    refused(write("c.csv", "x,y\n1,2\n".encode("utf-16")), "byte 0xff, expected UTF-8", 1, 1)


def test_a_missing_target(write):
    path = write("a.csv", "petal,species\n1,2\n")
    refused(
        path,
        "no column 'specis' .* 'petal', 'species'. Did you mean 'species'?",
        1,
        target="specis",
    )
    refused(path, "the columns are 'petal', 'species'.$", 1, target="zzz")


cells = st.floats(allow_nan=False, allow_infinity=False)


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@settings(deadline=None)
@given(st.lists(st.tuples(cells, words, cells), min_size=1), st.integers(1, 100))
def test_written_tables_come_back(rows, size):
    written = io.StringIO(newline="")
    csv.writer(written).writerows(
        [("a", "kind", "b"), *((x, f"'{word}'", z) for x, word, z in rows)]
    )
    text = written.getvalue().encode()
    pieces = (text[k : k + size] for k in range(0, len(text), size))
    head = LineBlock(1, text[: text.index(b"\n") + 1])
    read_options = ReadOptions(target="kind", batch_bytes=size)
    stream = TableStream(Text("csv", Pipe("made", pieces, size), head, read_options))
    read = [
        (x, label, z)
        for X, y, *_ in stream
        for (x, z), label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    assert repr(read) == repr([(x, f"'{word}'", z) for x, word, z in rows])


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.csv", "1,oak,0\n2,elm,1\n", {"header": False}),
        ("a.data", "1,oak,0\n2,elm,1\n", {"header": False}),
        ("a.data", "\n1\toak\t0\n2\telm\t1\n", {"header": False}),
        ("a.csv", "1;oak;0\n2;elm;1\n", {"header": False, "separator": ";"}),
        ("a", "1|oak|0\n2|elm|1\n", {"column_names": ["c1", "c2", "c3"], "separator": "|"}),
        ("a.data", " 1   oak  0\n2 elm\t1  \n", {"header": False}),
        ("a", "c1  c2   c3\n1 oak 0\n2   elm  1\n", {}),
        ("a.csv", "c1 c2\t c3\r\n\r\n1  oak 0 \r\n2 elm 1", {"separator": " "}),
        ("a.tsv", "c1 c2 c3\n".replace(" ", ";") + "1;oak;0\n2;elm;1\n", {"separator": ";"}),
    ],
)
def test_tables_without_a_header_or_with_another_separator(write, name, text, options):
    path = write(name, text)
    stream = open_stream(path, **options)
    assert rows_of(stream) == [([1.0, 1.0], 0), ([2.0, 0.0, 1.0], 1)]
    assert (stream.feature_names, stream.target) == (["c1", "c2=oak", "c2=elm"], "c3")
    noted = stream.noted()
    again = {key: noted[key] for key in ("separator", "header", "column_names") if key in noted}
    assert rows_of(open_stream([path, path], **again))[2:] == rows_of(stream)


def test_rows_without_the_label_and_without_a_header(write):
    options = {"column_names": ["kind", "a", "b"], "target": "kind"}
    stream = open_stream(write("a.csv", "1,2\n"), labelled=False, **options)
    assert (stream.feature_names, next(iter(stream)).X.tolist()) == (["a", "b"], [[1.0, 2.0]])
    refused(
        write("b.csv", "1,2\n"), "found 2 fields, expected the 3 columns kind, a, b:", 1, **options
    )


def test_a_row_of_another_width_without_a_header_names_the_option(write):
    path = write("a.csv", "1,2,3\n4,5\n")
    refused(
        path, "found 2 fields, expected the 3 columns c1 to c3 of --no-header", 2, 1, header=False
    )
    names = {"column_names": ["a", "b", "y"]}
    refused(path, "found 2 fields, expected the 3 of --names: complete the row", 2, 1, **names)
    path = write("b.csv", "1,2\n4,5,6\n")
    refused(path, "found 2 fields, expected the 3 columns a, b, y: --names gives", 1, **names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("39,State-gov,<=50K\n50,Private,>50K\n", "found the number '39'.*--no-header, or --names"),
        ("p,x,x\nq,y,z\n", "found the column 'x' twice.*--no-header"),
        ("p,,x\nq,y,z\n", "column 2 of the header has no name.*--no-header"),
        ("sep=,\nx,y\n1,a\n", "a line for Excel, .* remove it, for instance with sed 1d"),
        (",p,x\n0,y,z\n", r"column 1 of the header has no name.*index=False.*sed '1s/\^/id/'"),
        ('"a";"b"\n1;2\n', "cannot be read.* --separator ';'"),
        ("a|b\n1|2\n", "a single column.*--separator '|'"),
    ],
)
def test_the_error_of_an_unusual_table_names_the_option(write, text, message):
    refused(write("a.csv", text), message, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"header": False}, "a single column.*--separator ';'"),
        ({"header": False, "target": "c3"}, "a single column.*--separator ';'"),
        ({"column_names": ["a", "b", "c"]}, "found 1 field"),
        ({"target": "y"}, "a single column.*--separator ';'"),
    ],
)
def test_the_error_of_another_separator_names_the_option(write, options, message):
    first = "x1;x2;y" if "header" not in options and "column_names" not in options else "1;2;a"
    refused(write("a.csv", f"{first}\n3;4;b\n"), message, 1, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separator": ";;"}, "separator must be one character such as ';'"),
        ({"separator": '"'}, "separator must be one character"),
        ({"column_names": ["a", "a"]}, "column_names must be distinct"),
        ({"column_names": ["a", "b"], "header": True}, "column_names does not go with a header"),
        ({"format": "vw", "header": False}, "header does not go with Vowpal Wabbit text"),
    ],
)
def test_wrong_options_of_the_layout(write, options, message):
    with pytest.raises(ValueError, match=message):
        open_stream(write("a.csv", "1,2\n"), **options)


# --- decimal commas ------------------------------------------------------------------------------


def test_decimal_commas_give_the_bits_of_points(tmp_path):
    """Words keep their commas and points; the columns of CSV are then separated by semicolons."""
    numbers = ["0.1", "-2.5e-3", "1e22", "9007199254740993", "0.30000000000000004", "7.", ".5"]
    lines = [f"{x};Elm, no. {k};{k % 2}" for k, x in enumerate(numbers)]
    text = "\n".join(["a;tree;y", *lines])
    (tmp_path / "point.csv").write_text(text)
    (tmp_path / "comma.csv").write_text("\n".join(["a;tree;y", *(swapped(line) for line in lines)]))
    wanted = open_stream(tmp_path / "point.csv", separator=";")
    stream = open_stream(tmp_path / "comma.csv", decimal=",")
    X, y = stream.read()
    assert X.toarray().tolist() == wanted.read()[0].toarray().tolist()
    assert (y.tolist(), stream.feature_names) == (wanted.read()[1].tolist(), wanted.feature_names)
    assert stream.noted()["decimal"] == ","
    assert "decimal" not in wanted.noted()


def swapped(line):
    number, rest = line.split(";", 1)
    return f"{number.replace('.', ',')};{rest}"


def test_decimal_commas_in_tsv_and_with_missing_numbers(tmp_path):
    (tmp_path / "a.tsv").write_text("a\ty\n1,5\t1\n-9,0\t2\n2,5\t1\n")
    X, _ = open_stream(tmp_path / "a.tsv", decimal=",", missing="-9").read()
    assert X.ravel().tolist() == [1.5, 1.5, 2.5]


@pytest.mark.parametrize("cell", ["1.5", "1.234,5", "1,5,5"])
def test_points_in_numbers_with_decimal_commas_are_refused(tmp_path, cell):
    (tmp_path / "a.csv").write_text(f"a;y\n1,5;1\n{cell};2\n")
    message = (
        f"a.csv:3:1: .*'{re.escape(cell)}', expected a number with a comma before its decimals"
    )
    with pytest.raises(DataError, match=message):
        open_stream(tmp_path / "a.csv", decimal=",").read()


def test_a_decimal_mark_that_separates_columns_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("a,y\n1,1\n")
    for options in ({"decimal": ";"}, {"decimal": ",", "separator": ","}):
        with pytest.raises(ValueError, match="decimal must be"):
            open_stream(tmp_path / "a.csv", **options)


def test_many_different_bad_labels_take_time_in_proportion_to_their_number(write):
    rows = "1,1\n" * 300_000 + "".join(f"1,w{k}\n" for k in range(130_000))
    stream = open_stream(write("a.csv", f"x,y\n{rows}"), batch_bytes=1 << 20)
    begin = process_time()
    with pytest.raises(DataError, match="found 'w0', but all labels before are numbers"):
        list(stream)
    assert process_time() - begin < 4  # seconds; with a search of all rows for each, 20
