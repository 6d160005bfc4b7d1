"""A replica: another process on the same machine, which follows the log and predicts."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress

from rosenblatt.serve.errors import RefusedError, StoreError, explained
from rosenblatt.serve.history import replay
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.store.layout import FORMAT
from rosenblatt.serve.telemetry.observed import Observed

SECONDS = 0.05
"""Time between two looks at the log."""
RETRY_SECONDS = 1.0
"""The same after a fault: a model that cannot be made is tried again, which may replay its log."""
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

    role = "replica"

    def __init__(self, database: Database) -> None:
        super().__init__(database, keep_predictions=0.0)
        self._seen = -1
        self._ends: dict[str, int] = {}  # last versions, as the log had them at the last look
        self._current = time.monotonic()  # when all of them had been learned

    def restore(self) -> None:
        """Bring all models to the end of their logs."""
        with explained(self.database.file):
            if self.database.layout() != FORMAT:
                raise StoreError(
                    f"{self.database.file}: of another layout: start the service itself first, "
                    "which rewrites the store of an older rosenblatt."
                )
            for stored in self._present_models():
                model = ServedModel(stored)
                model.restore(self.reader)
                self.models[model.name] = model

    def refusal(self) -> RefusedError | None:
        """Return why nothing is learned."""
        return RefusedError(
            403,
            "a replica predicts only: send this to the service that it follows.",
            title="A replica",
        )

    async def promote(self) -> int:
        """Refuse to take over."""
        raise RefusedError(409, "a replica follows the store of this machine: it is no standby.")

    async def start(self) -> None:
        """Begin to follow the log."""
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """End."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._explaining.shutdown()

    def observe(self) -> Observed:
        """Return what the metrics say of this moment, and how far the replica is behind."""
        ends = ((self._ends.get(name, 0), m.live.version) for name, m in self.models.items())
        return Observed(
            list(self.models.values()),
            failed=self.failed is not None,
            lag_versions=sum(max(0, end - version) for end, version in ends),
            lag_seconds=time.monotonic() - self._current,
            tokens_are_stale=self.tokens_are_stale,
        )

    def _present_models(self) -> list[tables.StoredModel]:
        """Return the models that are not deleted, and note the others."""
        stored = tables.read_models(self.reader)
        before = {model.number: model for model in self.deleted.values()}
        self.deleted = {
            m.name: before.get(m.number) or ServedModel(m) for m in stored if m.deleted is not None
        }
        return [model for model in stored if model.deleted is None]

    async def _follow(self) -> None:
        while True:
            try:
                with explained(self.database.file):
                    (seen,) = next(self.reader.execute("PRAGMA data_version"))
                    if seen != self._seen:
                        await self._catch_up()
                        self._seen = seen
                self.failed, self._current = None, time.monotonic()
            except (StoreError, RefusedError) as error:  # such as a model that goes meanwhile
                if self.failed is None:
                    _log.error("the store failed", extra={"fault": str(error)})
                self.failed = str(error)
            await asyncio.sleep(SECONDS if self.failed is None else RETRY_SECONDS)

    async def _catch_up(self) -> None:
        """Follow all models; one that cannot be made keeps no other from it, and is told last."""
        present = {stored.number: stored for stored in self._present_models()}
        for model in list(self.models.values()):
            if model.number not in present:
                model.deleted = time.time()
                del self.models[model.name]
        fault: StoreError | RefusedError | None = None
        for stored in present.values():
            try:
                await self._follow_model(stored)
            except (StoreError, RefusedError) as error:
                fault = error
        if fault is not None:
            raise fault

    async def _follow_model(self, stored: tables.StoredModel) -> None:
        model = self.models.get(stored.name) or ServedModel(stored)
        log = model.log(self.reader)
        self._ends[stored.name] = last = log.bounds()[1]
        is_new = stored.name not in self.models
        if is_new or any(record.version > model.live.version for record in log.changes()):
            model.live = await self.compute(model, last)
            self.forget(model)
        if is_new:
            self.put_back(model)
        while model.live.version < last:
            after = model.live.version
            replay(model.live, log, after, min(after + ROWS, last))
            await asyncio.sleep(0)
