"""``rosenblatt diff``: comparison of two models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.model_facts import HIDDEN_NOTES, json_value
from rosenblatt.cli.inputs.existence import check_file
from rosenblatt.cli.options.declared import Options, argument, command, option
from rosenblatt.cli.options.shared import json_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rosenblatt.learning.models.comparison import Comparison, Moved, Sets, Weight
    from rosenblatt.streams.core.notes import Notes

_MAX_NAMES = 8
_BAR_WIDTH = 14
_INDEX_NOTES = ("bits", "index_base")  # columns are comparable if these notes are equal


class DiffOptions(Options, panel="Output"):
    """All options and arguments of ``rosenblatt diff``."""

    model1: str = argument("MODEL1", "A model file.")
    model2: str = argument("MODEL2", "Another model file.")
    top: int = option(
        "--top K",
        "Number of weights with the largest changes to show.",
        click.IntRange(min=0),
        default=10,
    )
    as_json: bool = json_option("Print one JSON object.")


@command(DiffOptions, "Models and data", 2)
def diff(options: DiffOptions) -> None:
    """Show what changed from MODEL1 to MODEL2; what is equal is left out.

    Examples
    --------
        rosenblatt diff a.rosenblatt b.rosenblatt  # compare two models
        rosenblatt diff monday.rosenblatt tuesday.rosenblatt
        rosenblatt diff plain.rosenblatt averaged.rosenblatt --top 30 --json

    Weights are compared feature by feature: by name if both models have names, else by column. The
    exit status is 0 whether or not the models are equal; see the key "equal" of --json.
    """
    paths = (options.model1, options.model2)
    check_file(paths[0])
    check_file(paths[1])
    from rosenblatt.cli.inputs.models import load_model
    from rosenblatt.learning.models.comparison import compare
    from rosenblatt.streams.core.notes import hashed_columns

    (first, before), (second, after) = map(load_model, paths)
    comparison = compare(first, second)
    notes = _changed_notes(before["notes"], after["notes"])
    moved = comparison.most_moved(options.top)
    if before["notes"].get("bits") == after["notes"].get("bits"):
        spelled = hashed_columns(after["notes"]) | hashed_columns(before["notes"])
        moved = [_with_hashed_name(one, spelled) for one in moved]
    if base := before["notes"].get("index_base"):  # the first column has this number
        moved = [
            one._replace(feature=one.feature + base) if isinstance(one.feature, int) else one
            for one in moved
        ]
    if options.as_json:
        record = {"models": paths, **_record(comparison, base or 0, moved), "notes": notes}
        record["changed"] = _changed_keys(record)
        terminal.print_json(record)
        return
    is_trained = "run" in before["notes"] and "run" in after["notes"]
    changes = _changes("trained" if is_trained else "notes", notes)
    console = terminal.stdout()
    if comparison.equal and "means" not in notes:
        console.print(render.facts([("equal", f"{' and '.join(paths)}, bit for bit")]))
    else:
        state = [("state", "changed for further training alone; predictions are the same")]
        changes = [*_model_changes(comparison), *changes] or state
        changes.insert(0, ("models", " → ".join(paths)))
    if changes:
        console.print(render.facts(changes))
    _show_vectors(comparison.vectors)
    if moved:
        _show_moved(moved, several=len(comparison.vectors) > 1)


def _with_hashed_name(weight: Weight, spelled: Mapping[int, tuple[int, str]]) -> Weight:
    """Return a weight with the name of its hashed column, and with the sign of the name."""
    if not isinstance(weight.feature, int) or weight.feature not in spelled:
        return weight
    sign, name = spelled[weight.feature]
    before, after = (sign * value + 0.0 for value in (weight.before, weight.after))
    return weight._replace(feature=name, before=before, after=after)


def _changed_notes(before: Notes, after: Notes) -> dict[str, list[object]]:
    """Return the notes that differ; note if equal columns of the models are other features."""
    names = [name for name in dict.fromkeys([*before, *after]) if name not in HIDDEN_NOTES]
    pairs = {name: [before.get(name), after.get(name)] for name in names}
    changed = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    means = [notes.get("means") or {} for notes in (before, after)]
    columns = dict.fromkeys([*means[0], *means[1]])
    moved = [name for name in columns if means[0].get(name) != means[1].get(name)]
    if moved:  # other numbers in the place of missing ones
        changed["means"] = [{name: own.get(name) for name in moved} for own in means]
    for name in _INDEX_NOTES:
        old, new = changed.get(name, (None, None))
        if None not in (old, new):
            terminal.note(
                f"the models were trained with --{name.replace('_', '-')} {old} and {new}: a "
                "column of one is another feature in the other."
            )
    return changed


def _record(comparison: Comparison, base: int, moved: list[Weight]) -> dict[str, object]:
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
                "class": None if label is None else fmt.label(label),
                "feature": str(feature),
                "before": before,
                "after": after,
            }
            for label, feature, before, after in moved
        ],
    }


def _sets_record(sets: Sets, base: int = 0) -> dict[str, object]:
    def shifted(values: list[object]) -> list[object]:
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
    if (rows := comparison.rows) is not None and (rows.added or rows.lost):
        counts = f"{len(rows.added):,} new, {len(rows.lost):,} gone"
        facts.append(("support", f"{fmt.count(rows.kept, 'row')} in both, {counts}"))
    names = ("examples", "mistakes", "updates")
    pairs = [(name, comparison.counts.get(name, (0, 0))) for name in names]
    learned = [f"{old:,} → {new:,} {name}" for name, (old, new) in pairs if old != new]
    if learned:
        facts.append(("learned", ", ".join(learned)))
    if comparison.why or not comparison.vectors:
        why = f"not comparable: {comparison.why}" if comparison.why else "no common class"
        facts.append(("weights", why))
    if len(comparison.vectors) == 1:  # several are shown in a table
        (one,) = comparison.vectors
        if one.distance > 0.0:
            turned = "" if math.isnan(one.angle) else f", turned by {one.angle:.3g}°"
            weights = f"‖w‖ {_format_pair(one.norm)}{turned}, ‖w₂ − w₁‖ = {one.distance:.4g}"
            facts.append(("weights", weights))
        if one.intercept[0] != one.intercept[1]:
            facts.append(("intercept", _format_pair(one.intercept)))
    return facts


def _changes(name: str, pairs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a line for each changed value."""
    lines = [
        f"{key}: {' → '.join('none' if value is None else repr(value) for value in pair)}"
        for key, pair in pairs.items()
    ]
    return [("" if i else name, line) for i, line in enumerate(lines)]


def _format_sets(sets: Sets) -> str:
    parts = [f"{sets.kept:,} in both"]
    for values, word in ((sets.added, "new"), (sets.lost, "gone")):
        if values:
            names = f": {fmt.listing(values, _MAX_NAMES)}" if isinstance(values[0], str) else ""
            parts.append(f"{len(values):,} {word}{names}")
    return "; ".join(parts)


def _format_pair(values: tuple[float, float]) -> str:
    old, new = (f"{value:.4g}" for value in values)
    return old if values[0] == values[1] else f"{old} → {new}"


def _show_vectors(vectors: list[Moved]) -> None:
    """Print the changes of several weight vectors."""
    rows = [
        [
            fmt.label(one.label),
            _format_pair(one.norm),
            "–" if math.isnan(one.angle) else f"{one.angle:.3g}°",
            f"{one.distance:.4g}",
            _format_pair(one.intercept),
        ]
        for one in vectors
        if one.distance > 0.0 or one.intercept[0] != one.intercept[1]
    ]
    if len(vectors) > 1 and rows:
        names = ["class", "‖w‖", "turned by", "‖w₂ − w₁‖", "intercept"]
        render.class_section(
            *(terminal.stdout(), "Classes", "one weight vector each", rows),
            lambda shown: render.number_table(names, shown),
        )


def _show_moved(moved: list[Weight], *, several: bool) -> None:
    """Print the weights with the largest changes, one per line: both values, change and a bar."""
    columns = [
        *([render.Column("class", "bold", max_width=16)] if several else []),
        render.Column("feature", max_width=30),
        *(render.Column(name, is_right=True) for name in ("before", "after", "change")),
        render.Column(overflow="wrap"),
    ]
    longest = max(abs(weight.after - weight.before) for weight in moved)
    rows = [
        [
            *([fmt.label(label)] if several else []),
            str(feature),
            *(f"{value:+.4g}" for value in (old, new, new - old)),
            render.text(render.bar((new - old) / longest, _BAR_WIDTH)),
        ]
        for label, feature, old, new in moved
    ]
    label = moved[0].label
    sign = "" if several or label is None else f"+ favours {fmt.label(label)}"
    render.section(terminal.stdout(), "Largest changes", sign, render.table(columns, rows))
