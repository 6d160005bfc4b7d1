"""The endpoint that predicts: a row, the rows of a list, or those of lines."""

from __future__ import annotations

import asyncio
import time

from rosenblatt.serve.http.call import Answer, Call, encode, has_lines, is_list, read_queries
from rosenblatt.serve.http.endpoint import VERSION, Endpoint, Parameter
from rosenblatt.serve.http.lines import predict_lines, predict_query
from rosenblatt.serve.schema import Prediction, Query
from rosenblatt.serve.service import Service
from rosenblatt.serve.writer import TURN_SECONDS

_MAIL = {"words": 12, "from": "list@example.org", "known": False}


@Endpoint(
    "POST",
    "/v1/models/{model}/predict",
    takes=Query | list[Query],
    lines=Query,
    gives=Prediction | list[Prediction],
    parameters=(
        Parameter("version", "Predict as the model did at this version.", VERSION),
        Parameter(
            "explain",
            "Whether to say what each feature contributes.",
            {"type": "boolean", "default": False},
        ),
    ),
    errors=(409, 415),
    examples={
        "named": {"features": _MAIL},
        "text": {"features": "win a free prize", "explain": True},
        "dense": {"features": [5.1, 3.5, 1.4, 0.2]},
        "list": [{"features": "win a free prize"}, {"features": "lunch at noon?"}],
    },
    client=("predict",),
    needs="predict",
    is_frequent=True,
)
async def predict(service: Service, call: Call) -> Answer:
    """Predict the label of a row, of each row of a list, or of each line."""
    model = service.model(call.path["model"])
    explain = call.flag("explain")
    live, version = model.live, call.number("version")
    if version is not None:
        live = await service.at(model, version)
    if has_lines(call):
        return await predict_lines(service, model, live, version, call, explain=explain)
    body = await call.body()
    answers, turn = [], time.perf_counter()
    for query in await read_queries(body):
        prediction = await predict_query(service, model, live, version, query, explain)
        answers.append(encode(prediction))  # one by one: explanations are long
        if time.perf_counter() - turn > TURN_SECONDS:
            await asyncio.sleep(0)
            turn = time.perf_counter()
    return Answer(b"[%b]" % b",".join(answers) if is_list(body) else answers[0])
