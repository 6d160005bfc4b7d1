"""Model files in the service: read plainly, or with the notes that say how rows are read.

A file of the command notes kinds of columns, missing cells, texts, hashing and interactions. Such a
model takes raw rows: :mod:`rosenblatt.serve.encoded.live`, which is imported where there is one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rosenblatt.learning.models import files
from rosenblatt.learning.models.header import ONLINE
from rosenblatt.serve.config import path_of
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.schema import Config
from rosenblatt.serve.store.log import Kind, Record
from rosenblatt.serve.store.tables import Snapshot

if TYPE_CHECKING:
    from rosenblatt.learning.online.encoded import HowRead


def read_file(data: bytes) -> LiveModel:
    """Return the model of a model file, whose rows are read as its notes say.

    Raises
    ------
    ValueError
        The bytes are no model file of this version, or have a model of another kind.
    """
    with path_of(data) as path:
        about = files.describe(path)
    if about["class"] in ONLINE or not about["notes"]:
        return LiveModel.from_file(data)
    from rosenblatt.streams.frames.notes import describes_rows

    if not describes_rows(about["notes"]):
        return LiveModel.from_file(data)
    from rosenblatt.serve.encoded.live import EncodedLive

    return EncodedLive.of_file(data)


def file_of(record: Record) -> LiveModel:
    """Return the model of a record that has a file.

    Records of stores of before have files whose notes nobody read.

    Raises
    ------
    ValueError
        As :func:`read_file`.
    """
    if record.kind == Kind.FILE:
        return LiveModel.from_file(record.body)
    return read_file(record.body)


def of_snapshot(snapshot: Snapshot) -> LiveModel:
    """Return the model of a snapshot, as it was."""
    if not json.loads(snapshot.progress).get("encoded"):
        return LiveModel.from_snapshot(snapshot)
    from rosenblatt.serve.encoded.live import EncodedLive

    return EncodedLive.of_file(snapshot.file).counting(snapshot)


def kind_of(live: LiveModel) -> Kind:
    """Return the kind of the record that has the file of a model."""
    return Kind.FILE if live.how is None else Kind.ENCODED_FILE


def untrained(config: Config, how: HowRead | None) -> LiveModel:
    """Return an untrained model of a configuration, which reads rows as another does."""
    if how is None:
        return LiveModel.from_config(config)
    from rosenblatt.serve.encoded.live import EncodedLive

    return EncodedLive.untrained(config, how)
