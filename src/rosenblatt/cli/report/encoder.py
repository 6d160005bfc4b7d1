"""What ``inspect`` tells of the file of an encoder of raw rows, which has no model.

Everything is read from the header of the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.cli.display import fmt, model_facts

if TYPE_CHECKING:
    from rosenblatt.learning.models.header import Description

_ROWS = {"jsonl": "objects, as of JSON lines", "folder": "texts"}
"""By format; others are tables."""


def encoder_record(about: Description, path: str) -> dict[str, object]:
    """Return the object of ``--json``.

    Parameters
    ----------
    about : dict
        The description of the file, :func:`rosenblatt.models.describe`.
    path : str
    """
    notes = about["notes"]
    return {
        "model": path,
        **{name: about[name] for name in ("class", "format", "rosenblatt", "bytes", "sha256")},
        "columns": notes.get("schema"),
        "features": _features(about),
        "names": about["fitted"]["names"],
        "bits": notes.get("bits"),
        "scale": _scales(about),
        "means": notes.get("means"),
        "notes": notes,
    }


def encoder_facts(about: Description, path: str) -> list[tuple[str, str]]:
    """Return what the file has as names and values, with the parameters of :func:`encoder_record`.

    Its options are the notes that say more than the kinds of the columns.
    """
    notes, names = about["notes"], about["fitted"]["names"]
    facts = [
        ("encoder", f"{path} ({fmt.size(about['bytes'])})"),
        ("class", about["class"]),
        ("rows", _ROWS.get(notes["format"], "a table")),
    ]
    if schema := notes.get("schema"):
        columns = [f"{name} ({kind})" for name, kind in schema.items()]
        facts.append(("columns", f"{len(columns):,}: {fmt.listing(columns)}"))
    hidden = ("format", "schema", *model_facts.HIDDEN_NOTES)
    options = {name: value for name, value in notes.items() if name not in hidden}
    options |= {"scale": _scales(about)}
    shown = [f"{name}={value}" for name, value in options.items() if value not in (None, False, [])]
    if shown:
        facts.append(("options", ", ".join(shown)))
    if names is None:
        output = f"hashed to 2^{notes['bits']} columns"
    else:
        output = f"{fmt.count(len(names), 'column')}: {fmt.listing(names)}"
    return [
        *facts,
        ("output", output),
        *model_facts.means_facts(notes),
        ("written", model_facts.format_writer(about)),
    ]


def _features(about: Description) -> int:
    names = about["fitted"]["names"]
    return 2 ** (about["notes"]["bits"] or 0) if names is None else len(names)


def _scales(about: Description) -> bool:
    return about["fitted"]["width"] is not None
