"""Metrics of probabilities: Brier score, calibration error, and what chance makes of it.

:class:`ProbabilityMetrics` adds them up batch by batch; :func:`log_loss`, :func:`brier` and
:func:`ece` are those of arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.learning.evaluation.sample import RowSample
from rosenblatt.utils.arrays import Array, ArrayLike

__all__ = ["Bin", "Reliability", "brier", "ece", "log_loss", "pr_auc", "reliability"]

MAX_PROBABILITIES = 1 << 22
"""Rows that a calibration error is computed of; of more, a random sample of so many."""

BINS = 15
_DRAWS = 4_000  # of what a calibrated model would have: its quantile is one of 95 ± 0.7 %


class Bin(NamedTuple):
    """Rows whose probabilities are near each other.

    Attributes
    ----------
    rows : int
    predicted : float
        Mean probability.
    observed : float
        Share of the rows where the event was true.
    low, high : float
        The share of a calibrated model lies between them with probability 95 %.

    Examples
    --------
    >>> found = ece([0, 1, 1, 1], [0.25, 0.25, 0.75, 0.75], bins=2)
    >>> found.bins[0].rows, found.bins[0].predicted, found.bins[0].observed
    (2, 0.25, 0.5)
    """

    rows: int
    predicted: float
    observed: float
    low: float
    high: float


class Reliability(NamedTuple):
    """Probabilities beside what was observed.

    Attributes
    ----------
    bins : list of Bin
        In the order of their probabilities.
    ece : float in [0, 1]
        Expected calibration error.
    by_chance : float in [0, 1]
        A calibrated model with the same probabilities has at most this error with probability 95 %.

    Examples
    --------
    >>> found = ece([0, 1, 1, 1], [0.25, 0.25, 0.75, 0.75], bins=2)
    >>> found.ece, len(found.bins)
    (0.25, 2)
    """

    bins: list[Bin]
    ece: float
    by_chance: float


def reliability(probabilities: Array, events: Array, bins: int = BINS) -> Reliability:
    """Return probabilities of an event beside its frequency, and the calibration error.

    ECE = Σ_b (n_b/n) ``|o_b − p_b|``: the rows are sorted by probability, and cut into bins of
    equal size; p_b is the mean probability of the n_b rows of a bin, o_b the share of events. Rows
    of the same probability are in one bin, the one of the middle of them.

    A calibrated model has an error, too: n_b o_b is then a sum of independent events of the
    probabilities themselves. ``by_chance`` is the 95 % quantile of its ECE, by a seeded simulation
    in which each sum is binomial, with the mean and the variance of the sum.

    Parameters
    ----------
    probabilities : array of shape (n,)
        Of the event, in [0, 1]; n ≥ 1.
    events : bool array of shape (n,)
        Where it was true.
    bins : int ≥ 1, default=15

    Returns
    -------
    Reliability

    References
    ----------
    Naeini, Cooper and Hauskrecht 2015 (ECE); Nguyen and O'Connor 2015 (bins of equal size);
    Bröcker and Smith 2007 (what a calibrated model would have).

    Examples
    --------
    >>> p, events = np.array([0.25] * 4 + [0.75] * 4), np.array([0, 0, 0, 1, 1, 1, 0, 0])
    >>> found = reliability(p, events.astype(bool), bins=2)
    >>> found.bins[1]
    Bin(rows=4, predicted=0.75, observed=0.5, low=0.25, high=1.0)
    >>> found.ece, found.by_chance
    (0.125, 0.375)
    """
    n = len(probabilities)
    values, codes, counts = np.unique(probabilities, return_inverse=True, return_counts=True)
    twice_middle = 2 * (np.cumsum(counts) - counts) + counts - 1
    places = (bins * twice_middle) // (2 * n)
    rows, sums, squares, true = (
        np.bincount(places, weights, bins)
        for weights in (counts, counts * values, counts * values**2, np.bincount(codes, events))
    )
    filled = rows > 0
    rows, sums, squares, true = (part[filled] for part in (rows, sums, squares, true))
    drawn = _draw_sums(sums, squares)
    errors = np.abs(drawn - sums).sum(axis=1) / n
    ends = np.quantile(drawn, (0.025, 0.975), axis=0, method="nearest")
    shares = np.vstack([sums, true, ends]) / rows
    return Reliability(
        [Bin(int(size), *part) for size, part in zip(rows, shares.T.tolist(), strict=True)],
        float(np.abs(true - sums).sum() / n),
        float(np.quantile(errors, 0.95, method="higher")),
    )


def _draw_sums(means: Array, squares: Array) -> Array:
    """Draw sums of independent events with Σ p and Σ p², as binomials of that mean and variance."""
    size = np.divide(means**2, squares, out=np.ones_like(means), where=squares > 0.0)
    trials = np.maximum(np.round(size), np.ceil(means)).clip(min=1.0)
    rng = np.random.default_rng(0)
    return rng.binomial(trials.astype(np.int64), means / trials, (_DRAWS, len(means)))


def stated_events(codes: Array, probabilities: Array) -> tuple[Array, Array]:
    """Return the probability of one event a row, and where it was true.

    Of two classes, the event is the second; of more, that the label is the most probable class.

    Parameters
    ----------
    codes : int array of shape (n,)
        Index of each label among the classes.
    probabilities : array of shape (n, K)

    Examples
    --------
    >>> stated_events(np.array([0, 2]), np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]))
    (array([0.5, 0.6]), array([ True, False]))
    """
    if probabilities.shape[1] == 2:
        return probabilities[:, 1], codes == 1
    best = probabilities.argmax(axis=1)
    return probabilities[np.arange(len(best)), best], codes == best


def of_events(probabilities: ArrayLike) -> Array:
    """Return the probability of :func:`stated_events`; of shape (n,), it is that of the second.

    Examples
    --------
    >>> of_events([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]), of_events([[0.9, 0.1]]), of_events([0.1])
    (array([0.5, 0.6]), array([0.1]), array([0.1]))
    """
    p = np.asarray(probabilities, np.float64)
    if p.ndim == 2:
        return stated_events(np.zeros(len(p), np.int64), p)[0]
    return p


def average_precision(scores: Array, positive: Array) -> float | None:
    """Return the area under the curve of precision over recall: Σ_k (R_k − R_(k−1)) P_k.

    P_k and R_k are precision and recall at the k-th largest of the distinct scores, as in
    scikit-learn: a step function, without interpolation.

    Parameters
    ----------
    scores : array of shape (n,)
    positive : bool array of shape (n,)

    Returns
    -------
    area : float in [0, 1], or None
        The share of positives for scores that say nothing. None if one of the two is absent.

    Examples
    --------
    >>> average_precision(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))
    0.8333333333333333
    """
    positives = int(np.count_nonzero(positive))
    if positives in (0, len(positive)):
        return None
    _, codes = np.unique(-scores, return_inverse=True)
    predicted = np.cumsum(np.bincount(codes))
    right = np.bincount(codes[positive], minlength=len(predicted))
    return float((right * (np.cumsum(right) / predicted)).sum() / positives)


class ProbabilityMetrics:
    """Log loss, Brier score and calibration error, added batch by batch.

    Loss and score are exact. The calibration error is, up to :data:`MAX_PROBABILITIES` rows.

    Parameters
    ----------
    max_rows : int, default 2²²

    Examples
    --------
    >>> metrics = ProbabilityMetrics()
    >>> metrics.add(np.array([0, 1]), np.array([[0.75, 0.25], [0.5, 0.5]]))
    >>> round(metrics.log_loss, 4), metrics.brier, metrics.reliability(2).ece
    (0.4904, 0.15625, 0.375)
    """

    def __init__(self, max_rows: int = MAX_PROBABILITIES) -> None:
        self.rows = 0
        self._loss = self._squares = 0.0
        self._events = RowSample(max_rows)
        self._is_of_two = True

    def add(self, codes: Array, probabilities: Array) -> None:
        """Add a batch.

        Parameters
        ----------
        codes : int array of shape (n,)
            Index of each label among the classes.
        probabilities : array of shape (n, K)
            As many classes as before, or more.
        """
        self.rows += len(codes)
        rows, classes = np.arange(len(codes)), probabilities.shape[1]
        chosen = probabilities[rows, codes]
        self._loss -= float(np.log(np.clip(chosen, np.finfo(chosen.dtype).eps, 1.0)).sum())
        if classes == 2:
            self._squares += float(((1.0 - chosen) ** 2).sum())
        else:
            self.end_two()
            off = probabilities.copy()
            off[rows, codes] -= 1.0
            self._squares += float((off**2).sum())
        self._events.add(*stated_events(codes, probabilities))

    def end_two(self) -> None:
        """Say that the classes are more than two: score and events so far become those of more."""
        if self._is_of_two:
            self._is_of_two = False
            self._squares *= 2.0  # Σ_k (p_k − y_k)²
            self._events.change(_most_probable, self._events.capacity)

    @property
    def log_loss(self) -> float | None:
        """Mean of −log p(label), with p of at least 2.2e-16; None without rows."""
        return self._loss / self.rows if self.rows else None

    @property
    def brier(self) -> float | None:
        """Mean of (p − y)² for two classes, of Σ_k (p_k − y_k)² for more; None without rows."""
        return self._squares / self.rows if self.rows else None

    def reliability(self, bins: int = BINS) -> Reliability | None:
        """Return :func:`reliability` of the rows; None without rows."""
        if not self.rows:
            return None
        probabilities, events = self._events.columns()
        return reliability(probabilities, events, bins)


def _most_probable(probabilities: Array, events: Array) -> tuple[Array, Array]:
    """Turn events "the second of two" into "the more probable of two"."""
    less = probabilities < 0.5
    return np.where(less, 1.0 - probabilities, probabilities), events ^ less


# --- of arrays -----------------------------------------------------------------------------------


def log_loss(y: ArrayLike, probabilities: ArrayLike, classes: ArrayLike | None = None) -> float:
    """Return the mean of −log p(label), with p of at least 2.2e-16.

    Parameters
    ----------
    y : array of shape (n,)
        Labels, n ≥ 1.
    probabilities : array of shape (n, K) or (n,)
        Of the classes in their order, as of ``predict_proba``; or of the second of two.
    classes : array of shape (K,), optional
        By default the distinct labels, sorted.

    Raises
    ------
    ValueError
        A shape does not fit, a label is no class, or a number is no probability.

    Examples
    --------
    >>> round(log_loss(["ham", "spam"], [0.25, 0.5]), 4)
    0.4904
    """
    return float(_added(y, probabilities, classes).log_loss or 0.0)


def brier(y: ArrayLike, probabilities: ArrayLike, classes: ArrayLike | None = None) -> float:
    """Return the Brier score: the mean of (p − y)² for two classes, of Σ_k (p_k − y_k)² for more.

    Errors are those of :func:`log_loss`.

    Parameters
    ----------
    y, probabilities, classes
        As in :func:`log_loss`.

    References
    ----------
    Brier 1950.

    Examples
    --------
    >>> brier(["ham", "spam"], [0.25, 0.5]), brier([0, 1, 2], [[1, 0, 0], [0, 1, 0], [0, 1, 0]])
    (0.15625, 0.6666666666666666)
    """
    return float(_added(y, probabilities, classes).brier or 0.0)


def ece(
    y: ArrayLike, probabilities: ArrayLike, classes: ArrayLike | None = None, *, bins: int = BINS
) -> Reliability:
    """Return the expected calibration error, what chance makes of it, and the bins.

    Of two classes it is that of the probability of the second; of more, that of the most probable
    class of each row. :func:`reliability` has the formula.

    Errors are those of :func:`log_loss`.

    Parameters
    ----------
    y, probabilities, classes
        As in :func:`log_loss`.
    bins : int ≥ 1, default=15

    Returns
    -------
    Reliability

    Examples
    --------
    >>> found = ece([0, 0, 0, 1, 0, 1, 1, 1], [0.25] * 4 + [0.75] * 4)
    >>> found.ece, found.by_chance
    (0.0, 0.375)
    """
    if bins < 1:
        raise ValueError(f"bins must be at least 1; got {bins}.")
    result = _added(y, probabilities, classes).reliability(bins)
    assert result is not None  # a row or more
    return result


def pr_auc(y: ArrayLike, scores: ArrayLike, classes: ArrayLike | None = None) -> float:
    """Return the average precision: of the second of two classes, else the mean over the classes.

    Parameters
    ----------
    y : array of shape (n,)
        Labels, n ≥ 1.
    scores : array of shape (n, K) or (n,)
        Scores or probabilities of the classes in their order, or of the second of two.
    classes : array of shape (K,), optional
        By default the distinct labels, sorted. Classes without a row are left out of the mean.

    Raises
    ------
    ValueError
        A shape does not fit, a label is no class, or all rows have the same one.

    Examples
    --------
    >>> round(pr_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    codes, columns = _check(y, scores, classes, "scores")
    ranked = range(1, 2) if columns.shape[1] == 2 else range(columns.shape[1])
    areas = [average_precision(columns[:, k], codes == k) for k in ranked]
    defined = [area for area in areas if area is not None]
    if not defined:
        raise ValueError("every row has the same label: the average precision is undefined.")
    return sum(defined) / len(defined)


def _added(y: ArrayLike, probabilities: ArrayLike, classes: ArrayLike | None) -> ProbabilityMetrics:
    """Return the metrics of arrays."""
    codes, p = _check(y, probabilities, classes, "probabilities")
    if not (np.isfinite(p).all() and p.min() >= 0.0 and p.max() <= 1.0):
        raise ValueError("probabilities must lie between 0 and 1.")
    metrics = ProbabilityMetrics(max(len(codes), 1))
    metrics.add(codes, p)
    return metrics


def _check(
    y: ArrayLike, numbers: ArrayLike, classes: ArrayLike | None, name: str
) -> tuple[Array, Array]:
    """Return codes of shape (n,) and numbers of shape (n, K)."""
    labels, columns = np.asarray(y), np.asarray(numbers, np.float64)
    distinct = np.unique(labels if classes is None else classes)
    if columns.ndim == 1:
        columns = np.column_stack([1.0 - columns, columns])
    if labels.ndim != 1 or columns.ndim != 2 or len(columns) != len(labels) or not len(labels):
        raise ValueError(
            f"y must have shape (n,) and {name} (n,) or (n, K), n ≥ 1; got {labels.shape} and "
            f"{np.shape(numbers)}."
        )
    if columns.shape[1] != len(distinct) or len(distinct) < 2:
        raise ValueError(
            f"{name} of {columns.shape[1]} classes, but {len(distinct)} distinct labels: give "
            "classes."
        )
    codes = np.searchsorted(distinct, labels).clip(max=len(distinct) - 1)
    if (strange := distinct[codes] != labels).any():
        raise ValueError(f"the label {labels[strange][0]!r} is no class.")
    return codes, columns
