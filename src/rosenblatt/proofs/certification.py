"""The function :func:`certify`: search for a certificate, then verify it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.certificate import Certificate, Certificates
from rosenblatt.proofs.check.data import (
    LabelledData,
    as_labels,
    classes_of,
    exact_rows,
    feature_names,
    labelled,
)
from rosenblatt.proofs.check.record import Label, Verification
from rosenblatt.proofs.check.rows import ExactRows, decimal_rows
from rosenblatt.proofs.check.verify import verify_rows
from rosenblatt.proofs.notes import (
    DecimalVerdict,
    Notes,
    find_equal_rows,
    find_main_columns,
    index_of,
)
from rosenblatt.proofs.search.finder import find, find_exactly
from rosenblatt.proofs.search.nearest import Deadline, Task
from rosenblatt.proofs.search.separators import SearchResult, in_units
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import check_number

MAX_COMPARED = 2**16
"""Numbers of the rows up to which the verdict of floats is compared with that of decimals."""

_SHOWN_OF = 10_000  # numbers among which examples are sought


def certify(
    X: Matrix,
    y: ArrayLike,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    time_limit: float = 60.0,
) -> Certificate | Certificates:
    """Decide whether a hyperplane separates the classes, with a proof.

    Parameters
    ----------
    X : array, table or sparse matrix of shape (n, d)
        Finite numbers, each taken exactly. Floats are the binary numbers that they hold: 0.1 is not
        1/10. Arrays of objects and lists may have `Decimal`, `Fraction` and integers of any length:
        ``Decimal("0.1")`` is 1/10. The command takes the numbers of text as the decimals that are
        written. Of up to 2^16 floats whose shortest decimals, those that Python prints, have
        another verdict, the report says so in its first line.
    y : array of shape (n,)
        Labels of two classes, of which the later in sorted order counts as +1; or of more classes.
    fit_intercept : bool, default True
        True for any hyperplane w·x + b = 0, False for b = 0.
    tol : float, default 1e-6
        Relative width of the margin's interval at which the search ends; small sets have the
        exact margin, rounded (`Certificate.determined`).
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
        ``X`` has no rows, NaN or infinity, or decimals and fractions whose common denominator has
        more than 1000 bits; ``y`` has one class only, or another number of rows.
    RuntimeError
        No certificate verifies, not even one without claims: a bug.

    Notes
    -----
    With an intercept, columns far from 0 are moved by their first number, exactly, so that ``tol``
    holds for dates and time stamps as for small numbers. The perceptron runs first (L0.1); the
    nearest points of the convex hulls then give the maximal margin (L1.3), or positive weights with
    Σ λ z = 0 (Gordan 1873). Albert and Anderson (1984, Biometrika 71) show when a logistic
    regression has a maximum-likelihood estimate. The rows that every direction leaves on the plane
    (Stiemke 1915) decide which coefficients diverge; if several directions lead to infinity, the
    signs are those of the maximal margin, while a linear program (Konis 2007, R's detectseparation)
    returns those of one of its vertices. Every certificate is verified before it is returned.

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

    The third point is the middle of the others only in decimals:

    >>> from decimal import Decimal
    >>> points = [["0.1", "0.2"], ["0.3", "0.4"], ["0.2", "0.3"]]
    >>> for kind in Decimal, float:
    ...     proof = certify([[kind(x) for x in point] for point in points], [0, 0, 1])
    ...     print(proof.numbers, proof.status)
    decimal inseparable
    binary64 separable
    """
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be True or False; got {fit_intercept!r}.")
    check_number(tol, "tol", 0, 1, open_low=True, open_high=True)
    check_number(time_limit, "time_limit", 0)
    are_floats = not isinstance(X, ExactRows)
    names, index, rows = feature_names(X), index_of(X), exact_rows(X)
    labels = as_labels(y, rows.shape[0])
    classes = classes_of(labels)

    def certify_class(positive: Label, negative: Label | None) -> Certificate:
        data = labelled(rows, np.where(labels == positive, 1.0, -1.0))
        deadline = Deadline(time_limit)
        facts = {
            "positive": positive,
            "negative": negative,
            "fit_intercept": bool(fit_intercept),
            "shape": rows.shape,
            "digest": data.digest(),
            "numbers": rows.numbers,
            "feature_names": names,
        }
        deadline.reserve = deadline.elapsed  # the verification reads the data again
        proof, verification = _first_verified(
            _candidates(data, bool(fit_intercept), tol, deadline, facts), rows, labels
        )
        equal_rows = find_equal_rows(data) if proof.margin[1] == 0.0 else None
        main_columns = None
        if proof.coef is not None and proof.margin[0] > 0.0:  # else floats do not separate
            main_columns = find_main_columns(data, proof.coef, fit_intercept=bool(fit_intercept))
        decimals = None
        if are_floats and _may_differ_in_decimals(proof, rows):
            # twice the time of the search, which takes at most the time limit
            deadline = Deadline(min(time_limit, 1.0 + 2.0 * proof.seconds))
            decimals = _decimal_verdict(data, bool(fit_intercept), tol, deadline, proof.status)
        return proof.with_notes(Notes(verification, index, equal_rows, main_columns, decimals))

    if len(classes) == 2:
        negative, positive = classes
        return certify_class(positive, negative)
    return Certificates({label: certify_class(label, None) for label in classes})


def _candidates(
    data: LabelledData, intercept: bool, tol: float, deadline: Deadline, facts: dict[str, Any]
) -> Iterator[Certificate]:
    """Yield certificates, the best first; the last states no more than the data's digest."""
    result = in_units(find(Task(data, intercept, deadline), tol), data)
    yield (proof := _as_certificate(result, facts, deadline.elapsed))
    yield _without_run(proof)
    # a wrong result by rounding
    result = in_units(find_exactly(Task(data, intercept, deadline), tol), data)
    yield (proof := _as_certificate(result, facts, deadline.elapsed))
    yield _without_run(proof)
    yield _undecided(proof)


def _first_verified(
    proofs: Iterator[Certificate], rows: ExactRows, labels: Array
) -> tuple[Certificate, Verification]:
    """Return the first certificate all of whose claims hold, and their verification.

    Raises
    ------
    RuntimeError
        None verifies: nothing unverified is returned.
    """
    faults = []
    for proof in proofs:
        verification = verify_rows(proof, rows, labels)
        if verification:
            return proof, verification
        faults.append(verification.failed)
    raise RuntimeError(
        f"certify found no certificate that verifies: {faults[-1]}. This is a bug: please report "
        "it with the data."
    )


def _may_differ_in_decimals(proof: Certificate, rows: ExactRows) -> bool:
    """Return whether the shortest decimals of floats may have another verdict, in little data.

    They differ from the floats by half a unit in the last place at most. A margin above the length
    of such a change of a row keeps the separator.
    """
    values = rows.X.data if sp.issparse(rows.X) else rows.X
    if rows.numbers != "binary64" or proof.status == "undecided" or values.size > MAX_COMPARED:
        return False
    change = float(np.finfo(values.dtype).eps) * proof.radius
    if proof.status == "separable" and proof.margin[0] > change:
        return False
    return not bool((values == np.rint(values)).all())


def _decimal_verdict(
    data: LabelledData, intercept: bool, tol: float, deadline: Deadline, status: str
) -> DecimalVerdict | None:
    """Return the status of the shortest decimals of floats, if it is decided and another."""
    try:
        decimals = labelled(decimal_rows(data.X), data.y)
    except ValueError:  # too many digits
        return None
    other = find(Task(decimals, intercept, deadline), tol).status
    if other in (status, "undecided"):
        return None
    values = data.X.data if sp.issparse(data.X) else data.X.ravel()
    shown = [value for value in values[:_SHOWN_OF] if value != np.rint(value)][:2]
    return DecimalVerdict(other, tuple(map(str, shown)))


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
        determined=result.sqmargin is not None,
        **facts,
    )


def _without_run(proof: Certificate) -> Certificate:
    """Return the certificate without the perceptron's run, which rounding may have misled."""
    return replace(proof, mistakes=0, epochs=0, converged=False)


def _undecided(proof: Certificate) -> Certificate:
    """Return the certificate without any claim on separability or on the radius."""
    return replace(
        _without_run(proof),
        status="undecided",
        margin=(0.0, math.inf),
        radius=math.inf,
        rows=np.zeros(0, np.int64),
        weights=(),
        coef=None,
        intercept=0.0,
        direction=None,
        overlap=None,
        diverging=np.zeros_like(proof.diverging),
        determined=False,
    )


def _diverging(result: SearchResult, coef: Array | None, d: int) -> Array:
    """Return the sign with which each coefficient of a logistic regression diverges."""
    if result.direction is not None:
        signs = [(value > 0) - (value < 0) for value in result.direction[:d]]
        return np.array(signs, np.int8)
    if result.status == "separable" and coef is not None:
        return np.sign(coef).astype(np.int8)
    return np.zeros(d, np.int8)
