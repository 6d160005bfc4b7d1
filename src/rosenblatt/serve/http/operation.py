"""One line of the table of operations."""

from __future__ import annotations

from typing import Any, NamedTuple

from rosenblatt.serve.http.endpoint import Handler
from rosenblatt.serve.schema import MAX_BODY, ModelInfo


class Operation(NamedTuple):
    """A method of a path.

    Attributes
    ----------
    takes, gives : type
        Types of the body and of the answer; bytes for a file, str for a text, None for nothing.
    lines : type
        Of each line of an NDJSON body, where there may be one.
    parameters : tuple of str
        Names of parameters that are no part of the path.
    status : int
        Of the answer, if all goes well.
    errors : tuple of int
        Statuses of refusals, besides those that the other fields bring.
    public : bool
        Whether it needs no token.
    changes : bool
        Whether it changes the store: a replica refuses it.
    limit : int
        Bytes of a body.
    """

    method: str
    path: str
    handler: Handler
    takes: Any = None
    gives: Any = ModelInfo
    lines: Any = None
    parameters: tuple[str, ...] = ()
    status: int = 200
    errors: tuple[int, ...] = ()
    public: bool = False
    changes: bool = False
    limit: int = MAX_BODY

    @property
    def query(self) -> tuple[str, ...]:
        """Names that may stand after the question mark: those of headers have a dash."""
        return tuple(name for name in self.parameters if "-" not in name)
