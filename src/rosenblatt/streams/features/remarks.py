"""Remarks on columns of a table that are probably not read as meant."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rosenblatt.streams.features.ids import LEAST_CELLS, counts_rows
from rosenblatt.streams.features.labels import NUMBER
from rosenblatt.streams.features.schema import infer_kind
from rosenblatt.utils.words import schema_option, shell_words

QUOTES_ARE_CHARACTERS = (
    "quotes are read as any other character (--no-quotes), since the first rows cannot be read "
    "with quotes around cells."
)
"""Remark on a table without quoted cells."""

_FEW_COLUMNS = 5  # whose names fit a message
_MANY_WORDS = 5  # more than most names of columns have
_MAX_SHOWN = 40  # letters of a name
_NEARLY_ALL = 0.9  # share of distinct cells from which on categories are names
_DIGITS = r"([0-9]+|[0-9]{1,3}([ '’\u00a0\u202f][0-9]{3})+)([.,][0-9]+)?"
_WHOLE = re.compile(r"[0-9]+")
_DECORATED = re.compile(rf"[+-]?[$€£¥₹]?\s?[+-]?{_DIGITS}\s?[%‰$€£¥₹]?")


def remark_on(name: str, kind: str, cells: Sequence[str], missing: Sequence[str]) -> str | None:
    """Return a sentence on a column that is probably not read as meant, and what to do; or None.

    Such are numbers with a unit or blanks (``5%``, ``$20``, ``1 234``), which are read as
    categories; whole numbers of which some begin with a 0, as codes do (``08076``); columns of
    which nearly every cell is a category of its own, as of names; and columns that count the rows.

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
    >>> remark_on("zip", "number", ["55116", "08076"], [])
    "column 'zip': codes such as '08076' are read as numbers; as categories: --schema zip:category."
    """
    filled = _filled(cells, missing)
    skip = f"{schema_option(name, 'skip')}."
    if kind == "category" and has_units(cells, missing):
        decorated = next(cell for cell in filled if not NUMBER.fullmatch(cell))
        return (
            f"column {name!r}: numbers such as {decorated!r} are read as categories: write them as "
            f"plain numbers, or leave the column out: {skip}"
        )
    distinct = len(set(filled))
    if kind == "category" and len(filled) >= LEAST_CELLS and distinct >= _NEARLY_ALL * len(filled):
        return (
            f"column {name!r}: {distinct:,} of the first {len(filled):,} cells differ, as ids or "
            f"names do, and say nothing about new rows: leave it out: {skip}"
        )
    code = next((cell for cell in filled if len(cell) > 1 and cell[0] == "0"), None)
    if kind == "number" and code is not None and all(map(_WHOLE.fullmatch, filled)):
        option = schema_option(name, "category")
        return (
            f"column {name!r}: codes such as {code!r} are read as numbers; as categories: {option}."
        )
    if kind != "number" or len(filled) < LEAST_CELLS or not counts_rows(filled):
        return None
    return f"column {name!r}: it counts the rows, as ids do: leave it out: {skip}"


def has_units(cells: Sequence[str], missing: Sequence[str]) -> bool:
    """Return whether all cells are numbers, some with a unit or with blanks.

    Examples
    --------
    >>> has_units(["5%", "12.5%", ""], []), has_units(["5", "12.5"], []), has_units(["5x"], [])
    (True, False, False)
    """
    filled = _filled(cells, missing)
    return all(map(_DECORATED.fullmatch, filled)) and not all(map(NUMBER.fullmatch, filled))


def _filled(cells: Sequence[str], missing: Sequence[str]) -> list[str]:
    """Return the cells that are not missing, without blanks around them."""
    return [cell for cell in map(str.strip, cells) if cell and cell not in missing]


def remark_on_labels(
    target: str, columns: Mapping[str, Sequence[str]], missing: Sequence[str]
) -> str | None:
    """Return a sentence on labels that are probably no labels, and what to do; or None.

    Parameters
    ----------
    target : str
        The column that is taken as the labels without an option.
    columns : mapping
        The first cells of all columns.
    missing : sequence of str
        Cells that do not count.

    Examples
    --------
    >>> columns = {"c1": ["1", "2"] * 10, "c2": [str(680 + k) for k in range(20)]}
    >>> remark_on_labels("c2", columns, [])
    "column 'c2' is taken as the labels, but 20 of the first 20 differ, as classes do not: \
--target COLUMN names another, for example --target c1."
    """
    filled = _filled(columns[target], missing)
    distinct = len(set(filled))
    if len(filled) < LEAST_CELLS or 2 * distinct <= len(filled):
        return None
    other = _fewest_distinct(columns)
    example = "" if other == target else f", for example --target {shell_words([other])}"
    return (
        f"column {_shown(target)} is taken as the labels, but {distinct:,} of the first "
        f"{len(filled):,} differ, as classes do not: --target COLUMN names another{example}."
    )


def remark_on_header(columns: Mapping[str, Sequence[str]], missing: Sequence[str]) -> str | None:
    """Return a sentence on a header line that is probably a row, and what to do; or None.

    A name of a column is probably a cell if it is a cell of its column, too, or a text of many
    words in a column of texts.

    Parameters
    ----------
    columns : mapping
        The first cells of all columns, by the names in the header.
    missing : sequence of str
        Cells that do not count.

    Examples
    --------
    >>> columns = {"ham": ["spam", "ham"], "see you at lunch tomorrow": ["win a prize", "call me"]}
    >>> remark_on_header(columns, [])
    "the first line is taken as a header, but looks like a row: 'ham' is a cell of its column, \
too. If it is a row: --no-header --target c1, or a name for each column: --names label,c2."
    """
    names = list(columns)
    cell = next((name for name in names if name in map(str.strip, columns[name])), None)
    reason = "is a cell of its column, too"
    if cell is None:
        long = (name for name in names if len(name.split()) >= _MANY_WORDS)
        cell = next((name for name in long if infer_kind(columns[name], missing) == "text"), None)
        reason = "is a text"
    if cell is None:
        return None
    label = names.index(_fewest_distinct(columns))
    example = ",".join("label" if k == label else f"c{k + 1}" for k in range(len(names)))
    return (
        f"the first line is taken as a header, but looks like a row: {_shown(cell)} {reason}. If "
        f"it is a row: --no-header --target c{label + 1}, or a name for each column: --names "
        f"{example if len(names) <= _FEW_COLUMNS else 'A,B,…'}."
    )


def _fewest_distinct(columns: Mapping[str, Sequence[str]]) -> str:
    """Return the column with the fewest distinct cells, but two at least if there is such a one."""
    counts = {name: len(set(cells)) for name, cells in columns.items()}
    return min(counts, key=lambda name: (counts[name] < 2, counts[name]))


def _shown(name: str) -> str:
    return repr(name if len(name) <= _MAX_SHOWN else f"{name[: _MAX_SHOWN - 1]}…")
