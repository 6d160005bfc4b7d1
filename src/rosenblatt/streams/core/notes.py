"""Notes of a model: how its rows are read, and the run that trained it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, TypeGuard, cast

_COLUMN = re.compile(r"[0-9]{1,10}")
_COUNTS = {"bits", "used", "shared", "share"}  # of collisions


class Notes(TypedDict, total=False):
    """Notes of a model, JSON values: :meth:`rosenblatt.streams.Stream.noted`, and those of a run.

    A user may note other things, too (``rosenblatt.save``).
    """

    format: str
    target: str | None
    index_base: int | None
    bits: int | None
    text: Sequence[str]
    schema: dict[str, str] | None
    interactions: Sequence[str]
    keep: Sequence[str]
    ignore: Sequence[str]
    separator: str | None
    decimal: str | None
    quotes: bool | None
    header: bool | None
    column_names: Sequence[str]
    missing: Sequence[str]
    impute: str
    means: dict[str, float]
    totals: Mapping[str, tuple[int, float]]
    partitions: dict[str, str] | None
    names: dict[str, Any]  # of hashed columns
    data: str
    data_bytes: int | None
    earlier: list[dict[str, Any]]  # data and data_bytes of the runs before
    epochs: int
    shuffle: bool
    seed: int
    interrupted: bool
    collisions: dict[str, Any]
    run: dict[str, Any]
    cluster: dict[str, Any]  # of a checkpoint on a cluster: what its rounds need
    cluster_run: dict[str, Any]  # of a cluster: its options, and sizes of its files
    from_sha256: str


def are_texts(value: object) -> bool:
    """Return whether a note is a list of texts."""
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


def _are_named_texts(value: object) -> bool:
    return isinstance(value, dict) and are_texts([*value.values()])


def _are_named_numbers(value: object) -> TypeGuard[dict[str, float]]:
    return isinstance(value, dict) and all(type(one) in (int, float) for one in value.values())


_FORMS: dict[str, Callable[[object], bool]] = (
    dict.fromkeys(("target", "separator"), lambda value: isinstance(value, str))
    | dict.fromkeys(("index_base", "bits", "data_bytes"), lambda value: type(value) is int)
    | dict.fromkeys(
        ("text", "interactions", "keep", "ignore", "column_names", "missing"), are_texts
    )
    | dict.fromkeys(("schema", "partitions"), _are_named_texts)
    | {"means": _are_named_numbers, "earlier": lambda value: isinstance(value, list)}
    | {"collisions": lambda value: _are_named_numbers(value) and set(value) >= _COUNTS}
    | dict.fromkeys(
        ("totals", "names", "run", "cluster", "cluster_run"),
        lambda value: isinstance(value, dict),
    )
)
"""What notes that are computed with are, where a run or a stream has written them, or None."""


def notes_of_runs(notes: object) -> Notes:
    """Return notes without those that have a name of ours and another form: they are a user's own.

    Examples
    --------
    >>> notes_of_runs({"run": "nightly", "target": "kind", "by": "Ada"})
    {'target': 'kind', 'by': 'Ada'}
    """
    if not isinstance(notes, dict):
        return {}
    written = {
        name: value
        for name, value in notes.items()
        if value is None or name not in _FORMS or _FORMS[name](value)
    }
    return cast(Notes, written)


def hashed_columns(notes: Notes) -> dict[int, tuple[int, str]]:
    """Return the sign and the name of hashed columns, by their number, as far as they are noted.

    There are none where names are not hashed: a note ``names`` is then a user's own.

    Examples
    --------
    >>> noted = {"7": [-1, "words^offer"], "9": "Ada"}
    >>> hashed_columns({"bits": 18, "names": noted}), hashed_columns({"names": noted})
    ({7: (-1, 'words^offer')}, {})
    """
    bits, noted = notes.get("bits"), notes.get("names")
    if type(bits) is not int or not isinstance(noted, dict):
        return {}
    spelled = {}
    for column, pair in noted.items():
        match pair:
            case [1 | -1 as sign, str(name)] if _COLUMN.fullmatch(column):
                if int(column).bit_length() <= bits:
                    spelled[int(column)] = sign, name
    return spelled
