"""One run of ``rosenblatt train``: from rows to a saved model."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData, signal_error
from rosenblatt.cli.display.progress import ProgressTable
from rosenblatt.cli.inputs import hashed_names
from rosenblatt.cli.inputs.data import open_data, print_schema
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.options import kernel
from rosenblatt.cli.options.learning import build_linear
from rosenblatt.cli.training import checkpoints
from rosenblatt.cli.training.checkpoints import Checkpointer, PreviousRun, with_feature_names
from rosenblatt.cli.training.fingerprint import FingerprintedRows
from rosenblatt.cli.training.holdout import HoldoutEvaluator, HoldoutStream
from rosenblatt.cli.training.monitor import TrainingMonitor, overflow_failure
from rosenblatt.cli.training.passes import InterruptiblePasses
from rosenblatt.learning.evaluation.progressive import Line, Standing, Summary, learn
from rosenblatt.learning.kernel.estimators import KernelPerceptron
from rosenblatt.learning.models import files
from rosenblatt.streams.core.batch import CachedBatches
from rosenblatt.streams.core.hashed_names import Collisions, HashedNames
from rosenblatt.streams.rechunk import SHUFFLED_BATCH_ROWS, RechunkedBatches, ShuffledBatches

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.proofs import CheckedProof
    from rosenblatt.streams import Batch, Stream
    from rosenblatt.streams.core.options import ReadOptions


@dataclass(frozen=True)
class TrainingResult:
    """What a run came to: everything that the screen and ``--json`` tell."""

    model: Any
    target: str | None
    summary: Summary
    lines: list[Line]
    signal: int
    path: str
    seconds: float
    held_out: dict[str, Any] | None
    collisions: Collisions | None = None
    checked_proof: CheckedProof | None = None
    patience: int | None = None
    """Passes without fewer errors on held-out rows that ended the run before its last pass."""

    @property
    def interrupted(self) -> bool:
        """Whether a signal ended the run."""
        return self.signal != 0


def run_training(
    options: dict[str, Any], read_options: ReadOptions, started: float
) -> TrainingResult:
    """Learn as the command line says, and save the model.

    Parameters
    ----------
    options : dict
        The options of ``rosenblatt train``.
    read_options : Settings
    started : float
        When the command began, by ``time.perf_counter``.
    """
    with checkpoints.lock_model(options):
        previous = checkpoints.load_previous_run(options)
        names = HashedNames()
        stream = open_data(options["data"], read_options._replace(names=names))
        print_schema(stream, options["quiet"])
        return TrainingRun(options, stream, names, previous).result(started)


class TrainingRun:
    """The parts of a run, and where it stands.

    Parameters
    ----------
    options : dict
    stream : Stream
    names : HashedNames
        Takes the names of hashed columns.
    previous : Earlier or None
        The run to go on with.
    """

    def __init__(
        self,
        options: dict[str, Any],
        stream: Stream,
        names: HashedNames,
        previous: PreviousRun | None,
    ) -> None:
        self.options, self.stream, self.names, self.earlier = options, stream, names, previous
        self.model = _build_learner(options) if previous is None else previous.model
        self.run_record: dict[str, Any] = {} if previous is None else previous.run
        self.start = Standing.of(self.run_record["standing"]) if self.run_record else Standing()
        self.standing = self.start
        self.evaluator: HoldoutEvaluator | None = None
        passes = self.start.epoch - 1
        rows = self._order_rows(passes)
        table = ProgressTable(terminal.stderr(options["quiet"]), options["epochs"])
        self.monitor = TrainingMonitor(self.model, table, stream)
        self.passes = InterruptiblePasses(
            rows,
            self.monitor.begin_batch,
            self._end_pass,
            passes,
            self.start.examples if passes else None,
        )
        self.checkpointer = Checkpointer(
            self.model, options["checkpoint_every"], self._write, lambda: self.passes.is_waiting
        )

    def _order_rows(self, passes: int) -> Iterable[Batch]:
        """The rows in the order that the command line asks for."""
        options, name = self.options, self.stream.name
        rows: Iterable[Batch] = self.stream
        if options["holdout"]:
            rows = holdout = HoldoutStream(rows, name, options["holdout"], options["seed"])
            self.evaluator = HoldoutEvaluator(
                holdout, options["early_stop"], self.run_record.get("held_out", ())
            )
            if self.evaluator.errors and options["early_stop"] and not self.is_finished:
                self.evaluator.best = _load_best(options["path"])
        rows = self.fingerprinted = FingerprintedRows(
            rows, name, self.run_record.get("first"), self.run_record.get("length")
        )
        is_kernel = kernel.chosen_kernel(options) is not None
        if options["shuffle"]:
            return ShuffledBatches(
                rows, options["seed"], kernel.BATCH if is_kernel else SHUFFLED_BATCH_ROWS, passes
            )
        rows = CachedBatches(rows) if options["epochs"] > 1 else rows
        return RechunkedBatches(rows, kernel.BATCH) if is_kernel else rows

    @property
    def is_finished(self) -> bool:
        """Whether the earlier run was over, and nothing has come since."""
        return self.earlier is not None and self.earlier.is_finished and self.standing == self.start

    def result(self, started: float) -> TrainingResult:
        """Learn, and save the model."""
        options, table = self.options, self.monitor.table
        with table, self.passes, self.checkpointer, np.errstate(all="ignore"):
            if self.run_record:
                self.monitor.resume(self.start, self.run_record)
            summary = learn(
                self.model,
                self.passes,
                options["epochs"],
                self.monitor.add,
                self.start,
                self._on_position,
            )
            self.monitor.add(summary.last)
            if self.passes.interrupted or self.passes.stop_requested:
                summary = summary._replace(epochs=self.passes.epochs)
            summary = summary._replace(converged=self._has_converged(summary))
            _check_model(self.model, self.stream.name, self.passes.signal)
            model = self._finish(summary.converged)
        self._print_notes(summary)
        lines = [*table.lines[:-1], table.lines[-1]._replace(rate=summary.last.rate)]
        return TrainingResult(
            model,
            self.stream.target,
            summary,
            lines,
            self.passes.signal,
            options["path"],
            time.perf_counter() - started,
            None if self.evaluator is None else self.evaluator.record(),
            self.names.collisions(),
            patience=self._early_stop_patience(summary.epochs),
        )

    def _early_stop_patience(self, epochs: int) -> int | None:
        early = (
            self.evaluator is not None
            and self.evaluator.should_stop
            and epochs < self.options["epochs"]
        )
        return self.options["early_stop"] if early else None

    def _on_position(self, standing: Standing) -> None:
        self.standing = standing
        self.checkpointer.write_if_due()

    def _end_pass(self, epoch: int) -> None:
        self.monitor.end_pass(epoch)
        if self.evaluator is not None and not self.is_finished and len(self.monitor.classes) > 1:
            self.evaluator.end_pass(self.model, epoch)
        self.passes.stop_requested = self.is_finished or (
            self.evaluator is not None and self.evaluator.should_stop
        )

    def _has_converged(self, summary: Summary) -> bool:
        if self.is_finished:  # its model may be that of an earlier pass
            return bool(self.run_record["converged"])
        return summary.converged and not self.passes.interrupted

    def _finish(self, converged: bool) -> Any:
        """Write the model that the run came to, unless that is what is there."""
        if self.is_finished or (self.passes.interrupted and self.standing == self.start):
            return self.model
        if self.passes.interrupted:
            self._write()
            return self.model
        best = self.evaluator and self.evaluator.best
        model = self.model if best is None else best
        self._save(model, self.options["path"], interrupted=False, converged=converged)
        with suppress(FileNotFoundError):
            os.unlink(best_path(self.options["path"]))
        return model

    def _write(self) -> None:
        """A checkpoint: the weights of the best pass beside, then the model."""
        if self.evaluator is not None and self.evaluator.best is not None:
            self._save(self.evaluator.best, best_path(self.options["path"]), interrupted=True)
        self._save(self.model, self.options["path"], interrupted=True)

    def _save(self, model: Any, path: str, *, interrupted: bool, converged: bool = False) -> None:
        """Write a model, with all that it takes to read new data alike, and to go on."""
        names = self.stream.feature_names
        if names is not None and len(names) < model.n_features_in_ and self.earlier is not None:
            names = self.earlier.names
        _check_names(self.stream.name, names, None if self.earlier is None else self.earlier.names)
        notes = {name: self.options[name] for name in ("data", "epochs", "shuffle", "seed")}
        notes |= self.stream.noted() | {"interrupted": interrupted}
        notes |= hashed_names.names_for_notes(model, self.names)
        files.save(
            with_feature_names(model, names), path, notes=notes | {"run": self._record(converged)}
        )

    def _record(self, converged: bool) -> dict[str, Any]:
        """The note ``run_training``. Rates are left out: they are of this process alone."""
        standing = self.standing
        same = self.options["shuffle"] or standing.epoch > 1
        last = standing.last and standing.last._replace(rate=0.0)
        return self.monitor.record() | {
            "options": checkpoints.fixed_options(self.options),
            "standing": standing._replace(last=last).record(),
            "first": self.fingerprinted.fingerprint,
            "length": self.passes.length if same else None,
            "held_out": self.evaluator.errors if self.evaluator else [],
            "converged": converged,
        }

    def _print_notes(self, summary: Summary) -> None:
        """What should be known besides."""
        if self.options["quiet"]:
            return
        if self.earlier is not None and self.earlier.is_finished and not self.passes.interrupted:
            new = fmt.count(self.standing.examples - self.start.examples, "row")
            terminal.note(f"{self.options['path']}: the run was over; {new} came since.")
        if not hashed_names.has_pairs(self.stream, self.names.collisions()):
            terminal.note(
                f"{self.stream.name}: no row has a pair of --interactions: check the names."
            )
        if summary.last.low > summary.constant_error:
            terminal.note(
                f"wrong more often than by always saying {fmt.label(summary.constant)}: columns "
                "of like size, --average, --rule pa1 and more --epochs help."
            )
        if self.monitor.is_grouped_by_label:
            terminal.note(
                f"{self.stream.name}: the labels come in blocks, one after the other, and a "
                "learner forgets what it met long ago: --shuffle mixes the rows."
            )


def _check_names(source: str, names: list[str] | None, previous: list[str] | None) -> None:
    """Refuse columns that are not in the order of the model's: weights would be those of others."""
    if names is None or previous is None:
        return
    for column, (name, expected) in enumerate(zip(names, previous, strict=False)):
        if name != expected:
            raise BadData(
                f"{source}: its column {column} is {name!r}, but the model has {expected!r} there: "
                "--resume cannot go on."
            )


def best_path(path: str) -> str:
    """Where the weights of the best pass are until the run is over."""
    return f"{path}.best"


def _load_best(path: str) -> Any:
    """The weights of the best pass so far, which a checkpoint has beside it."""
    try:
        return open_model(best_path(path)).model
    except (BadData, files.ModelError) as error:
        raise BadData(
            f"{error} It had the weights of the best pass: leave out --resume to train anew."
        ) from error


def _build_learner(options: dict[str, Any]) -> Any:
    """The estimator that the command line asks for."""

    def chosen(*names: str) -> dict[str, Any]:
        return {name: options[name] for name in names}

    kernel_name = kernel.chosen_kernel(options)
    if kernel_name is None:
        return build_linear(options).set_params(expansion=options["expansion"])
    output = "vote" if options["vote"] else "average" if options["average"] else "last"
    shared = chosen("rule", "multi_class", "eta0") | {"output": output, "shuffle": False}
    numbers = chosen("degree", "gamma", "coef0", "budget", "budget_scheme")
    return KernelPerceptron(kernel_name, **shared, **numbers)


def _check_model(model: Any, name: str, signal_number: int) -> None:
    """A model of fewer than two classes, or of weights without end, is not worth saving."""
    classes = model.classes_.tolist() if model.__sklearn_is_fitted__() else []
    if len(classes) < 2 and signal_number:
        raise signal_error("nothing was learned yet, and no model was written.", signal_number)
    if len(classes) < 2:
        problem = f"every label is {fmt.label(classes[0])}" if classes else "no rows"
        raise BadData(f"{name}: {problem}; a classifier needs examples of two classes or more.")
    weights = model.dual_coef_ if isinstance(model, KernelPerceptron) else model.coef_
    if not (np.isfinite(weights).all() and np.isfinite(model.intercept_).all()):
        raise overflow_failure("")
