"""``rosenblatt diff``: what changed from one model to another."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import console as display_console
from rosenblatt.cli.display import text
from rosenblatt.cli.display.model_facts import UNTOLD
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rosenblatt.learning.models.comparison import Comparison, Sets, Weight


_MOST_CLASSES = 20
_MOST_NAMES = 8
_ROOM = 14  # for the longest bar
_COUNTING = ("bits", "index_base")  # notes by which a column is the same feature


@click.command(no_args_is_help=True)
@shared.in_order
@click.argument("model1", metavar="MODEL1", help="A model file.")
@click.argument("model2", metavar="MODEL2", help="Another, or the same later on.")
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="K",
    help="Weights that moved most to show.",
    panel="Output",
)
@shared.json_option("One object with all of it.")
def diff(model1: str, model2: str, top: int, as_json: bool) -> None:
    """Show what changed from MODEL1 to MODEL2.

    [bold]Examples[/]
        rosenblatt diff monday.rosenblatt tuesday.rosenblatt
        rosenblatt diff plain.rosenblatt averaged.rosenblatt --top 30 --json

    Weights are compared feature by feature: by name where both models know names, else by column.
    The exit status is 0 whether or not anything changed; equal in --json tells.
    """
    from rosenblatt.cli.inputs import models
    from rosenblatt.learning.models import compare

    (first, about), (second, told) = models.load_model(model1), models.load_model(model2)
    found = compare(first, second)
    notes = _changed_notes(about["notes"], told["notes"])
    base = about["notes"].get("index_base") or 0
    _tell_odd(notes)
    if as_json:
        record = {"models": [model1, model2], **_record(found, base, top), "notes": notes}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    console = display_console.output()
    _show(found, (model1, model2), notes, console)
    _show_vectors(found, console)
    _show_weights(found, base, top, console)


# --- what is known -------------------------------------------------------------------------------


def _changed_notes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, list[Any]]:
    names = [name for name in dict.fromkeys([*before, *after]) if name not in UNTOLD]
    pairs = {name: [before.get(name), after.get(name)] for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _tell_odd(notes: dict[str, list[Any]]) -> None:
    """Say so where a column of one model is not the same column of the other."""
    for name in _COUNTING:
        old, new = notes.get(name, (None, None))
        if None not in (old, new):
            display_console.note(
                f"the models were trained with --{name.replace('_', '-')} {old} and {new}: a "
                "column of the one is not the same feature in the other."
            )


def _feature(feature: str | int, base: int) -> str:
    return feature if isinstance(feature, str) else str(feature + base)


def _record(found: Comparison, base: int, top: int) -> dict[str, Any]:
    """The object of ``--json``."""
    return {
        "equal": found.equal,
        "class": list(found.kinds),
        "params": {name: [_plain(v) for v in pair] for name, pair in found.params.items()},
        "classes": _sets(found.labels),
        "features": _sets(found.features, base),
        "rows": None if found.rows is None else _sets(found.rows),
        "counts": {name: list(pair) for name, pair in found.counts.items()},
        "vectors": {
            text.label(one.label): {
                "norm": list(one.norm),
                "intercept": list(one.intercept),
                "distance": one.distance,
                "angle": None if math.isnan(one.angle) else one.angle,
            }
            for one in found.vectors
        },
        "why": found.why or None,
        "moved": [
            {
                "class": None if weight.label is None else text.label(weight.label),
                "feature": _feature(weight.feature, base),
                "before": weight.before,
                "after": weight.after,
            }
            for weight in found.most_moved(top)
        ],
    }


def _sets(sets: Sets, base: int = 0) -> dict[str, Any]:
    def told(values: list[Any]) -> list[Any]:
        return [value + base if base and type(value) is int else value for value in values]

    return {"kept": sets.kept, "added": told(sets.added), "lost": told(sets.lost)}


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | float | str | None) else repr(value)


# --- what is shown -------------------------------------------------------------------------------


def _show(
    found: Comparison, paths: tuple[str, str], notes: dict[str, list[Any]], console: Console
) -> None:
    from rosenblatt.cli.display import render

    facts: list[tuple[str, Any]] = [("models", " → ".join(paths))]
    if found.equal:
        facts.append(("equal", "every parameter, name, weight and counter, to the last bit"))
    facts.append(
        ("class", found.kinds[0] if len(set(found.kinds)) == 1 else " → ".join(found.kinds))
    )
    facts += _changes("parameters", found.params)
    if not found.equal:
        if found.labels.kept or found.labels.added or found.labels.lost:
            facts.append(("classes", _told(found.labels)))
        facts.append(("features", _told(found.features)))
        if found.rows is not None:
            facts.append(("support", _rows(found.rows)))
        facts.append(("learned", _counts(found)))
        facts += _weights(found)
    facts += _changes("notes", notes)
    console.print(render.facts(facts))


def _changes(name: str, pairs: dict[str, Any]) -> list[tuple[str, str]]:
    """A line for every value that changed."""
    lines = [f"{key}: {_value(old)} → {_value(new)}" for key, (old, new) in pairs.items()]
    return [("" if i else name, line) for i, line in enumerate(lines)]


def _value(value: Any) -> str:
    return "none" if value is None else repr(value)


def _told(sets: Sets) -> str:
    parts = [f"{sets.kept:,} in both"]
    for values, word in ((sets.added, "new"), (sets.lost, "gone")):
        if values:
            names = f": {text.listing(values, _MOST_NAMES)}" if isinstance(values[0], str) else ""
            parts.append(f"{len(values):,} {word}{names}")
    return "; ".join(parts)


def _rows(rows: Sets) -> str:
    counts = f"{len(rows.added):,} new, {len(rows.lost):,} gone"
    return f"{text.count(rows.kept, 'row')} in both, {counts}"


def _counts(found: Comparison) -> str:
    names = [name for name in ("examples", "mistakes", "updates") if name in found.counts]
    parts = []
    for name in names:
        old, new = found.counts[name]
        parts.append(f"{old:,} → {new:,} {name}" if old != new else f"{old:,} {name}")
    return ", ".join(parts)


def _weights(found: Comparison) -> list[tuple[str, str]]:
    """The one weight vector; of several a table tells."""
    if found.why:
        return [("weights", f"not comparable: {found.why}")]
    if not found.vectors:
        return [("weights", "no class is in both")]
    if len(found.vectors) > 1:
        return []
    (one,) = found.vectors
    turned = "" if math.isnan(one.angle) else f", turned by {one.angle:.3g}°"
    return [
        ("weights", f"‖w‖ {_pair(one.norm)}{turned}, ‖w₂ − w₁‖ = {one.distance:.4g}"),
        ("intercept", _pair(one.intercept)),
    ]


def _pair(values: tuple[float, float]) -> str:
    old, new = (f"{value:.4g}" for value in values)
    return old if values[0] == values[1] else f"{old} → {new}"


def _show_vectors(found: Comparison, console: Console) -> None:
    from rosenblatt.cli.display import render

    if found.equal or len(found.vectors) < 2:
        return
    console.print()
    console.print(render.heading("Classes", "a weight vector each"))
    rows = [
        [
            text.label(one.label),
            _pair(one.norm),
            "–" if math.isnan(one.angle) else f"{one.angle:.3g}°",
            f"{one.distance:.4g}",
            _pair(one.intercept),
        ]
        for one in found.vectors[:_MOST_CLASSES]
    ]
    console.print(render.numbers(["class", "‖w‖", "turned by", "‖w₂ − w₁‖", "intercept"], rows))
    if len(found.vectors) > _MOST_CLASSES:
        more = text.count(len(found.vectors) - _MOST_CLASSES, "class")
        console.print(f"… and {more} more: --json tells them all.")


def _show_weights(found: Comparison, base: int, top: int, console: Console) -> None:
    """The weights that moved most, one a line."""
    from rosenblatt.cli.display import render

    moved = found.most_moved(top)
    if not moved:
        return
    several, label = len(found.vectors) > 1, moved[0].label
    speaks = "" if several or label is None else f"+ speaks for {text.label(label)}"
    console.print()
    console.print(render.heading("Moved most", speaks))
    console.print(_table(moved, base, several))


def _table(moved: Sequence[Weight], base: int, several: bool) -> Table:
    """A line for each weight: its class, where there are several; both values; a bar."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    if several:
        table.add_column("class", style="bold", overflow="ellipsis", no_wrap=True, max_width=16)
    table.add_column("feature", overflow="ellipsis", no_wrap=True, max_width=30)
    for name in ("before", "after", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    longest = max(abs(weight.after - weight.before) for weight in moved)
    for label, feature, old, new in moved:
        bar = "▇" * max(1, round(_ROOM * abs(new - old) / longest))
        colour = "blue" if new > old else "red"
        table.add_row(
            *([Text(text.label(label))] if several else []),
            Text(_feature(feature, base)),
            *(f"{value:+.4g}" for value in (old, new, new - old)),
            Text(bar, colour),
        )
    return table
