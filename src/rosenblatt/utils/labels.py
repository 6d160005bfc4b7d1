"""Labels of every container, as one array of text, numbers or booleans."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.utils.arrays import Array, ArrayLike


def as_labels(y: ArrayLike | None, name: str = "y") -> Any:
    """Return labels as an array of text, whole numbers or booleans.

    Parameters
    ----------
    y : array, list, Series or column of shape (n,) or (n, 1)
        Of NumPy, pandas or polars: text, categories, integers (nullable ones, too), booleans, or
        floats without fractions. Another shape is returned as it is, for scikit-learn to refuse.
    name : str, default="y"
        Name of the argument, for the messages.

    Returns
    -------
    ndarray
        Text stays an array of objects where it was one; numbers and booleans do not.

    Raises
    ------
    ValueError
        A label is missing, a fraction, infinite, or neither text, number nor boolean; or there are
        labels of several kinds.

    Examples
    --------
    >>> import pandas as pd
    >>> as_labels(pd.Series([3, 5], dtype="Int64"))
    array([3, 5])
    >>> as_labels([0.5, 1.0])
    Traceback (most recent call last):
        ...
    ValueError: Unknown label type: y has the label 0.5 in row 0, a fraction. Labels are classes: \
round or map the numbers to classes, or fit LMSRegressor, whose targets are numbers.
    """
    if y is None or (isinstance(y, np.ndarray) and y.dtype.kind in "biuU"):
        return y
    labels = np.asarray(y)
    if labels.ndim not in (1, 2) or labels.size != len(labels):
        return y
    flat = labels.ravel()
    if flat.dtype.kind == "T":  # StringDType of NumPy 2, which scikit-learn does not know
        flat = flat.astype(object)
    if _is_changed(y, flat.dtype.kind):
        flat = np.array(y, object).ravel()
    if flat.dtype.kind == "O":
        flat = _label_objects(flat, name)
    if flat.dtype.kind == "f":
        _check_whole(flat, name)
    elif flat.dtype.kind == "S" and len(flat):
        raise ValueError(f"{name} has the label {bytes(flat[0])!r}, of bytes: decode it to text.")
    elif flat.dtype.kind in "mM" and len(flat):
        raise ValueError(_other_kind(name, str(flat[0]), 0, flat.dtype.type.__name__))
    return flat.reshape(labels.shape)


def distinct_labels(labels: Array) -> list[Any]:
    """Return the different labels, sorted.

    Examples
    --------
    >>> distinct_labels(np.array(["no", "yes", "no"]))
    ['no', 'yes']
    """
    # with the inverse: without it, NumPy imports its masked arrays, at a tenth of a command's start
    return np.unique(labels, return_inverse=True)[0].tolist()  # type: ignore[no-any-return]


def label_kind(label: object) -> type:
    """Return the kind of a label, text, boolean or number: one model has labels of one kind.

    Examples
    --------
    >>> label_kind("spam"), label_kind(np.True_), label_kind(3)
    (<class 'str'>, <class 'bool'>, <class 'object'>)
    """
    if isinstance(label, str):
        return str
    return bool if isinstance(label, bool | np.bool_) else object


def _is_changed(y: object, kind: str) -> bool:
    """Return True where NumPy made text of numbers, numbers of booleans, or rounded integers."""
    if not isinstance(y, list | tuple):
        return False
    kinds = {*map(type, y)}
    if kind == "U":
        return not all(issubclass(each, str) for each in kinds)
    are_whole = all(issubclass(each, int | np.integer) for each in kinds)
    return kind in "iuf" and (not kinds.isdisjoint((bool, np.bool_)) or (kind == "f" and are_whole))


def _label_objects(labels: Array, name: str) -> Array:
    """Return objects of one kind: text as it is, numbers and booleans as an array of their own."""
    first_rows: dict[type, int] = {}
    for row, label in enumerate(labels):
        first_rows.setdefault(type(label), row)
        if _is_missing(label):
            raise ValueError(_missing(name, label, row))
    kinds: dict[type, int] = {}
    for kind, row in first_rows.items():
        if not issubclass(kind, str | bool | int | float | np.bool_ | np.integer | np.floating):
            raise ValueError(_other_kind(name, f"{labels[row]!r:.80}", row, kind.__name__))
        kinds.setdefault(label_kind(labels[row]), row)
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        raise ValueError(
            f"{name} has labels of mixed types: {labels[first]!r} in row {first}, "
            f"{labels[second]!r} in row {second}. Use one type, for example text."
        )
    if str in kinds or not kinds:
        return labels
    values = labels.tolist()
    numbers = np.array(values)
    if numbers.dtype.kind == "f" and all(issubclass(kind, int | np.integer) for kind in first_rows):
        fits = min(values) >= 0  # NumPy rounds whole numbers of which some are beyond 63 bits
        numbers = np.array(values, np.uint64 if fits else object)
    if numbers.dtype.kind not in "biuf":
        raise ValueError(f"{name} has numbers beyond 64 bits: write its labels as text.")
    return numbers


def _is_missing(label: object) -> bool:
    """Return True for None, pandas' NA, and NaN and NaT, which equal nothing."""
    if isinstance(label, str | int):
        return False
    return label is None or type(label).__name__ == "NAType" or bool(np.any(label != label))


def _other_kind(name: str, label: str, row: int, kind: str) -> str:
    return (
        f"Unknown label type: {name} has the label {label} in row {row}, of type {kind}. Labels "
        "are text, whole numbers or booleans."
    )


def _missing(name: str, label: object, row: int) -> str:
    return (
        f"{name} has the label {label} in row {row}: NaN and None are missing labels. Leave out "
        "these rows, or give them a class of their own."
    )


def _check_whole(labels: Array, name: str) -> None:
    """Refuse floats that are no whole numbers."""
    whole_numbers = np.isfinite(labels) & (labels == np.floor(labels))
    if whole_numbers.all():
        return
    row = int(np.argmin(whole_numbers))
    label = labels[row]
    if np.isnan(label):
        raise ValueError(_missing(name, label, row))
    kind = "a fraction" if np.isfinite(label) else "infinite"
    raise ValueError(
        f"Unknown label type: {name} has the label {label:g} in row {row}, {kind}. Labels are "
        "classes: round or map the numbers to classes, or fit LMSRegressor, whose targets are "
        "numbers."
    )
