"""``rosenblatt train``: learn a classifier, showing the error as it goes."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli import options, screen
from rosenblatt.cli.failures import BadData, Failure, Interrupted

if TYPE_CHECKING:
    from rosenblatt.cli.opening import Reading
    from rosenblatt.cli.progress import ProgressTable
    from rosenblatt.progressive import Line, Summary
    from rosenblatt.streams import Stream

RULES = ("perceptron", "margin", "relaxation", "pa", "pa1", "pa2", "lms", "nlms", "logistic", "hinge")


_learning = partial(click.option, show_default=True, panel="Learning")


@dataclass(frozen=True)
class Result:
    """What a run came to: everything that the screen and ``--json`` tell."""

    model: Any
    stream: Stream
    summary: Summary
    lines: list[Line]
    interrupted: bool
    path: str
    seconds: float


@click.command(no_args_is_help=True)
@options.in_order
@options.data_argument
@click.option("-m", "--model", "path", metavar="FILE", required=True, help="Where the model goes.")
@_learning(
    "--rule",
    type=click.Choice(RULES),
    metavar="NAME",
    default="perceptron",
    help=f"How far one example moves the weights: {', '.join(RULES)}.",
)
@_learning(
    "--average", is_flag=True, help="Predict with the average of all weights: wrong less often."
)
@_learning(
    "--epochs",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    help="Passes over the data at most; one in which nothing moves is the last.",
)
@_learning(
    "--shuffle",
    is_flag=True,
    help="Hold all rows in memory and mix them anew for every pass. Without it the order is the "
    "data's, and memory stays small.",
)
@_learning("--seed", type=click.IntRange(min=0), metavar="N", default=0, help="Of --shuffle.")
@_learning(
    "--multi-class",
    type=click.Choice(["ovr", "joint"]),
    metavar="NAME",
    default="ovr",
    help="Three classes or more: ovr, each against the rest, or joint, one arg max over all.",
)
@_learning(
    "--eta0",
    type=click.FloatRange(min=0.0, min_open=True),
    metavar="X",
    default=1.0,
    help="Learning rate; C of pa1 and pa2, μ of nlms.",
)
@_learning(
    "--penalty",
    type=click.Choice(["l1", "l2", "elasticnet"]),
    metavar="NAME",
    help="Keep weights small: l2; or most of them at zero: l1; or both: elasticnet.",
)
@_learning(
    "--alpha",
    type=click.FloatRange(min=0.0),
    metavar="X",
    default=1e-4,
    help="Strength of --penalty.",
)
@options.reading_options
@click.option("-q", "--quiet", is_flag=True, help="Only errors.", panel="Output")
@options.json_option("One object on standard output when all is learned.")
@click.pass_context
def train(ctx: click.Context, /, **given: Any) -> None:
    """Learn a classifier from DATA, one example at a time.

    [bold]Examples[/]
        rosenblatt train mail.svm -m mail.model
        rosenblatt train mail.csv --target kind -m mail.model
        rosenblatt train mail.svm.gz -m mail.model --average --epochs 10 --shuffle
        zcat log.svm.gz | rosenblatt train - -m log.model

    Every example is predicted before it is learned. The table shows, at 1, 2, 4, 8, … examples,
    how often that was wrong, with an interval that holds at all lines at once. Ctrl-C saves what
    was learned so far.
    """
    begin = time.perf_counter()
    _check_passes(ctx, given)
    from rosenblatt.cli import opening

    opening.check_model_path(given["path"], given["data"])
    how = opening.reading(given["format"], given["target"], given["index_base"])
    result = _learn(given, how, begin)
    if not given["quiet"]:
        _show(result)
    if given["as_json"]:
        click.echo(json.dumps(_record(result), ensure_ascii=False))
    if result.interrupted:
        raise Interrupted(
            f"interrupted: what was learned from {_learned(result)} is in {result.path}."
        )


def _check_passes(ctx: click.Context, given: dict[str, Any]) -> None:
    from rosenblatt.cli.opening import passes_once

    if given["epochs"] > 1 and not given["shuffle"] and passes_once(given["data"]):
        name = "standard input" if given["data"] == "-" else f"{given['data']}, a pipe,"
        raise click.UsageError(
            f"--epochs {given['epochs']} asks for several passes, but {name} passes only once: "
            "name a file, or add --shuffle to hold all rows in memory.",
            ctx,
        )


def _learn(given: dict[str, Any], how: Reading, begin: float) -> Result:
    import numpy as np

    from rosenblatt.cli.opening import open_data
    from rosenblatt.cli.passes import Mixed, Passes
    from rosenblatt.cli.progress import ProgressTable
    from rosenblatt.linear import Perceptron
    from rosenblatt.progressive import learn

    model = Perceptron(
        rule=given["rule"],
        output="average" if given["average"] else "last",
        multi_class=given["multi_class"],
        penalty=given["penalty"],
        alpha=given["alpha"],
        eta0=given["eta0"],
        shuffle=False,
    )
    stream = open_data(given["data"], how)
    rows = Mixed(stream, given["seed"]) if given["shuffle"] else stream
    table = ProgressTable(screen.messages(given["quiet"]), given["epochs"])
    reporter = _Reporter(model, table)
    passes = Passes(rows, table.at, reporter.end_pass)
    with np.errstate(all="ignore"), table, passes:
        summary = learn(model, passes, given["epochs"], reporter.add)
        reporter.add(summary.last)
        if passes.interrupted:
            summary = summary._replace(epochs=passes.epochs, converged=False)
        _check_learned(model, stream, passes.interrupted)
        notes = {"data": given["data"], "format": stream.format, "target": stream.target}
        notes |= {"index_base": stream.index_base, "interrupted": passes.interrupted}
        _save(model, stream, given["path"], notes)
    seconds = time.perf_counter() - begin
    return Result(
        model, stream, summary, table.lines, passes.interrupted, given["path"], seconds
    )


class _Reporter:
    """Takes the learner's reports to the table, and stops a run whose weights have run away."""

    def __init__(self, model: Any, table: ProgressTable) -> None:
        self.model, self.table = model, table
        self._mistakes = self._updates = 0

    def add(self, line: Line) -> None:
        """One more line of the first pass."""
        if line.examples == 0:
            return
        if not 0.0 <= line.norm < float("inf"):
            raise Failure(
                f"after {screen.count(line.examples, 'example')} the weights are too large for "
                "floating-point numbers: choose a smaller --eta0, or scale the features. No "
                "model was written."
            )
        self.table.add(line)

    def end_pass(self, epoch: int) -> None:
        """A pass is over."""
        if not self.model.__sklearn_is_fitted__():
            return
        mistakes, updates = self.model.mistakes_, self.model.updates_
        if epoch > 1:
            self.table.end_pass(epoch, mistakes - self._mistakes, updates - self._updates)
        self._mistakes, self._updates = mistakes, updates


def _check_learned(model: Any, stream: Stream, interrupted: bool) -> None:
    """A model of fewer than two classes predicts nothing worth saving."""
    import numpy as np

    classes = model.classes_ if model.__sklearn_is_fitted__() else []
    if len(classes) < 2 and interrupted:
        raise Interrupted("interrupted before there was anything to save; no model was written.")
    if len(classes) < 2:
        found = f"every label is {screen.label(classes[0].item())!r}" if len(classes) else "no rows"
        raise BadData(f"{stream.name}: {found}; a classifier needs examples of two classes or more.")
    if not np.isfinite(model.coef_).all():
        raise Failure(
            "the weights are too large for floating-point numbers: choose a smaller --eta0, or "
            "scale the features. No model was written."
        )


def _save(model: Any, stream: Stream, path: str, notes: dict[str, Any]) -> None:
    import numpy as np

    from rosenblatt import models

    if stream.feature_names is not None:
        model.feature_names_in_ = np.array(stream.feature_names, dtype=object)
    models.save(model, path, notes=notes)


# --- telling -------------------------------------------------------------------------------------


def _learned(result: Result) -> str:
    return screen.count(result.summary.last.examples, "example")


def _record(result: Result) -> dict[str, Any]:
    """The object of ``--json``."""
    summary, last, model = result.summary, result.summary.last, result.model
    return {
        "examples": last.examples,
        "features": int(model.n_features_in_),
        "classes": model.classes_.tolist(),
        "rule": model.rule,
        "average": model.output == "average",
        "epochs": summary.epochs,
        "errors": last.errors,
        "mistakes": model.mistakes_,
        "updates": model.updates_,
        "progressive_error": last.error,
        "progressive_interval": [last.low, last.high],
        "constant": summary.constant,
        "constant_error": summary.constant_error,
        "converged": summary.converged,
        "interrupted": result.interrupted,
        "radius": summary.radius,
        "norm": last.norm,
        "seconds": {
            "read": summary.seconds_read,
            "learn": summary.seconds_learn,
            "total": result.seconds,
        },
        "progress": [line._asdict() for line in result.lines],
        "model": result.path,
    }


def _show(result: Result) -> None:
    console = screen.messages()
    console.print()
    console.print(screen.facts(_facts(result)))


def _facts(result: Result) -> list[tuple[str, str]]:
    summary, last, model = result.summary, result.summary.last, result.model
    classes = model.classes_.tolist()
    rule = model.rule + (", averaged" if model.output == "average" else "")
    return [
        ("wrong", f"{screen.percent(last.error)} of the time ({screen.interval(last.low, last.high)})"),
        (
            "best constant",
            f"{screen.percent(summary.constant_error)}, "
            f"by always saying {screen.label(summary.constant)!r}",
        ),
        ("rule", rule),
        ("classes", f"{len(classes):,}: {screen.listing(classes)}"),
        ("features", f"{model.n_features_in_:,}, longest example R = {summary.radius:.4g}"),
        ("passes", f"{summary.epochs:,}, {_convergence(result)}"),
        (
            "time",
            f"read {screen.seconds(summary.seconds_read)}, "
            f"learn {screen.seconds(summary.seconds_learn)}, total {screen.seconds(result.seconds)}",
        ),
        ("model", f"{result.path} ({screen.size(os.path.getsize(result.path))})"),
    ]


def _convergence(result: Result) -> str:
    if result.interrupted:
        return "interrupted"
    if result.summary.converged:
        return "no mistake in the last one: the data is separated"
    return "mistakes until the end"
