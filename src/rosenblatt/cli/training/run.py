"""Training run of ``rosenblatt train``: from rows to a saved model."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.cli.display import fmt, model_facts, terminal
from rosenblatt.cli.display.errors import BadData, signal_error
from rosenblatt.cli.display.progress import ProgressTable
from rosenblatt.cli.inputs import hashed_names
from rosenblatt.cli.inputs.data import (
    CheckedBatches,
    missing_cells,
    note_case_variants,
    note_missing_cells,
    open_data,
    print_schema,
)
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.inputs.paths import modification_date
from rosenblatt.cli.options import kernel
from rosenblatt.cli.options.learning import build_linear
from rosenblatt.cli.options.train import TrainOptions
from rosenblatt.cli.training.checkpoints import (
    Checkpointer,
    PreviousRun,
    fixed_options,
    load_previous_run,
    lock_model,
    noted_options,
    with_feature_names,
)
from rosenblatt.cli.training.class_weights import ClassWeights
from rosenblatt.cli.training.column_scales import ColumnScales
from rosenblatt.cli.training.fingerprint import FingerprintedRows
from rosenblatt.cli.training.holdout import (
    HoldoutEvaluator,
    HoldoutStream,
    evaluate_held_out,
)
from rosenblatt.cli.training.interruptible import InterruptibleStream
from rosenblatt.cli.training.measured_error import (
    HELD_OUT,
    MeasuredError,
    advice,
    measure_error,
)
from rosenblatt.cli.training.monitor import TrainingMonitor, overflow_failure
from rosenblatt.learning import interface
from rosenblatt.learning.evaluation.progressive import Line, Standing, Summary, learn
from rosenblatt.learning.kernel.gram import resolve_gamma
from rosenblatt.learning.kernel.learners import KernelPerceptron
from rosenblatt.learning.models import files
from rosenblatt.streams.core.batch import CachedBatches
from rosenblatt.streams.core.hashed_names import Collisions, HashedNames
from rosenblatt.streams.features.encoding import number_columns
from rosenblatt.streams.rechunk import SHUFFLED_BATCH_ROWS, RechunkedBatches, ShuffledBatches
from rosenblatt.theory.kernels import NAMES_WITH_GAMMA

if TYPE_CHECKING:
    from rosenblatt.cli.display.metrics import MetricsReport
    from rosenblatt.cli.inputs.proofs import CheckedProof
    from rosenblatt.streams import Batch, Stream
    from rosenblatt.streams.core.options import ReadOptions


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
    held_out: dict[str, Any] | None
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

    @property
    def interrupted(self) -> bool:
        """True if a signal ended the run."""
        return self.signal != 0


def run_training(
    options: TrainOptions, read_options: ReadOptions, started: float
) -> TrainingResult:
    """Learn from DATA, and save the model.

    Parameters
    ----------
    options : TrainOptions
    read_options : ReadOptions
    started : float
        Start of the command, by ``time.perf_counter``.
    """
    with lock_model(options):
        previous = load_previous_run(options)
        names = HashedNames()
        stream = open_data(options.data, read_options._replace(names=names))
        print_schema(stream, options.quiet)
        date = modification_date(options.path)
        result = TrainingRun(options, stream, names, previous).result(started)
        if previous is None and date is not None and not options.quiet:
            terminal.note(f"{options.path}: replaced the model of {date}.")
        return result


class TrainingRun:
    """State of a run: model, rows, position, checkpoints and output.

    Parameters
    ----------
    options : TrainOptions
    stream : Stream
    names : HashedNames
        Collects the names of hashed columns.
    previous : PreviousRun or None
        The run to resume.
    """

    def __init__(
        self,
        options: TrainOptions,
        stream: Stream,
        names: HashedNames,
        previous: PreviousRun | None,
    ) -> None:
        self.options, self.stream, self.names, self.previous = options, stream, names, previous
        self.model = _build_learner(options) if previous is None else previous.model
        self.run_record: dict[str, Any] = {} if previous is None else previous.run
        self.start = Standing.of(self.run_record["standing"]) if self.run_record else Standing()
        self.standing = self.start
        self.evaluator: HoldoutEvaluator | None = None
        self._epoch_begin: tuple[int, int | None] = (0, 0)  # epoch, errors of the model before it
        if self.run_record:
            self._epoch_begin = self.start.epoch, self.run_record.get("errors_before_epoch")
        self.class_weights = ClassWeights.of(
            options.class_weight, stream, is_resumed=previous is not None, quiet=options.quiet
        )
        self.scales = ColumnScales()
        epochs = self.start.epoch - 1
        length = self.start.examples if epochs else None
        rows = self._order_rows(epochs)
        self.rows = InterruptibleStream(rows, self._begin_batch, epochs, length)
        table = ProgressTable(terminal.stderr(options.quiet), options.epochs)
        self.monitor = TrainingMonitor(table, options.rule)
        self.checkpointer = Checkpointer(
            self.model, options.checkpoint_every, self._write, lambda: self.rows.is_waiting
        )

    def _order_rows(self, epochs: int) -> Iterable[Batch]:
        """Return the rows to learn: without held-out ones, checked, shuffled or cached."""
        options, name = self.options, self.stream.name
        rows: Iterable[Batch] = CheckedBatches(self.stream)
        if options.holdout:
            rows = holdout = HoldoutStream(rows, name, options.holdout, options.seed)
            self.evaluator = HoldoutEvaluator(
                holdout, options.early_stop, self.run_record.get("held_out", ())
            )
            if self.evaluator.errors and options.early_stop and not self.is_finished:
                self.evaluator.best = _load_best(options.path)
        rows = self.fingerprinted = FingerprintedRows(
            rows, name, self.run_record.get("first"), self.run_record.get("length")
        )
        is_kernel = options.kernel_name is not None
        if options.shuffle:
            batch_rows = kernel.BATCH if is_kernel else SHUFFLED_BATCH_ROWS
            return ShuffledBatches(rows, options.seed, batch_rows, epochs)
        rows = CachedBatches(rows) if options.epochs > 1 else rows
        return RechunkedBatches(rows, kernel.BATCH) if is_kernel else rows

    @property
    def is_finished(self) -> bool:
        """True if the resumed run was finished, and DATA has no new rows so far."""
        finished = self.previous is not None and self.previous.is_finished
        return finished and self.standing == self.start

    def result(self, started: float) -> TrainingResult:
        """Learn, and save the model."""
        options, table = self.options, self.monitor.table
        with table, self.rows, self.checkpointer, np.errstate(all="ignore"):
            if self.run_record:
                self.monitor.resume(self.start, self.run_record)
            summary = learn(
                self.model,
                self.rows,
                options.epochs,
                self.monitor.add,
                self.start,
                self._end_batch,
                self._end_epoch,
            )
            self.monitor.add(summary.last)
            if self.rows.interrupted or self.rows.stop_requested:
                summary = summary._replace(epochs=self.rows.epochs)
            summary = summary._replace(converged=self._has_converged(summary))
            _check_model(self.model, self.stream.name, self.rows.signal, self.options.rule)
            model = self._finish(summary.converged)
        held_out = None if self.evaluator is None else self.evaluator.record()
        order = self.monitor.label_order
        is_sorted = order.is_sorted(self.standing.examples, len(self._classes()))
        result = TrainingResult(
            model,
            self.stream.target,
            summary,
            table.lines,
            self.rows.signal,
            options.path,
            time.perf_counter() - started,
            held_out,
            measure_error(held_out, self._last_epoch(summary), is_sorted),
            is_sorted,
            self.names.collisions(),
            patience=self._early_stop_patience(summary.epochs),
            held_out_metrics=self._evaluate_held_out(model, held_out is not None),
            missing_cells=missing_cells(self.stream),
            uses_running_means=_uses_running_means(self.stream),
            no_change_error=self._no_change_error(),
        )
        self._print_notes(result)
        return result

    def _no_change_error(self) -> float | None:
        """Return the error of repeating the label before; None for rows in random order."""
        examples = self.standing.examples
        if self.options.shuffle or not examples:
            return None
        return self.monitor.label_order.errors(examples) / examples

    def _last_epoch(self, summary: Summary) -> tuple[int, int, int] | None:
        """Return the last epoch, its errors and its examples; None if they are not known."""
        epoch, errors_before = self._epoch_begin
        if epoch <= 1:
            return 1, summary.last.errors, summary.last.examples
        if errors_before is None or not self.standing.rows:
            return None
        return epoch, self.model.errors_ - errors_before, self.standing.rows

    def _evaluate_held_out(self, model: Any, is_measured: bool) -> MetricsReport | None:
        """Return the metrics of the saved model; an interrupted run has learned on since then."""
        if self.evaluator is None or not is_measured or self.rows.interrupted:
            return None
        return evaluate_held_out(model, self.options.path, self.evaluator.holdout.rows)

    def _early_stop_patience(self, epochs: int) -> int | None:
        stopped = self.evaluator is not None and self.evaluator.should_stop
        return self.options.early_stop if stopped and epochs < self.options.epochs else None

    def _begin_batch(self, batch: Batch, examples: int, epoch: int, length: int | None) -> None:
        self.monitor.begin_batch(batch, examples, epoch, length)
        self.scales.add_batch(batch)
        if epoch != self._epoch_begin[0]:
            self._epoch_begin = epoch, self.model.errors_ if examples else 0
        if examples == 0:
            self.class_weights.set_on(self.model, batch.y)
            if self.options.scale:
                interface.centre_columns(self.model, number_columns(self.stream))
        if examples == 0 and getattr(self.model, "kernel", None) in NAMES_WITH_GAMMA:
            # of the first batch: the learner itself gets one row first, which has no variance
            self.model.gamma = resolve_gamma(self.model.kernel, self.model.gamma, batch.X)

    def _end_batch(self, standing: Standing) -> None:
        self.standing = standing
        self.checkpointer.write_if_due()

    def _end_epoch(self, standing: Standing, mistakes: int, updates: int) -> None:
        if self.rows.interrupted:  # within the epoch
            return
        epoch = standing.epoch - 1
        if epoch == 1 and standing.last is not None:
            self.monitor.add(standing.last)
        elif epoch > 1:
            self.monitor.table.end_epoch(epoch, mistakes, updates)
        if self.evaluator is not None and not self.is_finished and len(self._classes()) > 1:
            self.evaluator.end_epoch(self.model, epoch)
        should_stop = self.evaluator is not None and self.evaluator.should_stop
        self.rows.stop_requested = self.is_finished or should_stop

    def _classes(self) -> list[Any]:
        """Return the labels learned so far."""
        return self.model.classes_.tolist() if interface.is_fitted(self.model) else []

    def _has_converged(self, summary: Summary) -> bool:
        if self.is_finished:  # its model may be that of an earlier epoch
            return bool(self.run_record["converged"])
        return summary.converged and not self.rows.interrupted

    def _finish(self, converged: bool) -> Any:
        """Save and return the model, unless the file has it already."""
        if self.is_finished or (self.rows.interrupted and self.standing == self.start):
            return self.model
        if self.rows.interrupted:
            self._write()
            return self.model
        best = self.evaluator and self.evaluator.best
        model = self.model if best is None else best
        self._save(model, self.options.path, interrupted=False, converged=converged)
        with suppress(FileNotFoundError):
            os.unlink(best_path(self.options.path))
        return model

    def _write(self) -> None:
        """Write a checkpoint: first the model of the best epoch, then the current model."""
        if self.evaluator is not None and self.evaluator.best is not None:
            self._save(self.evaluator.best, best_path(self.options.path), interrupted=True)
        self._save(self.model, self.options.path, interrupted=True)

    def _save(self, model: Any, path: str, *, interrupted: bool, converged: bool = False) -> None:
        """Save a model with notes on how to read new data and how to resume the run."""
        options, names = self.options, self.stream.feature_names
        old_names = None if self.previous is None else self.previous.names
        if self.previous is not None and names is not None and len(names) < model.n_features_in_:
            names = old_names
        _check_names(self.stream.name, names, old_names)
        notes = noted_options(options)
        notes |= self.stream.noted() | {"interrupted": interrupted}
        notes |= hashed_names.names_for_notes(model, self.names)
        notes["run"] = self._record(converged)
        files.save(with_feature_names(model, names), path, notes=notes)

    def _record(self, converged: bool) -> dict[str, Any]:
        """Return the note ``run``. Rates are left out, so that equal runs give equal files."""
        standing = self.standing
        same_rows = self.options.shuffle or standing.epoch > 1
        held_out: dict[str, Any] = {}
        if self.evaluator is not None and model_facts.support_size(self.model) is not None:
            held_out["held_out_rows"] = self.evaluator.holdout.numbers  # to name the support rows
        last = standing.last and standing.last._replace(rate=0.0)
        return (
            self.monitor.record()
            | held_out
            | {
                "options": fixed_options(self.options),
                "standing": standing._replace(last=last).record(),
                "first": self.fingerprinted.fingerprint,
                "length": self.rows.length if same_rows else None,
                "held_out": self.evaluator.errors if self.evaluator else [],
                "errors_before_epoch": self._epoch_begin[1],
                "converged": converged,
            }
        )

    def _print_notes(self, result: TrainingResult) -> None:
        """Print notes on problems that the error alone does not show."""
        if self.options.quiet:
            return
        if self.previous is not None and self.previous.is_finished and not self.rows.interrupted:
            new = fmt.count(self.standing.examples - self.start.examples, "new row")
            terminal.note(f"{self.options.path}: the run was finished; learned {new}.")
        if not hashed_names.has_pairs(self.stream, self.names.collisions()):
            terminal.note(
                f"{self.stream.name}: no row has a pair of --interactions: check the names."
            )
        self.class_weights.note_unused(self._classes())
        note_case_variants(self.stream.name, self._classes())
        note_missing_cells(self.stream, self.options.quiet)
        self._note_high_error(result)
        if not (self.options.scale or self.options.kernel_name):
            self.scales.note(self.stream, self.names)
        if result.is_sorted:
            terminal.note(
                f"{self.stream.name}: the rows are sorted by label, which an online learner "
                "handles badly: --shuffle puts them in random order."
            )

    def _note_high_error(self, result: TrainingResult) -> None:
        """Print a note if the saved model errs more often than the majority class would."""
        error, summary = result.error, result.summary
        if error is None or self.options.class_weight is not None:  # weights accept errors
            return
        low = summary.last.low if error.is_progressive else error.low
        if low <= summary.constant_error:
            return
        name = "held-out error" if error.rows == HELD_OUT else "error"
        terminal.note(
            f"the {name} is above the baseline of always predicting the majority class "
            f"{fmt.label(summary.constant)}: {advice(self.options, summary.converged)}"
        )


def _uses_running_means(stream: Stream) -> bool:
    imputer = stream.imputer
    return imputer is not None and imputer.policy == "mean" and bool(imputer.counts)


def _check_names(source: str, names: list[str] | None, old_names: list[str] | None) -> None:
    """Refuse columns whose order differs from that of the resumed model."""
    if names is None or old_names is None:
        return
    for column, (name, expected) in enumerate(zip(names, old_names, strict=False)):
        if name != expected:
            raise BadData(
                f"{source}: its column {column} is {name!r}, but the model has {expected!r} there: "
                "the run cannot be resumed."
            )


def best_path(path: str) -> str:
    """Return the file that stores the model of the best epoch until the run is finished."""
    return f"{path}.best"


def _load_best(path: str) -> Any:
    """Load the model of the best epoch so far, which is stored beside a checkpoint."""
    try:
        return open_model(best_path(path)).model
    except (BadData, files.ModelError) as error:
        raise BadData(
            f"{error} It had the weights of the best epoch: leave out --resume to train from "
            "scratch."
        ) from error


def _build_learner(options: TrainOptions) -> Any:
    """Return the unfitted estimator of these options."""
    if options.kernel_name is None:
        return build_linear(options).set_params(expansion=options.expansion)
    return KernelPerceptron(
        options.kernel_name,
        rule=options.rule,
        multi_class=options.multi_class,
        eta0=options.eta0,
        output="vote" if options.vote else "average" if options.average else "last",
        shuffle=False,
        degree=options.degree,
        gamma=options.gamma,
        coef0=options.coef0,
        budget=options.budget,
        budget_scheme=options.budget_scheme,
    )


def _check_model(model: Any, name: str, signal_number: int, rule: str) -> None:
    """Refuse to save a model with fewer than two classes, or with weights that overflowed."""
    classes = model.classes_.tolist() if interface.is_fitted(model) else []
    if len(classes) < 2 and signal_number:
        raise signal_error("no model was written: fewer than two classes so far.", signal_number)
    if len(classes) < 2:
        problem = f"every label is {fmt.label(classes[0])}" if classes else "no rows"
        raise BadData(f"{name}: {problem}; a classifier needs examples of two classes or more.")
    weights = model.dual_coef_ if isinstance(model, KernelPerceptron) else model.coef_
    if not (np.isfinite(weights).all() and np.isfinite(model.intercept_).all()):
        raise overflow_failure("", rule)
