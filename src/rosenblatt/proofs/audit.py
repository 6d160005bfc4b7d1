"""The convergence theorem checked on a run, with the direction of maximal margin."""

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
    """Check the perceptron convergence theorem step by step on a recorded run.

    Parameters
    ----------
    run : Trace
        A run of `rosenblatt.textbook`.
    u : array of shape (d,), default None
        The direction of the margin assumption. None takes the direction of maximal margin, with
        which the bound (R/γ)² is smallest. Any other allows more mistakes.
    b : float, default 0
        The offset of `u`, for a run with an offset.

    Returns
    -------
    Claims
        ``holds``, ``failure`` (the first step at which an assumption fails, and why), both sides of
        every claim, and a table when printed. If no direction separates the rows, the failure is at
        the first step whose rows so far prove it, and only Claim 2 applies.

    Raises
    ------
    ValueError
        `u` is a matrix, such as the rows, which the run has already; else as
        `rosenblatt.claims.check` does.

    Notes
    -----
    Lecture rows L0.5, L0.8, L1.4, L2.3, L3.4, L4.6. For a run with an offset, γ is the margin of
    the rows (x, 1), which are separated through the origin by (w, b): min y (w·x + b)/‖(w, b)‖. The
    margin of `rosenblatt.certify` is min y (w·x + b)/‖w‖, the distance in the space of the rows x.
    The largest γ and the largest margin usually belong to different hyperplanes.

    Examples
    --------
    >>> from rosenblatt import textbook, toys
    >>> toy = toys.separable(100, 2, margin=0.1)
    >>> result = audit(textbook.perceptron(toy.X, toy.y))
    >>> result.holds, result.mistakes <= result.bound
    (True, True)
    >>> square = toys.xor()
    >>> print(audit(textbook.perceptron(square.X, square.y, max_epochs=3)).failure.why)
    the rows so far prove it: no u separates rows 0, 1, 2, 3
    """
    claims.check_trace(run)
    if u is not None and np.ndim(u) > 1:
        raise ValueError(
            "audit takes a run and, if at all, one direction u and its offset b; got u of shape "
            f"{np.shape(u)}. A run has its rows and labels: call audit(run). To check another "
            "run, on rows X and labels y, record it: audit(textbook.perceptron(X, y))."
        )
    if u is not None:
        return claims.check(run, u, b)
    proof = _certify_run(run.X, run.y)
    if proof.coef is None or proof.status != "separable":
        return claims.without_separator(run, _first_failure(run, proof))
    w, b = proof.coef, 0.0
    if run.offset is not None:
        w, b = np.delete(w, run.offset), float(w[run.offset])
    return claims.check(run, w, b)._replace(maximal=True)


def _certify_run(X: Floats, y: Ints) -> Certificate:
    """Certify stored rows without an intercept: their constant 1 is a feature."""
    if y.min() == y.max():  # (x, y) and (−x, −y) are the same constraint
        X, y = np.vstack([X, -X[:1]]), np.append(y, -y[0])
    proof = certify(X, y, fit_intercept=False)
    assert isinstance(proof, Certificate)
    return proof


def _infeasible_rows(proof: Certificate) -> list[int]:
    """Return the rows that prove that no separator exists; none if one may exist."""
    return proof.rows.tolist() if proof.margin[1] == 0.0 else []


def _first_failure(run: Trace, proof: Certificate) -> Failure:
    """Return the first step whose rows so far are not separable."""
    if not _infeasible_rows(proof):
        return Failure(0, "margin", "undecided: a separator of the rows may or may not exist")
    used = list(dict.fromkeys(run.order.tolist()))

    def infeasible_among(k: int) -> list[int]:
        rows = used[:k]
        return [rows[i % k] for i in _infeasible_rows(_certify_run(run.X[rows], run.y[rows]))]

    k = bisect_left(range(1, len(used) + 1), True, key=lambda k: bool(infeasible_among(k))) + 1
    if k > len(used):
        rows = _format_rows(i % len(run.X) for i in _infeasible_rows(proof))
        why = f"no u separates rows {rows}, although the rows so far are separable"
        return Failure(max(len(run) - 1, 0), "margin", why)
    why = f"the rows so far prove it: no u separates rows {_format_rows(infeasible_among(k))}"
    return Failure(run.order.tolist().index(used[k - 1]), "margin", why)


def _format_rows(rows: Iterable[int]) -> str:
    texts = [str(row) for row in sorted(set(rows))]
    return ", ".join(texts[:8]) + (", …" if len(texts) > 8 else "")
