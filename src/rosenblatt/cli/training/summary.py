"""Result of a training run: the facts on the screen, and the object of ``--json``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.cli.display import fmt, model_facts, render, terminal
from rosenblatt.cli.inputs.hashed_names import collision_facts, collision_record
from rosenblatt.learning import interface
from rosenblatt.learning.evaluation.intervals import wilson_interval
from rosenblatt.theory.rules import DECLARATIONS
from rosenblatt.utils.words import file_word, shell_words

if TYPE_CHECKING:
    from rosenblatt.cli.display.metrics import MetricsReport
    from rosenblatt.cli.inputs.proofs import CheckedProof
    from rosenblatt.cli.options.train import TrainOptions
    from rosenblatt.learning.evaluation.progressive import Line, Summary
    from rosenblatt.streams.core.hashed_names import Collisions

_LEAST_ROWS = 20  # fewer say nothing about the labels
_OUTPUTS = {"last": "", "average": ", averaged", "vote": ", voted"}


HELD_OUT, LAST_EPOCH = "held-out rows", "last epoch"
"""Rows on which an error is measured, as ``--json`` names them."""


class LearnedBefore(NamedTuple):
    """The model that a run went on from.

    Attributes
    ----------
    model : str
        Its file.
    examples : int
        How many it had learned.
    """

    model: str
    examples: int

    def facts(self) -> list[tuple[str, str]]:
        """Return the line of the summary."""
        return [("went on from", f"{self.model}: {fmt.count(self.examples, 'example')} before")]


class MeasuredError(NamedTuple):
    """Errors of a model on some rows.

    Attributes
    ----------
    rows : {"held-out rows", "last epoch"}
        In an epoch each example is predicted by the latest weights, then learned.
    epoch : int
        The epoch after which, or in which, the rows were predicted.
    errors, examples : int

    Examples
    --------
    >>> MeasuredError("last epoch", 3, 5, 200).error
    0.025
    """

    rows: str
    epoch: int
    errors: int
    examples: int

    @property
    def error(self) -> float:
        """Errors divided by examples."""
        return self.errors / self.examples

    @property
    def is_progressive(self) -> bool:
        """True if this is the progressive error of the first epoch, which was the only one."""
        return self.rows == LAST_EPOCH and self.epoch == 1

    @property
    def low(self) -> float:
        """Lower end of Wilson's 95 % interval."""
        return wilson_interval(self.errors, self.examples)[0]

    def facts(self) -> list[tuple[str, str]]:
        """Return the lines of the summary."""
        counts = f"{self.errors:,} of {fmt.count(self.examples, 'row')}"
        if self.rows == HELD_OUT:
            interval = wilson_interval(self.errors, self.examples)
            return [
                ("held-out error", fmt.error_rate(self.error, *interval)),
                ("", f"{counts}, after epoch {self.epoch:,}: the error of the saved model"),
                ("", "interval of this model; another split (--seed) gives another"),
            ]
        shares = f"{fmt.percent(self.error)} (accuracy {fmt.accuracy(self.error)})"
        return [
            ("last epoch's error", shares),
            ("", f"{counts} in epoch {self.epoch:,}: each was predicted, then learned again"),
        ]


@dataclass(frozen=True)
class TrainingResult:
    """Result of a run: the model, and all that the screen and ``--json`` show."""

    model: Any
    target: str | None
    summary: Summary
    lines: list[Line]
    signal: int
    path: str
    seconds: float
    held_out: dict[str, object] | None
    error: MeasuredError | None
    """Error of the saved model; None if it is not known."""
    is_sorted: bool
    """Whether the rows are sorted by label, so that the progressive error means nothing."""
    collisions: Collisions | None = None
    checked_proof: CheckedProof | None = None
    patience: int | None = None
    """Epochs without progress on held-out rows, if these stopped the run early."""
    held_out_metrics: MetricsReport | None = None
    """Metrics of the saved model on the held-out rows."""
    missing_cells: dict[str, int] | None = None
    """Number of missing cells of each column; None where they are not filled in."""
    uses_running_means: bool = False
    """Whether missing numbers were read as the means of the rows before."""
    no_change_error: float | None = None
    """Error of repeating the label before in the first epoch; None for shuffled rows."""
    origin: LearnedBefore | None = None
    """The model that the run went on from."""

    @property
    def interrupted(self) -> bool:
        """True if a signal ended the run."""
        return self.signal != 0


def error_record(error: MeasuredError | None) -> dict[str, object]:
    """Return the keys of ``--json``; None for an error that is not known.

    Examples
    --------
    >>> error_record(MeasuredError("last epoch", 3, 5, 200))
    {'model_error': 0.025, 'model_errors': 5, 'model_error_rows': 'last epoch'}
    """
    return {
        "model_error": None if error is None else error.error,
        "model_errors": None if error is None else error.errors,
        "model_error_rows": None if error is None else error.rows,
    }


def measure_error(
    held_out: dict[str, Any] | None, last_epoch: tuple[int, int, int] | None, is_sorted: bool
) -> MeasuredError | None:
    """Return the error of the saved model; None if it is not known.

    Parameters
    ----------
    held_out : dict or None
        Counts on held-out rows, as ``--json`` has them.
    last_epoch : (int, int, int) or None
        The last epoch, its errors and its examples.
    is_sorted : bool
        Whether the rows are sorted by label. The errors of an epoch then mean nothing: nearly every
        example has the label of the one before.
    """
    if held_out is not None:
        return MeasuredError(HELD_OUT, held_out["pass"], held_out["errors"], held_out["examples"])
    if last_epoch is None or is_sorted:
        return None
    return MeasuredError(LAST_EPOCH, *last_epoch)


def advice(options: TrainOptions, is_finished: bool) -> str:
    """Return what may lower an error above the baseline: only what was not chosen yet.

    Parameters
    ----------
    options : TrainOptions
    is_finished : bool
        Whether more epochs would change nothing.
    """
    tries, scales = [], ""
    if options.kernel_name is not None:
        scales = "scale the columns"
    elif options.rule != "auto":
        tries.append("--rule auto alone")
    if options.rule != "auto" and not (options.average or options.vote or options.budget):
        tries.append("--average")
    if options.epochs > 1 and not options.shuffle:
        tries.append("--shuffle")
    if not is_finished:
        tries.append("more --epochs")
    listed = " or ".join([", ".join(tries[:-1]), tries[-1]] if len(tries) > 1 else tries)
    parts = [scales, f"try {listed}" if tries else ""]
    return (", or ".join(filter(None, parts)) or "the columns may not tell the classes apart") + "."


def training_record(result: TrainingResult) -> dict[str, object]:
    """Return the object of ``--json``."""
    summary, last, model = result.summary, result.summary.last, result.model
    return {
        "examples": last.examples,
        "features": int(model.n_features_in_),
        "collisions": collision_record(result.collisions),
        "classes": model.classes_.tolist(),
        "rule": model.rule,
        "average": model.output == "average",
        "kernel": getattr(model, "kernel", None),
        "support": interface.support_size(model),
        "epochs": summary.epochs,
        "errors": last.errors,
        "mistakes": model.mistakes_,
        "updates": model.updates_,
        **error_record(result.error),
        "progressive_error": last.error,
        "progressive_interval": [last.low, last.high],
        "sorted_by_label": result.is_sorted,
        "baseline_class": summary.constant,
        "baseline_error": summary.constant_error,
        "no_change_error": result.no_change_error,
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
        "missing_cells": result.missing_cells,
        "progress": [line._asdict() for line in result.lines],
        "model": result.path,
        "from": None if result.origin is None else result.origin._asdict(),
        "holdout": _held_out_record(result),
        "certificate": _certificate_record(result.checked_proof),
    }


def _held_out_record(result: TrainingResult) -> dict[str, object] | None:
    """Return the errors and the metrics on held-out rows."""
    metrics = result.held_out_metrics
    if result.held_out is None or metrics is None:
        return result.held_out
    classes = result.model.classes_.tolist()
    by_name = dict(zip(metrics.confusion.classes, classes, strict=True))
    counts = metrics.confusion.record()
    counts = {name: counts[name] for name in ("weighted_error", "confusion", "unseen")}
    return result.held_out | counts | metrics.record(by_name)


def _certificate_record(checked: CheckedProof | None) -> dict[str, object] | None:
    """Return the main fields of a certificate, without rows and weights."""
    if checked is None:
        return None
    from rosenblatt.cli.inputs.proofs import proof_record

    record = proof_record(checked)
    if isinstance(record["classes"], dict):
        return record | {"classes": {k: _main_fields(one) for k, one in record["classes"].items()}}
    return _main_fields(record)


def _main_fields(record: dict[str, object]) -> dict[str, object]:
    names = "status numbers computed margin mistake_bound mistakes verified seconds"
    return {name: record[name] for name in names.split()}


def show_training(result: TrainingResult, report: str | None) -> None:
    """Print the facts of a run on standard error."""
    console = terminal.stderr()
    console.print()
    report_facts = [] if report is None else [("report", report)]
    render.show_facts(console, [*training_facts(result), *report_facts])
    if result.held_out_metrics is not None:
        console.print()
        console.print(render.heading("Held-out rows", "metrics of the saved model"))
        result.held_out_metrics.show(console)


def show_measurements(result: TrainingResult) -> None:
    """Print what options measured, the held-out error and the certificate, on standard error."""
    error = result.error
    facts = error.facts() if error is not None and error.rows == HELD_OUT else []
    if result.checked_proof is not None:
        facts += _certificate_facts(result.checked_proof)
    if facts:
        terminal.stderr().print(render.facts(facts))


def convergence(rule: str, converged: bool) -> str:
    """Return whether a run converged, in words; nothing of a rule that updates always."""
    if converged:
        return "; converged"
    return "" if DECLARATIONS[rule].updates == "always" else "; not converged"


def training_facts(result: TrainingResult) -> list[tuple[str, str]]:
    """Return the facts of a run, for the screen and the report."""
    summary, last, model = result.summary, result.summary.last, result.model
    classes = model.classes_.tolist()
    read, learn = fmt.seconds(summary.seconds_read), fmt.seconds(summary.seconds_learn)
    no_change, certificate, hashed = [], [], []
    if result.collisions is not None:
        hashed = collision_facts(collision_record(result.collisions))
    if result.checked_proof is not None:
        certificate = _certificate_facts(result.checked_proof)
    no_change_error = result.no_change_error
    if (
        no_change_error is not None
        and no_change_error < summary.constant_error
        and not result.is_sorted
    ):
        from rosenblatt.cli.display.metrics import no_change_facts

        no_change = no_change_facts(no_change_error, last.error)
    target = [] if result.target is None else [("labels", f"column {result.target!r}")]
    if result.interrupted:
        end = "; interrupted"
    elif summary.converged:
        rows = "" if result.origin is None else " on these rows"
        end = f"; converged{rows}: no mistake and no update in the last epoch"
    elif result.patience is not None:
        epochs = fmt.count(result.patience, "epoch")
        end = f"; stopped early: the held-out error has not decreased for {epochs}"
    else:
        end = convergence(model.rule, False)
    return [
        *_label_doubts(result),
        *_error_facts(result),
        ("baseline error", fmt.baseline(summary.constant, summary.constant_error)),
        *no_change,
        *([] if result.origin is None else result.origin.facts()),
        ("rule", model.rule + _OUTPUTS[model.output]),
        *model_facts.scale_facts(model),
        *model_facts.cost_facts(model),
        *model_facts.kernel_facts(model, last.examples),
        *target,
        ("classes", f"{len(classes):,}: {fmt.listing(classes)}"),
        (
            "features",
            f"{model.n_features_in_:,}; largest norm of an example R = {summary.radius:.4g}",
        ),
        *hashed,
        ("epochs", f"{summary.epochs:,}{end}"),
        *certificate,
        ("time", f"read {read}, learn {learn}, total {fmt.seconds(result.seconds)}"),
        ("model", f"{result.path} ({fmt.size(os.path.getsize(result.path))})"),
        ("next", f"rosenblatt evaluate {shell_words([file_word(result.path)])} TEST_DATA"),
    ]


def _label_doubts(result: TrainingResult) -> list[tuple[str, str]]:
    """Return a warning if nearly every row has a class of its own."""
    classes, rows = len(result.model.classes_), result.summary.last.examples
    if rows < _LEAST_ROWS or 2 * classes <= rows:
        return []
    counts = f"{classes:,} classes in {fmt.count(rows, 'row')}"
    if result.target is None:
        return [("warning", f"{counts}: are these the labels?")]
    return [
        ("warning", f"{counts}: is column {result.target!r} the label?"),
        ("", "--target COLUMN names another"),
    ]


def _error_facts(result: TrainingResult) -> list[tuple[str, str]]:
    """Return the error of the saved model, then that of the first epoch."""
    error, last, output = result.error, result.summary.last, result.model.output
    facts = [] if error is None or error.is_progressive else error.facts()
    if result.held_out_metrics is not None:
        facts += result.held_out_metrics.doubt_facts()
        facts += result.held_out_metrics.cost_facts()
    is_held_out = error is not None and error.rows == HELD_OUT
    if result.is_sorted:
        remedy = "--shuffle puts them in random order"
        remedy += "" if is_held_out else "; --holdout 0.1 measures the saved model"
        facts += [("progressive error", "meaningless: the rows are sorted by label"), ("", remedy)]
    else:
        facts += [
            ("progressive error", fmt.error_rate(last.error, last.low, last.high)),
            ("", "of the first epoch: each example is predicted, then learned"),
        ]
    if output != "last" and not is_held_out:
        kind = "an average" if output == "average" else "a vote"
        facts.append(("", f"by the latest weights; the model is {kind}: --holdout 0.1 measures it"))
    return facts


def _certificate_facts(checked: CheckedProof) -> list[tuple[str, str]]:
    from rosenblatt.cli.display import certificates
    from rosenblatt.cli.inputs.proofs import describe_numbers

    details = f"found in {fmt.seconds(checked.search_seconds)}, verified in exact arithmetic"
    facts = [("certificate", certificates.summary(checked.proof)), ("", details)]
    first = certificates.list_certificates(checked.proof)[0]
    numbers = describe_numbers(checked.data, first.numbers)
    return [*facts, ("", f"about {numbers}")] if numbers else facts
