"""A webhook: an address that is told of alarms of drift, by requests that nothing waits for."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import ssl
import time
import uuid
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from rosenblatt.learning.evaluation.drift import Alarm
    from rosenblatt.serve.telemetry.metrics import Metrics

MAX_WAITING = 100
"""Alarms that wait; of more, the oldest are given up."""
TRIES = 10
"""Requests for an alarm until it is given up: for some nine minutes."""
FIRST_DELAY = 1.0
"""Seconds before the second request; before each further one, twice as many."""
SECONDS = 5.0
"""Time that a request may take, from the name of the host to the first line of the answer."""

_log = logging.getLogger("rosenblatt.serve")


class DriftEvent(NamedTuple):
    """An alarm of drift, as it is told.

    Attributes
    ----------
    id : str
        The same in each request for this alarm.
    kind : str
        "drift".
    model : str
    version : int
        Of the model, when the alarm was found: within a second.
    time : float
        The same moment, in seconds since 1970.
    example, since : int
        The example at which the alarm came, and that from which the error is higher.
    error_before, error_after : float
        Share of errors before that, and from there on.
    """

    id: str
    kind: str
    model: str
    version: int
    time: float
    example: int
    since: int
    error_before: float
    error_after: float

    @classmethod
    def of(cls, model: str, version: int, alarm: Alarm) -> Self:
        """Return the event of a new alarm of a model."""
        return cls(uuid.uuid4().hex, "drift", model, version, time.time(), *alarm)

    def logged(self) -> dict[str, object]:
        """Return the fields for a line of the log, which has a time of its own."""
        return {name: value for name, value in self._asdict().items() if name != "time"}


class Webhook:
    """Sends events, one after another; each until the receiver has answered with 2xx.

    No answer is followed elsewhere: a redirection is a failure. The body is JSON. With a secret the
    header ``X-Rosenblatt-Signature`` has ``sha256=`` and the HMAC of the body in hexadecimal.

    Parameters
    ----------
    url : str
        http or https; its host is the only part that is ever logged.
    secret : bytes, optional

    Raises
    ------
    ValueError
        The URL is none to which can be sent.

    Examples
    --------
    >>> Webhook("https://hooks.example.org/drift?key=1").host
    'hooks.example.org'
    """

    def __init__(self, url: str, secret: bytes | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise ValueError("expected http://HOST… or https://HOST…, without a user name.")
        if not (url.isascii() and url.isprintable() and " " not in url):
            raise ValueError("a URL has printable ASCII characters, and no space.")
        self.host, self._secret = parts.hostname, secret
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._tls else 80)
        self._authority = parts.netloc
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._waiting: deque[DriftEvent] = deque()

    async def start(self, metrics: Metrics) -> None:
        """Begin to send."""
        self._metrics = metrics
        self._wake = asyncio.Event()  # of this loop: a standby that takes over has a second one
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Send each event that waits once more, all within the time of one request, and end."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        with suppress(TimeoutError):
            async with asyncio.timeout(SECONDS):
                while self._waiting and await self._try(self._waiting[0]):
                    self._waiting.popleft()
        while self._waiting:
            self._give_up()

    def send(self, event: DriftEvent) -> None:
        """Send an event soon."""
        if len(self._waiting) == MAX_WAITING:
            self._give_up()
        self._waiting.append(event)
        self._wake.set()

    def _give_up(self) -> None:
        """Give up the oldest event; the log has it."""
        event = self._waiting.popleft()
        self._metrics.webhook_lost.inc()
        _log.error("the webhook was not told of an alarm", extra=event.logged())

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            while self._waiting:
                await self._deliver(self._waiting[0])
            await self._wake.wait()

    async def _deliver(self, event: DriftEvent) -> None:
        """Send an event until it is taken, or given up."""
        for attempt in range(TRIES):
            if attempt:
                await asyncio.sleep(FIRST_DELAY * 2 ** (attempt - 1))
            taken = self._waiting[0] is event and await self._try(event)
            if self._waiting[0] is not event:  # too many came: it was given up
                return
            if taken:
                self._waiting.popleft()
                return
        self._give_up()

    async def _try(self, event: DriftEvent) -> bool:
        """Send an event once; return whether it was taken."""
        try:
            async with asyncio.timeout(SECONDS):
                status = await self._post(json.dumps(event._asdict()).encode(), event.id)
        except (OSError, ValueError) as error:  # ssl's errors and TimeoutError are OSErrors
            why = str(error) or "no answer in time"
        else:
            if 200 <= status < 300:
                self._metrics.webhook_sent.inc()
                return True
            why = f"status {status}"
        self._metrics.webhook_failures.inc()
        _log.warning("the webhook failed", extra={"host": self.host, "fault": f"{why:.200}"})
        return False

    async def _post(self, body: bytes, key: str) -> int:
        """Send a request; return the status of its answer."""
        lines = [
            f"POST {self._path} HTTP/1.1",
            f"Host: {self._authority}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            f"Idempotency-Key: {key}",
            "Connection: close",
        ]
        if self._secret is not None:
            signature = hmac.new(self._secret, body, "sha256").hexdigest()
            lines.append(f"X-Rosenblatt-Signature: sha256={signature}")
        reader, writer = await asyncio.open_connection(self.host, self._port, ssl=self._tls)
        try:
            writer.write("\r\n".join([*lines, "", ""]).encode() + body)
            await writer.drain()
            words = (await reader.readline()).split(maxsplit=2)
            if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
                raise ValueError("the answer is no HTTP.")
            return int(words[1])
        finally:
            writer.close()
