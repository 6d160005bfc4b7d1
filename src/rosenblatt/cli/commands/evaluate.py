"""``rosenblatt evaluate``: how often a model is wrong on rows it has never seen."""

from __future__ import annotations

import json
from typing import Any

import rich_click as click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.options import shared


@click.command(no_args_is_help=True)
@shared.order_panels
@shared.model_argument
@shared.data_argument
@shared.json_option("One object: examples, errors, error, interval, confusion, …")
@shared.quiet_option
@shared.reading_options
def evaluate(model: str, data: str, **params: Any) -> None:
    """Count how often MODEL is wrong on the rows of DATA.

    [bold]Examples[/]
        rosenblatt evaluate mail.rosenblatt test.svm
        rosenblatt evaluate mail.rosenblatt test.csv --target kind --json

    The interval is Wilson's, at 95 %: it holds for rows that the model has not learned from. A
    label that the model does not know counts as an error. Where rows have weights, the share of
    the weight that is wrong is told, too.
    """
    from rosenblatt.cli.inputs import data as inputs_data
    from rosenblatt.cli.inputs import models
    from rosenblatt.cli.inputs.answering import with_progress
    from rosenblatt.cli.inputs.bad_rows import count_bad_rows
    from rosenblatt.cli.inputs.columns import ColumnAligner

    read_options = inputs_data.build_read_options(params)
    loaded = models.open_model(model)
    if not hasattr(loaded.model, "classes_"):
        name = type(loaded.model).__name__
        raise Failure(f"{model}: a {name} predicts numbers; evaluate counts wrong labels.")
    stream = inputs_data.open_data_for(loaded, data, read_options, labelled=True)
    inputs_data.print_schema(stream, params["quiet"])
    columns = ColumnAligner(loaded, stream, params["quiet"])
    confusion = ConfusionMatrix([fmt.label(label) for label in loaded.model.classes_.tolist()])
    for batch in with_progress(loaded.model, stream, data, terminal.stderr(params["quiet"])):
        predictions = loaded.model.predict(columns(batch.X)).tolist()
        confusion.add(batch.y.tolist(), predictions, batch.weight)
    if params["as_json"]:
        record = _record(confusion, loaded.model.classes_.tolist()) | {
            "bad_rows": count_bad_rows(read_options)
        }
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        _show(confusion)


def _record(confusion: ConfusionMatrix, classes: list[Any]) -> dict[str, Any]:
    """The object of ``--json``, with labels of the model's own type."""
    record = confusion.record()
    by_name = dict(zip(confusion.classes, classes, strict=True))
    return record | {
        "classes": classes,
        "constant": by_name.get(record["constant"], record["constant"]),
    }


def _show(confusion: ConfusionMatrix) -> None:
    from rosenblatt.cli.display import render

    console = terminal.stdout()
    console.print(render.facts(_facts(confusion)))
    if confusion.errors == 0:
        return
    console.print()
    render.show_confusion(console, confusion)


def _facts(confusion: ConfusionMatrix) -> list[tuple[str, str]]:
    missed = f"{confusion.errors:,} of {confusion.examples:,}"
    facts = [
        ("wrong", f"{fmt.error_rate(confusion.error, *confusion.interval)}: {missed}"),
        ("best constant", fmt.baseline(*confusion.constant)),
    ]
    if confusion.weighted_error is not None:
        weighted = f"{fmt.percent(confusion.weighted_error)}, each row counted with its weight"
        facts.insert(1, ("weighted", weighted))
    if confusion.unseen:
        unseen = ", ".join(f"{label} ({number:,})" for label, number in confusion.unseen.items())
        facts.append(("unseen labels", f"{unseen}: not known to the model, counted as errors"))
    return facts
