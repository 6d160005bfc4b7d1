"""One run of ``rosenblatt train``: from rows to a saved model."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import models
from rosenblatt.cli import hashing, kernel, screen, words
from rosenblatt.cli.failures import BadData, Failure, Interrupted
from rosenblatt.cli.opening import as_names, open_data
from rosenblatt.cli.passes import ROWS, Cut, Mixed, Passes
from rosenblatt.cli.progress import ProgressTable
from rosenblatt.dual import KernelPerceptron
from rosenblatt.grams import gamma_of
from rosenblatt.kernels import SCALED
from rosenblatt.linear import Perceptron
from rosenblatt.progressive import Line, Summary, anytime_interval, learn
from rosenblatt.streams.hashnames import Collisions, HashedNames
from rosenblatt.streams.holding import Kept

if TYPE_CHECKING:
    from rosenblatt.cli.certify import Answer
    from rosenblatt.streams import Batch, Stream
    from rosenblatt.streams.settings import Settings


@dataclass(frozen=True)
class Result:
    """What a run came to: everything that the screen and ``--json`` tell."""

    model: Any
    target: str | None
    summary: Summary
    lines: list[Line]
    interrupted: bool
    path: str
    seconds: float
    collisions: Collisions | None = None
    answer: Answer | None = None


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
    model = _learner(given)
    names = HashedNames()
    stream = open_data(given["data"], how._replace(names=names))
    rows = _rows(stream, given)
    table = ProgressTable(screen.messages(given["quiet"]), given["epochs"])
    reporter = _Reporter(model, table, stream)
    passes = Passes(rows, reporter.begin_batch, reporter.end_pass)
    with table, passes, np.errstate(all="ignore"):
        summary = learn(model, passes, given["epochs"], reporter.add)
        interrupted = passes.interrupted
        reporter.add(summary.last)
        if interrupted:
            summary = summary._replace(epochs=passes.epochs, converged=False)
        _check(model, stream.name, interrupted)
        notes = {name: given[name] for name in ("data", "epochs", "shuffle", "seed")}
        collisions = names.collisions()
        notes |= hashing.noted(model, names)
        _save(model, stream, given["path"], notes, interrupted)
    if reporter.in_blocks and not given["quiet"]:
        screen.note(
            f"{stream.name}: the labels come in blocks, one after the other, and a learner "
            "forgets what it met long ago: --shuffle mixes the rows."
        )
    if not (given["quiet"] or hashing.has_pairs(stream, collisions)):
        screen.note(f"{stream.name}: no row has a pair of --interactions: check the names.")
    lines = [*table.lines[:-1], table.lines[-1]._replace(rate=summary.last.rate)]
    seconds = time.perf_counter() - begin
    path = given["path"]
    return Result(model, stream.target, summary, lines, interrupted, path, seconds, collisions)


def _learner(given: dict[str, Any]) -> Any:
    """The estimator that the command line asks for."""

    def chosen(*names: str) -> dict[str, Any]:
        return {name: given[name] for name in names}

    output = "vote" if given["vote"] else "average" if given["average"] else "last"
    shared = chosen("rule", "multi_class", "eta0") | {"output": output, "shuffle": False}
    asked = kernel.asked(given)
    if asked is None:
        return Perceptron(**shared, **chosen("penalty", "alpha", "expansion"))
    numbers = chosen("degree", "gamma", "coef0", "budget", "budget_scheme")
    return KernelPerceptron(asked, **shared, **numbers)


def _rows(stream: Stream, given: dict[str, Any]) -> Iterable[Batch]:
    """The rows in the order that the command line asks for."""
    slow = kernel.asked(given) is not None
    if given["shuffle"]:
        return Mixed(stream, given["seed"], kernel.BATCH if slow else ROWS)
    rows = Kept(stream) if given["epochs"] > 1 else stream
    return Cut(rows, kernel.BATCH) if slow else rows


class _Reporter:
    """Takes what happens to the table, and stops a run whose weights have run away."""

    def __init__(self, model: Any, table: ProgressTable, stream: Stream) -> None:
        self.model, self.table, self.stream = model, table, stream
        self._counts = (0, 0)
        self._examples = self._changes = 0

    def begin_batch(self, batch: Batch, examples: int, epoch: int, length: int | None) -> None:
        """A batch is about to be learned."""
        check_labels(batch.y, self.stream)
        if examples == 0 and getattr(self.model, "kernel", None) in SCALED:
            # the learner itself meets the first row alone, which says little of the variance
            self.model.gamma = gamma_of(self.model.kernel, self.model.gamma, batch.X)
        self.table.at(examples, epoch, length)
        if epoch == 1:
            self._changes += int(np.count_nonzero(batch.y[1:] != batch.y[:-1]))
            self._examples += len(batch.y)

    def add(self, line: Line) -> None:
        """One more line of the first pass."""
        if not math.isfinite(line.norm):
            raise _too_large(f"after {words.count(line.examples, 'example')} ")
        if line.examples:
            self.table.add(line)

    def end_pass(self, epoch: int) -> None:
        """A pass is over."""
        if not self.model.__sklearn_is_fitted__():
            return
        before, self._counts = self._counts, (self.model.mistakes_, self.model.updates_)
        if epoch == 1:
            self.add(self._last_line())
        else:
            self.table.end_pass(epoch, self._counts[0] - before[0], self._counts[1] - before[1])

    def _last_line(self) -> Line:
        """The table's last line, before the later passes have their say."""
        errors, lines = self.model.errors_, self.table.lines
        examples, known = (lines[-1].examples, lines[-1].errors) if lines else (0, 0)
        return Line(
            examples=self._examples,
            errors=errors,
            since=(errors - known) / max(1, self._examples - examples),
            **dict(zip(("low", "high"), anytime_interval(errors, self._examples), strict=True)),
            updates=self.model.updates_,
            norm=self.model._norm(),
            rate=0.0,  # the learner's own last line has it
        )

    @property
    def in_blocks(self) -> bool:
        """Whether equal labels stand together, as in a sorted file."""
        classes = len(self.model.classes_)
        return self._examples >= 20 * classes and self._changes < 2 * classes


def check_labels(y: Any, stream: Stream) -> None:
    """Refuse numbers with fractions: they measure something, and name nothing."""
    fractions = y[y != np.floor(y)] if y.dtype.kind == "f" else y[:0]
    if len(fractions):
        where = "the labels" if stream.target is None else f"column {stream.target!r}, the labels,"
        hint = "" if stream.target is None else ": --target names the column with the labels"
        raise BadData(
            f"{stream.name}: {where} hold {fractions[0]:g}, a measurement, not a class{hint}."
        )


def _too_large(when: str) -> Failure:
    return Failure(
        f"{when}the weights are too large for floating-point numbers: choose a smaller --eta0, "
        "or scale the features. No model was written."
    )


def _check(model: Any, name: str, interrupted: bool) -> None:
    """A model of fewer than two classes, or of weights without end, is not worth saving."""
    classes = model.classes_.tolist() if model.__sklearn_is_fitted__() else []
    if len(classes) < 2 and interrupted:
        raise Interrupted("nothing was learned yet, and no model was written.")
    if len(classes) < 2:
        found = f"every label is {words.label(classes[0])}" if classes else "no rows"
        raise BadData(f"{name}: {found}; a classifier needs examples of two classes or more.")
    weights = model.dual_coef_ if isinstance(model, KernelPerceptron) else model.coef_
    if not (np.isfinite(weights).all() and np.isfinite(model.intercept_).all()):
        raise _too_large("")


def _save(model: Any, stream: Stream, path: str, notes: dict[str, Any], interrupted: bool) -> None:
    """Write the model, with all that is needed to read new data as this data was read."""
    if stream.feature_names is not None:
        model.feature_names_in_ = as_names(stream.feature_names)
    models.save(model, path, notes=notes | stream.noted() | {"interrupted": interrupted})
