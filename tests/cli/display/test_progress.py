"""The progress table and its status line."""

import io
import re

import numpy as np
import pytest
from rich.console import Console

from rosenblatt.cli.display.progress import ProgressTable
from rosenblatt.learning.evaluation.progressive import Line


def test_the_status_line_shows_examples_and_epoch(monkeypatch):
    clock = iter(np.arange(100.0))
    monkeypatch.setattr("rosenblatt.cli.display.progress.perf_counter", lambda: next(clock))
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    screen = io.StringIO()
    screen.isatty = lambda: True
    console = Console(file=screen, force_terminal=True, width=80, _environ={"TERM": "xterm"})
    with ProgressTable(console, epochs=3) as table:
        table.show_position(123_456, 2)
    assert "starting" in screen.getvalue()
    assert "123,456, epoch 2 of 3 … Ctrl-C" in screen.getvalue()


def test_a_progress_bar_from_the_second_epoch_on(monkeypatch):
    clock = iter(np.arange(1000.0))
    monkeypatch.setattr("rosenblatt.cli.display.progress.perf_counter", lambda: next(clock))
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    screen = io.StringIO()
    screen.isatty = lambda: True
    console = Console(file=screen, force_terminal=True, width=100, _environ={"TERM": "xterm"})
    with ProgressTable(console, epochs=3) as table:
        table.show_position(500, 1)
        assert "500, epoch 1 of 3 … Ctrl-C" in screen.getvalue()
        table.show_position(1500, 2, 1000)
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue())
    assert re.search(r"epoch 2 of 3  ━+.*  500 of 1,000  \d+ s left  \d+ rows/s", shown)


@pytest.mark.parametrize(("width", "columns"), [(40, 3), (50, 4), (60, 5), (80, 7), (120, 7)])
@pytest.mark.parametrize("norm", [1e-4, 0.00012345678, 123456.789, 1.2345e-120, 9.87654e200])
@pytest.mark.parametrize("count", [1, 1_797, 2**27, 2**30, 10**14])
def test_columns_never_touch_and_fit_the_terminal(monkeypatch, width, columns, norm, count):
    clock = iter(np.arange(100.0))
    monkeypatch.setattr("rosenblatt.cli.display.progress.perf_counter", lambda: next(clock))
    screen = io.StringIO()
    table = ProgressTable(Console(file=screen, width=width))
    table.add(Line(0, 0, 0.00001, 0.00001, 0.00002, 0, 0.0, 1.0))
    table.add(Line(16 * count, 8 * count, 1.0, 0.123, 1.0, 9 * count, norm, 1.0))
    first, *lines = screen.getvalue().splitlines()
    for line in (first, *lines):
        assert len(line) <= width
    without_speed = columns - (columns == 7)
    for line, cells in zip(lines, (columns, without_speed, columns), strict=True):
        assert len(re.split(r" {2,}", line.strip())) == cells
