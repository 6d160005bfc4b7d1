"""Models: made, described, deleted, their files, their versions and their shadows."""

from __future__ import annotations

import asyncio
import time

import apsw
import msgspec

from rosenblatt.serve import changes, schema
from rosenblatt.serve.config import with_rule
from rosenblatt.serve.encoded.files import kind_of
from rosenblatt.serve.erasure import deletion
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.call import Answer, Call, decoder, encode
from rosenblatt.serve.http.endpoint import NAME, VERSION, Endpoint, Parameter
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.shipping.receipts import start_receipt
from rosenblatt.serve.store.log import LAST, Log, Record, decode_row
from rosenblatt.serve.store.search import find_records
from rosenblatt.serve.store.tables import save_snapshot

MODELS, MODEL = "/v1/models", "/v1/models/{model}"
TOP, MAX_TOP = 10, 1_000
"""Features of each label that are listed, if nothing else is asked for, and at most."""
MAX_FOUND = 100
"""Examples of one answer to a search."""
_decode_model, _decode_shadow = decoder(schema.NewModel), decoder(schema.Shadow)
_decode_rollback = decoder(schema.Rollback)
_top = Parameter(
    "top", f"Features of each label, at most {MAX_TOP:,}.", {**VERSION, "default": TOP}
)
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
_shadow = Parameter("shadow", "Name of a shadow.", NAME, "path", "arow")


@Endpoint(
    "POST", MODELS, takes=schema.NewModel, gives=schema.ModelInfo, status=201, errors=(409,),
    changes=True, client=("create",), examples={
        "defaults": {"name": "mail"},
        "configured": {"name": "mail", "config": {"rule": {"name": "pa1", "C": 0.5}}},
    },
)  # fmt: skip
async def create_model(service: Service, call: Call) -> Answer:
    """Create a model."""
    new = _decode_model(await call.body())
    new.config = with_rule(new.config)
    call.facts["model"] = new.name
    model = await service.create(new)
    headers = ((b"location", f"/v1/models/{model.name}".encode()),)
    return Answer(encode(service.about(model)), 201, headers=headers)


@Endpoint("GET", MODEL, client=("model",), needs="predict")
async def get_model(service: Service, call: Call) -> schema.ModelInfo:
    """Say what a model is, and how it does."""
    return service.about(service.model(call.path["model"]))


@Endpoint("DELETE", MODEL, changes=True, client=("delete",))
async def delete_model(service: Service, call: Call) -> schema.ModelInfo:
    """Delete a model; it can be restored, or purged."""
    return service.about(await deletion.delete(service, call.path["model"]))


@Endpoint("POST", f"{MODEL}/restore", changes=True, client=("restore",))
async def restore_model(service: Service, call: Call) -> schema.ModelInfo:
    """Bring a deleted model back."""
    return service.about(await deletion.bring_back(service, call.path["model"]))


@Endpoint("POST", f"{MODEL}/purge", errors=(409,), changes=True, client=("purge",))
async def purge_model(service: Service, call: Call) -> schema.DeletedModel:
    """Remove a deleted model from the store, for good; its name is free."""
    about = await deletion.purge(service, call.path["model"])
    about.shipped = start_receipt(service.shipper, service.ticket)
    return about


@Endpoint(
    "GET", f"{MODEL}/heaviest", parameters=(_top,), errors=(409,), client=("heaviest",)
)  # fmt: skip
async def heaviest(service: Service, call: Call) -> dict[str, list[schema.FeatureWeight]]:
    """List the features of each label that move its score most, with their weights."""
    top = call.number("top")
    top = TOP if top is None else min(top, MAX_TOP)
    live = service.model(call.path["model"]).live
    live.check_range()
    return live.heaviest(top)


# --- model files -----------------------------------------------------------------------------


@Endpoint("GET", f"{MODEL}/file", gives=bytes, errors=(409,), client=("file",))
async def get_file(service: Service, call: Call) -> Answer:
    """Answer with a model file, which ``rosenblatt.load`` reads."""
    model = service.model(call.path["model"])
    name = f'attachment; filename="{model.name}.rosenblatt"'.encode()
    headers = ((b"content-disposition", name),)
    data = await changes.get_file(model)
    return Answer(data, type=b"application/octet-stream", headers=headers)


@Endpoint(
    "PUT", f"{MODEL}/file", takes=bytes, errors=(409,), limit=schema.MAX_FILE, changes=True,
    client=("put_file",),
)  # fmt: skip
async def put_file(service: Service, call: Call) -> schema.ModelInfo:
    """Replace a model, or create one, by a model file, which may say how rows are read."""
    name, data = call.path["model"], await call.body()
    model = service.models.get(name)
    if model is None:
        model = await _create(service, name, data)
    else:
        await changes.put_file(service, model, data)
    about = model.about()  # in another thread: the log ends with a long record
    about.head = await service.read(lambda c: model.log(c).head(about.version))
    return about


async def _create(service: Service, name: str, data: bytes) -> ServedModel:
    """Create a model with a model file as its first version, in one transaction."""
    live = await asyncio.to_thread(changes.read_served, data)
    new = msgspec.convert({"name": name, "config": live.config}, schema.NewModel)
    live.version = 1

    def write(connection: apsw.Connection, number: int) -> None:
        if full := service.writer.budget_error(connection, len(data)):
            raise full
        Log(connection, number, name).append([Record(1, kind_of(live), time.time(), data)])
        save_snapshot(connection, number, live.freeze()())

    model = await service.create(new, write)
    model.live, model.has_file = live, True
    model.note_snapshot(live.version, time.time())
    return model


# --- versions --------------------------------------------------------------------------------


@Endpoint("GET", f"{MODEL}/versions", parameters=(_at,), client=("versions",), needs="predict")
async def versions(service: Service, call: Call) -> schema.VersionsInfo:
    """Say which versions are kept, and what changed the model besides examples."""
    model, at = service.model(call.path["model"]), call.number("at")
    facts = service.versions(model)
    if at is not None:  # this reads the whole log
        facts.until = await service.read(lambda c: model.log(c).version_at(at))
    return facts


@Endpoint("GET", f"{MODEL}/examples", parameters=(_contains, _before), client=("examples",))
async def find_examples(service: Service, call: Call) -> list[schema.StoredExample]:
    """List the last examples that contain a text or a number."""
    text = call.query("contains")
    if not text:
        raise RefusedError(422, "say what to look for: ?contains=TEXT.")
    model, before = service.model(call.path["model"]), call.number("before")
    last = LAST if before is None else before
    records = await service.read(lambda c: find_records(model.log(c), text, last, MAX_FOUND))
    return list(map(_stored, records))


@Endpoint("GET", f"{MODEL}/versions/{{number}}")
async def get_version(service: Service, call: Call) -> schema.StoredExample:
    """Answer with the example of a version, as it was learned."""
    model, version = service.model(call.path["model"]), call.version()
    return _stored(changes.find_example(model.log(service.reader), version))


def _stored(record: Record) -> schema.StoredExample:
    return schema.StoredExample(record.version, record.time, *decode_row(record.body))


@Endpoint(
    "POST", f"{MODEL}/rollback", takes=schema.Rollback, errors=(409,), changes=True,
    client=("rollback",), examples={"version": {"version": 17}},
)  # fmt: skip
async def roll_back(service: Service, call: Call) -> schema.ModelInfo:
    """Return to an earlier version; that is a new version."""
    model = service.model(call.path["model"])
    version = _decode_rollback(await call.body()).version
    call.facts["to"] = version
    await changes.roll_back(service, model, version)
    return service.about(model)


@Endpoint("DELETE", f"{MODEL}/versions/{{number}}", changes=True, client=("erase",))
async def erase(service: Service, call: Call) -> schema.Erasure:
    """Erase the example or the model file of a version, as if it had never been there."""
    model = service.model(call.path["model"])
    remains = await changes.erase(service, model, call.version())
    shipped = start_receipt(service.shipper, service.ticket)
    about = msgspec.structs.asdict(service.about(model))
    return schema.Erasure(**about, remains=remains, shipped=shipped)


# --- shadows: other configurations that learn the same examples ------------------------------


@Endpoint("GET", f"{MODEL}/shadows", client=("shadows",), needs="predict")
async def shadows(service: Service, call: Call) -> schema.Comparison:
    """Compare the model with its shadows."""
    return service.model(call.path["model"]).compare()


@Endpoint(
    "POST", f"{MODEL}/shadows", takes=schema.Shadow, gives=schema.Comparison, status=201,
    errors=(409,), changes=True, client=("add_shadow",),
    examples={"arow": {"name": "arow", "config": {"rule": "arow"}}},
)  # fmt: skip
async def add_shadow(service: Service, call: Call) -> Answer:
    """Let another configuration learn the log, beside the model."""
    model = service.model(call.path["model"])
    shadow = _decode_shadow(await call.body())
    shadow.config = with_rule(shadow.config)
    call.facts["shadow"] = shadow.name
    await changes.add_shadow(service, model, shadow)
    headers = ((b"location", f"/v1/models/{model.name}/shadows".encode()),)
    return Answer(encode(model.compare()), 201, headers=headers)


@Endpoint(
    "POST", f"{MODEL}/shadows/{{shadow}}/promote", parameters=(_shadow,), errors=(409,),
    changes=True, client=("promote_shadow",),
)  # fmt: skip
async def promote_shadow(service: Service, call: Call) -> schema.ModelInfo:
    """Put a shadow in the model's place: a new version, whose counts start anew."""
    model = service.model(call.path["model"])
    await changes.promote_shadow(service, model, call.path["shadow"])
    return service.about(model)


@Endpoint(
    "DELETE", f"{MODEL}/shadows/{{shadow}}", parameters=(_shadow,), changes=True,
    client=("drop_shadow",),
)  # fmt: skip
async def drop_shadow(service: Service, call: Call) -> schema.Comparison:
    """End a comparison."""
    model = service.model(call.path["model"])
    await changes.drop_shadow(service, model, call.path["shadow"])
    return model.compare()
