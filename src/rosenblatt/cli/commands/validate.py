"""``rosenblatt validate``: how often a learner is wrong on its way, and when that gets worse."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TextIO

import rich_click as click

from rosenblatt.cli.display import console as display_console
from rosenblatt.cli.display import text
from rosenblatt.cli.display.errors import BadData, Failure, stopped
from rosenblatt.cli.options import shared
from rosenblatt.cli.options.learning import learner_options

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.cli.display.confusion import Tally
    from rosenblatt.learning.evaluation.drift import Alarm
    from rosenblatt.learning.evaluation.validation import Point, Validation


_NOTHING = "nothing"  # what is said before the first label


@click.command(no_args_is_help=True)
@shared.in_order
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
def validate(ctx: click.Context, /, **given: Any) -> None:
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
    from rosenblatt.cli.inputs.bad_rows import left_out

    if given["lines"] == "-" and given["as_json"]:
        raise click.UsageError(
            "--lines - and --json both write to standard output: name a file after --lines.", ctx
        )
    if given["every"] and not (given["lines"] or given["as_json"]):
        raise click.UsageError(
            "--every is for the points of --lines and --json: give one of them, too.", ctx
        )
    how = data.reading(given)
    found, signal = _run(given, how)
    tally = _tally(found)
    if given["as_json"]:
        click.echo(
            json.dumps(_record(found, tally) | {"bad_rows": left_out(how)}, ensure_ascii=False)
        )
    else:
        to_lines = given["lines"] == "-"
        _show(
            found,
            tally,
            display_console.messages(given["quiet"]) if to_lines else display_console.output(),
        )
    if signal:
        raise stopped(f"{text.count(found.examples, 'example')} were counted.", signal)


def _run(given: dict[str, Any], how: Any) -> tuple[Validation, int]:
    """The account, and the signal that ended it; 0 where none did."""
    import numpy as np

    from rosenblatt.cli.inputs.data import open_data, tell_kinds
    from rosenblatt.cli.inputs.proofs import check_labels
    from rosenblatt.cli.options.learning import linear
    from rosenblatt.cli.training.passes import Passes
    from rosenblatt.learning.evaluation import validation

    stream = open_data(given["data"], how)
    tell_kinds(stream, given["quiet"])
    console = display_console.messages(given["quiet"])
    with ExitStack() as closing:
        table = _Table(console, given["window"])
        tells: list[Callable[[Point | Alarm], None]] = [table.add]
        if given["lines"]:
            file = sys.stdout if given["lines"] == "-" else closing.enter_context(_opened(given))
            tells.append(_writer(file))

        def report(event: Point | Alarm) -> None:
            for tell in tells:
                tell(event)

        passes = closing.enter_context(
            Passes(stream, lambda batch, *_: check_labels(batch.y, stream), lambda epoch: None)
        )
        closing.enter_context(np.errstate(all="ignore"))
        found = validation.validate(
            linear(given),
            passes,
            window=given["window"],
            delay=given["delay"],
            every=given["every"],
            drift=0.99 if given["drift"] else None,
            report=report,
        )
    if found.examples == 0 and not passes.interrupted:
        raise BadData(f"{stream.name}: no rows, so there is nothing to count.")
    table.end(found.last)
    if 0 < found.examples <= given["delay"] and not given["quiet"]:
        told = f"{text.count(found.examples, 'row')}, and --delay {given['delay']:,}"
        display_console.note(f"{stream.name}: has {told}: no label was known before the end.")
    return found, passes.signal


def _opened(given: dict[str, Any]) -> TextIO:
    """The file of --lines, made anew."""
    import os

    from rosenblatt.cli.inputs.paths import check_not_data

    path = given["lines"]
    try:
        if os.path.exists(path):
            check_not_data(path, given["data"], "--lines")
        return open(path, "w", encoding="utf-8")
    except OSError as error:
        raise Failure(
            f"{path}: cannot be written: {error.strerror}. Give --lines another file."
        ) from error


def _writer(file: TextIO) -> Callable[[Point | Alarm], None]:
    from rosenblatt.learning.evaluation.validation import record_of

    def write(event: Point | Alarm) -> None:
        file.write(json.dumps(record_of(event)) + "\n")
        file.flush()

    return write


class _Table:
    """The lines at 1, 2, 4, 8, … examples, and the alarms between them, as they come."""

    def __init__(self, console: Console, window: int) -> None:
        self.console, self.window = console, window
        self._begun = False

    def add(self, event: Point | Alarm) -> None:
        from rosenblatt.learning.evaluation.validation import Point, is_doubled

        if not isinstance(event, Point):
            self.console.print(f"{event.example:>13,}   drift: {_told(event)}", style="yellow")
        elif is_doubled(event.examples):
            self._print(event)

    def end(self, last: Point) -> None:
        """The last line, where it has not been told."""
        from rosenblatt.learning.evaluation.validation import is_doubled

        if last.examples and not is_doubled(last.examples):
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
            text.percent(point.error),
            text.interval(point.low, point.high),
            text.percent(point.windowed),
        )
        self.console.print(_aligned(cells), soft_wrap=True)


def _aligned(cells: tuple[str, str, str, str]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, (13, 10, 15, 15), strict=True))


def _told(alarm: Alarm) -> str:
    after, before = text.percent(alarm.after), text.percent(alarm.before)
    return f"{after} wrong since example {alarm.since:,}, {before} before"


def _tally(found: Validation) -> Tally:
    from rosenblatt.cli.display.confusion import Tally

    labels = sorted({label for label, _ in found.confusion})
    tally = Tally([text.label(label) for label in labels])
    for (label, answer), number in found.confusion.items():
        answered = _NOTHING if answer is None else text.label(answer)
        tally.pairs[text.label(label), answered] += number
    return tally


def _record(found: Validation, tally: Tally) -> dict[str, Any]:
    """The object of ``--json``."""
    from rosenblatt.learning.evaluation.validation import record_of

    counted = tally.record()
    names = ("constant", "constant_error", "classes", "confusion")
    return {
        **found.last.record(),
        "window": found.window,
        "delay": found.delay,
        **{name: counted[name] for name in names},
        "points": [record_of(point) for point in found.points],
        "alarms": [record_of(alarm) for alarm in found.alarms],
    }


def _show(found: Validation, tally: Tally, console: Console) -> None:
    from rosenblatt.cli.display import render

    console.print(render.facts(_facts(found, tally)))
    if found.errors and len(tally.classes) > 1:
        console.print()
        render.show_confusion(console, tally)


def _facts(found: Validation, tally: Tally) -> list[tuple[str, str]]:
    last, late = found.last, ""
    if found.delay > 1:
        late = f", its label known {text.count(found.delay, 'example')} later"
    told = [f"at example {alarm.example:,}: {_told(alarm)}" for alarm in found.alarms]
    missed = f"{last.errors:,} of {last.examples:,}"
    return [
        ("wrong", f"{text.wrong(last.error, last.low, last.high)}: {missed},"),
        ("", f"each example predicted before it was learned{late}"),
        (f"last {min(found.window, last.examples):,}", text.percent(last.windowed)),
        ("best constant", text.always(*tally.constant)),
        *zip(["drift"] + [""] * len(told), told or ["none"], strict=False),
    ]
