"""Metadata of our Arrow files: the columns and options of the source they were converted from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import FEATURE_KINDS, ReadOptions
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.schema import column_of_kind
from rosenblatt.streams.frames.notes import is_finite

TARGET, WEIGHT, ID = b"rosenblatt.target", b"rosenblatt.weight", b"rosenblatt.id"
"""Keys of the names of the columns of labels, weights and ids."""

_NAMES = b"rosenblatt.feature_names"
_SOURCE = b"rosenblatt.understood"
_INDEX_BASE = b"rosenblatt.index_base"  # in files of the first version, instead of _SOURCE


class ArrowMetadata(NamedTuple):
    """Metadata of one file.

    Parameters
    ----------
    target, weight, id : str or None
        The columns of labels, weights and ids.
    names : list of str, or None
        Names of the columns of sparse rows.
    source : dict
        :meth:`rosenblatt.streams.Stream.noted` of the source; empty if unknown.

    Examples
    --------
    >>> metadata = ArrowMetadata("y", None, "mid", None, {"bits": 18})
    >>> options = metadata.completed(ReadOptions())
    >>> options.target, options.schema
    ('y', {'mid': 'id'})
    """

    target: str | None
    weight: str | None
    id: str | None
    names: list[str] | None
    source: dict[str, Any]

    def completed(self, options: ReadOptions) -> ReadOptions:
        """Return options with columns and missing cells of the metadata where they have none."""
        schema = dict(options.schema or {})
        for kind, name in (("weight", self.weight), ("id", self.id)):
            if name is not None and column_of_kind(options.schema, kind) is None:
                schema.setdefault(name, kind)
        target = options.target or column_of_kind(options.schema, "label") or self.target
        if options.impute is None and not options.missing:
            options = options._replace(
                missing=tuple(self.source.get("missing") or ()),
                impute=self.source.get("impute"),
                means=self.source.get("means"),
            )
        return options._replace(target=target, schema=schema)

    def products(self, columns: Sequence[str]) -> list[str]:
        """Return the columns of dense rows that are products of columns of the source."""
        schema = self.source.get("schema")
        if schema is None or not self.source.get("interactions"):
            return []
        others = {*schema, self.target, self.weight, self.id}
        return [name for name in columns if name not in others]

    def apply_to(self, stream: Stream) -> None:
        """Set the description of a stream of sparse rows to that of their source."""
        stream.feature_names = self.names
        stream.schema, stream.bits = self.source.get("schema"), self.source.get("bits")
        stream.text = tuple(self.source.get("text", ()))

    def validate(self, name: str, options: ReadOptions) -> None:
        """Refuse options that conflict with those that sparse rows were made with.

        Raises
        ------
        DataError
        """
        imputer = options.imputer
        if imputer is not None and imputer.policy != self.source.get("impute"):
            raise _conflict(name, "impute", self.source.get("impute"), imputer.policy)
        for option in ("bits", "text"):
            requested, noted = getattr(options, option), self.source.get(option)
            if (
                requested not in (None, ())
                and (list(requested) if option == "text" else requested) != noted
            ):
                raise _conflict(name, option, noted, requested)
        schema, partial = self.source.get("schema") or {}, self.source.get("format") == "jsonl"
        for column, kind in (options.schema or {}).items():
            if kind in FEATURE_KINDS and schema.get(column, kind if partial else None) != kind:
                raise _conflict(name, f"the column {column!r} as", schema.get(column), kind)

    def check_interactions(self, name: str, options: ReadOptions) -> None:
        """Refuse interactions other than those of the source, or of hashed features.

        Raises
        ------
        DataError
        """
        requested, noted = list(options.interactions), self.source.get("interactions")
        if requested and requested != noted and (noted or self.source.get("bits") is not None):
            raise _conflict(name, "interactions", noted, requested)


def _conflict(name: str, option: str, noted: object, requested: object) -> DataError:
    noted, requested = (
        " ".join(value) if isinstance(value, list | tuple) else value
        for value in (noted, requested)
    )
    problem = f"its rows were made with {option} {noted or 'none'}, expected {requested}"
    return DataError(name, f"{problem}: convert their source again.")


def read_metadata(metadata: Mapping[bytes, bytes] | None) -> ArrowMetadata:
    """Parse the metadata of a file.

    Parameters
    ----------
    metadata : mapping, or None
        The metadata of its schema.

    Raises
    ------
    ValueError
        The metadata are damaged.

    Examples
    --------
    >>> read_metadata({TARGET: b"kind", b"rosenblatt.index_base": b"1"})
    ArrowMetadata(target='kind', weight=None, id=None, names=None, source={'index_base': 1})
    """
    entries = metadata or {}
    target, weight, id = (
        entries[key].decode() if key in entries else None for key in (TARGET, WEIGHT, ID)
    )
    source: dict[str, Any] = json.loads(entries.get(_SOURCE, b"{}"))
    _check_types(source)
    if _INDEX_BASE in entries:
        source["index_base"] = int(entries[_INDEX_BASE])
    try:
        names = list(map(str, json.loads(entries[_NAMES]))) if _NAMES in entries else None
        ReadOptions(
            bits=source.get("bits"),
            index_base=source.get("index_base"),
            schema=source.get("schema"),
            text=tuple(source.get("text") or ()),
            interactions=tuple(source.get("interactions") or ()),
            missing=tuple(source.get("missing") or ()),
            impute=source.get("impute"),
        ).validate()
    except (TypeError, AttributeError) as error:
        raise ValueError(f"its metadata: {error}") from error
    return ArrowMetadata(target, weight, id, names, source)


_TYPES = {
    "format": str,
    "target": str,
    "index_base": int,
    "bits": int,
    "schema": dict,
    "text": list,
    "interactions": list,
    "missing": list,
    "impute": str,
}


def _check_types(source: object) -> None:
    """Refuse metadata that no version of this library writes."""
    if type(source) is not dict:
        raise ValueError(f"its metadata: found {source!r}, expected an object")
    for name, kind in _TYPES.items():
        if not _has_type(source.get(name), kind):
            raise ValueError(f"its metadata: found {source[name]!r} for {name}")
    means = source.get("means")
    if means is not None and not (type(means) is dict and all(map(is_finite, means.values()))):
        raise ValueError(f"its metadata: found {means!r:.80} for means")


def _has_type(value: object, kind: type) -> bool:
    if value is None:
        return True
    parts = value.values() if type(value) is dict else value if type(value) is list else ()
    return type(value) is kind and all(type(part) is str for part in parts)


def source_metadata(stream: Stream) -> dict[bytes, str]:
    """Return the metadata for a file of a stream's rows, without the names of label, weight and id.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> json.loads(source_metadata(open_stream("sklearn:wine"))[b"rosenblatt.understood"])["format"]
    'sklearn'
    """
    entries = {_SOURCE: json.dumps(stream.noted())}
    if stream.sparse and stream.feature_names is not None:
        entries[_NAMES] = json.dumps(stream.feature_names)
    return entries
