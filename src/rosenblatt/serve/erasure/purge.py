"""Deleted models that leave the store for good, and the disk space of what was deleted.

Both go in steps that are short, so that learning goes on meanwhile. A purge that was cut off goes
on at the next start.
"""

from __future__ import annotations

import apsw

from rosenblatt.serve.erasure.deletion import about_deleted
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import DeletedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store import models
from rosenblatt.serve.store.journal import count_commit

ROWS = 2_000
"""Rows of a table that a step deletes, at most."""
BYTES = 2**22
"""Bytes of the rows that a step deletes, but for a single larger row."""
PAGES = 256
"""Free pages that a step gives back to the disk: a megabyte."""
FREE_PAGES = 1_024
"""Free pages that a store keeps for what it writes next; and an eighth of all its pages."""


async def purge(service: Service, name: str) -> DeletedModel:
    """Remove a deleted model with its log, and all that the store has of it; its name is free.

    It is done when this returns.

    Raises
    ------
    RefusedError
        There is no deleted model of this name.
    StoreError
        The disk refuses; what has begun goes on at the next start.
    """
    model = service.deleted.get(name)
    if model is None and name in service.models:
        raise RefusedError(409, f"the model {name!r} is in use: DELETE /v1/models/{name} first.")
    if model is None:
        raise RefusedError(404, f"no deleted model {name!r:.80}.")
    about = about_deleted(service, model)
    async with model.change():
        if service.deleted.get(name) is not model:
            raise RefusedError(404, f"no deleted model {name!r:.80}.")
        await service.writer.do(lambda c: models.start_purge(c, model.number))
        model.is_purged = True
        del service.deleted[name]
    service.forget(model)
    await finish_purges(service)
    await service.empty_journal()
    return about


async def finish_purges(service: Service) -> None:
    """Delete the rows of all models that are being purged.

    Raises
    ------
    StoreError
        The disk refuses.
    """
    async with service.purging:
        for number in models.purged_numbers(service.reader):
            await service.writer.barrier()  # predictions that wait are written, to be deleted
            rows = _Rows(number)
            while not rows.is_done:
                await service.writer.do(rows.delete_some)
                rows.after = rows.reached
            service.has_purged = True


class _Rows:
    """The rows of a purged model.

    Attributes
    ----------
    after : int
        Predictions up to this id have been looked at, and ``reached`` by the last step.
    is_done : bool
        Whether nothing is left of the model.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self.after = self.reached = 0
        self.is_done = False

    def delete_some(self, connection: apsw.Connection) -> None:
        """Delete some rows."""
        if self._predictions(connection) or self._versions(connection):
            return
        number = (self._number,)
        connection.execute("DELETE FROM shadows WHERE model = ?", number)
        connection.execute(
            "DELETE FROM keys WHERE model = ?1 AND key IN "
            f"(SELECT key FROM keys WHERE model = ?1 LIMIT {ROWS})",
            number,
        )
        if not connection.changes():
            connection.execute("DELETE FROM models WHERE id = ?", number)
            self.is_done = True

    def _predictions(self, connection: apsw.Connection) -> bool:
        """Delete those among the next predictions; return whether there are more."""
        (last,) = next(
            connection.execute(
                "SELECT max(id) FROM (SELECT id FROM predictions WHERE id > ? ORDER BY id "
                f"LIMIT {ROWS})",
                (self.after,),
            )
        )
        if last is None:
            return False
        connection.execute(
            "DELETE FROM predictions WHERE model = ? AND id > ? AND id <= ?",
            (self._number, self.after, last),
        )
        self.reached = last
        return True

    def _versions(self, connection: apsw.Connection) -> bool:
        """Delete some records, else a snapshot; return whether there were any."""
        for table, column in (("log", "body"), ("snapshots", "file")):
            last, size = None, 0
            for version, length in connection.execute(
                f"SELECT version, length({column}) FROM {table} WHERE model = ? ORDER BY version "
                f"LIMIT {ROWS}",
                (self._number,),
            ):
                size += length
                if last is not None and size > BYTES:
                    break
                last = version
            if last is not None:
                connection.execute(
                    f"DELETE FROM {table} WHERE model = ? AND version <= ?", (self._number, last)
                )
                return True
        return False


async def give_back_pages(service: Service) -> int:
    """Shorten the file of the store where it has many free pages; return how many went.

    After a purge all go.

    Raises
    ------
    StoreError
        The disk refuses.
    """
    kept = 0 if service.has_purged else max(FREE_PAGES, _count(service.reader, "page_count") // 8)
    first = free = _count(service.reader, "freelist_count")
    if free <= kept:
        return 0
    before = free + 1
    while 0 < free < before:  # a store without pointers between its pages gives none back
        before = free
        await service.writer.do(_give_back)
        free = _count(service.reader, "freelist_count")
    service.has_purged = False
    if first > free:
        service.writer.empty_journal()  # then the file becomes shorter
    return first - free


def _give_back(connection: apsw.Connection) -> None:
    count_commit(connection)  # which moves pages, and changes no row
    for _ in connection.execute(f"PRAGMA incremental_vacuum({PAGES})"):  # each row is a page
        pass


def _count(connection: apsw.Connection, what: str) -> int:
    (count,) = next(connection.execute(f"PRAGMA {what}"))
    return int(count)
