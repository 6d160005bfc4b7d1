"""Progressive validation of a learner on a stream: predict each example, then learn it.

The share of wrong predictions in one epoch measures the models that the learner went through, since
each example is predicted before it is learned. :func:`anytime_interval` bounds the mean error at
all times at once, so it may be read after every example and used to decide when to stop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, NamedTuple

from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.rows import largest_sqnorm
from rosenblatt.learning import interface
from rosenblatt.learning.evaluation.intervals import anytime_interval, wilson_interval
from rosenblatt.learning.evaluation.progress import Progress
from rosenblatt.streams.core.batch import CachedBatches, slice_rows, stored_rows
from rosenblatt.streams.core.stream import Stream

__all__ = [
    "Line",
    "Progress",
    "Standing",
    "Summary",
    "anytime_interval",
    "learn",
    "wilson_interval",
]


class Line(NamedTuple):
    """One line of the progressive table.

    Attributes
    ----------
    examples : int
        Examples of the first epoch so far.
    errors : int
        Examples that were predicted wrong before they were learned.
    since : float
        Share of errors since the previous line.
    low, high : float
        :func:`anytime_interval` of the error.
    updates : int
        Updates of the weight vectors.
    norm : float
        ‖w‖.
    rate : float
        Examples per second since the start.
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
    """Result of a run over a stream.

    Attributes
    ----------
    last : Line
        Line of the whole first epoch.
    epochs : int
        Epochs made.
    converged : bool
        Whether the last epoch made no mistake.
    constant : Any
        Most frequent label of the first epoch.
    constant_error : float
        Error of always predicting ``constant``.
    radius : float
        Largest ‖x‖.
    seconds_read, seconds_learn : float
        Seconds in reading and in learning.
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
    """Position of a run: with the model, all that is needed to resume it.

    Attributes
    ----------
    epoch : int
        Current epoch, from 1.
    rows : int
        Rows of the current epoch that were learned.
    examples : int
        Rows of the first epoch that were learned.
    labels : tuple of pairs
        Each label of the first epoch, in order of appearance, and its number of examples.
    radius : float
        Largest ‖x‖ so far.
    errors_before : int
        Errors of the model before the run.
    reported : tuple of two ints
        Examples and errors of the latest line.
    counts : tuple of two ints
        Mistakes and updates of the model at the start of the epoch.
    last : Line or None
        Line of the whole first epoch, once that is over.

    Examples
    --------
    >>> from rosenblatt import Perceptron, streams
    >>> model, positions = Perceptron(shuffle=False), []
    >>> summary = learn(model, streams.open_stream("sklearn:wine"), after=positions.append)
    >>> positions[-1].epoch, positions[-1].rows
    (1, 178)
    >>> Standing.of(positions[-1].record()) == positions[-1]
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
        """Fields as a JSON object, from which :meth:`of` restores every bit."""
        return self._asdict() | {"last": None if self.last is None else self.last._asdict()}

    @classmethod
    def of(cls, record: dict[str, Any]) -> Standing:
        """Position of a :meth:`record`."""
        values = {name: _as_tuples(value) for name, value in record.items()}
        return cls(**values | {"last": values["last"] and Line(**values["last"])})


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def learn(
    model: Any,
    stream: Iterable[Any],
    epochs: int = 1,
    report: Callable[[Line], None] | None = None,
    start: Standing | None = None,
    after: Callable[[Standing], None] = lambda standing: None,
    on_epoch: Callable[[Standing, int, int], None] = lambda standing, mistakes, updates: None,
) -> Summary:
    """Learn from a stream of batches, and report the progressive error of the first epoch.

    Parameters
    ----------
    model : linear or kernel classifier of this library
        With ``shuffle=False`` the examples are learned in the stream's order. The model may have
        learned before.
    stream : iterable of batches with ``X`` and ``y``
        Iterated once per epoch; a batch may be wider than the previous ones. A batch's ``weight``,
        if any, weights its rows in learning; errors count every example once. A stream of
        :func:`~rosenblatt.streams.open_stream` is read once, and cached in memory for further
        epochs if it fits there (512 MiB).
    epochs : int ≥ 1, default=1
        Maximal number of epochs; the run ends after an epoch without an update.
    report : callable, optional
        Called with a :class:`Line` after 1, 2, 4, 8, … examples.
    start : Standing, optional
        Position at which an earlier run stopped, together with the model of that moment. The stream
        is read from its first row, rows already learned are skipped, and the run ends with the same
        bits as an uninterrupted one.
    after : callable, optional
        Called with a :class:`Standing` after each batch; the place to save a checkpoint.
    on_epoch : callable, optional
        Called with a :class:`Standing` and the epoch's numbers of mistakes and updates after each
        epoch.

    Returns
    -------
    Summary

    Raises
    ------
    ValueError
        Bad data or parameters: an error of the stream or of the model.

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
        raise TypeError(
            "model must be a linear or kernel classifier with partial_fit; for a "
            f"{type(model).__name__} use rosenblatt.validation.validate."
        )
    if isinstance(stream, Stream) and epochs > 1:
        stream = CachedBatches(stream)
    run = _Run(model, report, start)
    for _ in range(first, epochs + 1):
        rows = run.learn_epoch(stream, after)
        mistakes, updates = run.end_epoch()
        if rows:
            on_epoch(run.position, mistakes, updates)
        if rows == 0 or updates == 0:
            break
    constant, constant_error = run.progress.constant
    return Summary(
        last=run.position.last or run.line(),
        epochs=run.position.epoch - 1,
        converged=rows > 0 and mistakes == updates == 0,
        constant=constant,
        constant_error=constant_error,
        radius=run.position.radius,
        seconds_read=run.seconds_read,
        seconds_learn=run.seconds_learn,
    )


class _Run:
    """One call of :func:`learn`: model, counter, position and clocks."""

    def __init__(
        self, model: Any, report: Callable[[Line], None] | None, start: Standing | None = None
    ) -> None:
        if start is None:
            errors = model.errors_ if interface.is_fitted(model) else 0
            start = Standing(errors_before=errors, counts=_counters(model))
        self.model, self.report, self.position = model, report, start
        self.progress = Progress()
        if start.examples:
            errors = start.last.errors if start.last else model.errors_ - start.errors_before
            self.progress.restore(start.examples, errors, dict(start.labels))
        self.seconds_read = self.seconds_learn = 0.0
        self.started, self.resumed_at = perf_counter(), start.examples

    def _move(self, **changes: Any) -> None:
        self.position = self.position._replace(**changes)

    def line(self) -> Line:
        """Line of the table at this moment."""
        examples, errors = self.progress.examples, self.progress.errors
        examples_before, errors_before = self.position.reported
        self._move(reported=(examples, errors))
        low, high = self.progress.interval
        return Line(
            examples=examples,
            errors=errors,
            since=(errors - errors_before) / max(1, examples - examples_before),
            low=low,
            high=high,
            updates=self.model.updates_ if examples else 0,
            norm=interface.norm(self.model) if examples else 0.0,
            rate=(examples - self.resumed_at) / max(perf_counter() - self.started, 1e-9),
        )

    def _report_mark(self) -> None:
        """Report a line, where somebody reads it: its interval takes almost a millisecond."""
        if self.report is None:
            self._move(reported=(self.progress.examples, self.progress.errors))
        else:
            self.report(self.line())

    def learn_epoch(self, stream: Iterable[Any], after: Callable[[Standing], None]) -> int:
        """Learn one epoch, from the current row on, and return the number of rows read."""
        rows, to_skip = 0, self.position.rows
        mark = perf_counter()
        for batch in stream:
            arrived = perf_counter()
            self.seconds_read += arrived - mark
            new = slice(max(0, to_skip - rows), None)
            rows += len(batch.y)
            if rows > to_skip:
                weight = getattr(batch, "weight", None)
                weight = None if weight is None else weight[new]
                X = slice_rows(stored_rows(batch), new)
                self._learn_batch(match_width(self.model, X), batch.y[new], weight)
                self._move(rows=rows)
                after(self.position)
            mark = perf_counter()
            self.seconds_learn += mark - arrived
        return rows

    def end_epoch(self) -> tuple[int, int]:
        """Begin the next epoch, and return the mistakes and updates of the last one."""
        last = self.position.last or self.line()
        before, counts = self.position.counts, _counters(self.model)
        self._move(epoch=self.position.epoch + 1, rows=0, counts=counts, last=last)
        return counts[0] - before[0], counts[1] - before[1]

    def _learn_batch(self, X: Any, y: Any, weight: Any) -> None:
        """Learn a batch; in the first epoch in parts that end at the marks, and report there."""
        if self.position.epoch > 1:
            self.model.partial_fit(X, y, sample_weight=weight)
            return
        radius = math.sqrt(largest_sqnorm(as_rows(X), X.shape[0]))
        self._move(radius=max(self.position.radius, radius))
        start, progress = 0, self.progress
        while start < len(y):
            stop = min(len(y), start + progress.until_mark)
            rows, start = slice(start, stop), stop
            part = None if weight is None else weight[rows]
            self.model.partial_fit(slice_rows(X, rows), y[rows], sample_weight=part)
            errors = self.model.errors_ - self.position.errors_before - progress.errors
            if progress.count(y[rows], errors):
                self._report_mark()
        self._move(examples=progress.examples, labels=tuple(progress.labels.items()))


def match_width(model: Any, X: Any) -> Any:
    """Widen the model to the columns of X, and sparse rows to those of the model.

    A stream starts with narrow batches again in every epoch.
    """
    if not interface.is_fitted(model):
        return X
    interface.widen(model, X.shape[1])
    if not hasattr(X, "indptr") or X.shape[1] == model.n_features_in_:
        return X
    return type(X)((X.data, X.indices, X.indptr), shape=(X.shape[0], model.n_features_in_))


def _counters(model: Any) -> tuple[int, int]:
    return (model.mistakes_, model.updates_) if interface.is_fitted(model) else (0, 0)
