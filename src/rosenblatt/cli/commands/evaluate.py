"""``rosenblatt evaluate``: the error rate of a model on test data."""

from __future__ import annotations

import json
from typing import Any

import rich_click as click

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.display.errors import Failure
from rosenblatt.cli.inputs.existence import check_model_and_data
from rosenblatt.cli.options import shared


@click.command(no_args_is_help=True)
@shared.order_panels
@shared.model_argument
@shared.data_argument
@shared.json_option("Print one JSON object: examples, errors, error, interval, confusion, …")
@shared.quiet_option
@shared.reading_options
def evaluate(model: str, data: str, as_json: bool, quiet: bool, **reading: Any) -> None:
    """Measure the error rate of MODEL on the rows of DATA.

    [bold]Examples[/]
        rosenblatt evaluate mail.rosenblatt test.svm
        rosenblatt evaluate mail.rosenblatt test.csv --target kind --json

    The 95 % interval is Wilson's; it is valid for rows that the model has not learned from. A label
    that is no class of the model counts as an error. If rows have weights, the weighted error is
    shown, too.
    """
    check_model_and_data(model, data)
    from rosenblatt.cli.inputs.bad_rows import count_bad_rows
    from rosenblatt.cli.inputs.batches import with_progress
    from rosenblatt.cli.inputs.columns import ColumnAligner
    from rosenblatt.cli.inputs.data import build_read_options, open_data_for, print_schema
    from rosenblatt.cli.inputs.models import open_model
    from rosenblatt.cli.inputs.unknown_labels import check_known_labels

    read_options = build_read_options(shared.SourceOptions(**reading))
    loaded = open_model(model)
    if not hasattr(loaded.model, "classes_"):
        name = type(loaded.model).__name__
        raise Failure(f"{model}: a {name} is a regressor; evaluate needs a classifier.")
    stream = open_data_for(loaded, data, read_options, labelled=True)
    print_schema(stream, quiet)
    columns = ColumnAligner(loaded, stream, quiet)
    confusion = ConfusionMatrix([fmt.label(label) for label in loaded.model.classes_.tolist()])
    for batch in with_progress(loaded.model, stream, data, terminal.stderr(quiet)):
        predictions = loaded.model.predict(columns(batch.X)).tolist()
        confusion.add(batch.y.tolist(), predictions, batch.weight)
    check_known_labels(stream.name, confusion, quiet)
    if as_json:
        record = _record(confusion, loaded.model.classes_.tolist())
        record |= {"bad_rows": count_bad_rows(read_options)}
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        _show(confusion)


def _record(confusion: ConfusionMatrix, classes: list[Any]) -> dict[str, Any]:
    """Return the object of ``--json``, with labels of the model's own type."""
    record = confusion.record()
    by_name = dict(zip(confusion.classes, classes, strict=True))
    return record | {
        "classes": classes,
        "constant": by_name.get(record["constant"], record["constant"]),
    }


def _show(confusion: ConfusionMatrix) -> None:
    console = terminal.stdout()
    console.print(render.facts(_facts(confusion)))
    if confusion.errors == 0:
        return
    console.print()
    render.show_confusion(console, confusion)


def _facts(confusion: ConfusionMatrix) -> list[tuple[str, str]]:
    facts = [
        ("error", fmt.error_rate(confusion.error, *confusion.interval)),
        ("", f"{confusion.errors:,} of {fmt.count(confusion.examples, 'row')}"),
        ("baseline error", fmt.baseline(*confusion.constant)),
    ]
    if confusion.weighted_error is not None:
        weighted = f"{fmt.percent(confusion.weighted_error)} of the total weight of the rows"
        facts.insert(2, ("weighted error", weighted))
    if confusion.unseen:
        unseen = ", ".join(f"{label} ({number:,})" for label, number in confusion.unseen.items())
        facts.append(("unknown labels", f"{unseen}: no classes of the model, counted as errors"))
    return facts
