"""Model files: a model goes out, or comes in, as a file."""

from __future__ import annotations

import asyncio

import apsw
import msgspec

from rosenblatt.serve import changes
from rosenblatt.serve.http.call import Answer, Call
from rosenblatt.serve.http.endpoint import Endpoint
from rosenblatt.serve.schema import MAX_FILE, ModelInfo, NewModel
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.database import now
from rosenblatt.serve.store.log import Kind, Log, Record
from rosenblatt.serve.store.snapshots import save_snapshot

PATH = "/v1/models/{model}/file"


@Endpoint("GET", PATH, gives=bytes, errors=(409,), client=("file",))
async def get_file(service: Service, call: Call) -> Answer:
    """Answer with a model file, which ``rosenblatt.load`` reads."""
    model = service.model(call.path["model"])
    name = f'attachment; filename="{model.name}.rosenblatt"'.encode()
    headers = ((b"content-disposition", name),)
    data = await changes.get_file(model)
    return Answer(data, type=b"application/octet-stream", headers=headers)


@Endpoint(
    "PUT", PATH, takes=bytes, errors=(409,), limit=MAX_FILE, changes=True, client=("put_file",)
)
async def put_file(service: Service, call: Call) -> ModelInfo:
    """Replace a model, or create one, by a model file."""
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
    live = await asyncio.to_thread(changes.read_file, data)
    new = msgspec.convert({"name": name, "config": live.config}, NewModel)
    live.version = 1

    def write(connection: apsw.Connection, number: int) -> None:
        if full := service.writer.budget_error(connection, len(data)):
            raise full
        Log(connection, number, name).append([Record(1, Kind.FILE, now(), data)])
        save_snapshot(connection, number, live.freeze()())

    model = await service.create(new, write)
    model.live, model.snapshot_version, model.has_file = live, live.version, True
    return model
