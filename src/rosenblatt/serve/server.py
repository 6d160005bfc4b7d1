"""The process: listens, serves one service after another, and stops without losing anything."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import resource
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

import uvicorn
import uvloop

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.app import build_app
from rosenblatt.serve.http.tokens import Tokens
from rosenblatt.serve.maintenance import Maintenance
from rosenblatt.serve.service import Service
from rosenblatt.serve.telemetry.supervisor import notify, watchdog_seconds
from rosenblatt.serve.telemetry.watch import Watch
from rosenblatt.serve.telemetry.webhook import Webhook
from rosenblatt.serve.wire.protocol import IDLE_SECONDS, new_protocols

STOP_SECONDS = 10
"""Time that bodies have to end when the service stops."""
ANSWER_SECONDS = 5
"""Time that requests have for their answers then."""
START_USEC = 24 * 3600 * 10**6
"""Microseconds that a standby has to become a primary, or to build its store anew, before systemd
takes it for one that hangs: a start by systemd has no limit either."""
BACKLOG = 4096

PRINT = partial(print, flush=True)

_log = logging.getLogger("rosenblatt.serve")


@dataclass(frozen=True)
class Address:
    """Where the service listens: by TLS, where it has a certificate."""

    host: str = "127.0.0.1"
    port: int = 8000
    certificate: str | None = None
    key: str | None = None


@dataclass(frozen=True)
class Front:
    """How the process meets others, whichever service it serves.

    Parameters
    ----------
    address : Address
    tokens : Tokens, optional
        Of which requests must bear one. SIGHUP, or a change of their file, reads them again.
    webhook : Webhook, optional
        Told of alarms of drift.
    drain : float, default=0.0
        Seconds between a signal to stop and the stop, in which all requests are answered as before
        and ``/v1/health/ready`` is not; a second signal ends them.
    listening : callable
        Called with the address once requests are answered.
    """

    address: Address
    tokens: Tokens | None = None
    webhook: Webhook | None = None
    drain: float = 0.0
    listening: Callable[[str], object] = PRINT


def listen(address: Address) -> socket.socket:
    """Return a listening socket, with as many open files as the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    return socket.create_server((address.host, address.port), family=family, backlog=BACKLOG)


def run(
    service: Service, maintenance: Maintenance | None, front: Front, listener: socket.socket
) -> bool:
    """Serve until a signal or the service ends it; return whether it was the service."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_serve(service, maintenance, front, listener.dup()))


async def _serve(
    service: Service, maintenance: Maintenance | None, front: Front, listener: socket.socket
) -> bool:
    _restore(service)
    gc.collect()
    gc.freeze()  # modules and compiled code live on: the collector need not look at them
    address = front.address
    config = uvicorn.Config(
        build_app(service, maintenance, Watch(service, front.webhook), front.tokens, address.host),
        http=new_protocols(),  # type: ignore[arg-type]
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=int(IDLE_SECONDS),
        timeout_graceful_shutdown=STOP_SECONDS + ANSWER_SECONDS,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
    )
    scheme = "http" if address.certificate is None else "https"
    host, port = listener.getsockname()[:2]
    name = f"[{host}]" if ":" in host else host
    server = _Server(config, service, front, f"{scheme}://{name}:{port}")
    service.end = server.end
    await server.serve(sockets=[listener])
    return server.ended


def _restore(service: Service) -> None:
    """Bring the models of a store to the end of their logs, and report what was found."""
    start = time.perf_counter()
    service.restore()
    for note in service.database.notes:
        _log.warning(note)
    seconds = round(time.perf_counter() - start, 3)
    models = {name: model.live.version for name, model in service.models.items()}
    _log.info("restored", extra={"seconds": seconds, "models": models})


class _Server(uvicorn.Server):
    """uvicorn's server: says when it listens and when it stops; a signal ends it with status 0."""

    def __init__(self, config: uvicorn.Config, service: Service, front: Front, url: str) -> None:
        super().__init__(config)
        self._service, self._front, self._url = service, front, url
        tokens = front.tokens
        self._tokens = None if tokens is None or tokens.path is None else tokens
        seconds = watchdog_seconds()
        self._ticks = None if seconds is None else max(1, int(10 * seconds))
        self.ended = self._is_signalled = False

    def end(self) -> None:
        """End as by a signal, to go on as another service."""
        self.ended, self.should_exit = not self._is_signalled, True

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:  # tenths of a second
            for connection in list(self.server_state.connections):
                connection.tick()  # type: ignore[union-attr]
            self._reload(if_changed=True)
        if self._ticks is not None and counter % self._ticks == 0:
            notify("WATCHDOG=1")
        return await super().on_tick(counter)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._front.listening(self._url)
        if self._ticks is not None:
            notify(f"WATCHDOG_USEC={os.environ['WATCHDOG_USEC']}")
        notify("READY=1")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if not self.ended:
            notify("STOPPING=1")
        elif self._ticks is not None:
            notify(f"WATCHDOG_USEC={START_USEC}")
        self._service.stopping.set()
        asyncio.get_running_loop().call_later(STOP_SECONDS, self._break_off_bodies)
        await super().shutdown(sockets)

    def _break_off_bodies(self) -> None:
        """End the bodies that still come, so that their requests say what they have done."""
        for connection in list(self.server_state.connections):
            why = "the service stops: send again what has no answer."
            reason = RefusedError(503, why, title="Service stops")
            connection.break_off(reason)  # type: ignore[union-attr]

    def _reload(self, if_changed: bool) -> None:
        """Read the file of the tokens again."""
        if self._tokens is not None:
            self._tokens.reload(if_changed=if_changed)
            self._service.tokens_are_stale = self._tokens.are_stale

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop, signals = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
        for number in signals:
            loop.add_signal_handler(number, self._end_soon, number)
        if self._tokens is not None:
            loop.add_signal_handler(signal.SIGHUP, self._reload, False)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    def _end_soon(self, number: int) -> None:
        """Be unready for the time of draining, then end; a second signal ends at once."""
        self._is_signalled, self.ended = True, False  # also of a standby that just took over
        drain = self._front.drain
        if drain == 0.0 or self._service.is_draining:
            self.handle_exit(number, None)
            return
        self._service.is_draining = True
        _log.info("draining", extra={"seconds": drain})
        asyncio.get_running_loop().call_later(drain, self.handle_exit, number, None)
