"""What systemd is told of the service: that it is ready, that it lives, that it ends."""

from __future__ import annotations

import os
import socket
from contextlib import suppress


def notify(state: str) -> None:
    """Tell systemd of a state, such as ``READY=1``, if it started the process and asks for it.

    The protocol is that of ``sd_notify(3)``: a datagram to the socket that NOTIFY_SOCKET names.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):  # of Linux's abstract names, which have no file
        address = f"\0{address[1:]}"
    kind = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC
    with suppress(OSError), socket.socket(socket.AF_UNIX, kind) as sender:
        sender.sendto(state.encode(), address)  # without a listener the service serves all the same


def watchdog_seconds() -> float | None:
    """Return how often systemd is to hear ``WATCHDOG=1``: twice in its WatchdogSec; None: never."""
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    return int(microseconds) / 2e6 if microseconds.isdecimal() else None
