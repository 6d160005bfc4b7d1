"""The theorem against a run, with the direction that makes it say the most."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt import claims
from rosenblatt.claims import Claims, Failure
from rosenblatt.proofs import Certificate, certify
from rosenblatt.trace import Trace


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
        the step that completes the rows which prove it, and of the claims the second remains.

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
    if u is not None:
        return claims.check(run, u, b)
    proof = _certificate(run)
    if proof.coef is None or proof.status != "separable":
        return claims.without_separator(run, _complete(run, proof))
    if run.offset is None:
        return claims.check(run, proof.coef)
    return claims.check(run, np.delete(proof.coef, run.offset), proof.coef[run.offset])


def _certificate(run: Trace) -> Certificate:
    """Certify the stored rows through the origin: there the constant 1 is a feature."""
    X, y = run.X, run.y
    if y.min() == y.max():  # a row and its negation say the same
        X, y = np.vstack([X, -X[:1]]), np.append(y, -y[0])
    proof = certify(X, y, fit_intercept=False)
    assert isinstance(proof, Certificate)
    return proof


def _complete(run: Trace, proof: Certificate) -> Failure:
    """Find the step at which the last of the rows that cancel is seen."""
    if proof.status == "undecided":
        return Failure(0, "margin", "whether any u separates the rows is undecided")
    rows = {int(row) % len(run.X) for row in proof.rows}
    seen = [int(np.argmax(run.order == row)) for row in rows if (run.order == row).any()]
    named = ", ".join(map(str, sorted(rows)[:8])) + (", …" if len(rows) > 8 else "")
    why = f"the rows seen so far cancel: no u separates rows {named}"
    return Failure(max(seen, default=0), "margin", why)
