"""Idempotency keys: which examples a request with a key has added, and what was answered.

A body of lines has a key of its own for each run of lines that were written together: the key, and
the number of the first line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import apsw

AT_ONCE = 2000
"""Keys that one transaction drops."""
FORGOTTEN = b""
"""In the place of a digest: an example of the body was erased."""
_LINE = "\n"  # no header has it


class StoredKey(NamedTuple):
    """What a key stands for; ``answer`` is None until the examples have been learned."""

    digest: bytes
    first: int
    last: int
    answer: bytes | None

    def is_of(self, digest: bytes) -> bool:
        """Return whether a body of this digest came with the key, as far as that is still known."""
        return self.digest in (digest, FORGOTTEN)


def find_key(connection: apsw.Connection, model: int, key: str) -> StoredKey | None:
    """Return what a key stands for."""
    rows = connection.execute(
        "SELECT digest, first, last, answer FROM keys WHERE model = ? AND key = ?", (model, key)
    )
    return next((StoredKey(*row) for row in rows), None)


def key_of_lines(key: str, number: int) -> str:
    """Return the key of a run of lines, by the number of the first one."""
    return f"{key}{_LINE}{number}"


def find_lines(connection: apsw.Connection, model: int, key: str) -> dict[int, int]:
    """Return all runs of lines of a key: the number of the first line, and how many there are."""
    first, end = key + _LINE, key + chr(ord(_LINE) + 1)
    rows = connection.execute(
        "SELECT key, 1 + last - first FROM keys WHERE model = ? AND key > ? AND key < ?",
        (model, first, end),
    )
    return {int(text.removeprefix(first)): count for text, count in rows}


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


def forget_bodies(connection: apsw.Connection, model: int, version: int) -> None:
    """Forget the digest of the body that brought an example: one could find it by trying values.

    Any request with its key is then answered as the first, and nothing is learned again.
    """
    connection.execute(
        "UPDATE keys SET digest = ? WHERE model = ? AND first <= ? AND last >= ?",
        (FORGOTTEN, model, version, version),
    )


def drop_keys(connection: apsw.Connection, before: float) -> int:
    """Delete the keys of requests before a time, and return their number."""
    connection.execute("DELETE FROM keys WHERE time < ?", (before,))
    return connection.changes()


def drop_oldest_keys(connection: apsw.Connection) -> int:
    """Delete the oldest tenth of the keys, a thousand at most; return their number.

    So few at once, because the younger ones must stay, and their number says nothing of their size.
    """
    connection.execute(
        "DELETE FROM keys WHERE (model, key) IN (SELECT model, key FROM keys "
        "ORDER BY time LIMIT min(?, 1 + (SELECT count(*) FROM keys) / 10))",
        (AT_ONCE,),
    )
    return connection.changes()
