"""Facts of a model as server-sent events, for the page: each second, and soon after a change."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from starlette.types import Receive, Scope, Send

from rosenblatt.serve.http.endpoint import Call, bearer, check_token, encode, fault, send_answer
from rosenblatt.serve.http.facts import page_facts
from rosenblatt.serve.refused import RefusedError
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

_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # a proxy passes each event on
]


class Stream:
    """An ASGI application that sends what the page shows of a model, until the service stops.

    Parameters
    ----------
    service : Service
    token : bytes or None
        What requests must bear.
    learns : bool
        Whether the model can be corrected here: not by a replica.
    """

    def __init__(self, service: Service, token: bytes | None, *, learns: bool) -> None:
        self._service, self._learns = service, learns
        self._bearer = bearer(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        call = Call(scope, receive, 0)
        try:
            check_token(call, self._bearer)
            model = self._service.model(call.part("model"))
        except RefusedError as error:
            self._service.metrics.refusals.labels(str(error.status)).inc()
            await send_answer(send, fault(error))
            return
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b""})
            return
        ends = {
            asyncio.create_task(_until_gone(receive)),
            asyncio.create_task(self._service.stopping.wait()),
        }
        try:
            await self._send_events(model, send, ends)
        finally:
            for end in ends:
                end.cancel()
        await send({"type": "http.response.body", "body": b""})

    async def _send_events(
        self, model: ServedModel, send: Send, ends: set[asyncio.Task[Any]]
    ) -> None:
        while model.deleted is None:
            start, seen = time.monotonic(), _state(self._service, model)
            facts = page_facts(self._service, model)
            pause = min(PAUSE, max(TICK, SHARE * (time.monotonic() - start)))
            data = encode({"learns": self._learns, **facts})
            await send(
                {"type": "http.response.body", "body": b"data: %b\n\n" % data, "more_body": True}
            )
            while True:
                done, _ = await asyncio.wait(
                    ends, timeout=pause, return_when=asyncio.FIRST_COMPLETED
                )
                if done:
                    return
                late = time.monotonic() - start >= SECONDS
                if late or _state(self._service, model) != seen:
                    break
                pause = TICK


def _state(service: Service, model: ServedModel) -> Any:
    """Return what differs after a change that the page shows."""
    names = list(service.models)
    live = model.live.version, id(model.live), model.snapshot_version, model.deleted
    return live, list(model.shadows), names, service.failed


async def _until_gone(receive: Receive) -> None:
    """Wait until the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
