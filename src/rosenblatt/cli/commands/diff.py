"""``rosenblatt diff``: comparison of two models."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import rich_click as click
from rich.table import Table
from rich.text import Text

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.model_facts import HIDDEN_NOTES, json_value
from rosenblatt.cli.inputs.existence import check_file
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.learning.models.comparison import Comparison, Sets, Weight

_MAX_CLASSES = 20
_MAX_NAMES = 8
_BAR_WIDTH = 14
_INDEX_NOTES = ("bits", "index_base")  # columns are comparable if these notes are equal


@click.command(
    cls=shared.Command,
    panel="Models and data",
    rank=2,
    example="rosenblatt diff a.rosenblatt b.rosenblatt",
    caption="compare two models",
    no_args_is_help=True,
)
@shared.order_panels
@click.argument("model1", metavar="MODEL1", help="A model file.")
@click.argument("model2", metavar="MODEL2", help="Another model file.")
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="K",
    help="Number of weights with the largest changes to show.",
    panel="Output",
)
@shared.json_option("Print one JSON object.")
def diff(model1: str, model2: str, top: int, as_json: bool) -> None:
    """Show what changed from MODEL1 to MODEL2; what is equal is left out.

    [bold]Examples[/]
        rosenblatt diff monday.rosenblatt tuesday.rosenblatt
        rosenblatt diff plain.rosenblatt averaged.rosenblatt --top 30 --json

    Weights are compared feature by feature: by name if both models have names, else by column. The
    exit status is 0 whether or not the models are equal; see the key "equal" of --json.
    """
    check_file(model1)
    check_file(model2)
    from rosenblatt.cli.inputs.models import load_model
    from rosenblatt.learning.models.comparison import compare

    (first, first_info), (second, second_info) = load_model(model1), load_model(model2)
    comparison = compare(first, second)
    notes = _changed_notes(first_info["notes"], second_info["notes"])
    base = first_info["notes"].get("index_base") or 0
    _note_index_mismatch(notes)
    if as_json:
        record = {"models": [model1, model2], **_record(comparison, base, top), "notes": notes}
        record["changed"] = _changed_keys(record)
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    console = terminal.stdout()
    is_trained = "run" in first_info["notes"] and "run" in second_info["notes"]
    changes = _changes("trained" if is_trained else "notes", notes)
    _show(comparison, (model1, model2), changes, console)
    _show_vectors(comparison, console)
    _show_weights(comparison, base, top, console)


def _changed_notes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, list[Any]]:
    names = [name for name in dict.fromkeys([*before, *after]) if name not in HIDDEN_NOTES]
    pairs = {name: [before.get(name), after.get(name)] for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _note_index_mismatch(notes: dict[str, list[Any]]) -> None:
    """Print a note if equal columns of the two models are different features."""
    for name in _INDEX_NOTES:
        old, new = notes.get(name, (None, None))
        if None not in (old, new):
            terminal.note(
                f"the models were trained with --{name.replace('_', '-')} {old} and {new}: a "
                "column of one is another feature in the other."
            )


def _feature_name(feature: str | int, base: int) -> str:
    return feature if isinstance(feature, str) else str(feature + base)


def _record(comparison: Comparison, base: int, top: int) -> dict[str, Any]:
    """Return the object of ``--json``."""
    return {
        "equal": comparison.equal,
        "class": list(comparison.kinds),
        "params": {name: [json_value(v) for v in pair] for name, pair in comparison.params.items()},
        "classes": _sets_record(comparison.labels),
        "features": _sets_record(comparison.features, base),
        "rows": None if comparison.rows is None else _sets_record(comparison.rows),
        "counts": {name: list(pair) for name, pair in comparison.counts.items()},
        "vectors": {
            fmt.label(one.label): {
                "norm": list(one.norm),
                "intercept": list(one.intercept),
                "distance": one.distance,
                "angle": None if math.isnan(one.angle) else one.angle,
            }
            for one in comparison.vectors
        },
        "why": comparison.why or None,
        "moved": [
            {
                "class": None if weight.label is None else fmt.label(weight.label),
                "feature": _feature_name(weight.feature, base),
                "before": weight.before,
                "after": weight.after,
            }
            for weight in comparison.most_moved(top)
        ],
    }


def _sets_record(sets: Sets, base: int = 0) -> dict[str, Any]:
    def shifted(values: list[Any]) -> list[Any]:
        return [value + base if base and type(value) is int else value for value in values]

    return {"kept": sets.kept, "added": shifted(sets.added), "lost": shifted(sets.lost)}


def _changed_keys(record: dict[str, Any]) -> list[str]:
    """Return the keys of the object of ``--json`` whose values are not the same in both models."""
    sets = [name for name in ("classes", "features", "rows") if record[name]]
    vectors = [value for one in record["vectors"].values() for value in one.values()]
    changed = {
        "class": len(set(record["class"])) > 1,
        "params": bool(record["params"]),
        **{name: bool(record[name]["added"] or record[name]["lost"]) for name in sets},
        "counts": any(old != new for old, new in record["counts"].values()),
        "vectors": any(
            value[0] != value[1] if isinstance(value, list) else value for value in vectors
        ),
        "notes": bool(record["notes"]),
    }
    return [name for name in record if changed.get(name)]


def _show(
    comparison: Comparison, paths: tuple[str, str], notes: list[tuple[str, str]], console: Console
) -> None:
    if comparison.equal:
        console.print(render.facts([("equal", f"{' and '.join(paths)}, bit for bit")]))
        if notes:
            console.print(render.facts(notes))
        return
    changes = [*_model_changes(comparison), *notes]
    if not changes:
        changes = [("state", "changed for further training alone; predictions are the same")]
    console.print(render.facts([("models", " → ".join(paths)), *changes]))


def _model_changes(comparison: Comparison) -> list[tuple[str, str]]:
    """Return a line for each part of the models, other than their notes, that has changed."""
    facts = []
    if len(set(comparison.kinds)) > 1:
        facts.append(("class", " → ".join(comparison.kinds)))
    facts += _changes("parameters", comparison.params)
    for name, sets in (("classes", comparison.labels), ("features", comparison.features)):
        if sets.added or sets.lost:
            facts.append((name, _format_sets(sets)))
    if comparison.named[0] != comparison.named[1]:
        nameless = "second" if comparison.named[0] else "first"
        facts.append(("names", f"the {nameless} model has none: features are compared by column"))
    if comparison.rows is not None and (comparison.rows.added or comparison.rows.lost):
        kept, rows = fmt.count(comparison.rows.kept, "row"), comparison.rows
        counts = f"{len(rows.added):,} new, {len(rows.lost):,} gone"
        facts.append(("support", f"{kept} in both, {counts}"))
    if counts := _format_counts(comparison):
        facts.append(("learned", counts))
    return facts + _weight_facts(comparison)


def _changes(name: str, pairs: dict[str, Any]) -> list[tuple[str, str]]:
    """Return a line for each changed value."""
    lines = [
        f"{key}: {_format_value(old)} → {_format_value(new)}" for key, (old, new) in pairs.items()
    ]
    return [("" if i else name, line) for i, line in enumerate(lines)]


def _format_value(value: Any) -> str:
    return "none" if value is None else repr(value)


def _format_sets(sets: Sets) -> str:
    parts = [f"{sets.kept:,} in both"]
    for values, word in ((sets.added, "new"), (sets.lost, "gone")):
        if values:
            names = f": {fmt.listing(values, _MAX_NAMES)}" if isinstance(values[0], str) else ""
            parts.append(f"{len(values):,} {word}{names}")
    return "; ".join(parts)


def _format_counts(comparison: Comparison) -> str:
    names = [name for name in ("examples", "mistakes", "updates") if name in comparison.counts]
    pairs = {name: comparison.counts[name] for name in names}
    return ", ".join(
        f"{old:,} → {new:,} {name}" for name, (old, new) in pairs.items() if old != new
    )


def _weight_facts(comparison: Comparison) -> list[tuple[str, str]]:
    """Return the changes of a single weight vector; several are shown in a table."""
    if comparison.why:
        return [("weights", f"not comparable: {comparison.why}")]
    if not comparison.vectors:
        return [("weights", "no common class")]
    if len(comparison.vectors) > 1:
        return []
    (one,) = comparison.vectors
    facts = []
    if one.distance > 0.0:
        turned = "" if math.isnan(one.angle) else f", turned by {one.angle:.3g}°"
        weights = f"‖w‖ {_format_pair(one.norm)}{turned}, ‖w₂ − w₁‖ = {one.distance:.4g}"
        facts.append(("weights", weights))
    if one.intercept[0] != one.intercept[1]:
        facts.append(("intercept", _format_pair(one.intercept)))
    return facts


def _format_pair(values: tuple[float, float]) -> str:
    old, new = (f"{value:.4g}" for value in values)
    return old if values[0] == values[1] else f"{old} → {new}"


def _show_vectors(comparison: Comparison, console: Console) -> None:
    vectors = [
        one
        for one in comparison.vectors
        if one.distance > 0.0 or one.intercept[0] != one.intercept[1]
    ]
    if len(comparison.vectors) < 2 or not vectors:
        return
    console.print()
    console.print(render.heading("Classes", "one weight vector each"))
    rows = [
        [
            fmt.label(one.label),
            _format_pair(one.norm),
            "–" if math.isnan(one.angle) else f"{one.angle:.3g}°",
            f"{one.distance:.4g}",
            _format_pair(one.intercept),
        ]
        for one in vectors[:_MAX_CLASSES]
    ]
    console.print(
        render.number_table(["class", "‖w‖", "turned by", "‖w₂ − w₁‖", "intercept"], rows)
    )
    render.print_omitted(console, len(vectors) - _MAX_CLASSES)


def _show_weights(comparison: Comparison, base: int, top: int, console: Console) -> None:
    """Print the weights with the largest changes, one per line."""
    moved = comparison.most_moved(top)
    if not moved:
        return
    several, label = len(comparison.vectors) > 1, moved[0].label
    sign = "" if several or label is None else f"+ favours {fmt.label(label)}"
    console.print()
    console.print(render.heading("Largest changes", sign))
    console.print(_weight_table(moved, base, several))


def _weight_table(moved: Sequence[Weight], base: int, several: bool) -> Table:
    """Return a table of weights: class, feature, both values, change and a bar."""
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    if several:
        table.add_column("class", style="bold", overflow="ellipsis", no_wrap=True, max_width=16)
    table.add_column("feature", overflow="ellipsis", no_wrap=True, max_width=30)
    for name in ("before", "after", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    longest = max(abs(weight.after - weight.before) for weight in moved)
    for label, feature, old, new in moved:
        bar = "▇" * max(1, round(_BAR_WIDTH * abs(new - old) / longest))
        colour = "blue" if new > old else "red"
        table.add_row(
            *([Text(fmt.label(label))] if several else []),
            Text(_feature_name(feature, base)),
            *(f"{value:+.4g}" for value in (old, new, new - old)),
            Text(bar, colour),
        )
    return table
