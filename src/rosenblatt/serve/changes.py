"""Changes of a model other than learning: rollback, erasure, a model file, shadows, snapshots.

Each is a record of the log. The new state is computed from the log in another thread while the
model goes on; then examples wait for a moment, the state catches up, and takes its place.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import apsw

from rosenblatt.learning.models import files
from rosenblatt.serve.history import replay
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import Shadow
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service, check_config
from rosenblatt.serve.store import models, predictions, snapshots
from rosenblatt.serve.store.database import StoreError, now
from rosenblatt.serve.store.log import Kind, Log, Record, decode_row, encode_version
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
    async with model.changing:
        live = await service.compute(model, version)
        async with _paused(service, model):
            await _replace(service, model, live, Kind.ROLLBACK, encode_version(version))
        await _restart_shadows(service, model)
    return model.live.version


def read_file(data: bytes) -> LiveModel:
    """Return the model of a model file.

    Raises
    ------
    RefusedError
        The bytes are no model that the service can serve.
    """
    try:
        live = LiveModel.from_file(data)
        live.check_served()
        return live
    except ValueError as error:
        raise RefusedError(422, f"the file cannot be served: {error}") from error


async def put_file(service: Service, model: ServedModel, data: bytes) -> int:
    """Replace the model by that of a model file; its counts start anew.

    Raises
    ------
    RefusedError
        The bytes are no model that the service can serve.
    """
    live = await asyncio.to_thread(read_file, data)
    async with model.changing:
        async with _paused(service, model):
            await _replace(service, model, live, Kind.FILE, data)
        await _restart_shadows(service, model)
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
    notes = {"name": model.name, "version": model.live.version}
    return await asyncio.to_thread(files.freeze(model.live.model, notes=notes))


async def erase(service: Service, model: ServedModel, version: int) -> int:
    """Forget an example: the model becomes what it would be if it had never been learned.

    Its features and label are overwritten in the log, and snapshots and predictions that have them
    are deleted, before this returns. It may be asked for again.

    Raises
    ------
    RefusedError
        The version is no example, or is not kept.
    """

    def write(connection: apsw.Connection) -> None:
        log = model.log(connection)
        record = find_example(log, version)
        later = [v for v in snapshots.snapshot_versions(connection, model.number) if v >= version]
        snapshots.drop_snapshots(connection, model.number, later)
        features = predictions.encode_features(decode_row(record.body)[0])
        predictions.forget_features(connection, model.number, features)
        log.erase(version)
        log.append([Record(log.bounds()[1] + 1, Kind.ERASURE, now(), encode_version(version))])

    async with model.changing:
        if model.log(service.reader).kind_of(version) != Kind.ERASED:
            await service.writer.barrier()  # predictions that wait are written, to be deleted
            before, model.has_erased = model.has_erased, True
            try:
                await service.writer.do(write)
            except (RefusedError, StoreError):  # nothing was written
                model.has_erased = before
                raise
        if model.has_erased:
            await _finish_erasure(service, model)
    await service.empty_journal()
    return model.live.version


async def _finish_erasure(service: Service, model: ServedModel) -> int:
    """Compute the model without what was erased, and write its snapshot; return its version."""
    service.forget(model)
    live = await _compute_last(service, model)
    async with _paused(service, model):
        _catch_up(service.reader, model, live)
        model.live, model.has_erased = live, False
    await _restart_shadows(service, model)
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
    record = next(log.read(version - 1, version))
    if record.kind != Kind.EXAMPLE:
        raise RefusedError(422, f"version {version} is no example.")
    return record


async def take_snapshot(service: Service, model: ServedModel) -> int:
    """Write a snapshot of the model as it is now; return its version.

    An erasure that failed half-way is finished first: no snapshot has an example that was erased.
    """
    async with model.changing:
        if not model.has_erased:
            return await _snapshot(service, model)
        service.writer.empty_journal()
        return await _finish_erasure(service, model)


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
    try:
        await service.writer.do(lambda c: models.add_shadow(c, number, name, shadow.config))
    except apsw.ConstraintError:
        raise RefusedError(409, f"there is a shadow {name!r}: take another name.") from None
    try:
        async with model.changing:
            await _start_shadow(service, model, name, shadow.config)
    except BaseException:  # such as a log that cannot be read: the name stays free
        await service.writer.do(lambda c: models.drop_shadow(c, number, name))
        raise
    return model.shadows[name]


async def promote_shadow(service: Service, model: ServedModel, name: str) -> int:
    """Put a shadow in the model's place, by a model file; its counts start anew.

    Raises
    ------
    RefusedError
        There is no shadow of this name, it has learned nothing yet, or its weights left the
        floating-point range.
    """
    async with model.changing:
        shadow = _shadow(model, name)
        if not shadow.model.classes_:
            raise RefusedError(409, f"the shadow {name!r} has learned nothing yet.")
        async with _paused(service, model):
            shadow.check_range()
            data = await asyncio.to_thread(files.freeze(shadow.model))
            live = await asyncio.to_thread(read_file, data)
            await _replace(service, model, live, Kind.FILE, data)
        await service.writer.do(lambda c: models.drop_shadow(c, model.number, name))
        model.shadows.pop(name, None)
        await _restart_shadows(service, model)
    return model.live.version


async def drop_shadow(service: Service, model: ServedModel, name: str) -> None:
    """End a comparison.

    Raises
    ------
    RefusedError
        There is none of this name.
    """
    async with model.changing:
        _shadow(model, name)
        await service.writer.do(lambda c: models.drop_shadow(c, model.number, name))
        model.shadows.pop(name, None)


def _shadow(model: ServedModel, name: str) -> LiveModel:
    if name not in model.shadows:
        raise RefusedError(404, f"no shadow {name!r:.80} of the model {model.name!r}.")
    return model.shadows[name]


async def start_shadows(service: Service) -> None:
    """Let the shadows of all models learn their logs, after a start."""
    for model in list(service.models.values()):
        async with model.changing:
            await _restart_shadows(service, model)


async def _restart_shadows(service: Service, model: ServedModel) -> None:
    for name, config in models.read_shadows(service.reader, model.number).items():
        await _start_shadow(service, model, name, config)


async def _start_shadow(
    service: Service, model: ServedModel, name: str, config: dict[str, Any]
) -> None:
    live = await _compute_last(service, model, config)
    async with _paused(service, model):
        _catch_up(service.reader, model, live)
        model.shadows[name] = live


# --- parts -----------------------------------------------------------------------------------


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
    service: Service, model: ServedModel, live: LiveModel, kind: Kind, body: bytes
) -> None:
    """Put another state in the place of a paused model, by a record of the log and a snapshot."""
    live.check_range()

    def write(connection: apsw.Connection) -> None:
        if kind == Kind.FILE and (full := service.writer.budget_error(connection, len(body))):
            raise full
        log = model.log(connection)
        live.version = log.bounds()[1] + 1
        log.append([Record(live.version, kind, now(), body)])
        snapshots.save_snapshot(connection, model.number, live.freeze()())

    await service.writer.do(write)
    model.live, model.snapshot_version = live, live.version
    model.has_erased = False


async def _snapshot(service: Service, model: ServedModel) -> int:
    """Write a snapshot of the model as it is, and drop those that are superfluous.

    There is none of weights that left the floating-point range.
    """
    if model.live.overflow is not None:
        return model.snapshot_version
    snapshot = await asyncio.to_thread(model.live.freeze())

    def write(connection: apsw.Connection) -> None:
        snapshots.save_snapshot(connection, model.number, snapshot)
        versions = snapshots.snapshot_versions(connection, model.number)
        first = model.log(connection).bounds()[0]
        old = [v for v in snapshots.superfluous(versions) if v != first]
        snapshots.drop_snapshots(connection, model.number, old)

    await service.writer.do(write)
    model.snapshot_version = snapshot.version
    return snapshot.version


async def _compute_last(
    service: Service, model: ServedModel, config: dict[str, Any] | None = None
) -> LiveModel:
    """Compute the last state, and in the same thread what is learned meanwhile, but for a rest."""
    live = await service.compute(model, model.log(service.reader).bounds()[1], config)
    while model.log(service.reader).bounds()[1] - live.version > MAX_LAG:
        await service.read(lambda connection: _catch_up(connection, model, live))
    return live


def _catch_up(connection: apsw.Connection, model: ServedModel, live: LiveModel) -> None:
    """Learn what was written since the state was computed."""
    log = model.log(connection)
    replay(live, log, live.version, log.bounds()[1])
