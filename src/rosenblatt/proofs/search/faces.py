"""The minimal face of inseparable data: rows with z·δ = 0 for every δ with Zδ >= 0.

The search also finds a direction δ with z·δ > 0 on all other rows. Rows with Σ λ z = 0, λ > 0, are
on the face (Stiemke 1915): z·δ >= 0 for all rows implies z·δ = 0 for these rows, and for all rows
in their span. Modulo this span, the shortest Σ z + Σ ν z with ν >= 0 decides many rows at once: it
is the projection of Σ z on the cone of directions with Zδ >= 0 (Moreau 1962). Rows with a positive
product are not on the face; if the projection is zero, all remaining rows are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from rosenblatt.engine import hulls
from rosenblatt.engine.matrices import as_compact_rows
from rosenblatt.engine.rows import largest_sqnorm
from rosenblatt.proofs.check.record import Overlap
from rosenblatt.proofs.search import integers
from rosenblatt.proofs.search.nearest import (
    Deadline,
    HullProblem,
    NearestPoints,
    Task,
    nearest_points,
    project_on_cone,
)
from rosenblatt.utils.arrays import Array, Matrix

MAX_DENSE = 4000  # rows and columns of a dense factorization
_ROUNDS = 20  # corrections after rounding errors, before the search gives up on floats
_SVD_COST = 3.0  # operations per cubed column, those of a pivoted QR factorisation being 1
_PRODUCT_COST = 0.1  # of a product of matrices
_DENSE_COST = 20.0  # per number of a matrix that is made dense and normalised
_NOISE = 1e-9  # relative to the largest: smaller results of a subtraction count as zero


class UnresolvedError(Exception):
    """Floats are not precise enough for a decision."""


@dataclass(frozen=True)
class MinimalFace:
    """The minimal face of an inseparable or quasi-separable set, with its proof.

    Attributes
    ----------
    overlap : Overlap
        Weights that prove that the rows of the face (all rows without a direction) are on it.
    direction : tuple of int, or None
        A direction δ with z·δ > 0 for all other rows, if there are any.
    """

    overlap: Overlap
    direction: tuple[int, ...] | None


def minimal_face(task: Task, rows: Array, weights: list[int]) -> MinimalFace:
    """Return the minimal face of data with Σ λ z = 0 for ``rows`` and ``weights``.

    Raises
    ------
    UnresolvedError
        Floats are not precise enough.
    TimeLimitError
        The time limit is exceeded.
    """
    deadline, inner = task.deadline, rows[:-1]  # independent rows of the face
    full = rest = _quotient(task, inner)
    spanning = _spanning_rows(full.Z, np.flatnonzero(full.nonzero), deadline)
    columns = _identifiable_features(task, np.concatenate([inner, spanning]))
    for _ in range(_ROUNDS):
        fixed, balancing = _fixed_rows(rest, deadline)
        spanning = _spanning_rows(rest.Z, np.flatnonzero(fixed & rest.nonzero), deadline)
        basis = np.concatenate([inner, spanning])
        direction = None if fixed.all() else _moving_direction(task, columns, fixed, basis)
        if not isinstance(direction, np.ndarray):
            if rest is not full:
                balancing = _balancing_rows(full, fixed, deadline)
            proving = np.concatenate([rows, balancing])
            deadline.check(integers.relation_cost(task.data, proving))
            overlap = _face_overlap(task, fixed, rows, weights, balancing)
            return MinimalFace(overlap, direction)
        # By rounding, these rows seemed not to be on the face; their span is on it, too.
        inner = np.concatenate([inner, _spanning_rows(rest.Z, direction, deadline)])
        rest = _quotient(task, inner)
    raise UnresolvedError


# --- the quotient modulo a span ------------------------------------------------------------------


@dataclass(frozen=True)
class _Quotient:
    """Rows modulo a span: z_i in coordinates of the orthogonal complement."""

    Z: Matrix
    nonzero: Array  # rows that are not in the span


def _quotient(task: Task, inner: Array) -> _Quotient:
    """Return all rows modulo the span of independent rows."""
    data, X, (n, d) = task.data, task.data.X, task.data.shape
    Z, columns = integers.augmented_rows(data, inner, task.intercept)
    products = _PRODUCT_COST * float(n) * len(columns) ** 2
    task.deadline.check_factorization(_SVD_COST * float(len(columns)) ** 3 + products)
    others = np.setdiff1d(np.arange(d), columns)
    null = _null_space(Z, len(inner))
    rest = _signed_rows(X[:, others], data.y)
    if null.shape[1]:
        inside = columns[columns < d]
        part = _project(X[:, inside], null, data.y)
        if sp.issparse(rest):
            rest = sp.csr_array(sp.hstack([rest, sp.csr_array(part)], format="csr"))
        else:
            rest = np.column_stack([rest, part])
    nonzero = np.asarray(abs(rest).sum(axis=1)).reshape(-1) > 0.0
    return _Quotient(rest, nonzero)


def _signed_rows(X: Matrix, y: Array) -> Matrix:
    """Return the rows y_i x_i."""
    if sp.issparse(X):
        return sp.csr_array(sp.diags_array(y) @ X)
    return np.ascontiguousarray(X * y[:, None])


def _project(X: Matrix, null: Array, y: Array) -> Array:
    """Return rows z_i in coordinates of a null space, with 0 for rounding errors.

    If ``null`` has one row more than X has columns, the last row is for the intercept.
    """
    d = X.shape[1]
    part: Array = np.asarray(X @ null[:d]) + null[d:].sum(axis=0)
    size = np.asarray(abs(X) @ np.abs(null[:d])) + np.abs(null[d:]).sum(axis=0)
    part[np.abs(part) <= 1e-6 * size] = 0.0  # a null space has errors of 1e-16/_NOISE
    part *= y[:, None]
    return part


def _null_space(Z: Array, rank: int) -> Array:
    """Return orthonormal columns N with Z N = 0, for Z of known rank without zero columns."""
    d = Z.shape[1]
    if rank == d or rank == 0:
        return np.eye(d)[:, rank:]
    if rank > d:
        raise UnresolvedError
    Z = Z.astype(np.float64)
    scales = np.abs(Z).max(axis=0)
    _, values, Vt = np.linalg.svd(Z / scales)
    if values[rank - 1] <= _NOISE * values[0]:
        raise UnresolvedError
    null: Array = np.linalg.qr(Vt[rank:].T / scales[:, None])[0]
    null[np.abs(null) < 1e-12 * np.abs(null).max()] = 0.0  # else zero rows appear nonzero
    return null


def _cone_problem(Z: Matrix) -> HullProblem:
    """Return the problem of projecting on the cone of signed rows."""
    rows, n = as_compact_rows(Z), Z.shape[0]
    largest = float(largest_sqnorm(rows, n))
    return HullProblem(rows, np.ones(n), np.full(n, hulls.FREE), Z.shape[1], largest)


def _fixed_rows(quotient: _Quotient, deadline: Deadline) -> tuple[Array, Array]:
    """Return a mask of the rows on the face, and the rows whose weights prove it."""
    fixed = np.ones(len(quotient.nonzero), bool)
    active = np.flatnonzero(quotient.nonzero)
    while len(active):
        Z = quotient.Z[active]
        near = _cone_projection(Z, deadline)
        moved = _moved_rows(Z, near)
        if not moved.any():
            return fixed, active[near.active_rows]
        fixed[active[moved]] = False
        active = active[~moved]
    return fixed, np.zeros(0, np.int64)


def _cone_projection(Z: Matrix, deadline: Deadline) -> NearestPoints:
    """Return the projection of Σ z on the cone of directions with Zδ >= 0."""
    near = project_on_cone(_cone_problem(Z), np.asarray(Z.sum(axis=0)).reshape(-1), 1e-12, deadline)
    deadline.check()
    return near


def _balancing_rows(quotient: _Quotient, fixed: Array, deadline: Deadline) -> Array:
    """Return the rows of the face whose weights prove that all of them are on it."""
    active = np.flatnonzero(fixed & quotient.nonzero)
    if len(active) == 0:
        return active
    near = _cone_projection(quotient.Z[active], deadline)
    balancing: Array = active[near.active_rows]
    return balancing


def _moved_rows(Z: Matrix, near: NearestPoints) -> Array:
    """Return a mask of the rows with a product z·w far above rounding errors.

    Rows with smaller products are decided in the next round, with its own w.
    """
    squares = Z.multiply(Z).sum(axis=1) if sp.issparse(Z) else np.einsum("ij,ij->i", Z, Z)
    lengths = np.sqrt(np.asarray(squares).reshape(-1))
    length, total = np.linalg.norm(near.w), np.linalg.norm(np.asarray(Z.sum(axis=0)))
    if near.is_zero or length <= _NOISE * total:
        return np.zeros(len(lengths), bool)
    cosines = np.asarray(Z @ near.w).reshape(-1) / (length * lengths)
    # a hundredth: what is far smaller than the largest product may be rounding, and is asked again
    moved: Array = cosines > max(0.01 * cosines.max(), _NOISE)
    return moved


def _spanning_rows(Z: Matrix, rows: Array, deadline: Deadline) -> Array:
    """Return independent rows among ``rows`` that span all of them.

    A QR factorisation with column pivoting (Businger and Golub 1965) of few rows tells their rank;
    rows that its span misses join the next.
    """
    if len(rows) == 0:
        return rows
    part = Z[rows]
    if min(part.shape) > MAX_DENSE:
        raise UnresolvedError
    columns = np.unique(part.indices) if sp.issparse(part) else np.flatnonzero(part.any(axis=0))
    width, dense = len(columns), np.empty((0, 0))
    chosen = np.arange(min(len(rows), 2 * width))
    for _ in range(_ROUNDS):  # factorise few rows, then test the others
        rank = min(len(chosen), width)
        factors, products = float(len(chosen)) * width, _PRODUCT_COST * len(rows) * width
        deadline.check_factorization((factors + products) * rank + _DENSE_COST * len(rows) * width)
        dense = dense if dense.size else _unit_rows(part[:, columns])
        Q, R, order = scipy.linalg.qr(dense[chosen].T, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(R))
        rank = int((diagonal > _NOISE * diagonal[0]).sum())
        Q, basis = Q[:, :rank], chosen[order[:rank]]
        # rows have length 1, and their distances from the span errors of 1e-16/_NOISE
        missed = np.linalg.norm(dense - (dense @ Q) @ Q.T, axis=1) > 1e-6
        if not missed.any():
            spanning: Array = rows[basis]
            return spanning
        chosen = np.concatenate([basis, np.flatnonzero(missed)[:width]])
    raise UnresolvedError


def _unit_rows(Z: Matrix) -> Array:
    """Return the rows as a dense matrix, each divided by its length."""
    dense = Z.toarray() if sp.issparse(Z) else Z
    unit: Array = dense / np.linalg.norm(dense, axis=1)[:, None]
    return unit


# --- the direction -------------------------------------------------------------------------------


def _moving_direction(
    task: Task, features: Array, fixed: Array, basis: Array
) -> tuple[int, ...] | Array:
    """Return integers δ, over ``features``, with z·δ = 0 where ``fixed`` and > 0 elsewhere.

    ``basis`` spans the fixed rows. Among such directions the result has approximately the maximal
    margin, as the direction in which a logistic regression diverges (Ji and Telgarsky 2019), and it
    is nonzero in every feature whose coefficient the fixed rows do not determine. If there is no
    such direction, return the indices of free rows with a positive combination equal to 0.
    """
    deadline, free = task.deadline, np.flatnonzero(~fixed)
    Z, columns = _rows_in_columns(task, basis, features)
    deadline.check_factorization(_SVD_COST * float(len(columns)) ** 3)
    deadline.check(integers.relation_cost(task.data, basis))
    F, F_columns = _rows_in_columns(task, free, features)
    F = F.astype(np.float64, copy=False)
    outside = ~np.isin(F_columns, columns)
    null = _null_space(Z, len(basis))
    Q = F[:, outside]
    if null.shape[1]:
        shared = np.zeros((len(free), len(columns)))
        shared[:, np.searchsorted(columns, F_columns[~outside])] = F[:, ~outside]
        Q = np.column_stack([Q, _project(shared, null, np.ones(len(free)))])
    Q = np.ascontiguousarray(Q)
    problem = _cone_problem(Q)._replace(group=np.zeros(len(free), np.int64))
    rank = -np.einsum("ij,ij->i", Q, Q)
    near = nearest_points(problem, rank, 1e-6, deadline)
    deadline.check()
    least = float((Q @ near.w).min())
    if near.is_zero:
        return free[near.rows]
    if least <= 0.0:
        raise UnresolvedError
    w = _moving_every_feature(Q, near.w / least, null)
    delta = np.zeros(task.data.shape[1] + 1)
    outer = int(outside.sum())
    delta[F_columns[outside]] = w[:outer]
    if null.shape[1]:
        delta[columns] = null @ w[outer:]
    return _integer_direction(delta, Z, columns, null.shape[1] > 0, F, F_columns)


def _moving_every_feature(Q: Array, w: Array, null: Array) -> Array:
    """Change a w with Q w >= 1 so that Q w > 0 and every feature that can be nonzero is nonzero.

    None of these features has a finite coefficient, even if the maximal margin does not use it. An
    unused feature gets the sign of the sum of its column. The last coordinates of w are those of
    ``null``, the others are features.
    """
    # w changes by twice this, and once more below: every product Q w >= 1 loses less than 1
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


def _identifiable_features(task: Task, rows: Array) -> Array:
    """Return the features that are linearly independent of earlier ones, the intercept first.

    Other features have no coefficient of their own and are omitted, as in R.
    """
    Z, columns = integers.augmented_rows(task.data, rows, task.intercept)
    task.deadline.check(float(len(rows)) ** 2 * len(columns))
    order = np.argsort(np.where(columns == task.data.shape[1], -1, columns))
    pivots = integers.pivot_columns(integers.scale_to_integers(Z[:, order])[0])
    return np.sort(columns[order[pivots]])


def _rows_in_columns(task: Task, rows: Array, features: Array) -> tuple[Array, Array]:
    """Return rows z_i in the given columns."""
    Z, columns = integers.augmented_rows(task.data, rows, task.intercept)
    inside = np.isin(columns, features)
    return Z[:, inside], columns[inside]


def _integer_direction(
    delta: Array, Z: Array, columns: Array, orthogonalise: bool, F: Array, F_columns: Array
) -> tuple[int, ...]:
    """Return the direction in integers, as small as possible with strictly positive products.

    With ``orthogonalise``, for fixed rows with nonzero features that the direction uses, the result
    is exactly orthogonal to them.
    """
    # few bits first, for small integers; then up to those of floats, and the projection anew
    for bits in (24, 48) if orthogonalise else (0, 1, 2, 4, 8, 12, 16, 20, 24, 30, 45, 60):
        rounded = [int(value) for value in np.rint(np.ldexp(delta, bits)).tolist()]
        if any(value and not integer for value, integer in zip(delta, rounded, strict=True)):
            continue
        exact = integers.project_out(Z, columns, rounded) if orthogonalise else rounded
        if exact is not None and _is_strict(F, [exact[j] for j in F_columns]):
            return tuple(exact)
    raise UnresolvedError


def _is_strict(F: Array, direction: list[int]) -> bool:
    """Return True if every row's product is positive, beyond the rounding error."""
    shift = max(0, max(map(abs, direction)).bit_length() - 60)  # 60 bits: more than floats hold
    small = np.array([float(value >> shift) for value in direction])
    along, size = F @ small, np.abs(F) @ np.abs(small)
    return bool((along > 1e-12 * size).all())


# --- the proof that the other rows are on the face -----------------------------------------------


def _face_overlap(
    task: Task, fixed: Array, rows: Array, weights: list[int], balancing: Array
) -> Overlap:
    """Return positive weights on all rows of the face with the weighted sum 0.

    Weights of Stiemke's theorem (1915). Every row of the face has the weight D. The balancing rows
    make the sum 0 modulo the span of ``rows``; these make it exactly 0 with weights μ of any sign;
    and K times their own weights λ > 0, whose weighted sum is 0, make all weights positive.
    """
    data, base = task.data, np.concatenate([rows[:-1], balancing])
    Z, columns = integers.augmented_rows(data, base, task.intercept)
    signs = np.where(fixed, data.y, 0.0)
    inside = columns[columns < data.shape[1]]
    parts = (integers.signed_sum(part[:, inside], signs) for part in data.parts)
    sums = [reduce(integers.added, column) for column in zip(*parts, strict=True)]
    if task.intercept:
        sums.append((int(signs.sum()), 0))
    balance = integers.solve_balance(Z, sums)
    if balance is None:
        raise UnresolvedError
    unit, moves = balance
    total = dict.fromkeys(rows.tolist() + balancing.tolist(), unit)
    for i, move in zip(base.tolist(), moves, strict=True):
        total[i] += move
    times = max(0, *(-(total[i] // w) + 1 for i, w in zip(rows.tolist(), weights, strict=True)))
    for i, weight in zip(rows.tolist(), weights, strict=True):
        total[i] += times * weight
    if min(total.values()) <= 0:
        raise UnresolvedError
    return integers.make_overlap(total, unit)
