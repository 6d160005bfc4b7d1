"""A look at all models each second: their predictions are counted, and new alarms are reported."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from rosenblatt.serve.service import Service
from rosenblatt.serve.telemetry.webhook import DriftEvent, Webhook

SECONDS = 1.0
"""Time between two looks: an alarm is reported so much later at most."""

_log = logging.getLogger("rosenblatt.serve")


class Watch:
    """Reports alarms of drift: in the log, in the metrics, and to a webhook.

    A replica, which learns what another process has learned before, reports none.

    Parameters
    ----------
    service : Service
    webhook : Webhook, optional
    """

    def __init__(self, service: Service, webhook: Webhook | None = None) -> None:
        self.service, self.webhook = service, webhook

    async def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._run())
        if self.webhook is not None:
            await self.webhook.start(self.service.metrics)

    async def stop(self) -> None:
        """Look a last time, and end."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await self.look()
        if self.webhook is not None:
            await self.webhook.stop()

    async def _run(self) -> None:
        while True:
            await self.look()
            await asyncio.sleep(SECONDS)

    async def look(self) -> None:
        """Count what all models have predicted, and report what is new."""
        for model in list(self.service.models.values()):
            for alarm in model.new_alarms():
                event = DriftEvent.of(model.name, model.live.version, alarm)
                _log.warning("drift", extra=event.logged())
                self.service.metrics.drift_alarms.inc()
                if self.webhook is not None:
                    self.webhook.send(event)
            await asyncio.sleep(0)  # requests have their turn
