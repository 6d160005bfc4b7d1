"""Header and rows of ARFF: types, quotes, sparse rows, and what is refused."""

import csv
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.streams import DataError
from rosenblatt.streams.formats.arff_rows import Relation, as_csv, read_relation


def relation_of(*attributes):
    lines = "".join(f"@attribute {attribute}\n" for attribute in attributes)
    return read_relation("a.arff", f"@relation r\n{lines}@data\n".encode())


@pytest.mark.parametrize(
    ("attribute", "name", "kind", "default"),
    [
        ("x numeric", "x", "number", "0"),
        ("x\tREAL % of something", "x", "number", "0"),
        ("'the x' Integer", "the x", "number", "0"),
        (r"'it\'s' string", "it's", "string", ""),
        ('"a{b" {a}', "a{b", "category", "a"),
        ("x{a,b}", "x", "category", "a"),
        ("x { 'a, %', b }", "x", "category", "a, %"),
        ("x date", "x", "date", ""),
        ("x DATE \"yyyy-MM-dd'T'HH:mm:ss\"", "x", "date", ""),
        ("x date dd.MM.yyyy", "x", "date-dmy", ""),
        ("x date 'MM/dd/yy'", "x", "date-mdy", ""),
        ("x date 'dd MMM yyyy'", "x", "date", ""),
        ("x date 'HH:mm'", "x", "time", ""),
        ("über real", "über", "number", "0"),
    ],
)
def test_types(attribute, name, kind, default):
    assert relation_of("first real", attribute) == Relation(
        {"first": "number", name: kind}, ("0", default), 4
    )


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (["x relational"], "2: column 'x': found the type 'relational', expected numeric, real"),
        (["x"], "2: column 'x': found the type ''"),
        (["x {a,'b}"], "2: column 'x': found the type"),
        (["x date 'dd'"], "2: column 'x': found the type"),
        (["x real", "x real"], "4: found the column 'x' twice"),
        (["'x real"], "2: found .*, expected @attribute, a name and a type"),
        ([], "2: found no @attribute before @data"),
    ],
)
def test_headers_that_are_refused(attributes, message):
    with pytest.raises(DataError, match=f"a.arff:{message}"):
        relation_of(*attributes)


TWO = Relation({"a": "string", "b": "category"}, ("", "c"), 4)
words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1)


@given(words, words)
def test_quoted_cells_come_back(one, other):
    def quoted(word):
        return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"

    for line in (f"{quoted(one)} , {quoted(other)}", f"{{0 {quoted(one)},1 {quoted(other)}}}"):
        text = as_csv(f"{line}\n%\n".encode(), TWO).decode()
        assert text.endswith("\n\n")
        assert next(csv.reader([text[:-1]], strict=True)) == [one, other]


@pytest.mark.parametrize(
    "line", [b"'a,b", b"a'b,c", b"{0 a, 0 b}", b"{1 a, 0 b}", b"{2 a}", b"{0}", b"{x a}", b"{,}"]
)
def test_lines_that_cannot_be_read_are_no_records(line):
    with pytest.raises(csv.Error):
        list(csv.reader([as_csv(line, TWO).decode()], strict=True))


@given(st.binary())
def test_every_line_stays_a_line(text):
    assert as_csv(text, TWO).count(b"\n") == text.count(b"\n")


BLANKS = " " * 100_000


@pytest.mark.parametrize(
    "line",
    [
        f"1,{BLANKS}'b,{BLANKS}",
        f"1,{BLANKS}b{BLANKS}'",
        f"'a'{BLANKS}b,{BLANKS}c",
        f"{{0{BLANKS}a{BLANKS}b}}",
        f"{{{'1' * 100_000}}}",
    ],
)
def test_long_lines_are_refused_in_linear_time(line):
    begin = time.process_time()
    assert as_csv(line.encode(), TWO).startswith(b'""?')
    assert time.process_time() - begin < 1


@pytest.mark.parametrize(
    "type", [f"{{a,{BLANKS}'b}}", f"{{a{BLANKS}b'}}", f"date {BLANKS}x y", " %" * 50_000 + "'"]
)
def test_long_types_are_refused_in_linear_time(type):
    begin = time.process_time()
    with pytest.raises(DataError, match="found the type"):
        relation_of(f"x {type}")
    assert time.process_time() - begin < 1
