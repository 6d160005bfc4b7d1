"""``rosenblatt predict``: print the predicted label of each row."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.display import fmt
from rosenblatt.cli.inputs.existence import check_model_and_data
from rosenblatt.cli.options.declared import command, option
from rosenblatt.cli.options.predictions import PredictionOptions, check_one_decision
from rosenblatt.cli.options.shared import (
    SourceOptions,
    data_argument,
    json_option,
    model_argument,
    quiet_option,
)

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.predictions import Predictions, Predictor


class PredictOptions(SourceOptions, PredictionOptions, panel="Output"):
    """All options and arguments of ``rosenblatt predict``."""

    model: str = model_argument()
    data: str = data_argument()
    scores: bool = option(
        "--scores",
        "Add the scores: for two classes, that of the second; for more, one per class, in their "
        "order. For a voted model, shares of the votes.",
    )
    unlabelled: bool = option(
        "--unlabelled",
        "Refuse svmlight text whose first row begins with a label. Without it that row tells "
        "whether rows have labels.",
    )
    as_json: bool = json_option("Print one JSON object per row.")
    quiet: bool = quiet_option()


@command(PredictOptions, "Learn and predict", 3)
def predict(options: PredictOptions) -> None:
    r"""Predict the label of every row of DATA with MODEL.

    Examples
    --------
        rosenblatt predict mail.rosenblatt new.svm              # one label per line
        rosenblatt predict mail.rosenblatt new.csv --scores     # label, tab, score
        rosenblatt predict mail.rosenblatt new.csv --proba      # label, probabilities
        rosenblatt predict mail.rosenblatt new.csv --threshold 0.5
        rosenblatt predict mail.rosenblatt new.csv --sets 0.9   # label, labels of its set
        zcat new.svm.gz | rosenblatt predict mail.rosenblatt -  # from a pipe

    Columns of a table are matched by name; a column with labels is ignored, and so are features
    that the model has not learned. If the first rows have ids (such as tags in Vowpal Wabbit text),
    each line begins with the id and a tab. The line of a row that cannot be parsed is empty, and
    the exit status is then 3, unless --on-bad-row says otherwise. Rows of a pipe are answered as
    they arrive. Svmlight text may lack labels. Line ends and tabs in a label are printed as \n
    and \t.
    """
    if options.scores and options.proba:
        raise click.UsageError("--scores and --proba exclude each other: give one of them.")
    if options.sets is not None and (options.scores or options.proba):
        raise click.UsageError(
            "--sets prints the labels of the sets, without numbers: leave out --scores and --proba."
        )
    check_one_decision(options)
    if options.positive is not None and options.threshold is None and options.cost is None:
        raise click.UsageError("--positive goes with --threshold or --cost: give one, too.")
    check_model_and_data(options.model, options.data)
    from rosenblatt.cli.inputs import batches, data
    from rosenblatt.cli.inputs.bad_rows import MarkedRows
    from rosenblatt.cli.inputs.models import open_model
    from rosenblatt.cli.inputs.predictions import Predictor, check_scores
    from rosenblatt.streams.core.bad_rows import InOrder
    from rosenblatt.streams.core.errors import DataError

    read_options = data.build_read_options(options)._replace(tags=True)
    marked = MarkedRows(read_options.on_bad_row, options.as_json)
    if options.on_bad_row == "skip" or "on_bad_row" not in options.on_command_line:
        read_options = read_options._replace(on_bad_row=InOrder(marked))
    loaded = open_model(options.model)
    if options.scores and not hasattr(loaded.model, "decision_function"):
        raise click.UsageError(
            f"--scores goes with classifiers; {options.model} is a regressor and predicts numbers."
        )
    predictor = Predictor(loaded.model, options.model, options, probabilities=options.proba)
    stream = data.open_data_for(loaded, options.data, read_options, labelled=False)
    if options.unlabelled and stream.labelled:
        raise DataError(stream.name, "its first row begins with a label: leave out --unlabelled.")
    data.print_schema(stream, options.quiet)
    columns = data.align_columns(loaded, stream, options.quiet)
    lines = _json_lines if options.as_json else _text_lines
    quiet = options.quiet or sys.stdout.isatty()  # predictions show the progress there
    has_ids: bool | None = None
    for batch in batches.with_progress(loaded.model, stream, options.data, quiet):
        has_ids = batch.ids is not None if has_ids is None else has_ids
        ids = [""] * batch.rows.shape[0] if batch.ids is None else batch.ids.tolist()
        predictions = predictor(columns(batch.rows))
        check_scores(predictions.scores, stream.name, batch.first_row)
        if not options.scores:
            predictions = predictions._replace(scores=None)
        rows = lines(predictions, ids if has_ids or options.as_json else None, predictor)
        click.echo("".join(f"{row}\n" for row in rows), nl=False, color=True)  # as they are
    if not options.quiet:
        data.note_missing_cells(stream)
    marked.check()


def _numbers(predictions: Predictions) -> list[Any]:
    """Return the numbers beside each label: None, a number for two classes, or a list."""
    numbers = predictions.scores
    if predictions.probabilities is not None:
        numbers = predictions.probabilities
    return [None] * len(predictions.labels) if numbers is None else list(numbers.tolist())


def _sets(predictions: Predictions, predictor: Predictor) -> list[list[Any]]:
    """Return the labels of the set of each row; no set is empty where none was requested."""
    if predictions.sets is None:
        return [[]] * len(predictions.labels)
    classes = predictor.model.classes_
    return [classes[labels].tolist() for labels in predictions.sets]


def _text_lines(
    predictions: Predictions, ids: list[Any] | None, predictor: Predictor
) -> Iterator[str]:
    pairs = zip(predictions.labels.tolist(), _numbers(predictions), strict=True)
    escaped = fmt.printable if sys.stdout.isatty() else fmt.field
    sets = _sets(predictions, predictor)
    for k, (label, score) in enumerate(pairs):
        numbers = [] if score is None else score if isinstance(score, list) else [score]
        words = [fmt.label(label)] if ids is None else [str(ids[k]), fmt.label(label)]
        words += map(fmt.label, sets[k])
        yield "\t".join([*map(escaped, words), *(f"{number:.6g}" for number in numbers)])


def _json_lines(
    predictions: Predictions, ids: list[Any] | None, predictor: Predictor
) -> Iterator[str]:
    sets = _sets(predictions, predictor)
    plural = "scores" if predictions.probabilities is None else "probabilities"
    pairs = zip(predictions.labels.tolist(), _numbers(predictions), strict=True)
    for k, (label, score) in enumerate(pairs):
        record: dict[str, object] = {"id": ids[k]} if ids and ids[k] != "" else {}
        record["prediction"] = label
        if predictions.sets is not None:
            record["set"] = sets[k]
        if isinstance(score, list):
            record[plural] = dict(zip(predictor.names, score, strict=True))
        elif score is not None:
            record["score"] = score
        yield json.dumps(record, ensure_ascii=False)
