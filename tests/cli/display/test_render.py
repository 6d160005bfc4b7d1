"""Tables and bars."""

import io

import pytest
from rich.console import Console

from rosenblatt.cli.display import render
from rosenblatt.cli.display.confusion import ConfusionMatrix


@pytest.mark.parametrize("weight", [1e-9, 0.01, 5.0, 12345.0, 1e12])
def test_bars_of_weights_of_all_sizes(weight):
    table = render.bars([("up", weight), ("down", -weight / 3)])
    assert table.row_count == 2


@pytest.mark.parametrize(("width", "title"), [(80, "Most frequent errors"), (100, "Confusion")])
def test_a_confusion_matrix_of_wide_letters_is_not_cut(width, title):
    names = [f"猫{chr(0x4E00 + k)}国" for k in range(11)]
    confusion = ConfusionMatrix(names)
    confusion.add(names, [*names[1:], names[0]])
    console = Console(file=io.StringIO(), width=width)
    render.show_confusion(console, confusion)
    assert title in console.file.getvalue()
    assert "…" not in console.file.getvalue()
