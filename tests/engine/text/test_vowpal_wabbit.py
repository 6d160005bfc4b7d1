import math
import struct
from contextlib import suppress
from itertools import islice, pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import thorough
from real_data import real_data
from sklearn.feature_extraction import FeatureHasher
from vw_twin import LineError, Row, rows_of

from rosenblatt.engine.text.scanning import TextError
from rosenblatt.engine.text.vowpal_wabbit import parse

MARKS = b" \t\n\r:|'"


def digest_of(parsed):
    """[(label, weight, [(column, value), ...]), ...], with every bit in its text."""
    columns, data, indptr = (array.tolist() for array in parsed.rows)
    entries = list(zip(columns, data, strict=True))
    pairs = pairwise(indptr)
    heads = zip(parsed.labels.tolist(), parsed.weights.tolist(), strict=True)
    return repr([(*head, entries[a:b]) for head, (a, b) in zip(heads, pairs, strict=True)])


def expected_digest(rows, bits):
    return repr([(row.label, row.weight, row.hashed(bits)) for row in rows])


def agrees(text, bits, labelled=True):
    """Check that the text is read as the twin reads it, or refused at its line."""
    try:
        rows = rows_of(text, labelled)
    except LineError as wrong:
        number, _ = wrong.args
        with pytest.raises(TextError) as caught:
            parse(text, bits, labelled)
        assert caught.value.line == number
        assert 1 <= caught.value.column <= len(text.split(b"\n")[number - 1]) + 1
    else:
        parsed = parse(text, bits, labelled, tagged=True)
        assert digest_of(parsed) == expected_digest(rows, bits)
        tags = [row.tag for row in rows]
        assert (parsed.tags is None) == (not any(tags))
        assert parsed.tags is None or parsed.tags.tolist() == tags
        assert parse(text, bits, labelled).tags is None


# --- made rows come back -------------------------------------------------------------------------

numbers = st.floats(-1e100, 1e100)
names = st.binary(min_size=1, max_size=20).map(lambda name: name.translate(None, MARKS))
written = names.filter(bool)
features = st.lists(st.tuples(written, st.one_of(st.none(), numbers)), max_size=9)
namespaces = st.lists(st.tuples(names, st.one_of(st.none(), numbers), features), min_size=1)


def feature_text(name, value):
    return name if value is None else name + b":" + repr(value).encode()


def row_text(row):
    label, weight, tag, parts = row
    text = repr(label).encode() + b" "
    text += b"" if weight is None else repr(weight).encode() + b" "
    text += b"" if tag is None else b"'" + tag
    for name, scale, entries in parts:
        head = feature_text(name, scale if name else None)
        text += b" ".join([b"|" + head, *(feature_text(*entry) for entry in entries)])
    return text


rows = st.lists(
    st.tuples(
        numbers, st.one_of(st.none(), st.floats(0, 1e9)), st.one_of(st.none(), names), namespaces
    )
)


@settings(deadline=None)
@given(rows, st.integers(1, 30), st.sampled_from([b"\n", b"\r\n", b"\n\n"]), st.booleans())
def test_written_rows_are_read_back(rows, bits, end, ends):
    expected = [
        Row(
            label,
            1.0 if weight is None else weight,
            [
                (
                    space + b"^" + name if space else name,
                    (1.0 if value is None else value)
                    * (1.0 if scale is None or not space else scale),
                )
                for space, scale, entries in parts
                for name, value in entries
            ],
        )
        for label, weight, _, parts in rows
    ]
    text = end.join(map(row_text, rows)) + (end if ends else b"")
    assert digest_of(parse(text, bits)) == expected_digest(expected, bits)
    agrees(text, bits)


plain_names = st.text(st.characters(codec="utf-8", exclude_characters=MARKS.decode()), min_size=1)
spaces = st.dictionaries(
    st.one_of(st.just(""), plain_names),
    st.lists(st.tuples(plain_names, st.integers(-9, 9))),
    min_size=1,
)


@settings(deadline=None)
@given(st.lists(spaces, min_size=1), st.integers(1, 22))
def test_columns_are_those_of_the_feature_hasher(rows, bits):
    lines = [
        "".join(
            f"|{space} " + "".join(f"{name}:{value} " for name, value in entries)
            for space, entries in row.items()
        )
        for row in rows
    ]
    strings = [
        [
            (f"{space}^{name}" if space else name, value)
            for space, entries in row.items()
            for name, value in entries
        ]
        for row in rows
    ]
    columns, data, indptr = parse("\n".join(lines).encode(), bits, labelled=False).rows
    expected = FeatureHasher(2**bits, input_type="pair").transform(strings)
    assert columns.tolist() == expected.indices.tolist()
    assert data.tolist() == expected.data.tolist()
    assert indptr.tolist() == expected.indptr.tolist()


# --- any bytes -----------------------------------------------------------------------------------

PIECES = [
    *(bytes([mark]) for mark in MARKS),
    *(b"1", b"23", b"-1", b"0.5", b".", b"-", b"+", b"e", b"1e400", b"1e-400", b"nan", b"x"),
    *(
        b"\0",
        b"\xff",
        b"\x7f",
        b"1 ",
        b" |",
        b" | ",
        b"|ns ",
        b" a:2",
        b"\n1 |",
        b"\r\n",
        b":1e300",
    ),
    b"a-name-of-more-than-eight-letters",
    b"12345678901234567890123456789",
]


@thorough(500)
@given(st.lists(st.sampled_from(PIECES)).map(b"".join), st.booleans())
def test_any_text_is_parsed_by_the_grammar_or_refused(text, labelled):
    agrees(text, 6, labelled)


@thorough(300)
@given(st.binary(), st.booleans())
def test_any_bytes(text, labelled):
    agrees(text, 6, labelled)


@settings(deadline=None)
@given(rows.filter(bool), st.data())
def test_a_truncated_text_keeps_its_complete_rows(rows, data):
    text = b"\n".join(map(row_text, rows))
    agrees(text[: data.draw(st.integers(0, len(text)))], 10)


# --- what lines may look like --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (b"", []),
        (b"\n \n\t\r\n", []),
        (b"1 |", [(1, 1, [])]),
        (b"1 | \r\n", [(1, 1, [])]),
        (b"-1 | x", [(-1, 1, [(b"x", 1)])]),
        (b"+1\t|\tx:2 \t y:.5e1 \t\n", [(1, 1, [(b"x", 2), (b"y", 5)])]),
        (b"1 2.5 |f x y:-1", [(1, 2.5, [(b"f^x", 1), (b"f^y", -1)])]),
        (b"1 0 | x", [(1, 0, [(b"x", 1)])]),
        (b"1 2 'a-tag|f x", [(1, 2, [(b"f^x", 1)])]),
        (b"1 'a-tag | x", [(1, 1, [(b"x", 1)])]),
        (b"1 a-tag|f x", [(1, 1, [(b"f^x", 1)])]),
        (b"1 2|f x", [(1, 1, [(b"f^x", 1)])]),
        (b"1 '|f x", [(1, 1, [(b"f^x", 1)])]),
        (b"1 |f:3 x:2 y |g x", [(1, 1, [(b"f^x", 6), (b"f^y", 3), (b"g^x", 1)])]),
        (b"1 |f x|g y||h z", [(1, 1, [(b"f^x", 1), (b"g^y", 1), (b"h^z", 1)])]),
        (b"1 |f |f x x:2", [(1, 1, [(b"f^x", 1), (b"f^x", 2)])]),
        (b"1 | x:0 y:-0 z:1e-999", [(1, 1, [(b"x", 0), (b"y", 0), (b"z", 0)])]),
        (b"1 | x:1 x:2 y", [(1, 1, [(b"x", 1), (b"x", 2), (b"y", 1)])]),
        (b"1 | 17:2 a^b:3", [(1, 1, [(b"17", 2), (b"a^b", 3)])]),
        (b"1 |\xc3\xa9t\xc3\xa9 caf\xc3\xa9", [(1, 1, [("été^café".encode(), 1)])]),
        (b"1 | a\rb c\x01d", [(1, 1, [(b"a\rb", 1), (b"c\x01d", 1)])]),
        (b"1 | 12345678", [(1, 1, [(b"12345678", 1)])]),
        (b"1 | 1234567:8 123456789:1", [(1, 1, [(b"1234567", 8), (b"123456789", 1)])]),
    ],
)
def test_lines(text, rows):
    expected = [
        Row(float(label), float(weight), [(name, float(value)) for name, value in entries])
        for label, weight, entries in rows
    ]
    assert digest_of(parse(text, 18)) == expected_digest(expected, 18)
    assert [row._replace(tag="") for row in rows_of(text)] == expected


def test_a_namespace_separates_features():
    columns = parse(b"1 | x |f x |g x", 30).rows.columns
    assert len(set(columns.tolist())) == 3


def test_types_and_counts():
    parsed = parse(b"1 | x y\n\n2 | z\n", 18)
    kinds = [array.dtype.name for array in (parsed.labels, parsed.weights, *parsed.rows)]
    assert kinds == ["float64", "float64", "int32", "float64", "int64"]
    assert (parsed.lines, parsed.plain) == (3, True)
    assert not parse("1 | é".encode(), 18).plain
    assert not parse(b"1 | \0", 18).plain


def test_labels_are_optional_without_labelled():
    text = b"| x\n'tag | x\n1|f x\n2 | x\n"
    assert repr(parse(text, 18, labelled=False).labels.tolist()) == "[nan, nan, nan, 2.0]"


HARD = "12345678901234567890123.5 0.30000000000000001665334536937735 9007199254740993e22 5e-324"


@pytest.mark.parametrize("token", HARD.split())
def test_every_number_is_pythons_float(token):
    """The first needs more than 64 bits: it is parsed again as Python prints it."""
    number = float(token)
    parsed = parse(f"{token} {token} |f:{token} x:2\n1 | y:{token} z\n".encode(), 30)
    values = [abs(x) for x in parsed.rows.data.tolist()]
    bits = [struct.pack("d", x) for x in (parsed.labels[0], parsed.weights[0], *values[:1])]
    assert bits == [struct.pack("d", x) for x in (number, number, number * 2.0)]
    assert sorted(values[1:]) == sorted([number, 1.0])


def test_buffers_of_every_kind_give_the_same():
    array = np.frombuffer(b"1 | x\n", np.uint8)
    for buffer in (b"1 | x\n", memoryview(b"1 | x"), array, array.copy()):
        assert digest_of(parse(buffer, 18)) == expected_digest(rows_of(b"1 | x"), 18)


# --- what is refused, and where ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("1 | x\n1 x", 2, 3, "found no '|', expected .* the line may be torn"),
        ("1", 1, 1, "found no '|'"),
        ("1 | x\n\n1 ", 3, 3, "found no '|'"),
        ("| x", 1, 1, "found no label, expected a number before the bar"),
        (" 'tag | x", 1, 2, "found no label"),
        ("1|f x", 1, 1, "found '1', which touches the bar and so is a tag, no label"),
        ("abc | x", 1, 1, "found 'abc', expected a number as the label"),
        ("nan | x", 1, 1, "found 'nan', expected a finite label"),
        ("-inf | x", 1, 1, "found '-inf', expected a finite label"),
        ("1:0.5 2:1 | x", 1, 1, "found '1:0.5', expected one number as the label: costs"),
        ("1,2 | x", 1, 1, "found '1,2', expected one number as the label"),
        ("1 -2 | x", 1, 3, "found '-2', expected an importance of 0 or more"),
        ("1 two | x", 1, 3, "found 'two', expected a number as the importance, a tag"),
        ("1 2 0.5 | x", 1, 5, "found '0.5', expected '|'"),
        ("1 'a 'b | x", 1, 6, "found \"'b\", expected '|'"),
        ("1e400 | x", 1, 1, "found '1e400', expected a number that fits a float64"),
        ("1 | x |f y:1e999 z:", 1, 10, "found 'y:1e999', expected a number that fits a float64"),
        (
            "1 | x: |f y:1e999",
            1,
            5,
            "found 'x:', expected a number after ':'; the line may be torn",
        ),
        ("1 |f:1e300 x y:1e300", 1, 14, "found 'y:1e300', which times its namespace's scale"),
        ("1 | x:nan", 1, 5, "found 'x:nan', expected a finite number"),
        ("1 | x:Infinity", 1, 5, "found 'x:Infinity', expected a finite number"),
        ("1 | x:1:2", 1, 5, "found 'x:1:2', expected a decimal number after ':'"),
        ("1 | x:1_0", 1, 5, "expected a decimal number"),
        ("1 | x:0x1", 1, 5, "expected a decimal number"),
        ("1 | x:a", 1, 5, "expected a decimal number"),
        ("1 | x:2'", 1, 5, "expected a decimal number"),
        ("1 | x :2", 1, 7, "found ':2', expected a name before ':'"),
        ("1 |:2 x", 1, 4, "found ':2', expected a name before ':'"),
        ("1 |f:a x", 1, 4, "found 'f:a', expected a decimal number"),
        ("1 |f: x", 1, 4, "found 'f:', expected a number after ':'"),
        ("\ufeff1 | x", 1, 1, "expected a number as the label"),
        ("1 | " + "x" * 99 + ":a", 1, 5, "found 'x{37}...', expected a decimal"),
    ],
)
def test_malformed_tokens_are_refused(text, line, column, message):
    for end in ("", "\n", "\r\n", "\n1 | x\nabc"):
        with pytest.raises(TextError, match=message) as caught:
            parse((text + end).encode(), 18)
        assert (caught.value.line, caught.value.column) == (line, column)
    with pytest.raises(LineError):
        rows_of(text.encode())


# --- large, and real -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "unit", [b"x ", b"x:1 ", b"x:1e999 ", b"|", b"|f ", b"'", b"1 ", b"\r", b" ", b"x:" + b"9" * 30]
)
def test_a_line_of_megabytes_is_read_or_refused(unit):
    text = b"1 | a\n1 | " + unit * (1_000_000 // len(unit)) + b" b\n1 | c\n"
    with suppress(TextError):
        assert len(parse(text, 18).labels) == 3


@pytest.mark.parametrize("name", ["rcv1_small.dat.xz", "rcv1_multiclass.dat.xz"])
def test_real_text_is_read_as_the_oracle_reads_it(name):
    import lzma

    with lzma.open(real_data("rcv1_small", name)) as file:
        text = b"".join(islice(file, 300))
    parsed = parse(text, 18)
    assert len(parsed.labels) == 300
    agrees(text, 18)
    X = sp.csr_array((parsed.rows.data, parsed.rows.columns, parsed.rows.indptr))
    norms = np.sqrt(X.multiply(X).sum(axis=1))
    assert math.isclose(norms.mean(), 1.0, rel_tol=0.01)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"1 | a\n\n1 | b:1e308 b:1e308\n1 | c\n", 3),
        (b"1 | b:-1e308 b:-1e308\nbad\n", 1),
        (b"1 |n:10 b:1e307 c:1.7976931348623157e308\n\nbad\n", 1),
    ],
)
def test_a_sum_that_overflows_is_refused(text, line):
    with pytest.raises(TextError) as caught:
        parse(text, 18)
    assert caught.value.line == line
