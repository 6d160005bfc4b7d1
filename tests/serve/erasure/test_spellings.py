"""The bytes that spell a value: case, numbers, rows in any order."""

from itertools import permutations

import msgspec
import pytest

from rosenblatt.serve.erasure.spellings import (
    Spellings,
    spellings_of_number,
    spellings_of_row,
    spellings_of_text,
)

encode = msgspec.msgpack.encode


def among(*values):
    return b"\x00\xcb\x40\xff" + b"".join(map(encode, values)) + b"\x80\xc3\x28"


def test_case_does_not_count_in_texts_and_counts_in_numbers():
    sought = spellings_of_text(b"Gr\xc3\xbc\xc3\x9fe, Ann", "Grüße, Ann")
    for text in ("Grüße, Ann", "GRÜSSE, ANN", "grÜßE, aNN"):
        assert sought.are_in(among(f"to {text}!", 1.0)), text
    assert sought.are_in(b'{"to": "gr\\u00fc\\u00dfe, ann"}')
    assert not sought.are_in(among("Grüsse, Ann "[:-3]))
    hundred = spellings_of_number("100", 100.0)  # 400.0 differs by the bit that is a letter's case
    assert hundred.are_in(among(100.0))
    assert not hundred.are_in(among(400.0))


@pytest.mark.parametrize("stored", ["at 7e4 or 70000.", 70000.0, 70000, "7E4"])
def test_a_number_is_digits_a_value_and_a_label(stored):
    assert spellings_of_number(" 7e4", 7e4).are_in(among(stored))
    assert not spellings_of_number("7e5", 7e5).are_in(among(stored))


def test_the_names_of_a_row_come_in_any_order_and_nothing_between():
    row = {"a": 1.0, "bb": "text", "c": -2.5, "none": None}
    sought = spellings_of_row(b"{}", row)
    for names in permutations(row):
        assert sought.are_in(among({name: row[name] for name in names}, "label"))
        assert not sought.are_in(among({name: row[name] for name in names[1:]}, "label"))
    assert not sought.are_in(among({"a": 1.0, "bb": "text", "d": 0.0, "c": -2.5, "none": None}))
    assert not sought.are_in(among({**row, "c": -2.75}))
    assert sought.are_in(among({"a": 1.0, "c": -2.5}, row))  # a start that leads nowhere before
    assert not Spellings().are_in(b"")


def test_what_a_model_reads_alike_is_the_same_row():
    sought = spellings_of_row(b"{}", {"a": True, "from": "ann", "b": 0.0})
    for row in ({"a": 1.0, "from=ann": 1.0, "b": 0.0}, {"b": False, "from": "ann", "a": True}):
        assert sought.are_in(among(row))
    assert not sought.are_in(among({"a": 0.0, "from": "ann", "b": 0.0}))


def test_a_row_of_numbers():
    assert spellings_of_row(b"[1, 2.5]", [1.0, 2.5]).are_in(among([1.0, 2.5]))
    assert spellings_of_row(b"[1, 2.5]", [1.0, 2.5]).are_in(b"a row: [1, 2.5]")
    assert not spellings_of_row(b"[1, 2.5]", [1.0, 2.5]).are_in(among([2.5, 1.0]))
