"""Compatibility of a source with the data of a model: both must give the same features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.format import DELIMITERS
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import FEATURE_KINDS, LAYOUT_OPTIONS, noted_option
from rosenblatt.utils.words import option_value

if TYPE_CHECKING:
    from rosenblatt.streams.core.options import ReadOptions
    from rosenblatt.streams.core.stream import Stream

_FEATURE_OPTIONS = ("bits", "text", "interactions", "keep", "ignore")
"""Options that determine the features; all others only say where the values are."""

_NOT_HASHED = "names that are not hashed"


def shared_layout(notes: Notes, line: str) -> tuple[str, ...]:
    """Return the options of the layout of the training data that a table has, too.

    Parameters
    ----------
    notes : dict
        Notes of a model of CSV or TSV text.
    line : str
        First line of the table. It has another separator if it has the one of the format by
        default alone, and a header if all its cells name columns of a model without header.

    Examples
    --------
    >>> shared_layout({"format": "csv", "separator": ";", "decimal": ","}, "a,b=x,y")
    ('header', 'column_names')
    """
    default = DELIMITERS[notes["format"]]
    semicolon = notes["format"] == "csv" and notes.get("decimal") == ","
    separator = notes.get("separator") or (";" if semicolon else default)
    shared = list(LAYOUT_OPTIONS)
    if separator not in line and default in line:
        shared, separator = ["header", "column_names"], default
    names = [cell.strip().strip('"').partition("=")[0] for cell in line.split(separator)]
    if set(names) <= set(notes.get("column_names") or ()):
        shared = [name for name in shared if name not in ("header", "column_names")]
    return tuple(shared)


def merge_options(
    notes: Notes,
    read_options: ReadOptions,
    format: str | None,
    layout: tuple[str, ...] = LAYOUT_OPTIONS,
) -> ReadOptions:
    """Complete the options of a caller by those of the model's training data.

    Parameters
    ----------
    notes : dict
        Notes of the model; may be empty.
    read_options : ReadOptions
        Options of the caller; they take precedence.
    format : str or None
        Format of the source, if it is known. Options that do not go with it are not taken over.
    layout : tuple of str
        Options of the layout of text that the source shares with the training data.

    Raises
    ------
    ValueError
        An option would give other features.
    """
    requested = {
        name: getattr(read_options, name)
        for name in _FEATURE_OPTIONS
        if getattr(read_options, name) not in (None, ())
    }
    if notes and any(requested[name] != noted_option(notes, name) for name in requested):
        raise ValueError(
            f"{_describe(requested)} does not go with this model: it was trained "
            f"{_trained(notes, requested)}."
        )
    _check_impute(notes, read_options)
    return read_options.completed(notes, format, layout)


def _trained(notes: Notes, requested: Mapping[str, Any]) -> str:
    """Return with which of the options a model was trained, or without which."""
    described = _describe(notes)
    if described == _NOT_HASHED and not {"bits", "text"}.intersection(requested):
        return "without " + " and ".join(f"--{name}" for name in requested)
    return f"with {described}"


def _check_impute(notes: Notes, read_options: ReadOptions) -> None:
    """Refuse another treatment of missing cells than that of the training data."""
    policy = "mean" if read_options.impute is None and read_options.missing else read_options.impute
    noted = notes.get("impute")
    if notes and policy not in (None, noted):
        trained = "without --impute" if noted is None else f"with --impute {noted}"
        option = "--missing (--impute mean)"
        if read_options.impute is not None:
            option = f"--impute {policy}"
        raise ValueError(f"{option} does not go with this model: it was trained {trained}.")


def check_missing(notes: Notes, read_options: ReadOptions) -> None:
    """Refuse other spellings of missing cells than those of a model that learns the rows.

    Parameters
    ----------
    notes : dict
        Notes of the model, which stay as they are.
    read_options : ReadOptions
        Options of the caller.

    Raises
    ------
    ValueError
        ``missing`` is given, and has not the words of the model.
    """
    words, noted = read_options.missing, noted_option(notes, "missing")
    if words and set(words) != set(noted):
        trained = f"with {_listed(noted)}" if noted else "without --missing"
        raise ValueError(f"{_listed(words)} does not go with this model: it was trained {trained}.")


def _listed(words: tuple[str, ...]) -> str:
    return f"--missing={option_value(words)}"


def check_compatible(stream: Stream, notes: Notes) -> None:
    """Refuse a stream whose features differ from those of the model's training data.

    Parameters
    ----------
    stream : Stream
        The rows of the source.
    notes : dict
        Notes of the model.

    Raises
    ------
    DataError
        Hashing, n-grams, interactions, kinds of columns or the index base differ.
    """
    if not notes:
        return
    actual, expected = _describe(stream.noted()), _describe(notes)
    if actual != expected:
        problem = f"is read with {actual}, but the model was trained on {notes.get('format')} data"
        raise DataError(stream.name, f"{problem} with {expected}: their features are not the same.")
    if (other := other_kind(stream, notes)) is not None:
        problem = f"the column {other.column!r} is read as {other.kind}, but the model was trained"
        same = "their features are not the same."
        raise DataError(stream.name, f"{problem} on it as {other.expected}: {same}")
    actual_base, base = stream.index_base, notes.get("index_base")
    if stream.format == "arrow" and None not in (actual_base, base) and actual_base != base:
        problem = f"its features were counted from {actual_base} when it was converted"
        advice = f"convert it again with --index-base {base}."
        raise DataError(stream.name, f"{problem}, the model's from {base}: {advice}")


def check_same_features(stream: Stream, notes: Notes) -> None:
    """Refuse a stream whose columns of features are not those of a model that learns its rows.

    Parameters
    ----------
    stream : Stream
        Of new data.
    notes : dict
        Notes of the model.

    Raises
    ------
    DataError
        A column was a feature of the model's training data and is none now, or the other way round.
    """
    before, now = notes.get("schema") or {}, stream.schema or {}
    if not (before and now) and (stream.origin or stream.format) != "jsonl":
        return  # rows without a schema: their columns have numbers, or are matched by name
    for column in before | now:
        kinds = before.get(column), now.get(column)
        if kinds[0] != kinds[1] and not set(kinds).isdisjoint(FEATURE_KINDS):
            was, is_now = (kind or "no column of the schema" for kind in kinds)
            problem = f"the column {column!r} is {is_now}, but the model was trained with {was}"
            raise DataError(stream.name, f"{problem}: its columns stay the same.")


class OtherKind(NamedTuple):
    """A column of features, its kind in a stream, and that in the notes of a model."""

    column: str
    kind: str
    expected: str


def other_kind(stream: Stream, notes: Notes) -> OtherKind | None:
    """Return the first column that a model's training data had with another kind, if any."""
    schema = notes.get("schema") or {}
    for column, kind in (stream.schema or {}).items():
        expected = schema.get(column, kind)
        if kind != expected and {kind, expected} <= set(FEATURE_KINDS):
            return OtherKind(column, kind, expected)
    return None


def _describe(notes: Mapping[str, Any]) -> str:
    """Return the feature options as text; equal texts mean equal features."""
    parts = [] if notes.get("bits") is None else [f"--bits {notes['bits']}"]
    parts += [
        f"--{name} {value}" for name in _FEATURE_OPTIONS[1:] for value in noted_option(notes, name)
    ]
    if notes.get("format") == "vw":
        parts.append("hashed as Vowpal Wabbit does")
    return " ".join(parts) or _NOT_HASHED
