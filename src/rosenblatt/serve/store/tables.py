"""The tables of a store beside the log: models and their shadows, snapshots, predictions, keys."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import chain
from typing import NamedTuple, cast

import apsw
import msgspec

from rosenblatt.learning.online.features import as_dict, one_hot
from rosenblatt.serve.schema import Config, Features, Learned
from rosenblatt.serve.store.layout import row_bytes
from rosenblatt.serve.store.pages import seal, unseal

PURGED = "/"
"""Begins the names of models that are being purged, and no other's."""
RESERVED = 2**24
"""Ids that one entry of the counter reserves; a run that ends leaves out what it has not given."""
AT_ONCE = 2000
"""Predictions, or keys, that one transaction drops."""
FORGOTTEN = b""
"""In the place of the digest of a body: an example of it was erased."""
_LINE = "\n"  # no header has it

_encode = msgspec.msgpack.Encoder().encode
_decode_features: Callable[[bytes], Features] = msgspec.msgpack.Decoder(Features).decode
_decode_answer = msgspec.msgpack.Decoder(list[Learned]).decode


# --- models and shadows ------------------------------------------------------------------------


class StoredModel(NamedTuple):
    """A line of the table of models; ``deleted`` is None or a time."""

    number: int
    name: str
    config: Config
    created: float
    deleted: float | None


def add_model(connection: apsw.Connection, name: str, config: Config, time: float) -> int:
    """Write a new model, and return its number, which no model has had."""
    last = connection.execute(
        "SELECT max(value) FROM (SELECT value FROM counters WHERE name = 'models' "
        "UNION ALL SELECT coalesce(max(id), 0) FROM models)"
    ).get
    number = int(last) + 1
    connection.execute(
        "INSERT INTO models (id, name, config, created) VALUES (?, ?, ?, ?)",
        (number, name, _seal_config(config), time),
    )
    connection.execute("REPLACE INTO counters VALUES ('models', ?)", (number,))
    return number


def read_models(connection: apsw.Connection) -> list[StoredModel]:
    """Return all models, the deleted ones too, in the order of their creation."""
    rows = connection.execute(
        "SELECT id, name, config, created, deleted FROM models WHERE substr(name, 1, 1) != ? "
        "ORDER BY id",
        (PURGED,),
    )
    return [
        StoredModel(number, name, _unseal_config(config, f"the model {name!r}"), created, deleted)
        for number, name, config, created, deleted in rows
    ]


def set_deleted(connection: apsw.Connection, number: int, time: float | None) -> None:
    """Mark a model as deleted at a time, or as restored."""
    connection.execute("UPDATE models SET deleted = ? WHERE id = ?", (time, number))


def start_purge(connection: apsw.Connection, number: int) -> None:
    """Take name and configuration from a model, so that the name is free; its rows go later."""
    connection.execute(
        "UPDATE models SET name = ?, config = ? WHERE id = ?",
        (f"{PURGED}{number}", _seal_config({}), number),
    )


def purged_numbers(connection: apsw.Connection) -> list[int]:
    """Return the numbers of the models that are being purged."""
    rows = connection.execute("SELECT id FROM models WHERE substr(name, 1, 1) = ?", (PURGED,))
    return [number for (number,) in rows]


def add_shadow(connection: apsw.Connection, number: int, name: str, config: Config) -> None:
    """Write another configuration that is compared with a model."""
    connection.execute("INSERT INTO shadows VALUES (?, ?, ?)", (number, name, _seal_config(config)))


def read_shadows(connection: apsw.Connection, number: int) -> dict[str, Config]:
    """Return the configurations that are compared with a model, by name."""
    rows = connection.execute("SELECT name, config FROM shadows WHERE model = ?", (number,))
    return {name: _unseal_config(config, f"the shadow {name!r}") for name, config in rows}


def drop_shadow(connection: apsw.Connection, number: int, name: str) -> None:
    """Delete a shadow."""
    connection.execute("DELETE FROM shadows WHERE model = ? AND name = ?", (number, name))


def _seal_config(config: Config) -> bytes:
    return seal(json.dumps(config, sort_keys=True).encode())


def _unseal_config(sealed: bytes, what: str) -> Config:
    config: Config = json.loads(unseal(sealed, what))
    return config


# --- snapshots ---------------------------------------------------------------------------------


class Snapshot(NamedTuple):
    """A model file, and the counts of its predictions as JSON, at a version."""

    version: int
    progress: bytes
    file: bytes


def save_snapshot(connection: apsw.Connection, model: int, snapshot: Snapshot) -> None:
    """Write a snapshot, in place of one of the same version."""
    connection.execute(
        "REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", (model, *snapshot, _checksum(snapshot))
    )


def newest_snapshot(connection: apsw.Connection, model: int, version: int) -> Snapshot | None:
    """Return the last whole snapshot that is not younger than a version."""
    for *cells, stored in connection.execute(
        "SELECT version, progress, file, checksum FROM snapshots "
        "WHERE model = ? AND version <= ? ORDER BY version DESC",
        (model, version),
    ):
        snapshot = Snapshot(*cells)
        if _checksum(snapshot) == stored:
            return snapshot
    return None


def newest_config(connection: apsw.Connection, model: int) -> Config | None:
    """Return the configuration of the last snapshot; None if there is none."""
    rows = connection.execute(
        "SELECT progress FROM snapshots WHERE model = ? ORDER BY version DESC LIMIT 1", (model,)
    )
    return next((json.loads(progress)["config"] for (progress,) in rows), None)


def snapshot_versions(connection: apsw.Connection, model: int) -> list[int]:
    """Return the versions of all snapshots of a model, in order."""
    rows = connection.execute(
        "SELECT version FROM snapshots WHERE model = ? ORDER BY version", (model,)
    )
    return [version for (version,) in rows]


def drop_snapshots(connection: apsw.Connection, model: int, versions: Iterable[int]) -> None:
    """Delete snapshots."""
    connection.executemany(
        "DELETE FROM snapshots WHERE model = ? AND version = ?", [(model, v) for v in versions]
    )


def superfluous(versions: list[int]) -> list[int]:
    """Return the snapshots to drop: the older they are, the fewer are kept.

    Of those whose distance to the last one has the same number of binary digits, the oldest stays.

    Examples
    --------
    >>> superfluous([10, 20, 30, 40, 50, 60, 70, 80])
    [30, 40, 60]
    """
    kept: dict[int, int] = {}
    for version in reversed(versions):
        kept[(versions[-1] - version).bit_length()] = version
    return [version for version in versions if version not in kept.values()]


def _checksum(snapshot: Snapshot) -> int:
    return zlib.crc32(snapshot.file, zlib.crc32(snapshot.progress, snapshot.version & 0xFFFFFFFF))


# --- predictions -------------------------------------------------------------------------------


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
    return _decode_features(unseal(data, "the features of a prediction"))


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
    last = connection.execute("SELECT max(id) FROM predictions").get
    counted = connection.execute("SELECT value FROM counters WHERE name = 'predictions'").get
    if counted is None:  # a store of before: ids may have been given out that are not written
        counted = 1 if last is None else last + RESERVED
    end = counted + RESERVED
    connection.execute("REPLACE INTO counters VALUES ('predictions', ?)", (end,))
    return range(counted, end)


def drop_predictions(connection: apsw.Connection, before: float) -> None:
    """Delete the predictions made before a time."""
    connection.execute("DELETE FROM predictions WHERE time < ?", (before,))


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
    rows = chain(connection.execute("SELECT id, features FROM predictions"), others)
    return [number for number, data in rows if as_read(decode_features(data)) == sought]


def as_read(features: Features) -> object:
    """Return a row as a model reads it: numbers, or numbers by name."""
    if isinstance(features, list):
        return features
    return one_hot(as_dict(cast("Mapping[Hashable, object] | str", features)))


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


# --- keys --------------------------------------------------------------------------------------


class StoredKey(NamedTuple):
    """What a key stands for; ``answer`` is None until the examples have been learned."""

    digest: bytes
    first: int
    last: int
    answer: bytes | None

    def is_of(self, digest: bytes) -> bool:
        """Return whether a body of this digest came with the key, as far as that is still known."""
        return self.digest in (digest, FORGOTTEN)


def encode_answer(learned: list[Learned]) -> bytes:
    """Return an answer to a request with a key, for :func:`save_answers`."""
    return seal(_encode(learned))


def decode_answer(sealed: bytes) -> list[Learned]:
    """Return the answer of :func:`encode_answer`.

    Raises
    ------
    StoreError
        It is damaged.
    """
    return _decode_answer(unseal(sealed, "the answer to an Idempotency-Key"))


def find_key(connection: apsw.Connection, model: int, key: str) -> StoredKey | None:
    """Return what a key stands for."""
    rows = connection.execute(
        "SELECT digest, first, last, answer FROM keys WHERE model = ? AND key = ?", (model, key)
    )
    return next((StoredKey(*row) for row in rows), None)


def key_of_lines(key: str, number: int) -> str:
    """Return the key of a run of lines that are written together, by the number of the first."""
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


def drop_keys(connection: apsw.Connection, before: float) -> None:
    """Delete the keys of requests before a time."""
    connection.execute("DELETE FROM keys WHERE time < ?", (before,))


def drop_oldest_keys(connection: apsw.Connection) -> int:
    """Delete the oldest tenth of the keys, some thousand at most; return their number.

    So few at once, because the younger ones must stay, and their number says nothing of their size.
    """
    connection.execute(
        "DELETE FROM keys WHERE (model, key) IN (SELECT model, key FROM keys "
        "ORDER BY time LIMIT min(?, 1 + (SELECT count(*) FROM keys) / 10))",
        (AT_ONCE,),
    )
    return connection.changes()
