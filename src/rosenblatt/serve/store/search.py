"""Reading in the log: a page of it, and the examples that contain a text or a number."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from rosenblatt.serve.schema import Features
from rosenblatt.serve.store.log import Log, Record, Row, decode_row


def find_records(log: Log, text: str, before: int, count: int) -> list[Record]:
    """Return the last examples before a version that contain a text, the youngest first.

    Parameters
    ----------
    log : Log
    text : str
        A part of a name, of a value or label that is text, or of a text; or a number that a value
        or the label is.
    before : int
    count : int
        Number of examples, at most.
    """
    folded, number = text.casefold(), as_number(text)
    records = (
        record
        for record in log.examples_with(folded if number is None else "", before)
        if is_in(_parts_of_row(decode_row(record.body)), folded, number)
    )
    return list(islice(records, count))


def read_page(log: Log, after: int, count: int, size: int) -> tuple[list[Record], bool]:
    """Return records behind a version, and whether there are more.

    Parameters
    ----------
    log : Log
    after : int
    count, size : int
        Number of records, at most, and the bytes of their bodies with which the page ends.
    """
    first, last = log.bounds()
    records = list[Record]()
    for record in log.read(max(after, first - 1)):
        records.append(record)
        size -= len(record.body)
        if len(records) == count or size <= 0:
            break
    return records, bool(records) and records[-1].version < last


def is_in(parts: Iterable[object], folded: str, number: float | None) -> bool:
    """Return whether a text stands in one of some parts, or one of them is a number.

    Upper and lower case are the same; ``folded`` is the text after ``casefold``. A label may be a
    whole number that is no float: it is compared digit by digit.

    Examples
    --------
    >>> parts = ["ham", *parts_of({"age": 42.0, "from": "ann@example.org"})]
    >>> [is_in(parts, text, as_number(text)) for text in ("example", "42", "am", "4")]
    [True, True, True, False]
    >>> is_in([2**53 + 1], text := str(2**53 + 1), as_number(text))
    True
    """
    return any(
        folded in part.casefold()
        if isinstance(part, str)
        else number is not None and (part == number or (type(part) is int and str(part) == folded))
        for part in parts
    )


def parts_of(features: Features) -> list[object]:
    """Return the names and values of a row, or its text."""
    if isinstance(features, str):
        return [features]
    return [*features, *features.values()] if isinstance(features, dict) else [*features]


def _parts_of_row(row: Row) -> list[object]:
    features, label, _ = row
    return [label, *parts_of(features)]


def as_number(text: str) -> float | None:
    """Return the number that a text is; None if it is none."""
    try:
        return float(text)
    except ValueError:
        return None
