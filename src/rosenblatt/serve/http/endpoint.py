"""An endpoint: all that routes, limits, the OpenAPI document and tests need to know of it.

:func:`openapi` makes the document.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self, TypeAlias, get_type_hints

import msgspec

import rosenblatt
from rosenblatt.serve.http.call import Call
from rosenblatt.serve.http.codings import MAX_UNPACKED
from rosenblatt.serve.http.tokens import SCOPES
from rosenblatt.serve.schema import MAX_BODY, MAX_LIST, Fault, LineError
from rosenblatt.serve.service import Service

Handler = Callable[[Service, Call], Awaitable[object]]
Json: TypeAlias = Mapping[str, object]
"""A JSON object."""
Schemas: TypeAlias = Mapping[str, Json]
"""Schemas by the representation of their types."""
_LINES = "One answer on each line; the number of the line and an error, where it was refused."
ERRORS = {
    400: "The body is not well-formed.",
    401: "No token, or a wrong one.",
    403: "The token lacks the scope, or a replica changes nothing.",
    404: "There is no such model, version, prediction or shadow.",
    408: "The body came too slowly.",
    409: "The model or the shadow has no such state, or the name is taken.",
    413: "The body, or the list, is too long.",
    415: "The body is neither JSON nor NDJSON, or is packed otherwise than by gzip.",
    422: "The request is well-formed, and asks for what cannot be.",
    503: "The store cannot be written, or too much waits for it; nothing was changed.",
    507: "The disk is full; nothing was changed.",
}


class Parameter(NamedTuple):
    """A parameter of a request: in its path, after the question mark, or a header.

    Attributes
    ----------
    where : str
        "path", "query" or "header".
    schema : dict
        Of its value, in JSON Schema.
    example : str or int, optional
        Of a part of the path.
    """

    name: str
    description: str
    schema: Json
    where: str = "query"
    example: str | int | None = None
    required: bool = False


VERSION: Json = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
NAME: Json = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}
MODEL = Parameter("model", "Name of a model.", NAME, "path", "mail")
NUMBER = Parameter("number", "A version.", VERSION, "path", 1)


async def _nothing(service: Service, call: Call) -> object:
    raise NotImplementedError


@dataclass(frozen=True)
class Endpoint:
    """A method of a path, and a decorator of its handler; the docstring is its summary.

    A handler gets the service and the call. It returns what is sent as JSON, or an ``Answer``.

    Attributes
    ----------
    method, path : str
    also : str, optional
        A second path of the same: of a model at a version.
    takes : type, optional
        Of the body; bytes for a file.
    lines : type, optional
        Of each line of an NDJSON body, where there may be one.
    gives : type, optional
        Of the answer, where the handler's annotation does not say it: bytes for a file, str for a
        text.
    parameters : tuple of Parameter
        Besides the model and the version of a path.
    examples : dict
        Bodies by their names.
    status : int
        Of the answer, if all goes well.
    errors : tuple of int
        Statuses of refusals, besides those that the other fields bring.
    limit : int
        Bytes of a body.
    client : tuple of str
        The methods of :class:`rosenblatt.serve.Client` that send it.
    needs : str
        The scope that a token needs for it, of ``SCOPES``.
    is_public : bool
        Whether it needs no token.
    changes : bool
        Whether it changes the store, of which the audit has a line: a replica refuses it.
    for_any_role : bool
        Whether such a change is not refused by a replica and a standby before it is tried.
    is_frequent : bool
        Whether its path is looked up before the others.
    is_listed : bool
        Whether it is in the OpenAPI document: what the page alone asks for is not.
    handler : callable
    name : str
        Of the handler: in the metrics and in the OpenAPI document.
    """

    method: str
    path: str
    also: str | None = None
    takes: object = None
    lines: object = None
    gives: object = None
    parameters: tuple[Parameter, ...] = ()
    examples: Json = field(default_factory=dict)
    status: int = 200
    errors: tuple[int, ...] = ()
    limit: int = MAX_BODY
    client: tuple[str, ...] = ()
    needs: str = "admin"
    is_public: bool = False
    changes: bool = False
    for_any_role: bool = False
    is_frequent: bool = False
    is_listed: bool = True
    handler: Handler = _nothing
    name: str = ""

    def __call__(self, handler: Handler) -> Self:
        """Return the endpoint with its handler."""
        gives = self.gives or get_type_hints(handler)["return"]
        name = getattr(handler, "__name__", "")
        return replace(self, handler=handler, gives=gives, name=name)

    @property
    def paths(self) -> list[str]:
        """The path, and the second one if there is one."""
        return [self.path] if self.also is None else [self.path, self.also]

    @property
    def query(self) -> tuple[str, ...]:
        """Names that may stand after the question mark."""
        return tuple(p.name for p in self.parameters if p.where == "query")


# --- the OpenAPI document ---------------------------------------------------------------------


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
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": _scopes()}
            },
        },
    }


def _describe(endpoint: Endpoint, path: str, schema_of: Schemas) -> Json:
    """Return an endpoint, at one of its paths."""
    declared = {p.name: p for p in (MODEL, NUMBER, *endpoint.parameters)}
    named = [declared[name] for name in re.findall(r"{(\w+)}", path)]
    named += [p for p in endpoint.parameters if p.where != "path"]
    content = _content(endpoint.gives, schema_of)
    if endpoint.lines is not None:
        content["application/x-ndjson"] = {"schema": {"description": _LINES}}
    refused = {"application/problem+json": {"schema": schema_of[repr(Fault)]}}
    described: dict[str, object] = {
        "operationId": endpoint.name + ("_at_version" if path == endpoint.also else ""),
        "summary": (endpoint.handler.__doc__ or "").split("\n")[0].rstrip("."),
        "parameters": list(map(_parameter, named)),
        "responses": {str(endpoint.status): {"description": "Success.", "content": content}}
        | {
            str(status): {"description": ERRORS[status], "content": refused}
            for status in sorted(_errors(endpoint))
        },
    }
    if endpoint.takes is not None:
        described["requestBody"] = _body(endpoint, schema_of)
    described["security"] = [] if endpoint.is_public else [{"bearer": [endpoint.needs]}]
    return described


def _scopes() -> str:
    """Return what the scopes of tokens are."""
    return "A token has scopes: " + "; ".join(f"{s}, to {what}" for s, what in SCOPES.items()) + "."


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
    content = _content(endpoint.takes, schema_of)
    described: dict[str, object] = {"required": True, "content": content}
    if endpoint.examples:
        examples = {name: {"value": value} for name, value in endpoint.examples.items()}
        content["application/json"]["examples"] = examples
    described["description"] = "It may be gzip, with Content-Encoding: gzip."
    if endpoint.lines is not None:
        schema = {"contentSchema": schema_of[repr(endpoint.lines)]}
        content["application/x-ndjson"] = {"schema": schema}
        described["description"] = (
            f"One, a list of up to {MAX_LIST:,}, or any number as NDJSON: one on each line of up "
            f"to {MAX_BODY:,} bytes. It may be gzip, with Content-Encoding: gzip, and lines of up "
            f"to {MAX_UNPACKED:,} bytes in all then."
        )
    return described


def _content(kind: object, schema_of: Schemas) -> dict[str, dict[str, object]]:
    """Return the content of a body or an answer of a type."""
    if kind is bytes:
        return {"application/octet-stream": {}}
    if kind is str:
        return {"text/plain": {"schema": {"type": "string"}}}
    return {"application/json": {"schema": schema_of[repr(kind)]}}


def _errors(endpoint: Endpoint) -> set[int]:
    """Return the statuses of refusals."""
    brought = [
        (not endpoint.is_public, {401, 403, 422}),  # 422: of a parameter that there is not
        ("{" in endpoint.path, {404}),
        (endpoint.takes is not None, {400, 408, 413, 415}),
        (endpoint.changes, {503, 507}),
    ]
    return set(endpoint.errors).union(*(statuses for is_so, statuses in brought if is_so))
