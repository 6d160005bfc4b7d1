"""The fewest mistakes that any hyperplane makes: the exact minimum, for few rows.

In general this minimum is NP-hard to find, and even to approximate (Johnson and Preparata 1978;
Amaldi and Kann 1995), which is why learners minimise other criteria. For a fixed number of
dimensions it takes polynomial time. Rows are written as z = y (x, 1); a mistake is z·v <= 0. The
directions v with one set of mistakes form a cone, and a facet of the best cone lies in the plane
z_i·v = 0 of some row. So for each row in turn the problem is solved within its plane, which has one
dimension less; in two dimensions the directions are sorted by angle. With D dimensions that takes
O(n^(D - 1) log n) steps: O(n² log n) for lines in the plane. All arithmetic is in integers.
"""

from __future__ import annotations

from functools import cmp_to_key
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.utils.arrays import ArrayLike, NDArray
from rosenblatt.utils.checks import Floats, Ints, check_X_y
from rosenblatt.utils.exact_margins import over_common_denominator

__all__ = ["FewestMistakes", "fewest_mistakes"]

MAX_STEPS = 1_000_000
"""Largest n^(D - 1): 1,000 rows in the plane, 100 in space, 31 in four dimensions."""

_ANGLE_DOUBT = 1e-12  # above the rounding error of an angle
Integers = NDArray[np.object_]


class FewestMistakes(NamedTuple):
    """A hyperplane with the fewest mistakes.

    Attributes
    ----------
    mistakes : int
        The minimum over all hyperplanes.
    rows : array of shape (mistakes,)
        The rows that this hyperplane gets wrong. Others may get other rows wrong, as few.
    w : array of shape (d,)
        Its normal vector, of length 1.
    b : float
        Its offset; 0 through the origin.
    direction : tuple of int
        (w, b) exactly, up to a positive factor; `w` and `b` are rounded. Without an offset, w.

    Examples
    --------
    >>> from rosenblatt import theory
    >>> found = theory.fewest_mistakes([[0.0], [1.0], [2.0]], [1, -1, 1])
    >>> found.mistakes, len(found.rows)
    (1, 1)
    """

    mistakes: int
    rows: Ints
    w: Floats
    b: float
    direction: tuple[int, ...]


def fewest_mistakes(X: ArrayLike, y: ArrayLike, *, fit_intercept: bool = True) -> FewestMistakes:
    """Find a hyperplane with the fewest mistakes on the rows, exactly.

    A row on the hyperplane, y (w·x + b) = 0, is a mistake. With an offset, no convention for sgn(0)
    has a smaller minimum: an offset a little larger or smaller moves the rows of one class off.

    Parameters
    ----------
    X : array of shape (n, d)
        The rows, n^d at most 1,000,000: 1,000 rows in the plane, 100 in space, 31 for d = 4, which
        take half a minute at most for ordinary floats. Without an offset, n^(d - 1). Floats count
        as the binary numbers that they hold, exactly; ``Fraction`` and ``Decimal`` as themselves.
    y : array of shape (n,)
        Labels, -1 and +1 or 0 and 1.
    fit_intercept : bool, default True
        True for any hyperplane w·x + b = 0, False for those through the origin.

    Returns
    -------
    FewestMistakes

    Raises
    ------
    ValueError
        Also if there are more rows than the limit allows, or fractions whose common denominator has
        more than 4,096 bits.

    Notes
    -----
    Lecture row L4.8: "computationally hard to find". Johnson and Preparata 1978, The densest
    hemisphere problem. For the widest margin on the rows that remain: `rosenblatt.certify`.

    Examples
    --------
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> best = fewest_mistakes(X, [-1, 1, 1, -1])  # no line is right about XOR
    >>> best.mistakes, len(best.rows)
    (1, 1)
    """
    rows, signs = check_X_y(X, y, require_both=False)
    n, D = len(rows), rows.shape[1] + bool(fit_intercept)
    if n ** (D - 1) > MAX_STEPS:
        raise ValueError(
            # + 1e-9: the cube root of 10^6 is 99.99999999999997 in floats.
            f"X must have at most {int(MAX_STEPS ** (1 / (D - 1)) + 1e-9)} rows in {rows.shape[1]} "
            f"dimensions, got {n}: the search takes n^{D - 1} steps. The pocket, "
            "rosenblatt.Perceptron(output='pocket'), gives a hyperplane with few mistakes"
        )
    Z = _as_integers(X, rows, signs, fit_intercept)
    solution = _minimum(Z, n + 1)
    assert solution is not None
    mistakes, v = solution
    if fit_intercept and not v[:-1].any():  # any slight slope does, too
        v = _move_off(v, np.array([1] + [0] * (D - 1), object), Z)
    (wrong,) = np.nonzero(Z @ v <= 0)
    assert len(wrong) == mistakes
    normal = v[:-1] if fit_intercept else v
    # far from the origin b is so much larger than w that the squares of w/b would be 0
    unit = min(max(map(abs, v)), max(map(abs, normal)) << 500)
    w_b = np.array([value / unit for value in v], np.float64)
    w, b = (w_b[:-1], w_b[-1]) if fit_intercept else (w_b, 0.0)
    length = float(np.linalg.norm(w))
    return FewestMistakes(mistakes, wrong, w / length, float(b) / length, tuple(v.tolist()))


def _as_integers(X: ArrayLike, floats: Floats, signs: Ints, fit_intercept: bool) -> Integers:
    """Return the rows, or (x, 1), times their signs, as integers: times a common denominator."""
    numbers, unit = over_common_denominator(X, floats)
    n = len(signs)
    Z: Integers = np.array([*numbers, None], object)[:-1].reshape(n, -1)
    if fit_intercept:
        Z = np.column_stack([Z, np.array([unit] * n, object)])
    Z *= signs.astype(object)[:, None]
    return Z


def _minimum(Z: Integers, limit: int) -> tuple[int, Integers] | None:
    """Return the fewest rows with z·v <= 0, and v; None if they are not fewer than `limit`."""
    nonzero = (Z != 0).any(axis=1)
    zeros, Z = int((~nonzero).sum()), Z[nonzero]
    limit -= zeros
    if limit <= 0:
        return None
    if len(Z) == 0:
        return zeros, np.array([1] * Z.shape[1], object)
    if Z.shape[1] <= 2:
        mistakes, v = _minimum_of_line(Z[:, 0]) if Z.shape[1] == 1 else _minimum_of_plane(Z)
        return (zeros + mistakes, v) if mistakes < limit else None
    best = None
    for z in Z:
        inside, pivot = _coordinates_inside(Z, z)
        parallel = ~(inside != 0).any(axis=1)
        same = int((Z[parallel] @ z > 0).sum())
        opposite = int(parallel.sum()) - same
        fewer = min(same, opposite)
        better = _minimum(inside[~parallel], limit - fewer)
        if better is not None:
            limit = better[0] + fewer
            v = _lift(better[1], z, pivot)
            best = limit, _move_off(v, z if opposite <= same else -z, Z)
    return None if best is None else (zeros + best[0], best[1])


def _coordinates_inside(Z: Integers, z: Integers) -> tuple[Integers, int]:
    """Return the rows as functions of the coordinates within the plane z·v = 0, but one.

    That one, the pivot, follows from the others: v_p = -Σ z_j v_j / z_p.
    """
    pivot = int(np.argmax(z != 0))
    inside = abs(z[pivot]) * Z - np.outer(Z[:, pivot], z) * (1 if z[pivot] > 0 else -1)
    return np.delete(inside, pivot, axis=1), pivot


def _lift(v: Integers, z: Integers, pivot: int) -> Integers:
    """Return the vector of the plane z·v = 0 with these coordinates, times a positive number."""
    others = np.delete(z, pivot)
    follows = -(others @ v) * (1 if z[pivot] > 0 else -1)
    lifted: Integers = np.insert(abs(z[pivot]) * v, pivot, follows)
    return lifted


def _move_off(v: Integers, z: Integers, Z: Integers) -> Integers:
    """Move v a little to the side of z: no product with a row changes its sign, except from 0."""
    pairs = [(abs(a), abs(c)) for a, c in zip(Z @ v, Z @ z, strict=True) if a and c]
    # the step: a power of two, so that every product is left with at least half its size
    shift = min((a.bit_length() - c.bit_length() - 2 for a, c in pairs), default=0)
    moved: Integers = v * (1 << max(0, -shift)) + z * (1 << max(0, shift))
    return moved


def _minimum_of_line(numbers: Integers) -> tuple[int, Integers]:
    """Return the fewest numbers, none of them 0, with z v <= 0, and v."""
    positive = int((numbers > 0).sum())
    negative = len(numbers) - positive
    return min(positive, negative), np.array([1 if positive >= negative else -1], object)


def _minimum_of_plane(Z: Integers) -> tuple[int, Integers]:
    """Return the fewest rows in the plane, none of them 0, with z·v <= 0, and v.

    Rows below the x axis are turned by half a circle, so that every row lies on one of m rays with
    angles in [0, π). For c between rays k - 1 and k, and v = c + 90°, the turned rows of the rays
    from k on have positive products with v, those of the first k rays negative ones.
    """
    turned = (Z[:, 1] < 0) | ((Z[:, 1] == 0) & (Z[:, 0] < 0))
    folded = np.where(turned[:, None], -Z, Z)
    order, starts = _sort_by_angle(folded)
    change = np.append(0, np.cumsum(np.where(turned[order], -1, 1)))
    errors, rays = turned.sum() + change[starts], folded[order[starts]]
    k = int(np.minimum(errors, len(Z) - errors).argmin())
    if len(rays) == 1:
        v = rays[0]
    else:
        left, right = rays[k], rays[k - 1] if k else -rays[-1]
        x, y = left * max(map(abs, right)) + right * max(map(abs, left))  # about in the middle
        v = np.array([-y, x], object)
    mistakes = int(errors[k])
    return (mistakes, v) if 2 * mistakes <= len(Z) else (len(Z) - mistakes, -v)


def _sort_by_angle(Z: Integers) -> tuple[Ints, Ints]:
    """Sort rows of the upper half-plane by angle; return the order, and where each ray begins.

    Floats sort them up to rounding, integers sort what floats cannot tell apart.
    """
    cosines, sines = (Z / np.abs(Z).max(axis=1)[:, None]).astype(np.float64).T
    angles = np.arctan2(sines, cosines)
    order = np.argsort(angles)
    begins = np.diff(angles[order], prepend=-np.inf) > _ANGLE_DOUBT

    def compare(i: int, j: int) -> Any:
        return _turn(Z[j], Z[i])

    edges = np.append(np.flatnonzero(begins), len(Z))
    for k in np.flatnonzero(np.diff(edges) > 1):
        first, end = edges[k : k + 2]
        near = sorted(order[first:end], key=cmp_to_key(compare))
        order[first:end] = near
        begins[first + 1 : end] = [_turn(Z[i], Z[j]) != 0 for i, j in pairwise(near)]
    return order, np.flatnonzero(begins)


def _turn(first: Integers, second: Integers) -> Any:
    """Return the cross product: positive if the second vector is to the left of the first."""
    return first[0] * second[1] - first[1] * second[0]
