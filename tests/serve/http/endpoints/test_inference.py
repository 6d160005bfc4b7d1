"""The Open Inference Protocol: exact paths, exact JSON."""

import json

import numpy as np
import pytest
from serving import Served

import rosenblatt
from rosenblatt import OnlineClassifier

MODELS = {
    "text": ["ham", "spam", "ham"],
    "int": [1, 2, 7],
    "bool": [False, True, True],
}
ROWS = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("store")) as server:
        for name, labels in MODELS.items():
            server.post("/v1/models", {"name": name}, status=201)
            rows = [
                {"features": features, "label": label}
                for features, label in zip(ROWS, labels, strict=True)
            ]
            server.post(f"/v1/models/{name}/learn", rows)
        for name in ("named", "new"):
            server.post("/v1/models", {"name": name}, status=201)
        server.post("/v1/models/named/learn", {"features": {"a": 1}, "label": "x"})
        yield server


def tensor(data, shape=(2, 2), datatype="FP64"):
    return {"name": "x", "shape": list(shape), "datatype": datatype, "data": data}


def infer(server, model, *inputs, status=200, **fields):
    return server.post(f"/v2/models/{model}/infer", {"inputs": inputs, **fields}, status=status)


def test_the_server_says_what_it_is(server):
    about = {"name": "rosenblatt", "version": rosenblatt.__version__, "extensions": []}
    assert server.get("/v2") == about
    assert server.get("/v2/health/live") == {"live": True}
    assert server.get("/v2/health/ready") == {"ready": True}


def test_a_model_says_what_it_takes(server):
    assert server.get("/v2/models/int") == {
        "name": "int",
        "versions": ["3"],
        "platform": "rosenblatt",
        "inputs": [{"name": "x", "datatype": "FP64", "shape": [-1, 2]}],
        "outputs": [
            {"name": "label", "datatype": "INT64", "shape": [-1]},
            {"name": "scores", "datatype": "FP64", "shape": [-1, 3]},
        ],
        "labels": [1, 2, 7],
    }
    early = server.get("/v2/models/int/versions/2")
    assert (early["versions"], early["labels"]) == (["2"], [1, 2])
    for path in ("/v2/models/int/ready", "/v2/models/int/versions/2/ready"):
        assert server.get(path) == {"name": "int", "ready": True}


@pytest.mark.parametrize("data", [[1, 2, 3, 4], [[1, 2], [3, 4]]])
def test_labels_and_scores_are_those_of_the_model(server, data):
    model = OnlineClassifier()
    for features, label in zip(ROWS, MODELS["text"], strict=True):
        model.learn_one(np.array(features), label)
    first, second = (model.score_one(np.array(row)) for row in ([1, 2], [3, 4]))
    assert infer(server, "text", tensor(data), id="7") == {
        "model_name": "text",
        "model_version": "3",
        "outputs": [
            {
                "name": "label",
                "shape": [2],
                "datatype": "BYTES",
                "data": [model.predict_one(np.array(row)) for row in ([1, 2], [3, 4])],
            },
            {
                "name": "scores",
                "shape": [2, 2],
                "datatype": "FP64",
                "data": [first["ham"], first["spam"], second["ham"], second["spam"]],
            },
        ],
        "id": "7",
    }


@pytest.mark.parametrize(("model", "datatype"), [("int", "INT64"), ("bool", "BOOL")])
def test_labels_have_their_type(server, model, datatype):
    (output,) = infer(server, model, tensor(ROWS, [3, 2]), outputs=[{"name": "label"}])["outputs"]
    labels = [server.post(f"/v1/models/{model}/predict", {"features": r})["label"] for r in ROWS]
    assert output == {"name": "label", "shape": [3], "datatype": datatype, "data": labels}


def test_an_output_that_is_named_again_comes_once(server):
    """Else a body of some megabytes would have an answer of some gigabytes."""
    outputs = [{"name": "scores"}, {"name": "label"}, {"name": "scores"}]
    got = infer(server, "int", tensor(ROWS, [3, 2]), outputs=outputs)["outputs"]
    assert [output["name"] for output in got] == ["scores", "label"]


def test_an_earlier_version_predicts_what_it_did(server):
    (output,) = server.post(
        "/v2/models/text/versions/1/infer",
        {"inputs": [tensor([5, 5], [1, 2])], "outputs": [{"name": "scores"}]},
    )["outputs"]
    assert output == {"name": "scores", "shape": [1, 1], "datatype": "FP64", "data": [0.0]}


def test_fp32_is_rounded(server):
    rounded = float(np.float32(0.1))
    scores = [{"name": "scores"}]
    sent = infer(server, "int", tensor([0.1, 0.1], [1, 2], "FP32"), outputs=scores)
    assert sent == infer(server, "int", tensor([rounded, rounded], [1, 2]), outputs=scores)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "one input is wanted; got 0."),
        ([tensor([1, 2], [1, 2])] * 2, "one input is wanted; got 2."),
        ([tensor([1, 2], [2, 1])], "the shape must be [n, 2], n ≥ 1."),
        ([tensor([], [0, 2])], "the shape must be [n, 2], n ≥ 1."),
        ([tensor([1, 2], [2])], "the shape must be [n, 2], n ≥ 1."),
        ([tensor([1, 2, 3], [2, 2])], "the data must be 4 numbers, or 2 lists of 2."),
        ([tensor([[1, 2], [3]])], "the data must be 4 numbers, or 2 lists of 2."),
        ([tensor([[1, 2], 3, 4])], "the data must be 4 numbers, or 2 lists of 2."),
        ([tensor([[1, 2, 3, 4]])], "the data must be 4 numbers, or 2 lists of 2."),
        ([tensor([1e200, 2], [1, 2])], "values lie between -1e+30 and 1e+30."),
        ([tensor([1e39, 2], [1, 2], "FP32")], "values lie between -1e+30 and 1e+30."),
        ([tensor([1.5, 2], [1, 2], "INT64")], "INT64 has whole numbers alone."),
        ([tensor(["a", 2], [1, 2])], "Expected `float | array`, got `str`"),
        ([tensor([1, 2], [1, 2], "BYTES")], "Invalid enum value 'BYTES'"),
    ],
)
def test_what_is_no_tensor_of_the_model_is_refused(server, inputs, message):
    assert message in infer(server, "text", *inputs, status=422)["error"]


def test_too_many_rows_are_refused(server):
    error = infer(server, "text", tensor([], [1001, 2]), status=413)["error"]
    assert error == "a request may have 1,000 rows; got 1,001."


@pytest.mark.parametrize(
    ("model", "status", "message"),
    [
        ("named", 422, "POST /v1/models/named/predict takes them"),
        ("new", 409, "has learned nothing yet"),
        ("other", 404, "no model 'other'"),
    ],
)
def test_a_model_that_has_no_tensors_says_so(server, model, status, message):
    assert message in infer(server, model, tensor([1, 2], [1, 2]), status=status)["error"]
    assert message in server.get(f"/v2/models/{model}", status=status)["error"]
    ready = server.get(f"/v2/models/{model}/ready", status=status)
    assert message in ready["error"]
    assert ready.get("ready", False) is False


def test_versions_are_numbers_that_are_kept(server):
    body = json.dumps({"inputs": [tensor([1, 2], [1, 2])]}).encode()
    for version, status in [("4", 404), ("x", 422), ("-1", 422), ("9" * 19, 422)]:
        assert server.raw("POST", f"/v2/models/text/versions/{version}/infer", body)[0] == status
