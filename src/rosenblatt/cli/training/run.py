"""Training run of ``rosenblatt train``: from rows to a saved model."""

from __future__ import annotations

import math
import os
import time
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.cli.display import fmt, model_facts, terminal
from rosenblatt.cli.display.errors import BadData, Failure, signal_error
from rosenblatt.cli.display.progress import ProgressTable
from rosenblatt.cli.inputs import hashed_names
from rosenblatt.cli.inputs.data import (
    missing_cells,
    note_case_variants,
    note_missing_cells,
    open_data,
    print_schema,
)
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.inputs.paths import modification_date
from rosenblatt.cli.options.names import WITHOUT_RATE
from rosenblatt.cli.options.train import TrainOptions, build_learner
from rosenblatt.cli.training import checkpoints
from rosenblatt.cli.training.class_weights import (
    balanced_weights,
    note_unused_weights,
    typed_weights,
)
from rosenblatt.cli.training.column_scales import ColumnScales
from rosenblatt.cli.training.decisions import check_probabilities, set_costs
from rosenblatt.cli.training.holdout import HeldOut
from rosenblatt.cli.training.other_scheme import FirstRows, compare_schemes
from rosenblatt.cli.training.rows import RowsToLearn, in_order
from rosenblatt.cli.training.signals import Signals
from rosenblatt.cli.training.summary import HELD_OUT, TrainingResult, advice, measure_error
from rosenblatt.learning import interface
from rosenblatt.learning.evaluation.progress import LabelOrder
from rosenblatt.learning.evaluation.progressive import Line, Run, Standing, Summary
from rosenblatt.learning.models import files
from rosenblatt.learning.models.header import json_notes
from rosenblatt.streams.core.hashed_names import HashedNames
from rosenblatt.streams.core.notes import hashed_columns
from rosenblatt.streams.features.encoding import number_columns
from rosenblatt.streams.rechunk import ShuffledBatches
from rosenblatt.theory.rules import DECLARATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rosenblatt.cli.training.going_on import Origin
    from rosenblatt.streams import Batch, Stream
    from rosenblatt.streams.core.options import ReadOptions


def run_training(
    options: TrainOptions,
    read_options: ReadOptions,
    started: float,
    origin: Origin | None = None,
) -> TrainingResult:
    """Learn from DATA, and save the model.

    Parameters
    ----------
    options : TrainOptions
    read_options : ReadOptions
    started : float
        Start of the command, by ``time.perf_counter``.
    origin : Origin, optional
        The model that the run goes on from.
    """
    with checkpoints.lock_model(options):
        previous = checkpoints.load_previous_run(options) if options.resume else None
        names = HashedNames()
        read_options = read_options._replace(names=names)
        if origin is None:
            stream = open_data(options.data, checkpoints.as_before(read_options, previous))
        else:
            origin.check_unchanged(options, previous)
            stream = origin.open(options, read_options)
        print_schema(stream, options.quiet)
        date = modification_date(options.path)
        result = TrainingRun(options, stream, names, previous, origin).result(started)
        is_as_before = result.interrupted and options.in_place
        if previous is None and date is not None and not (is_as_before or options.quiet):
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
    origin : Origin or None
        The model that the run goes on from.
    """

    def __init__(
        self,
        options: TrainOptions,
        stream: Stream,
        names: HashedNames,
        previous: checkpoints.PreviousRun | None,
        origin: Origin | None,
    ) -> None:
        self.options, self.stream, self.names = options, stream, names
        self.previous, self.origin = previous, origin
        if previous is not None:
            self.model = previous.model
        else:
            self.model = build_learner(options) if origin is None else origin.model
        if options.cost is not None:
            set_costs(self.model, options.cost)
        if options.sets:
            check_probabilities(self.model, "--sets")
        note = checkpoints.RunNote(errors_before_epoch=0) if previous is None else previous.run
        self.start = Run(self.model).position
        if previous is not None:
            self.start = Standing.of(previous.run["standing"])
        self.standing = self.start
        # the epoch whose rows were learned last, and the errors of the model before it
        self.epoch, self.errors_before = self.start.epoch, note.get("errors_before_epoch")
        self.weights: Mapping[str, float] | None = None
        if options.class_weight != "balanced":
            self.weights = options.class_weight
        elif previous is None:  # else the model has them
            self.weights = balanced_weights(stream, options.quiet)
        self.held_out: HeldOut | None = None
        if options.holdout:
            self.held_out = HeldOut(
                stream.name,
                options.holdout,
                options.seed,
                options.early_stop,
                note.get("held_out", ()),
            )
            if self.held_out.errors and options.early_stop and not self.is_finished:
                self.held_out.best = _load_best(options.path)
        noted = None if previous is None else previous.notes
        self.rows_read = RowsToLearn(
            stream, self.held_out, note.get("first"), note.get("length"), noted
        )
        self.rows = in_order(self.rows_read, options, self.start.epoch - 1)
        self.table = ProgressTable(terminal.stderr(options.quiet), options.epochs)
        self.label_order, self.scales = LabelOrder(), ColumnScales()
        is_compared = self.held_out is not None and origin is None and not options.quiet
        self.first_rows = FirstRows() if is_compared else None
        self.signals = Signals()
        self.checkpointer: checkpoints.Checkpointer | None = None
        if options.checkpoint_every is not None:
            self.checkpointer = checkpoints.Checkpointer(
                self.model, options.checkpoint_every, self._write, self.signals
            )

    @property
    def is_finished(self) -> bool:
        """True if the resumed run was finished, and DATA has no new rows so far."""
        finished = self.previous is not None and self.previous.is_finished
        return finished and self.standing == self.start

    @property
    def length(self) -> int | None:
        """Rows of an epoch: known after the first, or if all rows are in memory."""
        if isinstance(self.rows, ShuffledBatches) and self.rows.length is not None:
            return self.rows.length
        return self.standing.examples if self.epoch > 1 else None

    def result(self, started: float) -> TrainingResult:
        """Learn, and save the model."""
        options = self.options
        checkpointer = self.checkpointer or nullcontext()
        with self.table, self.signals, checkpointer, np.errstate(all="ignore"):
            if self.previous is not None:
                lines = [Line(**line) for line in self.previous.run["lines"]]
                for line in lines if self.start.last is None else [*lines, self.start.last]:
                    self.table.add(line, timed=False)
                if self.start.epoch > 1:  # else the first epoch is read again
                    self.label_order = LabelOrder(self.previous.run["changes"])
            summary = self._learn()
            _check_model(self.model, self.stream.name, self.signals.number, options.rule)
            model = self._finish(summary.converged)
        seconds = time.perf_counter() - started
        examples, imputer = self.standing.examples, self.stream.imputer
        is_sorted = self.label_order.is_sorted(examples, len(self.model.classes_))
        last_epoch = None
        if self.epoch <= 1:
            last_epoch = 1, summary.last.errors, summary.last.examples
        elif self.errors_before is not None and self.standing.rows:
            errors = self.model.errors_ - self.errors_before
            last_epoch = self.epoch, errors, self.standing.rows
        held_out = held_out_metrics = patience = no_change_error = None
        if self.held_out is not None:
            held_out = self.held_out.record()
            if held_out is not None and not self.signals.number:  # else it has learned on since
                held_out_metrics = self.held_out.evaluate(model, options.path)
            if self.held_out.should_stop and summary.epochs < options.epochs:
                patience = options.early_stop
        if examples and not options.shuffle:
            no_change_error = self.label_order.errors(examples) / examples
        result = TrainingResult(
            model,
            self.stream.target,
            summary,
            self.table.lines,
            self.signals.number,
            options.path,
            seconds,
            held_out,
            measure_error(held_out, last_epoch, is_sorted),
            is_sorted,
            self.names.collisions(),
            patience=patience,
            held_out_metrics=held_out_metrics,
            missing_cells=missing_cells(self.stream),
            uses_running_means=bool(imputer and imputer.policy == "mean" and imputer.counts),
            no_change_error=no_change_error,
            origin=None if self.origin is None else self.origin.learned,
        )
        self._print_notes(result)
        return result

    def _learn(self) -> Summary:
        """Learn the epochs that are left, up to a signal."""
        options, run = self.options, Run(self.model, self.start, self.options.epochs)
        for epoch in range(self.start.epoch, options.epochs + 1):
            run.begin_epoch()
            for batch in self.signals.batches(self.rows):
                self._begin_batch(batch, epoch, run.rows)
                if run.learn(batch, self._report):  # predicts the rows of the first epoch, too
                    self.standing = run.position
                    if self.checkpointer is not None:
                        self.checkpointer.write_if_due()
            mistakes, updates = run.end_epoch()
            if self.signals.number or run.rows == 0:
                break
            if epoch > 1:
                self.table.end_epoch(epoch, mistakes, updates)
            elif run.position.last is not None:
                self._report(run.position.last)
            should_stop = False
            if self.held_out is not None:
                if not self.is_finished and len(self.model.classes_) > 1:
                    self.held_out.end_epoch(self.model, epoch)
                should_stop = self.held_out.should_stop
            if updates == 0 or self.is_finished or should_stop or self.signals.number:
                break
        converged = mistakes == updates == 0 and run.rows > 0 and not self.signals.number
        if self.is_finished and self.previous is not None:  # the model may be of an earlier epoch
            converged = bool(self.previous.run["converged"])
        summary = run.summary(converged=converged)
        self._report(summary.last)
        return summary

    def _begin_batch(self, batch: Batch, epoch: int, rows_before: int) -> None:
        """Show the position, look at the rows, and prepare the learner for the first of them."""
        if epoch != self.epoch:
            self.epoch, self.errors_before = epoch, self.model.errors_
        length = self.length
        self.table.show_position((epoch - 1) * (length or 0) + rows_before, epoch, length)
        self.scales.add(batch.rows)
        if epoch > 1:
            return
        self.label_order.add(batch.y)
        if self.first_rows is not None:
            self.first_rows.add(batch)
        if rows_before or self.origin is not None:
            return
        if self.weights is not None:
            self.model.class_weight = typed_weights(self.weights, batch.y, self.stream.name)
        if self.options.scale:
            interface.centre_columns(self.model, number_columns(self.stream))
        if model_facts.is_kernel(self.model):
            from rosenblatt.learning.kernel.gram import resolve_gamma
            from rosenblatt.theory.kernels import NAMES_WITH_GAMMA

            if self.model.kernel in NAMES_WITH_GAMMA:
                # of the first batch: the learner itself gets one row first, without variance
                self.model.gamma = resolve_gamma(self.model.kernel, self.model.gamma, batch.X)

    def _report(self, line: Line) -> None:
        """Print a line of the first epoch; stop a run whose weights overflow."""
        if not math.isfinite(line.norm):
            when = f"after {fmt.count(line.examples, 'example')} "
            raise _overflow_failure(when, self.options.rule)
        if line.examples:
            self.table.add(line)

    def _finish(self, converged: bool) -> Any:
        """Save and return the model, unless the file has it already."""
        options, interrupted = self.options, self.signals.number != 0
        if self.is_finished:
            self._checked_column_names(self.model)
        is_unchanged = self.standing == self.start or options.in_place
        if self.is_finished or (interrupted and is_unchanged):
            return self.model
        if interrupted:
            self._write()
            return self.model
        best = self.held_out and self.held_out.best
        model = self.model if best is None else best
        if options.sets and self.held_out is not None:
            self.held_out.calibrate_sets(model)
        self._save(model, options.path, interrupted=False, converged=converged)
        with suppress(FileNotFoundError):
            os.unlink(best_path(options.path))
        return model

    def _checked_column_names(self, model: Any) -> list[str] | None:
        """Return the names of the model's columns; those of an earlier run must be the same."""
        names = self.stream.feature_names
        if self.previous is None or names is None:
            return names
        old_names = self.previous.names
        if len(names) < model.n_features_in_:
            return old_names
        for column, (name, expected) in enumerate(zip(names, old_names or (), strict=False)):
            if name != expected:
                raise BadData(
                    f"{self.stream.name}: its column {column} is {name!r}, but the model has "
                    f"{expected!r} there: the run cannot be resumed: give the same data, or leave "
                    "out --resume to train from scratch."
                )
        return names

    def _write(self) -> None:
        """Write a checkpoint: first the model of the best epoch, then the current model."""
        if self.held_out is not None and self.held_out.best is not None:
            self._save(self.held_out.best, best_path(self.options.path), interrupted=True)
        self._save(self.model, self.options.path, interrupted=True)

    def _save(
        self, model: object, path: str, *, interrupted: bool, converged: bool = False
    ) -> None:
        """Save a model with notes on how to read new data and how to resume the run."""
        options, names = self.options, self._checked_column_names(model)
        notes = checkpoints.noted_options(options)
        noted, earlier = self.stream.noted(), None
        if self.origin is not None:
            noted, earlier = self.origin.noted(noted), hashed_columns(self.origin.notes)
        notes |= noted | {"interrupted": interrupted}
        if self.names.bits:
            notes |= hashed_names.names_for_notes(model, self.names, earlier)
        notes["run"] = self._record(converged)
        files.save(checkpoints.with_feature_names(model, names), path, notes=notes)

    def _record(self, converged: bool) -> checkpoints.RunNote:
        """Return the note ``run``. Rates are left out, so that equal runs give equal files."""
        standing = self.standing
        last = standing.last and standing.last._replace(rate=0.0)
        lines = [line for line in self.table.lines if line.examples.bit_count() == 1]
        held_out = checkpoints.RunNote()
        if self.held_out is not None:
            held_out["held_out_examples"] = len(self.held_out.numbers)
        if self.held_out is not None and interface.support_size(self.model) is not None:
            held_out["held_out_rows"] = self.held_out.numbers  # to name the support rows
        return {
            "lines": [line._replace(rate=0.0)._asdict() for line in lines],
            "changes": self.label_order.changes,
            **held_out,
            "options": json_notes(self.options.fixed()),
            "standing": standing._replace(last=last).record(),
            "first": self.rows_read.read,
            "length": self.length if self.options.shuffle or standing.epoch > 1 else None,
            "held_out": self.held_out.errors if self.held_out else [],
            "errors_before_epoch": self.errors_before,
            "converged": converged,
        }

    def _print_notes(self, result: TrainingResult) -> None:
        """Print notes on problems that the error alone does not show."""
        if self.options.quiet:
            return
        if self.previous is not None and self.previous.is_finished and not result.interrupted:
            new = fmt.count(self.standing.examples - self.start.examples, "new row")
            terminal.note(f"{self.options.path}: the run was finished; learned {new}.")
        if self.stream.interactions and not hashed_names.has_pairs(
            self.stream, self.names.collisions()
        ):
            terminal.note(
                f"{self.stream.name}: no row has a pair of --interactions: check the names."
            )
        classes = self.model.classes_.tolist()
        if self.weights is not None:
            note_unused_weights(self.weights, classes, self.stream.name)
        note_case_variants(self.stream.name, classes)
        note_missing_cells(self.stream)
        error, summary = result.error, result.summary
        accepts_errors = self.options.class_weight is not None or self.options.cost is not None
        if error is not None and not accepts_errors:
            low = summary.last.low if error.is_progressive else error.low
            if low > summary.constant_error:
                name = "held-out error" if error.rows == HELD_OUT else "error"
                terminal.note(
                    f"the {name} is above the baseline of always predicting the majority class "
                    f"{fmt.label(summary.constant)}: {advice(self.options, summary.converged)}"
                )
        self._note_other_scheme(result)
        if not self.options.kernel_name:
            if self.options.scale or DECLARATIONS[self.options.rule].scale_free:
                self.scales.note_alone(self.stream)
            else:
                self.scales.note(self.stream, self.names)
        if result.is_sorted:
            terminal.note(
                f"{self.stream.name}: the rows are sorted by label, which an online learner "
                "handles badly: --shuffle puts them in random order."
            )

    def _note_other_scheme(self, result: TrainingResult) -> None:
        """Print a note if the held-out rows show that a joint model is better."""
        if self.first_rows is None or self.held_out is None or self.previous is not None:
            return
        if result.interrupted:
            return
        compared = compare_schemes(
            self.options,
            result.model,
            build_learner(self.options),
            self.stream,
            self.first_rows,
            self.held_out.batches,
            result.summary.epochs,
        )
        if compared is not None and (sentence := compared.sentence()) is not None:
            terminal.note(f"{self.stream.name}: {sentence}")


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


def _check_model(model: Any, name: str, signal_number: int, rule: str) -> None:
    """Refuse to save a model with fewer than two classes, or with weights that overflowed."""
    classes = model.classes_.tolist() if interface.is_fitted(model) else []
    if len(classes) < 2 and signal_number:
        raise signal_error("no model was written: fewer than two classes so far.", signal_number)
    if len(classes) < 2:
        problem = f"every label is {fmt.label(classes[0])}" if classes else "no rows"
        raise BadData(f"{name}: {problem}; a classifier needs examples of two classes or more.")
    weights = model.dual_coef_ if model_facts.is_kernel(model) else model.coef_
    if not (np.isfinite(weights).all() and np.isfinite(model.intercept_).all()):
        raise _overflow_failure("", rule)


def _overflow_failure(when: str, rule: str) -> Failure:
    """Return the error of weights beyond the floating-point range."""
    smaller = "" if rule in WITHOUT_RATE else "choose a smaller --eta0, or "
    return Failure(
        f"{when}the weights are out of the floating-point range: {smaller}scale the features. No "
        "model was written."
    )
