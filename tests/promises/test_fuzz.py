"""No crash, no hang, no wrong row silently taken: damaged texts, beside plain Python."""

import os
import random

import damage
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.streams import DataError

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


@pytest.mark.parametrize("format", damage.LINES)
@settings(deadline=None, max_examples=300 if COMPILED else 60)
@given(r=st.randoms(use_true_random=False))
def test_damaged_texts_are_read_as_plain_python_reads_them(format, r, tmp_path_factory):
    text = damage.text_of(r, format)
    damage.check(r, format, text, tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("format", damage.LINES)
def test_the_texts_are_damaged_and_not_only_that(format):
    r = random.Random(0)
    rows = [damage.expected(format, damage.text_of(r, format)) for _ in range(200)]
    bad = sum(row is None for text in rows for row in text.values())
    assert 0.2 < bad / sum(map(len, rows)) < 0.7


@pytest.mark.parametrize("format", damage.LINES)
def test_a_wrong_row_is_found_out(format, tmp_path, monkeypatch):
    """The fuzzer is no use if it cannot fail: with a reader that takes a bad row it must."""
    text = damage.FIRST[format] + b"\nbad\n" + damage.FIRST[format] + b"\n"
    damage.check(random.Random(0), format, text, tmp_path)
    monkeypatch.setitem(damage.ROWS, format, lambda line: (1, {}) if line else None)
    with pytest.raises((AssertionError, DataError)):
        damage.check(random.Random(0), format, text, tmp_path)
