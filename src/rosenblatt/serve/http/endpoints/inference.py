"""The endpoints under /v2: the Open Inference Protocol over REST, for models of lists of numbers.

KServe's, Triton's and MLServer's clients speak it. Its tensors are dense: a model whose features
have names is served under /v1 alone.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct

import rosenblatt
from rosenblatt.learning.online.base import dense_width, score_rows
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.call import Answer, Call, encode
from rosenblatt.serve.http.endpoint import Endpoint
from rosenblatt.serve.http.problems import fault
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.schema import LARGEST, MAX_LIST, Label
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store import tables
from rosenblatt.utils.arrays import Array

MODEL, AT_VERSION = "/v2/models/{model}", "/v2/models/{model}/versions/{number}"
_LARGEST_OF = {"FP64": LARGEST, "FP32": LARGEST, "INT64": 2.0**63}
_DATATYPES = {bool: "BOOL", int: "INT64", str: "BYTES"}
OUTPUTS = ("label", "scores")


class ServerMetadata(Struct):
    """What the server is."""

    name: str
    version: str
    extensions: list[str]


class TensorMetadata(Struct):
    """A tensor that goes in or out; −1 stands for any number of rows."""

    name: str
    datatype: str
    shape: list[int]


class ModelMetadata(Struct):
    """A model, with its tensors; ``labels`` are those of the columns of the scores."""

    name: str
    versions: list[str]
    platform: str
    inputs: list[TensorMetadata]
    outputs: list[TensorMetadata]
    labels: list[bool | int | str]


class ModelReady(Struct):
    """Whether a model can predict; the problem of one that cannot has these keys, too."""

    name: str
    ready: bool


class InputTensor(Struct):
    """Rows, flat or nested."""

    name: str
    shape: list[int]
    datatype: Literal["FP64", "FP32", "INT64"]
    data: list[float | list[float]]


class RequestedOutput(Struct):
    """An output that is wanted."""

    name: Literal["label", "scores"]


class InferenceRequest(Struct):
    """Rows to predict, and the outputs that are wanted, each once: all, if there are none."""

    inputs: list[InputTensor]
    outputs: list[RequestedOutput] = []
    id: str | None = None


class OutputTensor(Struct):
    """Labels, or scores row after row."""

    name: str
    shape: list[int]
    datatype: str
    data: list[bool | int | float | str]


class InferenceResponse(Struct, omit_defaults=True):
    """Predictions, with the id of the request."""

    model_name: str
    model_version: str
    outputs: list[OutputTensor]
    id: str | None = None


_request = msgspec.json.Decoder(InferenceRequest).decode


@Endpoint("GET", "/v2", needs="predict")
async def server_metadata(service: Service, call: Call) -> ServerMetadata:
    """Say what the server is."""
    return ServerMetadata("rosenblatt", rosenblatt.__version__, [])


@Endpoint("GET", "/v2/health/live", is_public=True)
async def server_live(service: Service, call: Call) -> dict[str, bool]:
    """Say that the process answers, by the Open Inference Protocol."""
    return {"live": True}


@Endpoint("GET", "/v2/health/ready", is_public=True)
async def server_ready(service: Service, call: Call) -> dict[str, bool]:
    """Say that models can predict: they do while the disk refuses examples."""
    return {"ready": True}


@Endpoint("GET", MODEL, AT_VERSION, errors=(409,), needs="predict")
async def model_metadata(service: Service, call: Call) -> ModelMetadata:
    """Describe a model's tensors."""
    model, live = await _live(service, call)
    width, labels = _width(model, live), live.model.classes_
    kept = tables.snapshot_versions(service.reader, model.number)
    return ModelMetadata(
        name=model.name,
        versions=[str(version) for version in sorted({*kept, live.version})],
        platform="rosenblatt",
        inputs=[TensorMetadata("x", "FP64", [-1, width])],
        outputs=[
            TensorMetadata("label", _datatype(labels), [-1]),
            TensorMetadata("scores", "FP64", [-1, len(labels)]),
        ],
        labels=labels,
    )


@Endpoint(
    "GET", f"{MODEL}/ready", f"{AT_VERSION}/ready", gives=ModelReady, errors=(409,),
    needs="predict",
)  # fmt: skip
async def model_ready(service: Service, call: Call) -> Answer:
    """Say whether a model can predict: it has learned lists of numbers."""
    model, live = await _live(service, call)
    try:
        _width(model, live)
    except RefusedError as error:
        answer = fault(error)
        assert isinstance(answer.body, bytes)
        problem = msgspec.json.decode(answer.body) | {"name": model.name, "ready": False}
        return answer._replace(body=encode(problem))
    return Answer(encode(ModelReady(model.name, True)))


@Endpoint(
    "POST", f"{MODEL}/infer", f"{AT_VERSION}/infer", takes=InferenceRequest, errors=(409,),
    needs="predict",
    examples={
        "flat": {
            "inputs": [{"name": "x", "shape": [2, 2], "datatype": "FP64", "data": [1, 2, 3, 4]}]
        },
        "nested": {
            "id": "7",
            "inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [[1.5, 2]]}],
            "outputs": [{"name": "label"}],
        },
    },
)  # fmt: skip
async def infer(service: Service, call: Call) -> InferenceResponse:
    """Predict labels and scores of rows."""
    request = _request(await call.body())
    model, live = await _live(service, call)  # which goes on learning while a body comes
    X = rows_of(request, _width(model, live))
    wanted = dict.fromkeys(output.name for output in request.outputs) or OUTPUTS
    outputs = [_output(name, live, X) for name in wanted]
    service.metrics.predictions.inc(len(X))
    return InferenceResponse(model.name, str(live.version), outputs, request.id)


async def _live(service: Service, call: Call) -> tuple[ServedModel, LiveModel]:
    """Return the model of a path, at the version of the path if there is one."""
    model = service.model(call.path["model"])
    if "number" not in call.path:
        return model, model.live
    return model, await service.at(model, call.version())


def rows_of(request: InferenceRequest, width: int) -> Array:
    """Return the rows of a request, shape (n, width).

    Raises
    ------
    RefusedError
        They do not fit the model, or a limit.

    Examples
    --------
    >>> tensor = InputTensor("x", [2, 2], "INT64", [[1, 2], [3, 4]])
    >>> rows_of(InferenceRequest([tensor]), 2)
    array([[1., 2.],
           [3., 4.]])
    """
    if len(request.inputs) != 1:
        raise RefusedError(422, f"one input is wanted; got {len(request.inputs)}.")
    tensor = request.inputs[0]
    shape = tensor.shape
    if len(shape) != 2 or shape[1] != width or shape[0] < 1:
        raise RefusedError(
            422, f"input {tensor.name!r:.80}: the shape must be [n, {width}], n ≥ 1."
        )
    if shape[0] > MAX_LIST:
        raise RefusedError(413, f"a request may have {MAX_LIST:,} rows; got {shape[0]:,}.")
    try:
        values = np.array(tensor.data, float)
    except ValueError:
        raise _ragged(tensor) from None
    if (values.ndim == 2 and values.shape != tuple(shape)) or values.size != shape[0] * width:
        raise _ragged(tensor)
    largest = _LARGEST_OF[tensor.datatype]
    if not (np.abs(values) <= largest).all():
        raise RefusedError(
            422, f"input {tensor.name!r:.80}: values lie between {-largest:g} and {largest:g}."
        )
    if tensor.datatype == "INT64" and (values % 1).any():
        raise RefusedError(422, f"input {tensor.name!r:.80}: INT64 has whole numbers alone.")
    if tensor.datatype == "FP32":
        values = values.astype(np.float32).astype(float)
    return values.reshape(shape)


def _ragged(tensor: InputTensor) -> RefusedError:
    n, width = tensor.shape
    return RefusedError(
        422,
        f"input {tensor.name!r:.80}: the data must be {n * width} numbers, or {n} lists of "
        f"{width}.",
    )


def _width(model: ServedModel, live: LiveModel) -> int:
    """Return the numbers of a row."""
    live.check_range()
    if not live.model.classes_:
        raise RefusedError(409, f"the model {model.name!r} has learned nothing yet.")
    width = dense_width(live.model)
    if width is None:
        raise RefusedError(
            422,
            f"the features of the model {model.name!r} have names, and tensors have none: "
            f"POST /v1/models/{model.name}/predict takes them.",
        )
    return width


def _output(name: str, live: LiveModel, X: Array) -> OutputTensor:
    labels = live.model.classes_
    if name == "label":
        predicted = live.model.predict_many(X).tolist()
        return OutputTensor(name, [len(X)], _datatype(labels), predicted)
    scores = score_rows(live.model, X)
    return OutputTensor(name, list(scores.shape), "FP64", scores.ravel().tolist())


def _datatype(labels: list[Label]) -> str:
    return _DATATYPES[type(labels[0])]
