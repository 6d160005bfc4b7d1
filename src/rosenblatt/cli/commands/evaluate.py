"""``rosenblatt evaluate``: how often a model is wrong on rows it has never seen."""

from __future__ import annotations

import json
from typing import Any

import rich_click as click

from rosenblatt.cli.display import console as display_console
from rosenblatt.cli.display import text
from rosenblatt.cli.display.confusion import Tally
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.options import shared


@click.command(no_args_is_help=True)
@shared.in_order
@shared.model_argument
@shared.data_argument
@shared.json_option("One object: examples, errors, error, interval, confusion, …")
@shared.quiet_option
@shared.reading_options
def evaluate(model: str, data: str, **given: Any) -> None:
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
    from rosenblatt.cli.inputs.answering import answered
    from rosenblatt.cli.inputs.bad_rows import left_out
    from rosenblatt.cli.inputs.columns import Columns

    how = inputs_data.reading(given)
    loaded = models.open_model(model)
    if not hasattr(loaded.model, "classes_"):
        name = type(loaded.model).__name__
        raise Failure(f"{model}: a {name} predicts numbers; evaluate counts wrong labels.")
    stream = inputs_data.open_data_for(loaded, data, how, labelled=True)
    inputs_data.tell_kinds(stream, given["quiet"])
    columns = Columns(loaded, stream, given["quiet"])
    tally = Tally([text.label(label) for label in loaded.model.classes_.tolist()])
    for batch in answered(loaded.model, stream, data, display_console.messages(given["quiet"])):
        answers = loaded.model.predict(columns(batch.X)).tolist()
        tally.add(batch.y.tolist(), answers, batch.weight)
    if given["as_json"]:
        record = _record(tally, loaded.model.classes_.tolist()) | {"bad_rows": left_out(how)}
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        _show(tally)


def _record(tally: Tally, classes: list[Any]) -> dict[str, Any]:
    """The object of ``--json``, with labels of the model's own type."""
    record = tally.record()
    by_name = dict(zip(tally.classes, classes, strict=True))
    return record | {
        "classes": classes,
        "constant": by_name.get(record["constant"], record["constant"]),
    }


def _show(tally: Tally) -> None:
    from rosenblatt.cli.display import render

    console = display_console.output()
    console.print(render.facts(_facts(tally)))
    if tally.errors == 0:
        return
    console.print()
    render.show_confusion(console, tally)


def _facts(tally: Tally) -> list[tuple[str, str]]:
    missed = f"{tally.errors:,} of {tally.examples:,}"
    facts = [
        ("wrong", f"{text.wrong(tally.error, *tally.interval)}: {missed}"),
        ("best constant", text.always(*tally.constant)),
    ]
    if tally.weighted_error is not None:
        told = f"{text.percent(tally.weighted_error)}, each row counted with its weight"
        facts.insert(1, ("weighted", told))
    if tally.unseen:
        unseen = ", ".join(f"{label} ({number:,})" for label, number in tally.unseen.items())
        facts.append(("unseen labels", f"{unseen}: not known to the model, counted as errors"))
    return facts
