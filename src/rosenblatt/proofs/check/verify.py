"""Check every claim of a certificate from nothing, in exact arithmetic.

Nothing here is shared with the search that finds certificates but the reading of rows and labels.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.proofs.check.data import Labelled, as_labels, as_matrix, feature_names
from rosenblatt.proofs.check.exact_signs import TINY, UNIT, exact, scaled, sides
from rosenblatt.proofs.check.exact_sums import (
    at_most,
    chunks,
    column_sums,
    combine,
    row_square,
    squared,
    total,
)
from rosenblatt.proofs.check.record import Claim, Record, Verification
from rosenblatt.proofs.check.wellformed import malformed, shown

Array = NDArray[Any]
Finding = tuple[str, str]  # the claim, and why it does not hold: "" where it does


def verify(proof: Record, X: Any, y: Any, names: tuple[str, ...] | None = None) -> Verification:
    """Check every claim of ``proof`` for the rows ``X`` and labels ``y``.

    Floats decide where a proven bound on their rounding lets them; all the rest is exact.

    Parameters
    ----------
    proof : Record
        From anywhere: nothing in it is taken on trust.
    X : array or sparse matrix of shape (n, d)
    y : labels of shape (n,)
    names : tuple of str, optional
        Of the columns, where X does not say so itself.

    Returns
    -------
    Verification
        The claims in the order in which they were checked, up to the first that does not hold.

    Raises
    ------
    ValueError
        ``X`` or ``y`` is no data that could have been certified.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from rosenblatt.proofs.check.wellformed import an_example
    >>> X, y = [[1.0], [-1.0]], [1, 0]
    >>> seal = Labelled(np.array(X), np.array([1.0, -1.0])).digest()
    >>> proof = replace(an_example(), digest=seal)
    >>> bool(verify(proof, X, y))
    True
    >>> print(verify(replace(proof, margin=(1.5, 1.5)), X, y).failed)
    every row is at least the lower end of the margin away: row 0 is nearer than 1.5
    """
    names, X = names or feature_names(X), as_matrix(X)
    return check(proof, X, as_labels(y, X.shape[0]), names)


def check(
    proof: Record, X: Any, labels: Array, names: tuple[str, ...] | None = None
) -> Verification:
    """:func:`verify`, for rows and labels that were read already."""
    claims = []
    with np.errstate(all="ignore"):
        for text, why in _findings(proof, X, labels, names):
            claims.append(Claim(text, not why, why))
            if why:
                break
    return Verification(tuple(claims))


def _findings(
    proof: Record, X: Any, labels: Array, names: tuple[str, ...] | None
) -> Iterator[Finding]:
    """Claim after claim; each may rely on those before it."""
    yield "the certificate is well-formed", malformed(proof)
    yield "the rows have the proof's shape", _other_shape(proof, X)
    if names is not None and proof.feature_names is not None:
        yield "the features have the proof's names", _other_names(proof.feature_names, names)
    signs, why = _signs_of(proof, labels)
    yield "the labels are those of the proof's classes", why
    data = Labelled(X, signs)
    yield "the data are those of the proof", _other_data(proof, data)
    if sp.issparse(X) and X.dtype != np.float64:
        data = Labelled(X.astype(np.float64), signs)
    yield "no row is longer than the radius", _too_long(proof, data)
    if proof.status == "separable":
        yield from _separable(proof, data)
    elif proof.status == "undecided" and proof.margin[1] > 0.0:
        yield _UPPER, _too_low(proof, data)
    else:
        yield (
            "the listed rows cancel exactly, so nothing separates the classes",
            _remains(proof, data),
        )
    if proof.status in ("quasi-separable", "inseparable"):
        yield from _overlapping(proof, data)
    yield "what diverges has the signs of the direction", _other_signs(proof)
    yield "the perceptron's run contradicts none of this", _other_run(proof)


# --- the data ------------------------------------------------------------------------------------


def _other_shape(proof: Record, X: Any) -> str:
    return (
        "" if proof.shape == X.shape else f"the proof is about {proof.shape}, these are {X.shape}"
    )


def _other_names(proof: tuple[str, ...], found: tuple[str, ...]) -> str:
    pairs = zip(proof, found, strict=True)
    return next((f"{a!r} in the proof is {b!r} in the data" for a, b in pairs if a != b), "")


def _signs_of(proof: Record, labels: Array) -> tuple[Array, str]:
    positive = _equal(labels, proof.positive)
    negative = ~positive if proof.negative is None else _equal(labels, proof.negative)
    signs = np.where(positive, 1.0, -1.0)
    if not (known := positive | negative).all():
        row = int(known.argmin())
        return signs, f"row {row} has the label {shown(labels[row])}"
    for side, name in ((positive, proof.positive), (negative, proof.negative)):
        if not side.any():
            return signs, "no row has " + ("another label" if name is None else shown(name))
    return signs, ""


def _equal(labels: Array, label: Any) -> Array:
    """Which labels are ``label``; what cannot be compared is not."""
    try:
        return np.asarray(labels == label, dtype=bool).reshape(labels.shape)
    except (TypeError, ValueError, OverflowError):
        return np.zeros(labels.shape, dtype=bool)


def _other_data(proof: Record, data: Labelled) -> str:
    found = data.digest()
    return (
        "" if found == proof.digest else f"the proof says {proof.digest!r:.90}, these are {found}"
    )


def _too_long(proof: Record, data: Labelled) -> str:
    """‖x_i‖ <= R for every row."""
    d, radius = data.shape[1], float(proof.radius)
    if radius == math.inf:
        return ""
    limit = min(radius * radius * (1.0 - 4.0 * UNIT), sys.float_info.max)  # at most R², if normal
    numerator, power = _square_of(radius)
    for rows, part in chunks(data.X):
        lengths = _square_lengths(part) * (1.0 + 2.0 * (d + 4) * UNIT) + d * TINY
        if lengths.max() <= limit - TINY:
            continue
        for i in np.flatnonzero(~(lengths <= limit - TINY)):
            values = part[[i]].data if sp.issparse(part) else part[i]
            if not at_most(*row_square(values), numerator, power):
                return f"row {rows.start + i} is longer than {radius!r}"
    return ""


def _square_lengths(part: Any) -> Array:
    if sp.issparse(part):
        return part.multiply(part).sum(axis=1)  # type: ignore[no-any-return]
    lengths: Array = np.einsum("ij,ij->i", part, part)
    return lengths


def _square_of(value: float) -> tuple[int, int]:
    """A float's square, exactly: a whole number and its exponent."""
    over, under = value.as_integer_ratio()
    return over * over, 2 - 2 * under.bit_length()


# --- separable -----------------------------------------------------------------------------------

_UPPER = "no separator has a margin above the upper end"


def _separable(proof: Record, data: Labelled) -> Iterator[Finding]:
    assert proof.coef is not None  # well-formed
    strict = "every row lies strictly on its own side of the separator"
    if proof.direction is not None:
        crossed = np.flatnonzero(sides(data, proof.direction, (0, 0), 0.0) <= 0)
        yield strict, f"row {crossed[0]} does not" if len(crossed) else ""
        yield "coef and intercept are the direction, rounded", _other_direction(proof)
        yield _UPPER, _too_low(proof, data)
        return
    low = proof.margin[0]
    norm = math.sqrt(float(proof.coef @ proof.coef))
    yield "the separator has length 1", "" if abs(norm - 1.0) <= 1e-12 else f"found {norm!r}"
    v = np.append(proof.coef, proof.intercept)
    numbers, exponents = exact(proof.coef)
    over, power = squared(numbers, exponents)
    square, shift = _square_of(low)
    # The computed length is off by a factor of 1 ± (d + 4) u at most.
    near = low * norm * (1.0 + 2.0 * (len(v) + 4) * UNIT)
    found = sides(data, v, (over * square, power + shift), near)
    wrong = np.flatnonzero(found < 0)
    if len(wrong):
        crossed = np.flatnonzero(sides(data, v, (0, 0), 0.0) <= 0)
        yield strict, f"row {crossed[0]} does not" if len(crossed) else ""
    else:
        yield strict, ""
    nearer = f"row {wrong[0]} is nearer than {low!r}" if len(wrong) else ""
    yield "every row is at least the lower end of the margin away", nearer
    yield _UPPER, _too_low(proof, data)


def _too_low(proof: Record, data: Labelled) -> str:
    """By weak duality any weights λ > 0 bound the margin from above.

    With an intercept it is at most half the distance between two weighted means, one of each class;
    without, at most ‖Σ λ_i y_i x_i‖/Σ λ_i.
    """
    high = proof.margin[1]
    if high == math.inf:
        return ""
    positive = data.y[proof.rows] > 0
    above = sum(w for w, side in zip(proof.weights, positive, strict=True) if side)
    below = sum(proof.weights) - above
    if proof.fit_intercept and not (above and below):
        return "the listed rows are all of one class"
    square, shift = _square_of(high)
    if proof.fit_intercept:  # ‖A/above − B/below‖ <= 2 high, times above · below
        weights = [
            w * below if side else -w * above
            for w, side in zip(proof.weights, positive, strict=True)
        ]
        limit = (2 * above * below) ** 2 * square
    else:
        weights = [w if side else -w for w, side in zip(proof.weights, positive, strict=True)]
        limit = (above + below) ** 2 * square
    found = squared(*combine(data.X, proof.rows, weights)[1:])
    return "" if at_most(*found, limit, shift) else f"the listed rows do not bound it by {high!r}"


# --- not separable -------------------------------------------------------------------------------


def _remains(proof: Record, data: Labelled) -> str:
    """Gordan: Σ λ_i z_i = 0 with λ >= 0, not all 0, exactly where no v has every z_i·v > 0."""
    most = data.shape[1] + (2 if proof.fit_intercept else 1)
    if len(proof.rows) > most:
        return f"{len(proof.rows)} rows are listed, and {most} are always enough"
    signs = data.y[proof.rows].astype(np.int64).tolist()
    weights = [w * sign for w, sign in zip(proof.weights, signs, strict=True)]
    if proof.fit_intercept and sum(weights):
        return "the two classes do not weigh the same"
    columns, sums, _ = combine(data.X, proof.rows, weights)
    return next((f"feature {j} remains" for j, s in zip(columns, sums, strict=True) if s), "")


def _overlapping(proof: Record, data: Labelled) -> Iterator[Finding]:
    plane = np.ones(data.shape[0], dtype=bool)
    if proof.direction is not None:
        found = sides(data, proof.direction, (0, 0), 0.0)
        yield (
            "no row lies on the wrong side of the direction, and some off its plane",
            _no_direction(found),
        )
        yield "coef and intercept are the direction, rounded", _other_direction(proof)
        plane = found == 0
    yield (
        "all rows on the plane cancel exactly, so no direction moves any of them off it",
        _uncovered(proof, data, plane),
    )


def _no_direction(found: Array) -> str:
    if found.min() < 0:
        return f"row {int(found.argmin())} lies on the wrong side"
    return "" if found.max() > 0 else "every row lies on the plane"


def _other_direction(proof: Record) -> str:
    """Each number rounded to float64, all of them scaled by one power of two."""
    assert proof.direction is not None  # well-formed
    assert proof.coef is not None
    found = [*proof.coef.tolist(), proof.intercept]
    largest = max(range(len(found)), key=lambda j: abs(proof.direction[j]))  # type: ignore[index]
    bits = abs(proof.direction[largest]).bit_length()
    power = math.frexp(found[largest])[1] - math.frexp(scaled(proof.direction[largest], -bits))[1]
    for j, (value, whole) in enumerate(zip(found, proof.direction, strict=True)):
        if (value or whole) and value != scaled(whole, power - bits):
            return f"number {j} of the direction is rounded to {value!r}"
    return ""


def _uncovered(proof: Record, data: Labelled, plane: Array) -> str:
    """Stiemke: Σ λ_i z_i = 0 with every λ_i > 0 leaves no v with z_i·v >= 0, and > 0 for some."""
    overlap = proof.overlap
    assert overlap is not None  # well-formed
    if len(off := overlap.rows[~plane[overlap.rows]]):
        return f"row {off[0]} does not lie on the plane"
    signs = data.y[overlap.rows].astype(np.int64).tolist()
    more = [(w - overlap.rest) * s for w, s in zip(overlap.weights, signs, strict=True)]
    on_plane = data.y * plane
    if proof.fit_intercept and overlap.rest * int(on_plane.sum()) + sum(more):
        return "the two classes do not weigh the same"
    sums, powers = column_sums(data.X, on_plane)
    for j, value, power in zip(*combine(data.X, overlap.rows, more), strict=True):
        common = total([(overlap.rest * sums[j], powers[j]), (value, power)])
        sums[j], powers[j] = common, 0  # only whether it is 0 counts
    return next((f"feature {j} remains" for j, s in enumerate(sums) if s), "")


def _other_signs(proof: Record) -> str:
    expected: Any
    if proof.direction is not None:
        expected = np.array([(v > 0) - (v < 0) for v in proof.direction[:-1]])
    elif proof.coef is not None:
        expected = np.sign(proof.coef)
    else:
        expected = np.zeros(proof.shape[1])
    wrong = np.flatnonzero(expected != proof.diverging)
    return f"feature {wrong[0]} has another sign" if len(wrong) else ""


def _other_run(proof: Record) -> str:
    """A clean pass separates, and no run makes more mistakes than Novikoff's bound."""
    if proof.converged and proof.status != "separable":
        return "its last pass was clean"
    bound = proof.mistake_bound
    return f"{proof.mistakes} mistakes are more than {bound!r}" if proof.mistakes > bound else ""
