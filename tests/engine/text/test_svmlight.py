import bz2
import io
import lzma
import math
import mmap
import os
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import share, thorough

from rosenblatt.engine.text.scanning import TextError
from rosenblatt.engine.text.svmlight import LARGEST_INDEX, parse

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


def rows_of(parsed):
    """[(label, [(index, value), ...]), ...]"""
    bounds = parsed.indptr.tolist()
    entries = list(zip(parsed.indices.tolist(), parsed.data.tolist(), strict=True))
    return [
        (label, entries[start:stop])
        for label, start, stop in zip(parsed.labels.tolist(), bounds, bounds[1:], strict=False)
    ]


NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
ROW = re.compile(rf"({NUMBER})(?:[ \t]+qid:[0-9]+)?((?:[ \t]+[0-9]+:{NUMBER})*)[ \t]*")


def oracle(text):
    """Parse by the grammar as regular expressions; ValueError if the text is malformed."""
    rows = []
    for line in text.split("\n"):
        row = line.removesuffix("\r").partition("#")[0].strip(" \t")
        if not row:
            continue
        match = ROW.fullmatch(row)
        if not match:
            raise ValueError(line)
        entries = sorted(
            (int(index), float(value))
            for index, value in (token.split(":") for token in match[2].split())
        )
        indices = [index for index, _ in entries]
        label = float(match[1])
        numbers = [label, *(value for _, value in entries)]
        if len(set(indices)) < len(indices) or max(indices, default=0) > LARGEST_INDEX:
            raise ValueError(line)
        if not all(map(math.isfinite, numbers)):
            raise ValueError(line)
        rows.append((label, entries))
    return rows


def bits(values):
    return struct.pack(f"{len(values)}d", *values)


# --- exactly Python's float ----------------------------------------------------------------------

NUMBERS = """
    0 -0 +0 00 1 -1 +1 .5 5. -.5e1 5.E+1 1e0 1e00000000000000000000022 0e999999999999 0.0e-999
    9007199254740991 9007199254740992 9007199254740993 -9007199254740993 90071992547409930e-1
    9007199254740993e22 1e22 1e23 1e-22 1e-23 8.5e22 9007199254740992e-22 0.1 0.30000000000000004
    4503599627370496.5 4503599627370497.5 6929495644600919.5 7450580596923828125e-27
    2.2250738585072011e-308 2.2250738585072014e-308 4.9406564584124654e-324 2e-324 1e-400
    1.7976931348623157e308 1.7976931348623158e+308 179769313486231580e291
    000000000000000000000000000001 0.0000000000000000000000000000000000001
    899999999999999999 900000000000000000 900000000000000001 9000000000000000009e-19
    999999999999999999999999999999e-30 18446744073709551616 9223372036854775808
    123456789012345678901234567890123456789e-20 3.14159265358979323846264338327950288419716939937
    0.1000000000000000055511151231257827021181583404541015625
"""
HARD = NUMBERS.split()


@pytest.mark.parametrize("token", HARD)
def test_deferred_numbers(token):
    parsed = parse(f"{token} 7:{token}\n".encode())
    assert bits(parsed.labels) == bits(parsed.data) == bits([float(token)])


decimals = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.builds("{:.17g}".format, st.floats(-1e6, 1e6)),
    st.builds("{:.6f}".format, st.floats(-1e6, 1e6)),
    st.integers(-(2**70), 2**70).map(str),
    st.from_regex(r"[+-]?[0-9]{1,25}\.[0-9]{0,25}([eE][+-]?[0-9]{1,2})?", fullmatch=True).filter(
        str.isascii
    ),
)


@settings(deadline=None)
@given(st.lists(st.tuples(decimals, st.lists(decimals, max_size=6)), max_size=6))
def test_every_number_is_pythons_float(rows):
    lines = [
        " ".join([label, *(f"{k}:{value}" for k, value in enumerate(values))]) + "\n"
        for label, values in rows
    ]
    parsed = parse("".join(lines).encode())
    assert bits(parsed.labels) == bits([float(label) for label, _ in rows])
    assert bits(parsed.data) == bits([float(value) for _, values in rows for value in values])


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([-1.0, 1.0, 3.0, 0.5]),
            st.dictionaries(
                st.integers(0, LARGEST_INDEX), st.floats(allow_nan=False, allow_infinity=False)
            ),
        )
    ),
    st.booleans(),
)
def test_written_rows_are_read_back(rows, ends):
    text = "\n".join(
        " ".join([repr(label), *(f"{j}:{x!r}" for j, x in entries.items())])
        for label, entries in rows
    )
    parsed = parse(text.encode() + (b"\n" if ends else b""))
    assert repr(rows_of(parsed)) == repr([(label, sorted(e.items())) for label, e in rows])


@thorough(300)
@given(
    st.lists(
        st.sampled_from(
            [
                "1",
                "0",
                "23",
                ":",
                " ",
                "\t",
                "\n",
                "\r\n",
                "#",
                "qid:",
                "1 2:3",
                " 7:1.5",
                *"-+.e,x\r",
            ]
        )
    )
)
def test_any_text_is_parsed_by_the_grammar_or_refused(pieces):
    text = "".join(pieces)
    try:
        expected = oracle(text)
    except ValueError:
        with pytest.raises(TextError):
            parse(text.encode())
    else:
        assert rows_of(parse(text.encode())) == expected


# --- what lines may look like --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (b"", []),
        (b"\n \n\t\r\n# only comments\n#", []),
        (b"1", [(1.0, [])]),
        (b"-1 2:3", [(-1.0, [(2, 3.0)])]),
        (b"+1\t2:3 \t 4:5 \t\n", [(1.0, [(2, 3.0), (4, 5.0)])]),
        (b"  1.5 2:3\r\n2 1:1\r\n", [(1.5, [(2, 3.0)]), (2.0, [(1, 1.0)])]),
        (b"1 2:3\r", [(1.0, [(2, 3.0)])]),
        (b"1 2:3 # 4:5 x\n1 2:3#4\n1# no\n", [(1.0, [(2, 3.0)]), (1.0, [(2, 3.0)]), (1.0, [])]),
        (b"3 qid:17 2:3\n1 qid:1\n", [(3.0, [(2, 3.0)]), (1.0, [])]),
        (b"1 9:1 0:2 5:3\n2 1:1\n", [(1.0, [(0, 2.0), (5, 3.0), (9, 1.0)]), (2.0, [(1, 1.0)])]),
        (b"1 2147483646:1 007:2\n", [(1.0, [(7, 2.0), (2147483646, 1.0)])]),
    ],
)
def test_lines(text, rows):
    assert rows_of(parse(text)) == rows


def test_types_and_starts():
    parsed = parse(b"# x\n 1 1:2\n\n2 3:4 5:6\n")
    assert [array.dtype.name for array in parsed[:5]] == [
        "float64",
        "float64",
        "int32",
        "int64",
        "int64",
    ]
    assert parsed.indptr.tolist() == [0, 1, 3]
    assert parsed.starts.tolist() == [5, 12]
    assert parsed.lines == 4


def test_plain_text_is_ascii_without_nul():
    for comment, plain in ((b"", True), ("é".encode(), False), (b"\0", False), (b"\x7f", True)):
        assert parse(b"1 1:2 # " + comment + b"\n").plain is plain


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_buffers(kind):
    assert rows_of(parse(kind(b"1 2:3\n"))) == [(1.0, [(2, 3.0)])]


def test_arrays_and_memory_maps_are_not_changed(tmp_path):
    array = np.frombuffer(b"1 9:1 2:3", np.uint8).copy()
    assert rows_of(parse(array)) == [(1.0, [(2, 3.0), (9, 1.0)])]
    assert array.flags.writeable
    assert array.tobytes() == b"1 9:1 2:3"
    path = tmp_path / "x.svm"
    path.write_bytes(b"1 2:3\n")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert rows_of(parse(memoryview(mapped))) == [(1.0, [(2, 3.0)])]


# --- what is refused, and where ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("1 1:2\n1 x:2\n", 2, 3, "found 'x:2', expected a whole number before ':'"),
        ("1 1:2\n\n# c\n-1 3:\n", 4, 4, "'3:', expected a number after ':'; the line may be torn"),
        ("1 1:2\n-1 3", 2, 4, "'3', expected index:value"),
        ("1 1:2 3:x", 1, 7, "'3:x', expected a decimal number"),
        ("1 1:2 3:4x", 1, 7, "'3:4x', expected a decimal number"),
        ("1 1:2:3", 1, 3, "'1:2:3', expected a decimal number"),
        ("1 1:1_0", 1, 3, "'1:1_0', expected a decimal number"),
        ("1 1:0x10", 1, 3, "expected a decimal number"),
        ("1 1:1e", 1, 3, "expected a decimal number"),
        ("1 1:.", 1, 3, "expected a decimal number"),
        ("1 1:-", 1, 3, "expected a decimal number"),
        ("1 1: 2", 1, 3, "'1:', expected a number"),
        ("1 1:#2", 1, 3, "'1:', expected a number"),
        ("1 1 :2", 1, 3, "'1', expected index:value"),
        ("1 :2", 1, 3, "':2', expected a whole number before"),
        ("1 1.5:2", 1, 3, "expected a whole number before"),
        ("1 +1:2", 1, 3, "expected a whole number before"),
        ("1 -1:2", 1, 3, "'-1:2', expected an index of 0 or more"),
        ("1 2147483647:2", 1, 3, "expected an index of at most 2147483646"),
        ("1 99999999999999999999999:2", 1, 3, "expected an index of at most 2147483646."),
        ("1 18446744073709551617:2", 1, 3, "expected an index of at most"),
        ("1 1:nan", 1, 3, "'1:nan', expected a finite value"),
        ("1 1:-Infinity", 1, 3, "expected a finite value"),
        ("1 1:2 2:1e400", 1, 7, "'2:1e400', expected a number that fits a float64"),
        ("1e999 1:2", 1, 1, "'1e999', expected a number that fits a float64"),
        ("1 3:4 1:2 3:5 1:2", 1, 11, "'3:5', but this row has that index already"),
        ("1 1:1\n1 qid:3 1:2 1:2", 2, 13, "'1:2', but this row has that index already"),
        ("1 1:1\nnan 1:2", 2, 1, "'nan', expected a finite label"),
        ("-inf 1:2", 1, 1, "expected a finite label"),
        ("spam 1:2", 1, 1, "'spam', expected a number as the label"),
        ("\t1:2 2:3", 1, 2, "'1:2', expected a label before"),
        ("1,2 3:4", 1, 1, "'1,2', but a row has one label"),
        ("1 qid:x 3:4", 1, 3, "expected qid:N"),
        ("1 3:4 qid:1", 1, 7, "expected qid:N"),
        ("1 1:2\r2 1:3", 1, 3, r"expected a decimal number"),
        ("1 1:2\u00a03:4", 1, 3, "expected a decimal number"),
        ("1 1:2 " + 99 * "y", 1, 7, r"y{37}\.\.\.', expected index:value"),
        ("1 1:2 1:3\n1 x", 1, 7, "has that index already"),
        ("1 1:1e999\n1 1:2 1:2\nx", 1, 3, "fits a float64"),
    ],
)
def test_malformed_tokens_are_refused(text, line, column, message):
    for end in ("", "\n", "\n1 1:1\n", "\r\n"):
        with pytest.raises(TextError, match=message) as caught:
            parse((text + end).encode())
        assert (caught.value.line, caught.value.column) == (line, column)
        assert str(caught.value).startswith(f"line {line}, column {column}: found ")


def test_lines_count_from_the_first():
    with pytest.raises(TextError) as caught:
        parse(b"1 1:2\nx\n", first_line=1001)
    assert caught.value.line == 1002


# --- real data, and without the compiler ---------------------------------------------------------

FILES = [
    *("a1a/a1a.xz", "a1a/a1a.t.xz", "heart_scale/heart_scale", "letter/letter.scale.xz"),
    *("pendigits/pendigits.xz", "mushroom/agaricus_train.txt.xz", "ijcnn1/ijcnn1.trn.bz2"),
]
OPENERS = {".xz": lzma.open, ".bz2": bz2.open}


def read_shared(name):
    path = DATA / name
    if not path.exists():
        if os.environ.get("ROSENBLATT_REQUIRE_DATA"):
            pytest.fail(f"ROSENBLATT_REQUIRE_DATA is set, but {path} is not there")
        pytest.skip(f"{path} is not there")
    with OPENERS.get(path.suffix, open)(path, "rb") as file:
        return b"".join(file.readlines(1_000_000))


@pytest.mark.parametrize("name", share(FILES, 3, 0))
def test_real_data_as_scikit_learn_reads_it(name):
    from sklearn.datasets import load_svmlight_file

    text = read_shared(name)
    X, y = load_svmlight_file(io.BytesIO(text), zero_based=True)
    parsed = parse(text)
    np.testing.assert_array_equal(parsed.labels, y)
    np.testing.assert_array_equal(parsed.indptr, X.indptr)
    np.testing.assert_array_equal(parsed.indices, X.indices)
    tokens = re.findall(rb":(\S+)", text)
    assert bits(parsed.data) == bits([float(token) for token in tokens])


@pytest.mark.parametrize("end", ["\n", "\r\n", " # a comment\n"])
def test_rows_without_labels_equal_those_with(end):
    bare = ["1:0.5 7:2", "2:1e-3", "qid:3 4:5 1:2", "", "9:0.1234567890123456789"]
    labelled = "".join(f"0 {row}{end}" if row else end for row in bare)
    with_labels = rows_of(parse(labelled.encode()))
    without = parse("".join(row + end for row in bare).encode(), labelled=False)
    assert [entries for _, entries in rows_of(without)] == [entries for _, entries in with_labels]
    assert without.labels.tolist() == [0.0] * 4


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"1:2\n1 1:2\n", "line 2, column 1: found '1', expected index:value."),
        (b"1:2\n1:2 3:x\n", "line 2, column 5: found '3:x', expected a decimal number"),
        (b"qid:1 4:1 2:1 4:3\n", "line 1, column 15: found '4:3', but this row has that index"),
        (b"1:1e999\n", "line 1, column 1: found '1:1e999', expected a number that fits"),
    ],
)
def test_errors_of_rows_without_labels_have_their_position(text, problem):
    with pytest.raises(TextError, match=re.escape(problem)):
        parse(text, labelled=False)


@pytest.mark.parametrize("token", ["8:1", "0008:1", "99999999999999999999:1", "8:x"])
def test_a_limit_of_the_indices(token):
    assert parse(b"1 7:2\n", largest=7).indices.tolist() == [7]
    with pytest.raises(TextError, match=f"line 2, column 3: found '{token}', .* at most 7: number"):
        parse(f"1 7:2\n1 {token}\n".encode(), largest=7)
