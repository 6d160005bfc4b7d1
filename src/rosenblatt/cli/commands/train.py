"""``rosenblatt train``: learn a classifier, showing the error as it goes."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.display import fmt, model_facts, terminal
from rosenblatt.cli.display.errors import Failure, Interrupted, signal_error
from rosenblatt.cli.inputs import hashed_names
from rosenblatt.cli.options import kernel, shared
from rosenblatt.cli.options.learning import learner_options, learning_option
from rosenblatt.cli.training import checkpoints, holdout

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.proofs import CheckedProof
    from rosenblatt.cli.training.run import TrainingResult
    from rosenblatt.streams.core.options import ReadOptions


_OUTPUTS = {"last": "", "average": ", averaged", "vote": ", voted"}


@click.command(no_args_is_help=True)
@shared.order_panels
@shared.data_argument
@click.option("-m", "--model", "path", metavar="FILE", required=True, help="Where the model goes.")
@shared.reading_options
@learner_options
@learning_option(
    "--epochs",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    help="Passes over the data at most; one in which nothing moves is the last.",
)
@learning_option(
    "--shuffle",
    is_flag=True,
    help="Hold all rows in memory and mix them anew for every pass. Without it the order is the "
    "data's, and memory stays small.",
)
@learning_option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    help="Seed of --shuffle and --holdout.",
)
@learning_option(
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
def train(ctx: click.Context, /, **params: Any) -> None:
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
    started = time.perf_counter()
    from rosenblatt.cli.inputs import data, paths
    from rosenblatt.cli.inputs.bad_rows import count_bad_rows
    from rosenblatt.cli.report import page
    from rosenblatt.cli.training import run

    kernel.check_kernel_options(ctx, params)
    holdout.check_holdout_options(ctx, params)
    _check_passes(ctx, params)
    read_options = data.build_read_options(params)

    paths.check_model_path(params["path"], params["data"])
    if params["early_stop"] is not None:
        paths.check_model_path(run.best_path(params["path"]), params["data"])
    if params["report"] is not None:
        page.check_report_path(params["report"], params["data"])
    result = run.run_training(params, read_options, started)
    if params["certify"] and not result.interrupted:
        result = replace(result, checked_proof=_certify(params, read_options, result.path))
    if params["report"] is not None:
        _report(result, params, read_options)
    if not params["quiet"]:
        _show(result, params["report"])
    if params["as_json"]:
        record = _record(result) | {
            "report": params["report"],
            "bad_rows": count_bad_rows(read_options),
        }
        click.echo(json.dumps(record, ensure_ascii=False))
    if result.checked_proof is not None and result.checked_proof.failed is not None:
        raise Failure(result.checked_proof.failure_message)
    if result.interrupted:
        learned = f"from {fmt.count(result.summary.last.examples, 'example')}"
        if result.summary.epochs > 1:
            learned = f"until pass {result.summary.epochs:,}"
        message = f"what was learned {learned} is in {result.path}; --resume goes on."
        raise signal_error(message, result.signal)


def _check_passes(ctx: click.Context, params: dict[str, Any]) -> None:
    from rosenblatt.cli.inputs.data import is_single_pass

    if not is_single_pass(params["data"]):
        return
    name = "standard input" if params["data"] == "-" else f"{params['data']}, a pipe,"
    if params["certify"]:
        raise click.UsageError(
            f"--certify reads DATA once more, but {name} passes only once: name a file.", ctx
        )
    if params["epochs"] > 1 and not params["shuffle"]:
        raise click.UsageError(
            f"--epochs {params['epochs']} asks for several passes, but {name} passes only once: "
            "name a file, or add --shuffle to hold all rows in memory.",
            ctx,
        )


def _report(result: TrainingResult, params: dict[str, Any], read_options: ReadOptions) -> None:
    from rosenblatt.cli.inputs import data
    from rosenblatt.cli.report import page
    from rosenblatt.cli.report.second_pass import review_training_data

    try:
        review = None
        if not (result.interrupted or data.is_single_pass(params["data"])):
            review = review_training_data(
                result.path, params["data"], read_options, params["quiet"]
            )
        page.write_report(params["report"], result, _facts(result), review)
    except KeyboardInterrupt:
        raise Interrupted(f"there is no report, but the model is in {result.path}.") from None


def _certify(params: dict[str, Any], read_options: ReadOptions, path: str) -> CheckedProof:
    from rosenblatt.cli.inputs.proofs import certify_data, read_data, show_waiting

    try:
        with show_waiting("certifying …", params["quiet"]):
            return certify_data(read_data(params["data"], read_options))
    except KeyboardInterrupt:
        raise Interrupted(f"there is no certificate, but the model is in {path}.") from None


def _certificate_record(checked: CheckedProof | None) -> dict[str, Any] | None:
    """The certificate of ``--json``, without what fills pages."""
    if checked is None:
        return None
    from rosenblatt.cli.inputs.proofs import proof_record

    record = proof_record(checked)
    if isinstance(record["classes"], dict):
        return record | {"classes": {k: _summary(one) for k, one in record["classes"].items()}}
    return _summary(record)


def _summary(record: dict[str, Any]) -> dict[str, Any]:
    names = ("status", "margin", "mistake_bound", "mistakes", "verified", "seconds")
    return {name: record[name] for name in names}


def _record(result: TrainingResult) -> dict[str, Any]:
    """The object of ``--json``."""
    summary, last, model = result.summary, result.summary.last, result.model
    return {
        "examples": last.examples,
        "features": int(model.n_features_in_),
        "collisions": hashed_names.collision_record(result.collisions),
        "classes": model.classes_.tolist(),
        "rule": model.rule,
        "average": model.output == "average",
        "kernel": getattr(model, "kernel", None),
        "support": model_facts.support_size(model),
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
        "certificate": _certificate_record(result.checked_proof),
    }


def _show(result: TrainingResult, report: str | None) -> None:
    from rosenblatt.cli.display import render

    console = terminal.stderr()
    console.print()
    report_facts = [] if report is None else [("report", report)]
    console.print(render.facts([*_facts(result), *report_facts]))


def _facts(result: TrainingResult) -> list[tuple[str, str]]:
    summary, last, model = result.summary, result.summary.last, result.model
    classes = model.classes_.tolist()
    read, learn = fmt.seconds(summary.seconds_read), fmt.seconds(summary.seconds_learn)
    target = [] if result.target is None else [("labels", f"column {result.target!r}")]
    return [
        ("first pass", f"wrong {fmt.error_rate(last.error, last.low, last.high)},"),
        ("", "each example predicted before it was learned"),
        ("best constant", fmt.baseline(summary.constant, summary.constant_error)),
        *_holdout_facts(result.held_out),
        ("rule", model.rule + _OUTPUTS[model.output]),
        *model_facts.kernel_facts(model, last.examples),
        *target,
        ("classes", f"{len(classes):,}: {fmt.listing(classes)}"),
        ("features", f"{model.n_features_in_:,}; the longest example has R = {summary.radius:.4g}"),
        *hashed_names.collision_facts(hashed_names.collision_record(result.collisions)),
        ("passes", f"{summary.epochs:,}; {_format_convergence(result)}"),
        *_certificate_facts(result.checked_proof),
        ("time", f"read {read}, learn {learn}, total {fmt.seconds(result.seconds)}"),
        ("model", f"{result.path} ({fmt.size(os.path.getsize(result.path))})"),
        ("to judge it", f"rosenblatt evaluate {result.path} DATA"),
    ]


def _holdout_facts(holdout: dict[str, Any] | None) -> list[tuple[str, str]]:
    if holdout is None:
        return []
    missed = (
        f"{holdout['errors']:,} of {holdout['examples']:,} rows, after pass {holdout['pass']:,}"
    )
    return [
        ("held out", f"wrong {fmt.error_rate(holdout['error'], *holdout['interval'])}: {missed}")
    ]


def _certificate_facts(checked: CheckedProof | None) -> list[tuple[str, str]]:
    if checked is None:
        return []
    from rosenblatt.cli.display.certificates import summary

    details = f"verified in exact arithmetic; it took {fmt.seconds(checked.search_seconds)}"
    return [("certificate", summary(checked.proof)), ("", details)]


def _format_convergence(result: TrainingResult) -> str:
    if result.interrupted:
        return "interrupted"
    if result.summary.converged:
        return "converged: no mistake in the last one, and nothing moved"
    if result.patience is not None:
        passes = fmt.count(result.patience, "pass")
        return f"stopped early: the held-out error had not fallen for {passes}"
    return "not converged"
