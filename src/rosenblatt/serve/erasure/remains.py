"""What the erasure of an example cannot reach: weights that were not computed from the log."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from rosenblatt.serve.encoded.files import file_of, of_snapshot
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.schema import Remains
from rosenblatt.serve.store.log import FILES, Kind, Log, Row
from rosenblatt.serve.store.tables import newest_snapshot, read_models


def list_remains(
    connection: apsw.Connection, number: int, version: int, row: Row | None
) -> list[Remains]:
    """Return the records of a store whose weights may hold an erased example.

    These are model files that were put, in any model, the deleted ones too, and the state with
    which a shortened log begins. Both have no origin in the log from which they could be computed
    again.

    Parameters
    ----------
    connection : apsw.Connection
    number : int
        The model of the example.
    version : int
        That of the example: an earlier file of its model cannot have learned it.
    row : Row or None
        The example; None if it is no longer known, and files of any content are listed.

    Raises
    ------
    StoreError
        A record is damaged.
    """
    remains = []
    for stored in read_models(connection):
        log = Log(connection, stored.number, stored.name)
        for at, what, live in _without_origin(log):
            is_earlier = stored.number == number and what == "file" and at < version
            if not is_earlier and (row is None or live.may_hold(row)):
                first = log.bounds()[0]  # one cannot roll back to before it
                can_go_back = what == "file" and (first == 1 or at > first)
                before = at - 1 if can_go_back else None
                remains.append(Remains(stored.name, at, what, before))
    return remains


def _without_origin(log: Log) -> Iterator[tuple[int, str, LiveModel]]:
    """Yield version, kind and content of the states that are not computed from the log."""
    first = log.bounds()[0]
    for change in log.changes():
        if change.kind in FILES:
            yield change.version, "file", file_of(log.record(change.version))
        elif change.kind == Kind.START and change.version == first:
            snapshot = newest_snapshot(log.connection, log.model, first)
            if snapshot is not None:
                yield first, "start", of_snapshot(snapshot)
