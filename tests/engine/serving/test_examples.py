"""Examples that the core parses: those that Python takes, with the same bytes in the log."""

import contextlib
import gc
import json
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.engine.serving.examples import ExampleParser
from rosenblatt.engine.text.named_rows import Encoder
from rosenblatt.learning.online.features import one_hot
from rosenblatt.serve.http.call import decode_example
from rosenblatt.serve.schema import LARGEST, MAX_FEATURES, MAX_WORD, check_example
from rosenblatt.serve.store.log import encode_body

PARSER = ExampleParser(MAX_FEATURES, MAX_WORD, LARGEST)
LINE = b'{"features": {"a": 1.5, "b": true, "c": null, "d": "e"}, "label": "x", "weight": 2}'

NAMES = st.text(max_size=6) | st.sampled_from(["a", "b", "a=b", "b=", "ä", "\x00", "💡", '"', "\\"])
NUMBERS = (
    st.floats(-1e30, 1e30)
    | st.integers(-(10**25), 10**25)
    | st.sampled_from([0.0, -0.0, 5e-324, 2.2250738585072014e-308, 0.1, 1e22, 1e23])
)
VALUES = NUMBERS | st.booleans() | st.none() | NAMES
FEATURES = st.dictionaries(NAMES, VALUES, max_size=8)
LABELS = NAMES | st.booleans() | st.integers(-(2**63), 2**64)
EXAMPLES = st.fixed_dictionaries(
    {"features": FEATURES, "label": LABELS}, optional={"weight": st.floats(0.0, 1e30) | st.just(2)}
)
ANY = st.recursive(
    NUMBERS | st.floats() | st.booleans() | st.none() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["features", "label", "weight", "id", "other"])


def parse(line):
    """The block of one line; None if it is left."""
    block, left = PARSER.parse([line])
    assert (len(block), left) in [(1, []), (0, [0])]
    return None if left else block


def check(line):
    """A line that the core takes is one that Python takes, with the same row."""
    block = parse(line)
    if block is None:
        return False
    whole = decode_example(line)
    check_example(whole)
    row = (whole.features, whole.label, whole.weight)
    assert block.bodies == encode_body(row)
    assert struct.unpack("<q", block.ends) == (len(block.bodies),)
    assert block.labels == [whole.label]
    assert type(block.labels[0]) is type(whole.label)
    assert [w.hex() for w in block.weights(0, 1)] == [whole.weight.hex()]
    ours, theirs = ({}, {})
    parsed = Encoder(ours, None, lambda row, i: one_hot(row), 0)
    parsed.encode_row(block, 0, True)
    read = Encoder(theirs, None, lambda row, i: one_hot(row), 0)
    read.encode(whole.features, True)
    assert list(ours.items()) == list(theirs.items())
    for a, b in zip(parsed.arrays(), read.arrays(), strict=True):
        assert a.tobytes() == b.tobytes()
    return True


def text_of(value, ascii, spaces):
    separators = (" ,\t", "\r: ") if spaces else (",", ":")
    text = json.dumps(value, ensure_ascii=ascii, separators=separators)
    return text.encode("utf-8", "surrogatepass")


@given(EXAMPLES, st.booleans(), st.booleans())
@example({"features": {"a": "b", "c": -0.0}, "label": 1}, True, False)
@example({"features": {"a": None, "c": -0.0}, "label": True}, True, False)
def test_examples_are_those_of_python(value, ascii, spaces):
    check(text_of(value, ascii, spaces))


@given(st.dictionaries(KEYS, ANY | FEATURES | LABELS, max_size=4), st.booleans())
def test_what_is_no_example_is_left_or_is_one(value, ascii):
    check(text_of(value, ascii, False))


@given(EXAMPLES, st.data())
def test_damaged_lines_are_left_or_are_examples(value, data):
    line = bytearray(text_of(value, data.draw(st.booleans()), data.draw(st.booleans())))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(line) - 1))
        piece = data.draw(st.binary(max_size=3) | st.sampled_from(
            [b'"', b"\\u", b"\\ud800", b"{", b",", b":", b"e", b".", b"-", b"0", b"\x00", b"\xff"]
        ))  # fmt: skip
        line[at : at + data.draw(st.integers(0, 3))] = piece
    check(bytes(line))


@given(st.from_regex(rb"-?[0-9]{0,24}(\.[0-9]{0,24})?([eE][+-]?[0-9]{0,3})?", fullmatch=True))
def test_numbers_are_those_of_python(number):
    check(b'{"features": {"a": %b}, "label": "x"}' % number)
    check(b'{"features": {}, "label": "x", "weight": %b}' % number)
    check(b'{"features": {}, "label": %b}' % number)


@pytest.mark.parametrize("line", [
    LINE, b" \t" + LINE + b"\r", LINE.replace(b'"x"', b"-3"), LINE.replace(b'"x"', b"false"),
    LINE.replace(b"1.5", b"-1.25e-3"), LINE.replace(b'"a"', b'"\\u00e4\\ud83d\\udca1\\n"'),
    b'{"label": "\xc3\xa4", "features": {}}', b'{"features":{"a":12345678901234567890},"label":0}',
    b'{"features": {"a": 0.1234567890123456}, "label": 9007199254740991}',
])  # fmt: skip
def test_ordinary_lines_are_taken(line):
    assert check(line)


LEFT = [
    b"", b" ", b"{", b"{}", b"[]", b"null", LINE[:-1], LINE + b"}", LINE + b"\x00", b"\x00" + LINE,
    LINE.replace(b'"b"', b'"a"'), LINE.replace(b'"b"', b'"\\u0061"'),
    LINE.replace(b'"d"', b'"=d"'), LINE.replace(b'"weight"', b'"label"'),
    LINE.replace(b'"weight"', b'"id"'), LINE.replace(b"2}", b"-1}"), LINE.replace(b"2}", b"1e31}"),
    LINE.replace(b"1.5", b"01"), LINE.replace(b"1.5", b"1."), LINE.replace(b"1.5", b".5"),
    LINE.replace(b"1.5", b"+1"), LINE.replace(b"1.5", b"1e"), LINE.replace(b"1.5", b"1e31"),
    LINE.replace(b"1.5", b"1e400"), LINE.replace(b"1.5", b"NaN"), LINE.replace(b"1.5", b"Infinity"),
    LINE.replace(b"1.5", b"-0"), LINE.replace(b"1.5", b"[1]"), LINE.replace(b"1.5", b"9" * 4301),
    LINE.replace(b'"x"', b"1.0"), LINE.replace(b'"x"', b"9007199254740993"),
    LINE.replace(b'"x"', b"null"), LINE.replace(b'"e"', b'"\\ud800"'),
    LINE.replace(b'"e"', b'"\\udc00\\ud800"'), LINE.replace(b'"e"', b'"\xed\xa0\x80"'),
    LINE.replace(b'"e"', b'"\xff"'), LINE.replace(b'"e"', b'"\xc0\x80"'),
    LINE.replace(b'"e"', b'"\x01"'), LINE.replace(b'"e"', b'"\\x"'),
    LINE.replace(b'"e"', b'"%b"' % (b"e" * 1001)), LINE.replace(b'"x"', b'"%b"' % (b"x" * 1001)),
    b'{"features": ' + b'{"a": ' * 100_000, b"[" * 1_000_000, b'"' * 999_999,
    b'{"features": {"a": "' + b"\\" * 100_001, b'{"features": [1], "label": "x"}',
    b'{"features": "a text", "label": "x"}', b'{"label": "x"}', b'{"features": {}}',
]  # fmt: skip


@pytest.mark.parametrize("line", LEFT, ids=range(len(LEFT)))
def test_other_lines_are_left(line):
    assert parse(line) is None


def test_limits_are_those_that_were_given():
    parser = ExampleParser(2, 3, 10.0)
    lines = [
        b'{"features": {"a": 1, "b": 2, "c": 3}, "label": "x"}',
        b'{"features": {"abcd": 1}, "label": "x"}',
        b'{"features": {"a": 10.5}, "label": "x"}',
        b'{"features": {"abc": 10, "b": "cde"}, "label": "xyz"}',
    ]
    block, left = parser.parse(lines)
    assert (block.labels, left) == (["xyz"], [0, 1, 2])


def test_a_line_that_is_left_leaves_nothing_in_the_block():
    broken = b'{"features": {"p": 1, "q": 2, "p": 3}, "label": "z"}'
    block, left = PARSER.parse([LINE, broken, LINE, broken])
    assert (len(block), left, block.labels) == (2, [1, 3], ["x", "x"])
    alone = parse(LINE)
    assert block.bodies == 2 * alone.bodies
    vocabulary = {}
    Encoder(vocabulary, None, lambda row, i: row, 0).encode_row(block, 1, True)
    assert list(vocabulary) == ["a", "b", "d=e"]


def test_blocks_are_joined():
    lines = [b'{"features": {"a": %d}, "label": %d, "weight": %d}' % (j, j, j) for j in range(5)]
    whole, _ = PARSER.parse(lines)
    first, _ = PARSER.parse(lines[:2])
    second, _ = PARSER.parse(lines[2:])
    first.extend(second)
    assert (len(second), second.bodies, second.labels) == (0, b"", [])
    for block in (first, whole):
        assert block.labels == list(range(5))
        assert block.weights(0, 5) == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert (first.bodies, first.ends) == (whole.bodies, whole.ends)
    encoder = Encoder({}, None, lambda row, i: row, 0)
    encoder.encode_row(first, 3, True)
    assert encoder.arrays()[0].tolist() == [3.0]
    with pytest.raises(ValueError, match="itself"):
        first.extend(first)
    assert len(first) == 5


class Reentrant:
    """What the collector deletes, and then uses the parser."""

    def __init__(self):
        self.me = self

    def __del__(self):
        with contextlib.suppress(RuntimeError):
            PARSER.parse([LINE] * 3)


def test_the_parser_may_not_be_used_by_what_the_collector_deletes():
    thresholds = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(20):
            for _ in range(5):
                Reentrant()
            block, left = PARSER.parse([LINE.replace(b"x", b"y")] * 40)
            assert (block.labels, left) == (["y"] * 40, [])
    finally:
        gc.set_threshold(*thresholds)


@pytest.mark.parametrize(
    ("start", "stop"), [(-1, 1), (0, 3), (2, 1), (3, 3), (-(2**63), 2**63 - 1)]
)
def test_parts_of_a_block_lie_within_it(start, stop):
    block, _ = PARSER.parse([LINE, LINE])
    with pytest.raises(ValueError, match=r"lie within it|above stop"):
        block.weights(start, stop)


@pytest.mark.parametrize("i", [-1, 2, 2**63 - 1])
def test_only_rows_of_a_block_are_encoded(i):
    block, _ = PARSER.parse([LINE, LINE])
    vocabulary = {}
    with pytest.raises(ValueError, match="lie within it"):
        Encoder(vocabulary, None, lambda row, i: row, 0).encode_row(block, i, True)
    assert vocabulary == {}


@pytest.mark.parametrize("lines", [["text"], [LINE, bytearray(LINE)], [LINE, None]])
def test_only_bytes_are_lines(lines):
    with pytest.raises(ValueError, match="must be bytes"):
        PARSER.parse(lines)
    assert parse(LINE).labels == ["x"]


def test_many_names_of_which_one_comes_twice():
    names = [f"n{j}" for j in range(MAX_FEATURES)]
    values = dict.fromkeys(names, 1.0)
    assert check(json.dumps({"features": values, "label": "x"}).encode())
    twice = json.dumps({"features": values, "label": "x"}).replace('"n9999"', '"n17"')
    assert parse(twice.encode()) is None


def test_names_are_found_again_in_the_vocabulary_whatever_came_between():
    encoder = Encoder({}, None, lambda row, i: row, 0)
    lines = [b'{"features": {"n%d": 1}, "label": "x"}' % (j % 20_000) for j in range(40_000)]
    block, left = PARSER.parse(lines)
    slots = []
    for i in range(len(block)):
        encoder.encode_row(block, i, True)
        slots.append(int(encoder.arrays()[1][0]))
    assert left == []
    assert np.array_equal(slots, np.arange(40_000) % 20_000)
