"""What people see: consoles, numbers as words, lists of facts and small tables."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

WIDEST = 100
"""No screen is wider, however wide the terminal."""


def output(quiet: bool = False) -> Console:
    """Standard output, for results."""
    return _console(sys.stdout, quiet)


def messages(quiet: bool = False) -> Console:
    """Standard error, for everything else."""
    return _console(sys.stderr, quiet)


def _console(file: Any, quiet: bool) -> Console:
    from rich.console import Console

    console = Console(file=file, quiet=quiet, highlight=False, emoji=False)
    console.width = min(console.width, WIDEST)
    return console


def complain(message: str) -> None:
    """One line on what went wrong."""
    _line("error", "bold red", message)


def note(message: str) -> None:
    """One line on what should be known."""
    _line("note", "yellow", message)


def _line(kind: str, style: str, message: str) -> None:
    from rich.text import Text

    text = Text.assemble((f"{kind}:", style), " ", message)
    messages().print(text, soft_wrap=True)


# --- numbers -------------------------------------------------------------------------------------


def percent(share: float) -> str:
    """A share, with one decimal, or two where it is small.

    Examples
    --------
    >>> percent(0.0415), percent(0.00415), percent(0.0)
    ('4.2 %', '0.42 %', '0.0 %')
    """
    return f"{_hundredths(share)} %"


def interval(low: float, high: float) -> str:
    """An interval of shares.

    Examples
    --------
    >>> interval(0.0321, 0.0534)
    '3.2–5.3 %'
    """
    return f"{_hundredths(low)}–{_hundredths(high)} %"


def _hundredths(share: float) -> str:
    value = 100.0 * share
    return f"{value:.2f}" if 0.0 < value < 0.995 else f"{value:.1f}"


def count(number: float, word: str = "") -> str:
    """A whole number with its word, which gets an s, or es, where it is not one.

    Examples
    --------
    >>> count(1797, "example"), count(1, "pass"), count(2, "pass")
    ('1,797 examples', '1 pass', '2 passes')
    """
    if word and number != 1:
        word += "es" if word.endswith("s") else "s"
    return f"{number:,.0f} {word}".rstrip()


def seconds(duration: float) -> str:
    """A duration.

    Examples
    --------
    >>> seconds(0.01234), seconds(3.21), seconds(75.0)
    ('0.012 s', '3.2 s', '1 min 15 s')
    """
    if duration >= 60.0:
        minutes, rest = divmod(round(duration), 60)
        return f"{minutes} min {rest} s"
    return f"{duration:.1f} s" if duration >= 1.0 else f"{duration:.3f} s"


def size(number: float) -> str:
    """A number of bytes.

    Examples
    --------
    >>> size(512), size(15_300), size(2.5e6)
    ('512 bytes', '15.3 kB', '2.5 MB')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= unit:
            return f"{number / unit:.1f} {name}"
    return count(number, "byte")


def label(value: Any) -> str:
    """A label as people write it: whole numbers without a point.

    Examples
    --------
    >>> label(1.0), label(-1), label("spam"), label(0.5)
    ('1', '-1', 'spam', '0.5')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def listing(values: Sequence[Any], most: int = 12) -> str:
    """Values in a row, the last ones left out where there are many.

    Examples
    --------
    >>> listing(["a", "b", "c"]), listing(list(range(30)), most=3)
    ('a, b, c', '0, 1, 2, … (30)')
    """
    shown = ", ".join(label(value) for value in values[:most])
    return shown if len(values) <= most else f"{shown}, … ({len(values):,})"


# --- lists and tables ----------------------------------------------------------------------------


def heading(text: str, detail: str = "") -> Text:
    """A title, with something less loud behind it."""
    from rich.text import Text

    return Text.assemble((text, "bold"), (f"  {detail}" if detail else "", "dim"))


def facts(rows: Iterable[tuple[str, RenderableType]]) -> RenderableType:
    """What is known, one line a fact: its name, then itself."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, _plain(value))
    return table


def _plain(value: RenderableType) -> RenderableType:
    """Text as it is, brackets included."""
    from rich.text import Text

    return Text(value) if isinstance(value, str) else value


def confusion(names: Sequence[str], counts: Sequence[Sequence[int]]) -> RenderableType:
    """How often each class (row) was taken for each (column); what is right lies on the diagonal."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 0), pad_edge=False, show_edge=False)
    table.add_column("", justify="right", style="bold")
    cell = confusion_cell(names, counts)
    for name in names:
        table.add_column(Text(name, "bold"), justify="right", min_width=cell, no_wrap=True)
    for i, (name, row) in enumerate(zip(names, counts, strict=True)):
        cells = [_count_cell(number, i == j) for j, number in enumerate(row)]
        table.add_row(Text(name), *cells)
    return table


def confusion_cell(names: Sequence[str], counts: Sequence[Sequence[int]]) -> int:
    """How wide a column of :func:`confusion` is."""
    longest = max(len(str(number)) for row in counts for number in row)
    return 2 + max(longest, *(len(name) for name in names))


def _count_cell(number: int, right: bool) -> Text:
    from rich.text import Text

    if number == 0:
        return Text("·", "dim")
    return Text(str(number), "green" if right else "bold red")


def bars(weights: Sequence[tuple[str, float]], room: int) -> RenderableType:
    """Names with their weights, as bars to the left and to the right."""
    from rich.table import Table
    from rich.text import Text

    longest = max((abs(weight) for _, weight in weights), default=0.0) or 1.0
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="ellipsis", no_wrap=True, max_width=40)
    table.add_column(justify="right")
    table.add_column()
    for name, weight in weights:
        bar = "█" * max(1, round(room * abs(weight) / longest)) if weight else ""
        style = "blue" if weight > 0 else "red"
        table.add_row(Text(name), f"{weight:+.4g}", Text(bar, style))
    return table
