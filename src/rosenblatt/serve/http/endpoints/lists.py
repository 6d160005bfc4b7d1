"""Lists that come in pages: the models, and the log of each."""

from __future__ import annotations

import asyncio
import time
from urllib.parse import urlencode

import apsw

from rosenblatt.serve import schema
from rosenblatt.serve.erasure import deletion
from rosenblatt.serve.errors import RefusedError
from rosenblatt.serve.http.call import Answer, Call, encode
from rosenblatt.serve.http.endpoint import VERSION, Endpoint, Parameter
from rosenblatt.serve.service import Service
from rosenblatt.serve.store.log import Kind, Record, decode_config, decode_row, decode_version
from rosenblatt.serve.store.search import read_page
from rosenblatt.serve.writer import TURN_SECONDS

MAX_PAGE = 1_000
"""Models or records of a page."""
RECORDS = 100
"""Records of a page, if nothing else is asked for."""
PAGE_BYTES = 2**23
"""Bytes of the bodies of records with which a page ends."""
_LIMIT = {"type": "integer", "minimum": 1, "maximum": MAX_PAGE}
_models = Parameter("limit", "Models of a page.", {**_LIMIT, "default": MAX_PAGE})
_records = Parameter("limit", "Records of a page.", {**_LIMIT, "default": RECORDS})
_after_model = Parameter("after", "Only models whose names follow this one.", {"type": "string"})
_after_version = Parameter("after", "Only records behind this version.", {**VERSION, "default": 0})
_deleted = Parameter(
    "deleted",
    "Whether to list the deleted models, too, in `deleted`.",
    {"type": "boolean", "default": False},
)


@Endpoint(
    "GET", "/v1/models", parameters=(_deleted, _models, _after_model), needs="predict",
    client=("models", "deleted"),
)  # fmt: skip
async def list_models(service: Service, call: Call) -> schema.Models:
    """List the models; with ``deleted=true`` the deleted ones, too.

    Up to a thousand come in the order in which they were made, and pages in that of their names.
    """
    limit, after, has_deleted = _limit(call, MAX_PAGE), call.query("after"), call.flag("deleted")
    deleted = sorted(service.deleted.values(), key=lambda model: model.number)
    names = [*service.models, *(model.name for model in deleted if has_deleted)]
    pages = len(names) > MAX_PAGE or call.query("limit") is not None or after is not None
    if pages:
        names = sorted(name for name in names if after is None or name > after)
    listed = schema.Models([], [] if has_deleted else None)
    turn = time.perf_counter()
    for name in names[:limit]:  # of which some may go meanwhile
        if (model := service.models.get(name)) is not None:
            listed.models.append(service.about(model))
        elif listed.deleted is not None and (model := service.deleted.get(name)) is not None:
            listed.deleted.append(deletion.about_deleted(service, model))
        if time.perf_counter() - turn > TURN_SECONDS:
            await asyncio.sleep(0)
            turn = time.perf_counter()
    if len(names) > limit:
        query = {"deleted": "true"} if has_deleted else {}
        listed.next = (
            f"/v1/models?{urlencode({**query, 'limit': limit, 'after': names[limit - 1]})}"
        )
    return listed


@Endpoint(
    "GET", "/v1/models/{model}/log", gives=schema.LogPage, parameters=(_records, _after_version),
    client=("log",),
)  # fmt: skip
async def read_log(service: Service, call: Call) -> Answer:
    """List the records of the log behind a version, with what each of them says."""
    model = service.model(call.path["model"])
    limit, after = _limit(call, RECORDS), call.number("after") or 0

    def read(connection: apsw.Connection) -> bytes:
        records, has_more = read_page(model.log(connection), after, limit, PAGE_BYTES)
        page = schema.LogPage(list(map(_record, records)))
        if has_more:
            query = urlencode({"limit": limit, "after": records[-1].version})
            page.next = f"/v1/models/{model.name}/log?{query}"
        return encode(page)

    return Answer(await service.read(read))


def _limit(call: Call, usual: int) -> int:
    """Return the length of a page."""
    limit = call.number("limit")
    if limit is None:
        return usual
    if not 1 <= limit <= MAX_PAGE:
        raise RefusedError(422, f"limit must lie between 1 and {MAX_PAGE:,}; got {limit}.")
    return limit


def _record(record: Record) -> schema.LogRecord:
    """Return what a record says; of a model file no more than that it is one."""
    said, body = schema.LogRecord(record.version, record.time, record.what), record.body
    match record.kind:
        case Kind.EXAMPLE:
            said.features, said.label, said.weight = decode_row(body)
        case Kind.ROLLBACK | Kind.ERASURE:
            said.of = decode_version(body)
        case Kind.PROMOTION:
            said.config = decode_config(body)
    return said
