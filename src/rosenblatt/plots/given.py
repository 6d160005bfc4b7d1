"""What the displays are given: rows in the plane, and labels of two classes."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rosenblatt.inputs import array
from rosenblatt.plots import style
from rosenblatt.proofs.labelled import feature_names

Array = NDArray[Any]


def plane_rows(X: Any) -> Array:
    """Return the rows of a table or array of shape (n, 2).

    Raises
    ------
    ValueError
        If X has another shape, or a number that is not finite.

    Examples
    --------
    >>> plane_rows([[1, 2, 3]])
    Traceback (most recent call last):
        ...
    ValueError: X must have shape (n, 2) to be drawn in the plane, got (1, 3)
    """
    rows = array(X, "X", "(n, 2)", 2)
    if rows.shape[1] != 2:
        raise ValueError(f"X must have shape (n, 2) to be drawn in the plane, got {rows.shape}")
    return rows


def axis_names(X: Any) -> tuple[str, ...]:
    """Return the names of a table's two columns, or x₁ and x₂.

    Examples
    --------
    >>> axis_names([[1, 2]])
    ('x₁', 'x₂')
    """
    return feature_names(X) or ("x₁", "x₂")


def like(X: Any) -> Callable[[Array], Any]:
    """Return what makes rows a table like X, or leaves them as they are where X has no names.

    Examples
    --------
    >>> import polars
    >>> like(polars.DataFrame({"a": [1.0], "b": [2.0]}))(np.array([[3.0, 4.0]])).rows()
    [(3.0, 4.0)]
    """
    names = feature_names(X)
    if names is None:
        return lambda rows: rows
    return lambda rows: type(X)(dict(zip(names, rows.T, strict=True)))


def signs_of(y: Any, classes: Any, n: int) -> Array:
    """Return -1 for labels of the first class and +1 for the second, shape (n,).

    Raises
    ------
    ValueError
        If there are not two classes, not n labels, or a label that is neither class.

    Examples
    --------
    >>> signs_of(["ham", "spam"], ["ham", "spam"], 2)
    array([-1,  1])
    """
    if len(classes) != 2:
        raise ValueError(f"two classes are drawn, the estimator has {len(classes)}")
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ValueError(f"y must have shape ({n},), got {labels.shape}")
    second = labels == classes[1]
    strange = labels[~second & (labels != classes[0])]
    if strange.size:
        raise ValueError(f"y must hold {classes[0]} and {classes[1]}, got {strange[0]}")
    return np.where(second, 1, -1)


def class_names(classes: Any) -> tuple[str, ...]:
    """Return what classes are called in a picture: a number's sign is a minus, not a hyphen.

    Examples
    --------
    >>> class_names([-1, 1]), class_names(["e-mail", "letter"])
    (('−1', '1'), ('e-mail', 'letter'))
    """
    return tuple(
        style.minus(str(label)) if isinstance(label, Number) else str(label) for label in classes
    )


def plane_of(estimator: Any, d: int) -> tuple[Array, float]:
    """Return w of shape (d,) and b of a fitted linear classifier of two classes.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If it is not fitted.
    ValueError
        If it has no ``coef_`` of shape (1, d).
    """
    check_is_fitted(estimator)
    coef = np.asarray(getattr(estimator, "coef_", np.empty((0, 0))), np.float64)
    if coef.shape != (1, d):
        found = coef.shape if coef.size else "none"
        raise ValueError(f"the estimator must have coef_ of shape (1, {d}), got {found}")
    return coef[0], float(np.ravel(estimator.intercept_)[0])
