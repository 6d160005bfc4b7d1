"""``rosenblatt predict``: one label a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.options import shared

if TYPE_CHECKING:
    from rosenblatt.streams import Batch


@click.command(no_args_is_help=True)
@shared.order_panels
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
def predict(model: str, data: str, **params: Any) -> None:
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
    from rosenblatt.cli.inputs.answering import with_progress
    from rosenblatt.cli.inputs.columns import ColumnAligner

    read_options = inputs_data.build_read_options(params)
    loaded = models.open_model(model)
    if params["scores"] and not hasattr(loaded.model, "decision_function"):
        raise click.UsageError(
            f"--scores goes with classifiers; {model} predicts numbers as it is."
        )
    stream = inputs_data.open_data_for(
        loaded, data, read_options._replace(tags=True), labelled=False
    )
    inputs_data.print_schema(stream, params["quiet"])
    columns = ColumnAligner(loaded, stream, params["quiet"])
    lines = _json_lines if params["as_json"] else _text_lines
    console = terminal.stderr(params["quiet"] or sys.stdout.isatty())  # there the answers tell it
    named: bool | None = None
    for batch in with_progress(loaded.model, stream, data, console):
        named = batch.ids is not None if named is None else named
        ids = _ids(batch) if named or params["as_json"] else None
        rows = lines(loaded.model, columns(batch.X), params["scores"], ids)
        click.echo("".join(f"{row}\n" for row in rows), nl=False)


def _ids(batch: Batch) -> list[Any]:
    """The ids of the rows, empty where there are none."""
    return [""] * batch.X.shape[0] if batch.ids is None else batch.ids.tolist()


def _predictions(model: Any, X: Any, scores: bool) -> tuple[list[Any], list[Any]]:
    """Labels and, where they are asked for, scores: a number for two classes, else a list."""
    if not scores:
        labels = model.predict(X).tolist()
        return labels, [None] * len(labels)
    return model.predict(X).tolist(), model.decision_function(X).tolist()


def _text_lines(model: Any, X: Any, scores: bool, ids: list[Any] | None) -> Iterator[str]:
    for k, (label, score) in enumerate(zip(*_predictions(model, X, scores), strict=True)):
        numbers = [] if score is None else score if isinstance(score, list) else [score]
        named = [] if ids is None else [str(ids[k])]
        yield "\t".join([*named, fmt.label(label), *(f"{number:.6g}" for number in numbers)])


def _json_lines(model: Any, X: Any, scores: bool, ids: list[Any] | None) -> Iterator[str]:
    names = [fmt.label(label) for label in getattr(model, "classes_", [])]
    for k, (label, score) in enumerate(zip(*_predictions(model, X, scores), strict=True)):
        record: dict[str, Any] = {"id": ids[k]} if ids and ids[k] != "" else {}
        record["prediction"] = label
        if isinstance(score, list):
            record["scores"] = dict(zip(names, score, strict=True))
        elif score is not None:
            record["score"] = score
        yield json.dumps(record, ensure_ascii=False)
