"""The console: lines end without blanks, plain and in colour, nested and folded."""

import io
import re

import pytest

from rosenblatt.cli.display import render
from rosenblatt.cli.display.console import SafeConsole

WEIGHTS = ("a", [("x", 1.0)], [("y", -1.0), ("z", -0.5)]), ("b", [], [("x", -2.0)])


@pytest.mark.parametrize("width", [24, 80])
@pytest.mark.parametrize("colours", [False, True])
def test_no_line_of_a_table_ends_in_blanks(monkeypatch, width, colours):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR" if colours else "NO_COLOR", "1")
    file = io.StringIO()
    console = SafeConsole(file, quiet=False)
    console.print(render.facts([("short", "a"), ("long", "word " * 9), ("name", "")]))
    console.print(render.class_table(WEIGHTS))
    console.print(render.bars([("x", 1.0), ("y", -1.0)], ["(1)", "(2)"]))
    console.print("a  \n  b ", end="")
    assert ("\x1b[" in file.getvalue()) == colours
    lines = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue()).split("\n")
    assert [line for line in lines[:-1] if line != line.rstrip()] == []
    assert lines[-2:] == ["a", "  b "]  # the line goes on
    assert next(line for line in lines if line.startswith("long ")).index("word") == 7


def test_the_next_command_is_the_last_fact_on_one_line(monkeypatch):
    """A wrapped command could not be pasted: its first line would run, and then its second."""
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("NO_COLOR", "1")
    line = "rosenblatt evaluate 'my  models/[b]m' TEST_DATA"
    file = io.StringIO()
    rows = [("model", "word " * 9), ("next", line), ("report", "a.html")]
    render.show_facts(SafeConsole(file, quiet=False), rows)
    assert file.getvalue().splitlines()[-2:] == ["report  a.html", f"next    {line}"]


def test_a_narrow_table_of_classes_wraps_names_and_keeps_numbers(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    name, other = "weight of the fruit in grams", "height above the ground in metres"
    rows = ("apple", [(name, 1.0), (other, 0.25)], [(other, -0.125)]), ("pear", [], [])
    file = io.StringIO()
    SafeConsole(file, quiet=False).print(render.class_table(rows))
    assert file.getvalue() == (
        "class  for the class              against the class\n"
        "apple  weight of the      +1.000  height above the   -0.1250\n"
        "       fruit in grams             ground in metres\n"
        "       height above the   +0.250\n"
        "       ground in metres\n"
        "pear\n"
    )
