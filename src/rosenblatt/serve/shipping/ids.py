"""Ids of predictions, of which no two owners of a target give out the same."""

from __future__ import annotations

import apsw

from rosenblatt.serve.store.database import Database

IDS = 2**40
"""Ids of an epoch: none of its predictions is numbered like one of another epoch, also where
nothing of that one has reached the target."""


def epoch_of_ids(connection: apsw.Connection) -> int:
    """Return the epoch of the ids that a store gives out; 1 for a new one."""
    counted = connection.execute("SELECT value FROM counters WHERE name = 'predictions'").get
    return 1 + int(counted or 0) // IDS


def skip_ids(database: Database, epoch: int) -> None:
    """Leave out the ids of the epochs before; a store that is past them goes on as it was."""
    if epoch > epoch_of_ids(database.writer):
        with database.transaction():
            database.writer.execute(
                "REPLACE INTO counters VALUES ('predictions', ?)", ((epoch - 1) * IDS,)
            )
