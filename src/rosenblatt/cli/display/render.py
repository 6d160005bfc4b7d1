"""Lists of facts, small tables and bars for the terminal, wide or narrow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rosenblatt.cli.display import fmt

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.cli.display.confusion import ConfusionMatrix

Weights = Sequence[tuple[str, float]]
"""Names of features with their weights."""

_MAX_CLASSES = 20  # of a confusion matrix
_MAX_NAME_WIDTH = 24  # of a feature in a table of several classes


def heading(text: str, detail: str = "") -> Text:
    """Return a bold title with a dim detail after it."""
    detail = f"  {fmt.printable(detail)}" if detail else ""
    return Text.assemble((text, "bold"), (detail, "dim"))


def facts(rows: Iterable[tuple[str, RenderableType]]) -> Table:
    """Return a table of facts, a name and a value on each line."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(_text(name), _text(value) if isinstance(value, str) else value)
    return table


def confusion_table(names: Sequence[str], counts: Sequence[Sequence[int]]) -> Table:
    """Return a confusion matrix: a column for each prediction, a row for each of the first ones."""
    names = [*map(fmt.printable, names)]
    table = Table(box=None, padding=0, pad_edge=False)
    table.add_column("", justify="right", style="bold", no_wrap=True)
    cell = _cell_width(names, counts)
    for name in names:
        table.add_column(Text(name, "bold"), justify="right", min_width=cell, no_wrap=True)
    for i, (name, row) in enumerate(zip(names, counts, strict=False)):
        table.add_row(Text(name), *(_count_cell(number, i == j) for j, number in enumerate(row)))
    return table


def confusion_table_width(names: Sequence[str], counts: Sequence[Sequence[int]]) -> int:
    """Return the columns of the terminal that :func:`confusion_table` takes.

    Examples
    --------
    >>> confusion_table_width(["a", "b"], [[100, 2], [1, 99]])
    11
    """
    names = [*map(fmt.printable, names)]
    return max(map(len, names)) + _cell_width(names, counts) * len(names)


def show_confusion(console: Console, confusion: ConfusionMatrix) -> None:
    """Print the confusion matrix or, if it is too wide, the most frequent confusions."""
    names, counts = confusion.predictions, confusion.table()
    width = confusion_table_width(names, counts)
    if len(confusion.classes) <= _MAX_CLASSES and width <= console.width:
        console.print(heading("Confusion matrix", "rows: true label, columns: prediction"))
        console.print(confusion_table(names, counts))
        return
    console.print(heading("Most frequent errors"))
    for actual, predicted, number in confusion.confused(10):
        console.print(f"{number:>8,} ×  {actual} predicted as {predicted}", markup=False)


def _cell_width(names: Sequence[str], counts: Sequence[Sequence[int]]) -> int:
    longest = max(len(str(number)) for row in counts for number in row)
    return 2 + max(longest, *map(len, names))


def _count_cell(number: int, right: bool) -> Text:
    if number == 0:
        return Text("·", "dim")
    return Text(str(number), "green" if right else "bold red")


def number_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table of numbers whose first column names the line."""
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    for j, name in enumerate(names):
        table.add_column(name, justify="right", style="" if j else "bold", no_wrap=True)
    for row in rows:
        table.add_row(*map(_text, row))
    return table


def bars(weights: Weights, details: Sequence[str] = (), width: int = 20) -> Table:
    """Return a bar chart: negative weights to the left, positive weights to the right.

    Parameters
    ----------
    weights : sequence of (str, float)
    details : sequence of str, optional
        A further text for each weight, between the number and the bar.
    width : int, default=20
        Length of the longest bar.
    """
    longest = max((abs(weight) for _, weight in weights), default=0.0)
    table = Table.grid()
    table.add_column(overflow="ellipsis", no_wrap=True, max_width=36)
    table.add_column(justify="right")
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(justify="right", style="red")
    table.add_column(style="blue")
    shown = zip(*_format_weights(weights), weights, details or [""] * len(weights), strict=True)
    for name, number, (_, weight), detail in shown:
        bar = "▇" * max(1, round(width * abs(weight) / longest))
        left, right = (f"  {bar}", "") if weight < 0.0 else ("", bar)
        table.add_row(_text(name), f"  {number}", detail, left, right)
    return table


def class_table(
    rows: Sequence[tuple[str, Weights, Weights]],
    names: Sequence[str] = (),
    numbers: Sequence[Sequence[str]] = (),
) -> Table:
    """Return a table of the heaviest features for and against each class.

    Parameters
    ----------
    rows : sequence of (str, weights, weights)
    names : sequence of str, optional
        Headers of the columns of numbers.
    numbers : sequence of sequences of str, optional
        Further cells of each class.
    """
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False)
    table.add_column("class", style="bold")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("for the class")
    table.add_column("against the class")
    left = _name_width(positive for _, positive, _ in rows)
    right = _name_width(negative for _, _, negative in rows)
    extras = numbers or [()] * len(rows)
    for (name, positive, negative), extra in zip(rows, extras, strict=True):
        cells = (_weight_cells(positive, "blue", left), _weight_cells(negative, "red", right))
        table.add_row(_text(name), *extra, *cells)
    return table


def print_omitted(console: Console, classes: int) -> None:
    """Print a note on the number of classes that a table omits, if there are any."""
    if classes > 0:
        console.print(f"… and {fmt.count(classes, 'class')} more: see --json.")


def _name_width(cells: Iterable[Weights]) -> int:
    widths = (len(fmt.printable(name)) for cell in cells for name, _ in cell)
    return min(_MAX_NAME_WIDTH, max(widths, default=0))


def _weight_cells(weights: Weights, style: str, width: int) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="ellipsis", no_wrap=True, min_width=width, max_width=_MAX_NAME_WIDTH)
    table.add_column(justify="right", style=style)
    for name, number in zip(*_format_weights(weights), strict=True):
        table.add_row(_text(name), number)
    return table


def _format_weights(weights: Weights) -> tuple[list[str], list[str]]:
    """Format weights with the number of decimals that suits the largest."""
    names = [name for name, _ in weights]
    largest = max((abs(weight) for _, weight in weights), default=0.0)
    if not 1e-6 < largest < 1e7:
        return names, [f"{weight:+.2e}" for _, weight in weights]
    decimals = max(0, 3 - math.floor(math.log10(largest)))
    return names, [f"{weight:+,.{decimals}f}" for _, weight in weights]


def _text(text: str) -> Text:
    """Return text of the data, which may hold control characters and no markup."""
    return Text(fmt.printable(text))
