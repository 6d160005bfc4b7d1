"""Whether DATA is understood as the data that a model has learned from: one rule for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display.errors import BadData

if TYPE_CHECKING:
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.options import ReadOptions


_FEATURE_OPTIONS = ("bits", "text", "interactions")
"""The settings that make features of what a row says; the others tell where it stands."""


def merge_options(
    notes: dict[str, Any], read_options: ReadOptions, format: str | None
) -> ReadOptions:
    """What is asked; where nothing is, what a model notes and what goes with the format.

    Parameters
    ----------
    notes : dict
        The model's; empty where nobody noted anything.
    read_options : Settings
        What is asked.
    format : str or None
        That of DATA, where it is known.

    Raises
    ------
    click.UsageError
        What is asked would make other features of the rows.
    """
    from rosenblatt.streams.core.options import FORMATS, WILDCARD

    requested = {
        name: getattr(read_options, name)
        for name in _FEATURE_OPTIONS
        if getattr(read_options, name) not in (None, ())
    }
    if notes and any(requested[name] != _noted_option(notes, name) for name in requested):
        raise click.UsageError(
            f"{_describe(requested)} does not go with this model: it was trained with "
            f"{_describe(notes)}.",
            click.get_current_context(silent=True),
        )
    accepted = () if format is None else FORMATS[format][1]
    from_notes = {
        name: _noted_option(notes, name)
        for name in accepted
        if name in notes and getattr(read_options, name) in (None, ())
    }
    if "schema" in accepted and notes.get("schema") is not None:
        others = (
            {} if notes.get("format") == "jsonl" else {WILDCARD: "skip"}
        )  # of a table all known
        from_notes["schema"] = notes["schema"] | others | (read_options.schema or {})
    return read_options._replace(**from_notes)


def check_compatible(stream: Stream, notes: dict[str, Any]) -> None:
    """Refuse rows whose features are not those that a model has learned from.

    Parameters
    ----------
    stream : Stream
        The rows of DATA.
    notes : dict
        The model's.

    Raises
    ------
    BadData
        Features are hashed, or made of texts, pairs or columns, unlike the model's; or a converted
        file has them in other places.
    """
    if not notes:
        return
    actual, expected = _describe(stream.noted()), _describe(notes)
    if actual != expected:
        raise BadData(
            f"{stream.name}: is read with {actual}, but the model was trained on "
            f"{notes.get('format')} data with {expected}: their features are not the same."
        )
    _check_kinds(stream, notes.get("schema") or {})
    _check_index_base(stream, notes.get("index_base"))


def _noted_option(notes: dict[str, Any], name: str) -> Any:
    """What is noted, which JSON has as a list where settings have a tuple."""
    value = notes.get(name)
    return tuple(value or ()) if name in ("text", "interactions") else value


def _describe(notes: dict[str, Any]) -> str:
    """How features are made, as options; the same for the same features."""
    parts = [] if notes.get("bits") is None else [f"--bits {notes['bits']}"]
    parts += [
        f"--{name} {one}" for name in _FEATURE_OPTIONS[1:] for one in _noted_option(notes, name)
    ]
    if notes.get("format") == "vw":
        parts.append("hashed as Vowpal Wabbit does")
    return " ".join(parts) or "names that are not hashed"


def _check_kinds(stream: Stream, schema: dict[str, str]) -> None:
    """Refuse a column that makes features of another kind than the model's."""
    from rosenblatt.streams.core.options import FEATURE_KINDS

    for column, kind in (stream.schema or {}).items():
        expected = schema.get(column, kind)
        if kind != expected and {kind, expected} <= set(FEATURE_KINDS):
            raise BadData(
                f"{stream.name}: the column {column!r} is read as {kind}, but the model was "
                f"trained on it as {expected}: their features are not the same."
            )


def _check_index_base(stream: Stream, base: int | None) -> None:
    """Refuse rows that were svmlight text once, and then counted unlike the model's."""
    actual = stream.index_base
    if stream.format == "arrow" and None not in (actual, base) and actual != base:
        raise BadData(
            f"{stream.name}: its features were counted from {actual} when it was "
            f"converted, the model's from {base}: convert it again with --index-base {base}."
        )
