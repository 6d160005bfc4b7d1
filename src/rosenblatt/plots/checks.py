"""Argument checks of the displays: rows in the plane, labels of two classes, fitted models."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt.plots import style
from rosenblatt.proofs.check.data import feature_names
from rosenblatt.streams.core.named import with_columns
from rosenblatt.theory.textbook.lecture3 import Votes
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import check_array
from rosenblatt.utils.column_names import column_names

SIGNS = (-1, 1)


def plane_rows(X: Matrix) -> Array:
    """Return the rows of a table or array of shape (n, 2).

    Examples
    --------
    >>> plane_rows([[1, 2, 3]])
    Traceback (most recent call last):
        ...
    ValueError: X must have shape (n, 2) to be drawn in the plane, got (1, 3)
    """
    rows = check_array(X, "X", "(n, 2)", 2)
    if rows.shape[1] != 2:
        raise ValueError(f"X must have shape (n, 2) to be drawn in the plane, got {rows.shape}")
    return rows


def axis_names(X: Matrix) -> tuple[str, ...]:
    """Return the names of a table's two columns, or x₁ and x₂.

    Examples
    --------
    >>> axis_names([[1, 2]])
    ('x₁', 'x₂')
    """
    return feature_names(X) or ("x₁", "x₂")


def same_table_type(X: Matrix) -> Callable[[Array], Any]:
    """Return a function that converts rows to a table of X's type, or the identity for arrays.

    Examples
    --------
    >>> import polars
    >>> same_table_type(polars.DataFrame({"a": [1.0], "b": [2.0]}))(np.array([[3.0, 4.0]])).rows()
    [(3.0, 4.0)]
    """
    names = feature_names(X)
    if names is None:
        return lambda rows: rows
    if column_names(X) is not None:
        return lambda rows: with_columns(rows, names)
    return lambda rows: type(X)(dict(zip(names, rows.T, strict=True)))


def codes_of(y: ArrayLike, classes: object, n: int) -> Array:
    """Return the index of each label's class, shape (n,), for sorted classes.

    Examples
    --------
    >>> codes_of(["spam", "ham"], ["ham", "spam"], 2)
    array([1, 0])
    """
    labels, classes = np.asarray(y), np.asarray(classes)
    if labels.shape != (n,):
        raise ValueError(f"y must have shape ({n},), got {labels.shape}")
    unknown = labels[~np.isin(labels, classes)]
    if unknown.size:
        two = f"{classes[0]} and {classes[-1]}"
        expected = two if len(classes) == 2 else "the estimator's classes"
        raise ValueError(f"y must hold {expected}, got {unknown[0]}")
    return np.asarray(np.searchsorted(classes, labels))


def signs_of(y: ArrayLike, classes: Any, n: int) -> Array:
    """Return -1 for labels of the first class and +1 for the second, shape (n,).

    Examples
    --------
    >>> signs_of(["ham", "spam"], ["ham", "spam"], 2)
    array([-1,  1])
    """
    if len(classes) != 2:
        raise ValueError(f"the estimator must have two classes, got {len(classes)}")
    return 2 * codes_of(y, classes, n) - 1


def two_classes(estimator: Any, X: Matrix, y: ArrayLike) -> tuple[Array, Array, dict[str, Any]]:
    """Return rows in the plane, their signs, and the names of both columns and both classes."""
    rows = plane_rows(X)
    signs = signs_of(y, estimator.classes_, len(rows))
    return rows, signs, {"names": axis_names(X), "classes": class_names(estimator.classes_)}


def class_names(classes: Any) -> tuple[str, ...]:
    """Return the names of classes in a plot: signs as −1 and +1, other labels unchanged.

    Examples
    --------
    >>> class_names([-1, 1]), class_names([0, 1]), class_names(["e-mail", "letter"])
    (('−1', '+1'), ('0', '1'), ('e-mail', 'letter'))
    """
    if np.array_equal(classes, SIGNS):
        return "−1", "+1"
    return tuple(
        style.minus(str(label)) if isinstance(label, Number) else str(label) for label in classes
    )


def run_classes(run: Trace) -> tuple[str, ...]:
    """Return the names of the classes in a run's lecture: 0 and 1, or −1 and +1."""
    return class_names((0, 1) if (run.label == 0).any() else SIGNS)


def check_estimator(estimator: object) -> None:
    """Refuse another object than a fitted classifier.

    Examples
    --------
    >>> check_estimator([1, 2])
    Traceback (most recent call last):
        ...
    TypeError: estimator must be a fitted classifier, got list
    """
    if hasattr(estimator, "fit"):
        check_is_fitted(estimator)
    if not hasattr(estimator, "classes_"):
        kind = type(estimator).__name__
        hint = f"; from_{kind.lower()} draws it" if isinstance(estimator, Trace | Votes) else ""
        raise TypeError(f"estimator must be a fitted classifier, got {kind}{hint}")


def check_instance(value: object, kind: type, name: str, maker: str) -> None:
    """Refuse an object of another type; the message names the function that returns the type.

    Examples
    --------
    >>> check_instance([1, 2], Votes, "votes", "rosenblatt.textbook.voted_perceptron")
    Traceback (most recent call last):
        ...
    TypeError: votes must be Votes, as rosenblatt.textbook.voted_perceptron returns it; got list
    """
    if not isinstance(value, kind):
        raise TypeError(
            f"{name} must be {kind.__name__}, as {maker} returns it; got {type(value).__name__}"
        )


def coefficients(estimator: object, why: str) -> Array:
    """Return w of each class of a fitted linear classifier; another is refused, with the reason."""
    check_estimator(estimator)
    if not hasattr(estimator, "coef_"):
        raise ValueError(f"the estimator must have coef_{why}")
    return np.asarray(estimator.coef_)


def coef_and_intercept(estimator: Any, d: int) -> tuple[Array, float]:
    """Return w of shape (d,) and b of a fitted linear classifier of two classes."""
    check_estimator(estimator)
    coef = np.asarray(getattr(estimator, "coef_", np.empty((0, 0))), np.float64)
    if coef.shape != (1, d):
        shape = coef.shape if coef.size else "none"
        hint = "; ClassRegionsDisplay draws any classifier of two features" if d == 2 else ""
        raise ValueError(f"the estimator must have coef_ of shape (1, {d}), got {shape}{hint}")
    return coef[0], float(np.ravel(estimator.intercept_)[0])
