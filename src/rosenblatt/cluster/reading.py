"""Options with which files are read: those of a fit, and those of new files for its model."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, NamedTuple

from rosenblatt.streams.core.access import Access, StorageOptions
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import ReadOptions, noted_option
from rosenblatt.streams.opening import format_of
from rosenblatt.streams.registry import FORMAT_NAMES, FORMATS

_FEATURE_OPTIONS = (
    *("bits", "text", "interactions", "keep", "ignore"),
    *("impute", "means", "index_base"),
)
"""Options that new files must share with the fit, where its format has them."""


class FitReading(NamedTuple):
    """Facts on how a fit read its rows, for new files.

    Attributes
    ----------
    noted : dict or None
        :meth:`rosenblatt.streams.Stream.noted`; None where the fit read no files.
    feature_names : list of str or None
    labelled : bool
        Whether new files have labels to be read.
    """

    noted: Notes | None
    feature_names: list[str] | None
    labelled: bool


def read_options(reading: Mapping[str, Any]) -> ReadOptions:
    """Return options of :func:`rosenblatt.streams.open_stream` as one record.

    Raises
    ------
    TypeError
        There is no such option.

    Examples
    --------
    >>> read_options({"text": "word:1", "bits": 20}).text
    ('word:1',)
    >>> read_options({"tagret": "kind"})
    Traceback (most recent call last):
    TypeError: 'tagret' is no option of reading files; did you mean 'target'?
    """
    for name in reading:
        if name not in ReadOptions._fields:
            close = difflib.get_close_matches(name, ReadOptions._fields, 1)
            question = f"; did you mean {close[0]!r}?" if close else "."
            raise TypeError(f"{name!r} is no option of reading files{question}")
    sequences: dict[str, Any] = {
        name: (value,) if isinstance(value, str) else tuple(value)
        for name, value in reading.items()
        if name in ("text", "missing", "interactions", "keep", "ignore", "column_names")
    }
    storage: Any = reading.get("storage_options")
    if storage is not None:
        sequences["storage_options"] = StorageOptions(storage)
    return ReadOptions(**{**reading, **sequences})


def check_reading(reading: dict[str, object], fit: FitReading) -> None:
    """Refuse options that would give new files other features than those of the fit.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> check_reading({"bits": 12}, FitReading({"format": "csv", "bits": 10}, None, True))
    Traceback (most recent call last):
    ValueError: bits=12 contradicts the fit, whose files were read with bits=10.
    """
    options, noted = read_options(reading), fit.noted
    if noted is None:
        return
    pairs = [
        (name, getattr(options, name), noted_option(noted, name))
        for name in _FEATURE_OPTIONS
        if name in FORMATS[noted["format"]].options and getattr(options, name) not in (None, ())
    ]
    kinds = noted.get("schema") or {}
    for column, kind in (options.schema or {}).items():
        pairs.append(("schema", {column: kind}, {column: kinds.get(column, kind)}))
    for name, new, old in pairs:
        if new != old:
            raise ValueError(
                f"{name}={new!r} contradicts the fit, whose files were read with {name}={old!r}."
            )


def options_of_fit(sources: object, reading: dict[str, object], fit: FitReading) -> ReadOptions:
    """Return the options for new files: those of the fit, unless others are given.

    Options of the layout of text are the fit's only for files of its format. Columns of a table
    that the fit did not have are skipped.

    Parameters
    ----------
    sources : str, path, or sequence of them
    reading : dict
        The options that are given.
    fit : FitReading
    """
    options = read_options({"labelled": fit.labelled} | reading)
    if fit.noted is None:
        return options
    format = options.format or _format_of(sources, fit.noted, options.access)
    return options.completed(fit.noted, format)._replace(
        format=format if format in FORMAT_NAMES else None
    )


def _format_of(sources: Any, noted: Notes, access: Access) -> str:
    """Return the format of new files; that of the fit where their first lines are not clear."""
    try:
        return format_of(sources, access)
    except DataError:
        return str(noted["format"])
