"""The verifier of audits: the convergence theorem on a run, checked from the rows alone.

It shares no code with what makes an audit, and computes every vector and every product again, in
integers: floats are integers times one power of two.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.check.record import Claim, Verification
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.words import count

MOST_NUMBERS = 2**25
"""Rows and corrections x features of an audit that is saved or read: 256 MB as floats."""
MOST_WORK = 20_000_000_000
"""These times the bits of a number, and :data:`_STEP` for each row: about half a minute."""
_STEP = 10_000  # the work of a row or correction whatever its numbers, 15 µs: loops of Python

MOST_BITS = 2**20
"""Bits of λ, or of a number along u: a fraction of longer ones would take seconds."""


@dataclass(frozen=True, eq=False)
class AuditRecord:
    """What an audit says, and all that is needed to check it.

    Attributes
    ----------
    X : ndarray of shape (n, D), float64
        The rows as they are scored: with the constant 1, where there is one.
    y : ndarray of shape (n,), int64
        −1 and +1.
    eta : float
        η.
    tie : int
        sgn(0): −1, 0, or +1.
    offset : int or None
        The column of the constant 1: 0, −1, or None.
    start : ndarray of shape (D,), float64
        w_0.
    order : ndarray of shape (k,), int64
        The corrected rows.
    direction : tuple of int, or None
        A vector along u; None if u is along Σ λ y x.
    rows, weights : ndarray of int64, tuple of int
        Rows with their λ > 0. Σ λ y x / Σ λ is claimed to be the point of the hull of all y x that
        is nearest to 0, so that its direction has the largest γ. Empty with a ``direction``.
    radius2, gamma2, bound : Fraction
        R², γ², and ‖w_0/η − α u‖²/R².
    allowed : int
        The floor of the bound.
    """

    X: Array
    y: Array
    eta: float
    tie: int
    offset: int | None
    start: Array
    order: Array
    direction: tuple[int, ...] | None
    rows: Array
    weights: tuple[int, ...]
    radius2: Fraction
    gamma2: Fraction
    bound: Fraction
    allowed: int


def fault(audit: AuditRecord) -> str:
    """Return the first field that is not well-formed, and why; "" if all are."""
    return next(_faults(audit), "")


def _faults(audit: AuditRecord) -> Iterator[str]:
    X = audit.X
    n, d = X.shape if X.ndim == 2 else (0, 0)
    if not n or not d or not np.isfinite(X).all():
        yield "X must have one row or more, of one length, of finite numbers"
    if audit.y.shape != (n,) or not (np.abs(audit.y) == 1).all():
        yield f"y must have {count(n, 'sign')}, -1 or 1"
    if not 0.0 < audit.eta < math.inf:
        yield f"eta must be a finite number > 0; found {audit.eta!r}"
    if audit.tie not in (-1, 0, 1):
        yield f"tie must be -1, 0 or 1; found {audit.tie}"
    if audit.offset not in (None, 0, -1):
        yield f"offset must be 0, -1 or null; found {audit.offset}"
    if audit.offset is not None and (d < 2 or not (X[:, audit.offset] == 1.0).all()):
        yield f"X must have the constant 1 in column {audit.offset}, the offset"
    if audit.start.shape != (d,) or not np.isfinite(audit.start).all():
        yield f"start must have {count(d, 'finite number')}"
    for name, rows in (("order", audit.order), ("rows", audit.rows)):
        if len(rows) and not (rows.min() >= 0 and rows.max() < n):
            yield f"{name} must have rows from 0 to {n - 1}"
    if len(set(audit.rows.tolist())) < len(audit.rows) or len(audit.rows) != len(audit.weights):
        yield "rows must be different, with one number of weights each"
    if not all(weight > 0 for weight in audit.weights):
        yield "weights must be > 0"
    if (audit.direction is None) != bool(audit.weights):
        yield "direction must be null if there are weights, and only then"
    if audit.direction is not None and (len(audit.direction) != d or not any(audit.direction)):
        yield f"direction must have {count(d, 'whole number')}, not all 0"
    if (n + len(audit.order)) * d > MOST_NUMBERS:
        yield f"order must be shorter: {MOST_NUMBERS:,} numbers of rows and corrections at most"
    bits = max(map(abs, audit.direction or audit.weights), default=0).bit_length()
    if bits > MOST_BITS:
        yield f"direction and weights must have at most {MOST_BITS:,} bits; found {bits:,}"
    work = d * (_bits(X, audit.start, audit.eta) + bits) + _STEP
    if (n + len(audit.order)) * work > MOST_WORK:
        yield "order must be shorter, or the numbers: the check would take minutes"


def _bits(X: Array, start: Array, eta: float) -> int:
    """Return about the bits of an integer, if all numbers have one power of two."""
    numbers = np.concatenate([X.ravel(), start])
    powers = np.frexp(numbers[numbers != 0.0])[1].astype(np.int64)
    return 106 + int(np.ptp(powers) if len(powers) else 0) + abs(int(np.frexp(eta)[1]))


def verify_theorem(
    audit: AuditRecord, X: Matrix = None, labels: Array | None = None
) -> Verification:
    """Verify every claim of an audit in exact arithmetic, and that it is about the data, if given.

    Parameters
    ----------
    audit : AuditRecord
        From any source.
    X : array or sparse matrix of shape (n, d), optional
        Rows without the constant 1.
    labels : array of shape (n,), optional
        Their labels, of two classes: the second of the sorted classes is +1.

    Returns
    -------
    Verification
        The claims in the order of the checks, up to the first that does not hold.
    """
    started, claims = time.perf_counter(), []
    for text, why in _claims(audit, X, labels):
        claims.append(Claim(text, not why, why))
        if why:
            break
    return Verification(tuple(claims), time.perf_counter() - started)


def _claims(audit: AuditRecord, X: Matrix, labels: Array | None) -> Iterator[tuple[str, str]]:
    """Yield each claim and its fault; each may rely on the claims before it.

    In units of a power of two, rows, start and the direction z are integers, and so is b v_t for
    η = a/b: every claim, with its denominators multiplied out, is a comparison of integers.
    """
    yield "the audit is well-formed", fault(audit)
    if labels is not None:
        yield "the rows and labels are those of the data", _data_fault(audit, X, labels)
    n, k, order = len(audit.X), len(audit.order), audit.order.tolist()
    rows, unit = _integers([*audit.X.tolist(), audit.start.tolist()])
    start, signs = rows.pop(), audit.y.tolist()
    signed = [[sign * value for value in row] for row, sign in zip(rows, signs, strict=True)]
    longest = max(_dot(row, row) for row in rows)
    yield "R is the length of the longest row", _unequal("R²", audit.radius2, longest * unit**2)
    z = list(audit.direction or [])
    if audit.direction is None:
        chosen = [signed[i] for i in audit.rows.tolist()]
        z = [_dot(audit.weights, column) for column in zip(*chosen, strict=True)]
    square, levels = _dot(z, z), [_dot(row, z) for row in signed]
    level = min(levels)
    why = f"row {levels.index(level)} has y (u·x) <= 0" if level <= 0 else ""
    why = why or _unequal("γ²", audit.gamma2, Fraction(level**2, square) * unit**2)
    yield f"a unit vector u has y (u·x) >= γ > 0 on {count(n, 'row')}", why
    if audit.direction is None:
        # p = z/Σ λ is in the hull of the rows y x, and y x·p >= p·p: so no u has a γ > ‖p‖
        nearest = level * sum(audit.weights) == square
        why = "" if nearest else "Σ λ y x / Σ λ is not the point of their hull nearest to 0"
        yield "no unit vector has a larger γ", why
    a, b = audit.eta.as_integer_ratio()
    v, squares, products, scores = [b * value for value in start], [], [], []
    for i in [*order, None]:
        squares.append(_dot(v, v))
        products.append(_dot(v, z))
        if i is not None:
            scores.append(_dot(v, signed[i]))
            v = [value + a * move for value, move in zip(v, signed[i], strict=True)]
    wrong = [t for t, score in enumerate(scores) if score > 0]
    why = f"row {order[wrong[0]]} is right at correction {wrong[0] + 1}" if wrong else ""
    ties = sum(not score and signs[i] == audit.tie for score, i in zip(scores, order, strict=True))
    tied = f" ({ties} at 0, right with sgn(0) = {audit.tie:+d})" if ties else ""
    yield f"{count(k, 'correction')} w ← w + η y x, each at y (w·x) <= 0{tied}", why
    grown = [(t, squares[t] - squares[0], products[t] - products[0]) for t in range(k + 1)]
    wrong = [t for t, _, along in grown if along < t * a * level]
    yield "claim 1, u·w_t >= u·w_0 + t η γ, after each correction", _after(wrong)
    wrong = [t for t, length, _ in grown if length > t * a**2 * longest]
    yield "claim 2, ‖w_t‖² <= ‖w_0‖² + t η² R², after each correction", _after(wrong)
    wrong = [
        t
        for t, length, along in grown
        if level * length - 2 * longest * a * along > -t * longest * a**2 * level
    ]
    text = "claim 3, ‖w_t/η - α u‖² <= ‖w_0/η - α u‖² - t R², after each correction"
    yield text, _after(wrong)
    bound = Fraction(squares[0], a**2 * longest) - Fraction(2 * products[0], a * level)
    bound += Fraction(longest * square, level**2)
    why = _unequal("it", audit.bound, bound)
    if audit.allowed != math.floor(bound):
        why = why or f"its floor is {_shown(Fraction(math.floor(bound)))}"
    yield "the bound is ‖w_0/η - α u‖²/R², α = R²/γ", why
    why = f"there are {k:,}" if k > audit.allowed else ""
    yield f"the theorem allows {_shown(Fraction(audit.allowed))} corrections, {k:,} were made", why


def _after(wrong: list[int]) -> str:
    return f"not after {count(wrong[0], 'correction')}" if wrong else ""


def _data_fault(audit: AuditRecord, X: Matrix, labels: Array) -> str:
    points = audit.X if audit.offset is None else np.delete(audit.X, audit.offset, axis=1)
    if X.shape != points.shape:
        return f"the audit has {points.shape[0]} rows of {points.shape[1]}; got {X.shape}"
    signs = np.where(labels == np.unique(labels)[-1], 1, -1)
    for start in range(0, len(points), 4096):
        part = X[start : start + 4096]
        dense = part.toarray() if sp.issparse(part) else np.asarray(part)
        same = (dense == points[start : start + 4096]).all(axis=1)
        same &= signs[start : start + 4096] == audit.y[start : start + 4096]
        if not same.all():
            return f"row {start + int(same.argmin())} is another"
    return ""


def _integers(rows: list[list[float]]) -> tuple[list[list[int]], Fraction]:
    """Return floats as integers times one power of two."""
    ratios = [[value.as_integer_ratio() for value in row] for row in rows]
    unit = max(b for row in ratios for _, b in row)
    return [[a * (unit // b) for a, b in row] for row in ratios], Fraction(1, unit)


def _dot(v: Sequence[int], w: Sequence[int]) -> int:
    return sum(map(mul, v, w))


def _unequal(name: str, claimed: Fraction, computed: Fraction) -> str:
    return "" if claimed == computed else f"{name} is {_shown(computed)}, not {_shown(claimed)}"


def _shown(value: Fraction) -> str:
    """Format a fraction of any length."""
    if max(abs(value.numerator), value.denominator) < 10**20:
        return f"{value}"
    try:
        return f"{float(value):.17g}"
    except OverflowError:
        return "a number beyond the floats"
