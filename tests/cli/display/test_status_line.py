"""The progress bar of the status line."""

import os

import pytest
from rich.console import Console

from rosenblatt.cli.display.status_line import progress_bar


@pytest.mark.parametrize("width", [30, 60, 80, 100])
@pytest.mark.parametrize("done", [0, 1024, 59_999])
def test_a_progress_bar_fits_its_width(width, done):
    console = Console(width=width, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    with console.file:
        console.print(progress_bar("epoch 2 of 9", done, 60_000, 2.0, width, "Ctrl-C saves"))
    (line,) = console.export_text().splitlines()
    assert f"{done:,} of 60,000" in line or width == 30
    assert ("Ctrl-C saves" in line) == (width == 100 and done > 0)
    if done == 1024:
        assert ("1 min 55 s left" in line) == (width >= 60)
