"""When an erasure has reached the target and the standbys."""

from __future__ import annotations

from rosenblatt.serve.shipping.facts import ShippedErasure, StandbyInfo
from rosenblatt.serve.shipping.shipper import Shipper
from rosenblatt.serve.shipping.standby import Note, read_notes


def start_receipt(shipper: Shipper | None, state: int) -> ShippedErasure | None:
    """Return the receipt of an erasure that a state has made; None where nothing is shipped."""
    if shipper is None:
        return None
    return ShippedErasure(state, "pending", None, [])


def receipt(shipper: Shipper, ticket: int) -> ShippedErasure:
    """Return how far an erasure is; this reads the target.

    Raises
    ------
    OSError
        The target is away.
    """
    done = shipper.cleaned_at(ticket)
    late = [note.host for note in read_notes(shipper.target) if note.emptied < ticket]
    state = "pending" if done is None or late else "done"
    return ShippedErasure(ticket, state, done, late)


def about_standby(note: Note) -> StandbyInfo:
    """Return what a standby said of itself."""
    return StandbyInfo(note.id, note.host, note.commits, note.time)
