"""Every row of the lectures has a promise, code, a test and a figure; every public name a page."""

import importlib
import re
from functools import cache
from types import ModuleType

import pytest
import rows

import rosenblatt
from rosenblatt import plots

LENGTHS = {"L0": 7, "L1": 5, "L2": 11, "L3": 9, "L4": 7}
NUMBERS = [f"{lecture}.{row + 1}" for lecture, count in LENGTHS.items() for row in range(count)]
kept = cache(rows.tests)


def test_the_rows_are_the_lectures():
    assert list(rows.ROWS) == NUMBERS
    assert list(rows.LECTURES) == list(LENGTHS)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_row_has_a_statement_and_a_test_of_its_number(number):
    assert rows.ROWS[number].statement.endswith(".")
    assert kept()[number], f"no test's name carries {number.replace('.', '_')}"


@pytest.mark.parametrize("number", NUMBERS)
def test_the_code_of_a_row_can_be_imported(number):
    assert rows.ROWS[number].code
    for name in rows.ROWS[number].code:
        assert named(name) is not None


@pytest.mark.parametrize("number", NUMBERS)
def test_the_figures_of_a_row_are_scripts(number):
    assert rows.ROWS[number].gallery
    for script in rows.ROWS[number].gallery:
        assert rows.title(script)


def test_a_number_is_read_from_a_tests_name():
    assert rows.NUMBER.findall("test_L2_9_and_L2_10_agree") == ["L2_9", "L2_10"]
    assert rows.NUMBER.findall("test_L2_1") == ["L2_1"]
    assert rows.NUMBER.findall("test_XL2_1_and_nothing_else") == []


def test_the_gallery_follows_the_lectures():
    scripts = ["plot_xor.py", "plot_unknown.py", "plot_one_step.py", "plot_rings.py"]
    assert sorted(scripts, key=rows.position) == [scripts[k] for k in (2, 3, 0, 1)]


def test_every_public_name_is_on_the_page():
    page = set(re.findall(r"^   (\w+)$", (rows.HERE / "api.rst").read_text("utf-8"), re.M))
    front = {name: getattr(rosenblatt, name) for name in rosenblatt.__all__}
    modules = [plots, *(value for value in front.values() if isinstance(value, ModuleType))]
    names = {name for name, value in front.items() if value not in modules} - {"__version__"}
    names.update(*(getattr(module, "__all__", ()) for module in modules))
    assert names <= page, f"docs/api.rst lacks {sorted(names - page)}"


def named(name):
    """What a dotted name means: modules first, then what is in them."""
    module, *rest = name.split(".")
    found = importlib.import_module(module)
    for part in rest:
        module += f".{part}"
        found = getattr(found, part, None) or importlib.import_module(module)
    return found
