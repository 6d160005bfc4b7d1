"""An endpoint: all that routes, limits, the OpenAPI document and tests need to know of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self, TypeAlias, get_type_hints

from rosenblatt.serve.http.call import Call
from rosenblatt.serve.schema import MAX_BODY
from rosenblatt.serve.service import Service

Handler = Callable[[Service, Call], Awaitable[object]]
Json: TypeAlias = Mapping[str, object]
"""A JSON object."""


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
    is_public : bool
        Whether it needs no token.
    changes : bool
        Whether it changes the store: a replica refuses it.
    is_frequent : bool
        Whether its path is looked up before the others.
    is_listed : bool
        Whether it is in the OpenAPI document: what the page alone asks for is not.
    """

    method: str
    path: str
    also: str | None = None
    takes: Any = None
    lines: Any = None
    gives: Any = None
    parameters: tuple[Parameter, ...] = ()
    examples: Json = field(default_factory=dict)
    status: int = 200
    errors: tuple[int, ...] = ()
    limit: int = MAX_BODY
    client: tuple[str, ...] = ()
    is_public: bool = False
    changes: bool = False
    is_frequent: bool = False
    is_listed: bool = True
    handler: Handler = _nothing

    def __call__(self, handler: Handler) -> Self:
        """Return the endpoint with its handler."""
        gives = self.gives or get_type_hints(handler)["return"]
        return replace(self, handler=handler, gives=gives)

    @property
    def name(self) -> str:
        """Name in the metrics and in the OpenAPI document."""
        return getattr(self.handler, "__name__", "")

    @property
    def paths(self) -> list[str]:
        """The path, and the second one if there is one."""
        return [self.path] if self.also is None else [self.path, self.also]

    @property
    def query(self) -> tuple[str, ...]:
        """Names that may stand after the question mark."""
        return tuple(p.name for p in self.parameters if p.where == "query")
