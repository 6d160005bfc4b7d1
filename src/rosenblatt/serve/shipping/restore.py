"""A store, built again from a target: its base, and the segments behind it, each verified."""

from __future__ import annotations

import logging
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path

import apsw
import msgspec

from rosenblatt.serve.errors import StoreError, explained
from rosenblatt.serve.shipping.base import COPY, count_commits, write_base
from rosenblatt.serve.shipping.records import (
    SEGMENTS,
    Manifest,
    MissingError,
    Ref,
    Segment,
    encode,
    last_manifest,
    number_of,
    read_record,
)
from rosenblatt.serve.shipping.target import Target
from rosenblatt.serve.store.check import check_store
from rosenblatt.serve.store.database import FILE, LOCK, Database
from rosenblatt.serve.store.journal import head_of, wal_of

BUILDING, UNSHIPPED = "restoring", "unshipped"
"""Folders of a restore, and of the copy with which a store is compared: inside the store, so that
they are on the same disk, which may be a volume of its own."""

_log = logging.getLogger("rosenblatt.serve")


class BehindError(StoreError):
    """A store is older than the base of a target, so that no segment leads from it further."""


def restore(folder: Path, target: Target) -> Manifest:
    """Build the last state of a target in a folder without a store, and check all of it.

    Raises
    ------
    StoreError
        There is a store, the target has none, or an object is missing, damaged or of another
        store. The folder is as it was.
    """
    file = folder / FILE
    if file.exists():
        raise StoreError(f"{folder}: has a store already. Leave --restore away, or move it.")
    if wal_of(file).exists():  # it may have what was acknowledged, and would be replayed
        raise StoreError(
            f"{wal_of(file)}: the journal of a store that is gone. Move it, or restore elsewhere."
        )
    building = folder / BUILDING
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        shutil.rmtree(building, ignore_errors=True)
        manifest = last_manifest(target)
        if manifest is None:
            raise StoreError(f"{target.url}: nothing was shipped to it.")
        try:
            _check_end(target, manifest)
            _build(building, target, manifest)
            break
        except MissingError:
            if last_manifest(target) == manifest:  # else a later base has replaced it
                raise
        finally:
            if not (building / FILE).exists():
                shutil.rmtree(building, ignore_errors=True)
    head_of(building / FILE).replace(head_of(file))
    (building / FILE).replace(file)
    shutil.rmtree(building)
    _log.info("restored from a target", extra={"target": target.url, "commits": manifest.commits})
    return manifest


def clear(folder: Path) -> None:
    """Delete the copies of a store that an end in the midst of their use has left."""
    (folder / COPY).unlink(missing_ok=True)
    for name in (BUILDING, UNSHIPPED):
        shutil.rmtree(folder / name, ignore_errors=True)


def _build(building: Path, target: Target, manifest: Manifest) -> None:
    building.mkdir(mode=0o700)
    try:
        if manifest.base is None:
            raise StoreError(f"{target.url}: its first base is not whole yet: nothing to restore.")
        write_base(target, manifest.base, building / FILE)
        database = Database(building)
        try:
            apply(database, target, manifest)
        finally:
            database.close()
        if faults := check_store(building).faults:
            raise StoreError(f"{target.url}: what was shipped is damaged: {faults[0]}")
        (building / LOCK).unlink()
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise


def _check_end(target: Target, manifest: Manifest) -> None:
    """Refuse a target whose last manifests are gone: of one try that failed, a segment may stay."""
    for name in reversed(target.names(SEGMENTS)):
        if number_of(name) > manifest.number + 1 and last_manifest(target) == manifest:
            raise StoreError(
                f"{target.path(name)}: later than the last manifest ({manifest.number}): manifests "
                "are missing."
            )


def apply(database: Database, target: Target, manifest: Manifest) -> None:
    """Bring an open store to the state of a manifest.

    Raises
    ------
    BehindError
        It is older than the base.
    StoreError
        A segment is missing, damaged, or does not fit.
    """
    state = count_commits(database.writer)
    if state > max(manifest.commits, manifest.base_commits):
        raise StoreError(
            f"{target.url}: has not come to state {state:,}, which {database.folder} has: is it "
            "the target of another store, or are its last manifests gone?"
        )
    spool = database.folder / "segments"
    shutil.rmtree(spool, ignore_errors=True)
    spool.mkdir(mode=0o700)
    try:
        names = list(_fetch(target, manifest, state, spool))
        for ref, path in reversed(names):
            segment = msgspec.msgpack.decode(path.read_bytes(), type=Segment)
            _apply_one(database, target, ref, segment)
    finally:
        shutil.rmtree(spool)


def _fetch(
    target: Target, manifest: Manifest, state: int, spool: Path
) -> Iterator[tuple[Ref, Path]]:
    """Write the segments behind a state to files, the last one first: each names the one before."""
    ref, end, epoch, number = manifest.last, manifest.commits, manifest.epoch, manifest.number + 1
    while end > state:
        if ref is None:
            raise BehindError(f"{target.url}: its base is later than state {state:,}.")
        try:
            segment = read_record(target, ref, Segment)
        except MissingError as error:
            if state < end <= manifest.base_commits:
                raise BehindError(
                    f"{target.url}: its base is later than state {state:,}."
                ) from error
            raise
        fits = segment.commits == end and state <= segment.after < end
        if not fits or segment.epoch > epoch or segment.number >= number:
            if segment.commits == end and segment.after < state:
                raise BehindError(f"{target.url}: no segment begins at state {state:,}.")
            raise StoreError(f"{target.path(ref.name)}: not the segment that belongs there.")
        path = spool / str(segment.number)
        path.write_bytes(encode(segment))
        yield ref, path
        ref, end, epoch, number = segment.before, segment.after, segment.epoch, segment.number


def _apply_one(database: Database, target: Target, ref: Ref, segment: Segment) -> None:
    write = database.writer
    write.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)  # what they counted is in the segment
    try:
        with explained(database.file), write:
            try:
                patch = zlib.decompress(segment.patch)
                apsw.Changeset.apply(patch, write, conflict=_refuse)
            except (apsw.AbortError, zlib.error) as error:
                raise StoreError(
                    f"{target.path(ref.name)}: does not fit the state before it: it is of another "
                    "store."
                ) from error
            if count_commits(write) != segment.commits:
                raise StoreError(f"{target.path(ref.name)}: leads to another state than it says.")
    finally:
        write.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 1)


def _refuse(reason: int, change: apsw.TableChange) -> int:
    return int(apsw.SQLITE_CHANGESET_ABORT)
