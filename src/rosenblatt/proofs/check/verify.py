"""Verification of a certificate: every claim, in exact arithmetic, independently of the search.

============================ ======================= ==============================================
claim                        theorem                 arithmetic
============================ ======================= ==============================================
form, shape, labels, digest                          comparisons
R ≥ ‖x‖ for every row                                floats with an error bound, else integers
a separator, margin ≥ low                            the same; its length 1 to within 1e-12
margin ≤ high                weak duality            integers
the rows determine it        Karush, Kuhn, Tucker    floats with an error bound, else integers
Σ λ_i z_i = 0, λ > 0         Gordan                  integers
a direction, an overlap      Stiemke                 error-free sums of floats, and integers
signs of ``diverging``                               comparisons; that its zeros are determined is
                                                     not checked
============================ ======================= ==============================================

The verifier shares with the search the form of the data and of the certificate's fields, and the
formula of the mistake bound; of exact arithmetic only the error-free sum of two floats.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.check import exact
from rosenblatt.proofs.check.data import (
    LabelledData,
    as_labels,
    dense_block,
    exact_rows,
    feature_names,
    labelled,
    row_chunks,
)
from rosenblatt.proofs.check.exact import TINY, UNIT
from rosenblatt.proofs.check.record import Claim, Record, Verification, first_fault, short_repr
from rosenblatt.proofs.check.rows import NUMBERS, ExactRows
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.words import count

ClaimCheck = tuple[str, str]  # the claim, and its counter-example, "" if it holds


def verify(
    proof: Record, X: Matrix, y: ArrayLike, names: tuple[str, ...] | None = None
) -> Verification:
    """Verify every claim of ``proof`` for the rows ``X`` and labels ``y``.

    A result in floats counts where a proven bound on its rounding error suffices; all else is
    computed exactly.

    Parameters
    ----------
    proof : Record
        From any source: no field is trusted.
    X : array or sparse matrix of shape (n, d)
    y : labels of shape (n,)
    names : tuple of str, optional
        Names of the columns, if X has none.

    Returns
    -------
    Verification
        The claims in the order of the checks, up to the first that does not hold.

    Raises
    ------
    ValueError
        ``X`` or ``y`` is not valid data, as in :func:`~rosenblatt.proofs.certify`.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from rosenblatt import certify
    >>> X, y = [[1.0], [-1.0]], [1, 0]
    >>> proof = certify(X, y, fit_intercept=False)
    >>> bool(verify(proof, X, y))
    True
    >>> print(verify(replace(proof, margin=(1.5, 1.5)), X, y).failed)
    every row has at least the margin's lower end: row 0 has less than 1.5
    """
    names, rows = names or feature_names(X), exact_rows(X)
    return verify_rows(proof, rows, as_labels(y, rows.shape[0]), names)


def verify_rows(
    proof: Record, rows: ExactRows, labels: Array, names: tuple[str, ...] | None = None
) -> Verification:
    """Verify the claims for rows and labels in the form of :mod:`~rosenblatt.proofs.check.data`."""
    start, claims = time.perf_counter(), []
    with np.errstate(all="ignore"):
        for text, why in _claim_checks(proof, rows, labels, names):
            claims.append(Claim(text, not why, why))
            if why:
                break
    return Verification(tuple(claims), time.perf_counter() - start)


def _claim_checks(
    proof: Record, rows: ExactRows, labels: Array, names: tuple[str, ...] | None
) -> Iterator[ClaimCheck]:
    """Check one claim after another; each check may rely on the claims before it."""
    yield "the certificate is well-formed", first_fault(proof)
    yield "the rows have the proof's shape", _shape_fault(proof, rows)
    if names is not None and proof.feature_names is not None:
        yield "the features have the proof's names", _names_fault(proof.feature_names, names)
    signs, why = _signs_and_fault(proof, labels)
    yield "the labels are those of the proof's classes", why
    data = labelled(rows, signs)
    yield "the data has the proof's digest", _digest_fault(proof, data)
    if sp.issparse(data.X) and data.X.dtype != np.float64:
        data = replace(data, X=data.X.astype(np.float64))
    yield "no row is longer than the radius", _radius_fault(proof, data)
    if proof.status == "separable":
        yield from _separable_checks(proof, data)
    elif proof.status == "undecided" and proof.margin[1] > 0.0:
        yield _UPPER_CLAIM, _upper_fault(proof, data, proof.margin[1])
    else:
        yield (
            "the weighted sum of the listed rows is exactly 0, so no separator exists",
            _residual_fault(proof, data),
        )
    if proof.status in ("quasi-separable", "inseparable"):
        yield from _overlap_checks(proof, data)
    yield "diverging has the signs of the direction", _diverging_fault(proof)
    yield (
        "the noted counts of a perceptron run, which is not repeated here, are possible",
        _run_fault(proof),
    )


# --- the data ------------------------------------------------------------------------------------


def _shape_fault(proof: Record, rows: ExactRows) -> str:
    shape = rows.shape
    return "" if proof.shape == shape else f"the proof has {proof.shape}, the data {shape}"


def _names_fault(proof: tuple[str, ...], names: tuple[str, ...]) -> str:
    if len(proof) != len(names):  # names that were given
        return f"the proof has {count(len(proof), 'feature')}, {len(names):,} are named"
    pairs = zip(proof, names, strict=True)
    return next((f"{a!r} in the proof is {b!r} in the data" for a, b in pairs if a != b), "")


def _signs_and_fault(proof: Record, labels: Array) -> tuple[Array, str]:
    positive = _equal(labels, proof.positive)
    negative = ~positive if proof.negative is None else _equal(labels, proof.negative)
    signs = np.where(positive, 1.0, -1.0)
    if not (matched := positive | negative).all():
        row = int(matched.argmin())
        return signs, f"row {row} has the label {short_repr(labels[row])}"
    for side, name in ((positive, proof.positive), (negative, proof.negative)):
        if not side.any():
            return signs, "no row has " + ("another label" if name is None else short_repr(name))
    return signs, ""


def _equal(labels: Array, label: object) -> Array:
    """Compare labels with ``label``, elementwise; False where a comparison is impossible."""
    try:
        return np.asarray(labels == label, dtype=bool).reshape(labels.shape)
    except (TypeError, ValueError, OverflowError):
        return np.zeros(labels.shape, dtype=bool)


def _digest_fault(proof: Record, data: LabelledData) -> str:
    """Check that the numbers are of the kind and have the digest of the proof."""
    if (numbers := data.rows.numbers) != proof.numbers:
        hint = "" if proof.numbers == NUMBERS[0] else ": pass the file, or Decimal or Fraction"
        return f"it is about {proof.numbers} numbers, the data has {numbers} numbers{hint}"
    digest = data.digest()
    return (
        "" if digest == proof.digest else f"the proof has {proof.digest!r:.90}, the data {digest}"
    )


def _radius_fault(proof: Record, data: LabelledData) -> str:
    """Check ‖x_i‖ <= R for every row."""
    d, radius = data.shape[1], float(proof.radius)
    if radius == math.inf:
        return ""
    numerator, power = _exact_square(radius, data)
    scaled = radius * math.ldexp(float(data.unit[0]), data.unit[1])
    limit = min(scaled * scaled * (1.0 - 8.0 * UNIT), sys.float_info.max)  # at most R², if normal
    for rows, part in row_chunks(data.X):
        sqnorms = _sqnorms(part) * (1.0 + 2.0 * (d + 6) * UNIT) + d * TINY
        if sqnorms.max() <= limit - TINY or not abs(part).max():
            continue
        for i in np.flatnonzero(~(sqnorms <= limit - TINY)):
            row = rows.start + i
            _, numbers, exponents = exact.weighted_row_sum(data.parts, np.array([row]), [1])
            if not exact.is_at_most(*exact.sqnorm(numbers, exponents), numerator, power):
                return f"row {row} is longer than {radius!r}"
    return ""


def _sqnorms(part: Matrix) -> Array:
    if sp.issparse(part):
        return part.multiply(part).sum(axis=1)  # type: ignore[no-any-return]
    lengths: Array = np.einsum("ij,ij->i", part, part)
    return lengths


def _exact_square(value: float, data: LabelledData) -> tuple[int, int]:
    """Return the square of a float in the data's unit: an integer and its binary exponent."""
    numerator, denominator = value.as_integer_ratio()
    unit, power = data.unit
    return (numerator * unit) ** 2, 2 * (power + 1 - denominator.bit_length())


# --- separable -----------------------------------------------------------------------------------

_UPPER_CLAIM = "no separator has a margin above the upper end"
_ROUNDING_CLAIM = "coef and intercept are the direction, rounded"
_LENGTH_CLAIM = "the separator has length 1"


def _separable_checks(proof: Record, data: LabelledData) -> Iterator[ClaimCheck]:
    assert proof.coef is not None  # well-formed
    low, direction = proof.margin[0], proof.direction
    v = np.append(proof.coef, proof.intercept) if direction is None else direction
    if direction is None:
        yield _LENGTH_CLAIM, _length_fault(proof.coef)
    level = _margin_level(v, low, data)
    near = np.flatnonzero(exact.exact_signs(data, v, level) < 0)
    crossed = near  # none, where every row is above a level > 0
    if not level[0] or len(near):
        crossed = np.flatnonzero(exact.exact_signs(data, v) <= 0)
    strict = "every row lies strictly on its own side of the separator"
    yield strict, f"row {crossed[0]} does not" if len(crossed) else ""
    if direction is not None:
        yield _ROUNDING_CLAIM, _rounding_fault(proof)
        if low > 0.0:
            yield _LENGTH_CLAIM, _length_fault(proof.coef)
    if low > 0.0:
        too_close = f"row {near[0]} has less than {low!r}" if len(near) else ""
        yield "every row has at least the margin's lower end", too_close
    yield _UPPER_CLAIM, _upper_fault(proof, data, proof.margin[1])
    if proof.determined:
        yield (
            "the listed rows determine the margin: no row is nearer to the hyperplane of their "
            "weighted sum, and the upper end is their bound",
            _determined_fault(proof, data),
        )


def _length_fault(coef: Array) -> str:
    norm = math.sqrt(float(coef @ coef))
    return "" if abs(norm - 1.0) <= 1e-12 else f"it has {norm!r}"


def _margin_level(v: Array | tuple[int, ...], low: float, data: LabelledData) -> tuple[int, int]:
    """Return the square of low ‖w‖, v = (w, b), in the data's unit: an integer and its exponent."""
    numbers, exponents = exact.vector_to_integers(v)
    square_of_norm, power = exact.sqnorm(numbers[:-1], exponents[:-1])
    square, shift = _exact_square(low, data)
    return square_of_norm * square, power + shift


def _determined_fault(proof: Record, data: LabelledData) -> str:
    """Check that the rows and weights solve the problem of the maximal margin exactly.

    Their bound is then the maximal margin, and the upper end must be it, rounded up to a float.
    Let w be the difference of the weighted means of the classes (without an intercept: the weighted
    sum Σ λ y x). If every listed row has the smallest y w·x of its class (without an intercept: of
    all rows), w has the largest margin of all directions, and the listed rows prove it.
    """
    unit, unit_power = data.unit
    weights = _signed_weights(proof, data)[0]
    columns, numbers, exponents = exact.weighted_row_sum(data.parts, proof.rows, weights)
    least = min(exponents, default=0)
    w = [0] * data.shape[1]
    for j, value, exponent in zip(columns, numbers, exponents, strict=True):
        w[j] = value << (exponent - least)
    for side in (1, -1):
        listed = data.y[proof.rows] == side
        first = proof.rows[listed][:1] if proof.fit_intercept else proof.rows[:1]
        level, power = 0, 0
        for part in data.parts:
            A = dense_block(part, first, np.array(columns, np.int64))
            (product,), shift = exact.exact_dots(A, [w[j] for j in columns], [0] * len(columns))
            level, power = exact.added((level, power), (product, shift))
        if not proof.fit_intercept:
            level *= side * int(data.y[first[0]])
        scaled = [value * unit << max(0, -power) for value in w]
        v = (*scaled, -level << max(0, power) - unit_power)
        signs = exact.exact_signs(data, v)
        if len(nearer := np.flatnonzero((signs < 0) & (data.y == side))):
            return f"row {nearer[0]} is nearer"
        if len(farther := np.flatnonzero(signs[proof.rows] * listed)):
            return f"row {proof.rows[farther[0]]} is not as near as the others"
    less = math.nextafter(proof.margin[1], 0.0)
    return "" if _upper_fault(proof, data, less) else f"the margin is at most {less!r}"


def _signed(weights: Iterable[int], rows: Array, data: LabelledData) -> list[int]:
    """Return λ_i y_i."""
    return [w * s for w, s in zip(weights, data.y[rows].astype(np.int64).tolist(), strict=True)]


def _signed_weights(proof: Record, data: LabelledData) -> tuple[list[int], int, int]:
    """Return weights whose sum of rows is the difference of the means, or Σ λ y x, times a factor.

    With an intercept the weights of each class are normalised by their own sum. These are returned,
    too, of the rows of +1 first.
    """
    signed = _signed(proof.weights, proof.rows, data)
    above = sum(w for w in signed if w > 0)
    below = above - sum(signed)
    if proof.fit_intercept:
        signed = [w * below if w > 0 else w * above for w in signed]
    return signed, above, below


def _upper_fault(proof: Record, data: LabelledData, high: float) -> str:
    """Check an upper bound on the margin, by weak duality with the weights λ > 0.

    With an intercept the margin is at most half the distance between the weighted means of the two
    classes; without, at most ‖Σ λ_i y_i x_i‖/Σ λ_i.
    """
    if high == math.inf:
        return ""
    weights, above, below = _signed_weights(proof, data)
    if proof.fit_intercept and not (above and below):
        return "the listed rows are all of one class"
    # ‖A/above − B/below‖ <= 2 high, times above · below; or ‖Σ λ y x‖ <= high Σ λ
    times = 2 * above * below if proof.fit_intercept else above + below
    square, shift = _exact_square(high, data)
    total = exact.weighted_row_sum(data.parts, proof.rows, weights)
    if exact.is_at_most(*exact.sqnorm(*total[1:]), times**2 * square, shift):
        return ""
    return f"the listed rows do not prove a bound of {high!r}"


# --- not separable -------------------------------------------------------------------------------


def _residual_fault(proof: Record, data: LabelledData) -> str:
    """Check Σ λ_i z_i = 0 (Gordan: such λ >= 0, not all 0, exist iff no v has all z_i·v > 0)."""
    enough = data.shape[1] + (2 if proof.fit_intercept else 1)
    if len(proof.rows) > enough:
        return f"{len(proof.rows)} rows are listed, but {enough} always suffice"
    weights = _signed(proof.weights, proof.rows, data)
    if proof.fit_intercept and sum(weights) != 0:
        return "the weights of the two classes have different sums"
    columns, sums, _ = exact.weighted_row_sum(data.parts, proof.rows, weights)
    nonzero = (j for j, s in zip(columns, sums, strict=True) if s)
    return next((f"the sum of feature {j} is not 0" for j in nonzero), "")


def _overlap_checks(proof: Record, data: LabelledData) -> Iterator[ClaimCheck]:
    plane = np.ones(data.shape[0], dtype=bool)
    if proof.direction is not None:
        signs = exact.exact_signs(data, proof.direction)
        yield (
            "no row lies on the wrong side of the direction, and at least one off its plane",
            _direction_fault(signs),
        )
        yield _ROUNDING_CLAIM, _rounding_fault(proof)
        plane = signs == 0
    yield (
        "the weighted sum of all rows on the plane is exactly 0, so no direction separates them",
        _overlap_fault(proof, data, plane),
    )


def _direction_fault(signs: Array) -> str:
    if signs.min() < 0:
        return f"row {int(signs.argmin())} lies on the wrong side"
    return "" if signs.max() > 0 else "every row lies on the plane"


def _rounding_fault(proof: Record) -> str:
    """Check that coef and intercept are the direction, rounded and scaled by a power of two."""
    assert proof.direction is not None  # well-formed
    assert proof.coef is not None
    floats = [*proof.coef.tolist(), proof.intercept]
    largest = max(range(len(floats)), key=lambda j: abs(proof.direction[j]))  # type: ignore[index]
    bits = abs(proof.direction[largest]).bit_length()
    power = (
        math.frexp(floats[largest])[1]
        - math.frexp(exact.round_scaled(proof.direction[largest], -bits))[1]
    )
    for j, (value, exact_value) in enumerate(zip(floats, proof.direction, strict=True)):
        if (value or exact_value) and value != exact.round_scaled(exact_value, power - bits):
            return f"number {j} of the direction is rounded to {value!r}"
    return ""


def _overlap_fault(proof: Record, data: LabelledData, plane: Array) -> str:
    """Check Σ λ_i z_i = 0 with all λ_i > 0 (Stiemke: then z_i·v >= 0 for all i implies all = 0)."""
    overlap = proof.overlap
    assert overlap is not None  # well-formed
    if len(off := overlap.rows[~plane[overlap.rows]]):
        return f"row {off[0]} does not lie on the plane"
    surplus = _signed([w - overlap.rest for w in overlap.weights], overlap.rows, data)
    on_plane = data.y * plane
    if proof.fit_intercept and overlap.rest * int(on_plane.sum()) + sum(surplus):
        return "the weights of the two classes have different sums"
    sums, powers = exact.column_sums(data.parts, on_plane)
    listed = exact.weighted_row_sum(data.parts, overlap.rows, surplus)
    for j, value, power in zip(*listed, strict=True):
        sums[j], _ = exact.added((overlap.rest * sums[j], powers[j]), (value, power))
    return next((f"the sum of feature {j} is not 0" for j, s in enumerate(sums) if s), "")


def _diverging_fault(proof: Record) -> str:
    expected: Array
    if proof.direction is not None:
        expected = np.array([(v > 0) - (v < 0) for v in proof.direction[:-1]])
    elif proof.coef is not None:
        expected = np.sign(proof.coef)
    else:
        expected = np.zeros(proof.shape[1])
    wrong = np.flatnonzero(expected != proof.diverging)
    return f"feature {wrong[0]} has another sign" if len(wrong) else ""


def _run_fault(proof: Record) -> str:
    """Check the run: an epoch without a mistake separates and is the last, and Novikoff's bound."""
    if proof.converged and proof.status != "separable":
        return "its last epoch had no mistake"
    if not proof.epochs and (proof.mistakes or proof.converged):
        return "it has no epoch"
    bound = proof.mistake_bound
    return f"{proof.mistakes} mistakes exceed {bound!r}" if proof.mistakes > bound else ""
