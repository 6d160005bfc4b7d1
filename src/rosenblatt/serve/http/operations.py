"""The table of operations: path, handler, what goes in and out. Routes and OpenAPI come from it."""

from __future__ import annotations

from typing import Any

from rosenblatt.serve.http.endpoint import Answer, Call, encode
from rosenblatt.serve.http.openapi import openapi
from rosenblatt.serve.http.operation import Operation
from rosenblatt.serve.http.v1 import V1
from rosenblatt.serve.http.v2 import (
    V2,
    InferenceRequest,
    InferenceResponse,
    ModelMetadata,
    ModelReady,
    ServerMetadata,
)
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import (
    MAX_FILE,
    Comparison,
    DeletedModel,
    Erasure,
    Example,
    FeatureWeight,
    Learned,
    Models,
    NewModel,
    Prediction,
    Query,
    Rollback,
    Shadow,
    StoredExample,
    VersionsInfo,
)
from rosenblatt.serve.service import Service

PROMETHEUS = b"text/plain; version=0.0.4; charset=utf-8"


def operations(service: Service) -> list[Operation]:
    """Return all operations of a service."""
    v1, health = V1(service), Health(service)
    model, flag = "/v1/models/{model}", dict[str, bool]
    table = [
        Operation("GET", "/v1/health/live", health.live, gives=flag, public=True),
        Operation("GET", "/v1/health/ready", health.ready, gives=flag, errors=(503,), public=True),
        Operation("GET", "/metrics", health.metrics, gives=str),
        Operation("GET", "/v1/models", v1.list_models, gives=Models, parameters=("deleted",)),
        Operation(
            "POST", "/v1/models", v1.create_model, NewModel,
            status=201, errors=(409,), changes=True,
        ),
        Operation("GET", model, v1.get_model),
        Operation("DELETE", model, v1.delete_model, changes=True),
        Operation("POST", f"{model}/restore", v1.restore_model, changes=True),
        Operation(
            "POST", f"{model}/purge", v1.purge_model, gives=DeletedModel, errors=(409,),
            changes=True,
        ),
        Operation("GET", f"{model}/file", v1.get_file, gives=bytes, errors=(409,)),
        Operation(
            "PUT", f"{model}/file", v1.put_file, bytes,
            errors=(409,), changes=True, limit=MAX_FILE,
        ),
        Operation(
            "POST", f"{model}/predict", v1.predict, Query | list[Query],
            Prediction | list[Prediction], Query, ("version", "explain"), errors=(415,),
        ),
        Operation(
            "POST", f"{model}/learn", v1.learn, Example | list[Example],
            Learned | list[Learned], Example, ("Idempotency-Key",), errors=(409, 415), changes=True,
        ),
        Operation(
            "GET", f"{model}/heaviest", v1.heaviest,
            gives=dict[str, list[FeatureWeight]], parameters=("top",),
        ),
        Operation("GET", f"{model}/versions", v1.versions, gives=VersionsInfo, parameters=("at",)),
        Operation(
            "GET", f"{model}/versions/{{number}}", v1.get_version,
            gives=StoredExample, errors=(422,),
        ),
        Operation(
            "DELETE", f"{model}/versions/{{number}}", v1.erase,
            gives=Erasure, errors=(422,), changes=True,
        ),
        Operation(
            "GET", f"{model}/examples", v1.find_examples,
            gives=list[StoredExample], parameters=("contains", "before"),
        ),
        Operation("POST", f"{model}/rollback", v1.roll_back, Rollback, changes=True),
        Operation("GET", f"{model}/shadows", v1.shadows, gives=Comparison),
        Operation(
            "POST", f"{model}/shadows", v1.add_shadow, Shadow, Comparison,
            status=201, errors=(409,), changes=True,
        ),
        Operation(
            "DELETE", f"{model}/shadows/{{shadow}}", v1.drop_shadow, gives=Comparison, changes=True
        ),
        Operation(
            "POST", f"{model}/shadows/{{shadow}}/promote", v1.promote_shadow,
            errors=(409,), changes=True,
        ),
    ]  # fmt: skip
    table += _inference(V2(service))
    document = Document(table)
    table.append(
        Operation("GET", "/openapi.json", document.get_document, gives=dict[str, Any], public=True)
    )
    return table


def _inference(v2: V2) -> list[Operation]:
    """Return the operations of the Open Inference Protocol: each model at two paths."""
    table = [
        Operation("GET", "/v2", v2.server_metadata, gives=ServerMetadata),
        Operation("GET", "/v2/health/live", v2.server_live, gives=dict[str, bool], public=True),
        Operation("GET", "/v2/health/ready", v2.server_ready, gives=dict[str, bool], public=True),
    ]
    for model in ("/v2/models/{model}", "/v2/models/{model}/versions/{number}"):
        table += [
            Operation("GET", model, v2.model_metadata, gives=ModelMetadata, errors=(409, 422)),
            Operation("GET", f"{model}/ready", v2.model_ready, gives=ModelReady, errors=(409, 422)),
            Operation(
                "POST", f"{model}/infer", v2.infer, InferenceRequest, InferenceResponse,
                errors=(409,),
            ),
        ]  # fmt: skip
    return table


class Document:
    """The OpenAPI document of a table of operations."""

    def __init__(self, table: list[Operation]) -> None:
        self._table, self._encoded = table, b""

    async def get_document(self, call: Call) -> Answer:
        """Answer with this document."""
        self._encoded = self._encoded or encode(openapi(self._table))
        return Answer(self._encoded)


class Health:
    """Whether the service lives, whether it can do its work, and its metrics."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def live(self, call: Call) -> Answer:
        """Say that the process answers."""
        return Answer(encode({"live": True}))

    async def ready(self, call: Call) -> Answer:
        """Say whether examples can be learned: the disk takes them."""
        if self.service.failed is not None:  # why has paths, and this needs no token
            raise RefusedError(
                503, "the store takes no examples at present: the log of the service says why."
            )
        if self.service.log_is_full:
            raise RefusedError(
                503,
                "the log has reached its budget: give --log-bytes more, or let old examples go "
                "(--keep-examples).",
            )
        return Answer(encode({"ready": True}))

    async def metrics(self, call: Call) -> Answer:
        """Answer with the metrics for Prometheus."""
        return Answer(self.service.metrics.text(), type=PROMETHEUS)
