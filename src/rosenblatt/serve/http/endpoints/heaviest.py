"""The features that decide: those with the largest weights."""

from __future__ import annotations

from rosenblatt.serve.http.call import Call
from rosenblatt.serve.http.endpoint import VERSION, Endpoint, Parameter
from rosenblatt.serve.schema import FeatureWeight
from rosenblatt.serve.service import Service

MAX_TOP = 1_000
"""Features of each label that are listed."""
_top = Parameter("top", f"Features of each label, at most {MAX_TOP:,}.", {**VERSION, "default": 10})


@Endpoint("GET", "/v1/models/{model}/heaviest", parameters=(_top,), client=("heaviest",))
async def heaviest(service: Service, call: Call) -> dict[str, list[FeatureWeight]]:
    """List the features with the largest weights of each label."""
    top = min(call.number("top") or 10, MAX_TOP)
    return service.model(call.path["model"]).live.heaviest(top)
