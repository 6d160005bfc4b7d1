"""Shadows: other configurations that learn the same examples, beside a model."""

from __future__ import annotations

from rosenblatt.serve import changes
from rosenblatt.serve.http.bodies import decoder
from rosenblatt.serve.http.call import Answer, Call, encode
from rosenblatt.serve.http.endpoint import NAME, Endpoint, Parameter
from rosenblatt.serve.http.facts import comparison
from rosenblatt.serve.schema import Comparison, ModelInfo, Shadow
from rosenblatt.serve.service import Service

PATH = "/v1/models/{model}/shadows"
_decode = decoder(Shadow)
_shadow = Parameter("shadow", "Name of a shadow.", NAME, "path", "arow")


@Endpoint("GET", PATH, client=("shadows",))
async def shadows(service: Service, call: Call) -> Comparison:
    """Compare the model with its shadows."""
    return comparison(service.model(call.path["model"]))


@Endpoint(
    "POST", PATH, takes=Shadow, gives=Comparison, status=201, errors=(409,), changes=True,
    client=("add_shadow",), examples={"arow": {"name": "arow", "config": {"rule": "arow"}}},
)  # fmt: skip
async def add_shadow(service: Service, call: Call) -> Answer:
    """Let another configuration learn the log, beside the model."""
    model = service.model(call.path["model"])
    await changes.add_shadow(service, model, _decode(await call.body()))
    headers = ((b"location", f"/v1/models/{model.name}/shadows".encode()),)
    return Answer(encode(comparison(model)), 201, headers=headers)


@Endpoint(
    "POST", f"{PATH}/{{shadow}}/promote", parameters=(_shadow,), errors=(409,), changes=True,
    client=("promote_shadow",),
)  # fmt: skip
async def promote_shadow(service: Service, call: Call) -> ModelInfo:
    """Put a shadow in the model's place: a new version, whose counts start anew."""
    model = service.model(call.path["model"])
    await changes.promote_shadow(service, model, call.path["shadow"])
    return service.about(model)


@Endpoint(
    "DELETE", f"{PATH}/{{shadow}}", parameters=(_shadow,), changes=True, client=("drop_shadow",)
)
async def drop_shadow(service: Service, call: Call) -> Comparison:
    """End a comparison."""
    model = service.model(call.path["model"])
    await changes.drop_shadow(service, model, call.path["shadow"])
    return comparison(model)
