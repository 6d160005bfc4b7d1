"""Predictions at a version, while the model learns."""

import json

import pytest
from service_runs import learn_rows, run_service

from rosenblatt.serve.http.call import Call
from rosenblatt.serve.http.endpoints.inference import infer
from rosenblatt.serve.http.endpoints.predict import predict
from rosenblatt.serve.schema import MAX_BODY

ROW = [1.0, 2.0]
LINES = [(b"content-type", b"application/x-ndjson")]


def call_at(version, parts, learn, headers=()):
    """A request to the model "m" at a version, which learns before each part of the body."""
    waiting = iter(parts)

    async def receive():
        await learn()
        part = next(waiting, None)
        return {"type": "http.request", "body": part or b"", "more_body": part is not None}

    scope = {
        "headers": [*headers],
        "query_string": b"version=%d" % version,
        "path_params": {"model": "m", "number": str(version)},
    }
    return Call(scope, receive, MAX_BODY)


@pytest.mark.parametrize("explain", [False, True])
def test_a_version_is_that_which_was_asked_for_also_while_the_model_learns(tmp_path, explain):
    query = json.dumps({"features": ROW, "explain": explain}).encode()
    tensor = {"name": "x", "shape": [1, 2], "datatype": "FP64", "data": ROW}
    tensors = json.dumps({"inputs": [tensor]}).encode()

    async def test(service, model):
        async def learn():
            await learn_rows(service, model, [([3.0, -1.0], "ab"[model.live.version % 2], 1.0)])

        await learn()
        await learn()
        scores = model.live.predict(ROW).scores
        (one,) = json.loads(
            b"[%b]" % (await predict.handler(service, call_at(2, [query], learn))).body
        )
        assert (one["version"], one["scores"]) == (2, scores)
        version, scores = model.live.version, model.live.predict(ROW).scores
        with (await predict.handler(service, call_at(version, [query], learn, LINES))).body as file:
            file.seek(0)
            (line,) = map(json.loads, file)
        assert (line["version"], line["scores"]) == (version, scores)
        version, scores = model.live.version, model.live.predict(ROW).scores
        answer = await infer.handler(service, call_at(version, [tensors], learn))
        assert (answer.model_version, answer.outputs[1].data) == (str(version), [*scores.values()])

    run_service(tmp_path, test)
