"""Remarks on columns of a table that are probably not read as meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rosenblatt.streams.features.labels import NUMBER

QUOTES_ARE_CHARACTERS = (
    "quotes are read as any other character (--no-quotes), since the first rows cannot be read "
    "with quotes around cells."
)
"""Remark on a table without quoted cells."""

_LEAST_CELLS = 20  # fewer say nothing about a column
_NEARLY_ALL = 0.9  # share of distinct cells from which on categories are names
_DIGITS = r"([0-9]+|[0-9]{1,3}([ '’\u00a0\u202f][0-9]{3})+)([.,][0-9]+)?"
_DECORATED = re.compile(rf"[+-]?[$€£¥₹]?\s?[+-]?{_DIGITS}\s?[%‰$€£¥₹]?")


def remark_on(name: str, kind: str, cells: Sequence[str], missing: Sequence[str]) -> str | None:
    """Return a sentence on a column that is probably not read as meant, and what to do; or None.

    Such are numbers with a unit or blanks (``5%``, ``$20``, ``1 234``), which are read as
    categories; columns of which nearly every cell is a category of its own, as of names; and
    columns that count the rows.

    Parameters
    ----------
    name : str
    kind : {"number", "category", "text"}
        The kind that was inferred.
    cells : sequence of str
        The first cells of the column.
    missing : sequence of str
        Cells that do not count.

    Examples
    --------
    >>> remark_on("share", "category", ["5%", "12.5%", "5%"], [""])
    "column 'share': numbers such as '5%' are read as categories: write them as plain numbers, or \
leave the column out: --schema share:skip."
    >>> remark_on("who", "category", [f"name {k}" for k in range(20)], [])
    "column 'who': 20 of the first 20 cells differ, as ids or names do, and say nothing about new \
rows: leave it out: --schema who:skip."
    """
    filled = [cell for cell in map(str.strip, cells) if cell and cell not in missing]
    skip = f"--schema {name}:skip."
    decorated = next((cell for cell in filled if not NUMBER.fullmatch(cell)), None)
    if kind == "category" and decorated and all(map(_DECORATED.fullmatch, filled)):
        return (
            f"column {name!r}: numbers such as {decorated!r} are read as categories: write them as "
            f"plain numbers, or leave the column out: {skip}"
        )
    distinct = len(set(filled))
    if kind == "category" and len(filled) >= _LEAST_CELLS and distinct >= _NEARLY_ALL * len(filled):
        return (
            f"column {name!r}: {distinct:,} of the first {len(filled):,} cells differ, as ids or "
            f"names do, and say nothing about new rows: leave it out: {skip}"
        )
    if kind == "number" and len(filled) >= _LEAST_CELLS and _counts_rows(filled):
        return f"column {name!r}: it counts the rows, as ids do: leave it out: {skip}"
    return None


def _counts_rows(cells: Sequence[str]) -> bool:
    """Return whether each cell is the number before plus one."""
    if not (NUMBER.fullmatch(cells[0]) and cells[0].isdecimal()):
        return False
    first = int(cells[0])
    return all(cell == str(first + k) for k, cell in enumerate(cells))
