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
