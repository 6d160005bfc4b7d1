"""``rosenblatt inspect``: parameters, counts and heaviest weights of a model."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import fmt, model_facts, render, terminal
from rosenblatt.cli.display.model_facts import (
    HIDDEN_NOTES,
    changed_params,
    epoch_records,
    intercepts,
    json_value,
    vector_records,
)
from rosenblatt.cli.inputs import hashed_names
from rosenblatt.cli.inputs.existence import check_file
from rosenblatt.cli.inputs.hashed_names import heaviest_by_label, heaviest_effects, rank_features
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.cli.inputs.models import LoadedModel

_MAX_CLASSES = 20  # with weights on the screen


@click.command(
    cls=shared.Command,
    panel="Models and data",
    rank=1,
    example="rosenblatt inspect mail.rosenblatt",
    caption="show heaviest features",
    no_args_is_help=True,
)
@shared.order_panels
@shared.model_argument
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="K",
    help="Number of heaviest features, or support rows of a kernel model, to show on each side.",
    panel="Output",
)
@click.option(
    "--csv",
    "table",
    is_flag=False,
    flag_value="-",
    metavar="[FILE]",
    help="Write all nonzero weights and the intercepts as CSV, with the columns feature, class and "
    "weight, to FILE or, with - or nothing after --csv, to standard output. In each class the "
    "largest come first. A model of --scale has the column effect, too, and the largest effects "
    "come first. A kernel model has the coefficients of its support rows instead.",
    panel="Output",
)
@shared.json_option("Print one JSON object.")
def inspect(model: str, top: int, table: str | None, as_json: bool) -> None:
    """Show parameters, counts and heaviest features of MODEL.

    [bold]Examples[/]
        rosenblatt inspect mail.rosenblatt
        rosenblatt inspect mail.rosenblatt --top 20 --json
        rosenblatt inspect mail.rosenblatt --csv weights.csv

    No data is needed. A model of two classes has one weight vector; positive scores predict the
    second class.
    """
    if table is not None and as_json:
        raise click.UsageError("--csv and --json exclude each other: give one of them.")
    check_file(model)
    from rosenblatt.cli.inputs.models import open_model
    from rosenblatt.learning.models import files

    loaded = open_model(model)
    if table is not None:
        _write_table(loaded, model, table)
        return
    about = files.describe(model)
    if as_json:
        click.echo(json.dumps(_record(loaded, about, model, top), ensure_ascii=False))
        return
    console = terminal.stdout()
    console.print(render.facts(_facts(loaded, about, model)))
    _show_history(loaded.model, console)
    _show_classes(loaded.model, console)
    _show_rows(loaded, top, console)
    _show_weights(loaded, top, console)


def _write_table(loaded: LoadedModel, model: str, path: str) -> None:
    """Write the weights to a file, or to standard output."""
    from rosenblatt.cli.inputs.paths import check_output_path
    from rosenblatt.cli.report import weights_csv

    if lines := _output_facts(loaded.model):
        terminal.note(f"the table has the weights {lines[0][1]}.")
    if path == "-":
        weights_csv.write_weights(loaded, sys.stdout)
        return
    check_output_path(path, model, weights_csv.KIND, "--csv", weights_csv.check_weights)
    rows = weights_csv.save_weights(loaded, path)
    terminal.print_line("written", f"{path} ({fmt.count(rows, 'row')}).", "green")


def _record(loaded: LoadedModel, about: dict[str, Any], path: str, top: int) -> dict[str, Any]:
    """Return the object of ``--json``."""
    from rosenblatt.learning import interface

    model = loaded.model
    return {
        "model": path,
        "class": about["class"],
        "format": about["format"],
        "rosenblatt": about["rosenblatt"],
        "bytes": about["bytes"],
        "sha256": about["sha256"],
        "rule": _format_rule(model),
        "params": {name: json_value(value) for name, value in changed_params(loaded.saved).items()},
        "classes": model.classes_.tolist() if hasattr(model, "classes_") else None,
        "features": int(model.n_features_in_),
        "examples": int(model.t_ - 1),
        "mistakes": getattr(model, "mistakes_", None),
        "updates": model.updates_,
        "norm": interface.norm(model),
        "intercept": intercepts(model),
        "vectors": vector_records(model),
        "history": epoch_records(model),
        "kernel": model_facts.kernel_record(model),
        "support": model_facts.support_size(model),
        "rows": _expansion_records(loaded, top),
        "weights": heaviest_by_label(loaded, top),
        "effects": heaviest_effects(loaded, top),
        "notes": loaded.notes,
    }


def _format_rule(model: Any) -> str:
    from rosenblatt.learning import interface

    rule = interface.rule(model)
    numbers = ", ".join(f"{name}={value:g}" for name, value in rule._asdict().items())
    return f"{type(rule).__name__}({numbers})"


def _expansion_records(loaded: LoadedModel, top: int) -> dict[str, Any] | None:
    """Return the expansion of each weight vector of a kernel model.

    Its heaviest rows have row, coefficient and epoch.
    """
    from rosenblatt.cli.inputs.learned_rows import locate_rows

    if not model_facts.is_kernel(loaded.model):
        return None
    located = locate_rows(loaded, loaded.model.support_)
    return {
        vector.label: {
            "rows": vector.rows,
            "norm": vector.norm,
            "positive": [(row, weight, epoch) for (row, epoch), weight in vector.positive],
            "negative": [(row, weight, epoch) for (row, epoch), weight in vector.negative],
        }
        for vector in model_facts.list_expansions(loaded.model, located, top)
    }


def _facts(loaded: LoadedModel, about: dict[str, Any], path: str) -> list[tuple[str, str]]:
    from rosenblatt.learning import interface

    model = loaded.model
    params = changed_params(loaded.saved)
    if "run" in loaded.notes:  # the command orders the rows: its own --shuffle is in the notes
        params.pop("shuffle", None)
    facts = [
        ("model", f"{path} ({fmt.size(about['bytes'])})"),
        ("class", f"{about['class']}({_format_items(params, repr)})"),
        ("rule", _format_rule(model)),
    ]
    if hasattr(model, "classes_"):
        classes = model.classes_.tolist()
        facts.append(("classes", f"{len(classes):,}: {fmt.listing(classes)}"))
    ignored = []
    if getattr(loaded.saved, "ignored_", 0):  # because of max_features
        values, most = fmt.count(loaded.saved.ignored_, "value"), loaded.saved.max_features
        ignored = [("ignored", f"{values} of names beyond max_features={most:,}")]
    counts = [fmt.count(model.t_ - 1, "example")]
    if hasattr(model, "mistakes_"):
        counts.append(fmt.count(model.mistakes_, "mistake"))
    counts.append(fmt.count(model.updates_, "update"))
    facts += [
        ("features", f"{model.n_features_in_:,}{_format_used_features(model)}"),
        *ignored,
        *hashed_names.collision_facts(loaded.notes.get("collisions")),
        ("learned", ", ".join(counts)),
        *model_facts.kernel_facts(model, model.t_ - 1),
        *model_facts.scale_facts(model),
        ("weights", f"‖w‖ = {interface.norm(model):.4g}{_format_intercept(model)}"),
        *_output_facts(model),
    ]
    if loaded.notes:
        facts.append(_notes_fact(loaded.notes))
    written = f"by rosenblatt {about['rosenblatt']}, file format {about['format']}"
    return [*facts, ("written", f"{written}, arrays sha256 {about['sha256'][:12]}…")]


def _output_facts(model: Any) -> list[tuple[str, str]]:
    """Return which weights of a kernel model predict, unless it is the last ones."""
    if not model_facts.is_kernel(model) or model.output == "last":
        return []
    if model.output == "vote":
        return [("", "of the last step; predictions are votes of the weights of all steps")]
    return [("", "of the last step; predictions use the average over all steps")]


def _format_used_features(model: Any) -> str:
    import numpy as np

    if model_facts.is_kernel(model):
        return ""
    used = int(np.count_nonzero(np.any(np.atleast_2d(model.coef_) != 0.0, axis=0)))
    return f", {used:,} with a nonzero weight"


def _format_intercept(model: Any) -> str:
    """Format the intercept of a single weight vector; several are shown in a table."""
    values = intercepts(model)
    return f", intercept {values[0]:.4g}" if len(values) == 1 else ""


def _notes_fact(notes: dict[str, Any]) -> tuple[str, str]:
    """Return the options of the command that trained the model, or the notes of another writer."""
    from rosenblatt.streams.features.schema import describe_kinds

    shown = {k: v for k, v in notes.items() if v not in (None, False, []) and k not in HIDDEN_NOTES}
    if (kinds := describe_kinds(shown.pop("schema", {}))) is not None:
        shown["schema"] = kinds
    items = _format_items(shown, str)
    return ("trained", f"by rosenblatt train: {items}") if "run" in notes else ("notes", items)


def _format_items(items: dict[str, Any], spell: Callable[[Any], str]) -> str:
    return ", ".join(f"{name}={spell(value)}" for name, value in items.items())


def _show_history(model: Any, console: Console) -> None:
    """Print the counts of epochs 1, 2, 4, 8, …, and of the last one."""
    rows = epoch_records(model)
    if not rows:
        return
    console.print()
    console.print(render.heading("Epochs"))
    shown = [row for row in rows if not (n := int(row["epoch"])) & (n - 1) or row is rows[-1]]
    names = {"epoch": "epoch", "mistakes": "mistakes", "updates": "updates", "errors": "errors"}
    cells = [[f"{row[name]:,}" for name in names] for row in shown]
    ends = [[f"{row[name]:.4g}" for name in ("criterion", "norm")] for row in shown]
    header = [*names.values(), "mean loss", "‖w‖"]
    console.print(render.number_table(header, [a + b for a, b in zip(cells, ends, strict=True)]))


def _show_classes(model: Any, console: Console) -> None:
    """Print the counts of each weight vector if there are several."""
    vectors = vector_records(model)
    if len(vectors) == 1:
        return
    console.print()
    console.print(render.heading("Classes", "one weight vector each"))
    rows = [
        [
            label,
            f"{one['mistakes']:,}",
            f"{one['updates']:,}",
            f"{one['norm']:.4g}",
            f"{one['intercept']:.4g}",
        ]
        for label, one in list(vectors.items())[:_MAX_CLASSES]
    ]
    names = ["class", "mistakes", "updates", "‖w‖", "intercept"]
    console.print(render.number_table(names, rows))
    render.print_omitted(console, len(vectors) - _MAX_CLASSES)


def _show_rows(loaded: LoadedModel, top: int, console: Console) -> None:
    """Print the support rows with the largest coefficients of a kernel model."""
    from rosenblatt.cli.inputs.learned_rows import NUMBERING, row_names

    model = loaded.model
    if not model_facts.is_kernel(model):
        return
    vectors = model_facts.list_expansions(model, row_names(loaded), top)
    console.print()
    if len(vectors) == 1:
        (vector,) = vectors
        weights = [*vector.positive, *vector.negative[::-1]]
        console.print(render.heading("Heaviest rows", f"{_direction_hint(model)}   {NUMBERING}"))
        console.print(render.bars([(f"row {name}", weight) for name, weight in weights]))
        return
    console.print(render.heading("Heaviest rows", NUMBERING))
    shown = vectors[:_MAX_CLASSES]
    counts = [[f"{vector.rows:,}", f"{vector.norm:.4g}"] for vector in shown]
    sides = [(vector.label, vector.positive, vector.negative) for vector in shown]
    console.print(render.class_table(sides, ("rows", "‖w‖"), counts))
    render.print_omitted(console, len(vectors) - _MAX_CLASSES)


def _show_weights(loaded: LoadedModel, top: int, console: Console) -> None:
    """Print the features of the largest weights or, in a model with scaling, effects."""
    model, ranking = loaded.model, rank_features(loaded, top)
    rows = list(ranking.by_label.items())
    if not any(side["positive"] or side["negative"] for _, side in rows):
        return
    console.print()
    if len(rows) == 1:
        label, side = rows[0]
        console.print(render.heading(ranking.title, _direction_hint(model)))
        details = []
        if ranking.weights is not None:
            console.print(f"{ranking.hint}; in brackets the weight", style="dim")
            weights = ranking.weights[label]
            details = [f"  ({w:+.3g})" for w in weights["positive"] + weights["negative"][::-1]]
        width = 14 if details else 20
        console.print(render.bars(side["positive"] + side["negative"][::-1], details, width))
        return
    console.print(render.heading(ranking.title, ranking.hint))
    shown = [(name, side["positive"], side["negative"]) for name, side in rows[:_MAX_CLASSES]]
    console.print(render.class_table(shown))
    render.print_omitted(console, len(rows) - _MAX_CLASSES)


def _direction_hint(model: Any) -> str:
    if not hasattr(model, "classes_"):
        return ""
    against, towards = map(fmt.label, model.classes_.tolist())
    return f"left, −: {against}   right, +: {towards}"
