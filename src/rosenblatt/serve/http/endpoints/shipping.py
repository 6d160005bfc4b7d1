"""Where the log goes, and the promotion of a standby."""

from __future__ import annotations

import asyncio

from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.call import Call
from rosenblatt.serve.http.endpoint import VERSION, Endpoint, Parameter
from rosenblatt.serve.service import Service
from rosenblatt.serve.shipping.base import state_of
from rosenblatt.serve.shipping.facts import Promoted, ShippingInfo, StandbyInfo
from rosenblatt.serve.shipping.receipts import receipt
from rosenblatt.serve.shipping.standby import Standby, read_notes

_erasure = Parameter("erasure", "The `ticket` of a receipt of an erasure.", VERSION)


@Endpoint(
    "GET", "/v1/shipping", parameters=(_erasure,), errors=(404, 409, 503), client=("shipping",)
)  # fmt: skip
async def shipping(service: Service, call: Call) -> ShippingInfo:
    """Say where the log goes or comes from, how far it is, and whether an erasure has arrived."""
    ticket, shipper = call.number("erasure"), service.shipper
    if ticket is not None and shipper is None:
        raise RefusedError(409, "this service ships nothing: ask the primary.")
    if isinstance(service, Standby):
        return _about_standby(service)
    about = ShippingInfo(service.role)
    if shipper is None:
        return about
    erased = None if ticket is None else state_of(service.reader, ticket)
    if ticket is not None and erased is None:
        raise RefusedError(
            404,
            f"the store has no erasure with the ticket {ticket}: a primary may have failed before "
            "it was shipped. Ask for the erasure again.",
        )
    about.target, about.epoch = shipper.target.url, shipper.manifest.epoch
    about.commits, about.lag = shipper.manifest.commits, shipper.lag()
    about.waiting, about.fault = shipper.waiting_bytes(), shipper.fault
    about.fenced = shipper.fenced
    try:
        notes = await asyncio.to_thread(read_notes, shipper.target, shipper.manifest.owner)
        about.standbys = [StandbyInfo(n.id, n.host, n.commits, n.time) for n in notes]
        if ticket is not None and erased is not None:
            about.erasure = await asyncio.to_thread(receipt, shipper, ticket, erased)
    except Exception as error:  # every file system has errors of its own
        if ticket is not None:
            raise RefusedError(503, f"the target does not answer: {error}") from error
        about.fault = about.fault or str(error)
    return about


def _about_standby(service: Standby) -> ShippingInfo:
    follower = service.follower
    about = ShippingInfo(service.role, follower.target.url, lag=follower.lag())
    about.fault = follower.fault
    if follower.manifest is not None:
        about.epoch, about.commits = follower.manifest.epoch, follower.manifest.commits
    return about


@Endpoint(
    "POST", "/v1/promote", errors=(409,), changes=True, for_any_role=True, client=("promote",)
)  # fmt: skip
async def promote(service: Service, call: Call) -> Promoted:
    """Let a standby take over; the primary before learns nothing from its next segment on."""
    call.facts["role"] = service.role  # of one that is the primary already, nothing changes
    call.facts["epoch"] = epoch = await service.promote()
    return Promoted(epoch)
