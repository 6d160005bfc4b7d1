"""Rows: storage of examples, and the operations of the loops on them.

A kind of rows is a ``NamedTuple`` of read-only arrays with a few methods. ``w`` is one weight
vector (binary loops); ``W`` has one row of weights of all classes per feature (multi-class loops),
padded with zeros to a multiple of :data:`rosenblatt.engine.intrinsics.LANES` columns.

=============================== ==================================================================
``dot_sqnorm(i, w)``            the dot product ⟨w, x_i⟩ and the squared norm ‖x_i‖²
``axpy(i, tau, w)``             w ← w + τ x_i
``sqnorm(i)``                   ‖x_i‖²
``dot_block(order, n, …)``      dots[r] ← ⟨w, x⟩ for a few rows from ``order[n]`` on; their number
``dot_block_multi(order, …)``   the same for every class: dots[r, k] ← ⟨W[:, k], x⟩
``axpy_multi(i, steps, W)``     W[:, k] ← W[:, k] + steps[k] x_i for every class k
``axpy_dot_multi(order, …)``    the same for row ``order[n]``; then dots of the next row, or of none
``is_finite(i, W, k)``          whether the weights that x_i touches are finite
``truncate(i, …)``              move the weights that x_i touches towards zero (L1 penalty)
``variance(i, C, k, rule)``     Σ x_j² s(C[j, k]), for a rule with a confidence
``adapt(i, k, tau, beta, …)``   C[:, k] ← C[:, k] + β x_i², and w moves by the rates that follow
``prefetch(order, n)``          load a row that comes soon into the cache
=============================== ==================================================================

Sums run in a fixed order (dense: from left to right, like scikit-learn's; sparse: four partial
sums), so every machine, compiled or not, gives the same bits. Numbers are widened by
``np.float64(x)``: numba leaves a float32 unchanged in ``float(x)``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core import matrices as _core
from rosenblatt.engine.intrinsics import (
    CACHE_LINE,
    LANES,
    at,
    axpy_lanes,
    load_lanes,
    muladd,
    prefetch,
    store_lanes,
    zeros_x1,
    zeros_x2,
    zeros_x3,
    zeros_x4,
)
from rosenblatt.engine.jit import subroutine
from rosenblatt.engine.linear.confidences import adapt_weight, weight_variance
from rosenblatt.theory.rule_kinds import ConfidenceRule

Array = NDArray[Any]

BLOCK_ROWS = 4
"""Largest number of rows that are scored at once."""

PREFETCH_DISTANCE = 6
"""Rows between the current and the prefetched one: enough to hide the latency of the memory."""


class Dense(NamedTuple):
    """Rows of a C-ordered matrix.

    Attributes
    ----------
    X : ndarray of shape (n, d), float32 or float64

    Examples
    --------
    >>> import numpy as np
    >>> rows = Dense(np.array([[3.0, 4.0]]))
    >>> tuple(map(float, rows.dot_sqnorm(0, np.array([1.0, 1.0]))))
    (7.0, 25.0)
    """

    X: Array

    def dot_sqnorm(self, i: int, w: Array) -> tuple[float, float]:
        """Return ⟨w, x_i⟩ and ‖x_i‖²."""
        dot = 0.0
        sqnorm = 0.0
        for j in range(self.X.shape[1]):
            x = self.X[i, j]
            dot += np.float64(w[j] * x)
            sqnorm += np.float64(x) * np.float64(x)
        return dot, sqnorm

    def axpy(self, i: int, tau: float, w: Array) -> None:
        """Add τ x_i to w."""
        for j in range(self.X.shape[1]):
            w[j] = np.float64(w[j]) + np.float64(self.X[i, j]) * tau

    def sqnorm(self, i: int) -> float:
        """Return ‖x_i‖²."""
        total = 0.0
        for j in range(self.X.shape[1]):
            total += np.float64(self.X[i, j]) * np.float64(self.X[i, j])
        return total

    def dot_block(self, order: Array, n: int, w: Array, dots: Array) -> int:
        """Write ⟨w, x⟩ for the next four rows: independent sums hide the latency of additions."""
        if n + 4 > order.shape[0]:
            dots[0] = self.dot_sqnorm(order[n], w)[0]
            return 1
        a, b, c, e = order[n], order[n + 1], order[n + 2], order[n + 3]
        A = B = C = E = 0.0
        for j in range(self.X.shape[1]):
            A += np.float64(w[j] * self.X[a, j])
            B += np.float64(w[j] * self.X[b, j])
            C += np.float64(w[j] * self.X[c, j])
            E += np.float64(w[j] * self.X[e, j])
        dots[0], dots[1], dots[2], dots[3] = A, B, C, E
        return 4

    def dot_block_multi(self, order: Array, n: int, W: Array, dots: Array) -> int:
        """Write ⟨W[:, k], x⟩ for the next four rows; each weight is loaded once for four."""
        count = 4 if n + 4 <= order.shape[0] else 1
        a, last = order[n], order.shape[0] - 1
        b, c, e = order[min(n + 1, last)], order[min(n + 2, last)], order[min(n + 3, last)]
        k = 0
        while k + 2 * LANES <= W.shape[1]:
            A, B, C, E = zeros_x2(), zeros_x2(), zeros_x2(), zeros_x2()
            for j in range(self.X.shape[1]):
                A = muladd(A, self.X[a, j], W, j, k)
                B = muladd(B, self.X[b, j], W, j, k)
                C = muladd(C, self.X[c, j], W, j, k)
                E = muladd(E, self.X[e, j], W, j, k)
            store_lanes(A, dots, 0, k)
            store_lanes(B, dots, 1, k)
            store_lanes(C, dots, 2, k)
            store_lanes(E, dots, 3, k)
            k += 2 * LANES
        if k < W.shape[1]:
            F, G, H, J = zeros_x1(), zeros_x1(), zeros_x1(), zeros_x1()
            for j in range(self.X.shape[1]):
                F = muladd(F, self.X[a, j], W, j, k)
                G = muladd(G, self.X[b, j], W, j, k)
                H = muladd(H, self.X[c, j], W, j, k)
                J = muladd(J, self.X[e, j], W, j, k)
            store_lanes(F, dots, 0, k)
            store_lanes(G, dots, 1, k)
            store_lanes(H, dots, 2, k)
            store_lanes(J, dots, 3, k)
        return count

    def axpy_multi(self, i: int, steps: Array, W: Array) -> None:
        """Add steps[k] x_i to W[:, k] for every class k (BLAS: ger)."""
        for k in range(0, W.shape[1], LANES):
            if any_nonzero(steps, k):
                lanes = load_lanes(steps, k)
                for j in range(self.X.shape[1]):
                    if self.X[i, j] != 0.0:  # images are mostly black
                        axpy_lanes(self.X[i, j], lanes, W, j, k)

    def axpy_dot_multi(self, order: Array, n: int, steps: Array, W: Array, dots: Array) -> int:
        """Add steps[k] x to W[:, k]; write ⟨W[:, k], x⟩ of the next row on the same walk."""
        i, following = order[n], order[min(n + 1, order.shape[0] - 1)]
        k = 0
        while k + 2 * LANES <= W.shape[1]:
            sums = zeros_x2()
            first, second = any_nonzero(steps, k), any_nonzero(steps, k + LANES)
            one, other = load_lanes(steps, k), load_lanes(steps, k + LANES)
            for j in range(self.X.shape[1]):
                if self.X[i, j] != 0.0:  # images are mostly black
                    if first:
                        axpy_lanes(self.X[i, j], one, W, j, k)
                    if second:
                        axpy_lanes(self.X[i, j], other, W, j, k + LANES)
                sums = muladd(sums, self.X[following, j], W, j, k)
            store_lanes(sums, dots, 0, k)
            k += 2 * LANES
        if k < W.shape[1]:
            rest, last, touched = zeros_x1(), load_lanes(steps, k), any_nonzero(steps, k)
            for j in range(self.X.shape[1]):
                if touched and self.X[i, j] != 0.0:
                    axpy_lanes(self.X[i, j], last, W, j, k)
                rest = muladd(rest, self.X[following, j], W, j, k)
            store_lanes(rest, dots, 0, k)
        return 1

    def is_finite(self, i: int, W: Array, k: int) -> bool:
        """Return True if the weights of column k that x_i touches are finite."""
        total = 0.0
        for j in range(self.X.shape[1]):
            total += 0.0 * W[j, k]
        return total == 0.0

    def truncate(
        self, i: int, W: Array, Q: Array, k: int, total: float, scale: float, U: Array, area: float
    ) -> None:
        """Truncate the weights of column k that x_i touches, see :func:`truncate_weight`."""
        for j in range(self.X.shape[1]):
            truncate_weight(W, Q, j, k, total, scale, U, area)

    def variance(self, i: int, C: Array, k: int, rule: ConfidenceRule) -> float:
        """Return Σ x_j² s(C[j, k])."""
        total = 0.0
        for j in range(self.X.shape[1]):
            total += weight_variance(self.X[i, j], C[j, k], rule)
        return total

    def adapt(
        self,
        i: int,
        k: int,
        tau: float,
        beta: float,
        rule: ConfidenceRule,
        W: Array,
        C: Array,
        U: Array,
        area: float,
    ) -> None:
        """Move column k along x_i by the rates of its weights, see :func:`adapt_weight`."""
        for j in range(self.X.shape[1]):
            adapt_weight(self.X[i, j], j, k, tau, beta, rule, W, C, U, area)

    def project(self, i: int, k: int, S: Array, projections: Array, bias: float) -> Any:
        """Write Σ x to ``projections[k]``, where x comes after ``bias``; return xᵀ Σ x."""
        projections[k] = 0.0
        add_product(0, bias, k, S, projections)
        for j in range(self.X.shape[1]):
            add_product(j + 1, np.float64(self.X[i, j]), k, S, projections)
        total = bias * projections[k, 0]
        for j in range(self.X.shape[1]):
            total += np.float64(self.X[i, j]) * projections[k, j + 1]
        return total

    def spread(self, i: int, k: int, S: Array, bias: float) -> Any:
        """Return Σ x_j² Σ_jj, the variance of the score if weights were independent."""
        size = self.X.shape[1] + 1
        total = bias * S[0, k]
        for j in range(1, size):
            x = np.float64(self.X[i, j - 1])
            total += x * x * S[j * size + j, k]
        return total

    def prefetch(self, order: Array, n: int) -> None:
        """Prefetch the first cache lines of a row that comes soon; the hardware loads the rest."""
        start = order[min(n + PREFETCH_DISTANCE, order.shape[0] - 1)] * self.X.shape[1]
        line = CACHE_LINE // self.X.itemsize
        for p in range(start, start + min(self.X.shape[1], 4 * line), line):
            prefetch(self.X, p)


class CSR(NamedTuple):
    """Rows of a compressed sparse matrix: only the values that are not zero.

    Attributes
    ----------
    data : ndarray of shape (nnz,), float32 or float64
    indices : ndarray of shape (nnz,), uint32
        The feature of each value.
    indptr : ndarray of shape (n + 1,), int64
        Row i is ``data[indptr[i]:indptr[i + 1]]``.

    Examples
    --------
    >>> import numpy as np
    >>> rows = CSR(np.array([3.0, 4.0]), np.array([1, 2]), np.array([0, 2]))
    >>> tuple(map(float, rows.dot_sqnorm(0, np.array([9.0, 1.0, 1.0]))))
    (7.0, 25.0)
    """

    data: Array
    indices: Array
    indptr: Array

    def dot_sqnorm(self, i: int, w: Array) -> tuple[float, float]:
        """Return ⟨w, x_i⟩, summed in four partial sums, and ‖x_i‖²."""
        p, stop = at(self.indptr, i), at(self.indptr, i + 1)
        a = b = c = e = 0.0
        while p + 4 <= stop:
            a += np.float64(w[at(self.indices, p)] * at(self.data, p))
            b += np.float64(w[at(self.indices, p + 1)] * at(self.data, p + 1))
            c += np.float64(w[at(self.indices, p + 2)] * at(self.data, p + 2))
            e += np.float64(w[at(self.indices, p + 3)] * at(self.data, p + 3))
            p += 4
        while p < stop:
            a += np.float64(w[at(self.indices, p)] * at(self.data, p))
            p += 1
        return (a + b) + (c + e), self.sqnorm(i)

    def axpy(self, i: int, tau: float, w: Array) -> None:
        """Add τ x_i to w."""
        for p in range(at(self.indptr, i), at(self.indptr, i + 1)):
            j = at(self.indices, p)
            w[j] = np.float64(w[j]) + np.float64(at(self.data, p)) * tau

    def sqnorm(self, i: int) -> float:
        """Return ‖x_i‖²."""
        total = 0.0
        for p in range(at(self.indptr, i), at(self.indptr, i + 1)):
            total += np.float64(at(self.data, p)) * np.float64(at(self.data, p))
        return total

    def dot_block(self, order: Array, n: int, w: Array, dots: Array) -> int:
        """Write ⟨w, x⟩ of one row: sparse rows share few weights."""
        dots[0] = self.dot_sqnorm(order[n], w)[0]
        return 1

    def dot_block_multi(self, order: Array, n: int, W: Array, dots: Array) -> int:
        """Write ⟨W[:, k], x⟩ of one row, for every class k."""
        i, k = order[n], 0
        while k + 4 * LANES <= W.shape[1]:
            store_lanes(_add_lane_dots(self, i, zeros_x4(), W, k), dots, 0, k)
            k += 4 * LANES
        if k + 3 * LANES == W.shape[1]:
            store_lanes(_add_lane_dots(self, i, zeros_x3(), W, k), dots, 0, k)
        elif k + 2 * LANES == W.shape[1]:
            store_lanes(_add_lane_dots(self, i, zeros_x2(), W, k), dots, 0, k)
        elif k + LANES == W.shape[1]:
            store_lanes(_add_lane_dots(self, i, zeros_x1(), W, k), dots, 0, k)
        return 1

    def axpy_multi(self, i: int, steps: Array, W: Array) -> None:
        """Add steps[k] x_i to W[:, k] for every class k (BLAS: ger)."""
        for k in range(0, W.shape[1], LANES):
            if any_nonzero(steps, k):
                lanes = load_lanes(steps, k)
                for p in range(at(self.indptr, i), at(self.indptr, i + 1)):
                    axpy_lanes(at(self.data, p), lanes, W, at(self.indices, p), k)

    def axpy_dot_multi(self, order: Array, n: int, steps: Array, W: Array, dots: Array) -> int:
        """Add steps[k] x to W[:, k]; the next row, which shares few weights, is not scored."""
        self.axpy_multi(order[n], steps, W)
        return 0

    def is_finite(self, i: int, W: Array, k: int) -> bool:
        """Return True if the weights of column k that x_i touches are finite."""
        total = 0.0
        for p in range(at(self.indptr, i), at(self.indptr, i + 1)):
            total += 0.0 * W[at(self.indices, p), k]
        return total == 0.0

    def truncate(
        self, i: int, W: Array, Q: Array, k: int, total: float, scale: float, U: Array, area: float
    ) -> None:
        """Truncate the weights of column k that x_i touches, see :func:`truncate_weight`."""
        for p in range(at(self.indptr, i), at(self.indptr, i + 1)):
            truncate_weight(W, Q, at(self.indices, p), k, total, scale, U, area)

    def variance(self, i: int, C: Array, k: int, rule: ConfidenceRule) -> float:
        """Return Σ x_j² s(C[j, k])."""
        total = 0.0
        for p in range(at(self.indptr, i), at(self.indptr, i + 1)):
            total += weight_variance(at(self.data, p), C[at(self.indices, p), k], rule)
        return total

    def adapt(
        self,
        i: int,
        k: int,
        tau: float,
        beta: float,
        rule: ConfidenceRule,
        W: Array,
        C: Array,
        U: Array,
        area: float,
    ) -> None:
        """Move column k along x_i by the rates of its weights, see :func:`adapt_weight`."""
        for p in range(at(self.indptr, i), at(self.indptr, i + 1)):
            adapt_weight(at(self.data, p), at(self.indices, p), k, tau, beta, rule, W, C, U, area)

    def project(self, i: int, k: int, S: Array, projections: Array, bias: float) -> Any:
        """Write Σ x to ``projections[k]``, where x comes after ``bias``; return xᵀ Σ x."""
        start, stop = at(self.indptr, i), at(self.indptr, i + 1)
        projections[k] = 0.0
        add_product(0, bias, k, S, projections)
        for p in range(start, stop):
            j = np.int64(at(self.indices, p)) + 1
            add_product(j, np.float64(at(self.data, p)), k, S, projections)
        total = bias * projections[k, 0]
        for p in range(start, stop):
            j = np.int64(at(self.indices, p))
            total += np.float64(at(self.data, p)) * projections[k, j + 1]
        return total

    def spread(self, i: int, k: int, S: Array, bias: float) -> Any:
        """Return Σ x_j² Σ_jj, the variance of the score if weights were independent."""
        size = np.int64(math.sqrt(S.shape[0]))
        total = bias * S[0, k]
        for p in range(at(self.indptr, i), at(self.indptr, i + 1)):
            j, x = np.int64(at(self.indices, p)) + 1, np.float64(at(self.data, p))
            total += x * x * S[j * size + j, k]
        return total

    def prefetch(self, order: Array, n: int) -> None:
        """Prefetch the row ``PREFETCH_DISTANCE`` steps on.

        A shuffled order defeats the prefetcher of the hardware.
        """
        last = order.shape[0] - 1
        prefetch(self.indptr, order[min(n + 2 * PREFETCH_DISTANCE, last)])
        row = order[min(n + PREFETCH_DISTANCE, last)]
        p, stop = at(self.indptr, row), at(self.indptr, row + 1)
        while p + 8 < stop:
            prefetch(self.indices, p)
            prefetch(self.data, p)
            prefetch(self.data, p + 8)
            p += 16
        prefetch(self.indices, stop - 1)  # the last cache line of the row
        prefetch(self.data, stop - 1)


Rows = Dense | CSR


@subroutine
def prefetch_example(y: Array, weight: Array, order: Array, n: int) -> None:
    """Prefetch the label and the weight of the row that ``rows.prefetch`` prefetches."""
    i = order[min(n + PREFETCH_DISTANCE, order.shape[0] - 1)]
    prefetch(y, i)
    prefetch(weight, i)


@subroutine
def any_nonzero(steps: Array, k: int) -> bool:
    """Return True if any of the ``LANES`` steps from k on is not zero: few classes move."""
    nonzero = 0
    for lane in range(k, k + LANES):
        nonzero += steps[lane] != 0.0
    return nonzero > 0


@subroutine
def _add_lane_dots(rows: CSR, i: int, sums: Any, W: Array, k: int) -> Any:
    """Return ``sums`` + ⟨W[:, k + lane], x_i⟩ in each lane."""
    for p in range(at(rows.indptr, i), at(rows.indptr, i + 1)):
        sums = muladd(sums, at(rows.data, p), W, at(rows.indices, p), k)
    return sums


@subroutine
def truncate_weight(
    W: Array, Q: Array, j: int, k: int, total: float, scale: float, U: Array, area: float
) -> None:
    """Truncate one weight by the L1 penalty that was not applied to it yet.

    ``total`` is the cumulative penalty so far, ``Q[j, k]`` the part already applied to this weight
    (Tsuruoka, Tsujii and Ananiadou 2009, as in scikit-learn). A weight stops at zero. ``U`` is the
    lazy sum of the average; it has no rows if there is no average.
    """
    z = np.float64(W[j, k])
    if scale * z > 0.0:
        W[j, k] = max(0.0, z - (total + Q[j, k]) / scale)
    elif scale * z < 0.0:
        W[j, k] = min(0.0, z + (total - Q[j, k]) / scale)
    change = np.float64(W[j, k]) - z
    Q[j, k] += scale * change
    if U.shape[0] > 0:
        U[j, k] += area * change


@subroutine
def add_product(j: Any, value: float, k: int, S: Array, projections: Array) -> None:
    """Add ``value`` times column j of Σ to ``projections[k]``.

    Σ is symmetric, so a row is read: its numbers are contiguous.
    """
    size = projections.shape[1]
    if value != 0.0:
        for m in range(size):
            projections[k, m] += value * S[j * size + m, k]


def largest_sqnorm(rows: Rows, n: int) -> float:
    """Return max ‖x_i‖² over the first ``n`` rows, 0 for none: the lectures' R² (L0.5)."""
    return _core.largest_sqnorm(rows, n)
