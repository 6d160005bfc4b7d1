"""The OpenAPI document of the service, made from the table of operations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

import rosenblatt
from rosenblatt.serve.http.operation import Operation
from rosenblatt.serve.schema import MAX_BODY, MAX_LIST, Fault, LineError
from rosenblatt.theory import rules

VERSION = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
PARAMETERS: dict[str, dict[str, Any]] = {
    "model": {
        "in": "path",
        "description": "Name of a model.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},
        "example": "mail",
    },
    "shadow": {
        "in": "path",
        "description": "Name of a shadow.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},
        "example": "arow",
    },
    "number": {"in": "path", "description": "A version.", "schema": VERSION, "example": 1},
    "version": {
        "in": "query",
        "description": "Predict as the model did at this version.",
        "schema": VERSION,
    },
    "explain": {
        "in": "query",
        "description": "Whether to say what each feature contributes.",
        "schema": {"type": "boolean", "default": False},
    },
    "top": {
        "in": "query",
        "description": "Features of each label, at most 1,000.",
        "schema": VERSION | {"default": 10},
    },
    "at": {
        "in": "query",
        "description": "A time in seconds since 1970: `until` is the last version until then.",
        "schema": VERSION,
    },
    "contains": {
        "in": "query",
        "description": "A part of a name, of a value or label that is text, or of a text; or a "
        "number that a value or the label is.",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
    },
    "before": {
        "in": "query",
        "description": "Only examples before this version.",
        "schema": VERSION,
    },
    "deleted": {
        "in": "query",
        "description": "Whether to list the deleted models, too, in `deleted`.",
        "schema": {"type": "boolean", "default": False},
    },
    "Idempotency-Key": {
        "in": "header",
        "description": "A retry with the same key gets the first answer, and nothing is learned "
        "twice. Lines that are sent again go on from the first unlearned one.",
        "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
    },
}

_NUMBER = {"type": "number", "minimum": 0}
CONFIG = {
    "type": "object",
    "description": "Parameters of rosenblatt.OnlinePerceptron.",
    "properties": {
        "rule": {
            "anyOf": [
                {"enum": list(rules.NAMES)},
                {
                    "type": "object",
                    "properties": {"name": {"enum": list(rules.NAMES)}},
                    "required": ["name"],
                    "additionalProperties": _NUMBER,
                },
            ]
        },
        "output": {"enum": ["last", "average"]},
        "multi_class": {"enum": ["ovr", "joint"]},
        "tie": {"enum": [0, -1, 1]},
        "penalty": {"enum": [None, "l2", "l1", "elasticnet"]},
        "alpha": _NUMBER,
        "l1_ratio": _NUMBER | {"maximum": 1},
        "fit_intercept": {"type": "boolean"},
        "eta0": _NUMBER,
        "class_weight": {
            "anyOf": [{"type": "null"}, {"type": "object", "additionalProperties": _NUMBER}]
        },
        "max_features": {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 1}]},
    },
    "additionalProperties": False,
}

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

_MAIL = {"words": 12, "from": "list@example.org", "known": False}
EXAMPLES: dict[str, dict[str, Any]] = {
    "create_model": {
        "defaults": {"name": "mail"},
        "configured": {"name": "mail", "config": {"rule": {"name": "pa1", "C": 0.5}}},
    },
    "predict": {
        "named": {"features": _MAIL},
        "text": {"features": "win a free prize", "explain": True},
        "dense": {"features": [5.1, 3.5, 1.4, 0.2]},
        "list": [{"features": "win a free prize"}, {"features": "lunch at noon?"}],
    },
    "learn": {
        "features": {"features": _MAIL, "label": "ham"},
        "weighted": {"features": "win a free prize", "label": "spam", "weight": 2.0},
        "prediction": {"id": "p17", "label": "spam"},
        "list": [
            {"features": "win a free prize", "label": "spam"},
            {"features": "lunch at noon?", "label": "ham"},
        ],
    },
    "roll_back": {"version": {"version": 17}},
    "add_shadow": {"arow": {"name": "arow", "config": {"rule": "arow"}}},
    "infer": {
        "flat": {
            "inputs": [{"name": "x", "shape": [2, 2], "datatype": "FP64", "data": [1, 2, 3, 4]}]
        },
        "nested": {
            "id": "7",
            "inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [[1.5, 2]]}],
            "outputs": [{"name": "label"}],
        },
    },
}
"""Examples of bodies, by the name of the operation's handler."""


def openapi(operations: Iterable[Operation]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of operations.

    Parameters
    ----------
    operations : iterable of Operation

    Returns
    -------
    dict
        JSON values.
    """
    table = list(operations)
    types = [t for op in table for t in (op.takes, op.gives) if _is_json(t)]
    types += [op.lines for op in table if op.lines is not None]
    types += [Fault, LineError]
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    for name in ("NewModel", "Shadow"):
        components[name]["properties"]["config"] = CONFIG | {"default": {}}
    schema_of = {repr(t): schema for t, schema in zip(types, schemas, strict=True)}
    for schema in components.values():
        if "description" in schema:
            schema["description"] = " ".join(schema["description"].split())
    paths: dict[str, dict[str, Any]] = {}
    for operation in table:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _describe(
            operation, schema_of
        )
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


def _describe(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    """Return one operation of the document."""
    name, handler = operation.handler.__name__, operation.handler
    names = [*re.findall(r"{(\w+)}", operation.path), *operation.parameters]
    answer: dict[str, Any] = {"description": "Success.", "content": _content(operation, schema_of)}
    described: dict[str, Any] = {
        "operationId": name + ("_at_version" if _is_at_version(operation) else ""),
        "summary": (handler.__doc__ or "").split("\n")[0].rstrip("."),
        "parameters": [_parameter(name) for name in names],
        "responses": {str(operation.status): answer},
    }
    for status in sorted(_errors(operation)):
        described["responses"][str(status)] = {
            "description": ERRORS[status],
            "content": {"application/json": {"schema": schema_of[repr(Fault)]}},
        }
    if operation.takes is not None:
        described["requestBody"] = _body(operation, schema_of)
    if operation.public:
        described["security"] = []
    return described


def _parameter(name: str) -> dict[str, Any]:
    values = PARAMETERS[name]
    return {"name": name, "required": values["in"] == "path", **values}


def _body(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    if operation.takes is bytes:
        content: dict[str, Any] = {"application/octet-stream": {}}
    else:
        content = {"application/json": {"schema": schema_of[repr(operation.takes)]}}
        if examples := EXAMPLES.get(operation.handler.__name__):
            content["application/json"]["examples"] = {
                name: {"value": value} for name, value in examples.items()
            }
    if operation.lines is not None:
        content["application/x-ndjson"] = {
            "schema": {"contentSchema": schema_of[repr(operation.lines)]}
        }
    described = {"required": True, "content": content}
    if operation.lines is not None:
        described["description"] = (
            f"One, a list of up to {MAX_LIST:,}, or any number as NDJSON: one on each line of up "
            f"to {MAX_BODY:,} bytes."
        )
    return described


def _content(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    if operation.gives is bytes:
        return {"application/octet-stream": {}}
    if operation.gives is str:
        return {"text/plain": {"schema": {"type": "string"}}}
    content = {"application/json": {"schema": schema_of[repr(operation.gives)]}}
    if operation.lines is not None:
        content["application/x-ndjson"] = {
            "schema": {
                "description": "One answer on each line; the number of the line and an error, "
                "where it was refused."
            }
        }
    return content


def _errors(operation: Operation) -> set[int]:
    """Return the statuses of refusals."""
    statuses = set(operation.errors)
    if not operation.public:
        statuses.add(401)
    if "{" in operation.path:
        statuses.add(404)
    if operation.parameters:
        statuses.add(422)
    if operation.takes is not None:
        statuses |= {400, 408, 413, 422}
    if operation.changes:
        statuses |= {403, 503, 507}
    return statuses


def _is_at_version(operation: Operation) -> bool:
    """Return whether a handler has two paths, and this is the one with a version."""
    return operation.path.startswith("/v2/") and "{number}" in operation.path


def _is_json(kind: Any) -> bool:
    return kind not in (None, bytes, str)
