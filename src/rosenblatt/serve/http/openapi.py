"""The OpenAPI document of the service, made from its endpoints."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec

import rosenblatt
from rosenblatt.serve.http.endpoint import MODEL, NUMBER, Endpoint, Json, Parameter
from rosenblatt.serve.schema import MAX_BODY, MAX_LIST, Fault, LineError

Schemas: TypeAlias = Mapping[str, Json]
"""Schemas by the representation of their types."""
ERRORS = {
    400: "The body is not well-formed.",
    401: "No token, or a wrong one.",
    403: "A replica changes nothing.",
    404: "There is no such model, version, prediction or shadow.",
    408: "The body came too slowly.",
    409: "The model or the shadow has no such state, or the name is taken.",
    413: "The body, or the list, is too long.",
    415: "The body is neither JSON nor NDJSON.",
    422: "The request is well-formed, and asks for what cannot be.",
    503: "The store cannot be written; nothing was changed.",
    507: "The disk is full; nothing was changed.",
}


def openapi(endpoints: Iterable[Endpoint]) -> dict[str, object]:
    """Return the OpenAPI 3.1 document of endpoints.

    Parameters
    ----------
    endpoints : iterable of Endpoint
        Those that are not listed are left out.

    Returns
    -------
    dict
        JSON values.
    """
    listed = [endpoint for endpoint in endpoints if endpoint.is_listed]
    types = [t for e in listed for t in (e.takes, e.gives, e.lines) if t not in (None, bytes, str)]
    types += [Fault, LineError]
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    schema_of = {repr(t): schema for t, schema in zip(types, schemas, strict=True)}
    for schema in components.values():
        if "description" in schema:
            schema["description"] = " ".join(schema["description"].split())
    paths: dict[str, dict[str, Json]] = defaultdict(dict)
    for endpoint in listed:
        for path in endpoint.paths:
            paths[path][endpoint.method.lower()] = _describe(endpoint, path, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rosenblatt serve",
            "version": rosenblatt.__version__,
            "description": "Models that learn from labelled events, and lose none of them.",
        },
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _describe(endpoint: Endpoint, path: str, schema_of: Schemas) -> Json:
    """Return an endpoint, at one of its paths."""
    declared = {p.name: p for p in (MODEL, NUMBER, *endpoint.parameters)}
    named = [declared[name] for name in re.findall(r"{(\w+)}", path)]
    named += [p for p in endpoint.parameters if p.where != "path"]
    success = {"description": "Success.", "content": _content(endpoint, schema_of)}
    refused = {"application/json": {"schema": schema_of[repr(Fault)]}}
    described: dict[str, object] = {
        "operationId": endpoint.name + ("_at_version" if path == endpoint.also else ""),
        "summary": (endpoint.handler.__doc__ or "").split("\n")[0].rstrip("."),
        "parameters": list(map(_parameter, named)),
        "responses": {str(endpoint.status): success}
        | {
            str(status): {"description": ERRORS[status], "content": refused}
            for status in sorted(_errors(endpoint))
        },
    }
    if endpoint.takes is not None:
        described["requestBody"] = _body(endpoint, schema_of)
    if endpoint.is_public:
        described["security"] = []
    return described


def _parameter(parameter: Parameter) -> Json:
    name, description, schema, where, example, required = parameter
    described: Json = {
        "name": name,
        "in": where,
        "required": required or where == "path",
        "description": description,
        "schema": schema,
    }
    return described if example is None else {**described, "example": example}


def _body(endpoint: Endpoint, schema_of: Schemas) -> Json:
    content: dict[str, Json] = {}
    if endpoint.takes is bytes:
        content["application/octet-stream"] = {}
    else:
        examples = {name: {"value": value} for name, value in endpoint.examples.items()}
        schema = {"schema": schema_of[repr(endpoint.takes)]}
        content["application/json"] = {**schema, "examples": examples} if examples else schema
    if endpoint.lines is not None:
        content["application/x-ndjson"] = {
            "schema": {"contentSchema": schema_of[repr(endpoint.lines)]}
        }
    described: dict[str, object] = {"required": True, "content": content}
    if endpoint.lines is not None:
        described["description"] = (
            f"One, a list of up to {MAX_LIST:,}, or any number as NDJSON: one on each line of up "
            f"to {MAX_BODY:,} bytes."
        )
    return described


def _content(endpoint: Endpoint, schema_of: Schemas) -> Json:
    if endpoint.gives is bytes:
        return {"application/octet-stream": {}}
    if endpoint.gives is str:
        return {"text/plain": {"schema": {"type": "string"}}}
    content: dict[str, Json] = {"application/json": {"schema": schema_of[repr(endpoint.gives)]}}
    if endpoint.lines is not None:
        content["application/x-ndjson"] = {
            "schema": {
                "description": "One answer on each line; the number of the line and an error, "
                "where it was refused."
            }
        }
    return content


def _errors(endpoint: Endpoint) -> set[int]:
    """Return the statuses of refusals."""
    statuses = set(endpoint.errors)
    if not endpoint.is_public:
        statuses.add(401)
    if "{" in endpoint.path:
        statuses.add(404)
    if any(parameter.where != "path" for parameter in endpoint.parameters):
        statuses.add(422)
    if endpoint.takes is not None:
        statuses |= {400, 408, 413, 422}
    if endpoint.changes:
        statuses |= {403, 503, 507}
    return statuses
