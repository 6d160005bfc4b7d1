"""The fields of a certificate, its claims, and the result of their verification."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt import theory
from rosenblatt.proofs.check.rows import NUMBERS
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.words import count

Label = Any

STATUSES = ("separable", "quasi-separable", "inseparable", "undecided")


@dataclass(frozen=True, eq=False)
class Overlap:
    """Positive weights on all rows of the plane, the proof that no direction separates any of them.

    Attributes
    ----------
    rows : ndarray of int64
        Rows with individual weights, ascending.
    weights : tuple of int
        Weights of these rows, > 0.
    rest : int
        Weight, > 0, of every other row on the plane.

    Examples
    --------
    >>> from rosenblatt import certify
    >>> proof = certify([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, 0, 0])
    >>> proof.overlap.rows.tolist(), proof.overlap.weights, proof.overlap.rest
    ([0, 1, 2, 3], (1, 1, 1, 1), 1)
    """

    rows: Array
    weights: tuple[int, ...]
    rest: int


@dataclass(frozen=True, eq=False)
class Record:
    """Fields of a certificate, as its :class:`~rosenblatt.proofs.Certificate` documents them."""

    status: str
    margin: tuple[float, float]
    rows: Array
    weights: tuple[int, ...]
    coef: Array | None
    intercept: float
    direction: tuple[int, ...] | None
    overlap: Overlap | None
    diverging: Array
    radius: float
    mistakes: int
    epochs: int
    converged: bool
    positive: Label
    negative: Label | None
    fit_intercept: bool
    shape: tuple[int, int]
    digest: str
    feature_names: tuple[str, ...] | None = None
    seconds: float = 0.0
    determined: bool = False
    numbers: str = NUMBERS[0]

    def __repr__(self) -> str:
        """Return a summary in one line; the weights may have a thousand digits."""
        n, d = self.shape
        low, high = self.margin
        proving = "1 row proves it" if len(self.rows) == 1 else f"{len(self.rows)} rows prove it"
        bounds = f"margin {low!r} to {high!r}" if high > 0.0 else proving
        return f"<{type(self).__name__}: {self.status}, {n} x {d}, {bounds}>"

    @property
    def mistake_bound(self) -> float:
        """Upper bound on a perceptron's mistakes, for any order and any number of epochs.

        With an intercept (R² + 1)(1 + b²)/γ², for the rows (x, 1) (L2.3); without, (R/γ)² (L0.5). γ
        is the lower end of ``margin``. Infinite without a separator.
        """
        if self.margin[0] == 0.0 or self.radius == math.inf:
            return math.inf
        if self.fit_intercept:
            b = abs(self.intercept)
            if self.direction is not None:  # the offset is rounded
                b = math.nextafter(b, math.inf)
            return theory.offset_bound(self.radius, self.margin[0], b)
        return self.origin_bound

    @property
    def origin_bound(self) -> float:
        """(R/γ)² (L0.5): the bound for a known offset, where only w is learned."""
        if self.margin[0] == 0.0 or self.radius == math.inf:
            return math.inf
        return theory.mistake_bound(self.radius, self.margin[0])


@dataclass(frozen=True)
class Claim:
    """One statement of a proof; ``holds`` is true or not, ``why`` is the counter-example.

    Attributes
    ----------
    text : str
        The statement.
    holds : bool
    why : str
        The counter-example, or "".

    Examples
    --------
    >>> from rosenblatt import certify
    >>> proof = certify([[0], [1]], [0, 1])
    >>> claim = proof.verify([[0], [1]], [0, 1]).claims[0]
    >>> claim.text, claim.holds
    ('the certificate is well-formed', True)
    """

    text: str
    holds: bool
    why: str = ""


@dataclass(frozen=True)
class Verification:
    """Result of a verification: true as a condition if and only if every claim holds.

    Attributes
    ----------
    claims : tuple of Claim
        In the order of the checks, which end at the first claim that fails.
    seconds : float
        Duration of the verification.

    Examples
    --------
    >>> Verification((Claim("the weights are positive", False, "row 3 has the weight -1"),)).failed
    'the weights are positive: row 3 has the weight -1'
    """

    claims: tuple[Claim, ...]
    seconds: float = field(default=0.0, compare=False)

    def __bool__(self) -> bool:
        return all(claim.holds for claim in self.claims)

    def __repr__(self) -> str:
        """Return a summary in one line."""
        if self:
            return f"<Verification: all {len(self.claims)} claims hold>"
        return f"<Verification: failed, {self.failed}>"

    @property
    def failed(self) -> str | None:
        """The first claim that does not hold, with its counter-example; None if all hold."""
        for claim in self.claims:
            if not claim.holds:
                return f"{claim.text}: {claim.why}" if claim.why else claim.text
        return None


_WITH_COEF = ("separable", "quasi-separable")
_WITH_OVERLAP = ("quasi-separable", "inseparable")
_MAX_SIZE = 2**48  # rows and columns


def first_fault(proof: Record) -> str:
    """Return the first field that is not well-formed, its expected and its actual value; or "".

    The certificate may be from any source. Its claims are not checked.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from rosenblatt import certify
    >>> proof = certify([[1.0], [-1.0]], [1, 0])
    >>> first_fault(proof), first_fault(replace(proof, radius=-1.0))
    ('', 'radius must be a number >= 0; found -1.0')
    """
    return next(_faults(proof), "")


def _faults(proof: Record) -> Iterator[str]:
    """Yield all faults; a check may rely on the checks before it, so only the first counts."""
    yield from _scalar_faults(proof)
    yield from _margin_faults(proof)
    yield from _row_faults("rows", proof.rows, proof.weights, proof.shape[0])
    yield from _status_faults(proof)
    yield from _vector_faults(proof)
    if proof.overlap is not None:
        yield from _overlap_faults(proof.overlap, proof.shape[0])


def _is_int(value: object, minimum: int = 0) -> bool:
    return type(value) is int and value >= minimum


def _is_nonnegative(value: object) -> bool:
    return isinstance(value, float) and value >= 0.0  # False for NaN


def _is_label(value: object) -> bool:
    kinds = (str, np.bool_, np.integer)
    if isinstance(value, float | np.floating):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < 2**64
    return isinstance(value, kinds)


def _is_pair(value: object, fits: Callable[[Any], bool]) -> bool:
    return type(value) is tuple and len(value) == 2 and all(map(fits, value))


def _is_names(value: object, d: int) -> bool:
    return type(value) is tuple and len(value) == d and all(isinstance(v, str) for v in value)


def _scalar_faults(proof: Record) -> Iterator[str]:
    """Check the scalar fields, and the names of the features."""
    checks: dict[str, tuple[str, Callable[[Any], bool]]] = {
        "status": (
            f"one of {', '.join(STATUSES)}",
            lambda v: isinstance(v, str) and v in STATUSES,
        ),
        "numbers": (
            f"one of {', '.join(NUMBERS)}",
            lambda v: isinstance(v, str) and v in NUMBERS,
        ),
        "shape": (
            "two whole numbers > 0",
            lambda v: _is_pair(v, lambda k: _is_int(k, 1) and k < _MAX_SIZE),
        ),
        "radius": ("a number >= 0", _is_nonnegative),
        "mistakes": ("a whole number >= 0", lambda v: _is_int(v) and v < 2**63),
        "epochs": ("a whole number >= 0", lambda v: _is_int(v) and v < 2**63),
        "converged": ("True or False", lambda v: type(v) is bool),
        "determined": ("True or False", lambda v: type(v) is bool),
        "fit_intercept": ("True or False", lambda v: type(v) is bool),
        "positive": ("a string, a number or a boolean", _is_label),
        "negative": ("a string, a number, a boolean or None", lambda v: v is None or _is_label(v)),
        "digest": ("a string", lambda v: isinstance(v, str)),
        "seconds": ("a number >= 0", _is_nonnegative),
    }
    for name, (expected, fits) in checks.items():
        value = getattr(proof, name)
        if not fits(value):
            yield f"{name} must be {expected}; found {short_repr(value)}"
    if proof.negative is not None and proof.positive == proof.negative:
        yield f"positive and negative are the same label, {short_repr(proof.positive)}"
    names, d = proof.feature_names, proof.shape[1]
    if names is not None and not _is_names(names, d):
        yield f"feature_names must be {d} strings or None"


def _margin_faults(proof: Record) -> Iterator[str]:
    if not _is_pair(proof.margin, _is_nonnegative):
        yield f"margin must be two numbers >= 0; found {short_repr(proof.margin)}"
    low, high = proof.margin
    if low > high:
        yield f"margin must be (low, high); found {low!r} > {high!r}"
    if proof.status == "separable":
        proved = low > 0.0 or proof.direction is not None
        if not proved or not high < math.inf:
            yield f"margin of a separable set must be > 0 and finite; found ({low!r}, {high!r})"
    elif low > 0.0 or (high > 0.0 and proof.status != "undecided"):
        yield f"margin must start at 0 for status {proof.status}; found ({low!r}, {high!r})"


def _row_faults(name: str, rows: Any, weights: Any, n: int) -> Iterator[str]:
    """Check rows with a positive weight each."""
    if type(rows) is not np.ndarray or rows.dtype != np.int64 or rows.ndim != 1:
        yield f"{name} must be a one-dimensional array of int64"
    if type(weights) is not tuple:
        yield f"the weights of {name} must be a tuple"
    if len(rows) != len(weights):
        counts = f"{count(len(rows), 'row')}, {count(len(weights), 'weight')}"
        yield f"{name} must have one weight each; found {counts}"
    if len(rows) and not (rows[0] >= 0 and rows[-1] < n and (rows[1:] > rows[:-1]).all()):
        yield f"{name} must be strictly ascending, from 0 to {n - 1}"
    for row, weight in zip(rows, weights, strict=True):
        if not _is_int(weight, 1):
            text = short_repr(weight)
            yield f"row {row} of {name} must have a whole number > 0 as weight; found {text}"


def _status_faults(proof: Record) -> Iterator[str]:
    """Check that the certificate has the fields of its status, and no others."""
    required = {
        "coef": proof.status in _WITH_COEF,
        "direction": proof.status == "quasi-separable",
        "overlap": proof.status in _WITH_OVERLAP,
    }
    for name, expected in required.items():
        if name == "direction" and proof.status == "separable":
            continue  # present only if floats do not suffice
        if (getattr(proof, name) is not None) != expected:
            yield f"{name} must be {'present' if expected else 'None'} for status {proof.status}"
    if proof.determined and proof.status != "separable":
        yield f"determined must be False for status {proof.status}"
    if not len(proof.rows) and proof.margin[1] < math.inf:
        yield "rows must have one entry or more; found none"


def _vector_faults(proof: Record) -> Iterator[str]:
    d, coef, intercept, direction = proof.shape[1], proof.coef, proof.intercept, proof.direction
    if not isinstance(intercept, float) or not math.isfinite(intercept):
        yield f"intercept must be a finite number; found {short_repr(intercept)}"
    if intercept and not (proof.fit_intercept and proof.status in _WITH_COEF):
        yield f"intercept must be 0.0 here; found {intercept!r}"
    if coef is not None and not (_is_vector(coef, d, np.float64) and np.isfinite(coef).all()):
        yield f"coef must be {d} finite numbers of float64"
    if not (_is_vector(proof.diverging, d, np.int8) and (np.abs(proof.diverging) <= 1).all()):
        yield f"diverging must be {d} signs of int8: -1, 0 or 1"
    if direction is None:
        return
    if type(direction) is not tuple or len(direction) != d + 1:
        yield f"direction must be {d + 1} whole numbers, the intercept's last"
    if not all(type(v) is int for v in direction):
        yield "direction must be whole numbers"
    if direction[-1] and not proof.fit_intercept:
        yield "direction must end with 0 without an intercept"


def _is_vector(value: object, d: int, dtype: type) -> bool:
    return type(value) is np.ndarray and value.dtype == dtype and value.shape == (d,)


def _overlap_faults(overlap: Any, n: int) -> Iterator[str]:
    if not isinstance(overlap, Overlap):
        yield f"overlap must be an Overlap; found {short_repr(overlap)}"
    yield from _row_faults("overlap's rows", overlap.rows, overlap.weights, n)
    if not _is_int(overlap.rest, 1):
        yield f"overlap's rest must be a whole number > 0; found {short_repr(overlap.rest)}"


def short_repr(value: object) -> str:
    """Format a value for a message, of any length, depth or type.

    Examples
    --------
    >>> short_repr(np.int64(3)), short_repr([[]]), short_repr(10**5000)
    ('3', 'a list', 'a whole number of 16610 bits')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) and value.bit_length() > 200:
        return f"a whole number of {value.bit_length()} bits"
    if isinstance(value, str | int | float | None):
        return f"{value!r:.60}"
    return f"a {type(value).__name__}"
