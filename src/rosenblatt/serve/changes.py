"""Changes of a model other than learning: rollback, erasure, a model file, shadows, snapshots.

Each is a record of the log. The new state is computed from the log in another thread while the
model goes on; then examples wait for a moment, the state catches up, and takes its place.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import apsw

from rosenblatt.serve.config import check_config, check_served
from rosenblatt.serve.encoded.files import kind_of, read_file
from rosenblatt.serve.erasure.remains import list_remains
from rosenblatt.serve.errors import RefusedError, StoreError, refusing
from rosenblatt.serve.history import replay
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.schema import Config, Remains, Shadow
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.shipping.base import note_erasure
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.log import FILES, Kind, Log, Record, Row, decode_row, encode_body
from rosenblatt.serve.writer import do_nothing

MAX_LAG = 500
"""Examples that a state may lag behind when new examples begin to wait for it."""


async def roll_back(service: Service, model: ServedModel, version: int) -> int:
    """Return to the state of an earlier version; that is a new version, and nothing is deleted.

    Raises
    ------
    RefusedError
        The version is not kept.
    """
    async with _changing(service, model):
        live = await service.compute(model, version)
        async with _paused(service, model):
            await _replace(service, model, live, Kind.ROLLBACK, encode_body(version))
        await restart_shadows(service, model)
    return model.live.version


def read_served(data: bytes) -> LiveModel:
    """Return the model of a model file, which reads rows as its notes say.

    Raises
    ------
    RefusedError
        The bytes are no model that the service can serve.
    """
    with refusing("the file cannot be served: "):
        live = read_file(data)
        check_served(live.model)
    return live


async def put_file(service: Service, model: ServedModel, data: bytes) -> int:
    """Replace the model by that of a model file; its counts start anew.

    Raises
    ------
    RefusedError
        The bytes are no model that the service can serve.
    """
    live = await asyncio.to_thread(read_served, data)
    async with _changing(service, model):
        async with _paused(service, model):
            await _replace(service, model, live, kind_of(live), data)
        await restart_shadows(service, model)
    return model.live.version


async def get_file(model: ServedModel) -> bytes:
    """Return the model as the bytes of a model file.

    Raises
    ------
    RefusedError
        The model has learned nothing yet, or its weights left the floating-point range.
    """
    model.live.check_range()
    if not model.live.model.classes_:
        raise RefusedError(409, f"the model {model.name!r} has learned nothing yet.")
    content = model.live.content({"name": model.name, "version": model.live.version})
    return await asyncio.to_thread(content)


async def erase(service: Service, model: ServedModel, version: int) -> list[Remains]:
    """Forget an example, or a model file: the model becomes what it would be without it.

    It is overwritten in the log. Snapshots of later versions, and predictions with the features of
    the example, of any model, are deleted, before this returns. It may be asked for again.

    Returns
    -------
    list of Remains
        What the log cannot compute again, and may hold the example.

    Raises
    ------
    RefusedError
        The version is no example and no model file, or is not kept.
    """
    row: Row | None = None
    async with model.change():
        log = model.log(service.reader)
        kind = log.cells("kind", version)
        if kind != Kind.ERASED:
            record = log.record(version) if kind in FILES else find_example(log, version)
            row = decode_row(record.body) if record.kind == Kind.EXAMPLE else None
            await _write_erasure(service, model, version, row)
        if model.has_erased:
            await _finish_erasure(service, model)
    await service.empty_journal()
    return await service.read(lambda c: list_remains(c, model.number, version, row))


async def _write_erasure(
    service: Service, model: ServedModel, version: int, row: Row | None
) -> None:
    """Overwrite a record, and delete what the store computed from it.

    Raises
    ------
    RefusedError, StoreError
        Nothing was written.
    """
    same: list[int] = []
    if row is not None:
        features = row[0]
        await service.writer.barrier()  # predictions that wait are written, to be found
        kept = service.kept_rows.in_memory()  # also of those that the database has no more
        same = await service.read(lambda c: tables.same_predictions(c, features, kept))

    def write(connection: apsw.Connection) -> None:
        log = model.log(connection)
        later = [v for v in tables.snapshot_versions(connection, model.number) if v >= version]
        tables.drop_snapshots(connection, model.number, later)
        tables.forget_predictions(connection, same)
        tables.forget_bodies(connection, model.number, version)
        log.erase(version)
        log.append([Record(log.bounds()[1] + 1, Kind.ERASURE, time.time(), encode_body(version))])
        note_erasure(connection)

    before, model.has_erased = model.has_erased, True
    try:
        await service.writer.do(write)
    except (RefusedError, StoreError):
        model.has_erased = before
        raise
    service.kept_rows.forget(same)


async def _finish_erasure(service: Service, model: ServedModel) -> int:
    """Compute model and shadows without what was erased; return the version of its snapshot."""
    service.forget(model)
    live = await _compute_last(service, model)
    async with _paused(service, model):
        await _catch_up(service, model, live)
        model.live = live
    await restart_shadows(service, model)
    model.has_erased = False
    return await _snapshot(service, model)


def find_example(log: Log, version: int) -> Record:
    """Return the record of an example.

    Raises
    ------
    RefusedError
        The version is no example, or is not kept.
    """
    first, last = log.bounds()
    if not first <= version <= last:
        raise RefusedError(404, f"version {version} is not kept: there are {first} to {last}.")
    record = log.record(version)
    if record.kind != Kind.EXAMPLE:
        raise RefusedError(
            422,
            f"version {version} is a change of the model, and no example: "
            "GET …/examples?contains=TEXT finds those.",
        )
    return record


async def take_snapshot(service: Service, model: ServedModel) -> int:
    """Write a snapshot of the model as it is now; return its version."""
    async with _changing(service, model):
        return await _snapshot(service, model)


# --- shadows ---------------------------------------------------------------------------------


async def add_shadow(service: Service, model: ServedModel, shadow: Shadow) -> LiveModel:
    """Compare another configuration: it learns the log, and then every example the model learns.

    Raises
    ------
    RefusedError
        The name is taken, or the configuration is not valid.
    """
    check_config(shadow.config)
    number, name = model.number, shadow.name

    def write(connection: apsw.Connection) -> None:
        if full := service.writer.budget_error(connection):
            raise full
        tables.add_shadow(connection, number, name, shadow.config)

    try:
        await service.writer.do(write)
    except apsw.ConstraintError:
        raise RefusedError(409, f"there is a shadow {name!r}: take another name.") from None
    try:
        async with model.change():
            await _start_shadow(service, model, name, shadow.config)
    except BaseException:  # such as a log that cannot be read: the name stays free
        await service.writer.do(lambda c: tables.drop_shadow(c, number, name))
        raise
    return model.shadows[name]


async def promote_shadow(service: Service, model: ServedModel, name: str) -> int:
    """Put a shadow in the model's place; its counts start anew.

    The log notes its configuration alone: a replay trains it again.

    Raises
    ------
    RefusedError
        There is no shadow of this name, it has learned nothing yet, or its weights left the
        floating-point range.
    """
    async with _changing(service, model):
        shadow = _shadow(model, name)
        if not shadow.model.classes_:
            raise RefusedError(409, f"the shadow {name!r} has learned nothing yet.")
        config = shadow.config
        if model.log(service.reader).bounds()[0] > 1:  # it may know more than the log still has
            shadow = await _compute_last(service, model, config)
        async with _paused(service, model):
            await _catch_up(service, model, shadow)
            shadow.check_range()
            await _replace(
                service, model, shadow.promoted(), Kind.PROMOTION, encode_body(config),
                lambda c: tables.drop_shadow(c, model.number, name),
            )  # fmt: skip
            del model.shadows[name]  # it is the model now, and must not learn twice
        await restart_shadows(service, model)
    return model.live.version


async def drop_shadow(service: Service, model: ServedModel, name: str) -> None:
    """End a comparison.

    Raises
    ------
    RefusedError
        There is none of this name.
    """
    async with model.change():
        _shadow(model, name)
        await service.writer.do(lambda c: tables.drop_shadow(c, model.number, name))
        model.shadows.pop(name, None)


def _shadow(model: ServedModel, name: str) -> LiveModel:
    if name not in model.shadows:
        names = ", ".join(model.shadows) or "none"
        raise RefusedError(
            404, f"no shadow {name!r:.80} of the model {model.name!r}: there are {names}."
        )
    return model.shadows[name]


async def start_shadows(service: Service) -> None:
    """Let the shadows of all models learn their logs, after a start."""
    for model in list(service.models.values()):
        async with model.change():
            await restart_shadows(service, model)


async def restart_shadows(service: Service, model: ServedModel) -> None:
    """Let the shadows of a model learn its log; the caller holds its lock."""
    for name, config in tables.read_shadows(service.reader, model.number).items():
        await _start_shadow(service, model, name, config)


async def _start_shadow(service: Service, model: ServedModel, name: str, config: Config) -> None:
    live = await _compute_last(service, model, config)
    async with _paused(service, model):
        await _catch_up(service, model, live)
        model.shadows[name] = live


# --- parts -----------------------------------------------------------------------------------


@asynccontextmanager
async def _changing(service: Service, model: ServedModel) -> AsyncIterator[None]:
    """Hold the lock of a model, once an erasure that failed half-way is finished.

    So no record and no snapshot comes from a state that has an example that was erased.
    """
    async with model.change():
        if model.has_erased:
            service.writer.empty_journal()
            await _finish_erasure(service, model)
        yield


@asynccontextmanager
async def _paused(service: Service, model: ServedModel) -> AsyncIterator[None]:
    """Let new examples wait, once those on their way are learned."""
    model.unlocked.clear()
    try:
        await service.writer.do(do_nothing)
        yield
    finally:
        model.unlocked.set()


async def _replace(
    service: Service,
    model: ServedModel,
    live: LiveModel,
    kind: Kind,
    body: bytes,
    also: Callable[[apsw.Connection], object] = do_nothing,
) -> None:
    """Put another state in the place of a paused model, by a record of the log and a snapshot.

    ``also`` writes with them.
    """
    live.check_range()

    def write(connection: apsw.Connection) -> None:
        is_remedy = kind == Kind.ROLLBACK
        if full := service.writer.budget_error(connection, len(body), is_remedy=is_remedy):
            raise full
        log = model.log(connection)
        live.version = log.bounds()[1] + 1
        log.append([Record(live.version, kind, time.time(), body)])
        also(connection)
        _save_snapshot(connection, model, live.freeze()())

    model.has_file |= kind in FILES
    await service.writer.do(write)
    model.live = live
    model.note_snapshot(live.version, time.time())


async def _snapshot(service: Service, model: ServedModel) -> int:
    """Write a snapshot of the model as it is, and drop those that are superfluous.

    There is none of weights that left the floating-point range.
    """
    if model.live.overflow is not None:
        return model.snapshot_version
    snapshot = await asyncio.to_thread(model.live.freeze())

    await service.writer.do(lambda connection: _save_snapshot(connection, model, snapshot))
    model.note_snapshot(snapshot.version, time.time())
    return snapshot.version


def _save_snapshot(
    connection: apsw.Connection, model: ServedModel, snapshot: tables.Snapshot
) -> None:
    """Write a snapshot, and drop those that are superfluous then."""
    tables.save_snapshot(connection, model.number, snapshot)
    versions = tables.snapshot_versions(connection, model.number)
    first = model.log(connection).bounds()[0]
    old = [v for v in tables.superfluous(versions) if v != first]
    tables.drop_snapshots(connection, model.number, old)


async def _compute_last(
    service: Service, model: ServedModel, config: Config | None = None
) -> LiveModel:
    """Compute the last state, and in the same thread what is learned meanwhile, but for a rest."""
    live = await service.compute(model, model.log(service.reader).bounds()[1], config)
    while model.log(service.reader).bounds()[1] - live.version > MAX_LAG:
        await _catch_up(service, model, live)
    return live


async def _catch_up(service: Service, model: ServedModel, live: LiveModel) -> None:
    """Learn in another thread what was written since the state was computed."""

    def learn(connection: apsw.Connection) -> None:
        log = model.log(connection)
        replay(live, log, live.version, log.bounds()[1])

    await service.read(learn)
