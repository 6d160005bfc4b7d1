"""``rosenblatt train``: learn a classifier, showing the error as it goes."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import console as display_console
from rosenblatt.cli.display import model_facts, text
from rosenblatt.cli.display.errors import Failure, Interrupted, stopped
from rosenblatt.cli.inputs import hashed_names
from rosenblatt.cli.options import kernel, shared
from rosenblatt.cli.options.learning import learner_options, learning
from rosenblatt.cli.training import checkpoints, holdout

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.proofs import Answer
    from rosenblatt.cli.training.run import Result
    from rosenblatt.streams.core.options import Settings


_OUTPUTS = {"last": "", "average": ", averaged", "vote": ", voted"}


@click.command(no_args_is_help=True)
@shared.in_order
@shared.data_argument
@click.option("-m", "--model", "path", metavar="FILE", required=True, help="Where the model goes.")
@shared.reading_options
@learner_options
@learning(
    "--epochs",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    help="Passes over the data at most; one in which nothing moves is the last.",
)
@learning(
    "--shuffle",
    is_flag=True,
    help="Hold all rows in memory and mix them anew for every pass. Without it the order is the "
    "data's, and memory stays small.",
)
@learning(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    help="Seed of --shuffle and --holdout.",
)
@learning(
    "--expansion",
    is_flag=True,
    help="Keep the rows that moved the weights, and how far, for explain in Python.",
)
@holdout.holdout_options
@checkpoints.checkpoint_options
@click.option(
    "--certify",
    is_flag=True,
    help="Also tell whether a hyperplane separates the classes, with a proof that is checked: DATA "
    "is read once more, and held in memory.",
    panel="Output",
)
@click.option(
    "--report",
    metavar="FILE",
    help="Write a page of HTML that needs no network: the curve, what is mistaken for what, the "
    "heaviest weights, margins, the theorem. DATA is read once more.",
    panel="Output",
)
@click.option("-q", "--quiet", is_flag=True, help="Only errors.", panel="Output")
@shared.json_option("One object on standard output when all is learned.")
@kernel.kernel_options
@click.pass_context
def train(ctx: click.Context, /, **given: Any) -> None:
    """Learn a classifier from DATA, one example at a time.

    [bold]Examples[/]
        rosenblatt train mail.svm -m mail.rosenblatt
        rosenblatt train mail.csv --target kind -m mail.rosenblatt
        rosenblatt train mail.svm.gz -m mail.rosenblatt --average --epochs 10 --shuffle
        rosenblatt train sklearn:digits -m digits.rosenblatt --kernel rbf
        rosenblatt train mail.svm -m mail.rosenblatt --report mail.html
        zcat log.svm.gz | rosenblatt train - -m log.rosenblatt
        rosenblatt train 'log-*.svm' -m log.rosenblatt --checkpoint-every 5min --resume

    Every example is predicted before it is learned. The table shows, at 1, 2, 4, 8, … examples,
    how often that was wrong, with an interval that holds at all lines at once. Ctrl-C and SIGTERM
    save what was learned so far, and --resume goes on from there.
    """
    begin = time.perf_counter()
    from rosenblatt.cli.inputs import data, paths
    from rosenblatt.cli.inputs.bad_rows import left_out
    from rosenblatt.cli.report import page
    from rosenblatt.cli.training import run

    kernel.check(ctx, given)
    holdout.check(ctx, given)
    _check_passes(ctx, given)
    how = data.reading(given)

    paths.check_model_path(given["path"], given["data"])
    if given["early_stop"] is not None:
        paths.check_model_path(run.best_path(given["path"]), given["data"])
    if given["report"] is not None:
        page.check_report_path(given["report"], given["data"])
    result = run.run(given, how, begin)
    if given["certify"] and not result.interrupted:
        result = replace(result, answer=_certify(given, how, result.path))
    if given["report"] is not None:
        _report(result, given, how)
    if not given["quiet"]:
        _show(result, given["report"])
    if given["as_json"]:
        record = _record(result) | {"report": given["report"], "bad_rows": left_out(how)}
        click.echo(json.dumps(record, ensure_ascii=False))
    if result.answer is not None and result.answer.failed is not None:
        raise Failure(result.answer.broken)
    if result.interrupted:
        learned = f"from {text.count(result.summary.last.examples, 'example')}"
        if result.summary.epochs > 1:
            learned = f"until pass {result.summary.epochs:,}"
        message = f"what was learned {learned} is in {result.path}; --resume goes on."
        raise stopped(message, result.signal)


def _check_passes(ctx: click.Context, given: dict[str, Any]) -> None:
    from rosenblatt.cli.inputs.data import passes_once

    if not passes_once(given["data"]):
        return
    name = "standard input" if given["data"] == "-" else f"{given['data']}, a pipe,"
    if given["certify"]:
        raise click.UsageError(
            f"--certify reads DATA once more, but {name} passes only once: name a file.", ctx
        )
    if given["epochs"] > 1 and not given["shuffle"]:
        raise click.UsageError(
            f"--epochs {given['epochs']} asks for several passes, but {name} passes only once: "
            "name a file, or add --shuffle to hold all rows in memory.",
            ctx,
        )


def _report(result: Result, given: dict[str, Any], how: Settings) -> None:
    from rosenblatt.cli.inputs import data
    from rosenblatt.cli.report import page
    from rosenblatt.cli.report.second_pass import look

    try:
        seen = None
        if not (result.interrupted or data.passes_once(given["data"])):
            seen = look(result.path, given["data"], how, given["quiet"])
        page.write(given["report"], result, _facts(result), seen)
    except KeyboardInterrupt:
        raise Interrupted(f"there is no report, but the model is in {result.path}.") from None


def _certify(given: dict[str, Any], how: Settings, path: str) -> Answer:
    from rosenblatt.cli.inputs.proofs import ask, read, waiting

    try:
        with waiting("certifying …", given["quiet"]):
            return ask(read(given["data"], how))
    except KeyboardInterrupt:
        raise Interrupted(f"there is no certificate, but the model is in {path}.") from None


def _verdict(answer: Answer | None) -> dict[str, Any] | None:
    """The certificate of ``--json``, without what fills pages."""
    if answer is None:
        return None
    from rosenblatt.cli.inputs.proofs import record_of

    record = record_of(answer)
    if isinstance(record["classes"], dict):
        return record | {"classes": {k: _short(one) for k, one in record["classes"].items()}}
    return _short(record)


def _short(record: dict[str, Any]) -> dict[str, Any]:
    wanted = ("status", "margin", "mistake_bound", "mistakes", "verified", "seconds")
    return {name: record[name] for name in wanted}


def _record(result: Result) -> dict[str, Any]:
    """The object of ``--json``."""
    summary, last, model = result.summary, result.summary.last, result.model
    return {
        "examples": last.examples,
        "features": int(model.n_features_in_),
        "collisions": hashed_names.record(result.collisions),
        "classes": model.classes_.tolist(),
        "rule": model.rule,
        "average": model.output == "average",
        "kernel": getattr(model, "kernel", None),
        "support": model_facts.support(model),
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
        "holdout": result.held_out,
        "certificate": _verdict(result.answer),
    }


def _show(result: Result, report: str | None) -> None:
    from rosenblatt.cli.display import render

    console = display_console.messages()
    console.print()
    told = [] if report is None else [("report", report)]
    console.print(render.facts([*_facts(result), *told]))


def _facts(result: Result) -> list[tuple[str, str]]:
    summary, last, model = result.summary, result.summary.last, result.model
    classes = model.classes_.tolist()
    read, learn = text.seconds(summary.seconds_read), text.seconds(summary.seconds_learn)
    target = [] if result.target is None else [("labels", f"column {result.target!r}")]
    return [
        ("first pass", f"wrong {text.wrong(last.error, last.low, last.high)},"),
        ("", "each example predicted before it was learned"),
        ("best constant", text.always(summary.constant, summary.constant_error)),
        *_held_out(result.held_out),
        ("rule", model.rule + _OUTPUTS[model.output]),
        *model_facts.facts(model, last.examples),
        *target,
        ("classes", f"{len(classes):,}: {text.listing(classes)}"),
        ("features", f"{model.n_features_in_:,}; the longest example has R = {summary.radius:.4g}"),
        *hashed_names.facts(hashed_names.record(result.collisions)),
        ("passes", f"{summary.epochs:,}; {_convergence(result)}"),
        *_proved(result.answer),
        ("time", f"read {read}, learn {learn}, total {text.seconds(result.seconds)}"),
        ("model", f"{result.path} ({text.size(os.path.getsize(result.path))})"),
        ("to judge it", f"rosenblatt evaluate {result.path} DATA"),
    ]


def _held_out(found: dict[str, Any] | None) -> list[tuple[str, str]]:
    if found is None:
        return []
    missed = f"{found['errors']:,} of {found['examples']:,} rows, after pass {found['pass']:,}"
    return [("held out", f"wrong {text.wrong(found['error'], *found['interval'])}: {missed}")]


def _proved(answer: Answer | None) -> list[tuple[str, str]]:
    if answer is None:
        return []
    from rosenblatt.cli.display.certificates import brief

    how = f"verified in exact arithmetic; it took {text.seconds(answer.found)}"
    return [("certificate", brief(answer.proof)), ("", how)]


def _convergence(result: Result) -> str:
    if result.interrupted:
        return "interrupted"
    if result.summary.converged:
        return "converged: no mistake in the last one, and nothing moved"
    if result.patience is not None:
        passes = text.count(result.patience, "pass")
        return f"stopped early: the held-out error had not fallen for {passes}"
    return "not converged"
