"""One run of ``rosenblatt train``: from rows to a saved model."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.cli.display import console, text
from rosenblatt.cli.display.errors import BadData, stopped
from rosenblatt.cli.display.progress import ProgressTable
from rosenblatt.cli.inputs import hashed_names
from rosenblatt.cli.inputs.data import open_data, tell_kinds
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.options import kernel
from rosenblatt.cli.options.learning import linear
from rosenblatt.cli.training import checkpoints
from rosenblatt.cli.training.checkpoints import Earlier, Keeper, with_names
from rosenblatt.cli.training.fingerprint import Beginning
from rosenblatt.cli.training.holdout import HeldOut, Judge
from rosenblatt.cli.training.monitor import Reporter, too_large
from rosenblatt.cli.training.passes import Passes
from rosenblatt.learning.evaluation.progressive import Line, Standing, Summary, learn
from rosenblatt.learning.kernel.estimators import KernelPerceptron
from rosenblatt.learning.models import files
from rosenblatt.streams.core.batch import Kept
from rosenblatt.streams.core.hashed_names import Collisions, HashedNames
from rosenblatt.streams.rechunk import ROWS, Blocks, Mixed

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.proofs import Answer
    from rosenblatt.streams import Batch, Stream
    from rosenblatt.streams.core.options import Settings


@dataclass(frozen=True)
class Result:
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
    answer: Answer | None = None
    patience: int | None = None
    """Passes without fewer errors on held-out rows that ended the run before its last pass."""

    @property
    def interrupted(self) -> bool:
        """Whether a signal ended the run."""
        return self.signal != 0


def run(given: dict[str, Any], how: Settings, begin: float) -> Result:
    """Learn as the command line says, and save the model.

    Parameters
    ----------
    given : dict
        The options of ``rosenblatt train``.
    how : Settings
    begin : float
        When the command began, by ``time.perf_counter``.
    """
    with checkpoints.alone(given):
        earlier = checkpoints.earlier(given)
        names = HashedNames()
        stream = open_data(given["data"], how._replace(names=names))
        tell_kinds(stream, given["quiet"])
        return _Run(given, stream, names, earlier).result(begin)


class _Run:
    """The parts of a run, and where it stands.

    Parameters
    ----------
    given : dict
    stream : Stream
    names : HashedNames
        Takes the names of hashed columns.
    earlier : Earlier or None
        The run to go on with.
    """

    def __init__(
        self,
        given: dict[str, Any],
        stream: Stream,
        names: HashedNames,
        earlier: Earlier | None,
    ) -> None:
        self.given, self.stream, self.names, self.earlier = given, stream, names, earlier
        self.model = _learner(given) if earlier is None else earlier.model
        self.past: dict[str, Any] = {} if earlier is None else earlier.run
        self.start = Standing.of(self.past["standing"]) if self.past else Standing()
        self.standing = self.start
        self.judge: Judge | None = None
        passes = self.start.epoch - 1
        rows = self._rows(passes)
        table = ProgressTable(console.messages(given["quiet"]), given["epochs"])
        self.reporter = Reporter(self.model, table, stream)
        self.passes = Passes(
            rows,
            self.reporter.begin_batch,
            self._end_pass,
            passes,
            self.start.examples if passes else None,
        )
        self.keeper = Keeper(
            self.model, given["checkpoint_every"], self._write, lambda: self.passes.waiting
        )

    def _rows(self, passes: int) -> Iterable[Batch]:
        """The rows in the order that the command line asks for."""
        given, name = self.given, self.stream.name
        rows: Iterable[Batch] = self.stream
        if given["holdout"]:
            rows = held = HeldOut(rows, name, given["holdout"], given["seed"])
            self.judge = Judge(held, given["early_stop"], self.past.get("held_out", ()))
            if self.judge.errors and given["early_stop"] and not self.is_over:
                self.judge.best = _best(given["path"])
        rows = self.beginning = Beginning(
            rows, name, self.past.get("first"), self.past.get("length")
        )
        slow = kernel.asked(given) is not None
        if given["shuffle"]:
            return Mixed(rows, given["seed"], kernel.BATCH if slow else ROWS, passes)
        rows = Kept(rows) if given["epochs"] > 1 else rows
        return Blocks(rows, kernel.BATCH) if slow else rows

    @property
    def is_over(self) -> bool:
        """Whether the earlier run was over, and nothing has come since."""
        return self.earlier is not None and self.earlier.over and self.standing == self.start

    def result(self, begin: float) -> Result:
        """Learn, and save the model."""
        given, table = self.given, self.reporter.table
        with table, self.passes, self.keeper, np.errstate(all="ignore"):
            if self.past:
                self.reporter.go_on(self.start, self.past)
            summary = learn(
                self.model, self.passes, given["epochs"], self.reporter.add, self.start, self._after
            )
            self.reporter.add(summary.last)
            if self.passes.interrupted or self.passes.ended:
                summary = summary._replace(epochs=self.passes.epochs)
            summary = summary._replace(converged=self._has_converged(summary))
            _check(self.model, self.stream.name, self.passes.signal)
            model = self._finish(summary.converged)
        self._notes(summary)
        lines = [*table.lines[:-1], table.lines[-1]._replace(rate=summary.last.rate)]
        return Result(
            model,
            self.stream.target,
            summary,
            lines,
            self.passes.signal,
            given["path"],
            time.perf_counter() - begin,
            None if self.judge is None else self.judge.record(),
            self.names.collisions(),
            patience=self._ended_by(summary.epochs),
        )

    def _ended_by(self, epochs: int) -> int | None:
        early = self.judge is not None and self.judge.is_done and epochs < self.given["epochs"]
        return self.given["early_stop"] if early else None

    def _after(self, standing: Standing) -> None:
        self.standing = standing
        self.keeper.turn()

    def _end_pass(self, epoch: int) -> None:
        self.reporter.end_pass(epoch)
        if self.judge is not None and not self.is_over and len(self.reporter.classes) > 1:
            self.judge.end_pass(self.model, epoch)
        self.passes.ended = self.is_over or (self.judge is not None and self.judge.is_done)

    def _has_converged(self, summary: Summary) -> bool:
        if self.is_over:  # its model may be that of an earlier pass
            return bool(self.past["converged"])
        return summary.converged and not self.passes.interrupted

    def _finish(self, converged: bool) -> Any:
        """Write the model that the run came to, unless that is what is there."""
        if self.is_over or (self.passes.interrupted and self.standing == self.start):
            return self.model
        if self.passes.interrupted:
            self._write()
            return self.model
        best = self.judge and self.judge.best
        model = self.model if best is None else best
        self._save(model, self.given["path"], interrupted=False, converged=converged)
        with suppress(FileNotFoundError):
            os.unlink(best_path(self.given["path"]))
        return model

    def _write(self) -> None:
        """A checkpoint: the weights of the best pass beside, then the model."""
        if self.judge is not None and self.judge.best is not None:
            self._save(self.judge.best, best_path(self.given["path"]), interrupted=True)
        self._save(self.model, self.given["path"], interrupted=True)

    def _save(self, model: Any, path: str, *, interrupted: bool, converged: bool = False) -> None:
        """Write a model, with all that it takes to read new data alike, and to go on."""
        names = self.stream.feature_names
        if names is not None and len(names) < model.n_features_in_ and self.earlier is not None:
            names = self.earlier.names
        _check_names(self.stream.name, names, None if self.earlier is None else self.earlier.names)
        notes = {name: self.given[name] for name in ("data", "epochs", "shuffle", "seed")}
        notes |= self.stream.noted() | {"interrupted": interrupted}
        notes |= hashed_names.noted(model, self.names)
        files.save(with_names(model, names), path, notes=notes | {"run": self._record(converged)})

    def _record(self, converged: bool) -> dict[str, Any]:
        """The note ``run``. Rates are left out: they are of this process alone."""
        standing = self.standing
        same = self.given["shuffle"] or standing.epoch > 1
        last = standing.last and standing.last._replace(rate=0.0)
        return self.reporter.record() | {
            "options": checkpoints.asked(self.given),
            "standing": standing._replace(last=last).record(),
            "first": self.beginning.first,
            "length": self.passes.length if same else None,
            "held_out": self.judge.errors if self.judge else [],
            "converged": converged,
        }

    def _notes(self, summary: Summary) -> None:
        """What should be known besides."""
        if self.given["quiet"]:
            return
        if self.earlier is not None and self.earlier.over and not self.passes.interrupted:
            new = text.count(self.standing.examples - self.start.examples, "row")
            console.note(f"{self.given['path']}: the run was over; {new} came since.")
        if not hashed_names.has_pairs(self.stream, self.names.collisions()):
            console.note(
                f"{self.stream.name}: no row has a pair of --interactions: check the names."
            )
        if summary.last.low > summary.constant_error:
            console.note(
                f"wrong more often than by always saying {text.label(summary.constant)}: columns "
                "of like size, --average, --rule pa1 and more --epochs help."
            )
        if self.reporter.in_blocks:
            console.note(
                f"{self.stream.name}: the labels come in blocks, one after the other, and a "
                "learner forgets what it met long ago: --shuffle mixes the rows."
            )


def _check_names(source: str, names: list[str] | None, earlier: list[str] | None) -> None:
    """Refuse columns that are not in the order of the model's: weights would be those of others."""
    if names is None or earlier is None:
        return
    for place, (found, wanted) in enumerate(zip(names, earlier, strict=False)):
        if found != wanted:
            raise BadData(
                f"{source}: its column {place} is {found!r}, but the model has {wanted!r} there: "
                "--resume cannot go on."
            )


def best_path(path: str) -> str:
    """Where the weights of the best pass are until the run is over."""
    return f"{path}.best"


def _best(path: str) -> Any:
    """The weights of the best pass so far, which a checkpoint has beside it."""
    try:
        return open_model(best_path(path)).model
    except (BadData, files.ModelError) as error:
        raise BadData(
            f"{error} It had the weights of the best pass: leave out --resume to train anew."
        ) from error


def _learner(given: dict[str, Any]) -> Any:
    """The estimator that the command line asks for."""

    def chosen(*names: str) -> dict[str, Any]:
        return {name: given[name] for name in names}

    asked = kernel.asked(given)
    if asked is None:
        return linear(given).set_params(expansion=given["expansion"])
    output = "vote" if given["vote"] else "average" if given["average"] else "last"
    shared = chosen("rule", "multi_class", "eta0") | {"output": output, "shuffle": False}
    numbers = chosen("degree", "gamma", "coef0", "budget", "budget_scheme")
    return KernelPerceptron(asked, **shared, **numbers)


def _check(model: Any, name: str, number: int) -> None:
    """A model of fewer than two classes, or of weights without end, is not worth saving."""
    classes = model.classes_.tolist() if model.__sklearn_is_fitted__() else []
    if len(classes) < 2 and number:
        raise stopped("nothing was learned yet, and no model was written.", number)
    if len(classes) < 2:
        found = f"every label is {text.label(classes[0])}" if classes else "no rows"
        raise BadData(f"{name}: {found}; a classifier needs examples of two classes or more.")
    weights = model.dual_coef_ if isinstance(model, KernelPerceptron) else model.coef_
    if not (np.isfinite(weights).all() and np.isfinite(model.intercept_).all()):
        raise too_large("")
