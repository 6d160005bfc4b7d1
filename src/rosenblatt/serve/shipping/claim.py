"""Whose a target is: the fence between a primary and the one that took over from it.

The owner is who created the manifest that began the last epoch. Since manifests are created
exclusively and numbered without gaps, an owner of before finds that manifest in the place of its
own next one, however long it slept.
"""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from rosenblatt.serve.errors import StoreError
from rosenblatt.serve.shipping.records import (
    Manifest,
    digest,
    encode_manifest,
    last_manifest,
    manifest_name,
)
from rosenblatt.serve.shipping.target import Target, create_file

MARK = "owner"
BEGINS = 1000
"""Changes of the owner whose manifests stay. A start of the same store is none: its process of
before has ended, as the store is locked."""


class FencedError(StoreError):
    """Another store has taken the target over."""


class Mark(msgspec.Struct, frozen=True):
    """The name of a store, and the last epoch that it began; 0 if it was never a primary.

    ``follows`` is true of a store that a standby has built: it has nothing of its own.
    """

    id: str
    epoch: int = 0
    follows: bool = False


class Claim(NamedTuple):
    """A target of which a store is the owner, and the manifest that says so."""

    target: Target
    manifest: Manifest


def read_mark(folder: Path) -> Mark:
    """Return the mark of a store; a new one gets one.

    Raises
    ------
    StoreError
        It is damaged.
    """
    path = folder / MARK
    if not path.exists():
        write_mark(folder, Mark(secrets.token_hex(8)))
    try:
        return msgspec.json.decode(path.read_bytes(), type=Mark)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreError(
            f"{path}: damaged ({error}). Without it nobody knows whether this store is still the "
            "primary. To take over with it: delete the file, and restore into an empty folder."
        ) from error


def write_mark(folder: Path, mark: Mark) -> None:
    """Write the mark of a store."""
    create_file(folder / MARK, msgspec.json.encode(mark), os.replace)


def claim(target: Target, folder: Path, commits: int, epoch: int = 1) -> Claim:
    """Return the claim of a store on an empty target, or on its own; its epoch is no less.

    Raises
    ------
    FencedError
        Another store has taken the target over.
    StoreError
        The target has the log of another store, or a later state of this one.
    """
    mark, last = read_mark(folder), last_manifest(target)
    if last is not None and last.owner != mark.id:
        if mark.epoch == 0:
            raise StoreError(
                f"{target.url}: has the log of another store (epoch {last.epoch}). Choose an empty "
                "place; or take over from that store: rosenblatt promote, on its standby."
            )
        raise FencedError(fenced(target, last, mark.epoch))
    if last is not None and commits < last.commits:
        raise StoreError(
            f"{folder}: an older state ({commits:,} commits) than it has shipped "
            f"({last.commits:,}): restored from a copy? {target.url} has the later one: "
            "rosenblatt serve --restore, in an empty folder."
        )
    begun = begin_epoch(target, folder, last, epoch)
    if begun is None:
        raise FencedError(f"{target.url}: another store became its owner at this moment.")
    return begun


def take_over(target: Target, folder: Path, restored: Manifest) -> None:
    """Make a store that has the state of a manifest the owner of its target.

    Raises
    ------
    StoreError
        The primary has sent more meanwhile, or another store took over.
    """
    if begin_epoch(target, folder, restored) is None:
        raise StoreError(
            f"{target.url}: its primary lives, and has sent more meanwhile: stop it, and begin "
            f"anew, without {folder}."
        )


def begin_epoch(
    target: Target, folder: Path, last: Manifest | None, epoch: int = 1
) -> Claim | None:
    """Make a store the owner behind a manifest; return None if that is not the last any more.

    ``epoch`` is the least that begins: the store may come from a target that was further.

    Raises
    ------
    StoreError
        The target lets two stores become its owner.
    """
    target.check_exclusive()
    mark = read_mark(folder)
    if last is None:
        new = Manifest(1, epoch, mark.id, time.time(), begins=[1])
    else:
        number = last.number + 1
        begins = last.begins if last.owner == mark.id else [*last.begins, number]
        new = msgspec.structs.replace(
            last, number=number, epoch=max(last.epoch + 1, epoch), owner=mark.id,
            time=time.time(), begins=begins[-BEGINS:], before=digest(encode_manifest(last)),
        )  # fmt: skip
    try:
        target.create(manifest_name(new.number), encode_manifest(new))
    except FileExistsError:
        return None
    write_mark(folder, Mark(mark.id, new.epoch))
    return Claim(target, new)


def owns(target: Target, folder: Path) -> bool:
    """Return whether a store is the owner of a target: a standby that was promoted."""
    last = last_manifest(target)
    return last is not None and last.owner == read_mark(folder).id


def fenced(target: Target, manifest: Manifest, epoch: int) -> str:
    """Return the reason of a primary that is none any more."""
    at = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(manifest.time))
    return (
        f"{target.url}: taken over by another store (epoch {manifest.epoch}, {at}; this one had "
        f"epoch {epoch}). Here nothing is learned any more. What this store has and the target has "
        "not, says rosenblatt unshipped."
    )
