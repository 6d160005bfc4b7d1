"""The convergence theorem checked on a run, with the direction of maximal margin."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from rosenblatt.proofs.certificate import Certificate
from rosenblatt.proofs.certification import certify
from rosenblatt.proofs.check.record import Claim, Verification
from rosenblatt.proofs.check.theorem import AuditRecord, fault, verify_theorem
from rosenblatt.proofs.files import Path, ProofError
from rosenblatt.proofs.notes import DecimalVerdict
from rosenblatt.proofs.search.determined import exact_nearest
from rosenblatt.proofs.search.integers import MAX_NUMBERS
from rosenblatt.theory.textbook import claims, exact
from rosenblatt.theory.textbook.claims import Claims
from rosenblatt.theory.textbook.failures import UNDECIDED, Failure
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import Floats, Ints
from rosenblatt.utils.directed import times_power


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Claims):
    """`rosenblatt.claims.Claims` that can be verified, saved, and verified again by anyone.

    Attributes
    ----------
    record : AuditRecord or None
        The rows, the corrections and the claims. None where the theorem does not apply to the run,
        or the run is too long for exact arithmetic, or to be verified.
    too_long : str
        Why the run is too long to be verified; "" where it is not.
    decimals : DecimalVerdict or None
        The verdict of `rosenblatt.certify` on the shortest decimals of the rows, where it is
        another than that on the floats, which the run and the audit are about.
    searched : bool
        True if u is of `rosenblatt.certify`, and not given.

    Examples
    --------
    >>> from rosenblatt import audit, textbook, toys
    >>> toy = toys.two_points()
    >>> result = audit(textbook.augmented_perceptron(toy.X, toy.y))
    >>> result.verify()
    <Verification: all 10 claims hold>
    >>> result.gamma2, result.radius2, result.allowed
    (Fraction(1, 2), Fraction(6, 1), 12)
    """

    record: AuditRecord | None = None
    searched: bool = False
    too_long: str = ""
    decimals: DecimalVerdict | None = None

    def __str__(self) -> str:
        """Return the table of the claims, and whether the decimals have another verdict."""
        if self.decimals is None:
            return super().__str__()
        examples = ", ".join([*self.decimals.examples, "…"])
        return (
            f"{super().__str__()}\nAll of this is about the binary numbers of the run; as the "
            f"decimals they were written as ({examples}) the rows are {self.decimals.status}."
        )

    def verify(self) -> Verification:
        """Check every claim again, from the rows alone, independently of the code that made it.

        Returns
        -------
        Verification
            True as a condition if all claims hold; ``failed`` names the first that does not. Where
            the theorem does not apply, that is the assumption that fails; where that is not
            decided, or the run is too long to be verified, it says so.
        """
        if self.record is not None:
            return verify_theorem(self.record)
        return Verification((Claim(self._unverified(), False, self._no_record()),))

    def save(self, path: Path) -> None:
        """Write the audit as JSON text, for `load` and ``rosenblatt verify FILE``.

        The file has the rows and the corrections, so that nothing else is needed to verify it. On
        failure ``path`` is unchanged. A ValueError if the theorem does not apply to the run, or the
        run is too long.
        """
        from rosenblatt.proofs.audit_files import save_audit

        if self.record is None:
            raise ValueError(f"this audit cannot be saved: {self._no_record()}")
        save_audit(self.record, path)

    @staticmethod
    def load(path: Path) -> Audit:
        """Read a file that `save` wrote; another file is a ``ProofError``.

        What is printed is computed from the rows and corrections of the file; `verify` checks the
        claims that the file makes.

        Parameters
        ----------
        path : str or path
        """
        from rosenblatt.proofs.audit_files import load_audit

        record = load_audit(path)
        run = _replayed(record)
        if not np.isfinite(run.weights).all():
            raise ProofError(f"{path}: its run leaves the range of floats")
        X = exact.to_integers(record.X)[0]
        z = record.direction or _hull_point(X, record.y, record.rows, record.weights)
        if not any(z):
            raise ProofError(f"{path}: weights must give a direction, Σ λ y x; it is 0")
        maximal = record.direction is None and bool(verify_theorem(record))
        return _as_audit(claims.check_direction(run, z), maximal=maximal, record=record)

    def _unverified(self) -> str:
        """Return the claim that fails without a record."""
        return "the theorem applies to the run" if self.failure else "the audit can be verified"

    def _no_record(self) -> str:
        """Return why there is no record."""
        if self.failure is not None:
            return f"{'' if self.failure.decided else 'not decided: '}{self.failure.at_step}"
        if self.too_long:
            return f"the run is too long to be verified: {self.too_long}"
        return "the run is too long for exact arithmetic"

    def _direction_text(self) -> str:
        best = self.searched and not self.maximal and self.u is not None
        return "of the best u found" if best else super()._direction_text()


def audit(run: Trace, u: ArrayLike | None = None, b: float = 0.0) -> Audit:
    """Check the perceptron convergence theorem step by step on a recorded run.

    Parameters
    ----------
    run : Trace
        A run of `rosenblatt.textbook`.
    u : array of shape (d,), default None
        The direction of the margin assumption. None takes the direction of maximal margin, with
        which the bound (R/γ)² from w_0 = 0 is smallest: any other allows more mistakes. Where it is
        not proved in exact arithmetic to be maximal, ``maximal`` is False, and the table says "of
        the best u found".
    b : float, default 0
        The offset of `u`, for a run with an offset.

    Returns
    -------
    Audit
        ``holds``, ``failure`` (the first step at which an assumption fails, and why), both sides of
        every claim, in exact arithmetic, and a table when printed; ``verify()`` and ``save(path)``.
        If no direction separates the rows, the failure is at the first step whose rows so far prove
        it, and only Claim 2 applies.

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
    claims.check_run(run)
    if u is not None and np.ndim(u) > 1:
        raise ValueError(
            "audit takes a run and, if at all, one direction u and its offset b; got u of shape "
            f"{np.shape(u)}. A run has its rows and labels: call audit(run). To check another "
            "run, on rows X and labels y, record it: audit(textbook.perceptron(X, y))."
        )
    if u is not None:
        return _with_record(run, _as_audit(claims.check(run, u, b)), claims.direction_of(run, u, b))
    proof = _certify_run(run.X, run.y)
    return replace(_searched_audit(run, proof), decimals=proof.notes.decimals)


def _searched_audit(run: Trace, proof: Certificate) -> Audit:
    """Return the audit with the direction of a certificate."""
    if proof.coef is None or proof.status != "separable":
        return _as_audit(claims.without_separator(run, _first_failure(run, proof)))
    X, unit = exact.to_integers(run.X)
    if hull := _nearest_point(run, X, proof.coef, proof.rows):
        z = _hull_point(X, run.y, *hull)
        result = claims.check_direction(run, z)
        # p = z/Σ λ is in the hull of the rows y x, and y x·p >= p·p: so no u has a γ > ‖p‖
        if result.sides.level * sum(hull[1]) == result.sides.sqnorm * times_power(1, unit):
            return _with_record(run, _as_audit(result, maximal=True, searched=True), hull=hull)
    z = [*(proof.direction or ())][:-1] or exact.to_integers(proof.coef)[0].tolist()
    return _with_record(run, _as_audit(claims.check_direction(run, z), searched=True), z)


def _as_audit(result: Claims, **more: object) -> Audit:
    kept = {field.name: getattr(result, field.name) for field in fields(Claims)}
    return Audit(**kept | more)


def _with_record(
    run: Trace, result: Audit, z: Sequence[int] = (), hull: tuple[list[int], list[int]] = ([], [])
) -> Audit:
    """Return the audit with its record, for the direction z or the rows and weights of a hull."""
    bound = result.sides.bound
    if not result.holds or not result.exact or bound is None:
        return result
    record = AuditRecord(
        X=run.X,
        y=run.y,
        eta=float(run.eta),
        tie=run.tie,
        offset=run.offset,
        start=run.weights[0],
        order=exact.Corrections.of(run).rows,
        direction=tuple(z) or None,
        rows=np.array(hull[0], np.int64),
        weights=tuple(hull[1]),
        radius2=result.radius2,
        gamma2=result.gamma2,
        bound=bound.low,
        allowed=int(result.allowed),
    )
    if why := fault(record):
        return replace(result, too_long=why)
    return replace(result, record=record)


def _nearest_point(
    run: Trace, X: exact.Integers, w: Floats, support: Ints
) -> tuple[list[int], list[int]] | None:
    """Return rows and weights λ for which Σ λ y x may be the direction of maximal margin."""
    rows, candidates = np.arange(len(X)), np.unique(support % len(X))
    if X.size > MAX_NUMBERS:  # of many rows, those that the certificate's direction has nearest
        near = np.argsort(run.y * (run.X @ w), kind="stable")
        rows = np.union1d(candidates, near[: MAX_NUMBERS // X.shape[1] - len(candidates)])
    chosen = np.searchsorted(rows, candidates).tolist()
    result = exact_nearest(X[rows].tolist(), run.y[rows].tolist(), chosen, intercept=False)
    return None if result is None else (rows[result.rows].tolist(), result.weights)


def _hull_point(
    X: exact.Integers, y: Ints, rows: Sequence[int] | Ints, weights: Sequence[int]
) -> list[int]:
    """Return Σ λ y x."""
    signed = np.array(weights, object) * y[rows].astype(object)
    point: list[int] = (signed @ X[rows]).tolist()
    return point


def _replayed(record: AuditRecord) -> Trace:
    """Return a run of the corrections alone."""
    k = len(record.order)
    weights = np.empty((k + 1, len(record.start)))
    weights[0] = record.start
    with np.errstate(over="ignore", invalid="ignore"):
        for t, row in enumerate(record.order):
            weights[t + 1] = weights[t] + record.eta * record.y[row] * record.X[row]
    signs = record.y[record.order]
    return Trace(
        algorithm="audit",
        X=record.X,
        y=record.y,
        eta=record.eta,
        tie=record.tie,
        weights=weights,
        order=record.order,
        used=np.arange(k),
        score=np.zeros(k),
        prediction=-signs,
        label=signs,
        mistake=np.ones(k, np.bool_),
        epochs=1,
        converged=False,
        offset=record.offset,
    )


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
        return Failure(0, "margin", f"{UNDECIDED}a separator of the rows may or may not exist")
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
