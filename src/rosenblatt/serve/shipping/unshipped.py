"""What a store has and its target has not: the records behind the last head that both have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import apsw
import msgspec

from rosenblatt.serve.errors import explained
from rosenblatt.serve.shipping.restore import UNSHIPPED, clear, restore
from rosenblatt.serve.shipping.target import Target
from rosenblatt.serve.store.check import not_served
from rosenblatt.serve.store.database import FILE
from rosenblatt.serve.store.journal import read_unchanged
from rosenblatt.serve.store.log import Kind, Log, decode_row
from rosenblatt.serve.store.tables import read_models


class Unshipped(NamedTuple):
    """The versions of a model that a target has not: their examples as JSON, and what else."""

    name: str
    first: int
    last: int
    lines: list[bytes]
    others: int


def find_unshipped(store: str | os.PathLike[str], url: str) -> Iterator[Unshipped]:
    """Yield what the target of a store that is at rest has not, by model.

    Raises
    ------
    StoreError
        A service has the store, or one of the two is damaged.
    """
    file = Path(store) / FILE
    with (
        not_served(Path(store)),
        _restored(Path(store), url) as copy,
        explained(file),
        closing(read_unchanged(file)) as own,
        closing(read_unchanged(copy)) as shipped,
    ):
        for model in read_models(own):
            log = Log(own, model.number, model.name)
            if behind := _behind(log, _last_common(log, shipped)):
                yield behind


@contextmanager
def _restored(folder: Path, url: str) -> Iterator[Path]:
    """Build what a target has beside a store; a kill leaves it there until the next run."""
    clear(folder)
    try:
        restore(folder / UNSHIPPED, Target(url))
        yield folder / UNSHIPPED / FILE
    finally:
        clear(folder)


def _last_common(log: Log, shipped: apsw.Connection) -> int:
    """Return the last version whose head both logs have; heads of a chain differ from there on."""
    other = Log(shipped, log.model, log.name)
    first, last = log.bounds()
    low, high = max(first, other.bounds()[0]) - 1, min(last, other.bounds()[1])
    while low < high:
        middle = (low + high + 1) // 2
        if log.head(middle) == other.head(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _behind(log: Log, version: int) -> Unshipped | None:
    records = list(log.read(version, log.bounds()[1]))
    if not records:
        return None
    lines = []
    for record in records:
        if record.kind == Kind.EXAMPLE:
            features, label, weight = decode_row(record.body)
            row = {"model": log.name, "features": features, "label": label, "weight": weight}
            lines.append(msgspec.json.encode(row))
    return Unshipped(
        log.name, records[0].version, records[-1].version, lines, len(records) - len(lines)
    )
