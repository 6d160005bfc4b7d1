"""The function :func:`certify`: search for a certificate, then verify it."""

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
from rosenblatt.proofs.notes import Notes, find_equal_rows, find_main_columns, index_of
from rosenblatt.proofs.search.finder import SearchResult, find, find_exactly
from rosenblatt.proofs.search.nearest import Deadline
from rosenblatt.utils.checks import check_number

Array = NDArray[Any]


def certify(
    X: Any, y: Any, *, fit_intercept: bool = True, tol: float = 1e-6, time_limit: float = 60.0
) -> Certificate | Certificates:
    """Decide whether a hyperplane separates the classes, with a proof.

    Parameters
    ----------
    X : array, table or sparse matrix of shape (n, d)
        Finite numbers. Floats count as exact rational numbers.
    y : array of shape (n,)
        Labels of two classes, of which the later in sorted order counts as +1; or of more classes.
    fit_intercept : bool, default True
        True for any hyperplane w·x + b = 0, False for b = 0.
    tol : float, default 1e-6
        Relative width of the margin's interval at which the search ends.
    time_limit : float, default 60.0
        Seconds for each class; after that, the status is "undecided".

    Returns
    -------
    Certificate
        For two classes.
    Certificates
        For more: one certificate for each class against the rest, by label.

    Raises
    ------
    ValueError
        ``X`` has no rows, NaN or infinity; ``y`` has one class only, or another number of rows.

    Notes
    -----
    The perceptron runs first (L0.1); the nearest points of the convex hulls then give the maximal
    margin (L1.3), or positive weights with Σ λ z = 0 (Gordan 1873). Albert and Anderson (1984,
    Biometrika 71) show when a logistic regression has a maximum-likelihood estimate. The rows that
    every direction leaves on the plane (Stiemke 1915) decide which coefficients diverge; if several
    directions lead to infinity, the signs are those of the maximal margin, while a linear program
    (Konis 2007, R's detectseparation) returns those of one of its vertices. Every certificate is
    verified before it is returned.

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
    check_number(tol, "tol", 0, 1, open_low=True, open_high=True)
    check_number(time_limit, "time_limit", 0)
    names, index, X = feature_names(X), index_of(X), as_matrix(X)
    labels = as_labels(y, X.shape[0])
    classes = classes_of(labels)

    def certify_class(positive: Any, negative: Any | None) -> Certificate:
        data = LabelledData(X, np.where(labels == positive, 1.0, -1.0))
        deadline = Deadline(time_limit)
        facts = {
            "positive": positive,
            "negative": negative,
            "fit_intercept": bool(fit_intercept),
            "shape": X.shape,
            "digest": data.digest(),
            "feature_names": names,
        }
        deadline.reserve = deadline.elapsed  # the verification reads the data again
        result = find(data, bool(fit_intercept), tol, deadline)
        proof = _as_certificate(result, facts, deadline.elapsed)
        if not (verification := verify_arrays(proof, X, labels)):  # a wrong result by rounding
            result = find_exactly(data, bool(fit_intercept), deadline)
            proof = _as_certificate(result, facts, deadline.elapsed)
            if not (verification := verify_arrays(proof, X, labels)):
                proof = _undecided(proof)
                verification = verify_arrays(proof, X, labels)
        equal_rows = find_equal_rows(data) if proof.margin[1] == 0.0 else None
        main_columns = None
        if proof.status == "separable" and proof.coef is not None:
            main_columns = find_main_columns(data, proof.coef, fit_intercept=bool(fit_intercept))
        return proof.with_notes(Notes(verification, index, equal_rows, main_columns))

    if len(classes) == 2:
        negative, positive = classes
        return certify_class(positive, negative)
    return Certificates({label: certify_class(label, None) for label in classes})


def _as_certificate(result: SearchResult, facts: dict[str, Any], seconds: float) -> Certificate:
    """Return the result of a search as a certificate."""
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
        # a run in floats may converge on data that is not separable
        converged=result.run.converged and result.status == "separable",
        seconds=seconds,
        **facts,
    )


def _undecided(proof: Certificate) -> Certificate:
    """Return the certificate without any claim on separability."""
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
    """Return the sign with which each coefficient of a logistic regression diverges."""
    if result.direction is not None:
        signs = [(value > 0) - (value < 0) for value in result.direction[:d]]
        return np.array(signs, np.int8)
    if result.status == "separable" and coef is not None:
        return np.sign(coef).astype(np.int8)
    return np.zeros(d, np.int8)
