"""A recorded run in exact arithmetic: floats are fractions, so nothing need be rounded.

The run that a recorded run *defines* starts at the recorded start and corrects the same rows in the
same order, v_{t+1} = v_t + η y x without rounding. The recorded w_t are v_t up to rounding, and
equal to it on integers. The theorem is about the v_t (decision record 026).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import Array, NDArray
from rosenblatt.utils.checks import Floats, Ints
from rosenblatt.utils.directed import Enclosure, times_power, to_float

Integers = Array
"""An array of Python's integers, which have any length."""

ROUNDING = 2.0**-50
"""η x and its sum with w are at most four roundings of 2**-53, of η x, w or the new w."""
TINY = 2.0**-1072
"""Each of these may underflow besides, by 2**-1075."""
MOST_WORK = 4_000_000_000
"""Corrections x features x bits up to which a run is computed exactly: about ten seconds."""
UNIT = 2.0**-53  # the relative error of a rounding
SPARE = 1.0 + 2.0**-20
"""Errors of intervals are sums of up to 2**32 terms in floats, off by less than this factor."""
_FLOATS_CHUNK = 2**20  # floats at a time: 8 MB
_CHUNK = 2**17  # numbers that are Python's integers at a time: 10 MB


class Corrections(NamedTuple):
    """What defines an exact run: the corrected rows in order, and the step of each correction."""

    X: Floats
    y: Ints
    eta: float
    start: Floats
    rows: Ints
    steps: Ints

    @classmethod
    def of(cls, run: Trace) -> Corrections:
        """Return the updates of a run."""
        steps = run.updates
        return cls(run.X, run.y, run.eta, run.weights[0], run.order[steps], steps)

    def first(self, k: int) -> Corrections:
        """Return the first k corrections."""
        return self._replace(rows=self.rows[:k], steps=self.steps[:k])

    def are_proper(self, weights: Floats) -> int:
        """Return the number of updates, from the first on, that are w + η y x up to rounding."""
        for part in _parts(len(self.rows), self.X.shape[1]):
            rows, before, after = self.rows[part], weights[:-1][part], weights[1:][part]
            with np.errstate(over="ignore", invalid="ignore"):
                update = self.eta * self.y[rows, np.newaxis] * self.X[rows] / 4.0
                sizes = np.abs(before) / 4.0 + np.abs(update) + np.abs(after) / 4.0
                error = np.abs(after / 4.0 - before / 4.0 - update)  # a quarter cannot overflow
                wrong = ~(error <= ROUNDING * sizes + TINY).all(axis=1)
            if wrong.any():
                return int(part.start + wrong.argmax())
        return len(self.rows)

    def work(self) -> int:
        """Return corrections x features x bits of a number of the exact run, at most."""
        eta = int(np.frexp(self.eta)[1])
        powers = [np.frexp(self.X[self.X != 0.0])[1]]
        powers.append(np.frexp(self.start[self.start != 0.0])[1] - eta)
        both = np.concatenate(powers)
        spread = int(both.max() - both.min()) if len(both) else 0
        k, d = len(self.rows), int(self.X.shape[1])
        return k * d * (spread + 106 + k.bit_length())


class Walk(NamedTuple):
    """The vectors of a run, as the theorem sees them.

    Attributes
    ----------
    squares : sequence of Enclosure
        ‖v_t‖², t = 0, …, k.
    products : sequence of Enclosure
        z·v_t for an integer direction z; empty without one.
    right : (int, Enclosure) or None
        The first correction whose row is not surely wrong before it, and its y (v·x).
    deviation : Fraction
        The largest difference of a number of w_t from that of v_t, or more.
    exact : bool
        False if these are intervals.
    """

    squares: Sequence[Enclosure]
    products: Sequence[Enclosure]
    right: tuple[int, Enclosure] | None
    deviation: Fraction
    exact: bool = True


def to_integers(A: Floats) -> tuple[Integers, int]:
    """Return integers I of any length and one exponent e, with A = I 2**e.

    Examples
    --------
    >>> to_integers(np.array([0.75, -2.0, 1e-9 * 0.0]))
    (array([3, -8, 0], dtype=object), -2)
    """
    fraction, power = np.frexp(A)
    mantissa, power = np.ldexp(fraction, 53).astype(np.int64), power.astype(np.int64) - 53
    used = mantissa != 0
    if not used.any():
        return np.zeros(A.shape, np.int64).astype(object), 0
    zeros = np.frexp((mantissa & -mantissa).astype(np.float64))[1] - 1
    mantissa = mantissa >> np.where(used, zeros, 0)
    power = np.where(used, power + zeros, (power + zeros)[used].min())
    lowest = int(power.min())
    return mantissa.astype(object) << (power - lowest).astype(object), lowest


def walk(run: Corrections, weights: Floats | None, z: Sequence[int] | None) -> Walk:
    """Return the exact run of the corrections.

    Parameters
    ----------
    run : Corrections
    weights : array of shape (k + 1, D) or None
        The recorded vectors, for the deviation.
    z : sequence of int, or None
        The direction.
    """
    used, index = np.unique(run.rows, return_inverse=True)
    X, unit = to_integers(run.X[used])
    eta, power = to_integers(np.array([run.eta]))
    start, low = to_integers(run.start)
    grid = min(low, unit + power) if start.any() else unit + power  # v is integers times 2**grid
    v = start << max(low - grid, 0)
    moves = X * run.y[used, np.newaxis].astype(object) * (int(eta[0]) << (unit + power - grid))
    direction = None if z is None else np.array(z, object)
    along = None if direction is None else moves @ direction
    square, product = int(v @ v), 0 if direction is None else int(v @ direction)
    squares, products, deviations = [square], [product], _Deviations(weights, grid)
    deviations.add(v)
    right = None
    lengths = (moves * moves).sum(axis=1)
    for j, i in enumerate(index.tolist()):
        move = moves[i]
        change = int(v @ move)  # η y (v·x), in units 4**grid
        if change > 0 and right is None:
            score = times_power(change, 2 * grid) / Fraction(run.eta)
            right = j, Enclosure.of(score)
        square += 2 * change + int(lengths[i])
        v = v + move
        squares.append(square)
        deviations.add(v)
        if along is not None:
            product += int(along[i])
            products.append(product)
    return Walk(
        [Enclosure.scaled(value, 2 * grid) for value in squares],
        [Enclosure.scaled(value, grid) for value in products] if along is not None else [],
        right,
        deviations.largest,
    )


class _Deviations:
    """The largest difference of recorded vectors from integer vectors times 2**grid."""

    def __init__(self, weights: Floats | None, grid: int) -> None:
        self.largest, self.grid = Fraction(0), grid
        self.rows = _integer_rows(weights) if weights is not None else None

    def add(self, v: Integers) -> None:
        if self.rows is None:
            return
        row, power = next(self.rows)
        low = min(power, self.grid)
        difference = (v << (self.grid - low)) - (row << (power - low))
        largest = max(map(abs, difference.tolist()))
        if largest:
            self.largest = max(self.largest, times_power(largest, low))


def recorded(weights: Floats, z: Sequence[int] | None) -> Walk:
    """Return recorded vectors as they are, whatever an update may be."""
    squares, products = [], []
    direction = None if z is None else np.array(z, object)
    for w, power in _integer_rows(weights):
        squares.append(Enclosure.scaled(int(w @ w), 2 * power))
        if direction is not None:
            products.append(Enclosure.scaled(int(w @ direction), power))
    return Walk(squares, products, None, Fraction(0))


@np.errstate(over="ignore", invalid="ignore", under="ignore")  # what is not finite is refused
def enclosed_walk(run: Corrections, weights: Floats, z: Sequence[int] | None) -> Walk:
    """Return intervals for the exact run of the corrections, which is too long to be computed.

    The error of z·w in floats is of the size ‖z‖‖w‖, however small z·w is; so are the intervals.

    Parameters
    ----------
    run : Corrections
    weights : array of shape (k + 1, D)
        The recorded vectors, w + η y x up to rounding.
    z : sequence of int, or None
        The direction.

    Raises
    ------
    ValueError
        The squares of the recorded vectors are not finite floats.
    """
    k, d = len(run.rows), run.X.shape[1]
    gamma = 2.0 * (d + 4) * UNIT  # of a sum of d products, in any order: see proofs/check/exact.py
    tiny = 2.0 * d * TINY
    top = 0 if z is None else max(map(abs, z)).bit_length()
    direction = np.array([to_float(times_power(v, -top)) for v in z or [0] * d])
    size = float(_lengths(direction[np.newaxis])[0])
    squares: list[Enclosure] = []
    products: list[Enclosure] = []
    right: tuple[int, Enclosure] | None = None
    drift = 0.0
    step = max(1, _FLOATS_CHUNK // d)
    for start in range(0, k + 1, step):
        W, rows = weights[start : start + step], run.rows[start : start + step]
        X, after = run.X[rows], weights[start + 1 : start + 1 + len(rows)]
        sums = (W * W).sum(axis=1)
        norms = _lengths(W)
        moves = np.abs(W[: len(rows)]) + np.abs(run.eta * X) + np.abs(after)
        rounding = ROUNDING * _lengths(moves) + tiny
        drifts = (drift + np.concatenate([[0.0], np.cumsum(rounding)])) * SPARE
        drift, drifts = float(drifts[-1]), drifts[: len(W)]
        squares += _around(sums, (gamma * sums + (2.0 * norms + drifts) * drifts) * SPARE + tiny)
        if z is not None:
            error = size * (gamma * norms + drifts + 4.0 * UNIT * (norms + drifts)) * SPARE
            along = _around((W * direction).sum(axis=1), error + tiny)
            products += [value.times(times_power(1, top)) for value in along]
        lengths = _lengths(X)
        scores = run.y[rows] * (W[: len(rows)] * X).sum(axis=1)
        error = (gamma * norms + drifts)[: len(rows)] * lengths * SPARE + tiny
        is_zero = ~W.any(axis=1) & (drifts == 0.0)  # squares of small numbers are 0, too
        wrong = (scores + error <= 0.0) | is_zero[: len(rows)]
        if right is None and not wrong.all():
            j = int(wrong.argmin())
            right = start + j, _around(scores[j : j + 1], error[j : j + 1])[0]
    return Walk(squares, products, right, Fraction(drift), exact=False)


def _lengths(A: Floats) -> Floats:
    """Return at least the length of each row, whose squares may be no floats."""
    scale = np.frexp(np.abs(A).max(axis=1))[1]
    scaled = np.ldexp(A, -scale[:, np.newaxis])
    lengths: Floats = np.ldexp(np.sqrt((scaled * scaled).sum(axis=1)) * SPARE, scale)
    return lengths


def _around(values: Floats, errors: Floats) -> list[Enclosure]:
    if not (np.isfinite(values).all() and np.isfinite(errors).all()):
        raise ValueError(
            "run is too long for exact arithmetic, and its squares leave the range of floats: "
            "scale X"
        )
    pairs = zip(map(Fraction, values.tolist()), map(Fraction, errors.tolist()), strict=True)
    return [Enclosure(value - error, value + error) for value, error in pairs]


class Scaled(NamedTuple):
    """One exact number for each row: integers times 2**power."""

    numbers: list[int]
    power: int

    def value(self, row: int) -> Fraction:
        """Return the number of a row."""
        return times_power(self.numbers[row], self.power)

    def smallest(self) -> Fraction:
        """Return the smallest of the numbers."""
        return times_power(min(self.numbers), self.power)

    def largest(self) -> Fraction:
        """Return the largest of the numbers."""
        return times_power(max(self.numbers), self.power)

    def above(self, limit: Fraction) -> NDArray[np.bool_]:
        """Return True for every number above the limit."""
        scaled = limit / times_power(1, self.power)
        return np.array([number > scaled for number in self.numbers])


def square_and_product(w: Floats, z: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Return ‖w‖² and z·w."""
    numbers, power = to_integers(w)
    product = int(numbers @ np.array(z, object))
    return times_power(int(numbers @ numbers), 2 * power), times_power(product, power)


def signed_products(X: Floats, y: Ints, z: Sequence[int]) -> Scaled:
    """Return y (z·x) of every row."""
    direction = np.array(z, object)
    return _by_row(X, lambda rows, part: (rows @ direction) * y[part].astype(object), 1)


def row_squares(X: Floats) -> Scaled:
    """Return ‖x‖² of every row."""
    return _by_row(X, lambda rows, part: (rows * rows).sum(axis=1), 2)


def _by_row(X: Floats, compute: Callable[[Integers, slice], Integers], degree: int) -> Scaled:
    values: list[tuple[list[int], int]] = []
    for part in _parts(*X.shape):
        rows, power = to_integers(X[part])
        values.append((compute(rows, part).tolist(), degree * power))
    lowest = min(power for _, power in values)
    return Scaled([int(v) << (power - lowest) for part, power in values for v in part], lowest)


def _integer_rows(A: Floats) -> Iterator[tuple[Integers, int]]:
    for part in _parts(*A.shape):
        rows, power = to_integers(A[part])
        for row in rows:
            yield row, power


def _parts(n: int, d: int) -> Iterator[slice]:
    step = max(1, _CHUNK // d)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
