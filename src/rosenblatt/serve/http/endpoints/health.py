"""Whether the service lives, whether it can do its work, its metrics, and its OpenAPI document."""

from __future__ import annotations

from functools import cache
from typing import Any

from rosenblatt.serve import schema
from rosenblatt.serve.errors import STORE_FAILED, RefusedError
from rosenblatt.serve.http.call import Answer, Call, encode
from rosenblatt.serve.http.endpoint import Endpoint, openapi
from rosenblatt.serve.http.endpoints import all_endpoints
from rosenblatt.serve.service import Service
from rosenblatt.serve.shipping.standby import Standby

PROMETHEUS = b"text/plain; version=0.0.4; charset=utf-8"


@Endpoint("GET", "/v1/health/live", is_public=True)
async def live(service: Service, call: Call) -> dict[str, bool]:
    """Say that the process answers."""
    return {"live": True}


@Endpoint("GET", "/v1/health/ready", errors=(503,), is_public=True)
async def ready(service: Service, call: Call) -> schema.Ready:
    """Say whether examples can be learned, or of a replica or standby, followed and predicted.

    A service that ends in a moment is not ready, though it answers.
    """
    if service.is_draining:
        raise RefusedError(
            503, "the service ends in a moment: send requests elsewhere.", title="Service stops"
        )
    if service.shipper is not None and service.shipper.fenced is not None:
        raise RefusedError(
            503, "another service has taken over: the log of this one says when.", title="Fenced"
        )
    if service.failed is not None:
        raise RefusedError(503, STORE_FAILED)
    if isinstance(service, Standby) and service.follower.fault is not None:
        raise RefusedError(
            503,
            "the target of the standby does not answer, or is damaged, so that it cannot take "
            "over: the log of the service says why.",
            title="Target away",
        )
    if service.log_is_full:
        raise RefusedError(
            503,
            "the log has reached its budget: give --log-bytes more, or let old examples go "
            "(--keep-examples).",
            title="Log at its budget",
        )
    return schema.Ready(True, service.role)


@Endpoint("GET", "/metrics", gives=str, needs="metrics")
async def metrics(service: Service, call: Call) -> Answer:
    """Answer with the metrics for Prometheus."""
    return Answer(service.metrics.text(service.observe()), type=PROMETHEUS)


@Endpoint("GET", "/openapi.json", gives=dict[str, Any], is_public=True)
async def get_document(service: Service, call: Call) -> Answer:
    """Answer with this document."""
    return _document()


@cache
def _document() -> Answer:
    return Answer(encode(openapi(all_endpoints())))
