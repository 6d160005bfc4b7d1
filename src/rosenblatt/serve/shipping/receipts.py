"""When an erasure has reached the target and the standbys."""

from __future__ import annotations

from rosenblatt.serve.shipping.facts import ShippedErasure
from rosenblatt.serve.shipping.shipper import Shipper
from rosenblatt.serve.shipping.standby import read_notes


def start_receipt(shipper: Shipper | None, ticket: int) -> ShippedErasure | None:
    """Return the receipt of an erasure as it begins; None where nothing is shipped."""
    if shipper is None:
        return None
    return ShippedErasure(ticket, "pending", None, [])


def receipt(shipper: Shipper, ticket: int, erased: int) -> ShippedErasure:
    """Return how far the erasure is that a state has made; this reads the target.

    Raises
    ------
    OSError
        The target is away.
    """
    done, notes = shipper.cleaned_at(erased), read_notes(shipper.target, shipper.manifest.owner)
    late = [note.host for note in notes if note.emptied < erased]
    state = "pending" if done is None or late else "done"
    return ShippedErasure(ticket, state, done, late)
