"""``rosenblatt tune``: many settings side by side, and the ``train`` command of the best."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli.display import fmt, render, terminal
from rosenblatt.cli.display.errors import BadData, Failure, signal_error
from rosenblatt.cli.inputs.existence import check_data
from rosenblatt.cli.options.declared import FiniteRange, command, option
from rosenblatt.cli.options.learning import LinearOptions
from rosenblatt.cli.options.lists import listed
from rosenblatt.cli.options.names import ADDING_RULES, BLENDED_RULES, LOG_ODDS, OFFERED
from rosenblatt.cli.options.predictions import PositiveOption
from rosenblatt.cli.options.ranking import check_metric, metric_option
from rosenblatt.cli.options.shared import SourceOptions, data_argument, json_option, quiet_option
from rosenblatt.utils.words import file_word, shell_words

if TYPE_CHECKING:
    from rosenblatt.learning.linear.learners import Perceptron
    from rosenblatt.learning.tuning.grid import Candidate, Grid
    from rosenblatt.learning.tuning.result import Tuning
    from rosenblatt.streams import Batch, Stream
    from rosenblatt.streams.core.options import ReadOptions

_PICTURES = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
_GAP = 2  # blanks between the columns of the table
_SHARED = ("multi_class", "penalty", "alpha", "class_weight", "probabilities")
"""Options of the learner that all candidates have."""


class TuneOptions(SourceOptions, PositiveOption, LinearOptions, panel="Output"):
    """All options and arguments of ``rosenblatt tune``."""

    data: str = data_argument()
    metric: str | None = metric_option("log_loss, unless a --rule gives no probabilities: error")
    rules: tuple[str, ...] = option(
        "--rule NAME",
        f"Try this rule: {', '.join(OFFERED)}. Repeatable. By default a few good ones, for "
        f"log_loss those with probabilities: of {', '.join(LOG_ODDS)}; with --probabilities all.",
        OFFERED,
        multiple=True,
        panel="Learning",
    )
    eta0: Any = listed(
        option(
            "--eta0 X",
            "",
            FiniteRange(min=0.0, min_open=True),
            panel="Learning",
        ),
        "Try these learning rates, such as 0.1,1, with each rule that has one. By default two or "
        "three that suit the rule.",
    )
    scale: Any = option(
        "--scale/--no-scale",
        "Try --scale of train alone, or do not try it. By default both where the columns differ in "
        "size.",
        panel="Learning",
    )
    average: Any = option(
        "--average/--no-average",
        "Try --average of train alone, or do not try it. By default both.",
        panel="Learning",
    )
    epochs: int = option(
        "--epochs N",
        "Learn N epochs. More than one hold out a fifth of the rows, and rank by those.",
        click.IntRange(min=1),
        default=1,
        panel="Learning",
    )
    shuffle: bool = option(
        "--shuffle",
        "Read all rows into memory and shuffle them for each epoch.",
        panel="Learning",
    )
    seed: int = option(
        "--seed N",
        "Random seed of --shuffle and of the rows held out.",
        click.IntRange(min=0),
        default=0,
        panel="Learning",
    )
    plot: str | None = option(
        "--plot FILE", f"Draw all candidates into a file: {', '.join(_PICTURES)}."
    )
    as_json: bool = json_option("Print one JSON object: command, candidates from the best, …")
    quiet: bool = quiet_option()


@command(TuneOptions, "Learn and predict", 5)
def tune(options: TuneOptions) -> None:
    """Try rules, learning rates, scaling and averaging, and print the best train command.

    Examples
    --------
        rosenblatt tune mail.svm  # find the best rule and options
        rosenblatt tune mail.csv --target kind --metric f1 --positive spam
        rosenblatt tune mail.svm --rule pa1 --rule arow --eta0 0.01,0.1,1,10 --metric error
        rosenblatt tune mail.csv --epochs 10 --shuffle --plot mail.svg
        rosenblatt tune clicks.vw --interactions 'user*ad'

    All candidates share one reading: each batch is read once, every candidate predicts its rows,
    each before it learns it. So the numbers are of rows that were new. --interactions are tried,
    too: DATA is then read without and with them. A candidate is left out early only if its weights
    leave the floating-point range. The number of the best of many is a little too good: judge the
    winner on other rows. No model is written: the last line is the command that does.
    """
    metric = _checked_metric(options)
    check_data(options.data)
    from rosenblatt.cli.inputs import bad_rows
    from rosenblatt.cli.inputs.data import build_read_options

    read_options = build_read_options(options)
    _check_passes(options)
    _check_plot(options)
    tuning, signal, missing = _run(options, read_options, metric)
    if options.plot is not None:
        from rosenblatt.plots import TuningDisplay

        TuningDisplay.from_tuning(tuning).figure_.savefig(options.plot)
    words = _command(options, tuning.results[0].candidate)
    if options.as_json:
        about = {"bad_rows": bad_rows.count_bad_rows(read_options), "missing_cells": missing}
        start = {"command": shell_words(words), "arguments": words[1:]}
        terminal.print_json(start | tuning.record() | about)
    else:
        _show(tuning, shell_words(words))
    if signal:
        rows = fmt.count(tuning.results[0].examples, "row")
        raise signal_error(f"stopped: the ranking is by {rows}.", signal)


def _checked_metric(options: TuneOptions) -> str:
    """Return the metric; refuse lists that cannot be tried."""
    from rosenblatt.learning.tuning.grid import default_metric

    if options.class_weight == "balanced":
        raise click.UsageError(
            "--class-weight balanced counts the labels first, and the rows are predicted before "
            """that: give weights, such as --class-weight '{"spam": 5}'."""
        )
    if "alpha" in options.on_command_line and options.penalty is None:
        raise click.UsageError("--alpha goes with --penalty: give --penalty l2, too.")
    for rule in options.rules:
        if options.penalty and rule not in ADDING_RULES:
            raise click.UsageError(
                f"--rule {rule} and --penalty exclude each other: it changes weights its own way."
            )
    metric = options.metric or default_metric(() if options.probabilities else options.rules)
    if options.rules:
        check_metric(metric, options.rules, calibrated=options.probabilities)
    try:
        _grid(options, metric).check(metric)
    except ValueError as error:
        raise click.UsageError(re.sub("^(eta0|rules)", r"--\1", str(error))) from error
    return metric


def _grid(options: TuneOptions, metric: str) -> Grid:
    from rosenblatt.learning.tuning.grid import OUTPUTS, Grid

    grid = Grid(
        options.rules or None,
        options.eta0 or None,
        None if options.scale is None else (options.scale,),
        OUTPUTS if options.average is None else (OUTPUTS[options.average],),
        options.probabilities,
    )
    if options.penalty and not options.rules:
        rules = [rule for rule in grid.tried_rules(metric) if rule in ADDING_RULES]
        grid = grid._replace(rules=tuple(rules))
    return grid


def _check_passes(options: TuneOptions) -> None:
    """Refuse to read a pipe twice."""
    from rosenblatt.streams.io.paths import is_single_pass

    if not is_single_pass(options.data):
        return
    if options.interactions:
        raise click.UsageError(
            "--interactions reads DATA without them, and then with them, and a pipe is read once: "
            "name a file."
        )
    if options.epochs > 1 and not options.shuffle:
        raise click.UsageError(
            f"--epochs {options.epochs} reads DATA repeatedly, and a pipe is read once: name a "
            "file, or add --shuffle to read all rows into memory."
        )


def _check_plot(options: TuneOptions) -> None:
    """Refuse a file of ``--plot`` that cannot be written, before any work."""
    if options.plot is None:
        return
    from rosenblatt.cli.inputs.paths import check_output_path

    suffix = os.path.splitext(options.plot)[1]
    if suffix not in _PICTURES:
        raise click.UsageError(f"--plot {options.plot}: give a file {', '.join(_PICTURES)}.")

    def check_picture(path: str) -> None:
        with open(path, "rb") as file:
            if not file.read(8).startswith(_PICTURES[suffix]):
                raise ValueError(path)

    check_output_path(options.plot, options.data, "picture", "--plot", check_picture)
    if find_spec("matplotlib") is None:
        raise Failure("--plot is drawn by matplotlib: pip install matplotlib.")


class _Checked:
    """The rows of a stream, checked in every pass."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    def __iter__(self) -> Iterator[Batch]:
        from rosenblatt.cli.inputs.data import checked_examples

        return checked_examples(self.stream)


def _run(
    options: TuneOptions, read_options: ReadOptions, metric: str
) -> tuple[Tuning, int, dict[str, int] | None]:
    """Return the result, the signal that ended it or 0, and the missing cells by column."""
    import numpy as np

    from rosenblatt.cli.inputs import data
    from rosenblatt.cli.inputs.batches import show_progress
    from rosenblatt.cli.training.signals import Signals
    from rosenblatt.learning.tuning.result import NothingToRankError
    from rosenblatt.learning.tuning.side_by_side import tune_rows

    streams: dict[bool, Stream] = {}
    for has_products in (False, True) if options.interactions else (False,):
        chosen = read_options._replace(interactions=options.interactions if has_products else ())
        if has_products and chosen.on_bad_row != "stop":
            chosen = chosen._replace(on_bad_row="skip")  # the first reading has written them
        streams[has_products] = data.open_data(options.data, chosen)
    stream = streams[False]
    data.print_schema(stream, options.quiet)
    labels: list[object] = []

    def build(candidate: Candidate, batch: Batch) -> Perceptron:
        return _build(options, candidate, batch, streams[candidate.interactions])

    def positive(of: list[object]) -> object:
        labels.extend(of)
        return next((label for label in of if fmt.label(label) == options.positive), None)

    with Signals() as signals, np.errstate(all="ignore"):

        def watch(rows: Iterable[Batch]) -> Iterator[Batch]:
            return show_progress(signals.batches(rows), options.data, options.quiet)

        try:
            tuning = tune_rows(
                [(has_products, _Checked(one)) for has_products, one in streams.items()],
                _grid(options, metric),
                build,
                metric=metric,
                positive=positive,
                epochs=options.epochs,
                shuffle=options.shuffle,
                seed=options.seed,
                watch=watch,
            )
        except NothingToRankError as error:
            if signals.number:
                raise signal_error("stopped before the first example.", signals.number) from None
            raise BadData(f"{stream.name}: {error}") from error
    if not options.quiet:
        data.note_missing_cells(stream)
        _note_doubts(options, stream.name, tuning, labels)
    return tuning, signals.number, data.missing_cells(stream)


def _build(options: TuneOptions, candidate: Candidate, batch: Batch, stream: Stream) -> Perceptron:
    """Return the unfitted learner of a candidate; ``batch`` is the first one."""
    from rosenblatt.cli.training.class_weights import typed_weights
    from rosenblatt.learning import interface
    from rosenblatt.learning.linear.learners import Perceptron
    from rosenblatt.streams.features.encoding import number_columns

    model = Perceptron(
        **candidate.parameters,
        multi_class=options.multi_class,
        penalty=options.penalty,
        alpha=options.alpha,
        probabilities=options.probabilities,
        shuffle=False,
    )
    if isinstance(options.class_weight, dict):
        model.class_weight = typed_weights(options.class_weight, batch.y, stream.name)
    if candidate.scale:
        interface.centre_columns(model, number_columns(stream))
    return model


def _note_doubts(options: TuneOptions, name: str, tuning: Tuning, labels: list[object]) -> None:
    """Print notes on what makes the numbers meaningless, or is not in the rows."""
    from rosenblatt.cli.training.class_weights import note_unused_weights

    if isinstance(options.class_weight, dict):
        note_unused_weights(options.class_weight, labels, name)
    if options.positive not in (None, *map(fmt.label, labels)):
        terminal.note(f"--positive {options.positive}: no row of {options.data} has this label.")


def _show(tuning: Tuning, line: str) -> None:
    """Print the table, what its reader should know, and the command."""
    names, rows = tuning.cells()
    console = terminal.stdout()
    columns = [render.Column(name, "" if j else "bold", True) for j, name in enumerate(names)]
    shown = [row[: _fitting(names, rows, console.width)] for row in rows[: render.MAX_CLASSES]]
    console.print(render.table(columns[: len(shown[0])], shown, gap=_GAP))
    if len(rows) > render.MAX_CLASSES:
        more = fmt.count(len(rows) - render.MAX_CLASSES, "candidate")
        console.print(f"… and {more} more: see --json.")
    console.print()
    rate = f"{tuning.candidates_times_rows_per_second:,.0f} candidates × rows a second"
    base = tuning.baselines
    facts = [
        ("tried", tuning.evidence()),
        ("", f"in {fmt.seconds(tuning.seconds)}, {rate}"),
        ("baseline error", fmt.baseline(fmt.label(base.constant), base.constant_error)),
        *(
            ()
            if base.no_change_error is None
            else [("", f"{fmt.percent(base.no_change_error)} (no change of label)")]
        ),
        ("baseline log loss", f"{base.log_loss:.4f} (the shares of the labels)"),
        *(("note", remark) for remark in tuning.remarks()),
    ]
    console.print(render.facts(facts))
    console.print()
    print(line)  # in one piece, however long


def _fitting(names: list[str], rows: list[list[str]], width: int) -> int:
    """Return how many columns, from the left, a terminal of this width shows."""
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    return sum(end <= width + _GAP for end in accumulate(_GAP + one for one in widths))


def _command(options: TuneOptions, best: Candidate) -> list[str]:
    """Return the words of the command that trains a candidate."""
    shared = []
    names = ("class_weight",) if best.rule in BLENDED_RULES else _SHARED
    for name in filter(options.on_command_line.__contains__, names):
        shared += options.arguments_of(name)
    reading = options.reading_arguments(() if best.interactions else ("interactions",))
    order = options.shuffle or options.epochs > 1
    return [
        *("rosenblatt", "train", file_word(options.data), "-m", _free_name(options.data)),
        *best.arguments,
        *shared,
        *(("--epochs", str(options.epochs)) if options.epochs > 1 else ()),
        *(("--shuffle",) if options.shuffle else ()),
        *(("--seed", str(options.seed)) if order and options.seed else ()),
        *reading,
    ]


def _free_name(data: str) -> str:
    """Return the name of a model file in the current folder that does not exist yet.

    Examples
    --------
    >>> _free_name("logs/day-*.svm.gz"), _free_name("sklearn:iris"), _free_name("-")
    ('day.rosenblatt', 'iris.rosenblatt', 'model.rosenblatt')
    """
    last = re.split(r"[/:\\]", data.rstrip("/"))[-1]
    stem = re.sub(r"[^\w.-]+", "-", last.split(".")[0]).strip("-.") or "model"
    names = [f"{stem}.rosenblatt", *(f"{stem}-{k}.rosenblatt" for k in range(2, 1000))]
    return next((name for name in names if not os.path.exists(name)), names[0])
