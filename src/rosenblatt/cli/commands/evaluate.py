"""``rosenblatt evaluate``: error, precision, recall and further metrics of a model on test data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.errors import BadData, Failure
from rosenblatt.cli.inputs.existence import check_model_and_data
from rosenblatt.cli.options.declared import command
from rosenblatt.cli.options.predictions import PredictionOptions, check_one_decision
from rosenblatt.cli.options.shared import (
    SourceOptions,
    data_argument,
    json_option,
    model_argument,
    quiet_option,
)

if TYPE_CHECKING:
    from rosenblatt.cli.display.metrics import MetricsReport


_LEARNED = "the training rows: the interval is not valid for new rows"


class EvaluateOptions(SourceOptions, PredictionOptions):
    """All options and arguments of ``rosenblatt evaluate``."""

    model: str = model_argument()
    data: str = data_argument()
    as_json: bool = json_option(
        "Print one JSON object: examples, errors, error, interval, by_class, auc, …"
    )
    quiet: bool = quiet_option()


@command(EvaluateOptions, "Learn and predict", 2)
def evaluate(options: EvaluateOptions) -> None:
    """Measure the error rate of MODEL on the rows of DATA, and precision and recall by class.

    Examples
    --------
        rosenblatt evaluate mail.rosenblatt test.svm  # measure the error rate
        rosenblatt evaluate mail.rosenblatt test.csv --target kind --json
        rosenblatt evaluate mail.rosenblatt test.csv --positive spam --threshold 0.5

    The 95 % interval is Wilson's; it is valid for rows that the model has not learned from, and a
    line says so if DATA has the name and the size of the training file. A label
    that is no class of the model counts as an error. Averages over classes stand beside those of
    the baseline, which always predicts the most frequent label. AUC is the probability that a row
    of the class has a higher score than another row. If rows have weights, the weighted error is
    shown, too; all other metrics count each row once.
    """
    check_one_decision(options)
    if options.proba and options.threshold is None:
        raise click.UsageError("--proba goes with --threshold: give --threshold X, too.")
    check_model_and_data(options.model, options.data)
    from rosenblatt.cli.inputs import bad_rows, batches, data
    from rosenblatt.cli.inputs.evaluation import Evaluation
    from rosenblatt.cli.inputs.models import open_model
    from rosenblatt.cli.inputs.predictions import check_known_labels, check_scores

    read_options = data.build_read_options(options)
    loaded = open_model(options.model)
    if not hasattr(loaded.model, "classes_"):
        name = type(loaded.model).__name__
        raise Failure(f"{options.model}: a {name} is a regressor; evaluate needs a classifier.")
    evaluation = Evaluation(loaded.model, options.model, options)
    stream = data.open_data_for(loaded, options.data, read_options, labelled=True)
    data.print_schema(stream, options.quiet)
    columns = data.align_columns(loaded, stream, options.quiet)
    for batch in batches.with_progress(loaded.model, stream, options.data, options.quiet):
        scores = evaluation.add(batch, columns(batch.rows))
        check_scores(scores, stream.name, batch.first_row)
    if evaluation.confusion.examples == 0:
        raise BadData(f"{stream.name}: no rows.")
    if not options.quiet:
        data.note_missing_cells(stream)
    check_known_labels(stream.name, evaluation.confusion, options.quiet)
    metrics, are_learned = evaluation.report(), data.is_training_data(loaded, options.data)
    if options.as_json:
        about = {
            "threshold": options.threshold,
            "bad_rows": bad_rows.count_bad_rows(read_options),
            "missing_cells": data.missing_cells(stream),
            "training_rows": are_learned,
            "sets": None if evaluation.sets is None else evaluation.sets.record(),
        }
        terminal.print_json(_record(metrics, loaded.model.classes_.tolist()) | about)
    else:
        console = terminal.stdout()
        facts = _facts(metrics, are_learned=are_learned)
        facts += [] if evaluation.sets is None else evaluation.sets.facts()
        console.print(render.facts(facts))
        metrics.show(console)


def _record(metrics: MetricsReport, classes: list[object]) -> dict[str, object]:
    """Return the object of ``--json``, with labels of the model's own type."""
    record = metrics.confusion.record()
    by_name = dict(zip(metrics.confusion.classes, classes, strict=True))
    constant = by_name.get(record["constant"], record["constant"])
    return record | {"classes": classes, "constant": constant} | metrics.record(by_name)


def _facts(metrics: MetricsReport, *, are_learned: bool) -> list[tuple[str, str]]:
    confusion = metrics.confusion
    facts = [
        ("error", fmt.error_rate(confusion.error, *confusion.interval)),
        ("", f"{confusion.errors:,} of {fmt.count(confusion.examples, 'row')}"),
        *([("", _LEARNED)] if are_learned else []),
    ]
    if confusion.weighted_error is not None:
        weighted = f"{fmt.percent(confusion.weighted_error)} of the total weight of the rows"
        facts.append(("weighted error", weighted))
    facts += [
        *metrics.doubt_facts(),
        *metrics.positive_facts(),
        *metrics.cost_facts(),
        ("baseline error", fmt.baseline(*confusion.constant)),
    ]
    if confusion.unseen:
        labels = [f"{label} ({number:,})" for label, number in confusion.unseen.items()]
        what = f"{fmt.listing(labels)}: no classes of the model, counted as errors"
        facts.append(("unknown labels", what))
    return facts
