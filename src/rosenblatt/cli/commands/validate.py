"""``rosenblatt validate``: how often a learner is wrong on its way, and when that gets worse."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TextIO

import rich_click as click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData, Failure, signal_error
from rosenblatt.cli.options import shared
from rosenblatt.cli.options.learning import learner_options

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.cli.display.confusion import ConfusionMatrix
    from rosenblatt.learning.evaluation.drift import Alarm
    from rosenblatt.learning.evaluation.validation import Point, Validation


_NO_PREDICTION = "nothing"  # what is said before the first label


@click.command(no_args_is_help=True)
@shared.order_panels
@shared.data_argument
@click.option(
    "--window",
    type=click.IntRange(min=1),
    metavar="N",
    default=1000,
    show_default=True,
    help="Also count the errors of the last N examples alone.",
)
@click.option(
    "--delay",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="A label becomes known N examples later, and only then is its example learned.",
)
@click.option(
    "--drift/--no-drift",
    default=True,
    show_default=True,
    help="Tell when the error has risen; the chance that this is false, ever, is 1 %.",
)
@learner_options
@click.option(
    "--lines",
    metavar="FILE",
    help="Write every point and alarm as a line of JSON when it comes; - is standard output.",
    panel="Output",
)
@click.option(
    "--every",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --lines or --json, one more point after every N examples.",
    panel="Output",
)
@shared.json_option("One object on standard output when all is counted.")
@shared.quiet_option
@shared.reading_options
@click.pass_context
def validate(ctx: click.Context, /, **params: Any) -> None:
    """Predict every row of DATA, then learn it, and count the errors.

    [bold]Examples[/]
        rosenblatt validate mail.svm
        rosenblatt validate mail.csv --target kind --rule pa1 --average --window 500
        rosenblatt validate clicks.jsonl --delay 10000 --lines clicks.errors.jsonl --every 1000
        zcat log.svm.gz | rosenblatt validate - --format svmlight --lines -

    Every prediction is that of the weights of its moment. The 95 % interval holds at all lines at
    once. Errors count rows, whatever they weigh in learning. No model is written: train does that.
    """
    from rosenblatt.cli.inputs import data
    from rosenblatt.cli.inputs.bad_rows import count_bad_rows

    if params["lines"] == "-" and params["as_json"]:
        raise click.UsageError(
            "--lines - and --json both write to standard output: name a file after --lines.", ctx
        )
    if params["every"] and not (params["lines"] or params["as_json"]):
        raise click.UsageError(
            "--every is for the points of --lines and --json: give one of them, too.", ctx
        )
    read_options = data.build_read_options(params)
    result, signal = _run(params, read_options)
    confusion = _build_confusion(result)
    if params["as_json"]:
        click.echo(
            json.dumps(
                _record(result, confusion) | {"bad_rows": count_bad_rows(read_options)},
                ensure_ascii=False,
            )
        )
    else:
        to_lines = params["lines"] == "-"
        _show(
            result,
            confusion,
            terminal.stderr(params["quiet"]) if to_lines else terminal.stdout(),
        )
    if signal:
        raise signal_error(f"{fmt.count(result.examples, 'example')} were counted.", signal)


def _run(params: dict[str, Any], read_options: Any) -> tuple[Validation, int]:
    """The account, and the signal that ended it; 0 where none did."""
    import numpy as np

    from rosenblatt.cli.inputs.data import open_data, print_schema
    from rosenblatt.cli.inputs.proofs import check_labels
    from rosenblatt.cli.options.learning import build_linear
    from rosenblatt.cli.training.passes import InterruptiblePasses
    from rosenblatt.learning.evaluation import validation

    stream = open_data(params["data"], read_options)
    print_schema(stream, params["quiet"])
    console = terminal.stderr(params["quiet"])
    with ExitStack() as closing:
        table = _ErrorTable(console, params["window"])
        listeners: list[Callable[[Point | Alarm], None]] = [table.add]
        if params["lines"]:
            file = (
                sys.stdout
                if params["lines"] == "-"
                else closing.enter_context(_open_lines_file(params))
            )
            listeners.append(_line_writer(file))

        def report(event: Point | Alarm) -> None:
            for listener in listeners:
                listener(event)

        passes = closing.enter_context(
            InterruptiblePasses(
                stream, lambda batch, *_: check_labels(batch.y, stream), lambda epoch: None
            )
        )
        closing.enter_context(np.errstate(all="ignore"))
        result = validation.validate(
            build_linear(params),
            passes,
            window=params["window"],
            delay=params["delay"],
            every=params["every"],
            drift=0.99 if params["drift"] else None,
            report=report,
        )
    if result.examples == 0 and not passes.interrupted:
        raise BadData(f"{stream.name}: no rows, so there is nothing to count.")
    table.end(result.last)
    if 0 < result.examples <= params["delay"] and not params["quiet"]:
        counts = f"{fmt.count(result.examples, 'row')}, and --delay {params['delay']:,}"
        terminal.note(f"{stream.name}: has {counts}: no label was known before the end.")
    return result, passes.signal


def _open_lines_file(params: dict[str, Any]) -> TextIO:
    """The file of --lines, made anew."""
    import os

    from rosenblatt.cli.inputs.paths import check_not_data

    path = params["lines"]
    try:
        if os.path.exists(path):
            check_not_data(path, params["data"], "--lines")
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
    """The lines at 1, 2, 4, 8, … examples, and the alarms between them, as they come."""

    def __init__(self, console: Console, window: int) -> None:
        self.console, self.window = console, window
        self._begun = False

    def add(self, event: Point | Alarm) -> None:
        from rosenblatt.learning.evaluation.validation import Point, is_power_of_two

        if not isinstance(event, Point):
            self.console.print(
                f"{event.example:>13,}   drift: {_format_alarm(event)}", style="yellow"
            )
        elif is_power_of_two(event.examples):
            self._print(event)

    def end(self, last: Point) -> None:
        """The last line, where it has not been told."""
        from rosenblatt.learning.evaluation.validation import is_power_of_two

        if last.examples and not is_power_of_two(last.examples):
            self._print(last)

    def _print(self, point: Point) -> None:
        from rich.text import Text

        if not self._begun:
            for row in (
                ("", "error", "95 %", "of the"),
                ("examples", "so far", "interval", f"last {self.window:,}"),
            ):
                self.console.print(Text(_aligned(row), "dim"), soft_wrap=True)
            self._begun = True
        cells = (
            f"{point.examples:,}",
            fmt.percent(point.error),
            fmt.interval(point.low, point.high),
            fmt.percent(point.windowed),
        )
        self.console.print(_aligned(cells), soft_wrap=True)


def _aligned(cells: tuple[str, str, str, str]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, (13, 10, 15, 15), strict=True))


def _format_alarm(alarm: Alarm) -> str:
    after, before = fmt.percent(alarm.after), fmt.percent(alarm.before)
    return f"{after} wrong since example {alarm.since:,}, {before} before"


def _build_confusion(result: Validation) -> ConfusionMatrix:
    from rosenblatt.cli.display.confusion import ConfusionMatrix

    labels = sorted({label for label, _ in result.confusion})
    confusion = ConfusionMatrix([fmt.label(label) for label in labels])
    for (label, prediction), number in result.confusion.items():
        predicted = _NO_PREDICTION if prediction is None else fmt.label(prediction)
        confusion.pairs[fmt.label(label), predicted] += number
    return confusion


def _record(result: Validation, confusion: ConfusionMatrix) -> dict[str, Any]:
    """The object of ``--json``."""
    from rosenblatt.learning.evaluation.validation import event_record

    counted = confusion.record()
    names = ("constant", "constant_error", "classes", "confusion")
    return {
        **result.last.record(),
        "window": result.window,
        "delay": result.delay,
        **{name: counted[name] for name in names},
        "points": [event_record(point) for point in result.points],
        "alarms": [event_record(alarm) for alarm in result.alarms],
    }


def _show(result: Validation, confusion: ConfusionMatrix, console: Console) -> None:
    from rosenblatt.cli.display import render

    console.print(render.facts(_facts(result, confusion)))
    if result.errors and len(confusion.classes) > 1:
        console.print()
        render.show_confusion(console, confusion)


def _facts(result: Validation, confusion: ConfusionMatrix) -> list[tuple[str, str]]:
    last, late = result.last, ""
    if result.delay > 1:
        late = f", its label known {fmt.count(result.delay, 'example')} later"
    alarms = [f"at example {alarm.example:,}: {_format_alarm(alarm)}" for alarm in result.alarms]
    missed = f"{last.errors:,} of {last.examples:,}"
    return [
        ("wrong", f"{fmt.error_rate(last.error, last.low, last.high)}: {missed},"),
        ("", f"each example predicted before it was learned{late}"),
        (f"last {min(result.window, last.examples):,}", fmt.percent(last.windowed)),
        ("best constant", fmt.baseline(*confusion.constant)),
        *zip(["drift"] + [""] * len(alarms), alarms or ["none"], strict=False),
    ]
