"""``rosenblatt train``: learn a classifier, and show the progressive error."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import Failure, signal_error, stop_error
from rosenblatt.cli.inputs.existence import check_data, check_model_and_data
from rosenblatt.cli.options.conflicts import check_single_pass, check_train_options
from rosenblatt.cli.options.declared import command
from rosenblatt.cli.options.train import TrainOptions
from rosenblatt.streams.core.access import shown

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.proofs import CheckedProof
    from rosenblatt.cli.training.summary import TrainingResult
    from rosenblatt.streams.core.options import ReadOptions


@command(TrainOptions, "Learn and predict", 1)
def train(options: TrainOptions) -> None:
    """Learn a classifier from DATA, one example at a time.

    Examples
    --------
        rosenblatt train mail.svm -m mail.rosenblatt  # learn from a file
        rosenblatt train mail.csv --target kind -m mail.rosenblatt
        rosenblatt train mail.svm -m mail.rosenblatt --epochs 9 --shuffle
        rosenblatt train sklearn:digits -m digits.rosenblatt --kernel rbf
        rosenblatt train mail.svm -m mail.rosenblatt --report mail.html
        zcat log.svm.gz | rosenblatt train - -m log.rosenblatt
        rosenblatt train 'log-*.svm' -m log.rosenblatt --resume
        rosenblatt train tuesday.csv --from mail.rosenblatt  # go on with new rows
        rosenblatt train 'log-*.svm' -m log.rosenblatt --workers 4

    Begin without options: the default, --rule auto, has nothing to choose. It takes columns in any
    units, follows a drift, and has probabilities. validate and tune compare it with other rules.

    Each example is predicted before it is learned. The table shows the error of these predictions
    after 1, 2, 4, 8, … examples, with a 95 % interval that is valid on all lines at once; the
    recent error is that of the examples since the line before. The summary begins with the error of
    the saved model: on the rows of --holdout, else in the last epoch. Ctrl-C and SIGTERM save the
    model, and --resume continues the run.
    """
    started = time.perf_counter()
    origin = None
    if options.from_model is not None:
        check_model_and_data(options.from_model, options.data)
        from rosenblatt.cli.training.going_on import load_origin

        origin = load_origin(options.from_model)
        options = origin.options(options)
    elif options.path is None:
        raise click.MissingParameter(param=TrainOptions.declared["path"])
    if origin is None and "rule" not in options.on_command_line:
        options = options.replaced(rule=_rule(options))
        if options.others_than_auto == ["scale"] and not (options.resume or options.quiet):
            terminal.note(
                f"--scale alone takes the rule {options.rule}: auto, the default, needs no scale. "
                "Leave --scale out for auto, or name a --rule."
            )
    check_train_options(options)
    check_data(options.data)
    from rosenblatt.cli.inputs.bad_rows import count_bad_rows
    from rosenblatt.cli.inputs.data import build_read_options
    from rosenblatt.cli.inputs.paths import check_model_path
    from rosenblatt.cli.training.run import best_path, run_training
    from rosenblatt.cli.training.summary import show_measurements, show_training, training_record
    from rosenblatt.streams.io.paths import is_single_pass

    if is_single_pass(options.data):
        check_single_pass(options)
    read_options = build_read_options(options)
    check_model_path(options.path, options.data)
    _say_downloads(options, read_options)
    if options.on_cluster:
        from rosenblatt.cli.training.on_cluster import train_on_cluster

        train_on_cluster(options, read_options, started)
        return
    if options.early_stop is not None:
        check_model_path(best_path(options.path), options.data)
    if options.report is not None:
        from rosenblatt.cli.report.page import check_report_path

        check_report_path(options.report, options.data)
    result = run_training(options, read_options, started, origin)
    if options.certify and not result.interrupted:
        result = replace(result, checked_proof=_certify(options, read_options))
    is_kept = not (result.interrupted and options.in_place)  # else MODEL is as it was before
    report = options.report if is_kept else None
    if report is not None:
        _write_report(report, result, options, read_options)
    if options.quiet:
        show_measurements(result)
    else:
        show_training(result, report)
    if options.as_json:
        rest = {"report": report, "bad_rows": count_bad_rows(read_options)}
        terminal.print_json(training_record(result) | rest)
    if result.checked_proof is not None and result.checked_proof.failed is not None:
        raise Failure(result.checked_proof.failure_message)
    if result.interrupted:
        learned = f"after {fmt.count(result.summary.last.examples, 'example')}"
        if result.summary.epochs > 1:
            learned = f"in epoch {result.summary.epochs:,}"
        message = f"stopped {learned}; the model is in {result.path}. Continue with --resume."
        if not is_kept:
            message = f"stopped {learned}; {result.path} is as it was before."
        raise signal_error(message, result.signal)


def _rule(options: TrainOptions) -> str:
    """Return the rule of a command line that names none: that of the run to resume, if any.

    Raises
    ------
    click.UsageError
        The run has the rule auto, and the command line an option of others.
    """
    if not (options.resume and os.path.exists(options.path)):
        return options.default_rule
    from rosenblatt.cli.training.checkpoints import differs, rule_of_run, spelled

    noted = rule_of_run(options)
    if noted == "auto" and options.others_than_auto:
        name = options.others_than_auto[0]
        raise differs(options.path, spelled(name, getattr(options, name)), "--rule auto")
    return noted or options.default_rule


def _say_downloads(options: TrainOptions, read_options: ReadOptions) -> None:
    """Say that epochs of a URL are downloads, unless the disk keeps it."""
    is_url = "://" in options.data
    if options.quiet or not is_url or options.epochs == 1 or read_options.cache_bytes:
        return
    unless = "" if options.on_cluster else ", unless its rows fit into 512 MiB"
    terminal.note(
        f"{shown(options.data)}: each epoch reads it again{unless}; --cache SIZE keeps it on the "
        "disk."
    )


def _write_report(
    path: str, result: TrainingResult, options: TrainOptions, read_options: ReadOptions
) -> None:
    from rosenblatt.cli.report.page import write_report
    from rosenblatt.cli.report.second_pass import review_training_data
    from rosenblatt.cli.training.summary import training_facts
    from rosenblatt.streams.io.paths import is_single_pass

    try:
        review = None
        if not (result.interrupted or is_single_pass(options.data)):
            review = review_training_data(result.path, options.data, read_options, options.quiet)
        write_report(path, result, training_facts(result), review)
    except KeyboardInterrupt as stop:
        raise stop_error(f"no report was written; the model is in {result.path}.", stop) from None


def _certify(options: TrainOptions, read_options: ReadOptions) -> CheckedProof:
    from rosenblatt.cli.inputs.proofs import certify_data, read_data, show_certifying

    try:
        with show_certifying(options.quiet):
            return certify_data(read_data(options.data, read_options))
    except KeyboardInterrupt as stop:
        message = f"no certificate was found; the model is in {options.path}."
        raise stop_error(message, stop) from None
