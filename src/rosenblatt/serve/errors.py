"""The errors of the service, and SQLite's errors in its words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

RESTORE = "Restore the folder from a backup (rosenblatt backup makes one)."


class RefusedError(Exception):
    """A request that is refused, with the status of its answer.

    Parameters
    ----------
    status : int
    message : str
    title : str, optional
        Of the problem, by which its section in the docs is found; by default that of the status.
    headers : tuple of (bytes, bytes)
        Of the answer.

    Examples
    --------
    >>> RefusedError(404, "no model 'mail'.").status
    404
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        title: str | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status, self.title, self.headers = status, title, headers


STORE_FAILED = "the store takes no examples at present: the log of the service says why."
"""What those are told of a failure who may not read why: that has paths."""


def was_deleted(name: str) -> str:
    """Return what to say of a deleted model, without the full stop."""
    return f"the model {name!r} was deleted: POST /v1/models/{name}/restore brings it back"


@contextmanager
def refusing(before: str = "") -> Iterator[None]:
    """Translate the errors of what the service does not take; ``before`` begins the message."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise RefusedError(422, f"{before}{error}") from error


class StoreError(Exception):
    """The store cannot be used; the message names the file, the fault and what to do."""


class TokensError(Exception):
    """The file of tokens cannot be used; the message names the file, the line and the fault."""


class BudgetError(StoreError):
    """The log has reached its budget; the message says what to do."""


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Translate SQLite's errors to a StoreError that names the file and says what to do."""
    try:
        yield
    except apsw.Error as error:
        if (message := explain(error)) is None:
            raise
        raise StoreError(f"{file}: {message}") from error


def explain(error: apsw.Error) -> str | None:
    """Return what an error of SQLite means; None if it is no fault of the file or the disk."""
    if getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_DATA:
        return f"damaged (a page has a wrong checksum; rosenblatt check names it). {RESTORE}"
    match error:
        case apsw.CorruptError() | apsw.NotADBError():
            return f"damaged ({error}; rosenblatt check says where). {RESTORE}"
        case apsw.FullError():
            return "the disk is full."
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError():
            return f"cannot be opened for writing ({error})."
        case apsw.IOError():
            return f"the disk failed ({error})."
        case apsw.BusyError():
            return f"locked by another program ({error})."
    before = error.__context__  # SQLite has rolled back, and nobody else can
    return explain(before) if isinstance(before, apsw.Error) else None
