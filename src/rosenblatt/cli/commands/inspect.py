"""``rosenblatt inspect``: what a model is, and what weighs heaviest in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import console as display_console
from rosenblatt.cli.display import model_facts, text
from rosenblatt.cli.display.model_facts import (
    UNTOLD,
    _intercepts,
    by_vector,
    changed,
    history,
    labels,
)
from rosenblatt.cli.inputs import hashed_names
from rosenblatt.cli.inputs.hashed_names import by_label
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.cli.inputs.models import Loaded

_MOST_CLASSES = 20  # shown with their weights
_NUMBERED = "numbered as they came, from 0"


@click.command(no_args_is_help=True)
@shared.in_order
@shared.model_argument
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="K",
    help="Heaviest features, and rows of a kernel model, to show on each side.",
    panel="Output",
)
@shared.json_option("One object with all of it.")
def inspect(model: str, top: int, as_json: bool) -> None:
    """Show what MODEL is, what it has learned from, and its heaviest features or rows.

    [bold]Examples[/]
        rosenblatt inspect mail.rosenblatt
        rosenblatt inspect mail.rosenblatt --top 20 --json

    It needs no data. Of two classes there is one weight vector: it speaks for the second.
    """
    from rosenblatt.cli.display import render
    from rosenblatt.cli.inputs import models
    from rosenblatt.learning.models import files

    loaded = models.open_model(model)
    about = files.describe(model)
    if as_json:
        click.echo(json.dumps(_record(loaded, about, model, top), ensure_ascii=False))
        return
    console = display_console.output()
    console.print(render.facts(_facts(loaded, about, model)))
    _show_history(loaded.model, console)
    _show_classes(loaded.model, console)
    _show_rows(loaded.model, top, console)
    _show_weights(loaded, top, console)


def _record(loaded: Loaded, about: dict[str, Any], path: str, top: int) -> dict[str, Any]:
    """The object of ``--json``."""
    model = loaded.model
    return {
        "model": path,
        "class": about["class"],
        "format": about["format"],
        "rosenblatt": about["rosenblatt"],
        "bytes": about["bytes"],
        "sha256": about["sha256"],
        "rule": _rule(model),
        "params": {name: _plain(value) for name, value in changed(loaded.saved).items()},
        "classes": model.classes_.tolist() if hasattr(model, "classes_") else None,
        "features": int(model.n_features_in_),
        "examples": int(model.t_ - 1),
        "mistakes": getattr(model, "mistakes_", None),
        "updates": model.updates_,
        "norm": float(model._norm()),
        "intercept": _intercepts(model),
        "vectors": by_vector(model),
        "history": history(model),
        "kernel": model_facts.kernel_record(model),
        "support": model_facts.support(model),
        "rows": _rows(model, top),
        "weights": by_label(loaded, top),
        "notes": loaded.notes,
    }


def _rule(model: Any) -> str:
    rule = model._rule()
    numbers = ", ".join(f"{name}={value:g}" for name, value in rule._asdict().items())
    return f"{type(rule).__name__}({numbers})"


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, type(None))) else repr(value)


def _rows(model: Any, top: int) -> dict[str, Any] | None:
    """The rows that a kernel model is a sum of, by class."""
    if not model_facts.is_kernel(model):
        return None
    found = model_facts.shares(model, labels(model), top)
    return {share.label: share.record() for share in found}


# --- what is shown -------------------------------------------------------------------------------


def _facts(loaded: Loaded, about: dict[str, Any], path: str) -> list[tuple[str, str]]:
    model = loaded.model
    params = ", ".join(f"{name}={value!r}" for name, value in changed(loaded.saved).items())
    facts = [
        ("model", f"{path} ({text.size(about['bytes'])})"),
        ("class", f"{about['class']}({params})"),
        ("rule", _rule(model)),
    ]
    if hasattr(model, "classes_"):
        classes = model.classes_.tolist()
        facts.append(("classes", f"{len(classes):,}: {text.listing(classes)}"))
    facts += [
        ("features", f"{model.n_features_in_:,}{_used(model)}"),
        *_left_out(loaded.saved),
        *hashed_names.facts(loaded.notes.get("collisions")),
        ("learned", _learned(model)),
        *model_facts.facts(model, model.t_ - 1),
        ("weights", f"‖w‖ = {model._norm():.4g}{_intercept(model)}"),
        *_predicts(model),
    ]
    if loaded.notes:
        facts.append(("notes", _notes(loaded.notes)))
    written = f"by rosenblatt {about['rosenblatt']}, file format {about['format']}"
    return [*facts, ("written", f"{written}, arrays sha256 {about['sha256'][:12]}…")]


def _left_out(saved: Any) -> list[tuple[str, str]]:
    """What a limit of names has cost."""
    if not getattr(saved, "ignored_", 0):
        return []
    left = f"{text.count(saved.ignored_, 'value')} of names beyond {saved.max_features:,}"
    return [("left out", left)]


def _predicts(model: Any) -> list[tuple[str, str]]:
    """Which weights of a kernel model predict, where it is not the last ones alone."""
    if not model_facts.is_kernel(model) or model.output == "last":
        return []
    if model.output == "vote":
        return [("", "the last ones; all that there have been vote")]
    return [("", "‖w‖ of the last ones; the average of all predicts")]


def _used(model: Any) -> str:
    import numpy as np

    if model_facts.is_kernel(model):
        return ""
    used = int(np.count_nonzero(np.any(np.atleast_2d(model.coef_) != 0.0, axis=0)))
    return f", {used:,} of them with a weight"


def _learned(model: Any) -> str:
    parts = [text.count(model.t_ - 1, "example")]
    if hasattr(model, "mistakes_"):
        parts.append(text.count(model.mistakes_, "mistake"))
    return ", ".join([*parts, text.count(model.updates_, "update")])


def _intercept(model: Any) -> str:
    """Of one vector: where there are several, a table tells."""
    values = _intercepts(model)
    return f", intercept {values[0]:.4g}" if len(values) == 1 else ""


def _notes(notes: dict[str, Any]) -> str:
    from rosenblatt.streams.features.schema import described

    told = {k: v for k, v in notes.items() if v not in (None, False, []) and k not in UNTOLD}
    if (kinds := described(told.pop("schema", {}))) is not None:
        told["schema"] = kinds
    return ", ".join(f"{name}={value}" for name, value in told.items())


def _show_history(model: Any, console: Console) -> None:
    """The epochs of a fit: the first, second, fourth, eighth …, and the last."""
    from rosenblatt.cli.display import render

    rows = history(model)
    if not rows:
        return
    console.print()
    console.print(render.heading("Epochs"))
    shown = [row for row in rows if not (n := int(row["epoch"])) & (n - 1) or row is rows[-1]]
    names = {"epoch": "epoch", "mistakes": "mistakes", "updates": "updates", "errors": "wrong"}
    cells = [[f"{row[name]:,}" for name in names] for row in shown]
    ends = [[f"{row[name]:.4g}" for name in ("criterion", "norm")] for row in shown]
    header = [*names.values(), "mean loss", "‖w‖"]
    console.print(render.numbers(header, [a + b for a, b in zip(cells, ends, strict=True)]))


def _show_classes(model: Any, console: Console) -> None:
    """What the weight vector of each class has come to, where there are several."""
    from rosenblatt.cli.display import render

    known = by_vector(model)
    if len(known) == 1:
        return
    console.print()
    console.print(render.heading("Classes", "a weight vector each"))
    rows = [
        [
            label,
            f"{one['mistakes']:,}",
            f"{one['updates']:,}",
            f"{one['norm']:.4g}",
            f"{one['intercept']:.4g}",
        ]
        for label, one in list(known.items())[:_MOST_CLASSES]
    ]
    names = ["class", "mistakes", "updates", "‖w‖", "intercept"]
    console.print(render.numbers(names, rows))
    _tell_more(len(known), console)


def _show_rows(model: Any, top: int, console: Console) -> None:
    """The rows that speak loudest, of a kernel model."""
    from rosenblatt.cli.display import render

    if not model_facts.is_kernel(model):
        return
    found = model_facts.shares(model, labels(model), top)
    console.print()
    if len(found) == 1:
        (share,) = found
        weights = [*share.positive, *share.negative[::-1]]
        console.print(render.heading("Heaviest examples", f"{_direction(model)}   {_NUMBERED}"))
        console.print(render.bars([(f"example {name}", weight) for name, weight in weights]))
        return
    console.print(render.heading("Heaviest examples", _NUMBERED))
    shown = found[:_MOST_CLASSES]
    counts = [[f"{share.rows:,}", f"{share.norm:.4g}"] for share in shown]
    sides = [(share.label, share.positive, share.negative) for share in shown]
    console.print(render.sides(sides, ("rows", "‖w‖"), counts))
    _tell_more(len(found), console)


def _show_weights(loaded: Loaded, top: int, console: Console) -> None:
    from rosenblatt.cli.display import render

    model = loaded.model
    rows = list(by_label(loaded, top).items())
    if not any(side["positive"] or side["negative"] for _, side in rows):
        return
    console.print()
    if len(rows) == 1:
        _name, side = rows[0]
        console.print(render.heading("Heaviest features", _direction(model)))
        console.print(render.bars(side["positive"] + side["negative"][::-1]))
        return
    console.print(render.heading("Heaviest features"))
    shown = [(name, side["positive"], side["negative"]) for name, side in rows[:_MOST_CLASSES]]
    console.print(render.sides(shown))
    _tell_more(len(rows), console)


def _tell_more(classes: int, console: Console) -> None:
    if classes > _MOST_CLASSES:
        more = text.count(classes - _MOST_CLASSES, "class")
        console.print(f"… and {more} more: --json tells them all.")


def _direction(model: Any) -> str:
    if not hasattr(model, "classes_"):
        return ""
    against, towards = map(text.label, model.classes_.tolist())
    return f"left, −: {against}   right, +: {towards}"
