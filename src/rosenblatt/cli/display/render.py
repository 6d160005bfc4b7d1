"""Lists of facts, small tables and bars for the terminal, wide or narrow.

rich draws them: it is imported where something is drawn, since help pages do without.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from rosenblatt.cli.display import fmt

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from rosenblatt.cli.display.confusion import ConfusionMatrix

T = TypeVar("T")

Weights = Sequence[tuple[str, float]]
"""Names of features with their weights."""

MAX_CLASSES = 20
"""Classes that a table of the terminal shows."""

_MAX_NAME_WIDTH = 24  # of a feature in a table of several classes


class Column(NamedTuple):
    """A column of a table.

    What is too wide for it is cut with an ellipsis, or wrapped at blanks first, or folded.
    """

    name: str = ""
    style: str = ""
    is_right: bool = False
    max_width: int | None = None
    min_width: int | None = None
    overflow: Literal["cut", "wrap", "fold"] = "cut"


def text(*parts: str | tuple[str, str]) -> Text:
    """Return text, of the data too: parts, some with a style, without control characters."""
    from rich.text import Text

    safe = [
        fmt.printable(part) if isinstance(part, str) else (fmt.printable(part[0]), part[1])
        for part in parts
    ]
    if len(safe) == 1 and isinstance(safe[0], tuple):
        return Text(*safe[0])  # the style is that of the whole cell, its padding too
    return Text.assemble(*safe)


def heading(title: str, detail: str = "") -> Text:
    """Return a bold title with a dim detail after it."""
    return text((title, "bold"), (f"  {detail}" if detail else "", "dim"))


def section(console: Console, title: str, detail: str, body: RenderableType) -> None:
    """Print a blank line, a heading, and what stands below it."""
    console.print()
    console.print(heading(title, detail))
    console.print(body)


def class_section(
    console: Console,
    title: str,
    detail: str,
    rows: Sequence[T],
    body: Callable[[Sequence[T]], Table],
) -> None:
    """Print a section with the first :data:`MAX_CLASSES` classes, and how many more there are."""
    section(console, title, detail, body(rows[:MAX_CLASSES]))
    if len(rows) > MAX_CLASSES:
        console.print(f"… and {fmt.count(len(rows) - MAX_CLASSES, 'class')} more: see --json.")


def table(
    columns: Iterable[Column], rows: Iterable[Iterable[Any]], gap: int = 3, header: str = "dim"
) -> Table:
    """Return a table without lines; it has a header if a column has a name.

    Parameters
    ----------
    columns : iterable of Column
    rows : iterable of rows of cells
        A cell of type str is text of the data.
    gap : int, default=3
        Blanks between two columns.
    header : str, default="dim"
        Style of the names.
    """
    from rich.table import Table

    columns = list(columns)
    shown = Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style=header)
    shown.show_header = any(column.name for column in columns)
    for name, style, is_right, most, least, overflow in columns:
        shown.add_column(
            text(name),
            style=style,
            justify="right" if is_right else "left",
            max_width=most,
            min_width=least,
            no_wrap=overflow == "cut",
            overflow="fold" if overflow == "fold" else "ellipsis",
        )
    for row in rows:
        shown.add_row(*(text(cell) if isinstance(cell, str) else cell for cell in row))
    return shown


def facts(rows: Iterable[tuple[str, RenderableType]]) -> Table:
    """Return a table of facts, a name and a value on each line."""
    return table([Column(style="cyan"), Column(overflow="fold")], rows, gap=2)


def show_facts(console: Console, rows: Sequence[tuple[str, str]]) -> None:
    """Print facts, the one named "next" last: a command, on one line, so that it can be pasted."""
    console.print(facts(row for row in rows if row[0] != "next"))
    width = max(len(name) for name, _ in rows) + 2
    for name, line in rows:
        if name == "next":
            console.print(text((name.ljust(width), "cyan"), line), soft_wrap=True)


def number_table(
    names: Sequence[str], rows: Iterable[Sequence[str]], most: int | None = None
) -> Table:
    """Return a table of numbers whose first column, as wide as ``most``, names the line."""
    first, *others = names
    return table([Column(first, "bold", True, most), *(Column(n, "", True) for n in others)], rows)


def confusion_table(names: Sequence[str], counts: Sequence[Sequence[int]]) -> Table:
    """Return a confusion matrix: a column for each prediction, a row for each of the first ones."""
    cell = _cell_width(names, counts)
    columns = [Column("", "bold", True), *(Column(name, "", True, None, cell) for name in names)]
    rows = [
        [name, *(_count_cell(number, i == j) for j, number in enumerate(row))]
        for i, (name, row) in enumerate(zip(names, counts, strict=False))
    ]
    return table(columns, rows, gap=0, header="bold")


def confusion_table_width(names: Sequence[str], counts: Sequence[Sequence[int]]) -> int:
    """Return the columns of the terminal that :func:`confusion_table` takes.

    Examples
    --------
    >>> confusion_table_width(["a", "b"], [[100, 2], [1, 99]])
    11
    """
    return max(map(_width, names)) + _cell_width(names, counts) * len(names)


def show_confusion(console: Console, confusion: ConfusionMatrix) -> None:
    """Print the confusion matrix or, if it is too wide, the most frequent confusions."""
    names, counts = confusion.predictions, confusion.table()
    width = confusion_table_width(names, counts)
    if len(confusion.classes) <= MAX_CLASSES and width <= console.width:
        detail = "rows: true label, columns: prediction"
        section(console, "Confusion matrix", detail, confusion_table(names, counts))
        return
    console.print()
    console.print(heading("Most frequent errors"))
    for actual, predicted, number in confusion.confused(10):
        console.print(f"{number:>8,} ×  {actual} predicted as {predicted}", markup=False)


def _cell_width(names: Sequence[str], counts: Sequence[Sequence[int]]) -> int:
    longest = max(len(str(number)) for row in counts for number in row)
    return 2 + max(longest, *map(_width, names))


def _width(name: str) -> int:
    """Return the columns of the terminal that a name takes: of a wide letter, two."""
    from rich.cells import cell_len

    return cell_len(fmt.printable(name))


def _count_cell(number: int, right: bool) -> Text:
    if number == 0:
        return text(("·", "dim"))
    return text((str(number), "green" if right else "bold red"))


def bar(share: float, width: int) -> tuple[str, str]:
    """Return a share of the width as a bar of one block at least, and its colour by its sign."""
    return "▇" * max(1, round(width * abs(share))), "red" if share < 0.0 else "blue"


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
    columns = [
        Column(max_width=36),
        Column(is_right=True, overflow="wrap"),
        Column(style="dim", is_right=True),
        Column(style="red", is_right=True, overflow="wrap"),
        Column(style="blue", overflow="wrap"),
    ]
    rows = []
    for (name, weight), number, detail in zip(
        weights, _numbers(weights), details or [""] * len(weights), strict=True
    ):
        drawn, _ = bar(weight / longest, width)
        sides = (f"  {drawn}", "") if weight < 0.0 else ("", drawn)
        rows.append([name, f"  {number}", detail, *sides])
    return table(columns, rows, gap=0)


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
    columns = [
        Column("class", "bold", overflow="wrap"),
        *(Column(name, is_right=True) for name in names),
        Column("for the class", "", False, _MAX_NAME_WIDTH, overflow="wrap"),
        Column(style="blue", is_right=True),
        Column("against the class", "", False, _MAX_NAME_WIDTH, overflow="wrap"),
        Column(style="red", is_right=True),
    ]
    cells = []
    for (name, above, below), extra in zip(rows, numbers or [()] * len(rows), strict=True):
        first = [name, *extra]
        sides = zip_longest(_weight_cells(above), _weight_cells(below), fillvalue=("", ""))
        for left, right in sides if above or below else [(("", ""), ("", ""))]:
            cells.append([*first, *left, *right])
            first = [""] * len(first)
    return table(columns, cells, gap=2, header="bold")


def _weight_cells(weights: Weights) -> Iterable[tuple[str, str]]:
    return zip((name for name, _ in weights), _numbers(weights), strict=True)


def _numbers(weights: Weights) -> list[str]:
    """Format weights with the number of decimals that suits the largest."""
    largest = max((abs(weight) for _, weight in weights), default=0.0)
    if not 1e-6 < largest < 1e7:
        return [f"{weight:+.2e}" for _, weight in weights]
    decimals = max(0, 3 - math.floor(math.log10(largest)))
    return [f"{weight:+,.{decimals}f}" for _, weight in weights]
