"""Idempotency keys: which examples a request with a key has added, and what was answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import apsw

AT_ONCE = 2000
"""Keys that one transaction drops."""


class StoredKey(NamedTuple):
    """What a key stands for; ``answer`` is None until the examples have been learned."""

    digest: bytes
    first: int
    last: int
    answer: bytes | None


def find_key(connection: apsw.Connection, model: int, key: str) -> StoredKey | None:
    """Return what a key stands for."""
    rows = connection.execute(
        "SELECT digest, first, last, answer FROM keys WHERE model = ? AND key = ?", (model, key)
    )
    return next((StoredKey(*row) for row in rows), None)


def save_key(
    connection: apsw.Connection, model: int, key: str, stored: StoredKey, time: float
) -> None:
    """Write a new key, in the transaction of its examples."""
    connection.execute(
        "INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?)",
        (model, key, stored.digest, time, stored.first, stored.last, stored.answer),
    )


def save_answers(connection: apsw.Connection, answers: Iterable[tuple[bytes, int, str]]) -> None:
    """Write answers: the answer, the number of the model, the key."""
    connection.executemany("UPDATE keys SET answer = ? WHERE model = ? AND key = ?", answers)


def unanswered(connection: apsw.Connection, model: int) -> list[tuple[str, int, int]]:
    """Return the keys without an answer: the last run ended before it was written."""
    return list(
        connection.execute(
            "SELECT key, first, last FROM keys WHERE model = ? AND answer IS NULL", (model,)
        )
    )


def drop_keys(connection: apsw.Connection, before: float) -> int:
    """Delete the keys of requests before a time, and return their number."""
    connection.execute("DELETE FROM keys WHERE time < ?", (before,))
    return connection.changes()


def drop_oldest_keys(connection: apsw.Connection) -> int:
    """Delete the oldest keys, some thousand; return their number."""
    connection.execute(
        "DELETE FROM keys WHERE (model, key) IN "
        "(SELECT model, key FROM keys ORDER BY time LIMIT ?)",
        (AT_ONCE,),
    )
    return connection.changes()
