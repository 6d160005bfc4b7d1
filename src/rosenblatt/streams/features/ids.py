"""Columns of ids, which name the rows and say nothing about new ones."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rosenblatt.streams.features.labels import NUMBER

LEAST_CELLS = 20
"""Fewer cells say nothing about a column."""

_MANY_CELLS = 50  # so many different words are names, whatever the column is called
_NEARLY_ALL = 0.9  # share of distinct cells of a column that is called an id or has their form
_ALMOST_EACH = 0.98  # and of any other column of words
_WHOLE = re.compile(r"([+-]?[0-9]+)(\.0*)?")  # 7.0, too: whole numbers beside an empty cell
_UUID = re.compile(r"\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE)
_DIGEST = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{8,128}", re.IGNORECASE)
_HEXADECIMAL = re.compile("[0-9a-f]+", re.IGNORECASE)
_NUMBERED = re.compile(r"([A-Za-z]+[-_/#. ]?)[0-9]{2,}")  # CUST-0001, GSM12345

_ID_WORDS = frozenset({"id", "ids", "uuid", "guid", "uid", "oid", "pk", "rowid", "rownum"})
_NUMBER_WORDS = frozenset({"no", "nr", "num", "number", "key", "index", "idx"})
_THINGS = frozenset(
    [
        "account",
        "case",
        "client",
        "customer",
        "doc",
        "document",
        "employee",
        "instance",
        "invoice",
        "item",
        "member",
        "message",
        "object",
        "obs",
        "observation",
        "order",
        "passenger",
        "patient",
        "person",
        "post",
        "product",
        "record",
        "row",
        "sample",
        "serial",
        "session",
        "student",
        "subject",
        "ticket",
        "transaction",
        "tweet",
        "user",
    ]
)
"""What rows are, in names of columns: ``patient``, ``patientid`` and ``patient no`` name rows."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WITHOUT_A_NAME = re.compile(r"unnamed: ?[0-9]+|c1|#", re.IGNORECASE)  # of pandas, of --no-header


def is_named_id(name: str) -> bool:
    """Return whether the name of a column says that it names the rows.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> [is_named_id(name) for name in ("id", "customer_id", "PassengerId", "order no", "index")]
    [True, True, True, True, True]
    >>> [is_named_id(name) for name in ("acid", "body_mass_index", "area", "zip", "fnlwgt")]
    [False, False, False, False, False]
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words:
        return name.strip() == "#"
    first, last = words[0], words[-1]
    if first in _ID_WORDS or last in _ID_WORDS:
        return True
    if last.endswith("id") and last.removesuffix("id") in _THINGS:
        return True
    return last in _NUMBER_WORDS and (len(words) == 1 or not _THINGS.isdisjoint(words))


def id_fault(name: str, kind: str, cells: Sequence[str], missing: Sequence[str]) -> str | None:
    """Return why a column is one of ids, or None.

    Whole numbers, 7.0 among them, are ids if the column is called so and nearly each cell differs,
    or if they count the rows. Words are ids if nearly each differs, and the column is called so, or
    they are UUIDs, digests or numbered codes, or the first rows are many. Numbers with decimals and
    texts are none.

    Parameters
    ----------
    name : str
    kind : {"number", "category"}
        The kind that was inferred; columns of others are no ids.
    cells : sequence of str
        The first cells of the column.
    missing : sequence of str
        Cells that do not count.

    Examples
    --------
    >>> id_fault("id", "number", [str(7 * k % 60) for k in range(60)], [])
    '60 of the first 60 cells differ, as ids do'
    >>> id_fault("area", "number", [str(7 * k % 60) for k in range(60)], [])
    >>> id_fault("patient", "number", [str(k) for k in range(60)], [])
    'it counts the rows, as ids do'
    """
    is_named, is_number = is_named_id(name), kind == "number"
    if is_number and not could_count(name) and all(map(NUMBER.fullmatch, cells[:LEAST_CELLS])):
        return None
    filled = [cell for cell in map(str.strip, cells) if cell and cell not in missing]
    distinct = len(set(filled))
    if not (is_number or kind == "category") or len(filled) < LEAST_CELLS:
        return None
    if distinct < _NEARLY_ALL * len(filled):
        return None
    differ = f"{distinct:,} of the first {len(filled):,} cells differ, as ids do"
    if _have_form_of_ids(filled):
        return differ
    if is_number:
        digits = [match[1] for match in map(_WHOLE.fullmatch, filled) if match]
        if not could_count(name) or len(digits) < len(filled):
            return None
        counts = "it counts the rows, as ids do"
        return counts if counts_rows(digits) else differ if is_named else None
    if is_named:
        return differ
    are_many = len(filled) >= _MANY_CELLS and distinct >= _ALMOST_EACH * len(filled)
    return differ if are_many else None


def counts_rows(cells: Sequence[str]) -> bool:
    """Return whether each cell is one more than the cell before.

    Examples
    --------
    >>> counts_rows(["7", "8", "9"]), counts_rows(["1", "3"]), counts_rows(["1.5", "2.5"])
    (True, False, False)
    """
    if not re.fullmatch("[0-9]{1,18}", cells[0]):
        return False
    first = int(cells[0])
    return all(cell == str(first + k) for k, cell in enumerate(cells))


def could_count(name: str) -> bool:
    """Return whether whole numbers in a column of this name are ids if they count the rows.

    Examples
    --------
    >>> [could_count(name) for name in ("id", "patient", "Unnamed: 0", "year", "x")]
    [True, True, True, False, False]
    """
    if is_named_id(name) or _WITHOUT_A_NAME.fullmatch(name):
        return True
    words = [word.lower() for word in _WORDS.findall(name)]
    return len(words) == 1 and words[0] in _THINGS


def _have_form_of_ids(cells: Sequence[str]) -> bool:
    """Return whether all cells are UUIDs, digests, or one word with numbers."""
    if all(map(_UUID.fullmatch, cells)):
        return True
    digests = sum(1 for cell in cells if _DIGEST.fullmatch(cell))  # a few are digits alone
    if digests >= _NEARLY_ALL * len(cells) and len(set(map(len, cells))) == 1:
        return all(map(_HEXADECIMAL.fullmatch, cells))
    matches = [_NUMBERED.fullmatch(cell) for cell in cells]
    return all(matches) and len({match[1] for match in matches if match}) == 1
