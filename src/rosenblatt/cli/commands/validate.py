"""``rosenblatt validate``: the error of a learner that predicts each row before learning it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import click

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.display.errors import BadData, Failure, signal_error
from rosenblatt.cli.display.progress import Column, GrowingTable
from rosenblatt.cli.inputs.existence import check_data
from rosenblatt.cli.options.conflicts import check_learner_options
from rosenblatt.cli.options.declared import command, option
from rosenblatt.cli.options.learning import LinearOptions, RulesOption, build_linear
from rosenblatt.cli.options.predictions import PositiveOption
from rosenblatt.cli.options.shared import SourceOptions, data_argument, json_option, quiet_option
from rosenblatt.theory.rules import DECLARATIONS

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.cli.display.metrics import MetricsReport
    from rosenblatt.learning.evaluation.drift import Alarm
    from rosenblatt.learning.evaluation.validation import Point, Validation
    from rosenblatt.streams import Batch
    from rosenblatt.streams.core.options import ReadOptions

_SORTED = "the rows are sorted by label"
_IN_RANDOM_ORDER = "For the error in random order: rosenblatt train --shuffle --holdout 0.3."
_NO_PREDICTION = "none yet"  # before the first label


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
    delay: int = option(
        "--delay N",
        "Labels arrive N examples late, and are learned then.",
        click.IntRange(min=0),
        default=0,
        panel="Options",
    )
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
        click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
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

    result: Validation
    metrics: MetricsReport
    signal: int  # that ended the run, or 0
    is_sorted: bool  # by label, so that the error means nothing
    about: dict[str, Any]  # the rows, for --json


@command(ValidateOptions, "Learn and predict", 4)
def validate(options: ValidateOptions) -> None:
    """Measure the error of predicting each row, then learning it.

    Examples
    --------
        rosenblatt validate mail.svm  # predict rows, then learn them
        rosenblatt validate mail.csv --target kind --rule pa1 --average --window 500
        rosenblatt validate mail.svm --rule perceptron --rule pa1 --rule arow
        rosenblatt validate clicks.jsonl --delay 10000 --lines clicks.errors.jsonl --every 1000
        zcat log.svm.gz | rosenblatt validate - --format svmlight --lines -

    This is prequential evaluation. The 95 % interval is valid on all lines at once. Each row counts
    once, whatever its weight. No model is written: use train for that.
    """
    if options.shuffle:  # those look for it whose rows are sorted by label
        raise click.UsageError(f"validate reads the rows in their order. {_IN_RANDOM_ORDER}")
    rules = list(dict.fromkeys(options.rules))
    if options.lines == "-" and options.as_json:
        raise click.UsageError(
            "--lines - and --json both write to standard output: name a file after --lines."
        )
    if options.sets is not None and options.delay > 1:
        raise click.UsageError("--sets adapts to each label at once: it excludes --delay.")
    if options.every and not (options.lines or options.as_json):
        raise click.UsageError("--every goes with --lines or --json: give one of them, too.")
    if options.class_weight == "balanced":
        raise click.UsageError(
            "--class-weight balanced counts the labels first, and a validation does not know them "
            """yet: give weights, such as --class-weight '{"spam": 5}'."""
        )
    learners = {rule: options.replaced(rule=rule) for rule in rules}
    for learner in learners.values():
        check_learner_options(learner)
    check_data(options.data)
    from rosenblatt.cli.inputs.data import build_read_options
    from rosenblatt.streams.io.paths import is_single_pass

    are_several = len(rules) > 1
    if are_several and options.lines:
        raise click.UsageError("--lines goes with one --rule: leave the others out.")
    if are_several and is_single_pass(options.data):
        raise click.UsageError(
            "several --rule read DATA once each, and a pipe is read once: name a file."
        )
    read_options = build_read_options(options)
    runs: dict[str, _Run] = {}
    for rule, learner in learners.items():
        learner.quiet = options.quiet or bool(runs)  # what DATA is like is said once
        runs[rule] = run = _run(learner, read_options, table=not are_several)
        if are_several and run.signal:
            raise signal_error(f"stopped within --rule {rule}.", run.signal)
    if options.as_json:
        records = {rule: _record(run) for rule, run in runs.items()}
        terminal.print_json({"rules": records} if are_several else records[rules[0]])
    elif are_several:
        _show_comparison(options, runs)
    else:
        to_stderr = options.lines == "-"
        console = terminal.stderr(options.quiet) if to_stderr else terminal.stdout()
        console.print(render.facts(_facts(run)))
        if len(run.metrics.confusion.classes) > 1:
            run.metrics.show(console)
    if run.signal:
        learned = fmt.count(run.result.examples, "example")
        raise signal_error(f"stopped after {learned}.", run.signal)


def _show_comparison(options: ValidateOptions, runs: dict[str, _Run]) -> None:
    """Print a line for each rule, in the order of the errors."""
    ranked = sorted(runs.items(), key=lambda pair: pair[1].result.error)
    rows = [
        [
            rule,
            fmt.percent((last := run.result.last).error),
            fmt.interval(last.low, last.high),
            fmt.percent(last.windowed),
            "–" if not options.drift else f"{len(run.result.alarms):,}",
        ]
        for rule, run in ranked
    ]
    _, best = ranked[0]
    window = f"last {min(options.window, best.result.examples):,}"
    names = ["rule", "progressive error", "95 % interval", window, "alarms"]
    facts = _baseline_facts(best)
    if best.is_sorted:
        facts.insert(0, ("progressive error", "meaningless: " + _SORTED))
    console = terminal.stdout()
    console.print(render.number_table(names, rows))
    console.print(render.facts(facts))


def _run(options: ValidateOptions, read_options: ReadOptions, *, table: bool) -> _Run:
    """Validate the learner of these options; with ``table``, print its error on the way."""
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
    from rosenblatt.learning.evaluation.progress import LabelOrder
    from rosenblatt.streams.features.encoding import number_columns

    stream = data.open_data(options.data, read_options)
    data.print_schema(stream, options.quiet)
    model, sets = build_linear(options), None
    if options.sets is not None:
        check_probabilities(model, "--sets")
        sets = AdaptiveSets(options.sets)
    weights = options.class_weight if isinstance(options.class_weight, dict) else None
    scales, order = ColumnScales(), LabelOrder()
    errors = _ErrorTable(terminal.stderr(options.quiet or not table), options.window)
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
                if is_first and weights is not None:
                    model.class_weight = typed_weights(weights, batch.y, stream.name)
                if is_first and options.scale:
                    interface.centre_columns(model, number_columns(stream))
                is_first = False
                yield batch

        closing.enter_context(np.errstate(all="ignore"))
        result = validation.validate(
            model,
            rows(),
            window=options.window,
            delay=options.delay,
            every=options.every,
            drift=0.99 if options.drift else None,
            sets=sets,
            report=report,
        )
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
        if not (options.scale or DECLARATIONS[options.rule].scale_free):
            scales.note(stream)
        _note_doubts(options, stream.name, result, is_sorted)
    confusion = _build_confusion(result, labels)
    metrics = MetricsReport(confusion, result.scores, options.positive, options.eta0)
    about = {
        "bad_rows": bad_rows.count_bad_rows(read_options),
        "missing_cells": data.missing_cells(stream),
        "sorted_by_label": is_sorted,
    }
    return _Run(result, metrics, signals.number, is_sorted, about)


def _note_doubts(options: ValidateOptions, name: str, result: Validation, is_sorted: bool) -> None:
    """Print notes on what makes the error meaningless, or is not in the rows."""
    if result.examples <= options.delay:
        counts = f"{fmt.count(result.examples, 'row')}, and --delay {options.delay:,}"
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
        predicted = _NO_PREDICTION if prediction is None else fmt.label(prediction)
        confusion.pairs[fmt.label(label), predicted] += number
    return confusion


def _open_lines_file(path: str, data: str) -> TextIO:
    """Open the file of ``--lines`` for writing."""
    from rosenblatt.cli.inputs.paths import check_not_data

    try:
        if os.path.exists(path):
            check_not_data(path, data, "--lines")
        return open(path, "w", encoding="utf-8")
    except OSError as error:
        raise Failure(
            f"{path}: cannot be written: {error.strerror}. Give --lines another file."
        ) from error


class _ErrorTable(GrowingTable):
    """Printer of the error after 1, 2, 4, 8, … examples, and of the alarms between them."""

    def __init__(self, console: Console, window: int) -> None:
        headers = (("", "examples"), ("error", "so far"), ("95 %", "interval"))
        last = ("error of the", f"last {window:,}")
        widths = (13, 10, 15, 15)
        super().__init__(console, list(map(Column, [*headers, last], widths)))

    def add(self, event: Point | Alarm) -> None:
        from rosenblatt.learning.evaluation.validation import Point, is_power_of_two

        if not isinstance(event, Point):
            line = f"{event.example:>13,}   drift: {_format_alarm(event)}"
            self.console.print(line, style="yellow")
        elif is_power_of_two(event.examples):
            self._add_point(event)

    def end(self, last: Point) -> None:
        """Print the last line, unless it is there already."""
        from rosenblatt.learning.evaluation.validation import is_power_of_two

        if not is_power_of_two(last.examples):
            self._add_point(last)

    def _add_point(self, point: Point) -> None:
        shares = fmt.percent(point.error), fmt.interval(point.low, point.high)
        self.add_line([f"{point.examples:,}", *shares, fmt.percent(point.windowed)])


def _format_alarm(alarm: Alarm) -> str:
    after, before = fmt.percent(alarm.after), fmt.percent(alarm.before)
    return f"error {after} since example {alarm.since:,}, {before} before"


def _record(run: _Run) -> dict[str, object]:
    """Return the object of ``--json`` about one rule."""
    from rosenblatt.learning.evaluation.validation import event_record

    result, counts = run.result, run.metrics.confusion.record()
    pairs = run.metrics.confusion.pairs
    return {
        **result.last.record(),
        "window": result.window,
        "delay": result.delay,
        **{name: counts[name] for name in ("constant", "constant_error", "classes", "confusion")},
        "no_change_error": result.no_change_error,
        "kappa_temporal": result.kappa_temporal,
        "none_yet": [pairs[name, _NO_PREDICTION] for name in counts["classes"]],
        **run.metrics.record({}),
        "points": list(map(event_record, result.points)),
        "alarms": list(map(event_record, result.alarms)),
        "sets": _set_record(result),
        **run.about,
    }


def _facts(run: _Run) -> list[tuple[str, str]]:
    result, last, late = run.result, run.result.last, ""
    if result.delay > 1:
        late = f" when its label arrives, {fmt.count(result.delay, 'example')} later"
    alarms = [f"at example {alarm.example:,}: {_format_alarm(alarm)}" for alarm in result.alarms]
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
    """Return the error of the majority class, and that of no change where it is the better one."""
    from rosenblatt.cli.display.metrics import no_change_facts

    constant, error = run.metrics.confusion.constant
    facts = [("baseline error", fmt.baseline(constant, error))]
    if run.result.no_change_error < error and not run.is_sorted:
        facts += no_change_facts(run.result.no_change_error, run.result.error)
    return facts
