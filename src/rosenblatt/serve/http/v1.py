"""The routes under /v1: models, predictions, examples, versions, shadows."""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import Any

import apsw
import msgspec

from rosenblatt.serve import changes
from rosenblatt.serve.erasure import deletion
from rosenblatt.serve.erasure.purge import purge
from rosenblatt.serve.http.bodies import (
    decode_example,
    decode_examples,
    decode_new_model,
    decode_queries,
    decode_query,
    decode_rollback,
    decode_shadow,
    decoded,
)
from rosenblatt.serve.http.endpoint import JSON, NDJSON, Answer, Call, encode
from rosenblatt.serve.http.facts import comparison
from rosenblatt.serve.http.lines import learn_lines, predict_lines, predict_query
from rosenblatt.serve.learning import Key
from rosenblatt.serve.refused import RefusedError
from rosenblatt.serve.rows.rows import ParsedRows, PlainRows, Rows, parse_examples
from rosenblatt.serve.schema import (
    MAX_LIST,
    Erasure,
    Models,
    NewModel,
    StoredExample,
)
from rosenblatt.serve.served import ServedModel
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.database import StoreError, now
from rosenblatt.serve.store.log import Kind, Log, Record, decode_row
from rosenblatt.serve.store.snapshots import save_snapshot
from rosenblatt.serve.writer import TURN_SECONDS

_MODEL_FILE = b"application/octet-stream"
_LINES = (NDJSON, b"application/ndjson", b"application/jsonl")
_NO_JSON = (b"text/csv", b"text/tab-separated-values", b"multipart/", b"application/xml")
MAX_KEY = 200
"""Characters of an Idempotency-Key."""
MAX_FOUND = 100
"""Examples of one answer to a search."""
MAX_TOP = 1_000
"""Features of each label that are listed."""


class V1:
    """Handlers of the routes.

    Parameters
    ----------
    service : Service
    """

    def __init__(self, service: Service) -> None:
        self.service = service

    # --- models ----------------------------------------------------------------------------------

    async def list_models(self, call: Call) -> Answer:
        """List the models; with ``deleted=true`` the deleted ones, too."""
        service = self.service
        listed = Models([service.about(model) for model in service.models.values()])
        if call.flag("deleted"):
            listed.deleted = [deletion.about_deleted(service, m) for m in service.deleted.values()]
        return Answer(encode(listed))

    async def create_model(self, call: Call) -> Answer:
        """Create a model."""
        model = await self.service.create(decode_new_model(await call.body()))
        headers = ((b"location", f"/v1/models/{model.name}".encode()),)
        return Answer(encode(self.service.about(model)), 201, headers=headers)

    async def get_model(self, call: Call) -> Answer:
        """Say what a model is, and how it does."""
        return Answer(encode(self.service.about(self._model(call))))

    async def delete_model(self, call: Call) -> Answer:
        """Delete a model; it can be restored, or purged."""
        model = await deletion.delete(self.service, call.part("model"))
        return Answer(encode(self.service.about(model)))

    async def restore_model(self, call: Call) -> Answer:
        """Bring a deleted model back."""
        model = await deletion.bring_back(self.service, call.part("model"))
        return Answer(encode(self.service.about(model)))

    async def purge_model(self, call: Call) -> Answer:
        """Remove a deleted model from the store, for good; its name is free."""
        return Answer(encode(await purge(self.service, call.part("model"))))

    async def get_file(self, call: Call) -> Answer:
        """Answer with a model file, which ``rosenblatt.load`` reads."""
        model = self._model(call)
        name = f'attachment; filename="{model.name}.rosenblatt"'.encode()
        headers = ((b"content-disposition", name),)
        return Answer(await changes.get_file(model), type=_MODEL_FILE, headers=headers)

    async def put_file(self, call: Call) -> Answer:
        """Replace a model, or create one, by a model file."""
        name, data = call.part("model"), await call.body()
        model = self.service.models.get(name)
        if model is None:
            model = await self._create_from_file(name, data)
        else:
            await changes.put_file(self.service, model, data)
        about = model.about()  # in another thread: the log ends with a long record
        about.head = await self.service.read(lambda c: model.log(c).head(about.version))
        return Answer(encode(about))

    async def _create_from_file(self, name: str, data: bytes) -> ServedModel:
        """Create a model with a model file as its first version, in one transaction."""
        live = await asyncio.to_thread(changes.read_file, data)
        new = msgspec.convert({"name": name, "config": live.config}, NewModel)
        live.version = 1

        def write(connection: apsw.Connection, number: int) -> None:
            if full := self.service.writer.budget_error(connection, len(data)):
                raise full
            Log(connection, number, name).append([Record(1, Kind.FILE, now(), data)])
            save_snapshot(connection, number, live.freeze()())

        model = await self.service.create(new, write)
        model.live, model.snapshot_version, model.has_file = live, live.version, True
        return model

    async def heaviest(self, call: Call) -> Answer:
        """List the features with the largest weights of each label."""
        top = min(call.number("top") or 10, MAX_TOP)
        return Answer(encode(self._model(call).live.heaviest(top)))

    # --- predict and learn -----------------------------------------------------------------------

    async def predict(self, call: Call) -> Answer:
        """Predict the label of a row, of each row of a list, or of each line."""
        model = self._model(call)
        explain = call.flag("explain")
        live, version = model.live, call.number("version")
        if version is not None:
            live = await self.service.at(model, version)
        if _has_lines(call):
            return await predict_lines(self.service, model, live, call, explain=explain)
        body = await call.body()
        if body.lstrip()[:1] == b"[":
            answers, turn = [], time.perf_counter()
            for query in _limited(await decoded(decode_queries, body)):
                prediction = await predict_query(self.service, model, live, query, explain)
                answers.append(encode(prediction))  # one by one: explanations are long
                if time.perf_counter() - turn > TURN_SECONDS:
                    await asyncio.sleep(0)
                    turn = time.perf_counter()
            return Answer(b"[%b]" % b",".join(answers))
        query = await decoded(decode_query, body)
        return Answer(encode(await predict_query(self.service, model, live, query, explain)))

    async def learn(self, call: Call) -> Answer:
        """Learn an example, the examples of a list, or those of each line."""
        model = self._model(call)
        key = _key(call)
        if _has_lines(call):
            return await learn_lines(self.service, model, call, key)
        body = await call.body()
        of_body = None if key is None else Key(key, hashlib.sha256(body).digest())
        try:
            rows, is_list = await self._rows(model, body)
            learned = await self.service.learn(model, rows, of_body) if len(rows) else []
        except (RefusedError, StoreError):  # a retry is answered where it would be refused today
            earlier = None if of_body is None else self.service.answer_of(model, of_body)
            if earlier is None:
                raise
            learned, is_list = earlier, body.lstrip()[:1] == b"["
        return Answer(encode(learned if is_list else learned[0]))

    async def _rows(self, model: ServedModel, body: bytes) -> tuple[Rows, bool]:
        """Return the rows of a body, and whether it is a list."""
        block, left = parse_examples([body])
        if not left:
            return ParsedRows(block), False
        is_list = body.lstrip()[:1] == b"["
        examples = (
            _limited(await decoded(decode_examples, body))
            if is_list
            else [await decoded(decode_example, body)]
        )
        return PlainRows([self.service.row(model, example) for example in examples]), is_list

    # --- versions --------------------------------------------------------------------------------

    async def versions(self, call: Call) -> Answer:
        """Say which versions are kept, and what changed the model besides examples."""
        return Answer(encode(await self.service.versions(self._model(call), call.number("at"))))

    async def find_examples(self, call: Call) -> Answer:
        """List the last examples that contain a text or a number."""
        text = call.query("contains")
        if not text:
            raise RefusedError(422, "say what to look for: ?contains=TEXT.")
        model, before = self._model(call), call.number("before")
        return Answer(encode(await self.service.find(model, text, before, MAX_FOUND)))

    async def get_version(self, call: Call) -> Answer:
        """Answer with the example of a version, as it was learned."""
        model, version = self._model(call), call.path_number("number")
        assert version is not None
        record = changes.find_example(model.log(self.service.reader), version)
        features, label, weight = decode_row(record.body)
        return Answer(encode(StoredExample(version, record.time, features, label, weight)))

    async def roll_back(self, call: Call) -> Answer:
        """Return to an earlier version; that is a new version."""
        model = self._model(call)
        version = decode_rollback(await call.body()).version
        await changes.roll_back(self.service, model, version)
        return Answer(encode(self.service.about(model)))

    async def erase(self, call: Call) -> Answer:
        """Erase the example or the model file of a version, as if it had never been there."""
        model, version = self._model(call), call.path_number("number")
        assert version is not None
        remains = await changes.erase(self.service, model, version)
        about = msgspec.structs.asdict(self.service.about(model))
        return Answer(encode(Erasure(**about, remains=remains)))

    # --- shadows ---------------------------------------------------------------------------------

    async def shadows(self, call: Call) -> Answer:
        """Compare the model with its shadows."""
        return Answer(encode(comparison(self._model(call))))

    async def add_shadow(self, call: Call) -> Answer:
        """Let another configuration learn the log, beside the model."""
        model = self._model(call)
        shadow = decode_shadow(await call.body())
        await changes.add_shadow(self.service, model, shadow)
        headers = ((b"location", f"/v1/models/{model.name}/shadows".encode()),)
        return Answer(encode(comparison(model)), 201, headers=headers)

    async def promote_shadow(self, call: Call) -> Answer:
        """Put a shadow in the model's place: a new version, whose counts start anew."""
        model = self._model(call)
        await changes.promote_shadow(self.service, model, call.part("shadow"))
        return Answer(encode(self.service.about(model)))

    async def drop_shadow(self, call: Call) -> Answer:
        """End a comparison."""
        model = self._model(call)
        await changes.drop_shadow(self.service, model, call.part("shadow"))
        return Answer(encode(comparison(model)))

    def _model(self, call: Call) -> ServedModel:
        return self.service.model(call.part("model"))


def _has_lines(call: Call) -> bool:
    kind = (call.header(b"content-type") or JSON).partition(b";")[0].strip().lower()
    if kind.startswith(_NO_JSON):
        raise RefusedError(
            415,
            f"the body is {kind.decode('latin-1')!r:.80}: send JSON, or one JSON object on each "
            "line with Content-Type: application/x-ndjson.",
        )
    return kind in _LINES


def _limited(rows: list[Any]) -> list[Any]:
    if len(rows) > MAX_LIST:
        raise RefusedError(413, f"a list may have {MAX_LIST:,} rows: send more as NDJSON lines.")
    return rows


def _key(call: Call) -> str | None:
    keys = {value for name, value in call.scope["headers"] if name == b"idempotency-key"}
    if len(keys) > 1:
        raise RefusedError(400, "a request has one Idempotency-Key; there are several.")
    text = call.header(b"idempotency-key")
    if text is not None and not 0 < len(text) <= MAX_KEY:
        raise RefusedError(422, f"an Idempotency-Key has 1 to {MAX_KEY} characters.")
    return None if text is None else text.decode("latin-1")
