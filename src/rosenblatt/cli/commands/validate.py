"""``rosenblatt validate``: the error of a learner that predicts each row before learning it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import product
from operator import methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import click

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.display.error_table import ErrorTable, format_alarm
from rosenblatt.cli.display.errors import BadData, Failure, signal_error
from rosenblatt.cli.inputs.existence import check_data
from rosenblatt.cli.options.conflicts import check_learner_options
from rosenblatt.cli.options.declared import FiniteRange, command, option
from rosenblatt.cli.options.learning import LinearOptions, RulesOption, build_linear
from rosenblatt.cli.options.lists import default_of, listed
from rosenblatt.cli.options.names import rate_of
from rosenblatt.cli.options.predictions import PositiveOption
from rosenblatt.cli.options.ranking import check_metric, metric_option
from rosenblatt.cli.options.shared import SourceOptions, data_argument, json_option, quiet_option
from rosenblatt.learning.evaluation.ranking import METRICS
from rosenblatt.theory.rules import DECLARATIONS

if TYPE_CHECKING:
    from rosenblatt.cli.display.metrics import MetricsReport
    from rosenblatt.learning.evaluation.drift import Alarm
    from rosenblatt.learning.evaluation.validation import Point, Validation, Validator
    from rosenblatt.streams import Batch
    from rosenblatt.streams.core.options import ReadOptions

_SORTED = "the rows are sorted by label"
_IN_RANDOM_ORDER = "For the error in random order: rosenblatt train --shuffle --holdout 0.3."


class ValidateOptions(SourceOptions, PositiveOption, LinearOptions, RulesOption, panel="Output"):
    """All options and arguments of ``rosenblatt validate``."""

    data: str = data_argument()
    window: int = option(
        "--window N",
        "Also show the error of the last N examples.",
        click.IntRange(min=1),
        default=1000,
        panel="Options",
    )
    delay: Any = listed(
        option(
            "--delay N",
            "Labels arrive N examples late, and are learned then.",
            click.IntRange(min=0),
            default=0,
            panel="Options",
        )
    )
    eta0: Any = listed(LinearOptions.declared["eta0"])
    alpha: Any = listed(LinearOptions.declared["alpha"])
    metric: str | None = metric_option("error")
    drift: bool = option(
        "--drift/--no-drift",
        "Report concept drift: a rise of the error. The probability of any false alarm is 1 %.",
        default=True,
        panel="Options",
    )
    sets: float | None = option(
        "--sets COVERAGE",
        "Form the set of labels of each row that has the right one in this share of the rows, "
        "such as 0.9, whatever the stream does: it adapts. For models with probabilities.",
        FiniteRange(0.0, 1.0, min_open=True, max_open=True),
        panel="Options",
    )
    lines: str | None = option(
        "--lines FILE",
        "Write each point and alarm at once as a line of JSON; - is standard output.",
    )
    every: int | None = option(
        "--every N",
        "With --lines or --json, add a point after every N examples.",
        click.IntRange(min=1),
    )
    as_json: bool = json_option("Print one JSON object to standard output at the end.")
    quiet: bool = quiet_option()
    shuffle: bool = option("--shuffle", "Refused, with the command that shuffles.", hidden=True)


class _Run(NamedTuple):
    """Counts of a validation, and what else its summary shows."""

    settings: dict[str, Any]  # those of which there are several
    result: Validation
    metrics: MetricsReport
    ranks: dict[str, float | None]  # the metrics of the registry
    signal: int  # that ended the run, or 0
    is_sorted: bool  # by label, so that the error means nothing
    about: dict[str, Any]  # the rows, for --json


@command(ValidateOptions, "Learn and predict", 4)
def validate(options: ValidateOptions) -> None:
    """Measure the error of predicting each row, then learning it.

    Examples
    --------
        rosenblatt validate mail.svm  # predict rows, then learn them
        rosenblatt validate mail.csv --target kind --window 500
        rosenblatt validate mail.svm --rule auto --rule pa1 --rule arow
        rosenblatt validate mail.svm --rule logistic --eta0 0.01,0.1,1 --metric log_loss
        rosenblatt validate clicks.jsonl --delay 10000 --lines clicks.errors.jsonl --every 1000
        zcat log.svm.gz | rosenblatt validate - --format svmlight --lines -

    This is prequential evaluation. The 95 % interval is valid on all lines at once. Each row counts
    once, whatever its weight. No model is written: use train for that.
    """
    if options.shuffle:  # those look for it whose rows are sorted by label
        raise click.UsageError(f"validate reads the rows in their order. {_IN_RANDOM_ORDER}")
    if options.lines == "-" and options.as_json:
        raise click.UsageError(
            "--lines - and --json both write to standard output: name a file after --lines."
        )
    if options.every and not (options.lines or options.as_json):
        raise click.UsageError("--every goes with --lines or --json: give one of them, too.")
    if options.class_weight == "balanced":
        raise click.UsageError(
            "--class-weight balanced counts the labels first, and a validation does not know them "
            """yet: give weights, such as --class-weight '{"spam": 5}'."""
        )
    learners = _learners(options)
    for _, learner in learners:
        check_learner_options(learner, is_compared=len(options.rules) > 1)
    if options.metric is not None and len(learners) == 1:
        raise click.UsageError(
            "--metric ranks several learners: give several --rule, or a list such as --eta0 0.1,1."
        )
    if options.sets is not None and any(learner.delay > 1 for _, learner in learners):
        raise click.UsageError("--sets adapts to each label at once: it excludes --delay.")
    if len(learners) > 1 and options.sets is not None:
        raise click.UsageError("--sets goes with one --rule and no list: leave the others out.")
    if len(learners) > 1 and options.lines:
        raise click.UsageError("--lines goes with one --rule and no list: leave the others out.")
    metric = options.metric or "error"
    check_metric(
        metric, [learner.rule for _, learner in learners], calibrated=options.probabilities
    )
    check_data(options.data)
    from rosenblatt.cli.inputs.data import build_read_options
    from rosenblatt.learning.evaluation.ranking import ranked

    runs = _run(learners, build_read_options(options))
    in_order = [runs[k] for k in ranked([run.ranks[metric] for run in runs], metric)]
    best = in_order[0]
    if not options.quiet:
        _note_no_change(options, best)
    if options.as_json:
        terminal.print_json(
            _several_records(runs, in_order, metric) if len(learners) > 1 else _record(best)
        )
    elif len(learners) > 1:
        _show_comparison(options, in_order, metric)
    else:
        to_stderr = options.lines == "-"
        console = terminal.stderr(options.quiet) if to_stderr else terminal.stdout()
        console.print(render.facts(_facts(best)))
        if len(best.metrics.confusion.classes) > 1:
            best.metrics.show(console)
    if best.signal:
        learned = fmt.count(best.result.examples, "example")
        raise signal_error(f"stopped after {learned}.", best.signal)


def _learners(options: ValidateOptions) -> list[tuple[dict[str, Any], ValidateOptions]]:
    """Return the options of each learner, and those settings of which there are several."""
    rules = options.rules if "rules" in options.on_command_line else (options.default_rule,)
    lists = {"rule": tuple(dict.fromkeys(rules))}
    for name in ("eta0", "alpha", "delay"):
        lists[name] = getattr(options, name) or (default_of(name, options),)
    learners = []
    for values in product(*lists.values()):
        settings = dict(zip(lists, values, strict=True))
        several = {name: value for name, value in settings.items() if len(lists[name]) > 1}
        learners.append((several, options.replaced(**settings)))
    return learners


def _several_records(runs: list[_Run], in_order: list[_Run], metric: str) -> dict[str, object]:
    """Return the object of ``--json``: rules by name, other learners from the best to the worst."""
    if all(run.settings.keys() == {"rule"} for run in runs):
        return {"metric": metric, "rules": {run.settings["rule"]: _record(run) for run in runs}}
    return {"metric": metric, "candidates": [run.settings | _record(run) for run in in_order]}


def _show_comparison(options: ValidateOptions, runs: list[_Run], metric: str) -> None:
    """Print a line for each learner, in the order of the metric."""
    ranking = METRICS[metric]
    rows = []
    for run in runs:
        last, alarms = run.result.last, "–"
        if options.drift:
            alarms = f"{len(run.result.alarms):,}"
        rows.append(
            [
                *(
                    f"{value:g}" if isinstance(value, float) else f"{value}"
                    for value in run.settings.values()
                ),
                *(() if metric == "error" else (ranking.text(run.ranks[metric]),)),
                fmt.percent(last.error),
                fmt.interval(last.low, last.high),
                fmt.percent(last.windowed),
                alarms,
            ]
        )
    best = runs[0]
    window = f"last {min(options.window, best.result.examples):,}"
    names = ["progressive error", "95 % interval", window, "alarms"]
    names = [*best.settings, *(() if metric == "error" else (ranking.title,)), *names]
    facts = _baseline_facts(best)
    if best.is_sorted:
        facts.insert(0, ("progressive error", "meaningless: " + _SORTED))
    console = terminal.stdout()
    console.print(render.number_table(names, rows))
    console.print(render.facts(facts))


def _run(
    learners: list[tuple[dict[str, Any], ValidateOptions]], read_options: ReadOptions
) -> list[_Run]:
    """Validate the learners on one reading of DATA; of one learner, print its error on the way."""
    import numpy as np

    from rosenblatt.cli.display.metrics import MetricsReport
    from rosenblatt.cli.inputs import bad_rows, data
    from rosenblatt.cli.training.class_weights import note_unused_weights, typed_weights
    from rosenblatt.cli.training.column_scales import ColumnScales
    from rosenblatt.cli.training.decisions import check_probabilities
    from rosenblatt.cli.training.signals import Signals
    from rosenblatt.learning import interface
    from rosenblatt.learning.decisions.sets import AdaptiveSets
    from rosenblatt.learning.evaluation import validation
    from rosenblatt.learning.evaluation.metrics import MAX_SCORES
    from rosenblatt.learning.evaluation.progress import LabelOrder
    from rosenblatt.streams.features.encoding import number_columns

    _, options = learners[0]
    stream = data.open_data(options.data, read_options)
    data.print_schema(stream, options.quiet)
    models, are_several = [build_linear(one) for _, one in learners], len(learners) > 1
    sets = None
    if options.sets is not None:
        check_probabilities(models[0], "--sets")
        sets = AdaptiveSets(options.sets)
    weights = options.class_weight if isinstance(options.class_weight, dict) else None
    scales, order = ColumnScales(), LabelOrder()
    errors = ErrorTable(terminal.stderr(options.quiet or are_several), options.window)
    with ExitStack() as closing:
        lines = sys.stdout if options.lines == "-" else None
        if lines is None and options.lines:
            lines = closing.enter_context(_open_lines_file(options.lines, options.data))

        def report(event: Point | Alarm) -> None:
            errors.add(event)
            if lines is not None:
                print(json.dumps(validation.event_record(event)), file=lines, flush=True)

        signals = closing.enter_context(Signals())

        def rows() -> Iterator[Batch]:
            is_first = True
            for batch in signals.batches(data.checked_examples(stream)):
                scales.add(batch.rows)
                order.add(batch.y)
                for model in models if is_first else ():
                    if weights is not None:
                        model.class_weight = typed_weights(weights, batch.y, stream.name)
                    if options.scale:
                        interface.centre_columns(model, number_columns(stream))
                is_first = False
                yield batch

        closing.enter_context(np.errstate(all="ignore"))
        validators = [
            validation.Validator(
                model,
                window=options.window,
                delay=one.delay,
                every=options.every,
                drift=0.99 if options.drift else None,
                sets=sets,
                report=report,
                max_scores=MAX_SCORES // len(learners),
            )
            for model, (_, one) in zip(models, learners, strict=True)
        ]
        running = dict(enumerate(validators))
        for batch in rows():
            _each(running, methodcaller("add", batch), learners)
        finished = _each(running, methodcaller("finish"), learners)
    learners = [learners[k] for k in finished]
    results = list(finished.values())
    result = results[0]
    if result.examples == 0:
        if signals.number:
            raise signal_error("stopped before the first example.", signals.number)
        raise BadData(f"{stream.name}: no rows.")
    errors.end(result.last)
    labels = sorted({label for label, _ in result.confusion})
    is_sorted = order.is_sorted(result.examples, len(labels))
    if not options.quiet:
        if weights is not None:
            note_unused_weights(weights, labels, stream.name)
        data.note_missing_cells(stream)
        if options.scale or all(DECLARATIONS[one.rule].scale_free for _, one in learners):
            scales.note_alone(stream)
        else:
            scales.note(stream)
        delay = max(one.delay for _, one in learners)
        _note_doubts(delay, options, stream.name, result, is_sorted)
    about = {
        "bad_rows": bad_rows.count_bad_rows(read_options),
        "missing_cells": data.missing_cells(stream),
        "sorted_by_label": is_sorted,
    }
    positive = next((one for one in labels if fmt.label(one) == options.positive), None)
    runs = []
    for result, (settings, one) in zip(results, learners, strict=True):
        confusion = _build_confusion(result, labels)
        eta0 = rate_of(one.rule, one.eta0)
        metrics = MetricsReport(confusion, result.scores, options.positive, eta0)
        ranks = {name: metric.of(result, positive) for name, metric in METRICS.items()}
        runs.append(_Run(settings, result, metrics, ranks, signals.number, is_sorted, about))
    return runs


def _each(
    running: dict[int, Validator],
    do: Callable[[Validator], Any],
    learners: list[tuple[dict[str, Any], ValidateOptions]],
) -> dict[int, Any]:
    """Call a method of every learner that is running; return the results by their numbers.

    One of several whose weights leave the floats is named in a note, and runs no more.
    """
    from rosenblatt.learning.linear.base import OutOfRangeError

    results = {}
    for k in tuple(running):
        try:
            results[k] = do(running[k])
        except OutOfRangeError:
            if len(running) == 1:
                raise
            del running[k]
            words = " ".join(f"--{name} {fmt.label(v)}" for name, v in learners[k][0].items())
            terminal.note(f"{words}: the weights left the floating-point range.")
    return results


def _note_no_change(options: ValidateOptions, run: _Run) -> None:
    """Print a note where repeating the label seen last has the smaller error."""
    result = run.result
    if run.is_sorted or result.no_change_error >= result.error:
        return
    what = "the model" if not run.settings else "the best learner"
    terminal.note(
        f"{options.data}: repeating the label seen last is wrong in "
        f"{fmt.percent(result.no_change_error)} of the rows, {what} in "
        f"{fmt.percent(result.error)}: labels come in runs, which needs no features. A feature "
        "with the label before would tell the model."
    )


def _note_doubts(
    delay: int, options: ValidateOptions, name: str, result: Validation, is_sorted: bool
) -> None:
    """Print notes on what makes the error meaningless, or is not in the rows."""
    if result.examples <= delay:
        counts = f"{fmt.count(result.examples, 'row')}, and --delay {delay:,}"
        terminal.note(f"{name}: has {counts}: no label arrived before the end.")
    if is_sorted:
        terminal.note(
            f"{name}: {_SORTED}, so nearly every example has the label of the one before. "
            f"{_IN_RANDOM_ORDER}"
        )
    labels = {fmt.label(label) for label, _ in result.confusion}
    if options.positive not in (None, *labels):
        terminal.note(f"--positive {options.positive}: no row of {options.data} has this label.")


def _build_confusion(result: Validation, labels: list[object]) -> ConfusionMatrix:
    confusion = ConfusionMatrix([fmt.label(label) for label in labels])
    for (label, prediction), number in result.confusion.items():
        predicted = confusion.none_yet if prediction is None else fmt.label(prediction)
        confusion.pairs[fmt.label(label), predicted] += number
    return confusion


def _open_lines_file(path: str, data: str) -> TextIO:
    """Open the file of ``--lines`` for writing; it replaces none but that of an earlier run."""
    from rosenblatt.cli.inputs.paths import check_output_path

    try:
        if os.path.isfile(path):
            check_output_path(path, data, "file of points", "--lines", _check_lines)
        return open(path, "w", encoding="utf-8")
    except OSError as error:
        raise Failure(
            f"{path}: cannot be written: {error.strerror}. Give --lines another file."
        ) from error


def _check_lines(path: str) -> None:
    """Raise ValueError if a file does not begin with a point; one without any is empty."""
    with open(path, "rb") as file:
        if not b'{"examples": '.startswith(file.read(13)):
            raise ValueError(path)


def _record(run: _Run) -> dict[str, object]:
    """Return the object of ``--json`` about one rule."""
    from rosenblatt.learning.evaluation.validation import event_record

    result, counts = run.result, run.metrics.confusion.record()
    pairs, none_yet = run.metrics.confusion.pairs, run.metrics.confusion.none_yet
    return {
        **result.last.record(),
        "window": result.window,
        "delay": result.delay,
        **{name: counts[name] for name in ("constant", "constant_error", "classes", "confusion")},
        "no_change_error": result.no_change_error,
        "kappa_temporal": result.kappa_temporal,
        "none_yet": [pairs[name, none_yet] for name in counts["classes"]],
        **run.metrics.record({}),
        "metrics": run.ranks,
        "points": list(map(event_record, result.points)),
        "alarms": list(map(event_record, result.alarms)),
        "sets": _set_record(result),
        **run.about,
    }


def _facts(run: _Run) -> list[tuple[str, str]]:
    result, last, late = run.result, run.result.last, ""
    if result.delay > 1:
        late = f" when its label arrives, {fmt.count(result.delay, 'example')} later"
    alarms = [f"at example {alarm.example:,}: {format_alarm(alarm)}" for alarm in result.alarms]
    error = fmt.error_rate(last.error, last.low, last.high)
    return [
        ("progressive error", "meaningless: " + _SORTED if run.is_sorted else error),
        ("", f"{last.errors:,} of {fmt.count(last.examples, 'row')}"),
        ("", f"each example is predicted, then learned{late}"),
        (f"last {min(result.window, last.examples):,}", fmt.percent(last.windowed)),
        *run.metrics.doubt_facts(),
        *run.metrics.positive_facts(),
        *_set_facts(run.result),
        *_baseline_facts(run),
        *zip(["drift"] + [""] * len(alarms), alarms or ["none"], strict=False),
    ]


def _set_facts(result: Validation) -> list[tuple[str, str]]:
    """Return the share of the adaptive sets that have the label, and their size."""
    if (record := _set_record(result)) is None:
        return []
    covered, promised = fmt.percent(record["covered"]), fmt.percent(record["coverage"])
    return [
        ("prediction sets", f"{covered} have the label (in the long run: {promised})"),
        ("", f"{record['labels']:.2f} labels in a set on average"),
    ]


def _set_record(result: Validation) -> dict[str, Any] | None:
    """Return the object ``sets`` of ``--json``."""
    if (sets := result.sets) is None:
        return None
    rows = max(1, sets.rows)
    shares = {"covered": 1.0 - sets.errors / rows, "labels": sets.labels / rows}
    return {"coverage": sets.coverage, **shares, "rows": sets.rows, "level": sets.level}


def _baseline_facts(run: _Run) -> list[tuple[str, str]]:
    """Return the error of the majority class, and that of no change of the label."""
    from rosenblatt.cli.display.metrics import no_change_facts

    constant, error = run.metrics.confusion.constant
    facts = [("baseline error", fmt.baseline(constant, error))]
    if not run.is_sorted:
        facts += no_change_facts(run.result.no_change_error, run.result.error)
    return facts
