"""A replica: another process on the same machine, which follows the log and predicts."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from rosenblatt.serve.history import replay
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store import models
from rosenblatt.serve.store.database import Database, StoreError, explained
from rosenblatt.serve.store.layout import FORMAT

SECONDS = 0.05
"""Time between two looks at the log."""
ROWS = 500
"""Records learned at once, before predictions have their turn."""

_log = logging.getLogger("rosenblatt.serve")


class Replica(Service):
    """Models that follow a store which another process serves.

    Parameters
    ----------
    database : Database
        Open for reading.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database, keep_predictions=0.0)
        self._seen = -1

    def restore(self) -> None:
        """Bring all models to the end of their logs."""
        with explained(self.database.file):
            if self.database.layout() != FORMAT:
                raise StoreError(
                    f"{self.database.file}: of another layout: start the service itself first, "
                    "which rewrites the store of an older rosenblatt."
                )
            for stored in models.read_models(self.reader):
                model = ServedModel(stored)
                model.restore(self.reader)
                self.models[model.name] = model

    async def start(self) -> None:
        """Begin to follow the log."""
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """End."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _follow(self) -> None:
        while True:
            try:
                with explained(self.database.file):
                    (seen,) = next(self.reader.execute("PRAGMA data_version"))
                    if seen != self._seen:
                        await self._catch_up()
                        self._seen = seen
                self.failed = None
            except StoreError as error:
                if self.failed is None:
                    _log.error("the store failed", extra={"fault": str(error)})
                self.failed = str(error)
            await asyncio.sleep(SECONDS)

    async def _catch_up(self) -> None:
        for stored in models.read_models(self.reader):
            model = self.models.get(stored.name)
            if model is None:
                model = self.models[stored.name] = ServedModel(stored)
            model.deleted = stored.deleted
            log = model.log(self.reader)
            last = log.bounds()[1]
            if any(record.version > model.live.version for record in log.changes()):
                model.live = await self.compute(model, last)
                self.forget(model)
            while model.live.version < last:
                after = model.live.version
                replay(model.live, log, after, min(after + ROWS, last))
                await asyncio.sleep(0)
