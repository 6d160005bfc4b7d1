"""Lists of facts, small tables and bars, for every screen: wide, narrow, without colours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.cli.display.confusion import ConfusionMatrix


Weights = Sequence[tuple[str, float]]

_MAX_CLASSES = 20  # of the table of confusions
_MAX_NAME_WIDTH = 24  # the longest name of a feature that is shown whole beside another


def heading(text: str, detail: str = "") -> Text:
    """A title, with something less loud behind it."""
    return Text.assemble((text, "bold"), (f"  {detail}" if detail else "", "dim"))


def facts(rows: Iterable[tuple[str, RenderableType]]) -> Table:
    """What is known, one line a fact: its name, then itself."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value) if isinstance(value, str) else value)
    return table


def confusion_table(names: Sequence[str], counts: Sequence[Sequence[int]]) -> Table:
    """How often each class (row) was taken for each (column); what is right is the diagonal."""
    table = Table(box=None, padding=0, pad_edge=False)
    table.add_column("", justify="right", style="bold", no_wrap=True)
    cell = _cell_width(names, counts)
    for name in names:
        table.add_column(Text(name, "bold"), justify="right", min_width=cell, no_wrap=True)
    for i, (name, row) in enumerate(zip(names, counts, strict=True)):
        table.add_row(Text(name), *(_count_cell(number, i == j) for j, number in enumerate(row)))
    return table


def confusion_table_width(names: Sequence[str], counts: Sequence[Sequence[int]]) -> int:
    """How wide :func:`confusion_table` is.

    Examples
    --------
    >>> confusion_table_width(["a", "b"], [[100, 2], [1, 99]])
    11
    """
    return max(map(len, names)) + _cell_width(names, counts) * len(names)


def show_confusion(console: Console, confusion: ConfusionMatrix) -> None:
    """What was taken for what: a table where the classes have room, else what was most often."""
    width = confusion_table_width(confusion.classes, confusion.matrix())
    if len(confusion.classes) <= _MAX_CLASSES and width <= console.width:
        console.print(heading("Confusion", "rows: the label, columns: the prediction"))
        console.print(confusion_table(confusion.classes, confusion.matrix()))
        return
    console.print(heading("Most often confused"))
    for truth, answer, number in confusion.confused(10):
        console.print(f"{number:>8,} ×  {truth} taken for {answer}", markup=False)


def _cell_width(names: Sequence[str], counts: Sequence[Sequence[int]]) -> int:
    longest = max(len(str(number)) for row in counts for number in row)
    return 2 + max(longest, *map(len, names))


def _count_cell(number: int, right: bool) -> Text:
    if number == 0:
        return Text("·", "dim")
    return Text(str(number), "green" if right else "bold red")


def number_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table of numbers; the first column says of what."""
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    for j, name in enumerate(names):
        table.add_column(name, justify="right", style="" if j else "bold", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def bars(weights: Weights, width: int = 20) -> Table:
    """Names with their weights, as bars to the left and to the right of one line."""
    longest = max((abs(weight) for _, weight in weights), default=0.0)
    table = Table.grid()
    table.add_column(overflow="ellipsis", no_wrap=True, max_width=36)
    table.add_column(justify="right")
    table.add_column(justify="right", style="red")
    table.add_column(style="blue")
    for name, number, (_, weight) in zip(*_format_weights(weights), weights, strict=True):
        bar = "▇" * max(1, round(width * abs(weight) / longest))
        left, right = (f"  {bar}", "") if weight < 0.0 else ("", bar)
        table.add_row(Text(name), f"  {number}", left, right)
    return table


def class_table(
    rows: Sequence[tuple[str, Weights, Weights]],
    names: Sequence[str] = (),
    numbers: Sequence[Sequence[str]] = (),
) -> Table:
    """For each class what speaks for it, and what speaks against it.

    Parameters
    ----------
    rows : sequence of (str, weights, weights)
    names : sequence of str, optional
        What the numbers are.
    numbers : sequence of sequences of str, optional
        What else is known of each class.
    """
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False)
    table.add_column("class", style="bold")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("speaks for it")
    table.add_column("speaks against it")
    left = _name_width(positive for _, positive, _ in rows)
    right = _name_width(negative for _, _, negative in rows)
    extras = numbers or [()] * len(rows)
    for (name, positive, negative), extra in zip(rows, extras, strict=True):
        cells = (_weight_cells(positive, "blue", left), _weight_cells(negative, "red", right))
        table.add_row(Text(name), *extra, *cells)
    return table


def _name_width(cells: Iterable[Weights]) -> int:
    return min(_MAX_NAME_WIDTH, max((len(name) for cell in cells for name, _ in cell), default=0))


def _weight_cells(weights: Weights, style: str, width: int) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="ellipsis", no_wrap=True, min_width=width, max_width=_MAX_NAME_WIDTH)
    table.add_column(justify="right", style=style)
    for name, number in zip(*_format_weights(weights), strict=True):
        table.add_row(Text(name), number)
    return table


def _format_weights(weights: Weights) -> tuple[list[str], list[str]]:
    """Names, and weights with the decimals that the largest needs."""
    names = [name for name, _ in weights]
    largest = max((abs(weight) for _, weight in weights), default=0.0)
    if not 1e-6 < largest < 1e7:
        return names, [f"{weight:+.2e}" for _, weight in weights]
    decimals = max(0, 3 - math.floor(math.log10(largest)))
    return names, [f"{weight:+,.{decimals}f}" for _, weight in weights]
