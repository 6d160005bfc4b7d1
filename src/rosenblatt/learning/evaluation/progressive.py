"""Predict, then learn: the error so far, with an interval that holds at any time.

Every example is predicted before it is learned, so the share of wrong predictions measures, on a
single pass, the models that the learner went through. :func:`anytime_interval` bounds what that
share estimates at all times at once: it may be read after every example, and stopped by.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.rows import largest_sqnorm
from rosenblatt.learning.evaluation.intervals import anytime_interval
from rosenblatt.streams.core.batch import CachedBatches
from rosenblatt.streams.core.stream import Stream


class Line(NamedTuple):
    """One line of the progressive table.

    Attributes
    ----------
    examples : int
        Seen in the first pass.
    errors : int
        Predicted wrong before they were learned.
    since : float
        Share of errors since the line before.
    low, high : float
        :func:`anytime_interval` of the error.
    updates : int
        Moves of the weight vectors.
    norm : float
        ‖w‖.
    rate : float
        Examples a second since the start.
    """

    examples: int
    errors: int
    since: float
    low: float
    high: float
    updates: int
    norm: float
    rate: float

    @property
    def error(self) -> float:
        """Share of errors so far."""
        return self.errors / self.examples if self.examples else 0.0


class Summary(NamedTuple):
    """What a run over a stream came to.

    Attributes
    ----------
    last : Line
        The table's last line, over the whole first pass.
    epochs : int
        Passes made.
    converged : bool
        Whether the last pass made no mistake.
    constant : Any
        The label of the best constant, and its error on the first pass.
    constant_error : float
    radius : float
        The largest ‖x‖.
    seconds_read, seconds_learn : float
    """

    last: Line
    epochs: int
    converged: bool
    constant: Any
    constant_error: float
    radius: float
    seconds_read: float
    seconds_learn: float


class Standing(NamedTuple):
    """Where a run stands: with the model, all it takes to go on as if it had never stopped.

    Attributes
    ----------
    epoch : int
        The pass under way, from 1.
    rows : int
        Rows of it that were learned.
    examples : int
        Rows of the first pass that were learned.
    labels : tuple of pairs
        The labels of the first pass as they came, and how often each.
    radius : float
        The largest ‖x‖ so far.
    errors_before : int
        Errors that the model had made before the run.
    reported : tuple of two ints
        Examples and errors of the table's latest line.
    counts : tuple of two ints
        Mistakes and updates of the model when the pass began.
    last : Line or None
        The last line of the first pass, once that is over.

    Examples
    --------
    >>> from rosenblatt import Perceptron, streams
    >>> model, found = Perceptron(shuffle=False), []
    >>> summary = learn(model, streams.open_stream("sklearn:wine"), after=found.append)
    >>> found[-1].epoch, found[-1].rows
    (1, 178)
    >>> Standing.of(found[-1].record()) == found[-1]
    True
    """

    epoch: int = 1
    rows: int = 0
    examples: int = 0
    labels: tuple[tuple[Any, int], ...] = ()
    radius: float = 0.0
    errors_before: int = 0
    reported: tuple[int, int] = (0, 0)
    counts: tuple[int, int] = (0, 0)
    last: Line | None = None

    def record(self) -> dict[str, Any]:
        """As JSON, which gives every number back to the bit."""
        return self._asdict() | {"last": None if self.last is None else self.last._asdict()}

    @classmethod
    def of(cls, record: dict[str, Any]) -> Standing:
        """The standing of a :meth:`record`."""
        values = {name: _as_tuples(value) for name, value in record.items()}
        return cls(**values | {"last": values["last"] and Line(**values["last"])})


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


class _Progress:
    """Counts one run: labels, errors, times, and when the next line of the table is due."""

    def __init__(
        self, model: Any, report: Callable[[Line], None], start: Standing | None = None
    ) -> None:
        if start is None:
            errors = model.errors_ if _is_fitted(model) else 0
            start = Standing(errors_before=errors, counts=_counters(model))
        self.model, self.report = model, report
        self.epoch, self.rows, self.examples = start.epoch, start.rows, start.examples
        self.labels: Counter[Any] = Counter(dict(start.labels))
        self.next_report = 1 << start.examples.bit_length()
        self.errors_before, self.reported = start.errors_before, start.reported
        self.radius = start.radius
        self.counts, self.last = start.counts, start.last
        self.seconds_read = self.seconds_learn = 0.0
        self.started, self.resumed_at = time.perf_counter(), start.examples

    def standing(self) -> Standing:
        """Where the run stands, between two batches."""
        return Standing(
            epoch=self.epoch,
            rows=self.rows,
            examples=self.examples,
            labels=tuple(self.labels.items()),
            radius=self.radius,
            errors_before=self.errors_before,
            reported=self.reported,
            counts=self.counts,
            last=self.last,
        )

    def line(self) -> Line:
        errors = self.model.errors_ - self.errors_before if self.examples else 0
        examples_before, errors_before = self.reported
        new = max(1, self.examples - examples_before)
        low, high = anytime_interval(errors, self.examples)
        self.reported = (self.examples, errors)
        return Line(
            examples=self.examples,
            errors=errors,
            since=(errors - errors_before) / new,
            low=low,
            high=high,
            updates=self.model.updates_ if self.examples else 0,
            norm=self._norm(),
            rate=(self.examples - self.resumed_at) / max(time.perf_counter() - self.started, 1e-9),
        )

    def _norm(self) -> float:
        return self.model._norm() if self.examples else 0.0

    def learn_batch(self, X: Any, y: Any, weight: Any) -> None:
        """Learn a batch."""
        X = match_width(self.model, X)
        if self.epoch == 1:
            self._learn_reporting(X, y, weight)
        else:
            self.model.partial_fit(X, y, sample_weight=weight)
        self.rows += len(y)

    def end_epoch(self) -> tuple[int, int]:
        """Mistakes and updates of the pass that is over."""
        self.last = self.last or self.line()
        before, self.counts = self.counts, _counters(self.model)
        self.epoch, self.rows = self.epoch + 1, 0
        return self.counts[0] - before[0], self.counts[1] - before[1]

    def _learn_reporting(self, X: Any, y: Any, weight: Any) -> None:
        """Learn a batch, with a line at every due count."""
        self.labels.update(y.tolist())
        sqnorm = largest_sqnorm(as_rows(X), X.shape[0])
        self.radius = max(self.radius, math.sqrt(sqnorm))
        start = 0
        while start < len(y):
            stop = min(len(y), start + self.next_report - self.examples)
            rows = slice(start, stop)
            weights = None if weight is None else weight[rows]
            self.model.partial_fit(X[rows], y[rows], sample_weight=weights)
            self.examples += stop - start
            start = stop
            if self.examples == self.next_report:
                self.report(self.line())
                self.next_report *= 2


def learn(
    model: Any,
    stream: Iterable[Any],
    epochs: int = 1,
    report: Callable[[Line], None] = lambda line: None,
    start: Standing | None = None,
    after: Callable[[Standing], None] = lambda standing: None,
) -> Summary:
    """Learn from a stream of batches, reporting the progressive error of the first pass.

    Parameters
    ----------
    model : classifier of ``rosenblatt.learning.linear.estimators`` or
    ``rosenblatt.learning.kernel.estimators``
        With ``shuffle=False`` the examples are learned in the stream's order. It may have learned
        before.
    stream : iterable of batches with ``X`` and ``y``
        Walked once an epoch; a batch may be wider than the ones before. Its ``weight``, where it
        has one, is that of the rows in learning; errors count every example once. What
        :func:`~rosenblatt.streams.open_stream` opened is read once, and kept in memory for the
        next epochs if it fits there (512 MiB).
    epochs : int ≥ 1, default=1
        Passes at most; one in which nothing moves is the last.
    report : callable, optional
        Called with a :class:`Line` after 1, 2, 4, 8, … examples.
    start : Standing, optional
        Where an earlier run stopped, with the model as it was then: the stream is read from its
        first row, the rows that were learned are passed over, and the run ends in the same bits as
        one that never stopped.
    after : callable, optional
        Called with a :class:`Standing` after every batch that was learned; save the model with it.

    Returns
    -------
    Summary

    Raises
    ------
    ValueError
        What the stream or the model raise.

    Examples
    --------
    >>> from rosenblatt import Perceptron, streams
    >>> digits = streams.open_stream("sklearn:digits")
    >>> summary = learn(Perceptron(shuffle=False), digits)
    >>> summary.last.examples
    1797
    """
    if epochs < (first := 1 if start is None else start.epoch):
        raise ValueError(f"epochs must be at least {first}; got {epochs}.")
    if not hasattr(model, "partial_fit"):
        hint = f"got {type(model).__name__}, which rosenblatt.validation.validate takes"
        raise TypeError(f"model must be a classifier of linear or dual; {hint}.")
    if isinstance(stream, Stream) and epochs > 1:
        stream = CachedBatches(stream)
    progress = _Progress(model, report, start)
    for _ in range(progress.epoch, epochs + 1):
        rows = _learn_epoch(progress, stream, after)
        mistakes, updates = progress.end_epoch()
        if rows == 0 or updates == 0:
            break
    constant, constant_count = progress.labels.most_common(1)[0] if progress.labels else (None, 0)
    return Summary(
        last=progress.last or progress.line(),
        epochs=progress.epoch - 1,
        converged=rows > 0 and mistakes == updates == 0,
        constant=constant,
        constant_error=1.0 - constant_count / progress.examples if progress.examples else 0.0,
        radius=progress.radius,
        seconds_read=progress.seconds_read,
        seconds_learn=progress.seconds_learn,
    )


def match_width(model: Any, X: Any) -> Any:
    """The rows, with room for the widest batch so far in the model, or in them if they are sparse.

    A stream starts narrow again in every pass.
    """
    if not _is_fitted(model):
        return X
    model._widen(X.shape[1])
    if not hasattr(X, "indptr") or X.shape[1] == model.n_features_in_:
        return X
    return type(X)((X.data, X.indices, X.indptr), shape=(X.shape[0], model.n_features_in_))


def _is_fitted(model: Any) -> bool:
    return bool(model.__sklearn_is_fitted__())


def _counters(model: Any) -> tuple[int, int]:
    return (model.mistakes_, model.updates_) if _is_fitted(model) else (0, 0)


def _learn_epoch(
    progress: _Progress, stream: Iterable[Any], after: Callable[[Standing], None]
) -> int:
    """One pass over the stream; how many rows it had."""
    rows, to_skip = 0, progress.rows
    mark = time.perf_counter()
    for batch in stream:
        arrived = time.perf_counter()
        progress.seconds_read += arrived - mark
        new = slice(max(0, to_skip - rows), None)
        rows += len(batch.y)
        if rows > to_skip:
            weight = getattr(batch, "weight", None)
            progress.learn_batch(
                batch.X[new], batch.y[new], None if weight is None else weight[new]
            )
            after(progress.standing())
        mark = time.perf_counter()
        progress.seconds_learn += mark - arrived
    return rows
