"""Rows of JSON lines by the core: those of RowParser, name for name and bit for bit."""

import json

import pytest
from colliding import words_of_one_hash
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.engine.json.lines import LineParser
from rosenblatt.engine.text.named_rows import Encoder
from rosenblatt.streams.formats.json_rows import RowParser

NAMES = st.text(max_size=4) | st.sampled_from(
    ["y", "a", "b", "", "a.b", ".", "ä", "💡", "a=b", "\x00"]
)
NUMBERS = (
    st.floats() | st.integers() | st.integers(-(10**30), 10**30) | st.sampled_from([-0.0, 10**400])
)
LEAVES = NUMBERS | st.booleans() | st.none() | NAMES
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
ROWS = st.fixed_dictionaries({"y": LEAVES}, optional={"a": VALUES, "b": VALUES, "": VALUES})
PARSERS = {
    (target, labelled): LineParser(target, labelled)
    for target, labelled in [("y", True), ("y", False), (None, False)]
}
KINDS = st.sampled_from(list(PARSERS))


def features_of(block, i):
    """Names and values of a row, in the order in which they get their columns."""
    vocabulary = {}
    encoder = Encoder(vocabulary, None, lambda row, i: row, 0)
    encoder.encode_row(block, i, True)
    data, columns, _ = encoder.arrays()
    assert columns.tolist() == list(range(len(vocabulary)))
    return [(name, x.hex()) for name, x in zip(vocabulary, data.tolist(), strict=True)]


def check(text, kind):
    """Rows that the core takes are those of RowParser."""
    block = PARSERS[kind].parse(text)
    if block is None:
        return False
    target, labelled = kind
    lines = text.decode().removesuffix("\n").split("\n")
    assert len(block) == len(lines)
    parser = RowParser("demo", target, None, None, {}, labelled)
    for i, line in enumerate(lines):
        row = parser.parse(i + 1, line.removesuffix("\r"))
        assert features_of(block, i) == [(name, x.hex()) for name, x in row.features.items()]
        if labelled:
            label = block.labels[i]
            assert (label if isinstance(label, str) else str(label + 0)) == row.label
    return True


def text_of(value, ascii, spaces):
    separators = (" ,\t", "\r: ") if spaces else (",", ":")
    text = json.dumps(value, ensure_ascii=ascii, separators=separators)
    return text.encode("utf-8", "surrogatepass")


@given(st.lists(ROWS, min_size=1, max_size=3), KINDS, st.booleans(), st.booleans(), st.booleans())
@example([{"y": 1, "a": ["p", {"q": 1}, "p", "o", 2, ["p", None]]}], ("y", True), True, True, True)
@example([{"y": 1, "": {"a": 1, "": {"b": [1]}}}], ("y", True), True, False, True)
@example([{"y": 1, "a": -0.0, "b": [True, False, None]}], ("y", True), True, False, True)
@example([{"y": -0.0}], ("y", True), True, False, True)
def test_rows_are_those_of_python(rows, kind, ascii, spaces, ends):
    lines = [text_of(row, ascii, spaces) for row in rows]
    check(b"\n".join(lines) + b"\n" * ends, kind)


@given(st.lists(VALUES, min_size=1, max_size=3), KINDS)
def test_whatever_is_json_is_left_or_is_a_row(values, kind):
    check(b"\n".join(text_of(value, True, False) for value in values), kind)


@given(st.lists(ROWS, min_size=1, max_size=2), KINDS, st.data())
def test_damaged_lines_are_left_or_are_rows(rows, kind, data):
    text = bytearray(b"\n".join(text_of(row, data.draw(st.booleans()), False) for row in rows))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        piece = data.draw(st.binary(max_size=3) | st.sampled_from(
            [b'"', b"\\u", b"\\ud800", b"{", b"}", b"[", b"]", b",", b":", b"e", b".", b"-", b"0"]
        ))  # fmt: skip
        text[at : at + data.draw(st.integers(0, 3))] = piece
    check(bytes(text), kind)


@given(
    st.from_regex(rb"-?[0-9]{0,24}(\.[0-9]{0,24})?([eE][+-]?[0-9]{0,3})?", fullmatch=True), KINDS
)
def test_numbers_are_those_of_python(number, kind):
    check(b'{"a": %b, "y": 1}' % number, kind)
    check(b'{"a": 1, "y": %b}' % number, kind)


@pytest.mark.parametrize("line", [
    b'{"y": 1, "n": 2.5, "in": {"a": true, "b": {"c": null}}, "kind": "oak"}', b'{"y": "x"}',
    b' {"y" : -1.5e-3 , "l" : [ 1 , "p" , [ ] , { } , "p" ] }\r', b'{"y": true, "": 1}',
    b'{"y": "\\u00e4", "\\ud83d\\udca1": "\\n"}', '{"y": 0, "ä": "💡"}'.encode(),
    b'{"y": 1, "a": 123456789012345678901234567890, "b": -0}', b'{"a": ' * 60 + b"1" + b"}" * 60,
])  # fmt: skip
def test_ordinary_lines_are_taken(line):
    kind = ("y", b'"y"' in line) if b'"y"' in line else (None, False)
    assert check(line, kind)
    assert check(line + b"\n" + line + b"\n", kind)


LEFT = [
    b"{", b"[]", b"1", b"null", b'{"y": 1}}', b'{"y": 1}\x00', b'{"a": 1}', b'{"y": null}',
    b'{"y": []}', b'{"y": 1, "y": 2}', b'{"y": 1, "a": 1, "a": 1}', b'{"y": "a\\u0000"}',
    b'{"y": 1, "a": {"b": 1, "b": 2}}', b'{"y": 1, "a": "\x01"}',
    b'{"y": 1, "a": {"b": 1}, "a.b": 2}', b'{"y": 1, "a": ["p"], "a=p": 2}', b'{"y": 1, "a": NaN}',
    b'{"y": 1, "a": 1e400}', b'{"y": 1, "a": 01}', b'{"y": 1, "a": "\\ud800"}',
    b'{"y": 1, "a": "\xff"}', b'{"y": 9007199254740993}', b'{"y": 1, "a": [1,]}', b'{"y": 1,}',
    b'{"y": 1, "a": ' + b"[" * 100_000, b'{"y": 1, "a": ' + b'{"a":' * 100_000, b'"' * 1_000_000,
    b'{"y": 1}\n\n{"y": 1}', b'{"y": 1}\n \n', b"\n", b'{"y": 1, "a": ' + b"9" * 4301 + b"}",
]  # fmt: skip


@pytest.mark.parametrize("text", LEFT, ids=range(len(LEFT)))
def test_other_lines_are_left(text):
    assert PARSERS["y", True].parse(text) is None
    assert PARSERS["y", True].parse(b'{"y": 1}').labels == [1]


def test_a_list_of_words_that_were_made_to_collide_is_left():
    """Where ``std::hash`` is another one, the words are like any others."""
    words = words_of_one_hash(200)
    text = json.dumps({"y": 1, "a": words}).encode()
    block = PARSERS["y", True].parse(text)
    assert block is None or check(text, ("y", True))
    assert check(json.dumps({"y": 1, "a": words[:60]}).encode(), ("y", True))
    assert check(json.dumps({"y": 1, "a": [w[::-1] for w in words] * 2}).encode(), ("y", True))
