"""Models: made, listed, described, deleted, restored and purged."""

from __future__ import annotations

from rosenblatt.serve.erasure import deletion, purge
from rosenblatt.serve.http.bodies import decoder
from rosenblatt.serve.http.call import Answer, Call, encode
from rosenblatt.serve.http.endpoint import Endpoint, Parameter
from rosenblatt.serve.schema import DeletedModel, ModelInfo, Models, NewModel
from rosenblatt.serve.service import Service

MODELS, MODEL = "/v1/models", "/v1/models/{model}"
_decode = decoder(NewModel)
_deleted = Parameter(
    "deleted",
    "Whether to list the deleted models, too, in `deleted`.",
    {"type": "boolean", "default": False},
)


@Endpoint("GET", MODELS, parameters=(_deleted,), client=("models", "deleted"))
async def list_models(service: Service, call: Call) -> Models:
    """List the models; with ``deleted=true`` the deleted ones, too."""
    listed = Models([service.about(model) for model in service.models.values()])
    if call.flag("deleted"):
        listed.deleted = [deletion.about_deleted(service, m) for m in service.deleted.values()]
    return listed


@Endpoint(
    "POST", MODELS, takes=NewModel, gives=ModelInfo, status=201, errors=(409,), changes=True,
    client=("create",), examples={
        "defaults": {"name": "mail"},
        "configured": {"name": "mail", "config": {"rule": {"name": "pa1", "C": 0.5}}},
    },
)  # fmt: skip
async def create_model(service: Service, call: Call) -> Answer:
    """Create a model."""
    model = await service.create(_decode(await call.body()))
    headers = ((b"location", f"/v1/models/{model.name}".encode()),)
    return Answer(encode(service.about(model)), 201, headers=headers)


@Endpoint("GET", MODEL, client=("model",))
async def get_model(service: Service, call: Call) -> ModelInfo:
    """Say what a model is, and how it does."""
    return service.about(service.model(call.path["model"]))


@Endpoint("DELETE", MODEL, changes=True, client=("delete",))
async def delete_model(service: Service, call: Call) -> ModelInfo:
    """Delete a model; it can be restored, or purged."""
    return service.about(await deletion.delete(service, call.path["model"]))


@Endpoint("POST", f"{MODEL}/restore", changes=True, client=("restore",))
async def restore_model(service: Service, call: Call) -> ModelInfo:
    """Bring a deleted model back."""
    return service.about(await deletion.bring_back(service, call.path["model"]))


@Endpoint("POST", f"{MODEL}/purge", errors=(409,), changes=True, client=("purge",))
async def purge_model(service: Service, call: Call) -> DeletedModel:
    """Remove a deleted model from the store, for good; its name is free."""
    return await purge.purge(service, call.path["model"])
