"""``rosenblatt predict``: one label a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import console as display_console
from rosenblatt.cli.display import text
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rosenblatt.streams import Batch


@click.command(no_args_is_help=True)
@shared.in_order
@shared.model_argument
@shared.data_argument
@click.option(
    "--scores",
    is_flag=True,
    help="Add the scores: of two classes, that of the second; of more, one each, in their order. "
    "Of a vote they are shares of the votes.",
    panel="Output",
)
@shared.json_option("One object a row.")
@shared.quiet_option
@shared.reading_options
def predict(model: str, data: str, **given: Any) -> None:
    """Predict the label of every row of DATA with MODEL.

    [bold]Examples[/]
        rosenblatt predict mail.rosenblatt new.svm                [dim]one label a line[/]
        rosenblatt predict mail.rosenblatt new.csv --scores       [dim]a tab, and how sure[/]
        zcat new.svm.gz | rosenblatt predict mail.rosenblatt -  [dim]of any length[/]

    Columns of a table are found by their names; a column with labels is ignored. Features that
    the model has never seen weigh nothing. Where the first rows have ids, as tags in Vowpal Wabbit
    text are, every line begins with its row's id and a tab.
    """
    from rosenblatt.cli.inputs import data as inputs_data
    from rosenblatt.cli.inputs import models
    from rosenblatt.cli.inputs.answering import answered
    from rosenblatt.cli.inputs.columns import Columns

    how = inputs_data.reading(given)
    loaded = models.open_model(model)
    if given["scores"] and not hasattr(loaded.model, "decision_function"):
        raise click.UsageError(
            f"--scores goes with classifiers; {model} predicts numbers as it is."
        )
    stream = inputs_data.open_data_for(loaded, data, how._replace(tags=True), labelled=False)
    inputs_data.tell_kinds(stream, given["quiet"])
    columns = Columns(loaded, stream, given["quiet"])
    lines = _objects if given["as_json"] else _lines
    console = display_console.messages(
        given["quiet"] or sys.stdout.isatty()
    )  # there the answers tell it
    named: bool | None = None
    for batch in answered(loaded.model, stream, data, console):
        named = batch.ids is not None if named is None else named
        ids = _ids(batch) if named or given["as_json"] else None
        rows = lines(loaded.model, columns(batch.X), given["scores"], ids)
        click.echo("".join(f"{row}\n" for row in rows), nl=False)


def _ids(batch: Batch) -> list[Any]:
    """The ids of the rows, empty where there are none."""
    return [""] * batch.X.shape[0] if batch.ids is None else batch.ids.tolist()


def _answers(model: Any, X: Any, scores: bool) -> tuple[list[Any], list[Any]]:
    """Labels and, where they are asked for, scores: a number for two classes, else a list."""
    if not scores:
        labels = model.predict(X).tolist()
        return labels, [None] * len(labels)
    return model.predict(X).tolist(), model.decision_function(X).tolist()


def _lines(model: Any, X: Any, scores: bool, ids: list[Any] | None) -> Iterator[str]:
    for k, (label, score) in enumerate(zip(*_answers(model, X, scores), strict=True)):
        numbers = [] if score is None else score if isinstance(score, list) else [score]
        named = [] if ids is None else [str(ids[k])]
        yield "\t".join([*named, text.label(label), *(f"{number:.6g}" for number in numbers)])


def _objects(model: Any, X: Any, scores: bool, ids: list[Any] | None) -> Iterator[str]:
    names = [text.label(label) for label in getattr(model, "classes_", [])]
    for k, (label, score) in enumerate(zip(*_answers(model, X, scores), strict=True)):
        answer: dict[str, Any] = {"id": ids[k]} if ids and ids[k] != "" else {}
        answer["prediction"] = label
        if isinstance(score, list):
            answer["scores"] = dict(zip(names, score, strict=True))
        elif score is not None:
            answer["score"] = score
        yield json.dumps(answer, ensure_ascii=False)
