"""What the service answers about its shipping."""

from __future__ import annotations

from msgspec import Struct


class ShippedErasure(Struct):
    """Whether what was erased has left the target, and the files of the standbys.

    ``done`` is the time of the former, and ``standbys`` has the names of those that still may have
    it. ``ticket`` asks again, with ``GET /v1/shipping?erasure=``.
    """

    ticket: int
    state: str
    done: float | None
    standbys: list[str]


class StandbyInfo(Struct):
    """What a standby said of itself: its state, and when."""

    id: str
    host: str
    commits: int
    time: float


class ShippingInfo(Struct):
    """Where the log goes, or comes from, and how far it is.

    The target, or the standby, may lack the last ``lag`` seconds. ``waiting`` are bytes that are
    not sent yet. ``fault`` says why the last try failed, ``fenced`` why nothing is learned any
    more. ``commits`` is the state that can be restored.
    """

    role: str
    target: str | None = None
    epoch: int = 0
    commits: int = 0
    lag: float = 0.0
    waiting: int = 0
    fault: str | None = None
    fenced: str | None = None
    standbys: list[StandbyInfo] = []
    erasure: ShippedErasure | None = None


class Promoted(Struct):
    """The epoch of a service that has taken over."""

    epoch: int
