"""Declaration of a format: all there is to know of it before a source is opened.

This module, and those that declare formats, import the standard library only: the help of the
command waits for them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

PACKINGS = (".gz", ".xz", ".bz2", ".zst")
"""Suffixes of compressed texts."""

MISSING_OPTIONS = ("missing", "impute", "means")
"""Options of missing cells."""

LAYOUT_OPTIONS = ("separator", "decimal", "quotes", "header", "column_names")
"""Options of the layout of CSV and TSV text."""

DECIMAL = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""A number, as formats are told by it."""

DELIMITERS = {"csv": ",", "tsv": "\t"}
"""The separator of the cells of each delimited text by default."""

TABLE_OPTIONS = (
    *("target", "schema", "bits", "text", "interactions", "partitions"),
    *MISSING_OPTIONS,
)
"""Feature options of tables, and of objects with keys."""


def late(module: str, name: str) -> Callable[..., Any]:
    """Return a function, or class, of a module that is imported when it is first called.

    Parameters
    ----------
    module : str
        Below ``rosenblatt.streams``.
    name : str

    Examples
    --------
    >>> late("io.paths", "expand_paths")("a.csv")
    ['a.csv']
    """

    def call(*args: object, **options: object) -> Any:
        return getattr(import_module(f"rosenblatt.streams.{module}"), name)(*args, **options)

    return call


class Format(NamedTuple):
    """A format that is read, and perhaps written.

    Parameters
    ----------
    name : str
        The value of the option ``format``.
    title : str
        What a source of it is, in messages: "a table".
    contents : str
        What it holds, in the table of ``docs/streams/index.md``.
    page : str
        Its page in ``docs/streams/``, without ``.md``.
    options : tuple of str
        The feature options that it accepts, of
        :data:`rosenblatt.streams.core.options.FEATURE_OPTIONS`.
    rank : int
        Its place in lists of formats, the smallest first.
    suffixes : tuple of str
        In lower case, without that of a compression.
    begins : callable, optional
        ``begins(line, rows)`` tells whether a text without a known suffix has the format, by its
        first line, and its first rows: up to twenty lines that are neither blank nor comments. At
        most one format says so of a text.
    cut_at_lines : bool
        Whether each row has lines of its own, so that a file can be cut at the end of any.
    open_lines : callable, optional
        Function of a :class:`rosenblatt.streams.io.files.Text` that returns its stream, as a
        reader of the format is: :func:`late` imports it where such a source is opened.
    open_file : callable, optional
        The same of a :class:`rosenblatt.streams.io.files.NamedFile`, for a format that is no text.
        Exactly one of both is there.
    prefix : str
        Sources that begin with it have the format, and no option ``format``.
    has_folders : bool
        Whether a folder is a source of the format.
    write : callable, optional
        Function of a stream and a path that writes the rows and returns their number.
    written : str
        A written file in messages: "CSV table".
    written_as : {"lines", "table", "columns"}
        ``lines``: text, each row by itself. ``table``: text with the names of all columns before
        the rows, which are dense. ``columns``: a file of columns with their names, no text.

    Examples
    --------
    >>> from rosenblatt.streams.registry import FORMATS
    >>> FORMATS["vw"].title, FORMATS["vw"].suffixes, FORMATS["vw"].written_as
    ('Vowpal Wabbit text', ('.vw',), 'lines')
    """

    name: str
    title: str
    contents: str
    page: str
    options: tuple[str, ...]
    rank: int
    suffixes: tuple[str, ...] = ()
    begins: Callable[[bytes, list[bytes]], bool] | None = None
    cut_at_lines: bool = False
    open_lines: Callable[..., Any] | None = None
    open_file: Callable[..., Any] | None = None
    prefix: str = ""
    has_folders: bool = False
    write: Callable[..., Any] | None = None
    written: str = ""
    written_as: str = ""
