"""``rosenblatt validate``: the error of a learner that predicts each row before learning it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

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


@dataclass(frozen=True)
class _Run:
    """Counts of a validation, and what else its summary shows."""

    result: Validation
    is_sorted: bool
    """Whether the rows are sorted by label, so that the error means nothing."""
    signal: int
    """The signal that ended the run, or 0."""
    missing_cells: dict[str, int] | None
    bad_rows: int


@command(
    ValidateOptions,
    panel="Learn and predict",
    rank=4,
    example="rosenblatt validate mail.svm",
    caption="predict rows, then learn them",
)
def validate(options: ValidateOptions) -> None:
    """Measure the error of predicting each row, then learning it.

    Examples
    --------
        rosenblatt validate mail.svm
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
    if options.every and not (options.lines or options.as_json):
        raise click.UsageError("--every goes with --lines or --json: give one of them, too.")
    if options.class_weight == "balanced":
        raise click.UsageError(
            "--class-weight balanced counts the labels first, and a validation does not know them "
            """yet: give weights, such as --class-weight '{"spam": 5}'.""",
        )
    learners = {rule: options.replaced(rule=rule) for rule in rules}
    for learner in learners.values():
        check_learner_options(learner)
    check_data(options.data)
    if len(rules) > 1:
        _compare(options, learners)
        return
    from rosenblatt.cli.display.metrics import MetricsReport
    from rosenblatt.cli.inputs.data import build_read_options

    read_options = build_read_options(options)
    run = _run(learners[rules[0]], read_options)
    result, signal = run.result, run.signal
    if result.examples == 0:
        raise signal_error("stopped before the first example.", signal)
    confusion = _build_confusion(result)
    metrics = MetricsReport(confusion, result.scores, options.positive, options.eta0)
    if options.positive not in (None, *metrics.confusion.classes) and not options.quiet:
        terminal.note(f"--positive {options.positive}: no row of {options.data} has this label.")
    if options.as_json:
        terminal.print_json(_record(run, metrics))
    else:
        to_stderr = options.lines == "-"
        console = terminal.stderr(options.quiet) if to_stderr else terminal.stdout()
        console.print(render.facts(_facts(run, metrics)))
        if len(metrics.confusion.classes) > 1:
            metrics.show(console)
    if signal:
        raise signal_error(f"stopped after {fmt.count(result.examples, 'example')}.", signal)


def _compare(options: ValidateOptions, learners: dict[str, ValidateOptions]) -> None:
    """Validate the learner with each rule, and print one table."""
    from rosenblatt.cli.display.metrics import MetricsReport
    from rosenblatt.cli.inputs.data import build_read_options, is_single_pass

    if options.lines:
        raise click.UsageError("--lines goes with one --rule: leave the others out.")
    if is_single_pass(options.data):
        raise click.UsageError(
            "several --rule read DATA once each, and a pipe is read once: name a file."
        )
    read_options = build_read_options(options)
    runs: dict[str, _Run] = {}
    for rule, learner in learners.items():
        learner.quiet = options.quiet or bool(runs)  # what DATA is like is said once
        runs[rule] = _run(learner, read_options, table=False)
        if runs[rule].signal:
            raise signal_error(f"stopped within --rule {rule}.", runs[rule].signal)
    if options.as_json:
        records = {}
        for rule, run in runs.items():
            confusion = _build_confusion(run.result)
            metrics = MetricsReport(confusion, run.result.scores, options.positive)
            records[rule] = _record(run, metrics)
        terminal.print_json({"rules": records})
        return
    _show_comparison(options, runs)


def _show_comparison(options: ValidateOptions, runs: dict[str, _Run]) -> None:
    """Print a line for each rule, in the order of the errors."""
    from rosenblatt.cli.display.metrics import no_change_facts

    ranked = sorted(runs.items(), key=lambda pair: pair[1].result.last.error)
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
    any_run = ranked[0][1]
    window = f"last {min(options.window, any_run.result.last.examples):,}"
    console = terminal.stdout()
    names = ["rule", "progressive error", "95 % interval", window, "alarms"]
    console.print(render.number_table(names, rows))
    confusion = _build_confusion(any_run.result)
    facts = [("baseline error", fmt.baseline(*confusion.constant))]
    result = any_run.result
    if any_run.is_sorted:
        facts.insert(0, ("progressive error", "meaningless: " + _SORTED))
    elif result.no_change_error < confusion.constant[1]:
        facts += no_change_facts(result.no_change_error, result.error)
    console.print(render.facts(facts))


def _run(options: ValidateOptions, read_options: ReadOptions, *, table: bool = True) -> _Run:
    """Validate the learner of these options; with ``table``, print its error on the way."""
    import numpy as np

    from rosenblatt.cli.inputs.bad_rows import count_bad_rows
    from rosenblatt.cli.inputs.data import (
        check_examples,
        missing_cells,
        note_missing_cells,
        open_data,
        print_schema,
    )
    from rosenblatt.cli.training.class_weights import (
        balanced_weights,
        note_unused_weights,
        typed_weights,
    )
    from rosenblatt.cli.training.column_scales import ColumnScales
    from rosenblatt.cli.training.signals import Signals
    from rosenblatt.learning import interface
    from rosenblatt.learning.evaluation import validation
    from rosenblatt.learning.evaluation.label_order import LabelOrder
    from rosenblatt.streams.features.encoding import number_columns

    stream = open_data(options.data, read_options)
    print_schema(stream, options.quiet)
    with ExitStack() as closing:
        errors = _ErrorTable(terminal.stderr(options.quiet or not table), options.window)
        listeners: list[Callable[[Point | Alarm], None]] = [errors.add]
        if options.lines == "-":
            listeners.append(_line_writer(sys.stdout))
        elif options.lines:
            file = closing.enter_context(_open_lines_file(options.lines, options.data))
            listeners.append(_line_writer(file))

        def report(event: Point | Alarm) -> None:
            for listener in listeners:
                listener(event)

        model = build_linear(options)
        weights = options.class_weight
        if weights == "balanced":
            weights = balanced_weights(stream, options.quiet)
        scales, order = ColumnScales(), LabelOrder()
        signals = closing.enter_context(Signals())

        def rows() -> Iterator[Batch]:
            is_first = True
            for batch in signals.batches(stream):
                check_examples(batch, stream)
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
            report=report,
        )
    if result.examples == 0 and not signals.number:
        raise BadData(f"{stream.name}: no rows.")
    if weights is not None and not options.quiet:
        note_unused_weights(weights, sorted({label for label, _ in result.confusion}), stream.name)
    if not options.quiet:
        note_missing_cells(stream)
    errors.end(result.last)
    if not (options.scale or options.quiet):
        scales.note(stream)
    if 0 < result.examples <= options.delay and not options.quiet:
        counts = f"{fmt.count(result.examples, 'row')}, and --delay {options.delay:,}"
        terminal.note(f"{stream.name}: has {counts}: no label arrived before the end.")
    is_sorted = order.is_sorted(result.examples, len({label for label, _ in result.confusion}))
    if is_sorted and not options.quiet:
        terminal.note(
            f"{stream.name}: {_SORTED}, so nearly every example has the label of the one before. "
            f"{_IN_RANDOM_ORDER}"
        )
    skipped = count_bad_rows(read_options)
    return _Run(result, is_sorted, signals.number, missing_cells(stream), skipped)


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


def _line_writer(file: TextIO) -> Callable[[Point | Alarm], None]:
    from rosenblatt.learning.evaluation.validation import event_record

    def write(event: Point | Alarm) -> None:
        file.write(json.dumps(event_record(event)) + "\n")
        file.flush()

    return write


class _ErrorTable:
    """Printer of the error after 1, 2, 4, 8, … examples, and of the alarms between them."""

    def __init__(self, console: Console, window: int) -> None:
        headers = (("", "examples"), ("error", "so far"), ("95 %", "interval"))
        last = ("error of the", f"last {window:,}")
        pairs = zip([*headers, last], (13, 10, 15, 15), strict=True)
        self._table = GrowingTable(console, [Column(header, width) for header, width in pairs])

    def add(self, event: Point | Alarm) -> None:
        from rosenblatt.learning.evaluation.validation import Point, is_power_of_two

        if not isinstance(event, Point):
            line = f"{event.example:>13,}   drift: {_format_alarm(event)}"
            self._table.console.print(line, style="yellow")
        elif is_power_of_two(event.examples):
            self._print(event)

    def end(self, last: Point) -> None:
        """Print the last line, unless it is there already."""
        from rosenblatt.learning.evaluation.validation import is_power_of_two

        if last.examples and not is_power_of_two(last.examples):
            self._print(last)

    def _print(self, point: Point) -> None:
        shares = fmt.percent(point.error), fmt.interval(point.low, point.high)
        self._table.add([f"{point.examples:,}", *shares, fmt.percent(point.windowed)])


def _format_alarm(alarm: Alarm) -> str:
    after, before = fmt.percent(alarm.after), fmt.percent(alarm.before)
    return f"error {after} since example {alarm.since:,}, {before} before"


def _build_confusion(result: Validation) -> ConfusionMatrix:
    labels = sorted({label for label, _ in result.confusion})
    confusion = ConfusionMatrix([fmt.label(label) for label in labels])
    for (label, prediction), number in result.confusion.items():
        predicted = _NO_PREDICTION if prediction is None else fmt.label(prediction)
        confusion.pairs[fmt.label(label), predicted] += number
    return confusion


def _record(run: _Run, metrics: MetricsReport) -> dict[str, Any]:
    """Return the object of ``--json`` about one rule."""
    from rosenblatt.learning.evaluation.validation import event_record

    result, counts = run.result, metrics.confusion.record()
    names = ("constant", "constant_error", "classes", "confusion")
    return {
        **result.last.record(),
        "window": result.window,
        "delay": result.delay,
        **{name: counts[name] for name in names},
        "no_change_error": result.no_change_error,
        "kappa_temporal": result.kappa_temporal,
        "none_yet": [metrics.confusion.pairs[name, _NO_PREDICTION] for name in counts["classes"]],
        **metrics.record({}),
        "points": [event_record(point) for point in result.points],
        "alarms": [event_record(alarm) for alarm in result.alarms],
        "bad_rows": run.bad_rows,
        "missing_cells": run.missing_cells,
        "sorted_by_label": run.is_sorted,
    }


def _facts(run: _Run, metrics: MetricsReport) -> list[tuple[str, str]]:
    from rosenblatt.cli.display.metrics import no_change_facts

    result = run.result
    last, late = result.last, ""
    no_change = []
    if result.no_change_error < metrics.confusion.constant[1] and not run.is_sorted:
        no_change = no_change_facts(result.no_change_error, last.error)
    if result.delay > 1:
        late = f" when its label arrives, {fmt.count(result.delay, 'example')} later"
    alarms = [f"at example {alarm.example:,}: {_format_alarm(alarm)}" for alarm in result.alarms]
    error = fmt.error_rate(last.error, last.low, last.high)
    return [
        ("progressive error", "meaningless: " + _SORTED if run.is_sorted else error),
        ("", f"{last.errors:,} of {fmt.count(last.examples, 'row')}"),
        ("", f"each example is predicted, then learned{late}"),
        (f"last {min(result.window, last.examples):,}", fmt.percent(last.windowed)),
        *metrics.doubt_facts(),
        *metrics.positive_facts(),
        ("baseline error", fmt.baseline(*metrics.confusion.constant)),
        *no_change,
        *zip(["drift"] + [""] * len(alarms), alarms or ["none"], strict=False),
    ]
