"""Argument checks: each returns its argument in one form, or a ValueError names the argument."""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from rosenblatt.utils.arrays import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
T = TypeVar("T")

LARGEST_VALUE = 1e150
"""Largest absolute value of a feature: the squares of 10^8 such numbers have a finite sum."""

_REPR = reprlib.Repr()
_REPR.maxlong = _REPR.maxstring = _REPR.maxother = 60


@runtime_checkable
class CSR(Protocol):
    """Sparse rows: row i has ``data[s]`` in columns ``indices[s]``, s = indptr[i]:indptr[i + 1]."""

    data: Any
    indices: Any
    indptr: Any
    shape: Any

    def __matmul__(self, other: object, /) -> Any: ...


def check_float(
    value: float, name: str, *, above: float = -math.inf, minimum: float = -math.inf
) -> float:
    """Return a finite number > `above` and >= `minimum`, as a float."""
    real = as_float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if math.isfinite(real) and above < real and minimum <= real:
        return real
    limit = (
        f" > {above:g}" if above > -math.inf else f" >= {minimum:g}" if minimum > -math.inf else ""
    )
    raise ValueError(f"{name} must be a finite number{limit}, got {shortened(value)}")


def check_int(value: int, name: str, *, minimum: int) -> int:
    """Return a whole number >= `minimum`, as an int."""
    if isinstance(value, Integral) and not isinstance(value, bool) and value >= minimum:
        return int(value)
    raise ValueError(f"{name} must be a whole number >= {minimum}, got {shortened(value)}")


def check_array(value: ArrayLike, name: str, shape: str, ndim: int) -> Floats:
    """Return a finite, non-empty array of `ndim` dimensions, as float64."""
    try:
        raw = np.asarray(rows_of_one_length(value) if ndim == 2 else value)
        if raw.dtype.kind not in "biufO":
            raise TypeError(f"dtype {raw.dtype}")
        result = np.asarray(raw, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be an array of real numbers, got {error}") from None
    if result.ndim != ndim or result.size == 0:
        hint = ""
        if (ndim, result.ndim) == (2, 1) and result.size:
            hint = f": for one feature np.reshape({name}, (-1, 1)), for one row [{name}]"
        raise ValueError(
            f"{name} must have shape {shape} and not be empty, got {result.shape}{hint}"
        )
    if not np.isfinite(result).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(result))[0])
        raise ValueError(f"{name} must be finite, got {result[index]} at {index}")
    return result


def rows_of_one_length(value: ArrayLike) -> ArrayLike:
    """Return rows; refuse lists of different lengths and tables without rows, with a remedy.

    Examples
    --------
    >>> rows_of_one_length([[1, 2], [3]])
    Traceback (most recent call last):
    ValueError: rows of different lengths: row 0 has 2, row 1 has 1
    """
    if hasattr(value, "collect") and hasattr(value, "collect_schema"):
        raise ValueError("X is a LazyFrame of polars, which has no rows yet: take X.collect().")
    if isinstance(value, list | tuple) and all(isinstance(row, list | tuple) for row in value):
        lengths = [len(row) for row in value]
        for i, length in enumerate(lengths):
            if length != lengths[0]:
                raise ValueError(
                    f"rows of different lengths: row 0 has {lengths[0]}, row {i} has {length}"
                )
    return value


def check_vector(value: ArrayLike, name: str, d: int) -> Floats:
    """Return a finite vector of length `d`, as float64."""
    result = check_array(value, name, f"({d},)", 1)
    if len(result) != d:
        raise ValueError(f"{name} must have shape ({d},), got {result.shape}")
    return result


def check_signs(y: ArrayLike, n: int) -> Ints:
    """Return `n` labels -1 or +1, as int64."""
    result = check_vector(y, "y", n)
    invalid = result[~np.isin(result, (-1, 1))]
    if invalid.size:
        raise ValueError(f"y must hold the labels -1 and 1, got {invalid[0]:g}")
    return result.astype(np.int64)


_MORE_CLASSES = "; for three or more classes take rosenblatt.textbook.one_against_rest(X, labels)"


def check_X_y(
    X: ArrayLike,
    y: ArrayLike,
    codes: tuple[int, int] = (-1, 1),
    name: str = "y",
    require_both: bool = True,
) -> tuple[Floats, Ints]:
    """Return rows of shape (n, d) and their n labels as `codes`; the input may be ±1 or 0 and 1.

    With `require_both`, one class alone is an error.
    """
    rows = check_array(X, "X", "(n, d)", 2)
    texts = {label for label in np.ravel(np.asarray(y, object)) if isinstance(label, str)}
    if texts:
        last = max(texts)
        raise ValueError(
            f"{name} must hold signs, got text: code it, np.where(np.array({name}) == {last!r}, "
            f"1, -1){_MORE_CLASSES if len(texts) > 2 else ''}"
        )
    values = check_vector(y, name, len(rows))
    invalid = values[~np.isin(values, (0, 1) if (values == 0).any() else (-1, 1))]
    if invalid.size:
        several = _MORE_CLASSES if len(np.unique(values)) > 2 else ""
        raise ValueError(
            f"{name} must hold the labels -1 and 1, or 0 and 1, got {invalid[0]:g}{several}"
        )
    labels = np.where(values > 0, codes[1], codes[0])
    if require_both and labels.min() == labels.max():
        raise ValueError(f"{name} must hold both {codes[0]} and {codes[1]}, got {labels[0]} only")
    return rows, labels


def check_choice(value: T, name: str, choices: tuple[T, ...]) -> T:
    """Return the one of `choices` that equals the value.

    Examples
    --------
    >>> check_choice(2, "tie", (0, -1, 1))
    Traceback (most recent call last):
        ...
    ValueError: tie must be one of 0, -1, 1; got 2.
    """
    try:
        return choices[choices.index(value)]
    except ValueError:  # none of them, or an array, which equals nothing
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}; got {shortened(value)}."
        ) from None


def csr_entries(X: CSR, name: str) -> tuple[Ints, Floats]:
    """Return the flat index i d + j of every stored entry, and the values."""
    kind, starts, columns = getattr(X, "format", "csr"), np.asarray(X.indptr), X.indices
    if kind != "csr" or len(X.shape) != 2 or 0 in X.shape or len(starts) != X.shape[0] + 1:
        raise ValueError(f"{name} must be CSR of shape (n, d) and not empty, got {kind} {X.shape}")
    values = check_array(X.data, name, "(nnz,)", 1) if len(X.data) else np.zeros(0)
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any() or starts[-1] != len(values):
        raise ValueError(f"{name} must have an indptr that rises from 0 to {len(values)}")
    if len(columns) != len(values) or not ((columns >= 0) & (columns < X.shape[1])).all():
        raise ValueError(f"{name} must have {len(values)} indices from 0 to {X.shape[1] - 1}")
    return np.repeat(np.arange(X.shape[0]), np.diff(starts)) * X.shape[1] + columns, values


def as_random_state(value: Any) -> np.random.RandomState:
    """Return a generator: a new one of a seed, the given one, or NumPy's global one for None.

    Examples
    --------
    >>> as_random_state(0).randint(10)
    5
    """
    if isinstance(value, np.random.RandomState):
        return value
    if value is None or value is np.random:
        return np.random.mtrand._rand  # as scikit-learn's check_random_state
    return np.random.RandomState(value)


def check_number(
    value: Any,
    name: str,
    low: float,
    high: float = np.inf,
    integer: bool = False,
    open_low: bool = False,
    open_high: bool = False,
) -> None:
    """Refuse a parameter that is not a number between ``low`` and ``high``.

    Whole numbers must fit 64 bits, other numbers a float64.

    Examples
    --------
    >>> check_number(0, "max_iter", 1, integer=True)
    Traceback (most recent call last):
        ...
    ValueError: max_iter must be a whole number in [1, inf); got 0.
    >>> check_number(10**400, "alpha", 0)
    Traceback (most recent call last):
        ...
    ValueError: alpha must fit a float64, whose largest number is 1.8e308; got \
1000000000000000000000000000...00000000000000000000000000000.
    """
    kinds: Any = (int, np.integer) if integer else (int, float, np.integer, np.floating)
    fits = isinstance(value, kinds) and not isinstance(value, (bool, np.bool_))
    if fits:
        above = value > low if open_low else value >= low
        below = value < high if open_high or high == np.inf else value <= high
        fits = above and below
    if not fits:
        left = "(" if open_low else "["
        right = ")" if open_high or high == np.inf else "]"
        is_limited = -np.inf < low or high < np.inf
        limits = f" in {left}{low}, {high}{right}" if is_limited else ""
        kind = "a whole number" if integer else "a number" if is_limited else "a finite number"
        raise ValueError(f"{name} must be {kind}{limits}; got {shortened(value)}.")
    if integer and not -(2**63) <= value < 2**63:
        raise ValueError(f"{name} must fit 64 bits; got {shortened(value)}.")
    try:
        is_finite = math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        is_finite = False
    if not is_finite:
        raise ValueError(
            f"{name} must fit a float64, whose largest number is 1.8e308; got {shortened(value)}."
        )


def as_float(value: Any) -> float:
    """Return a real number as a float, infinity where it is too large for one.

    Examples
    --------
    >>> as_float(2), as_float(-(10**400))
    (2.0, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


@contextmanager
def within_float64(name: str) -> Iterator[None]:
    """Refuse whole numbers of Python that no float64 represents, where arrays are converted.

    Examples
    --------
    >>> with within_float64("coef_init"):
    ...     np.asarray([10**400], np.float64)
    Traceback (most recent call last):
        ...
    ValueError: coef_init has a whole number beyond float64: scale the numbers, or leave the row \
out.
    """
    try:
        yield
    except OverflowError as error:
        raise ValueError(
            f"{name} has a whole number beyond float64: scale the numbers, or leave the row out."
        ) from error


def shortened(value: object) -> str:
    """Return the repr of a value, shortened in the middle where it is long.

    Examples
    --------
    >>> shortened("spam"), shortened(10**5000)
    ("'spam'", 'a whole number of more than 4300 digits')
    """
    try:
        return _REPR.repr(value)
    except ValueError:
        return f"a whole number of more than {sys.get_int_max_str_digits()} digits"


def is_library_class(kind: type) -> bool:
    """Return True if a class is part of this library.

    Examples
    --------
    >>> is_library_class(dict)
    False
    """
    return kind.__module__.startswith("rosenblatt.")
