"""What a format of exports declares.

Nothing here imports NumPy: the help of the command lists the formats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rosenblatt.exports.terms import Plan

DIALECT_NAMES = ("sqlite", "duckdb", "postgresql")
"""The dialects of SQL."""


class ExportOptions(NamedTuple):
    """Options of an export; a format takes those that it declares.

    Attributes
    ----------
    table : str
        The table of the rows.
    dialect : str
        The dialect of SQL.
    """

    table: str = "data"
    dialect: str = "sqlite"


class Format(NamedTuple):
    """A format of exports.

    Attributes
    ----------
    name : str
        The value of ``--to``.
    suffix : str
        The suffix of its files, which names the format, too.
    title : str
        What a file of it is, in a few words.
    limits : str
        What it does not express of the rows that others do, in a few words; empty for nothing.
    write : callable
        ``write(plan, options)`` returns the bytes of the file.
    rank : int
        Its place in lists, from 1.
    options : tuple of str
        The fields of :class:`ExportOptions` that it takes.

    Raises
    ------
    CannotExport
        ``write`` raises it for a plan that the format does not express.
    """

    name: str
    suffix: str
    title: str
    limits: str
    write: Callable[[Plan, ExportOptions], bytes]
    rank: int
    options: tuple[str, ...] = ()
