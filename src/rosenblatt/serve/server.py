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
from pathlib import Path

import uvicorn
import uvloop

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.app import build_app
from rosenblatt.serve.maintenance import Maintenance, Policy
from rosenblatt.serve.replica import Replica
from rosenblatt.serve.service import Service
from rosenblatt.serve.shipping.base import count_commits
from rosenblatt.serve.shipping.claim import claim, take_over
from rosenblatt.serve.shipping.restore import restore, skip_ids
from rosenblatt.serve.shipping.shipper import Shipper
from rosenblatt.serve.shipping.standby import Standby, discard, is_primary, prepare
from rosenblatt.serve.shipping.target import Target
from rosenblatt.serve.store.database import Database
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
class Shipping:
    """Where the log goes, or of a standby, where it comes from, every so many seconds."""

    url: str
    seconds: float = 1.0
    follows: bool = False


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
    shipping: Shipping | None = None,
    restored: str | None = None,
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
    shipping : Shipping, optional
        Send the log to a target, or follow one.
    restored : str, optional
        The target from which the store is built first. One that ships there takes over.
    listening : callable
        Called with the address once requests are answered.

    Raises
    ------
    StoreError
        The store cannot be used, or the target.
    OSError
        The port is taken, or the certificate cannot be read.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    with _listen(address) as listener:
        run = partial(_run, address=address, token=token, listening=listening, listener=listener)
        takes_over = restored is not None
        if restored is not None:
            restore(Path(folder), Target(restored))
            if shipping is not None and shipping.url == restored:
                take_over(Target(restored), Path(folder))
        if shipping is not None and shipping.follows:
            target = Target(shipping.url)
            while not is_primary(Path(folder), target):
                takes_over = True
                if not _stand_by(Path(folder), target, shipping.seconds, run):
                    return
        database = Database(folder, readonly=replica)
        try:
            if replica:
                run(Replica(database), None)
                return
            shipper = _new_shipper(database, shipping) if shipping is not None else None
            if takes_over:
                skip_ids(database)
            service = Service(database, policy.keep_predictions, policy.log_bytes, shipper)
            run(service, Maintenance(service, policy))
        finally:
            database.close()


def _new_shipper(database: Database, shipping: Shipping) -> Shipper:
    target = Target(shipping.url)
    begun = claim(target, database.folder, count_commits(database.writer))
    return Shipper(database, begun, shipping.seconds)


def _stand_by(folder: Path, target: Target, seconds: float, run: Callable[..., bool]) -> bool:
    """Follow a target; return whether to go on, promoted or built anew: no signal ended it."""
    follower = prepare(folder, target, seconds)
    try:
        view = Database(folder, readonly=True)
        try:
            goes_on = run(Standby(view, follower), None)
        finally:
            view.close()
    finally:
        follower.stop()
        follower.database.close()
    if follower.is_behind:
        discard(folder)
    return goes_on


def _run(
    service: Service,
    maintenance: Maintenance | None,
    *,
    address: Address,
    token: bytes | None,
    listening: Callable[[str], object],
    listener: socket.socket,
) -> bool:
    """Serve until the end; return whether the service ended itself."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_serve(service, maintenance, address, token, listening, listener.dup()))


async def _serve(
    service: Service,
    maintenance: Maintenance | None,
    address: Address,
    token: bytes | None,
    listening: Callable[[str], object],
    listener: socket.socket,
) -> bool:
    _restore(service)
    gc.collect()
    gc.freeze()  # modules and compiled code live on: the collector need not look at them
    config = uvicorn.Config(
        build_app(service, maintenance, token, address.host),
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
    server = _Server(config, lambda: listening(f"{scheme}://{name}:{port}"), service.stopping.set)
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
        self.ended = False

    def end(self) -> None:
        """End as by a signal, to go on as another service."""
        self.ended = self.should_exit = True

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
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)
