"""Names of a table's columns: each one once, and the one that has the labels."""

from __future__ import annotations

import difflib
from collections import Counter

from rosenblatt.streams.errors import DataError

TARGET_NAMES = ("target", "label", "class", "y")


def check_distinct(source: str, line: int | None, names: list[str]) -> None:
    """Refuse a name that several columns have.

    Parameters
    ----------
    source : str
    line : int or None
        Where the names stand, for the error's place.
    names : list of str

    Raises
    ------
    DataError
        A name is there twice.

    Examples
    --------
    >>> check_distinct("a.csv", 1, ["x", "y", "x"])
    Traceback (most recent call last):
    rosenblatt.streams.errors.DataError: a.csv:1: found the column 'x' twice: rename one.
    """
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        problem = f"found the column {repeated[0]!r} twice: rename one."
        raise DataError(source, line, None, problem)


def is_of(name: str, group: str) -> bool:
    """Whether a column is of a group: it has its name, or goes on behind it with ``=`` or ``.``.

    Parameters
    ----------
    name, group : str

    Examples
    --------
    >>> [is_of(name, "colour") for name in ("colour", "colour=red", "colours")]
    [True, True, False]
    """
    return name == group or name.startswith((f"{group}=", f"{group}."))


def target_place(source: str, line: int | None, names: list[str], target: str | None) -> int:
    """Which column has the labels.

    Parameters
    ----------
    source : str
    line : int or None
        Where the names stand, for the error's place.
    names : list of str
        At least one.
    target : str or None
        The column's name. None: the first of ``target``, ``label``, ``class``, ``y`` that names a
        column, in any case of letters, else the last column.

    Raises
    ------
    DataError
        There is no column ``target``.

    Examples
    --------
    >>> target_place("a.csv", 1, ["x", "Class", "z"], None)
    1
    """
    if target in names:
        return names.index(target)
    if target is not None:
        raise DataError(source, line, None, no_column(target, "for the labels", names))
    lowered = [name.lower() for name in names]
    known = [lowered.index(name) for name in TARGET_NAMES if name in lowered]
    return known[0] if known else len(names) - 1


def no_column(name: str, what: str, names: list[str]) -> str:
    """What to say of a column that is not there.

    Parameters
    ----------
    name : str
    what : str
        What it is wanted for.
    names : list of str
        The columns that are there.

    Examples
    --------
    >>> no_column("specis", "for the labels", ["petal", "species"])
    "no column 'specis' for the labels; the columns are 'petal', 'species'. Did you mean 'species'?"
    """
    listed = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
    close = difflib.get_close_matches(name, names, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"no column {name!r} {what}; the columns are {listed}.{hint}"
