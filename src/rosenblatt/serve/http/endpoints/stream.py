"""Facts of a model as server-sent events, for the page: each second, and soon after a change."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from rosenblatt.serve.http.call import ENDLESS, Answer, Call, encode
from rosenblatt.serve.http.endpoint import Endpoint
from rosenblatt.serve.http.facts import page_facts
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service

TICK = 0.2
"""Seconds between two looks for a change."""
SECONDS = 1.0
"""Longest time between two events."""
SHARE = 20
"""An event whose facts took a time is the last for that many times as long: requests go first."""
PAUSE = 2.0
"""Longest such pause, in seconds."""

_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # a proxy passes each event on
)


@Endpoint("GET", "/v1/models/{model}/stream", gives=ENDLESS, is_listed=False)
async def stream(service: Service, call: Call) -> Answer:
    """Send what the page shows of a model, until the model or the service ends."""
    events = _events(service, service.model(call.path["model"]), call)
    return Answer(events, type=b"text/event-stream", headers=_HEADERS)


async def _events(service: Service, model: ServedModel, call: Call) -> AsyncIterator[bytes]:
    if call.scope["method"] == "HEAD":
        return
    learns = not service.database.readonly  # else the page offers no correction
    ends = {
        asyncio.create_task(call.wait_for_end()),
        asyncio.create_task(service.stopping.wait()),
    }
    try:
        while model.deleted is None:
            start, seen = time.monotonic(), _state(service, model)
            facts = page_facts(service, model)
            pause = min(PAUSE, max(TICK, SHARE * (time.monotonic() - start)))
            yield b"data: %b\n\n" % encode({"learns": learns, **facts})
            while True:
                done, _ = await asyncio.wait(
                    ends, timeout=pause, return_when=asyncio.FIRST_COMPLETED
                )
                if done:
                    return
                if time.monotonic() - start >= SECONDS or _state(service, model) != seen:
                    break
                pause = TICK
    finally:
        for end in ends:
            end.cancel()


def _state(service: Service, model: ServedModel) -> object:
    """Return what differs after a change that the page shows."""
    names = list(service.models)
    live = model.live.version, id(model.live), model.snapshot_version, model.deleted
    return live, list(model.shadows), names, service.failed
