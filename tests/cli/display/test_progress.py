"""The progress table and its status line."""

import io
import re

import numpy as np
from rich.console import Console

from rosenblatt.cli.display.progress import ProgressTable


def test_the_status_line_shows_examples_and_epoch(monkeypatch):
    clock = iter(np.arange(100.0))
    monkeypatch.setattr("rosenblatt.cli.display.progress.time.perf_counter", lambda: next(clock))
    screen = io.StringIO()
    screen.isatty = lambda: True
    console = Console(file=screen, force_terminal=True, width=80, _environ={"TERM": "xterm"})
    with ProgressTable(console, epochs=3) as table:
        table.show_position(123_456, 2)
    assert "starting;" in screen.getvalue()
    assert "123,456, epoch 2 of 3 … Ctrl-C" in screen.getvalue()


def test_a_progress_bar_from_the_second_epoch_on(monkeypatch):
    clock = iter(np.arange(1000.0))
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
