"""What a certificate must be before its numbers mean anything: types, lengths, ranges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.proofs.check.record import STATUSES, Overlap, Record

_WITH_COEF = ("separable", "quasi-separable")
_WITH_OVERLAP = ("quasi-separable", "inseparable")
_MAX_SIZE = 2**48  # rows and columns


def first_fault(proof: Record) -> str:
    """What is wrong with the fields of a certificate; "" where nothing is.

    Nothing is taken on trust, so that a certificate from anywhere can be asked about. Whether it is
    true is another question.

    Parameters
    ----------
    proof : Record

    Returns
    -------
    str
        Names the field, what was expected and what was found, of the first that is wrong.

    Examples
    --------
    >>> from dataclasses import replace
    >>> first_fault(replace(example_certificate(), radius=-1.0))
    'radius must be a number >= 0; found -1.0'
    """
    return next(_faults(proof), "")


def example_certificate() -> Record:
    """The certificate of the rows 1, −1 with the labels 1, 0, without an intercept.

    Examples
    --------
    >>> first_fault(example_certificate())
    ''
    """
    return Record(
        status="separable",
        margin=(1.0, 1.0),
        rows=np.array([0, 1]),
        weights=(1, 1),
        coef=np.array([1.0]),
        intercept=0.0,
        direction=None,
        overlap=None,
        diverging=np.array([1], np.int8),
        radius=1.0,
        mistakes=1,
        epochs=2,
        converged=True,
        positive=1,
        negative=0,
        fit_intercept=False,
        shape=(2, 1),
        digest="sha256:",
    )


def _faults(proof: Record) -> Iterator[str]:
    """Fault after fault; what comes later may rely on what came before having none."""
    yield from _scalar_faults(proof)
    yield from _margin_faults(proof)
    yield from _row_faults("rows", proof.rows, proof.weights, proof.shape[0])
    yield from _status_faults(proof)
    yield from _vector_faults(proof)
    if proof.overlap is not None:
        yield from _overlap_faults(proof.overlap, proof.shape[0])


def _is_int(value: Any, minimum: int = 0) -> bool:
    return type(value) is int and value >= minimum


def _is_nonnegative(value: Any) -> bool:
    return isinstance(value, float) and value >= 0.0  # NaN is not


def _is_label(value: Any) -> bool:
    kinds = (str, np.bool_, np.integer)
    if isinstance(value, float | np.floating):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < 2**64
    return isinstance(value, kinds)


def _is_pair(value: Any, fits: Callable[[Any], bool]) -> bool:
    return type(value) is tuple and len(value) == 2 and all(map(fits, value))


def _is_names(value: Any, d: int) -> bool:
    return type(value) is tuple and len(value) == d and all(isinstance(v, str) for v in value)


def _scalar_faults(proof: Record) -> Iterator[str]:
    """The fields that are one value."""
    checks: dict[str, tuple[str, Callable[[Any], bool]]] = {
        "status": (
            f"one of {', '.join(STATUSES)}",
            lambda v: isinstance(v, str) and v in STATUSES,
        ),
        "shape": (
            "two whole numbers > 0",
            lambda v: _is_pair(v, lambda k: _is_int(k, 1) and k < _MAX_SIZE),
        ),
        "radius": ("a number >= 0", _is_nonnegative),
        "mistakes": ("a whole number >= 0", lambda v: _is_int(v) and v < 2**63),
        "epochs": ("a whole number >= 0", lambda v: _is_int(v) and v < 2**63),
        "converged": ("True or False", lambda v: type(v) is bool),
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
        yield f"the margin's ends are swapped: {low!r} > {high!r}"
    if proof.status == "separable":
        proved = low > 0.0 or proof.direction is not None
        if not proved or not high < math.inf:
            yield f"a separable set's margin is > 0 and finite; found ({low!r}, {high!r})"
        if low > 0.0 and proof.direction is not None:
            yield "a separator that floats hold has no direction besides"
    elif low > 0.0 or (high > 0.0 and proof.status != "undecided"):
        yield f"the margin of what is {proof.status} starts at 0; found ({low!r}, {high!r})"


def _row_faults(name: str, rows: Any, weights: Any, n: int) -> Iterator[str]:
    """Rows and a positive weight for each."""
    if type(rows) is not np.ndarray or rows.dtype != np.int64 or rows.ndim != 1:
        yield f"{name} must be a one-dimensional array of int64"
    if type(weights) is not tuple:
        yield f"the weights of {name} must be a tuple"
    if len(rows) != len(weights):
        yield f"{name} are {len(rows)}, and their weights {len(weights)}"
    if len(rows) and not (rows[0] >= 0 and rows[-1] < n and (rows[1:] > rows[:-1]).all()):
        yield f"{name} must ascend from 0 at least to {n - 1} at most, none twice"
    for row, weight in zip(rows, weights, strict=True):
        if not _is_int(weight, 1):
            yield f"row {row} of {name} weighs {short_repr(weight)}, which is no whole number > 0"


def _status_faults(proof: Record) -> Iterator[str]:
    """Each status has the fields that prove it, and no others."""
    required = {
        "coef": proof.status in _WITH_COEF,
        "direction": proof.status == "quasi-separable",
        "overlap": proof.status in _WITH_OVERLAP,
    }
    for name, expected in required.items():
        if name == "direction" and proof.status == "separable":
            continue  # there, only where floats hold no separator
        if (getattr(proof, name) is not None) != expected:
            yield f"what is {proof.status} has {'a' if expected else 'no'} {name}"
    if not len(proof.rows) and proof.margin[1] < math.inf:
        yield "rows must be some; found none"


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
        yield "direction must end with 0: there is no intercept"


def _is_vector(value: Any, d: int, dtype: type) -> bool:
    return type(value) is np.ndarray and value.dtype == dtype and value.shape == (d,)


def _overlap_faults(overlap: Any, n: int) -> Iterator[str]:
    if not isinstance(overlap, Overlap):
        yield f"overlap must be an Overlap; found {short_repr(overlap)}"
    yield from _row_faults("overlap's rows", overlap.rows, overlap.weights, n)
    if not _is_int(overlap.rest, 1):
        yield f"overlap's rest must be a whole number > 0; found {short_repr(overlap.rest)}"


def short_repr(value: Any) -> str:
    """A value in a message, however long, deep or broken it is.

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
