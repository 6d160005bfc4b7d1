"""Separable or not: the question, asked of any data."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.proofs.certificate import Certificate, Certificates
from rosenblatt.proofs.check.data import (
    LabelledData,
    as_labels,
    as_matrix,
    classes_of,
    feature_names,
)
from rosenblatt.proofs.check.verify import verify_arrays
from rosenblatt.proofs.search.finder import SearchResult, find, find_exactly
from rosenblatt.proofs.search.nearest import Deadline
from rosenblatt.utils.checks import check_number

Array = NDArray[Any]


def certify(
    X: Any, y: Any, *, fit_intercept: bool = True, tol: float = 1e-6, time_limit: float = 60.0
) -> Certificate | Certificates:
    """Tell whether the classes can be separated by a hyperplane, with a proof.

    Parameters
    ----------
    X : array, table or sparse matrix of shape (n, d)
        Finite numbers. They are taken as the exact rational numbers that they are.
    y : array of shape (n,)
        Labels of two classes, of which the later in sorted order counts as +1; or of more.
    fit_intercept : bool, default True
        Whether the hyperplane w·x + b = 0 may lie anywhere, or b is 0.
    tol : float, default 1e-6
        The relative width at which the interval of a separable set's margin is narrow enough.
    time_limit : float, default 60.0
        Seconds, for each class. Where they do not suffice, the answer is "undecided".

    Returns
    -------
    Certificate
        For two classes.
    Certificates
        For more: one for each class against the rest, by label.

    Raises
    ------
    ValueError
        ``X`` has no rows, NaN or infinity; ``y`` has one class only, or another number of rows.

    Notes
    -----
    The perceptron runs first (L0.1); the nearest points of the classes' hulls then give the widest
    margin (L1.3), or rows that cancel (Gordan 1873). Whether a logistic regression has its estimate
    is Albert and Anderson's question (1984, Biometrika 71). Which features have none is decided by
    the rows that every direction leaves on the plane (Stiemke 1915); where several directions lead
    to infinity, the signs are those of the widest margin, while a linear program (Konis 2007, R's
    detectseparation) shows those of one of its vertices. Every certificate was verified before it
    is returned.

    Examples
    --------
    >>> proof = certify([[0.0], [1.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> proof.status, proof.coef, proof.intercept, [round(m, 6) for m in proof.margin]
    ('separable', array([1.]), -2.0, [1.0, 1.0])
    >>> proof = certify([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, 0, 0])
    >>> proof.status, proof.rows, proof.weights
    ('inseparable', array([0, 1, 2, 3]), (1, 1, 1, 1))
    >>> bool(proof.verify([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, 0, 0]))
    True
    """
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be True or False; got {fit_intercept!r}.")
    check_number("tol", tol, 0, 1, open_low=True, open_high=True)
    check_number("time_limit", time_limit, 0)
    names, X = feature_names(X), as_matrix(X)
    labels = as_labels(y, X.shape[0])
    classes = classes_of(labels)

    def certify_class(positive: Any, negative: Any | None) -> Certificate:
        data = LabelledData(X, np.where(labels == positive, 1.0, -1.0))
        clock = Deadline(time_limit)
        facts = {
            "positive": positive,
            "negative": negative,
            "fit_intercept": bool(fit_intercept),
            "shape": X.shape,
            "digest": data.digest(),
            "feature_names": names,
        }
        proof = _as_certificate(find(data, bool(fit_intercept), tol, clock), facts, clock.elapsed)
        if verify_arrays(proof, X, labels):
            return proof
        proof = _as_certificate(
            find_exactly(data, bool(fit_intercept), clock), facts, clock.elapsed
        )
        return (
            proof if verify_arrays(proof, X, labels) else _undecided(proof)
        )  # rounding led astray

    if len(classes) == 2:
        negative, positive = classes
        return certify_class(positive, negative)
    return Certificates({label: certify_class(label, None) for label in classes})


def _as_certificate(result: SearchResult, facts: dict[str, Any], seconds: float) -> Certificate:
    """What was found, as a certificate."""
    coef = None if result.coef is None else result.coef + 0.0  # no −0.0
    return Certificate(
        status=result.status,
        margin=result.margin,
        rows=result.rows.astype(np.int64),
        weights=tuple(result.weights),
        coef=coef,
        intercept=result.intercept + 0.0,
        direction=result.direction,
        overlap=result.overlap,
        diverging=_diverging(result, coef, facts["shape"][1]),
        radius=result.radius,
        mistakes=int(result.run.mistakes.sum()),
        epochs=result.run.epochs,
        converged=result.run.converged and result.status == "separable",  # floats may think so
        seconds=seconds,
        **facts,
    )


def _undecided(proof: Certificate) -> Certificate:
    """The certificate of somebody who knows nothing."""
    return replace(
        proof,
        status="undecided",
        margin=(0.0, math.inf),
        rows=np.zeros(0, np.int64),
        weights=(),
        coef=None,
        intercept=0.0,
        direction=None,
        overlap=None,
        diverging=np.zeros_like(proof.diverging),
    )


def _diverging(result: SearchResult, coef: Array | None, d: int) -> Array:
    """The sign with which each feature's estimate runs off."""
    if result.direction is not None:
        signs = [(value > 0) - (value < 0) for value in result.direction[:d]]
        return np.array(signs, np.int8)
    if result.status == "separable" and coef is not None:
        return np.sign(coef).astype(np.int8)
    return np.zeros(d, np.int8)
