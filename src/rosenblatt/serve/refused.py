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
