"""Whether DATA is understood as the data that a model has learned from: one rule for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display.errors import BadData

if TYPE_CHECKING:
    from rosenblatt.streams import Stream
    from rosenblatt.streams.core.options import Settings


_MAKING = ("bits", "text", "interactions")
"""The settings that make features of what a row says; the others tell where it stands."""


def as_noted(notes: dict[str, Any], how: Settings, format: str | None) -> Settings:
    """What is asked; where nothing is, what a model notes and what goes with the format.

    Parameters
    ----------
    notes : dict
        The model's; empty where nobody noted anything.
    how : Settings
        What is asked.
    format : str or None
        That of DATA, where it is known.

    Raises
    ------
    click.UsageError
        What is asked would make other features of the rows.
    """
    from rosenblatt.streams.core.options import FORMATS, OTHERS

    asked = {name: getattr(how, name) for name in _MAKING if getattr(how, name) not in (None, ())}
    if notes and any(asked[name] != _setting(notes, name) for name in asked):
        raise click.UsageError(
            f"{_told(asked)} does not go with this model: it was trained with {_told(notes)}.",
            click.get_current_context(silent=True),
        )
    taken = () if format is None else FORMATS[format][1]
    noted = {
        name: _setting(notes, name)
        for name in taken
        if name in notes and getattr(how, name) in (None, ())
    }
    if "schema" in taken and notes.get("schema") is not None:
        others = {} if notes.get("format") == "jsonl" else {OTHERS: "skip"}  # of a table all known
        noted["schema"] = notes["schema"] | others | (how.schema or {})
    return how._replace(**noted)


def check(stream: Stream, notes: dict[str, Any]) -> None:
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
    found, wanted = _told(stream.noted()), _told(notes)
    if found != wanted:
        raise BadData(
            f"{stream.name}: is read with {found}, but the model was trained on "
            f"{notes.get('format')} data with {wanted}: their features are not the same."
        )
    _check_kinds(stream, notes.get("schema") or {})
    _check_base(stream, notes.get("index_base"))


def _setting(notes: dict[str, Any], name: str) -> Any:
    """What is noted, which JSON has as a list where settings have a tuple."""
    value = notes.get(name)
    return tuple(value or ()) if name in ("text", "interactions") else value


def _told(noted: dict[str, Any]) -> str:
    """How features are made, as options; the same for the same features."""
    told = [] if noted.get("bits") is None else [f"--bits {noted['bits']}"]
    told += [f"--{name} {one}" for name in _MAKING[1:] for one in _setting(noted, name)]
    if noted.get("format") == "vw":
        told.append("hashed as Vowpal Wabbit does")
    return " ".join(told) or "names that are not hashed"


def _check_kinds(stream: Stream, noted: dict[str, str]) -> None:
    """Refuse a column that makes features of another kind than the model's."""
    from rosenblatt.streams.core.options import FEATURES

    for column, kind in (stream.schema or {}).items():
        wanted = noted.get(column, kind)
        if kind != wanted and {kind, wanted} <= set(FEATURES):
            raise BadData(
                f"{stream.name}: the column {column!r} is read as {kind}, but the model was "
                f"trained on it as {wanted}: their features are not the same."
            )


def _check_base(stream: Stream, base: int | None) -> None:
    """Refuse rows that were svmlight text once, and then counted unlike the model's."""
    found = stream.index_base
    if stream.format == "arrow" and None not in (found, base) and found != base:
        raise BadData(
            f"{stream.name}: its features were counted from {found} when it was "
            f"converted, the model's from {base}: convert it again with --index-base {base}."
        )
