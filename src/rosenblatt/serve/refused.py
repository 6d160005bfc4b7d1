"""The error of a request that is refused."""

from __future__ import annotations


class RefusedError(Exception):
    """A request that is refused, with the status of its answer.

    Examples
    --------
    >>> RefusedError(404, "no model 'mail'.").status
    404
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def was_deleted(name: str) -> str:
    """Return what to say of a deleted model, without the full stop."""
    return f"the model {name!r} was deleted: POST /v1/models/{name}/restore brings it back"
