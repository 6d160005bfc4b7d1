"""Notes of a model file on how its rows are read: whether they are such, and what they may say."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, cast

from rosenblatt.streams.core.notes import Notes, are_texts
from rosenblatt.streams.core.options import FEATURE_OPTIONS, NO_FEATURES, ReadOptions, noted_option

_TYPES = {
    "bits": int,
    "decimal": str,
    "header": bool,
    "index_base": int,
    "quotes": bool,
    "separator": str,
    "target": str,
}
"""Of notes that are not null."""

_LISTS = ("text", "interactions", "missing", "column_names")


TABLES = ("csv", "tsv", "parquet", "arrow", "arff", "sklearn")
"""Formats of models of tables."""


def describes_rows(notes: object) -> bool:
    """Return whether the notes of a model file say how raw rows are read.

    Columns of svmlight text, of NumPy's files and of Vowpal Wabbit have numbers, or hashes.
    scikit-learn's data sets are tables of numbers.

    Examples
    --------
    >>> describes_rows({"format": "csv", "schema": {"age": "number"}})
    True
    >>> describes_rows({"format": "npy", "schema": None}), describes_rows({})
    (False, False)
    """
    if not isinstance(notes, Mapping):
        return False
    format, kinds = notes.get("format"), notes.get("schema")
    if format in ("jsonl", "folder") or (format == "sklearn" and kinds is None):
        return True
    if format not in TABLES or kinds is None:
        return False
    return not (isinstance(kinds, dict) and set(kinds.values()) <= set(NO_FEATURES))


def check_notes(notes: object) -> None:
    """Refuse notes on rows that no training wrote.

    Raises
    ------
    ValueError
        With the key.

    Examples
    --------
    >>> check_notes({"format": "csv", "means": {"age": "old"}})
    Traceback (most recent call last):
        ...
    ValueError: its notes on rows are not valid: means must be finite numbers
    """
    try:
        if not isinstance(notes, Mapping):
            raise TypeError("they must be an object")
        _check_parts(notes)
        noted: dict[str, Any] = {
            name: noted_option(notes, name) for name in FEATURE_OPTIONS if name in notes
        }
        for name, kind in _TYPES.items():
            if not (noted.get(name) is None or type(noted[name]) is kind):
                raise TypeError(f"{name} must be of the type {kind.__name__}")
        ReadOptions(**noted).validate()
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise ValueError(f"its notes on rows are not valid: {error!s:.500}") from error


def notes_on_reading(notes: Notes) -> Notes:
    """Return the notes that say how rows are read, and what hashed columns are called.

    The others are of the run that trained the model: once it has learned more, they are about
    another model.

    Examples
    --------
    >>> notes_on_reading({"format": "csv", "target": "y", "run": {}, "data": "a.csv", "epochs": 3})
    {'format': 'csv', 'target': 'y'}
    """
    names = ("format", "means", "totals", "names", *FEATURE_OPTIONS)
    return cast("Notes", {name: note for name, note in notes.items() if name in names})


def _check_parts(notes: Mapping[str, Any]) -> None:
    for name in _LISTS:
        if not are_texts(notes.get(name) or []):
            raise TypeError(f"{name} must be a list of texts")
    for name in ("schema", "means", "totals"):
        if not isinstance(notes.get(name), dict | None):
            raise TypeError(f"{name} must be an object")
    if not all(map(is_finite, (notes.get("means") or {}).values())):
        raise ValueError("means must be finite numbers")
    for total in (notes.get("totals") or {}).values():
        is_pair = isinstance(total, list | tuple) and len(total) == 2
        if not (is_pair and type(total[0]) is int and all(map(is_finite, total))):
            raise ValueError("totals must be counts and finite sums")


def is_finite(value: Any) -> bool:
    """Return whether a note is a finite number, not a truth value.

    Examples
    --------
    >>> [is_finite(value) for value in (2, 0.5, 10**400, float("nan"), True, "1")]
    [True, True, False, False, False, False]
    """
    return type(value) in (int, float) and abs(value) <= sys.float_info.max
