"""What stands at a target: manifests, segments, bases and their chunks, each with its checksum.

A state of a store is numbered by its commits, which the store counts itself. A base is the file of
the store after a commit, in chunks. A segment has the rows that changed from one commit to a later
one, and the hash of the segment before. A manifest names the last segment and the base, and so all
that is whole. Manifests are numbered without gaps: who creates the next one is the owner.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.shipping.target import Target

MANIFESTS, SEGMENTS, BASES, CHUNKS, STANDBYS = (
    "manifests", "segments", "bases", "chunks", "standbys",
)  # fmt: skip
FORMAT = 1


class Ref(msgspec.Struct, frozen=True):
    """An object of the target, with its SHA-256."""

    name: str
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What is whole at a target, and whose it is.

    Attributes
    ----------
    number : int
        1 more than that of the manifest before.
    epoch : int
        Counts the owners: each start of a service that ships, and each promotion, begins one.
    owner : str
        The store that ships.
    commits : int
        The state that can be restored.
    complete_at : float
        The time up to which the target has everything; 0 where it has nothing yet.
    base, last : Ref or None
        The base, and the last segment behind it.
    base_commits, base_time : int, float
        The state of the base, and when the store had it.
    begins : list of int
        Manifests with which the owner changed. They stay, so that who was owner before finds the
        one behind its own.
    cleaned : list of (int, float)
        States and times: what was erased before such a state had left the target at that time.
    before : str
        SHA-256 of the manifest before.
    """

    number: int
    epoch: int
    owner: str
    time: float
    commits: int = 0
    complete_at: float = 0.0
    base: Ref | None = None
    last: Ref | None = None
    base_commits: int = 0
    base_time: float = 0.0
    begins: list[int] = []
    cleaned: list[tuple[int, float]] = []
    before: str = ""
    format: int = FORMAT


class Segment(msgspec.Struct, frozen=True):
    """The rows that changed between two states, as a compressed patchset of SQLite.

    A row that was deleted is there by its key alone.
    """

    number: int
    epoch: int
    after: int
    commits: int
    time: float
    before: Ref | None
    patch: bytes
    format: int = FORMAT


class Base(msgspec.Struct, frozen=True):
    """The file of a store at a state: names of its chunks, and the bytes of them all."""

    commits: int
    time: float
    size: int
    chunks: list[str]
    format: int = FORMAT


R = TypeVar("R", Manifest, Segment, Base)


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal digits."""
    return sha256(data).hexdigest()


def manifest_name(number: int) -> str:
    """Return the name of a manifest."""
    return f"{MANIFESTS}/{number:012}.json"


def number_of(name: str) -> int:
    """Return the number that begins the name of an object.

    Raises
    ------
    StoreError
        It has none.
    """
    number = name.rpartition("/")[2].partition(".")[0].partition("-")[0]
    if not (number.isascii() and number.isdigit()):
        raise StoreError(f"the target has {name}, which is no object of rosenblatt: move it away.")
    return int(number)


def encode_manifest(manifest: Manifest) -> bytes:
    """Return a manifest as JSON, with its checksum on the second line."""
    data = msgspec.json.encode(manifest)
    return data + b"\n" + digest(data).encode() + b"\n"


def read_manifest(target: Target, number: int) -> Manifest:
    """Return a manifest.

    Raises
    ------
    FileNotFoundError
        There is none of this number.
    StoreError
        It is damaged.
    """
    name = manifest_name(number)
    data, _, stored = target.read(name).partition(b"\n")
    if digest(data).encode() != stored.strip():
        raise damaged(target, name)
    manifest = _decoded(target, name, data, Manifest, msgspec.json.decode)
    if manifest.number != number:
        raise damaged(target, name, "it is another manifest")
    return manifest


def last_manifest(target: Target) -> Manifest | None:
    """Return the manifest with the highest number; None at an empty target.

    Raises
    ------
    StoreError
        It is damaged, or one is missing among the last.
    """
    while True:
        names = target.names(MANIFESTS)
        if not names:
            if target.names(SEGMENTS) or target.names(BASES):
                raise StoreError(f"{target.path(MANIFESTS)}: missing, though there are segments.")
            return None
        try:
            return read_manifest(target, number_of(names[-1]))
        except FileNotFoundError:  # it is old already
            continue


def encode(record: Segment | Base) -> bytes:
    """Return a segment or a base as bytes."""
    return msgspec.msgpack.encode(record)


def read_record(target: Target, ref: Ref, kind: type[R]) -> R:
    """Return a segment, or a base without its chunks.

    Raises
    ------
    MissingError
        It is not there.
    StoreError
        It is damaged.
    """
    data = _read(target, ref.name)
    if digest(data) != ref.sha256:
        raise damaged(target, ref.name)
    return _decoded(target, ref.name, data, kind, msgspec.msgpack.decode)


def read_chunk(target: Target, name: str) -> bytes:
    """Return a chunk of the file of a base; its name ends with the hash of what it has.

    Raises
    ------
    MissingError
        It is not there.
    StoreError
        It is damaged.
    """
    try:
        data = zlib.decompress(_read(target, name))
    except zlib.error as error:
        raise damaged(target, name, str(error)) from error
    if digest(data) != name.rpartition("-")[2]:
        raise damaged(target, name)
    return data


def _read(target: Target, name: str) -> bytes:
    """Return an object that must be there."""
    try:
        return target.read(name)
    except FileNotFoundError:
        raise MissingError(f"{target.path(name)}: missing.") from None


class MissingError(StoreError):
    """An object that a manifest names is not there: gone, or replaced by a later base."""


def damaged(target: Target, name: str, why: str = "its checksum is wrong") -> StoreError:
    """Return the error of an object that is not as it was written."""
    return StoreError(f"{target.path(name)}: damaged ({why}). Nothing was restored from it.")


def _decoded(
    target: Target, name: str, data: bytes, kind: type[R], decode: Callable[..., Any]
) -> R:
    try:
        record: R = decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise damaged(target, name, str(error)) from error
    if record.format != FORMAT:
        raise StoreError(f"{target.path(name)}: of another version of rosenblatt.")
    return record
