"""The progress table and its status line."""

import io

import numpy as np

from rosenblatt.cli.display.progress import ProgressTable


def test_the_status_line_shows_examples_and_epoch(monkeypatch):
    from rich.console import Console

    clock = iter(np.arange(100.0))
    monkeypatch.setattr("rosenblatt.cli.display.progress.time.perf_counter", lambda: next(clock))
    screen = io.StringIO()
    screen.isatty = lambda: True
    console = Console(file=screen, force_terminal=True, width=80, _environ={"TERM": "xterm"})
    with ProgressTable(console, epochs=3) as table:
        table.show_position(123_456, 2)
    assert "starting;" in screen.getvalue()
    assert "123,456, epoch 2 of 3 … Ctrl-C" in screen.getvalue()
