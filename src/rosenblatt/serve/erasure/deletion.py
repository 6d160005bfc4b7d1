"""Models that are deleted, brought back, or removed for good, and the disk space they had.

What is long goes in short steps, so that learning goes on meanwhile. A purge that was cut off goes
on at the next start.
"""

from __future__ import annotations

import time
from functools import partial

import apsw

from rosenblatt.serve.changes import restart_shadows
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.schema import DeletedModel
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.shipping.base import note_erasure
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.journal import count_commit

ROWS = 2_000
"""Rows of a table that a step deletes, at most."""
BYTES = 2**22
"""Bytes of the rows that a step deletes, but for a single larger row."""
PAGES = 256
"""Free pages that a step gives back to the disk: a megabyte."""
FREE_PAGES = 1_024
"""Free pages that a store keeps for what it writes next; and an eighth of all its pages."""


async def delete(service: Service, name: str) -> ServedModel:
    """Delete a model; its log stays, and so does its name.

    Raises
    ------
    RefusedError
        There is none of this name.
    """
    async with service.deleting:
        model = service.model(name)
        model.deleted = time.time()  # from here on it learns nothing, and keeps no prediction
        try:
            await service.writer.do(lambda c: tables.set_deleted(c, model.number, model.deleted))
        except BaseException:
            model.deleted = None
            raise
        service.deleted[name] = service.models.pop(name)
    return model


async def bring_back(service: Service, name: str) -> ServedModel:
    """Restore a deleted model, from its log if it is not in memory, with its shadows.

    Raises
    ------
    RefusedError
        There is none of this name.
    """
    async with service.deleting:
        model = service.deleted.get(name)
        if model is None:
            return service.model(name)
        async with model.change():
            await _restore(service, model)
            service.put_back(service.deleted.pop(name))
            await restart_shadows(service, model)
    return model


async def _restore(service: Service, model: ServedModel) -> None:
    answers = [] if model.is_restored else await service.read(model.restore)

    def write(connection: apsw.Connection) -> None:
        tables.set_deleted(connection, model.number, None)
        tables.save_answers(connection, answers)

    await service.writer.do(write)
    model.deleted = None


def about_deleted(service: Service, model: ServedModel) -> DeletedModel:
    """Return what is known of a deleted model."""
    log = model.log(service.reader)
    version = log.bounds()[1]
    config = model.live.config  # of a model that was not restored, that of its creation
    if not model.is_restored:
        config = tables.newest_config(service.reader, model.number) or config
    return DeletedModel(
        model.name, config, model.created, model.deleted, version, log.head(version)
    )


# --- for good --------------------------------------------------------------------------------


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
        await service.writer.do(lambda c: tables.start_purge(c, model.number))
        model.is_purged = True
        del service.deleted[name]
    service.forget(model)
    await finish_purges(service)
    await service.empty_journal()
    return about


async def finish_purges(service: Service) -> bool:
    """Delete the rows of all models that are being purged; return whether there were any.

    Raises
    ------
    StoreError
        The disk refuses.
    """
    async with service.purging:
        numbers = tables.purged_numbers(service.reader)
        for number in numbers:
            await service.writer.barrier()  # predictions that wait are written, to be deleted
            after: int | None = 0
            while after is not None:
                after = await service.writer.do(partial(_purge_some, number=number, after=after))
            service.has_purged = True
    return bool(numbers)


def _purge_some(connection: apsw.Connection, number: int, after: int) -> int | None:
    """Delete some of a model: predictions behind ``after`` first, its own row last.

    Returns the last prediction that was looked at, or None where nothing is left of the model: a
    prediction that was written in the meantime is found before its row goes.
    """
    last = _purge_predictions(connection, number, after)
    if last is not None:
        return last
    return after if _purge_rows(connection, number) else None


def _purge_predictions(connection: apsw.Connection, number: int, after: int) -> int | None:
    """Delete a model's among the next predictions; return the last id of these, if there are any.

    Predictions are found by their ids, and not by their model.
    """
    last: int | None = connection.execute(
        f"SELECT max(id) FROM (SELECT id FROM predictions WHERE id > ? ORDER BY id LIMIT {ROWS})",
        (after,),
    ).get
    connection.execute(
        "DELETE FROM predictions WHERE model = ? AND id > ? AND id <= ?", (number, after, last)
    )
    return last


def _purge_rows(connection: apsw.Connection, number: int) -> bool:
    """Delete some other rows of a model, and itself in the end; return whether there are more."""
    for table, column in (("log", "body"), ("snapshots", "file")):
        last, size = None, 0
        for version, length in connection.execute(
            f"SELECT version, length({column}) FROM {table} WHERE model = ? ORDER BY version "
            f"LIMIT {ROWS}",
            (number,),
        ):
            size += length
            if last is not None and size > BYTES:
                break
            last = version
        if last is not None:
            connection.execute(
                f"DELETE FROM {table} WHERE model = ? AND version <= ?", (number, last)
            )
            return True
    connection.execute("DELETE FROM shadows WHERE model = ?", (number,))
    connection.execute(
        "DELETE FROM keys WHERE model = ?1 AND key IN "
        f"(SELECT key FROM keys WHERE model = ?1 LIMIT {ROWS})",
        (number,),
    )
    if connection.changes():
        return True
    connection.execute("DELETE FROM models WHERE id = ?", (number,))
    note_erasure(connection)
    return False


async def give_back_pages(service: Service) -> int:
    """Shorten the file of the store where it has many free pages; return how many went.

    After a purge all go.

    Raises
    ------
    StoreError
        The disk refuses.
    """
    pragma = service.reader.pragma
    kept = 0 if service.has_purged else max(FREE_PAGES, pragma("page_count") // 8)
    first = free = int(pragma("freelist_count"))
    if free <= kept:
        return 0
    before = free + 1
    while 0 < free < before:  # a store without pointers between its pages gives none back
        before = free
        await service.writer.do(_give_back)
        free = pragma("freelist_count")
    service.has_purged = False
    if first > free:
        service.writer.empty_journal()  # then the file becomes shorter
    return first - free


def _give_back(connection: apsw.Connection) -> None:
    count_commit(connection)  # which moves pages, and changes no row
    for _ in connection.execute(f"PRAGMA incremental_vacuum({PAGES})"):  # each row is a page
        pass
