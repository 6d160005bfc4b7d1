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
from rosenblatt.learning.evaluation.progress import Progress, most_frequent
from rosenblatt.learning.evaluation.repeated import Repeated
from rosenblatt.learning.linear.passes import StreamPass
from rosenblatt.streams.core.batch import CachedBatches, slice_rows, stored_rows
from rosenblatt.streams.core.stream import Stream
from rosenblatt.utils.arrays import Array, Matrix

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
        Updates of the weight vectors in the run.
    norm : float
        ‖w‖.
    rate : float
        Examples per second since the start.

    Examples
    --------
    >>> from rosenblatt import Perceptron, streams
    >>> iris, lines = streams.open_stream("sklearn:iris"), []
    >>> summary = learn(Perceptron(shuffle=False), iris, report=lines.append)
    >>> [line.examples for line in lines]
    [1, 2, 4, 8, 16, 32, 64, 128]
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

    Examples
    --------
    >>> from rosenblatt import Perceptron, streams
    >>> summary = learn(Perceptron(shuffle=False), streams.open_stream("sklearn:iris"))
    >>> summary.last.examples, summary.epochs
    (150, 1)
    """

    last: Line
    epochs: int
    converged: bool
    constant: object
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

    def record(self) -> dict[str, object]:
        """Fields as a JSON object, from which :meth:`of` restores every bit."""
        return self._asdict() | {"last": None if self.last is None else self.last._asdict()}

    @classmethod
    def of(cls, record: dict[str, object]) -> Standing:
        """Position of a :meth:`record`."""
        values = {name: _as_tuples(value) for name, value in record.items()}
        return cls(**values | {"last": values["last"] and Line(**values["last"])})


def _as_tuples(value: object) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def learn(
    model: object,
    stream: Iterable[object],
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
        Maximal number of epochs; the run ends after an epoch without an update. Of several with the
        rule "auto", a tenth of the rows is held back for the blend until the last
        (``rosenblatt.learning.evaluation.repeated``).
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
    run = Run(model, start, epochs)
    for _ in range(first, epochs + 1):
        run.begin_epoch()
        for batch in stream:
            if run.learn(batch, report):
                after(run.position)
        mistakes, updates = run.end_epoch()
        if run.rows:
            on_epoch(run.position, mistakes, updates)
        if run.rows == 0 or updates == 0:
            break
    return run.summary(converged=run.rows > 0 and mistakes == updates == 0)


class Run:
    """A model on its way through the epochs of a stream: counts, position and clocks.

    An epoch is :meth:`begin_epoch`, :meth:`learn` for each batch, and :meth:`end_epoch`.

    Parameters
    ----------
    model : linear or kernel classifier of this library
    start : Standing, optional
        Position of an earlier run: rows before it are not learned again.
    epochs : int ≥ 1, default=1
        Epochs that are planned.

    Attributes
    ----------
    position : Standing
    rows : int
        Rows read in this epoch, those that were learned earlier, too.
    """

    def __init__(self, model: Any, start: Standing | None = None, epochs: int = 1) -> None:
        if start is None:
            errors = model.errors_ if interface.is_fitted(model) else 0
            start = Standing(errors_before=errors, counts=_counters(model))
        self.model, self.position, self.rows = model, start, 0
        self._repeated = Repeated(model, epochs)
        self.progress = Progress()
        if start.examples:
            errors = start.last.errors if start.last else model.errors_ - start.errors_before
            self.progress.restore(start.examples, errors, dict(start.labels))
        self._seconds_read = self._seconds_learn = 0.0
        self._started, self._resumed_at = perf_counter(), start.examples
        self._mark = self._started  # the end of the latest batch

    def begin_epoch(self) -> None:
        """Begin to read the stream from its first row."""
        self.rows, self._mark = 0, perf_counter()

    def learn(self, batch: Any, report: Callable[[Line], None] | None = None) -> bool:
        """Learn the rows of the next batch that are new, and return whether there are any.

        In the first epoch the rows are learned in parts that end after 1, 2, 4, 8, … examples, and
        a line is reported there.
        """
        arrived = perf_counter()
        self._seconds_read += arrived - self._mark
        new = slice(max(0, self.position.rows - self.rows), None)
        self.rows += len(batch.y)
        has_new_rows = self.rows > self.position.rows
        if has_new_rows:
            X = match_width(self.model, slice_rows(stored_rows(batch), new))
            weight = getattr(batch, "weight", None)
            weight = None if weight is None else weight[new]
            stream_pass = self._repeated.stream_pass(batch, self.position.epoch)
            stream_pass = stream_pass and stream_pass.of(new)
            if self.position.epoch > 1:
                with interface.in_pass(self.model, stream_pass):
                    self.model.partial_fit(X, batch.y[new], sample_weight=weight)
            else:
                self._learn_in_parts(X, batch.y[new], weight, stream_pass, report)
            self.position = self.position._replace(rows=self.rows)
        self._mark = perf_counter()
        self._seconds_learn += self._mark - arrived
        return has_new_rows

    def _learn_in_parts(
        self,
        X: Matrix,
        y: Array,
        weight: Array | None,
        stream_pass: StreamPass | None,
        report: Callable[[Line], None] | None,
    ) -> None:
        """Learn rows of the first epoch up to each mark, and report there."""
        start, progress = 0, self.progress
        while start < len(y):
            rows = slice(start, min(len(y), start + progress.until_mark))
            start = rows.stop
            part = None if weight is None else weight[rows]
            with interface.in_pass(self.model, stream_pass and stream_pass.of(rows)):
                self.model.partial_fit(slice_rows(X, rows), y[rows], sample_weight=part)
            errors = self.model.errors_ - self.position.errors_before - progress.errors
            if not progress.count(y[rows], errors):
                continue
            if report is not None:
                report(self._line())
            else:  # the interval of a line takes almost a millisecond
                counts = (progress.examples, progress.errors)
                self.position = self.position._replace(reported=counts)
        radius = math.sqrt(largest_sqnorm(as_rows(X), X.shape[0]))
        self.position = self.position._replace(
            examples=progress.examples,
            labels=tuple(progress.labels.items()),
            radius=max(self.position.radius, radius),
        )

    def _line(self) -> Line:
        """Return the line of the table at this moment."""
        examples, errors = self.progress.examples, self.progress.errors
        examples_before, errors_before = self.position.reported
        self.position = self.position._replace(reported=(examples, errors))
        low, high = anytime_interval(errors, examples)
        return Line(
            examples=examples,
            errors=errors,
            since=(errors - errors_before) / max(1, examples - examples_before),
            low=low,
            high=high,
            updates=self.model.updates_ - self.position.counts[1] if examples else 0,
            norm=interface.norm(self.model) if examples else 0.0,
            rate=(examples - self._resumed_at) / max(perf_counter() - self._started, 1e-9),
        )

    def end_epoch(self) -> tuple[int, int]:
        """End the epoch, and return its mistakes and updates."""
        last = self.position.last or self._line()
        before, counts = self.position.counts, _counters(self.model)
        epoch = self.position.epoch + 1
        self.position = self.position._replace(epoch=epoch, rows=0, counts=counts, last=last)
        return counts[0] - before[0], counts[1] - before[1]

    def summary(self, *, converged: bool) -> Summary:
        """Return the result after an epoch."""
        last, constant = self.position.last or self._line(), most_frequent(self.progress.labels)
        return Summary(
            last,
            self.position.epoch - 1,
            converged,
            *constant,
            self.position.radius,
            self._seconds_read,
            self._seconds_learn,
        )


def match_width(model: Any, X: Matrix) -> Matrix:
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
