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
from functools import partial

import uvicorn
import uvloop

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.app import build_app
from rosenblatt.serve.maintenance import Maintenance, Policy
from rosenblatt.serve.replica import Replica
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.database import Database
from rosenblatt.serve.supervisor import notify, watchdog_seconds
from rosenblatt.serve.telemetry.watch import Watch
from rosenblatt.serve.telemetry.webhook import Webhook
from rosenblatt.serve.wire.protocol import IDLE_SECONDS, new_protocols

STOP_SECONDS = 10
"""Time that bodies have to end when the service stops."""
ANSWER_SECONDS = 5
"""Time that requests have for their answers then."""
BACKLOG = 4096
SWITCH_SECONDS = 0.0001
"""Longest time for which a thread that replays or takes a snapshot keeps requests waiting."""

PRINT = partial(print, flush=True)

_log = logging.getLogger("rosenblatt.serve")


@dataclass(frozen=True)
class Address:
    """Where the service listens: by TLS, where it has a certificate."""

    host: str = "127.0.0.1"
    port: int = 8000
    certificate: str | None = None
    key: str | None = None


def serve(
    folder: str,
    address: Address,
    policy: Policy,
    token: bytes | None = None,
    *,
    replica: bool = False,
    drain: float = 0.0,
    webhook: Webhook | None = None,
    listening: Callable[[str], object] = PRINT,
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
    drain : float, default=0.0
        Seconds between a signal to stop and the stop, in which all requests are answered as before
        and ``/v1/health/ready`` is not; a second signal ends them.
    webhook : Webhook, optional
        Told of alarms of drift.
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
            runner.run(
                _serve(database, address, policy, token, drain, webhook, listening, listener)
            )
    finally:
        database.close()


async def _serve(
    database: Database,
    address: Address,
    policy: Policy,
    token: bytes | None,
    drain: float,
    webhook: Webhook | None,
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
        build_app(service, maintenance, Watch(service, webhook), token, address.host),
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
    server = _Server(config, lambda: listening(f"{scheme}://{name}:{port}"), service, drain)
    await server.serve(sockets=[listener])


def _restore(service: Service) -> None:
    """Bring the models of a store to the end of their logs, and report what was found."""
    start = time.perf_counter()
    service.restore()
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
        service: Service,
        drain: float,
    ) -> None:
        super().__init__(config)
        self._listening, self._service, self._drain = listening, service, drain
        seconds = watchdog_seconds()
        self._ticks = None if seconds is None else max(1, int(10 * seconds))

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:  # tenths of a second
            for connection in list(self.server_state.connections):
                connection.tick()  # type: ignore[union-attr]
        if self._ticks is not None and counter % self._ticks == 0:
            notify("WATCHDOG=1")
        return await super().on_tick(counter)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listening()
        notify("READY=1")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        notify("STOPPING=1")
        self._service.stopping.set()
        asyncio.get_running_loop().call_later(STOP_SECONDS, self._break_off_bodies)
        await super().shutdown(sockets)

    def _break_off_bodies(self) -> None:
        """End the bodies that still come, so that their requests say what they have done."""
        for connection in list(self.server_state.connections):
            reason = RefusedError(503, "the service stops: send again what has no answer.")
            connection.break_off(reason)  # type: ignore[union-attr]

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop, signals = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
        for number in signals:
            loop.add_signal_handler(number, self._end_soon, number)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    def _end_soon(self, number: int) -> None:
        """Be unready for the time of draining, then end; a second signal ends at once."""
        if self._drain == 0.0 or self._service.is_draining:
            self.handle_exit(number, None)
            return
        self._service.is_draining = True
        _log.info("draining", extra={"seconds": self._drain})
        asyncio.get_running_loop().call_later(self._drain, self.handle_exit, number, None)
