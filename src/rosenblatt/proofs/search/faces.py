"""Which rows no direction can move off the plane, and which direction moves all the others.

Rows that cancel (Σ λ z = 0, λ > 0) hold each other on the plane: a direction with z·δ >= 0 for all
rows has z·δ = 0 for each of them, and so for every row in their span. What is left is the same
question with that span divided out. There the shortest Σ z + Σ ν z with ν >= 0 answers it for many
rows at once: it is the projection of Σ z on the directions that are wrong about no row (Moreau
1962). The rows that it moves are free; where it is zero, all the rest are held.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.engine.hulls import active_set
from rosenblatt.engine.matrices import thinned
from rosenblatt.engine.rows import largest_sqnorm
from rosenblatt.proofs.check.data import Labelled
from rosenblatt.proofs.check.record import Overlap
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.nearest import Clock, Nearest, Task, of_cone, of_hulls

Array = NDArray[Any]

_MOST_DENSE = 4000  # rows and columns that a factorization of the quotient may have
_ROUNDS = 20  # of repairs: floats that need more do not tell
_NOISE = 1e-9  # of the largest: what is smaller after floats were subtracted is zero


class UnresolvedError(Exception):
    """The floats do not tell: the rationals must."""


@dataclass(frozen=True)
class Faces:
    """How the rows of an inseparable or quasi-separable set lie.

    Attributes
    ----------
    overlap : Overlap
        The proof that some rows, all where there is no direction, stay on the plane.
    direction : tuple of int, or None
        Moves all other rows to their side, if there are any.
    """

    overlap: Overlap
    direction: tuple[int, ...] | None


def faces(data: Labelled, intercept: bool, rows: Array, weights: list[int], clock: Clock) -> Faces:
    """The faces of data whose ``rows`` cancel with ``weights``.

    Raises
    ------
    UnresolvedError
        Rounding hides the answer.
    LateError
        The time is up.
    """
    inner = rows[:-1]  # independent rows that are held
    whole = left = _divided(data, intercept, inner)
    spanning = np.concatenate([inner, _spanning(whole.Z, np.flatnonzero(whole.alive))])
    kept = _identified(data, intercept, spanning)
    for _ in range(_ROUNDS):
        held, bearing = _held(left, clock)
        basis = np.concatenate([inner, _spanning(left.Z, np.flatnonzero(held & left.alive))])
        found = None if held.all() else _direction(data, intercept, kept, held, basis, clock)
        if not isinstance(found, np.ndarray):
            if left is not whole:
                bearing = _bearing(whole, held, clock)
            overlap = _overlap(data, intercept, held, rows, weights, bearing)
            return Faces(overlap, found)
        # Rows that seemed free but for rounding cancel: their span is held, too.
        inner = np.concatenate([inner, _spanning(left.Z, found)])
        left = _divided(data, intercept, inner)
    raise UnresolvedError


# --- what is left when a span is divided out -----------------------------------------------------


@dataclass(frozen=True)
class _Quotient:
    """Rows modulo a span: z_i in coordinates of what is orthogonal to it."""

    Z: Any
    alive: Array  # rows that are not in the span


def _divided(data: Labelled, intercept: bool, inner: Array) -> _Quotient:
    """All rows modulo the span of independent ones."""
    Z, columns = integers.augmented(data.X, data.y, inner, intercept)
    X, d = data.X, data.X.shape[1]
    others = np.setdiff1d(np.arange(d), columns)
    null = _null_space(Z, len(inner))
    rest = _signed(X[:, others], data.y)
    if null.shape[1]:
        inside = columns[columns < d]
        part = _apart(X[:, inside], null, data.y)
        if sp.issparse(rest):
            rest = sp.csr_array(sp.hstack([rest, sp.csr_array(part)], format="csr"))
        else:
            rest = np.column_stack([rest, part])
    alive = np.asarray(abs(rest).sum(axis=1)).reshape(-1) > 0.0
    return _Quotient(rest, alive)


def _signed(X: Any, y: Array) -> Any:
    """Rows y_i x_i."""
    if sp.issparse(X):
        return sp.csr_array(sp.diags_array(y) @ X)
    return np.ascontiguousarray(X * y[:, None])


def _apart(X: Any, null: Array, y: Array) -> Array:
    """Rows z_i in a null space's coordinates, without what rounding left of zeros.

    Where ``null`` has one row more than X has columns, the last is the intercept's.
    """
    d = X.shape[1]
    part: Array = np.asarray(X @ null[:d]) + null[d:].sum(axis=0)
    size = np.asarray(abs(X) @ np.abs(null[:d])) + np.abs(null[d:]).sum(axis=0)
    part[np.abs(part) <= 1e-6 * size] = 0.0
    part *= y[:, None]
    return part


def _null_space(Z: Array, rank: int) -> Array:
    """Orthonormal columns N with Z N = 0, for Z of a known rank, of columns that are not zero."""
    d = Z.shape[1]
    if rank == d or rank == 0:
        return np.eye(d)[:, rank:]
    if rank > d:
        raise UnresolvedError
    scales = np.abs(Z).max(axis=0)
    _, values, Vt = np.linalg.svd(Z / scales)
    if values[rank - 1] <= _NOISE * values[0]:
        raise UnresolvedError
    null: Array = np.linalg.qr(Vt[rank:].T / scales[:, None])[0]
    null[np.abs(null) < 1e-12 * np.abs(null).max()] = 0.0  # or rows of zeros seem alive
    return null


def _task(Z: Any) -> Task:
    """Rows with their signs in them already, all free."""
    rows, n = thinned(Z), Z.shape[0]
    largest = float(largest_sqnorm(rows, n))
    return Task(rows, np.ones(n), np.full(n, active_set.FREE), Z.shape[1], largest)


def _held(quotient: _Quotient, clock: Clock) -> tuple[Array, Array]:
    """Which rows stay on the plane, and those whose weights prove it of the rows left."""
    held = np.ones(len(quotient.alive), bool)
    active = np.flatnonzero(quotient.alive)
    while len(active):
        Z = quotient.Z[active]
        near = _projected(Z, clock)
        moved = _moved(Z, near)
        if not moved.any():
            return held, active[near.bearing]
        held[active[moved]] = False
        active = active[~moved]
    return held, np.zeros(0, np.int64)


def _projected(Z: Any, clock: Clock) -> Nearest:
    """The projection of Σ z on the directions that are wrong about no row."""
    near = of_cone(_task(Z), np.asarray(Z.sum(axis=0)).reshape(-1), 1e-12, clock)
    clock.check()
    return near


def _bearing(quotient: _Quotient, held: Array, clock: Clock) -> Array:
    """The held rows whose weights prove it of all that are held."""
    active = np.flatnonzero(held & quotient.alive)
    if len(active) == 0:
        return active
    near = _projected(quotient.Z[active], clock)
    bearing: Array = active[near.bearing]
    return bearing


def _moved(Z: Any, near: Nearest) -> Array:
    """The rows that w takes to their side, far beyond rounding.

    Those that it moves little wait for the next round, whose w is theirs.
    """
    squares = Z.multiply(Z).sum(axis=1) if sp.issparse(Z) else np.einsum("ij,ij->i", Z, Z)
    lengths = np.sqrt(np.asarray(squares).reshape(-1))
    length, total = np.linalg.norm(near.w), np.linalg.norm(np.asarray(Z.sum(axis=0)))
    if near.is_zero or length <= _NOISE * total:
        return np.zeros(len(lengths), bool)
    cosines = np.asarray(Z @ near.w).reshape(-1) / (length * lengths)
    moved: Array = cosines > max(0.01 * cosines.max(), _NOISE)
    return moved


def _spanning(Z: Any, rows: Array) -> Array:
    """Independent rows among ``rows`` that span them all."""
    if len(rows) == 0:
        return rows
    part = Z[rows]
    if min(part.shape) > _MOST_DENSE:
        raise UnresolvedError
    dense = part.toarray() if sp.issparse(part) else part
    dense = dense[:, dense.any(axis=0)]
    dense = dense / np.linalg.norm(dense, axis=1)[:, None]
    chosen = np.arange(min(len(rows), 2 * dense.shape[1]))
    for _ in range(_ROUNDS):  # a factorization of few rows, and a look at what it misses
        Q, R, order = scipy.linalg.qr(dense[chosen].T, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(R))
        rank = int((diagonal > _NOISE * diagonal[0]).sum())
        Q, basis = Q[:, :rank], chosen[order[:rank]]
        missed = np.linalg.norm(dense - (dense @ Q) @ Q.T, axis=1) > 1e-6
        if not missed.any():
            found: Array = rows[basis]
            return found
        chosen = np.concatenate([basis, np.flatnonzero(missed)[: dense.shape[1]]])
    raise UnresolvedError


# --- the direction -------------------------------------------------------------------------------


def _direction(
    data: Labelled, intercept: bool, kept: Array, held: Array, basis: Array, clock: Clock
) -> tuple[int, ...] | Array:
    """Whole numbers δ, in the features ``kept``, with z·δ = 0 where ``held`` and > 0 elsewhere.

    ``basis`` spans what is held. The direction has about the widest margin that the held rows leave
    room for, along which a logistic regression's estimate runs off (Ji and Telgarsky 2019), and a
    part in every feature whose estimate the held rows do not fix. Where no direction does it, free
    rows that cancel.
    """
    free = np.flatnonzero(~held)
    Z, columns = _within(data, intercept, basis, kept)
    F, places = _within(data, intercept, free, kept)
    outside = ~np.isin(places, columns)
    null = _null_space(Z, len(basis))
    Q = F[:, outside]
    if null.shape[1]:
        shared = np.zeros((len(free), len(columns)))
        shared[:, np.searchsorted(columns, places[~outside])] = F[:, ~outside]
        Q = np.column_stack([Q, _apart(shared, null, np.ones(len(free)))])
    Q = np.ascontiguousarray(Q)
    task = _task(Q)._replace(group=np.zeros(len(free), np.int64))
    rank = -np.einsum("ij,ij->i", Q, Q)
    near = of_hulls(task, rank, 1e-6, clock)
    clock.check()
    least = float((Q @ near.w).min())
    if near.is_zero:
        return free[near.rows]
    if least <= 0.0:
        raise UnresolvedError
    w = _nowhere_zero(Q, near.w / least, null)
    delta = np.zeros(data.X.shape[1] + 1)
    outer = int(outside.sum())
    delta[places[outside]] = w[:outer]
    if null.shape[1]:
        delta[columns] = null @ w[outer:]
    return _whole(delta, Z, columns, null.shape[1] > 0, F, places)


def _nowhere_zero(Q: Array, w: Array, null: Array) -> Array:
    """A w with every Q w >= 1 that still has every Q w > 0, and moves every feature that may move.

    None of these features has a finite estimate, whether the widest margin needs it or not. Those
    that it does not need go where the rows, all together, are. The last of w's coordinates are
    those of ``null``, the others are features.
    """
    least = 0.25 / np.abs(Q).sum(axis=1).max()
    sides = np.where(Q.sum(axis=0) >= 0.0, 1.0, -1.0)
    needed = np.abs(w) > 1e-9 * least
    w = np.where(np.abs(w) >= least, w, least * np.where(needed, np.sign(w), sides))
    outer = len(w) - null.shape[1]
    moves = null @ w[outer:]
    idle = null.any(axis=1) & (np.abs(moves) <= 1e-9 * np.abs(moves).max(initial=0.0))
    if idle.any():
        push = null.T @ np.where(
            idle, np.where(null @ Q.sum(axis=0)[outer:] >= 0.0, 1.0, -1.0), 0.0
        )
        w[outer:] += least * push / np.abs(push).max()
    return w


def _identified(data: Labelled, intercept: bool, rows: Array) -> Array:
    """Features that are no combination of those before them, the intercept first.

    The others share their effect with those and have no estimate of their own: as in R, they are
    left out.
    """
    Z, columns = integers.augmented(data.X, data.y, rows, intercept)
    order = np.argsort(np.where(columns == data.X.shape[1], -1, columns))
    pivots = integers.pivot_columns(integers.integers(Z[:, order])[0])
    return np.sort(columns[order[pivots]])


def _within(data: Labelled, intercept: bool, rows: Array, kept: Array) -> tuple[Array, Array]:
    """Rows z_i in the columns that are kept."""
    Z, columns = integers.augmented(data.X, data.y, rows, intercept)
    inside = np.isin(columns, kept)
    return Z[:, inside], columns[inside]


def _whole(
    delta: Array, Z: Array, columns: Array, bent: bool, F: Array, places: Array
) -> tuple[int, ...]:
    """The direction in whole numbers, as small as its strictness allows.

    Where the held rows touch features that the direction uses (``bent``), it is made exactly
    orthogonal to them.
    """
    for bits in (24, 48) if bent else (0, 1, 2, 4, 8, 12, 16, 20, 24, 30, 45, 60):
        rounded = [int(value) for value in np.rint(np.ldexp(delta, bits)).tolist()]
        if any(value and not whole for value, whole in zip(delta, rounded, strict=True)):
            continue
        whole = integers.projected(Z, columns, rounded) if bent else rounded
        if whole is not None and _is_strict(F, [whole[j] for j in places]):
            return tuple(whole)
    raise UnresolvedError


def _is_strict(F: Array, direction: list[int]) -> bool:
    """Whether every row goes to its side, beyond the doubt of floats."""
    shift = max(0, max(map(abs, direction)).bit_length() - 60)
    small = np.array([float(value >> shift) for value in direction])
    along, size = F @ small, np.abs(F) @ np.abs(small)
    return bool((along > 1e-12 * size).all())


# --- the proof that the rest is held -------------------------------------------------------------


def _overlap(
    data: Labelled, intercept: bool, held: Array, rows: Array, weights: list[int], bearing: Array
) -> Overlap:
    """Positive weights on all held rows, with which they cancel.

    Every held row weighs D. The bearing rows balance that modulo the span of ``rows``, these
    balance the rest with some μ of any sign, and K of their own λ > 0, which cancel by themselves,
    make what they weigh positive.
    """
    base = np.concatenate([rows[:-1], bearing])
    Z, columns = integers.augmented(data.X, data.y, base, intercept)
    signs = np.where(held, data.y, 0.0)
    d = data.X.shape[1]
    sums = integers.signed_sum(data.X[:, columns[columns < d]], signs)
    if intercept:
        sums.append((int(signs.sum()), 0))
    found = integers.balanced(Z, sums)
    if found is None:
        raise UnresolvedError
    unit, moves = found
    total = dict.fromkeys(rows.tolist() + bearing.tolist(), unit)
    for i, move in zip(base.tolist(), moves, strict=True):
        total[i] += move
    times = max(0, *(-(total[i] // w) + 1 for i, w in zip(rows.tolist(), weights, strict=True)))
    for i, weight in zip(rows.tolist(), weights, strict=True):
        total[i] += times * weight
    if min(total.values()) <= 0:
        raise UnresolvedError
    return integers.overlap(total, unit)
