"""What the service does on its own: snapshots, and the end of what is kept for a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import apsw

from rosenblatt.serve import changes
from rosenblatt.serve.erasure import deletion
from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store import tables

SECONDS = 1.0
"""Time between two looks at what is due."""
HOUR = 3600.0
"""Time between two looks at ages, and before the first: retries come soon after a start."""

_log = logging.getLogger("rosenblatt.serve")


@dataclass(frozen=True)
class Policy:
    """What is kept.

    Attributes
    ----------
    snapshot_every : int
        Examples between two snapshots of a model.
    keep_examples : int or None
        Examples of a model's log that are kept at least; older ones may go, and with them the
        versions before. None: all of them.
    keep_predictions : float
        Seconds for which the features of predictions are kept, so that labels can come later; 0
        keeps none.
    keep_keys : float
        Seconds for which the answers to requests with an Idempotency-Key are kept.
    predictions_bytes, keys_bytes : int
        Budgets: what is over them goes, the oldest first.
    log_bytes : int or None
        Budget of all logs: nothing of them goes, and nothing is learned beyond it. None: the disk's
        end.
    """

    snapshot_every: int = 50_000
    keep_examples: int | None = None
    keep_predictions: float = 7 * 24 * HOUR
    keep_keys: float = 7 * 24 * HOUR
    predictions_bytes: int = 10**9
    keys_bytes: int = 25 * 10**7
    log_bytes: int | None = None


class Maintenance:
    """The service's own work, in the background.

    Parameters
    ----------
    service : Service
    policy : Policy
    """

    def __init__(self, service: Service, policy: Policy) -> None:
        self.service, self.policy = service, policy

    async def start(self) -> None:
        """Begin to look at what is due."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End, and write a snapshot of each model, so that the next start need not replay."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await self._take_snapshots(1)  # without one the next start replays the log, which has all
        await _try(self.service.writer.do(self.service.writer.clock.note))

    async def _run(self) -> None:
        cleaned, has_shadows = time.monotonic(), False
        while True:  # first what gives room, which the other steps may lack
            await _try(self.keep_budgets())
            if time.monotonic() - cleaned > HOUR:
                cleaned = time.monotonic()
                await _try(self.clean())
            await _try(self._finish_purges())
            await _try(self._give_back_pages())
            if not has_shadows:
                has_shadows = await _try(changes.start_shadows(self.service))
            await self._take_snapshots(self.policy.snapshot_every)
            await _try(self._compact())
            await asyncio.sleep(SECONDS)

    async def _take_snapshots(self, every: int) -> None:
        for model in list(self.service.models.values()):
            behind = model.live.version - model.snapshot_version
            if model.has_erased or (model.live.overflow is None and behind >= every):
                await _try(self._take_snapshot(model))

    async def _take_snapshot(self, model: ServedModel) -> None:
        start = time.perf_counter()
        version = await changes.take_snapshot(self.service, model)
        seconds = round(time.perf_counter() - start, 3)
        _log.info("snapshot", extra={"model": model.name, "version": version, "seconds": seconds})

    async def clean(self) -> None:
        """Delete predictions and keys that are too old."""
        clock = self.service.writer.clock

        def write(connection: apsw.Connection) -> None:
            tables.drop_predictions(connection, clock.read() - self.policy.keep_predictions)
            tables.drop_keys(connection, clock.read() - self.policy.keep_keys)
            clock.note(connection)

        await self.service.writer.do(write)

    async def _finish_purges(self) -> None:
        """Go on with the purges that an end has cut off, also in the journal and at the target."""
        if await deletion.finish_purges(self.service):
            self.service.writer.empty_journal()

    async def _give_back_pages(self) -> None:
        """Give disk space back that the store no longer needs."""
        if pages := await deletion.give_back_pages(self.service):
            _log.info("gave pages back", extra={"pages": pages})

    async def keep_budgets(self) -> None:
        """Delete the oldest predictions and keys while there are too many bytes of them."""
        service, policy = self.service, self.policy
        budget = policy.predictions_bytes if policy.keep_predictions else 0
        while (size := (await service.read_sizes()).predictions) > budget:
            excess = size - budget * 9 // 10  # room for the next ones
            drop = partial(tables.drop_oldest_predictions, excess=excess)
            if not await service.writer.do(drop):
                break
        while (await service.read_sizes()).keys > policy.keys_bytes:
            if not await service.writer.do(tables.drop_oldest_keys):
                break

    async def _compact(self) -> None:
        """Drop the oldest records of logs that are longer than the policy."""
        for model in list(self.service.models.values()):
            if self.policy.keep_examples is not None:
                await self._compact_model(model, self.policy.keep_examples)

    async def _compact_model(self, model: ServedModel, keep: int) -> None:
        first, last = model.log(self.service.reader).bounds()
        if last - first + 1 <= keep + keep // 4:
            return

        def write(connection: apsw.Connection) -> None:
            log = model.log(connection)
            first, last = log.bounds()
            versions = tables.snapshot_versions(connection, model.number)
            enough = [v for v in versions if v <= last - keep]
            if not enough or enough[-1] <= first or log.needs_before(enough[-1]):
                return
            log.drop_before(enough[-1])
            tables.drop_snapshots(connection, model.number, enough[:-1])
            _log.info("compacted", extra={"model": model.name, "first": enough[-1]})

        async with model.change():
            await self.service.writer.do(write)


async def _try(step: Awaitable[object]) -> bool:
    """Take a step, and return whether it succeeded: one that fails keeps no other from its turn."""
    try:
        await step
    except StoreError as error:
        _log.error("the store failed", extra={"fault": str(error)})
    except Exception as error:  # whatever it is, the next step is due all the same
        _log.error("maintenance failed", exc_info=error)
    else:
        return True
    return False
