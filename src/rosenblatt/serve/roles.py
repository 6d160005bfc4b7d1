"""The role of the process: a primary, a replica beside it, or a standby that is promoted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rosenblatt.serve.maintenance import Maintenance, Policy
from rosenblatt.serve.server import Front, listen, run
from rosenblatt.serve.service import Service
from rosenblatt.serve.shipping.base import count_commits
from rosenblatt.serve.shipping.claim import claim, take_over
from rosenblatt.serve.shipping.ids import epoch_of_ids, skip_ids
from rosenblatt.serve.shipping.replica import Replica
from rosenblatt.serve.shipping.restore import clear, restore
from rosenblatt.serve.shipping.shipper import Shipper
from rosenblatt.serve.shipping.standby import Standby, discard, is_primary, prepare
from rosenblatt.serve.shipping.target import Target
from rosenblatt.serve.store.database import Database

SWITCH_SECONDS = 0.0001
"""Longest time for which a thread that replays or takes a snapshot keeps requests waiting."""


@dataclass(frozen=True)
class Shipping:
    """Where the log goes, or of a standby, where it comes from, every so many seconds."""

    url: str
    seconds: float = 1.0
    follows: bool = False


def serve(
    folder: str,
    policy: Policy,
    front: Front,
    *,
    replica: bool = False,
    shipping: Shipping | None = None,
    restored: str | None = None,
) -> None:
    """Serve a store until SIGINT or SIGTERM.

    Parameters
    ----------
    folder : path
        The store; created if it does not exist.
    policy : Policy
    front : Front
    replica : bool, default=False
        Follow a store that another process serves.
    shipping : Shipping, optional
        Send the log to a target, or follow one.
    restored : str, optional
        The target from which the store is built first. One that ships there takes over.

    Raises
    ------
    StoreError
        The store cannot be used, or the target.
    OSError
        The port is taken, or the certificate cannot be read.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    with listen(front.address) as listener:
        serving = partial(run, front=front, listener=listener)
        epoch = 0
        if restored is not None:
            manifest = restore(Path(folder), Target(restored))
            epoch = manifest.epoch + 1
            if shipping is not None and shipping.url == restored:
                take_over(Target(restored), Path(folder), manifest)
        if shipping is not None and shipping.follows:
            target = Target(shipping.url)
            while not is_primary(Path(folder), target):
                if not _stand_by(Path(folder), target, shipping.seconds, serving):
                    return
        database = Database(folder, readonly=replica)
        try:
            if replica:
                serving(Replica(database), None)
                return
            clear(database.folder)
            shipper = _new_shipper(database, shipping, epoch) if shipping is not None else None
            skip_ids(database, epoch if shipper is None else shipper.manifest.epoch)
            service = Service(database, policy.keep_predictions, policy.log_bytes, shipper)
            serving(service, Maintenance(service, policy))
        finally:
            database.close()


def _new_shipper(database: Database, shipping: Shipping, epoch: int) -> Shipper:
    target = Target(shipping.url)
    write = database.writer
    epoch = max(epoch, epoch_of_ids(write))
    begun = claim(target, database.folder, count_commits(write), epoch)
    return Shipper(database, begun, shipping.seconds)


def _stand_by(folder: Path, target: Target, seconds: float, serving: Callable[..., bool]) -> bool:
    """Follow a target; return whether to go on, promoted or built anew: no signal ended it."""
    follower = prepare(folder, target, seconds)
    try:
        view = Database(folder, readonly=True)
        try:
            goes_on = serving(Standby(view, follower), None)
        finally:
            view.close()
    finally:
        follower.stop()
        follower.database.close()
    if follower.is_behind:
        discard(folder)
    return goes_on
