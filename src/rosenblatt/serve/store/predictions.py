"""Features of predictions, kept so that a label may come later, by the prediction's id."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import chain
from typing import Any, cast

import apsw
import msgspec

from rosenblatt.learning.online.features import as_dict, one_hot
from rosenblatt.serve.schema import Features
from rosenblatt.serve.store.layout import row_bytes
from rosenblatt.serve.store.sums import seal, unseal

RESERVED = 2**24
"""Ids that one entry of the counter reserves; a run that ends leaves out what it has not given."""

AT_ONCE = 2000
"""Predictions that one transaction drops."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Features).decode


def encode_features(features: Features) -> bytes:
    """Return features as bytes, for :func:`save_predictions`."""
    return seal(_encode(features))


def decode_features(data: bytes) -> Features:
    """Return the features of :func:`encode_features`.

    Raises
    ------
    StoreError
        They are damaged.
    """
    features: Features = _decode(unseal(data, "the features of a prediction"))
    return features


def save_predictions(
    connection: apsw.Connection, rows: Iterable[tuple[int, int, float, bytes]]
) -> None:
    """Write predictions: id, number of the model, time, encoded features."""
    connection.executemany("INSERT OR IGNORE INTO predictions VALUES (?, ?, ?, ?)", rows)


def find_features(connection: apsw.Connection, model: int, number: int) -> bytes | None:
    """Return the encoded features of a prediction; None if they are not kept."""
    rows = connection.execute(
        "SELECT features FROM predictions WHERE id = ? AND model = ?", (number, model)
    )
    return next((features for (features,) in rows), None)


def reserve_numbers(connection: apsw.Connection) -> range:
    """Reserve ids that no prediction has had, and that none will have but by this call.

    The counter stands apart from the predictions: to erase these gives no id a second time.
    """
    (last,) = next(connection.execute("SELECT max(id) FROM predictions"))
    (counted,) = next(
        connection.execute("SELECT max(value) FROM counters WHERE name = 'predictions'")
    )
    if counted is None:  # a store of before: ids may have been given out that are not written
        counted = 1 if last is None else last + RESERVED
    end = counted + RESERVED
    connection.execute("REPLACE INTO counters VALUES ('predictions', ?)", (end,))
    return range(counted, end)


def drop_predictions(connection: apsw.Connection, before: float) -> int:
    """Delete the predictions made before a time, and return their number."""
    connection.execute("DELETE FROM predictions WHERE time < ?", (before,))
    return connection.changes()


def same_predictions(
    connection: apsw.Connection, features: Features, others: Iterable[tuple[int, bytes]] = ()
) -> list[int]:
    """Return the ids of the predictions of any model whose features are read as the same.

    The order of names does not count, nor what is no part of a word of a text.

    Parameters
    ----------
    connection : apsw.Connection
    features : dict, list or str
    others : iterable of (int, bytes)
        Ids and encoded features of predictions that the database may not have.

    Raises
    ------
    StoreError
        Features are damaged.
    """
    sought = as_read(features)
    rows = connection.execute("SELECT id, features FROM predictions")
    return [
        number for number, data in chain(rows, others) if as_read(decode_features(data)) == sought
    ]


def as_read(features: Features) -> object:
    """Return a row as a model reads it: numbers, or numbers by name."""
    if isinstance(features, list):
        return features
    return one_hot(as_dict(cast("Mapping[Hashable, Any] | str", features)))


def forget_predictions(connection: apsw.Connection, numbers: Iterable[int]) -> None:
    """Delete predictions, by their ids."""
    connection.executemany("DELETE FROM predictions WHERE id = ?", ((n,) for n in numbers))


def drop_oldest_predictions(connection: apsw.Connection, excess: int) -> int:
    """Delete the oldest predictions, until so many bytes are free or some thousand are gone.

    Return their number.
    """
    sizes = f"SELECT id, {row_bytes('predictions')} FROM predictions ORDER BY id LIMIT ?"
    last, dropped = -1, 0
    for number, size in connection.execute(sizes, (AT_ONCE,)):
        if excess <= 0:
            break
        last, excess, dropped = number, excess - size, dropped + 1
    connection.execute("DELETE FROM predictions WHERE id <= ?", (last,))
    return dropped
