"""Progressive validation of any model that learns one example at a time.

:func:`validate` predicts each example, learns it, and counts the errors as the labels arrive: over
all examples and over the last ones, with an interval that holds at any time and with alarms when
the error has risen.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.learning.decisions.sets import AdaptiveSets
from rosenblatt.learning.evaluation.drift import Alarm
from rosenblatt.learning.evaluation.intervals import anytime_interval
from rosenblatt.learning.evaluation.metrics import (
    MAX_SCORES,
    ScoreMetrics,
    cohen_kappa,
    kappa_over,
)
from rosenblatt.learning.evaluation.prequential import (
    PrequentialScores,
    learn_rows,
    predict_rows,
    predict_then_learn,
)
from rosenblatt.learning.evaluation.progress import LabelOrder, Point, Progress
from rosenblatt.streams.core.batch import Batch, concat_batches, take_rows
from rosenblatt.utils.shown import join, to_html
from rosenblatt.utils.tables import text_table

__all__ = ["Point", "Validation", "Validator", "read_lines", "validate"]


@dataclass(repr=False)
class Validation:
    """Result of a progressive validation.

    Attributes
    ----------
    window, delay : int
        Parameters of :func:`validate`.
    points : list of Point
        Counts after 1, 2, 4, 8, … examples, at the multiples of ``every``, and at the end.
    alarms : list of rosenblatt.drift.Alarm
    confusion : Counter
        Number of examples of each pair (label, prediction); the prediction is None before the first
        label.
    scores : rosenblatt.learning.evaluation.metrics.ScoreMetrics, or None
        Area under the ROC curve, and log loss of a model with probabilities; None for pairs and for
        models without scores. The classes are all labels of the rows and of the model, sorted.
    sets : rosenblatt.sets.AdaptiveSets, or None
        The sets of labels along the stream.
    no_change_errors : int
        Errors of repeating the latest label that has arrived.

    Examples
    --------
    >>> from rosenblatt import OnlineClassifier
    >>> found = validate(OnlineClassifier(), [({"x": 1}, "a"), ({"x": -1}, "b")] * 20)
    >>> found.errors, found.alarms
    (3, [])
    """

    window: int
    delay: int
    points: list[Point] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
    confusion: Counter[tuple[Any, Any]] = field(default_factory=Counter)
    scores: ScoreMetrics | None = None
    no_change_errors: int = 0
    sets: AdaptiveSets | None = None

    @property
    def last(self) -> Point:
        """Last point, over all examples."""
        return self.points[-1] if self.points else Point(0, 0, *anytime_interval(0, 0), 0.0)

    @property
    def examples(self) -> int:
        """Number of examples."""
        return self.last.examples

    @property
    def errors(self) -> int:
        """Number of wrong predictions."""
        return self.last.errors

    @property
    def error(self) -> float:
        """Share of errors."""
        return self.last.error

    @property
    def interval(self) -> tuple[float, float]:
        """:func:`rosenblatt.progressive.anytime_interval` of the error, at 95 %."""
        return self.last.low, self.last.high

    @property
    def no_change_error(self) -> float:
        """Error of repeating the latest label that has arrived; a row before the first is one."""
        return self.no_change_errors / max(1, self.examples)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: how far the predictions agree with the labels beyond chance."""
        return cohen_kappa(self.confusion)

    @property
    def kappa_temporal(self) -> float | None:
        """Share of the no-change predictor's errors that are avoided, negative if it errs less.

        (p − c)/(1 − c) of the accuracies p and c; None if c is 1 (Žliobaitė et al. 2015).
        """
        return kappa_over(self.error, self.no_change_error)

    def to_lines(self, path: str | Path) -> None:
        """Write points and alarms as JSON lines, in order.

        Parameters
        ----------
        path : str or Path
        """
        events: list[Point | Alarm] = [*self.points, *self.alarms]
        events.sort(key=itemgetter(0))  # the number of examples
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
        return join([text_table(heads, rows), *alarm_lines])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return to_html(str(self))


def is_power_of_two(examples: int) -> bool:
    """Return whether a positive number is one of 1, 2, 4, 8, ….

    Examples
    --------
    >>> [n for n in range(1, 100) if is_power_of_two(n)]
    [1, 2, 4, 8, 16, 32, 64]
    """
    return examples & (examples - 1) == 0


def event_record(event: Point | Alarm) -> dict[str, object]:
    """JSON object of a point or an alarm.

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
    """Read the points and alarms of a file of JSON lines written by ``to_lines``.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    points, alarms : list of Point, list of rosenblatt.drift.Alarm

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        A line is neither a point nor an alarm.

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt import OnlineClassifier
    >>> found = validate(OnlineClassifier(), [({"x": 1}, "a"), ({"x": -1}, "b")] * 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found.to_lines(f"{folder}/run.jsonl")
    ...     points, alarms = read_lines(f"{folder}/run.jsonl")
    >>> [point.examples for point in points], alarms
    ([1, 2, 4], [])
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
    model: object,
    stream: Iterable[object],
    *,
    window: int = 1000,
    delay: int = 0,
    every: int | None = None,
    drift: float | None = 0.99,
    sets: AdaptiveSets | None = None,
    report: Callable[[Point | Alarm], None] = lambda event: None,
) -> Validation:
    """Predict every example, then learn it, and count the errors.

    Each prediction uses exactly the examples whose labels arrived before it. A model without any
    label yet predicts None, which counts as an error. Errors count every example once, also where a
    weight applies in learning.

    The count may differ slightly from ``errors_`` of the model, which counts a score of exactly
    zero as an error whatever the label, and, with ``output="average"``, scores the last weights
    instead of the averaged ones.

    Parameters
    ----------
    model : object
        For pairs, any object with ``predict_one`` and ``learn_one``, such as
        :class:`rosenblatt.OnlinePerceptron` or a model of river; for batches, a linear or kernel
        classifier of this library. The model is trained in place, and may have learned before.
    stream : iterable
        Pairs (features, label), or batches as from :func:`rosenblatt.streams.open_stream`.
    window : int ≥ 1, default=1000
        Number of latest examples that ``windowed`` covers.
    delay : int ≥ 0, default=0
        Number of examples after which a label arrives: example i is learned just before example
        i + delay is predicted, so 1 is the same as 0; after the last example, all labels arrive. As
        in river's ``progressive_val_score``. That many rows are kept in memory.
    every : int ≥ 1, optional
        Distance of additional points.
    drift : float in (0, 1), or None, default=0.99
        Confidence that no alarm of the whole run is false, see :class:`rosenblatt.drift.Drift`;
        None for no alarms.
    sets : rosenblatt.sets.AdaptiveSets, optional
        Forms the set of labels of each row, and adapts to its label: for batches, a model with
        probabilities and a ``delay`` of at most 1. A row counts as for ``scores``: once the model
        knows two labels.
    report : callable, optional
        Called with every :class:`Point` and every :class:`rosenblatt.drift.Alarm` as it occurs.

    Returns
    -------
    Validation

    Raises
    ------
    TypeError
        The model lacks the methods that the stream needs, or the probabilities for ``sets``.
    ValueError
        A parameter out of range, or an error of the stream or of the model.

    References
    ----------
    Dawid 1984 (prequential); Blum, Kalai and Langford 1999; lecture row L2.4. The no-change
    predictor and its κ: Žliobaitė, Bifet, Read, Pfahringer and Holmes, "Evaluation methods and
    decision theory for classification of streaming data with temporal dependence", 2015.

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
    >>> validation.confusion[("ham", "spam")], validation.no_change_errors
    (1, 6)
    """
    validator = Validator(
        model, window=window, delay=delay, every=every, drift=drift, sets=sets, report=report
    )
    items = iter(stream)
    first = next(items, None)
    if hasattr(first, "X"):
        for batch in chain([first], items):
            validator.add(batch)
    elif first is not None:
        validator.add_pairs(chain([first], items))
    return validator.finish()


class Validator:
    """A validation whose rows come batch by batch: several models can share the reading.

    Parameters
    ----------
    model, window, delay, every, drift, sets, report
        As in :func:`validate`.
    takes_points : bool, default=True
        False for no point but the last.
    max_scores : int, default 2²²
        Scores that are kept for the area under the ROC curve.

    Raises
    ------
    ValueError
        A parameter out of range.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.streams import open_stream
    >>> validators = [Validator(Perceptron(rule=name)) for name in ("perceptron", "arow")]
    >>> for batch in open_stream("sklearn:breast_cancer"):
    ...     for validator in validators:
    ...         validator.add(batch)
    >>> [validator.finish().examples for validator in validators]
    [569, 569]
    """

    def __init__(
        self,
        model: object,
        *,
        window: int = 1000,
        delay: int = 0,
        every: int | None = None,
        drift: float | None = 0.99,
        sets: AdaptiveSets | None = None,
        report: Callable[[Point | Alarm], None] = lambda event: None,
        takes_points: bool = True,
        max_scores: int = MAX_SCORES,
    ) -> None:
        if delay < 0:
            raise ValueError(f"delay must be at least 0; got {delay}.")
        if sets is not None:
            if delay > 1:
                raise ValueError(f"sets adapt to each label at once: delay must be 0; got {delay}.")
            if not hasattr(model, "predict_proba"):
                name = type(model).__name__
                raise TypeError(f"sets need probabilities, and this {name} has none.")
        self.model, self.window, self.delay, self.sets = model, window, delay, sets
        self._progress = Progress(
            window=window, every=every, drift=drift, takes_points=takes_points
        )
        self._scores = PrequentialScores(model, sets, max_scores)
        self._lag = max(1, delay)
        self._order, self._report = LabelOrder(lag=self._lag), report
        # of the rows that wait for their label
        self._waiting: deque[Batch] = deque()
        self._predictions: deque[object] = deque()

    def add(self, batch: Any) -> None:
        """Predict the rows of a batch, and learn those whose labels arrive meanwhile.

        Of the rows that wait for their label, those to be learned during the batch are put in
        front of it.
        """
        _check_methods(
            self.model, ("predict", "partial_fit"), "batches", "pairs of features and label"
        )
        rows = Batch(batch.X, batch.y, 0, weight=getattr(batch, "weight", None))
        n_waiting = len(self._predictions)
        n_arrived = max(0, n_waiting + len(rows.y) + 1 - self._lag)
        n_due = min(n_waiting, n_arrived)
        if n_due:
            rows = concat_batches([*_pop_rows(self._waiting, n_due), rows])
        lag = self._lag - n_waiting + n_due
        self._predictions += predict_then_learn(
            self.model, rows.X, rows.y, rows.weight, n_due, lag, self._scores.add
        )
        arrived = [self._predictions.popleft() for _ in range(n_arrived)]
        if n_arrived < len(rows.y):
            self._waiting.append(take_rows(rows, slice(n_arrived, None), 0))
        self._count(rows.y[:n_arrived].tolist(), arrived)

    def add_pairs(self, pairs: Iterable[Any]) -> None:
        """Predict and learn pairs of features and label, one at a time."""
        _check_methods(self.model, ("predict_one", "learn_one"), "pairs", "batches")
        predicted = _predict_pairs(self.model, iter(pairs), self._lag)
        while part := list(islice(predicted, self._progress.until_event)):
            labels, predictions = zip(*part, strict=True)
            self._count(labels, predictions)

    def predict(self, batch: Any) -> None:
        """Predict the rows of a batch that is held out, and learn none of them."""
        self._count(batch.y.tolist(), predict_rows(self.model, batch.X, batch.y, self._scores.add))

    def finish(self) -> Validation:
        """Learn the rows whose labels are late, and return the counts."""
        if self._waiting:
            rows = concat_batches(self._waiting)
            self._waiting.clear()
            learn_rows(self.model, rows.X, rows.y, rows.weight, slice(None))
            self._count(rows.y.tolist(), list(self._predictions))
        progress = self._progress
        for event in progress.finish():
            self._report(event)
        return Validation(
            self.window,
            self.delay,
            progress.points,
            progress.alarms,
            progress.confusion,
            self._scores.metrics(progress.labels),
            self._order.errors(progress.examples),
            self.sets,
        )

    def _count(self, labels: Any, predictions: object) -> None:
        self._order.add(np.fromiter(labels, object, len(labels)))
        for event in self._progress.add(labels, predictions):
            self._report(event)


def _check_methods(
    model: object, methods: tuple[str, str], stream_items: str, expected: str
) -> None:
    if not all(hasattr(model, name) for name in methods):
        raise TypeError(
            f"The stream has {stream_items}, but a {type(model).__name__} has no "
            f"{' and '.join(methods)}: take another model, or give it {expected}."
        )


def _pop_rows(waiting: deque[Batch], rows: int) -> Iterator[Batch]:
    """Remove the oldest rows."""
    while rows:
        batch = waiting.popleft()
        if len(batch.y) > rows:
            waiting.appendleft(take_rows(batch, slice(rows, None), 0))
            batch = take_rows(batch, slice(rows), 0)
        rows -= len(batch.y)
        yield batch


def _predict_pairs(model: Any, pairs: Iterator[Any], lag: int) -> Iterator[tuple[object, object]]:
    """Predict and learn rows with names, one at a time."""
    waiting: deque[tuple[object, object, object]] = deque()

    def learn_oldest() -> tuple[object, object]:
        x, label, prediction = waiting.popleft()
        model.learn_one(x, label)
        return label, prediction

    for x, label in pairs:
        waiting.append((x, label, model.predict_one(x)))
        if len(waiting) == lag:
            yield learn_oldest()
    while waiting:
        yield learn_oldest()
