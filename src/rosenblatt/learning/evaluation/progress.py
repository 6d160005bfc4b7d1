"""Running error of predictions that were made before their example was learned.

:class:`Progress` is the one counter: :func:`rosenblatt.progressive.learn`,
:func:`rosenblatt.validation.validate` and the command line all read it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.learning.evaluation.drift import BLOCK, Alarm, Drift
from rosenblatt.learning.evaluation.intervals import anytime_interval, wilson_interval
from rosenblatt.utils.arrays import Array


class Point(NamedTuple):
    """Counts after a number of examples.

    Attributes
    ----------
    examples : int
        Predictions whose label has arrived.
    errors : int
        Wrong ones among them.
    low, high : float
        :func:`rosenblatt.progressive.anytime_interval` of the error, at 95 %.
    windowed : float
        Share of errors among the last ``window`` examples.

    Examples
    --------
    >>> Point(examples=100, errors=5, low=0.01, high=0.12, windowed=0.04).record()
    {'examples': 100, 'errors': 5, 'error': 0.05, 'interval': [0.01, 0.12], 'windowed': 0.04}
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
        """Fields as a JSON object."""
        return {
            "examples": self.examples,
            "errors": self.errors,
            "error": self.error,
            "interval": [self.low, self.high],
            "windowed": self.windowed,
        }


def most_frequent(labels: Counter[Any]) -> tuple[Any, float]:
    """Return the most frequent label, and the error of always predicting it; (None, 0.0) of none.

    Examples
    --------
    >>> most_frequent(Counter({"ham": 3, "spam": 1}))
    ('ham', 0.25)
    """
    if not labels:
        return None, 0.0
    label, examples = labels.most_common(1)[0]
    return label, 1.0 - examples / labels.total()


class Progress:
    """Counter of predictions and errors, with an interval that holds at any time.

    Predictions come one at a time or in arrays of any length; the counts, points and alarms are
    the same. A point is taken at each mark: after 1, 2, 4, 8, … examples, and at the multiples of
    ``every``.

    Parameters
    ----------
    window : int ≥ 1, default=1000
        Number of latest examples that ``windowed`` covers.
    every : int ≥ 1, optional
        Distance of additional marks.
    drift : float in (0, 1), optional
        Confidence of the drift detector, see :class:`rosenblatt.drift.Drift`; None for no alarms.
    takes_points : bool, default=True
        False for no point but the last: an interval takes almost a millisecond.

    Attributes
    ----------
    examples, errors : int
    labels : Counter
        Number of examples of each label, in the order in which the labels appeared.
    confusion : Counter
        Number of examples of each pair (label, prediction) given to :meth:`add`.
    points : list of Point
    alarms : list of rosenblatt.drift.Alarm

    Raises
    ------
    ValueError
        A parameter out of range.

    Examples
    --------
    >>> progress = Progress()
    >>> progress.add("spam", "ham")
    [Point(examples=1, errors=1, low=0.0, high=1.0, windowed=1.0)]
    >>> events = progress.add(["ham", "ham", "spam"], ["ham", "ham", "spam"])
    >>> [event.examples for event in events], progress.error
    ([2, 4], 0.25)
    >>> progress.by_label(), progress.constant
    ({'spam': (2, 1), 'ham': (2, 0)}, ('spam', 0.5))
    """

    def __init__(
        self,
        *,
        window: int = 1000,
        every: int | None = None,
        drift: float | None = None,
        takes_points: bool = True,
    ) -> None:
        for name, value in (("window", window), ("every", every)):
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1; got {value}.")
        self.window, self.every, self._takes_points = window, every, takes_points
        self.examples = self.errors = 0
        self.labels: Counter[Any] = Counter()
        self.confusion: Counter[tuple[Any, Any]] = Counter()
        self.points: list[Point] = []
        self.alarms: list[Alarm] = []
        self._drift = None if drift is None else Drift(drift)
        self._recent: Array = np.zeros(0, bool)  # errors of the last examples

    # --- counting --------------------------------------------------------------------------------

    def add(self, labels: object, predictions: object) -> list[Point | Alarm]:
        """Count one prediction, or several in the order in which their labels arrived.

        Parameters
        ----------
        labels : label, or array of shape (n,)
        predictions : prediction, or array of shape (n,)
            None for a model without a prediction, which counts as an error.

        Returns
        -------
        events : list of Point and Alarm
            New points and alarms, in order.

        Raises
        ------
        ValueError
            Arrays of different length.
        """
        labels, predictions = _as_list(labels), _as_list(predictions)
        if len(labels) != len(predictions):
            raise ValueError(
                f"labels and predictions must have the same length; got {len(labels)} and "
                f"{len(predictions)}."
            )
        pairs = list(zip(labels, predictions, strict=True))
        self.confusion.update(pairs)
        self.labels.update(labels)
        wrong = np.array([label != prediction for label, prediction in pairs], bool)
        events: list[Point | Alarm] = []
        while len(wrong):
            n = self.until_mark
            self._recent = np.concatenate([self._recent, wrong[:n]])[-self.window :]
            alarms = [] if self._drift is None else self._drift.add(wrong[:n])
            self.alarms += alarms
            events += alarms
            at_mark = len(wrong) >= n
            self.examples += len(wrong[:n])
            self.errors += int(wrong[:n].sum())
            if at_mark and self._takes_points:
                events.append(self._add_point())
            wrong = wrong[n:]
        return events

    def count(self, labels: Any, errors: int) -> bool:
        """Count examples of a learner that counts its errors itself.

        Parameters
        ----------
        labels : array of shape (n,), n ≤ until_mark
        errors : int
            Wrong predictions among them.

        Returns
        -------
        at_mark : bool
            Whether the counter has reached a mark.
        """
        at_mark = len(labels) == self.until_mark
        self.labels.update(_as_list(labels))
        self.examples += len(labels)
        self.errors += errors
        return at_mark

    def restore(self, examples: int, errors: int, labels: Mapping[Any, int]) -> None:
        """Set the counts to those of an earlier run."""
        self.examples, self.errors, self.labels = examples, errors, Counter(labels)

    def finish(self) -> list[Point | Alarm]:
        """Add a last point unless the latest one covers all examples."""
        if self.examples == (self.points[-1].examples if self.points else 0):
            return []
        return [self._add_point()]

    def snapshot(self) -> dict[str, object]:
        """Return all counts as JSON values, for :meth:`from_snapshot`.

        Examples
        --------
        >>> progress = Progress(drift=0.99)
        >>> events = progress.add(["ham", "spam"] * 40, ["ham", "ham"] * 40)
        >>> copy = Progress.from_snapshot(progress.snapshot())
        >>> copy.point() == progress.point(), copy.snapshot() == progress.snapshot()
        (True, True)
        """
        return {
            "window": self.window,
            "every": self.every,
            "examples": self.examples,
            "errors": self.errors,
            "labels": list(self.labels.items()),
            "confusion": [[label, guess, n] for (label, guess), n in self.confusion.items()],
            "points": [list(point) for point in self.points],
            "alarms": [list(alarm) for alarm in self.alarms],
            "recent": self._recent.astype(int).tolist(),
            "drift": None if self._drift is None else self._drift.snapshot(),
        }

    @classmethod
    def from_snapshot(cls, values: dict[str, Any]) -> Progress:
        """Return a counter that continues where :meth:`snapshot` was taken.

        Parameters
        ----------
        values : dict
            Of :meth:`snapshot`.
        """
        progress = cls(window=values["window"], every=values["every"])
        progress.restore(values["examples"], values["errors"], dict(values["labels"]))
        progress.confusion.update({(label, guess): n for label, guess, n in values["confusion"]})
        progress.points = [Point(*point) for point in values["points"]]
        progress.alarms = [Alarm(*alarm) for alarm in values["alarms"]]
        progress._recent = np.array(values["recent"], bool)
        if values["drift"] is not None:
            progress._drift = Drift.from_snapshot(values["drift"])
        return progress

    def _add_point(self) -> Point:
        self.points.append(self.point())
        return self.points[-1]

    # --- reading ---------------------------------------------------------------------------------

    @property
    def until_mark(self) -> int:
        """Number of examples up to the next mark."""
        mark = 1 << self.examples.bit_length()
        if self.every is not None:
            mark = min(mark, (self.examples // self.every + 1) * self.every)
        return mark - self.examples

    @property
    def until_event(self) -> int:
        """Number of examples up to the next mark or drift test.

        Adding fewer at a time returns no event earlier, and costs more.
        """
        return min(self.until_mark, BLOCK - self.examples % BLOCK)

    @property
    def error(self) -> float:
        """Share of errors."""
        return self.errors / self.examples if self.examples else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """:func:`rosenblatt.progressive.anytime_interval` of the error, at 95 %."""
        return anytime_interval(self.errors, self.examples)

    @property
    def windowed(self) -> float:
        """Share of errors among the last ``window`` predictions given to :meth:`add`."""
        return float(self._recent.mean()) if len(self._recent) else 0.0

    @property
    def recent(self) -> tuple[int, int]:
        """Errors, and number, of the predictions that ``windowed`` covers."""
        return int(np.count_nonzero(self._recent)), len(self._recent)

    @property
    def drifts(self) -> bool:
        """Whether the error is still above that before the last alarm.

        It is for ``window`` examples after the alarm, and then while the lower end of
        :func:`rosenblatt.progressive.wilson_interval` of the last ``window`` is above it.
        """
        if not self.alarms:
            return False
        last = self.alarms[-1]
        if self.examples < last.example + self.window:
            return True
        return wilson_interval(*self.recent)[0] > last.before

    @property
    def constant(self) -> tuple[Any, float]:
        """Most frequent label, and the error of always predicting it; (None, 0.0) at first."""
        return most_frequent(self.labels)

    def by_label(self) -> dict[Any, tuple[int, int]]:
        """Examples and errors of each label, of the predictions given to :meth:`add`."""
        counts: dict[Any, tuple[int, int]] = {}
        for (label, prediction), n in self.confusion.items():
            examples, errors = counts.get(label, (0, 0))
            counts[label] = examples + n, errors + n * (label != prediction)
        return counts

    def point(self) -> Point:
        """Counts at this moment."""
        return Point(self.examples, self.errors, *self.interval, self.windowed)


class LabelOrder:
    """Count of the rows whose label differs from the latest one that has arrived before them.

    The no-change predictor repeats that label: the baseline of streams whose labels come in runs,
    such as prices that rise and fall (Žliobaitė, Bifet, Read, Pfahringer and Holmes 2015).

    Parameters
    ----------
    changes : int, default=0
        The count of an earlier run.
    lag : int ≥ 1, default=1
        The latest label at a row is that of so many rows before.

    Attributes
    ----------
    changes : int

    Examples
    --------
    >>> order = LabelOrder()
    >>> for _ in range(2):
    ...     order.add(np.repeat(["ham", "spam"], [30, 20]))
    >>> order.changes, order.is_sorted(100, 2), order.errors(100)
    (3, True, 4)
    """

    def __init__(self, changes: int = 0, lag: int = 1) -> None:
        self.changes, self.lag = changes, lag
        self._latest: list[object] = []  # at most ``lag`` labels

    def add(self, y: Array) -> None:
        """Add the labels of the next rows."""
        first = self.lag - len(self._latest)  # the row that the oldest of the latest labels is for
        pairs = zip(self._latest, y[first : self.lag].tolist(), strict=False)
        self.changes += sum(label != latest for latest, label in pairs)
        self.changes += int(np.count_nonzero(y[self.lag :] != y[: -self.lag]))
        self._latest = [*self._latest, *y[-self.lag :].tolist()][-self.lag :]

    def errors(self, examples: int) -> int:
        """Return the errors of the no-change predictor; a row without any label before is one."""
        return self.changes + min(self.lag, examples)

    def is_sorted(self, examples: int, classes: int) -> bool:
        """Return whether rows of equal label are consecutive, as in a sorted file; for lag 1."""
        return examples >= 20 * classes and self.changes < 2 * classes


def _as_list(values: object) -> list[object]:
    """Labels as a list of Python objects; a single label becomes a list of one."""
    if isinstance(values, list | tuple):
        return list(values)
    if hasattr(values, "tolist"):  # an array, a NumPy scalar, a Series
        values = values.tolist()
    return values if isinstance(values, list) else [values]
