"""What an Arrow file notes of its rows, so that they are understood as those of their source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import FEATURE_KINDS, ReadOptions
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.weights_ids import schema_column

TARGET, WEIGHT, ID = b"rosenblatt.target", b"rosenblatt.weight", b"rosenblatt.id"
"""The columns of the file with the labels, the weights and the ids."""
_NAMES = b"rosenblatt.feature_names"
_SOURCE = b"rosenblatt.understood"
_INDEX_BASE = b"rosenblatt.index_base"  # alone in files that note nothing else of their source


class ArrowMetadata(NamedTuple):
    """What a file notes.

    Parameters
    ----------
    target, weight, id : str or None
        The columns with the labels, the weights and the ids.
    names : list of str, or None
        Of the columns of sparse rows.
    source : dict
        :meth:`rosenblatt.streams.Stream.noted` of what was converted; empty where that is unknown.

    Examples
    --------
    >>> notes = ArrowMetadata("y", None, "mid", None, {"bits": 18})
    >>> notes.completed(Settings()).target, notes.completed(Settings()).schema
    ('y', {'mid': 'id'})
    """

    target: str | None
    weight: str | None
    id: str | None
    names: list[str] | None
    source: dict[str, Any]

    def completed(self, options: ReadOptions) -> ReadOptions:
        """Settings, with the columns that are noted where nothing else is said."""
        schema = dict(options.schema or {})
        for kind, name in (("weight", self.weight), ("id", self.id)):
            if name is not None and schema_column(options, kind) is None:
                schema.setdefault(name, kind)
        target = options.target or schema_column(options, "label") or self.target
        return options._replace(target=target, schema=schema)

    def apply_to(self, stream: Stream) -> None:
        """Set on a stream of sparse rows how they were made."""
        stream.feature_names = self.names
        stream.schema, stream.bits = self.source.get("schema"), self.source.get("bits")
        stream.text = tuple(self.source.get("text", ()))

    def validate(self, name: str, options: ReadOptions) -> None:
        """Refuse settings by which sparse rows would be others.

        Raises
        ------
        DataError
        """
        for what in ("bits", "text"):
            requested, noted = getattr(options, what), self.source.get(what)
            if (
                requested not in (None, ())
                and (list(requested) if what == "text" else requested) != noted
            ):
                raise _conflict(name, what, noted, requested)
        schema, partial = self.source.get("schema") or {}, self.source.get("format") == "jsonl"
        for column, kind in (options.schema or {}).items():
            if kind in FEATURE_KINDS and schema.get(column, kind if partial else None) != kind:
                raise _conflict(name, f"the column {column!r} as", schema.get(column), kind)

    def check_interactions(self, name: str, options: ReadOptions) -> None:
        """Refuse pairs of features besides those that the rows have, or of hashed ones.

        Raises
        ------
        DataError
        """
        requested, noted = list(options.interactions), self.source.get("interactions")
        if requested and requested != noted and (noted or self.source.get("bits") is not None):
            raise _conflict(name, "interactions", noted, requested)


def _conflict(name: str, what: str, noted: Any, requested: Any) -> DataError:
    noted, requested = (
        " ".join(value) if isinstance(value, list | tuple) else value
        for value in (noted, requested)
    )
    problem = f"its rows were made with {what} {noted or 'none'}, expected {requested}"
    return DataError(name, f"{problem}: convert their source again.")


def read_metadata(metadata: Mapping[bytes, bytes] | None) -> ArrowMetadata:
    """Read the notes of a file.

    Parameters
    ----------
    metadata : mapping, or None
        That of its schema.

    Raises
    ------
    ValueError
        They are damaged.

    Examples
    --------
    >>> read_metadata({TARGET: b"kind", b"rosenblatt.index_base": b"1"})
    Notes(target='kind', weight=None, id=None, names=None, source={'index_base': 1})
    """
    noted = metadata or {}
    target, weight, id = (
        noted[key].decode() if key in noted else None for key in (TARGET, WEIGHT, ID)
    )
    source: dict[str, Any] = json.loads(noted.get(_SOURCE, b"{}"))
    if _INDEX_BASE in noted:
        source["index_base"] = int(noted[_INDEX_BASE])
    try:
        names = list(map(str, json.loads(noted[_NAMES]))) if _NAMES in noted else None
        ReadOptions(
            bits=source.get("bits"),
            index_base=source.get("index_base"),
            schema=source.get("schema"),
            text=tuple(source.get("text") or ()),
            interactions=tuple(source.get("interactions") or ()),
        ).validate()
    except (TypeError, AttributeError) as error:
        raise ValueError(f"its notes: {error}") from error
    return ArrowMetadata(target, weight, id, names, source)


def source_metadata(stream: Stream) -> dict[bytes, str]:
    """What is to be noted of a stream whose rows become a file.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> json.loads(source_metadata(open_stream("sklearn:wine"))[b"rosenblatt.understood"])["format"]
    'sklearn'
    """
    notes = {_SOURCE: json.dumps(stream.noted())}
    if stream.sparse and stream.feature_names is not None:
        notes[_NAMES] = json.dumps(stream.feature_names)
    return notes
