"""Tables of Unicode: those of Python's functions, and their text."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.exports.code.unicode import gaps_of, unicode_tables

CODES = st.integers(0, 0x10FFFF).filter(lambda code: not 0xD800 <= code < 0xE000)


def is_in(ranges, code):
    return any(start <= code < stop for start, stop in ranges)


@given(CODES)
def test_tables_have_what_python_knows_of_a_letter(code):
    tables, letter = unicode_tables(), chr(code)
    assert is_in(tables.word, code) == (letter.isalnum() or letter == "_")
    assert is_in(tables.blank, code) == letter.isspace()
    assert is_in(tables.unassigned, code) == (unicodedata.category(letter) == "Cn")
    assert "".join(map(chr, tables.lower.get(code, (code,)))) == letter.lower()
    marks = [mark for mark, ranges in tables.marks.items() if is_in(ranges, code)]
    assert marks == [mark for mark in [unicodedata.combining(letter)] if mark]
    if not 0xAC00 <= code < 0xD7A4:
        parts = "".join(map(chr, tables.parts.get(code, (code,))))
        assert parts == unicodedata.normalize("NFKD", letter)


def test_only_one_letter_has_two_in_lower_case():
    """The C source counts on it."""
    assert [code for code, low in unicode_tables().lower.items() if len(low) > 1] == [0x130]
    assert unicode_tables().lower[0x130] == (0x69, 0x307)


def test_pairs_compose():
    pairs = unicode_tables().pairs
    assert len(pairs) > 900
    for (first, second), whole in pairs.items():
        assert unicodedata.normalize("NFC", chr(first) + chr(second)) == chr(whole)


@given(st.lists(st.integers(1, 10**6), max_size=8).filter(lambda gaps: len(gaps) % 2 == 0))
def test_gaps_are_read_back(gaps):
    ends, end = [], 0
    for gap in gaps:
        ends.append(end := end + gap)
    ranges = [*zip(ends[::2], ends[1::2], strict=True)]
    assert [int(gap, 36) for gap in gaps_of(ranges).split()] == gaps
