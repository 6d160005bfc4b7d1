"""Snapshots: a model and its counts at a version, so that replay need not begin at the start."""

from __future__ import annotations

import json
import zlib
from typing import NamedTuple

import apsw

from rosenblatt.serve.schema import Config


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


def drop_snapshots(connection: apsw.Connection, model: int, versions: list[int]) -> None:
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
