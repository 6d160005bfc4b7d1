"""Models that are deleted, and brought back: their logs stay in the store."""

from __future__ import annotations

import apsw

from rosenblatt.serve.changes import restart_shadows
from rosenblatt.serve.schema import DeletedModel
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store import models
from rosenblatt.serve.store.database import now
from rosenblatt.serve.store.keys import save_answers
from rosenblatt.serve.store.snapshots import newest_config


async def delete(service: Service, name: str) -> ServedModel:
    """Delete a model; its log stays, and so does its name.

    Raises
    ------
    RefusedError
        There is none of this name.
    """
    async with service.deleting:
        model = service.model(name)
        model.deleted = now()  # from here on it learns nothing, and keeps no prediction
        try:
            await service.writer.do(lambda c: models.set_deleted(c, model.number, model.deleted))
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
            service.models[name] = service.deleted.pop(name)
            await restart_shadows(service, model)
    return model


async def _restore(service: Service, model: ServedModel) -> None:
    answers = [] if model.is_restored else await service.read(model.restore)

    def write(connection: apsw.Connection) -> None:
        models.set_deleted(connection, model.number, None)
        save_answers(connection, answers)

    await service.writer.do(write)
    model.deleted = None


def about_deleted(service: Service, model: ServedModel) -> DeletedModel:
    """Return what is known of a deleted model."""
    log = model.log(service.reader)
    version = log.bounds()[1]
    config = model.live.config  # of a model that was not restored, that of its creation
    if not model.is_restored:
        config = newest_config(service.reader, model.number) or config
    return DeletedModel(
        model.name, config, model.created, model.deleted, version, log.head(version)
    )
