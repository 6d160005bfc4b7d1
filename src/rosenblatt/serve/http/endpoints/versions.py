"""Versions of a model: listed, read, returned to and erased."""

from __future__ import annotations

import msgspec

from rosenblatt.serve import changes
from rosenblatt.serve.http.bodies import decoder
from rosenblatt.serve.http.call import Call
from rosenblatt.serve.http.endpoint import VERSION, Endpoint, Parameter
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.schema import Erasure, ModelInfo, Rollback, StoredExample, VersionsInfo
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.log import decode_row

MODEL = "/v1/models/{model}"
MAX_FOUND = 100
"""Examples of one answer to a search."""
_decode = decoder(Rollback)
_at = Parameter(
    "at", "A time in seconds since 1970: `until` is the last version until then.", VERSION
)
_contains = Parameter(
    "contains",
    "A part of a name, of a value or label that is text, or of a text; or a number that a value or "
    "the label is.",
    {"type": "string", "minLength": 1},
    required=True,
)
_before = Parameter("before", "Only examples before this version.", VERSION)


@Endpoint("GET", f"{MODEL}/versions", parameters=(_at,), client=("versions",))
async def versions(service: Service, call: Call) -> VersionsInfo:
    """Say which versions are kept, and what changed the model besides examples."""
    return await service.versions(service.model(call.path["model"]), call.number("at"))


@Endpoint("GET", f"{MODEL}/examples", parameters=(_contains, _before), client=("examples",))
async def find_examples(service: Service, call: Call) -> list[StoredExample]:
    """List the last examples that contain a text or a number."""
    text = call.query("contains")
    if not text:
        raise RefusedError(422, "say what to look for: ?contains=TEXT.")
    model, before = service.model(call.path["model"]), call.number("before")
    return await service.find(model, text, before, MAX_FOUND)


@Endpoint("GET", f"{MODEL}/versions/{{number}}", errors=(422,))
async def get_version(service: Service, call: Call) -> StoredExample:
    """Answer with the example of a version, as it was learned."""
    model, version = service.model(call.path["model"]), call.version()
    record = changes.find_example(model.log(service.reader), version)
    return StoredExample(version, record.time, *decode_row(record.body))


@Endpoint(
    "POST", f"{MODEL}/rollback", takes=Rollback, changes=True, client=("rollback",),
    examples={"version": {"version": 17}},
)  # fmt: skip
async def roll_back(service: Service, call: Call) -> ModelInfo:
    """Return to an earlier version; that is a new version."""
    model = service.model(call.path["model"])
    await changes.roll_back(service, model, _decode(await call.body()).version)
    return service.about(model)


@Endpoint("DELETE", f"{MODEL}/versions/{{number}}", errors=(422,), changes=True, client=("erase",))
async def erase(service: Service, call: Call) -> Erasure:
    """Erase the example or the model file of a version, as if it had never been there."""
    model = service.model(call.path["model"])
    remains = await changes.erase(service, model, call.version())
    return Erasure(**msgspec.structs.asdict(service.about(model)), remains=remains)
