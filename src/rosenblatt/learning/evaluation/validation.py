"""Progressive validation: predict, then learn, and keep an account of every prediction.

:func:`validate` does it for any model that learns one example at a time. The errors are counted as
the labels become known, over all examples and over the last ones; an interval says how far to trust
the count, and an alarm tells when the errors have become more.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learning.evaluation.drift import BLOCK, Alarm, Drift
from rosenblatt.learning.evaluation.intervals import anytime_interval
from rosenblatt.learning.evaluation.prequential import learn_rows, predict_then_learn
from rosenblatt.streams.core.batch import Batch, concat_batches, take_rows
from rosenblatt.utils.tables import text_table

__all__ = ["Point", "Validation", "read_lines", "validate"]


Array = NDArray[Any]


class Point(NamedTuple):
    """The account at one moment.

    Attributes
    ----------
    examples : int
        Whose labels are known.
    errors : int
        Of them, predicted wrong.
    low, high : float
        :func:`rosenblatt.progressive.anytime_interval` of the error, at 95 %.
    windowed : float
        Share of errors among the last of them, at most ``window``.
    """

    examples: int
    errors: int
    low: float
    high: float
    windowed: float

    @property
    def error(self) -> float:
        """Share of errors so far."""
        return self.errors / self.examples if self.examples else 0.0

    def record(self) -> dict[str, Any]:
        """What a JSON line says of it."""
        return {
            "examples": self.examples,
            "errors": self.errors,
            "error": self.error,
            "interval": [self.low, self.high],
            "windowed": self.windowed,
        }


@dataclass
class Validation:
    """What a progressive validation came to.

    Attributes
    ----------
    window, delay : int
        As they were asked for.
    points : list of Point
        After 1, 2, 4, 8, … examples, at the multiples of ``every``, and at the end.
    alarms : list of rosenblatt.drift.Alarm
    confusion : Counter
        How often each pair (label, prediction) occurred; the prediction is None before the first
        label.
    """

    window: int
    delay: int
    points: list[Point] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
    confusion: Counter[tuple[Any, Any]] = field(default_factory=Counter)

    @property
    def last(self) -> Point:
        """The last point, over all examples."""
        return self.points[-1] if self.points else Point(0, 0, *anytime_interval(0, 0), 0.0)

    @property
    def examples(self) -> int:
        """How many there were."""
        return self.last.examples

    @property
    def errors(self) -> int:
        """How many of them were predicted wrong."""
        return self.last.errors

    @property
    def error(self) -> float:
        """Share of errors."""
        return self.last.error

    @property
    def interval(self) -> tuple[float, float]:
        """:func:`rosenblatt.progressive.anytime_interval` of the error, at 95 %."""
        return self.last.low, self.last.high

    def to_lines(self, path: str | Path) -> None:
        """Write points and alarms as JSON lines, in the order in which they came.

        Parameters
        ----------
        path : str or Path
        """
        events: list[Point | Alarm] = [*self.points, *self.alarms]
        events.sort(key=_example_of)
        lines = (json.dumps(event_record(event)) + "\n" for event in events)
        Path(path).write_text("".join(lines), "utf-8")

    def __str__(self) -> str:
        heads = ("examples", "error, %", "at least", "at most", f"last {self.window:,}")
        rows = [
            (f"{p.examples:,}", 100 * p.error, 100 * p.low, 100 * p.high, 100 * p.windowed)
            for p in self.points
            if is_power_of_two(p.examples) or p is self.last
        ]
        alarm_lines = [
            f"Drift at example {alarm.example:,}: since {alarm.since:,} the error is "
            f"{100 * alarm.after:.1f} %, before it was {100 * alarm.before:.1f} %."
            for alarm in self.alarms
        ]
        return "\n".join([text_table(heads, rows), *alarm_lines])


def is_power_of_two(examples: int) -> bool:
    """Whether a number is one of 1, 2, 4, 8, ….

    Examples
    --------
    >>> [n for n in range(1, 100) if is_power_of_two(n)]
    [1, 2, 4, 8, 16, 32, 64]
    """
    return examples & (examples - 1) == 0


def _example_of(event: Point | Alarm) -> int:
    return event.examples if isinstance(event, Point) else event.example


def event_record(event: Point | Alarm) -> dict[str, Any]:
    """What a JSON line says of a point or of an alarm.

    Examples
    --------
    >>> event_record(Alarm(128, 97, 0.01, 0.5))
    {'alarm': 128, 'since': 97, 'before': 0.01, 'after': 0.5}
    """
    if isinstance(event, Point):
        return event.record()
    example, *others = event
    return {"alarm": example, **dict(zip(event._fields[1:], others, strict=True))}


def read_lines(path: str | Path) -> tuple[list[Point], list[Alarm]]:
    """The points and alarms of a file of JSON lines, such as ``to_lines`` writes.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        A line is something else.
    """
    points: list[Point] = []
    alarms: list[Alarm] = []
    for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
            if "alarm" in record:
                alarms.append(Alarm(record.pop("alarm"), **record))
            else:
                low, high = record["interval"]
                counts = record["examples"], record["errors"]
                points.append(Point(*counts, low, high, record["windowed"]))
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(
                f"{path}:{number}: expected a point or an alarm of a validation, found "
                f"{line[:60]!r}."
            ) from error
    return points, alarms


def validate(
    model: Any,
    stream: Iterable[Any],
    *,
    window: int = 1000,
    delay: int = 0,
    every: int | None = None,
    drift: float | None = 0.99,
    report: Callable[[Point | Alarm], None] = lambda event: None,
) -> Validation:
    """Predict every example, then learn it, and count the errors.

    Every prediction is that of the model of its moment: what it had learned from the examples
    whose labels were known by then. A model that has met no label yet says None, which is wrong.
    Errors count every example once, also where it has a weight in learning.

    ``errors_`` of a model may differ a little: there a score of exactly zero is a mistake whatever
    the label, here the prediction counts; and with ``output="average"`` there the last weights
    are asked, here the averaged ones.

    Parameters
    ----------
    model : object
        For pairs anything with ``predict_one`` and ``learn_one``, such as
        :class:`rosenblatt.OnlinePerceptron` or a model of river's; for batches a classifier of
        ``rosenblatt.learning.linear.estimators`` or ``rosenblatt.learning.kernel.estimators``. It
        learns, and may have learned before.
    stream : iterable
        Pairs (features, label), or batches such as :func:`rosenblatt.streams.open_stream` gives.
    window : int ≥ 1, default=1000
        How many of the last examples ``windowed`` counts.
    delay : int ≥ 0, default=0
        A label becomes known so many examples later: example i is learned just before example
        i + delay is predicted, so 1 is no later than 0; after the last example, all are. As
        in river's ``progressive_val_score``. So many rows are held.
    every : int ≥ 1, optional
        One more point after every so many examples.
    drift : float in (0, 1), or None, default=0.99
        Confidence that no alarm, ever, is false, see :class:`rosenblatt.drift.Drift`; None for
        no alarms.
    report : callable, optional
        Called with every :class:`Point` and every :class:`rosenblatt.drift.Alarm` as it comes.

    Returns
    -------
    Validation

    Raises
    ------
    TypeError
        A model that does not go with the stream.
    ValueError
        Parameters out of range, or what the stream or the model raise.

    References
    ----------
    Dawid 1984 (prequential); Blum, Kalai and Langford 1999; lecture row L2.4.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> mails = [("win a prize", "spam"), ("lunch at noon", "ham")] * 3
    >>> validation = validate(OnlinePerceptron(), mails)
    >>> print(validation)
    examples  error, %  at least  at most  last 1,000
    1              100         0      100         100
    2              100       3.8      100         100
    4               75       6.1      100          75
    6               50      3.02       97          50
    >>> validation.confusion[("ham", "spam")]
    1
    """
    for name, value, minimum in (("window", window, 1), ("delay", delay, 0), ("every", every, 1)):
        if value is not None and value < minimum:
            raise ValueError(f"{name} must be at least {minimum}; got {value}.")
    counter = _ErrorCounter(Validation(window, delay), every, drift, report)
    examples = iter(stream)
    first = next(examples, None)
    if first is None:
        return counter.finish()
    all_examples, lag = chain([first], examples), max(1, delay)
    if hasattr(first, "X"):
        _check_methods(model, ("predict", "partial_fit"), "batches", "pairs of features and label")
        _validate_batches(model, all_examples, lag, counter)
    else:
        _check_methods(model, ("predict_one", "learn_one"), "pairs", "batches")
        _validate_pairs(model, all_examples, lag, counter)
    return counter.finish()


def _check_methods(model: Any, methods: tuple[str, str], stream_items: str, expected: str) -> None:
    if not all(hasattr(model, name) for name in methods):
        raise TypeError(
            f"The stream has {stream_items}, but a {type(model).__name__} has no "
            f"{' and '.join(methods)}: take another model, or give it {expected}."
        )


class _ErrorCounter:
    """Counts what was predicted, example by example, in the order in which labels become known."""

    def __init__(
        self,
        result: Validation,
        every: int | None,
        drift: float | None,
        report: Callable[[Point | Alarm], None],
    ) -> None:
        self.result, self.every, self.report = result, every, report
        self.drift = None if drift is None else Drift(drift)
        self.examples = self.errors = 0
        self.recent: Array = np.zeros(0, bool)

    def add(self, labels: list[Any], predictions: list[Any]) -> None:
        """Some more labels have become known."""
        self.result.confusion.update(zip(labels, predictions, strict=True))
        wrong = np.array([x != y for x, y in zip(labels, predictions, strict=True)], bool)
        while len(wrong):
            n = self._next_point() - self.examples
            self._count(wrong[:n])
            wrong = wrong[n:]

    def until_next_event(self) -> int:
        """How many examples can come before there is something to tell."""
        return min(self._next_point() - self.examples, BLOCK - self.examples % BLOCK)

    def finish(self) -> Validation:
        """All of it, with a point at the end."""
        if self.examples > self.result.examples:
            self._report_point()
        return self.result

    def _next_point(self) -> int:
        """After how many examples the next point is."""
        power_of_two = 1 << self.examples.bit_length()
        if self.every is None:
            return power_of_two
        return min(power_of_two, (self.examples // self.every + 1) * self.every)

    def _count(self, wrong: Array) -> None:
        next_point = self._next_point()
        self.examples += len(wrong)
        self.errors += int(wrong.sum())
        self.recent = np.concatenate([self.recent, wrong])[-self.result.window :]
        for alarm in [] if self.drift is None else self.drift.add(wrong):
            self.result.alarms.append(alarm)
            self.report(alarm)
        if self.examples == next_point:
            self._report_point()

    def _report_point(self) -> None:
        interval = anytime_interval(self.errors, self.examples)
        point = Point(self.examples, self.errors, *interval, float(self.recent.mean()))
        self.result.points.append(point)
        self.report(point)


def _validate_batches(model: Any, batches: Iterator[Any], lag: int, counter: _ErrorCounter) -> None:
    """Rows of matrices; of those that wait, only those that are now learned are put in front."""
    waiting: deque[Batch] = deque()
    predictions: deque[Any] = deque()
    for batch in batches:
        rows = Batch(batch.X, batch.y, 0, weight=getattr(batch, "weight", None))
        n_waiting = len(predictions)
        n_known = max(0, n_waiting + len(rows.y) + 1 - lag)
        n_due = min(n_waiting, n_known)
        if n_due:
            rows = concat_batches([*_take_rows(waiting, n_due), rows])
        predictions += predict_then_learn(
            model, rows.X, rows.y, rows.weight, n_due, lag - n_waiting + n_due
        )
        counter.add(rows.y[:n_known].tolist(), [predictions.popleft() for _ in range(n_known)])
        if n_known < len(rows.y):
            waiting.append(take_rows(rows, slice(n_known, None), 0))
    if waiting:
        rows = concat_batches(waiting)
        learn_rows(model, rows.X, rows.y, rows.weight, slice(None))
        counter.add(rows.y.tolist(), list(predictions))


def _take_rows(waiting: deque[Batch], rows: int) -> Iterator[Batch]:
    """Take so many rows, the oldest first."""
    while rows:
        batch = waiting.popleft()
        if len(batch.y) > rows:
            waiting.appendleft(take_rows(batch, slice(rows, None), 0))
            batch = take_rows(batch, slice(rows), 0)
        rows -= len(batch.y)
        yield batch


def _validate_pairs(model: Any, pairs: Iterator[Any], lag: int, counter: _ErrorCounter) -> None:
    """Rows with names, one by one; told of as soon as there is something to tell."""
    waiting: deque[tuple[Any, Any, Any]] = deque()
    labels: list[Any] = []
    predictions: list[Any] = []

    def reveal() -> None:
        x, label, prediction = waiting.popleft()
        model.learn_one(x, label)
        labels.append(label)
        predictions.append(prediction)
        if len(labels) == counter.until_next_event():
            counter.add(labels, predictions)
            labels.clear()
            predictions.clear()

    for x, label in pairs:
        waiting.append((x, label, model.predict_one(x)))
        if len(waiting) == lag:
            reveal()
    while waiting:
        reveal()
    counter.add(labels, predictions)
