"""``rosenblatt inspect``: parameters, counts and heaviest weights of a model."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.display import fmt, model_facts, render, terminal
from rosenblatt.cli.display.errors import BadData
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
from rosenblatt.cli.options.declared import Options, command, option
from rosenblatt.cli.options.shared import json_option, model_argument

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.cli.inputs.models import LoadedModel
    from rosenblatt.learning.models.header import Description
    from rosenblatt.streams.core.notes import Notes


class InspectOptions(Options, panel="Output"):
    """All options and arguments of ``rosenblatt inspect``."""

    model: str = model_argument()
    top: int = option(
        "--top K",
        "Number of heaviest features, or support rows of a kernel model, to show on each side.",
        click.IntRange(min=0),
        default=5,
    )
    csv: str | None = option(
        "--csv [FILE]",
        "Write all nonzero weights and the intercepts as CSV, with the columns feature, class and "
        "weight, to FILE or, with - or nothing after --csv, to standard output. In each class the "
        "largest come first. A model that knows the spreads of its columns, as the default and "
        "that of --scale do, has the column effect, too, and the largest effects come first. A "
        "kernel model has the coefficients of its support rows instead.",
        flag_value="-",
    )
    card: bool = option(
        "--card",
        "Print a model card in Markdown: data, columns, options, error with its interval, "
        "baseline, heaviest features and fingerprints.",
    )
    as_json: bool = json_option("Print one JSON object.")


@command(InspectOptions, "Models and data", 1)
def inspect(options: InspectOptions) -> None:
    """Show parameters, counts and heaviest features of MODEL.

    Examples
    --------
        rosenblatt inspect mail.rosenblatt  # show heaviest features
        rosenblatt inspect mail.rosenblatt --top 20 --json
        rosenblatt inspect mail.rosenblatt --csv weights.csv
        rosenblatt inspect mail.rosenblatt --card > mail.md

    No data is needed. A model of two classes has one weight vector; positive scores predict the
    second class. MODEL may be a saved RowEncoder: its columns, options and means are shown.
    """
    outputs = {"--csv": options.csv is not None, "--json": options.as_json, "--card": options.card}
    if len(chosen := [name for name, is_chosen in outputs.items() if is_chosen]) > 1:
        raise click.UsageError(f"{' and '.join(chosen)} exclude each other: give one of them.")
    check_file(options.model)
    from rosenblatt.cli.inputs.models import describe_model, open_model
    from rosenblatt.learning.models.encoders import ENCODER

    about = describe_model(options.model)
    if about["class"] == ENCODER:
        _show_encoder(about, options)
        return
    loaded = open_model(options.model)
    if options.csv is not None:
        _write_table(loaded, options.model, options.csv)
        return
    if options.card:
        from rosenblatt.cli.report.card import model_card

        click.echo(model_card(loaded, about, options.model), nl=False)
        return
    if options.as_json:
        terminal.print_json(_record(loaded, about, options.model, options.top))
        return
    console = terminal.stdout()
    console.print(render.facts(_facts(loaded, about, options.model)))
    _show_history(loaded.model, console)
    _show_classes(loaded.model, console)
    _show_rows(loaded, options.top, console)
    _show_weights(loaded, options.top, console)


def _show_encoder(about: Description, options: InspectOptions) -> None:
    """Print the encoder of a file that has no model."""
    from rosenblatt.cli.report.encoder import encoder_facts, encoder_record

    if options.csv is not None or options.card:
        output = "--card is of a model" if options.card else "--csv writes the weights of a model"
        raise BadData(f"{options.model}: has an encoder of raw rows, and no model: {output}.")
    if options.as_json:
        terminal.print_json(encoder_record(about, options.model))
        return
    terminal.stdout().print(render.facts(encoder_facts(about, options.model)))


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


def _record(loaded: LoadedModel, about: Description, path: str, top: int) -> dict[str, object]:
    """Return the object of ``--json``."""
    from rosenblatt.learning import interface

    model = loaded.model
    return {
        "model": path,
        **{name: about[name] for name in ("class", "format", "rosenblatt", "bytes", "sha256")},
        "rule": model_facts.format_rule(model),
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
        "support": interface.support_size(model),
        "blend": model_facts.blend_record(model),
        "rows": _expansion_records(loaded, top),
        "weights": heaviest_by_label(loaded, top),
        "effects": heaviest_effects(loaded, top),
        "notes": loaded.notes,
    }


def _expansion_records(loaded: LoadedModel, top: int) -> dict[str, object] | None:
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


def _facts(loaded: LoadedModel, about: Description, path: str) -> list[tuple[str, str]]:
    from rosenblatt.learning import interface

    model = loaded.model
    params = changed_params(loaded.saved)
    if "run" in loaded.notes:  # the command orders the rows: its own --shuffle is in the notes
        params.pop("shuffle", None)
    facts = [
        ("model", f"{path} ({fmt.size(about['bytes'])})"),
        ("class", f"{about['class']}({_format_items(params, repr)})"),
        ("rule", model_facts.describe_rule(model)),
    ]
    if hasattr(model, "classes_"):
        classes = model.classes_.tolist()
        facts.append(("classes", f"{len(classes):,}: {fmt.listing(classes)}"))
    facts.append(("features", f"{model.n_features_in_:,}{_format_used_features(model)}"))
    if getattr(loaded.saved, "ignored_", 0):  # because of max_features
        ignored, most = fmt.count(loaded.saved.ignored_, "value"), loaded.saved.max_features
        facts.append(("ignored", f"{ignored} of names beyond max_features={most:,}"))
    counts = [fmt.count(model.t_ - 1, "example")]
    if hasattr(model, "mistakes_"):
        counts.append(fmt.count(model.mistakes_, "mistake"))
    counts.append(fmt.count(model.updates_, "update"))
    values = intercepts(model)  # several are shown in a table
    intercept = f", intercept {values[0]:.4g}" if len(values) == 1 else ""
    facts += [
        *hashed_names.collision_facts(loaded.notes.get("collisions")),
        ("learned", ", ".join(counts)),
        *model_facts.kernel_facts(model, model.t_ - 1),
        *model_facts.scale_facts(model),
        *model_facts.blend_facts(model),
        *model_facts.cost_facts(model),
        *model_facts.set_facts(model),
        ("weights", f"‖w‖ = {interface.norm(model):.4g}{intercept}"),
        *_output_facts(model),
    ]
    if loaded.notes:
        facts += [
            _notes_fact(loaded.notes),
            *model_facts.earlier_facts(loaded.notes),
            *model_facts.means_facts(loaded.notes),
        ]
    return [*facts, ("written", model_facts.format_writer(about))]


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


def _notes_fact(notes: Notes) -> tuple[str, str]:
    """Return the options of the command that trained the model, or the notes of another writer."""
    from rosenblatt.streams.features.schema import describe_kinds

    shown: dict[str, Any] = {
        k: v for k, v in notes.items() if v not in (None, False, []) and k not in HIDDEN_NOTES
    }
    if (kinds := describe_kinds(shown.pop("schema", {}))) is not None:
        shown["schema"] = kinds
    items = _format_items(shown, str)
    return ("trained", f"by rosenblatt train: {items}") if "run" in notes else ("notes", items)


def _format_items(items: dict[str, object], spell: Callable[[object], str]) -> str:
    return ", ".join(f"{name}={spell(value)}" for name, value in items.items())


def _show_history(model: object, console: Console) -> None:
    """Print the counts of epochs 1, 2, 4, 8, …, and of the last one."""
    history = epoch_records(model)
    counts, ends = ["epoch", "mistakes", "updates", "errors"], ["criterion", "norm"]
    rows = [
        [*(f"{row[name]:,}" for name in counts), *(f"{row[name]:.4g}" for name in ends)]
        for row in history
        if not (n := int(row["epoch"])) & (n - 1) or row is history[-1]
    ]
    if rows:
        table = render.number_table([*counts, "mean loss", "‖w‖"], rows)
        render.section(console, "Epochs", "", table)


def _show_classes(model: object, console: Console) -> None:
    """Print the counts of each weight vector if there are several."""
    counts, numbers = ["mistakes", "updates"], ["norm", "intercept"]
    rows = [
        [label, *(f"{one[name]:,}" for name in counts), *(f"{one[name]:.4g}" for name in numbers)]
        for label, one in vector_records(model).items()
    ]
    if len(rows) > 1:
        render.class_section(
            console,
            "Classes",
            "one weight vector each",
            rows,
            lambda shown: render.number_table(["class", *counts, "‖w‖", "intercept"], shown),
        )


def _show_rows(loaded: LoadedModel, top: int, console: Console) -> None:
    """Print the support rows with the largest coefficients of a kernel model."""
    from rosenblatt.cli.inputs.learned_rows import NUMBERING, row_names

    model = loaded.model
    if not model_facts.is_kernel(model):
        return
    vectors = model_facts.list_expansions(model, row_names(loaded), top)
    if len(vectors) == 1:
        weights = [*vectors[0].positive, *vectors[0].negative[::-1]]
        bars = render.bars([(f"row {name}", weight) for name, weight in weights])
        render.section(console, "Heaviest rows", f"{_direction_hint(model)}   {NUMBERING}", bars)
        return
    render.class_section(
        console,
        "Heaviest rows",
        NUMBERING,
        vectors,
        lambda shown: render.class_table(
            [(vector.label, vector.positive, vector.negative) for vector in shown],
            ("rows", "‖w‖"),
            [[f"{vector.rows:,}", f"{vector.norm:.4g}"] for vector in shown],
        ),
    )


def _show_weights(loaded: LoadedModel, top: int, console: Console) -> None:
    """Print the features of the largest weights or, where spreads are known, effects."""
    model, ranking = loaded.model, rank_features(loaded, top)
    rows = [(name, one["positive"], one["negative"]) for name, one in ranking.by_label.items()]
    if not any(above or below for _, above, below in rows):
        return
    if len(rows) > 1:
        render.class_section(console, ranking.title, ranking.hint, rows, render.class_table)
        return
    ((label, above, below),) = rows
    console.print()
    console.print(render.heading(ranking.title, _direction_hint(model)))
    details = []
    if ranking.weights is not None:
        console.print(f"{ranking.hint}; in brackets the weight", style="dim")
        weights = ranking.weights[label]
        details = [f"  ({w:+.3g})" for w in weights["positive"] + weights["negative"][::-1]]
    console.print(render.bars(above + below[::-1], details, 14 if details else 20))


def _direction_hint(model: object) -> str:
    if not hasattr(model, "classes_"):
        return ""
    against, towards = map(fmt.label, model.classes_.tolist())
    return f"left, −: {against}   right, +: {towards}"
