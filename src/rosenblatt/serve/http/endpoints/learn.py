"""The endpoint that learns: an example, those of a list, or those of lines."""

from __future__ import annotations

import hashlib
import re

from rosenblatt.serve.errors import RefusedError, StoreError
from rosenblatt.serve.http.call import Answer, Call, encode, has_lines, is_list, read_examples
from rosenblatt.serve.http.endpoint import Endpoint, Parameter
from rosenblatt.serve.http.lines import learn_lines
from rosenblatt.serve.rows import ParsedRows, PlainRows, Rows, parse_examples
from rosenblatt.serve.schema import Example, Learned
from rosenblatt.serve.served import Key, Outcome
from rosenblatt.serve.service import Service
from rosenblatt.serve.telemetry.audit import EXAMPLES

MAX_KEY = 200
"""Characters of an Idempotency-Key."""
_KEY = f"[!-~]{{1,{MAX_KEY}}}"
_is_key = re.compile(_KEY.encode()).fullmatch
_MAIL = {"words": 12, "from": "list@example.org", "known": False}


@Endpoint(
    "POST",
    "/v1/models/{model}/learn",
    takes=Example | list[Example],
    lines=Example,
    gives=Learned | list[Learned],
    parameters=(
        Parameter(
            "Idempotency-Key",
            "A retry with the same key gets the first answer, and nothing is learned twice. Lines "
            "that are sent again go on from the first unlearned one.",
            {"type": "string", "pattern": f"^{_KEY}$"},
            "header",
        ),
    ),
    errors=(409, 415),
    examples={
        "features": {"features": _MAIL, "label": "ham"},
        "weighted": {"features": "win a free prize", "label": "spam", "weight": 2.0},
        "prediction": {"id": "p17", "label": "spam"},
        "list": [
            {"features": "win a free prize", "label": "spam"},
            {"features": "lunch at noon?", "label": "ham"},
        ],
    },
    client=("learn", "correct", "learn_list", "learn_many"),
    needs="learn",
    changes=True,
    is_frequent=True,
)
async def learn(service: Service, call: Call) -> Answer:
    """Learn an example, the examples of a list, or those of each line."""
    model = service.model(call.path["model"])
    key = _key(call)
    call.facts[EXAMPLES] = 0
    if has_lines(call):
        return await learn_lines(service, model, call, key)
    service.queue.check()  # before the body, which costs time and memory
    body = await call.body()
    of_body = None if key is None else Key(key, hashlib.sha256(body).digest())
    learned: list[Outcome] = []
    try:
        service.queue.check()
        with service.queue.holding(len(body)):
            async with service.queue.reading(len(body)):
                block, left = parse_examples([body])
                rows: Rows = ParsedRows(block)  # parsed by the core, or what it leaves: a list
                if left:
                    rows = PlainRows([service.row(model, e) for e in await read_examples(body)])
            if rows.ends:
                learned, call.facts[EXAMPLES] = await service.learn(model, rows, of_body)
    except (RefusedError, StoreError):  # a retry is answered where it would be refused today
        earlier = None if of_body is None else service.answer_of(model, of_body)
        if earlier is None:
            raise
        learned += earlier
    for outcome in learned:
        if isinstance(outcome, RefusedError):
            raise outcome
    return Answer(encode(learned if is_list(body) else learned[0]))


def _key(call: Call) -> str | None:
    """Return the Idempotency-Key of a request, if it has one."""
    keys = {value for name, value in call.scope["headers"] if name == b"idempotency-key"}
    if not keys:
        return None
    if len(keys) > 1:
        raise RefusedError(400, "a request has one Idempotency-Key; there are several.")
    (key,) = keys
    if not _is_key(key):
        raise RefusedError(
            422, f"an Idempotency-Key has 1 to {MAX_KEY} printable ASCII characters, and no space."
        )
    return str(key, "latin-1")
