"""The models of a store: name, configuration, and when they were created and deleted."""

from __future__ import annotations

import json
from typing import NamedTuple

import apsw

from rosenblatt.serve.schema import Config
from rosenblatt.serve.store.sums import seal, unseal


class StoredModel(NamedTuple):
    """A line of the table of models; ``deleted`` is None or a time."""

    number: int
    name: str
    config: Config
    created: float
    deleted: float | None


PURGED = "/"
"""Begins the names of models that are being purged, and no other's."""


def add_model(connection: apsw.Connection, name: str, config: Config, time: float) -> int:
    """Write a new model, and return its number, which no model has had."""
    (last,) = next(
        connection.execute(
            "SELECT max(value) FROM (SELECT value FROM counters WHERE name = 'models' "
            "UNION ALL SELECT coalesce(max(id), 0) FROM models)"
        )
    )
    number = int(last) + 1
    connection.execute(
        "INSERT INTO models (id, name, config, created) VALUES (?, ?, ?, ?)",
        (number, name, _encode(config), time),
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
        StoredModel(number, name, _decode(config, f"the model {name!r}"), created, deleted)
        for number, name, config, created, deleted in rows
    ]


def set_deleted(connection: apsw.Connection, number: int, time: float | None) -> None:
    """Mark a model as deleted at a time, or as restored."""
    connection.execute("UPDATE models SET deleted = ? WHERE id = ?", (time, number))


def start_purge(connection: apsw.Connection, number: int) -> None:
    """Take name and configuration from a model, so that the name is free; its rows go later."""
    connection.execute(
        "UPDATE models SET name = ?, config = ? WHERE id = ?",
        (f"{PURGED}{number}", _encode({}), number),
    )


def purged_numbers(connection: apsw.Connection) -> list[int]:
    """Return the numbers of the models that are being purged."""
    rows = connection.execute("SELECT id FROM models WHERE substr(name, 1, 1) = ?", (PURGED,))
    return [number for (number,) in rows]


def add_shadow(connection: apsw.Connection, number: int, name: str, config: Config) -> None:
    """Write another configuration that is compared with a model."""
    connection.execute("INSERT INTO shadows VALUES (?, ?, ?)", (number, name, _encode(config)))


def read_shadows(connection: apsw.Connection, number: int) -> dict[str, Config]:
    """Return the configurations that are compared with a model, by name."""
    rows = connection.execute("SELECT name, config FROM shadows WHERE model = ?", (number,))
    return {name: _decode(config, f"the shadow {name!r}") for name, config in rows}


def drop_shadow(connection: apsw.Connection, number: int, name: str) -> bool:
    """Delete a shadow, and return whether there was one."""
    connection.execute("DELETE FROM shadows WHERE model = ? AND name = ?", (number, name))
    return bool(connection.changes())


def _encode(config: Config) -> bytes:
    return seal(json.dumps(config, sort_keys=True).encode())


def _decode(sealed: bytes, what: str) -> Config:
    config: Config = json.loads(unseal(sealed, what))
    return config
