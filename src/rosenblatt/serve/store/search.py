"""Search in the log: the examples that contain a text or a number."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from rosenblatt.serve.store.log import Log, Record, Row, decode_row


def find_records(log: Log, text: str, before: int, count: int) -> list[Record]:
    """Return the last examples before a version that contain a text, the youngest first.

    Parameters
    ----------
    log : Log
    text : str
        As for :func:`contains`.
    before : int
    count : int
        Number of examples, at most.
    """
    number = as_number(text)
    sought = text.casefold() if number is None else ""  # a number is stored in another form
    records = (
        record
        for record in log.examples_with(sought, before)
        if contains(decode_row(record.body), text, number)
    )
    return list(islice(records, count))


def contains(row: Row, text: str, number: float | None) -> bool:
    """Return whether an example has a text in a name, a value or its label, or has a number.

    Upper and lower case are the same.

    Examples
    --------
    >>> row = ({"age": 42.0, "from": "ann@example.org"}, "ham", 1.0)
    >>> [contains(row, text, as_number(text)) for text in ("Example", "42", "am", "4")]
    [True, True, True, False]
    """
    folded = text.casefold()
    return any(
        folded in part.casefold()
        if isinstance(part, str)
        else number is not None and part == number
        for part in _parts(row)
    )


def as_number(text: str) -> float | None:
    """Return the number that a text is; None if it is none."""
    try:
        return float(text)
    except ValueError:
        return None


def _parts(row: Row) -> Iterator[Any]:
    features, label, _ = row
    yield label
    if isinstance(features, str):
        yield features
    elif isinstance(features, dict):
        yield from features
        yield from features.values()
    else:
        yield from features
