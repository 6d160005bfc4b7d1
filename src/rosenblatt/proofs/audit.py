"""The theorem against a run, with the direction that makes it say the most."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.proofs import Certificate, certify
from rosenblatt.theory.textbook import claims
from rosenblatt.theory.textbook.claims import Claims, Failure
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.checks import Floats, Ints


def audit(run: Trace, u: ArrayLike | None = None, b: float = 0.0) -> Claims:
    """Check the proof of the perceptron's theorem along a recorded run.

    Parameters
    ----------
    run : Trace
        A run of `rosenblatt.textbook`.
    u : array of shape (d,), default None
        The direction of the margin assumption. None takes the one with the largest margin, found
        by `rosenblatt.certify`: with it the bound (R/γ)² is as small as it can be.
    b : float, default 0
        The offset that belongs to `u`, where the run learns one.

    Returns
    -------
    Claims
        ``holds``, ``failure`` (the first step at which an assumption fails, and why), both sides of
        every claim, and a table when printed. Where nothing separates the rows, the failure is at
        the first step by which the rows seen prove it, and of the claims the second remains.

    Raises
    ------
    ValueError
        As `rosenblatt.claims.check` does.

    Notes
    -----
    Lecture rows L0.5, L1.4, L2.3, L3.4, L4.6.

    Examples
    --------
    >>> from rosenblatt import textbook, toys
    >>> toy = toys.separable(100, 2, margin=0.1)
    >>> found = audit(textbook.perceptron(toy.X, toy.y))
    >>> found.holds, found.mistakes <= found.bound
    (True, True)
    >>> square = toys.xor()
    >>> print(audit(textbook.perceptron(square.X, square.y, max_epochs=3)).failure.why)
    the rows seen so far cancel: no u separates rows 0, 1, 2, 3
    """
    claims.check_trace(run)
    if u is not None:
        return claims.check(run, u, b)
    proof = _certify_run(run.X, run.y)
    if proof.coef is None or proof.status != "separable":
        return claims.without_separator(run, _first_failure(run, proof))
    if run.offset is None:
        return claims.check(run, proof.coef)
    return claims.check(run, np.delete(proof.coef, run.offset), proof.coef[run.offset])


def _certify_run(X: Floats, y: Ints) -> Certificate:
    """Certify stored rows through the origin: there the constant 1 is a feature."""
    if y.min() == y.max():  # a row and its negation say the same
        X, y = np.vstack([X, -X[:1]]), np.append(y, -y[0])
    proof = certify(X, y, fit_intercept=False)
    assert isinstance(proof, Certificate)
    return proof


def _infeasible_rows(proof: Certificate) -> list[int]:
    """Name the rows that prove that nothing separates; none where something does, or may."""
    return proof.rows.tolist() if proof.margin[1] == 0.0 else []


def _first_failure(run: Trace, proof: Certificate) -> Failure:
    """Find the first step by which rows that cancel have been seen."""
    if not _infeasible_rows(proof):
        return Failure(0, "margin", "whether any u separates the rows is undecided")
    seen = list(dict.fromkeys(run.order.tolist()))

    def infeasible_among(k: int) -> list[int]:
        rows = seen[:k]
        return [rows[i % k] for i in _infeasible_rows(_certify_run(run.X[rows], run.y[rows]))]

    k = bisect_left(range(1, len(seen) + 1), True, key=lambda k: bool(infeasible_among(k))) + 1
    if k > len(seen):
        rows = _format_rows(i % len(run.X) for i in _infeasible_rows(proof))
        why = f"no u separates rows {rows}, though one separates those seen so far"
        return Failure(max(len(run) - 1, 0), "margin", why)
    why = f"the rows seen so far cancel: no u separates rows {_format_rows(infeasible_among(k))}"
    return Failure(run.order.tolist().index(seen[k - 1]), "margin", why)


def _format_rows(rows: Iterable[int]) -> str:
    texts = [str(row) for row in sorted(set(rows))]
    return ", ".join(texts[:8]) + (", …" if len(texts) > 8 else "")
