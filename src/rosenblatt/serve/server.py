"""The process: opens the store, listens, and stops without losing anything."""

from __future__ import annotations

import asyncio
import gc
import logging
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import uvicorn
import uvloop
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rosenblatt.serve.http.app import build_app
from rosenblatt.serve.http.endpoint import BODY_SECONDS, TOO_SLOW
from rosenblatt.serve.maintenance import Maintenance, Policy
from rosenblatt.serve.replica import Replica
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.database import Database

IDLE_SECONDS = 20.0
"""Time that a connection may be silent between requests, and that the head of one may take."""
STOP_SECONDS = 10
"""Time that requests have to end when the service stops."""
BACKLOG = 4096
SWITCH_SECONDS = 0.001
"""Longest time for which a thread that replays or takes a snapshot keeps requests waiting."""

_log = logging.getLogger("rosenblatt.serve")


@dataclass(frozen=True)
class Address:
    """Where the service listens: by TLS, where it has a certificate."""

    host: str = "127.0.0.1"
    port: int = 8000
    certificate: str | None = None
    key: str | None = None


def _print_now(text: str) -> None:
    print(text, flush=True)


def serve(
    folder: str,
    address: Address,
    policy: Policy,
    token: bytes | None = None,
    *,
    replica: bool = False,
    listening: Callable[[str], object] = _print_now,
) -> None:
    """Serve a store until SIGINT or SIGTERM.

    Parameters
    ----------
    folder : path
        The store; created if it does not exist.
    address : Address
    policy : Policy
    token : bytes, optional
        What requests must bear.
    replica : bool, default=False
        Follow a store that another process serves.
    listening : callable
        Called with the address once requests are answered.

    Raises
    ------
    StoreError
        The store cannot be used.
    OSError
        The port is taken, or the certificate cannot be read.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    database = Database(folder, readonly=replica)
    try:
        loop = uvloop.new_event_loop
        with _listen(address) as listener, asyncio.Runner(loop_factory=loop) as runner:
            runner.run(_serve(database, address, policy, token, listening, listener))
    finally:
        database.close()


async def _serve(
    database: Database,
    address: Address,
    policy: Policy,
    token: bytes | None,
    listening: Callable[[str], object],
    listener: socket.socket,
) -> None:
    if database.readonly:
        service: Service = Replica(database)
    else:
        service = Service(database, policy.keep_predictions, policy.log_bytes)
    _restore(service)
    gc.collect()
    gc.freeze()  # modules and compiled code live on: the collector need not look at them
    maintenance = None if database.readonly else Maintenance(service, policy)
    config = uvicorn.Config(
        build_app(service, maintenance, token, address.host),
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=int(IDLE_SECONDS),
        timeout_graceful_shutdown=STOP_SECONDS,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
    )
    scheme = "http" if address.certificate is None else "https"
    host, port = listener.getsockname()[:2]
    name = f"[{host}]" if ":" in host else host
    server = _Server(config, lambda: listening(f"{scheme}://{name}:{port}"), service.stopping.set)
    await server.serve(sockets=[listener])


def _restore(service: Service) -> None:
    """Bring the models of a store to the end of their logs, and report what was found."""
    start = time.perf_counter()
    service.restore()
    if service.database.torn:
        _log.warning("dropped an unfinished commit, which no answer told of",
                     extra={"bytes": service.database.torn})  # fmt: skip
    for note in service.database.notes:
        _log.warning(note)
    seconds = round(time.perf_counter() - start, 3)
    models = {name: model.live.version for name, model in service.models.items()}
    _log.info("restored", extra={"seconds": seconds, "models": models})


def _listen(address: Address) -> socket.socket:
    """Return a listening socket, with as many open files as the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    return socket.create_server((address.host, address.port), family=family, backlog=BACKLOG)


class _Server(uvicorn.Server):
    """uvicorn's server: says when it listens and when it stops; a signal ends it with status 0."""

    def __init__(
        self,
        config: uvicorn.Config,
        listening: Callable[[], object],
        stopping: Callable[[], object],
    ) -> None:
        super().__init__(config)
        self._listening, self._stopping = listening, stopping

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:  # tenths of a second
            for connection in list(self.server_state.connections):
                connection.tick()  # type: ignore[union-attr]
        return await super().on_tick(counter)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listening()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop, signals = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
        for number in signals:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)


class _Joining:
    """A transport that sends the head and the body of an answer in one call of the system."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send with the next part, or soon."""
        self._parts.append(data)
        if len(self._parts) > 1:
            self._flush()
        else:
            self._loop.call_soon(self._flush)

    def close(self) -> None:
        """Send what waits, and close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._parts:
            self._transport.writelines(self._parts)
            self._parts = []


class _Protocol(HttpToolsProtocol):
    """uvicorn's protocol, with limits for the wait for a request's head, and for parts of its body.

    A timer for each request would cost as much as its learning: the server's clock ticks for all.
    """

    _in_head = True
    _ticks = 0  # that the head, or the next part of the body, is awaited

    def connection_made(self, transport: Any) -> None:
        super().connection_made(_Joining(transport, self.loop))  # type: ignore[arg-type]

    def data_received(self, data: bytes) -> None:
        if not self._in_head:  # a head has its time as a whole, however it comes
            self._ticks = 0
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._ticks = True, 0

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete:  # no other request has come: the next one is awaited
            self._in_head, self._ticks = True, 0

    def tick(self) -> None:
        """Close the connection, or end the request, after too many seconds; called each second."""
        cycle: Any = self.cycle
        in_body = cycle is not None and cycle.more_body and not cycle.message_event.is_set()
        self._ticks = self._ticks + 1 if self._in_head or in_body else 0
        if self._in_head and self._ticks >= IDLE_SECONDS:
            self.transport.close()
        elif in_body and self._ticks >= BODY_SECONDS:
            cycle.scope[TOO_SLOW] = True
            cycle.message_event.set()
