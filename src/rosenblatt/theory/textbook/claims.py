"""The perceptron convergence theorem, checked step by step on a recorded run.

The theorem assumes: (1) every row has y (u·x) >= γ > 0, for a unit u; (2) every row has ‖x‖ <= R;
(3) w changes at mistakes only, where y (w·x) <= 0; (4) w changes by η y x. These imply, after t
corrections,

    Claim 1   u·w_t >= u·w_0 + t η γ          (Lemma 1, with t = m_t)
    Claim 2   ‖w_t‖² <= ‖w_0‖² + t η² R²      (Lemma 2)
    Claim 3   ‖w_t/η - α u‖² <= ‖w_0/η - α u‖² - t R², with α = R²/γ, from any start

and, since the left side of Claim 3 is not negative, t <= ‖w_0/η - α u‖²/R², which is (R/γ)² for
w_0 = 0. Claim 1 divided by Claim 2 bounds the angle θ_t between w_t and u: u·w = ‖w‖ cos θ, so that
from w_0 = 0

    cos θ_t >= √t γ/R,

which may not exceed 1: the projection grows faster than the length. With a learned b, all
statements are about the rows (x, 1) and the vectors (w, b): the inequalities of L2.3 divided by
√(1 + b*²). Their γ is at most the margin of `rosenblatt.certify`, which divides by ‖w‖ and not by
‖(w, b)‖. Lecture rows L0.5, L0.8, L1.4, L2.3, L3.4, L4.6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.theory.bounds import most_mistakes, radius
from rosenblatt.theory.textbook.step import dot
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.checks import Floats, Ints, check_float, check_vector
from rosenblatt.utils.shown import join, to_html
from rosenblatt.utils.tables import abridged, text_table
from rosenblatt.utils.words import count

SMALLEST_RADIUS = 1e-150
"""Rows below it, other than 0, have squares that are not normal floats."""

__all__ = ["Claims", "Failure", "check", "without_separator"]


class Failure(NamedTuple):
    """The first step at which an assumption of the theorem does not hold.

    Attributes
    ----------
    step : int
        The step, as in ``run[step]``.
    kind : str
        "margin" (1), "radius" (2), "mistake" (3), "move" (4); or "claim 1", "claim 2", "claim 3",
        if a claim fails although all assumptions hold.
    why : str
        The assumption, and the numbers that violate it.
    """

    step: int
    kind: str
    why: str


class Claims(NamedTuple):
    """Both sides of every claim after each correction of a run.

    Attributes
    ----------
    t : array of shape (k + 1,)
        0, 1, …, k: the number of corrections so far. ``run.used`` is t for each step, L1.4's m_t.
    sqnorm, most : array of shape (k + 1,)
        Claim 2: ‖w_t‖², and its upper bound.
    R, eta : float
        Radius and learning rate.
    u : array of shape (D,) or None
        The unit vector, with a component for b where the run stores b. None: no u separates the
        rows, and only Claim 2 applies.
    gamma : float
        The margin min y (u·x) of the stored rows; <= 0 if `u` does not separate them, 0 if no u
        does. For a run with an offset, these are the rows with the constant 1, and γ is at most
        the margin of `rosenblatt.certify`.
    projection, least : array of shape (k + 1,) or None
        Claim 1: u·w_t, and its lower bound.
    distance, farthest : array of shape (k + 1,) or None
        Claim 3: ‖w_t/η - α u‖², and its upper bound; None where γ <= 0.
    bound : float
        Upper bound on the number of corrections; infinite where γ <= 0.
    failure : Failure or None
        The first step at which an assumption fails.
    maximal : bool
        True if no other u has a larger γ, nor so a smaller bound: as `rosenblatt.audit` finds it.
    augmented : bool
        True if the rows have the constant 1, and u a component for b.
    """

    t: Ints
    sqnorm: Floats
    most: Floats
    R: float
    eta: float
    u: Floats | None = None
    gamma: float = 0.0
    projection: Floats | None = None
    least: Floats | None = None
    distance: Floats | None = None
    farthest: Floats | None = None
    bound: float = np.inf
    failure: Failure | None = None
    maximal: bool = False
    augmented: bool = False

    @property
    def mistakes(self) -> int:
        """k, the number of corrections."""
        return len(self.t) - 1

    @property
    def allowed(self) -> float:
        """The largest number of corrections that `bound` allows: its floor, or infinity."""
        return most_mistakes(self.bound)

    @property
    def cosine(self) -> Floats | None:
        """The cosine of the angle of u and w_t, u·w_t/‖w_t‖; NaN where w_t is 0, None without u."""
        if self.projection is None:
            return None
        cosine: Floats = self.projection / np.sqrt(np.where(self.sqnorm > 0.0, self.sqnorm, np.nan))
        return cosine

    @property
    def least_cosine(self) -> Floats | None:
        """The lower bound of the cosine: √t γ/R from w_0 = 0; in general the bounds' quotient.

        -1 where Claim 1 allows a negative u·w_t, and None without u.
        """
        if self.least is None:
            return None
        ratio = self.least / np.sqrt(np.where(self.most > 0.0, self.most, 1.0))
        return np.where(self.least < 0.0, -1.0, ratio)

    @property
    def holds(self) -> bool:
        """True if all assumptions and claims hold for the run."""
        return self.failure is None

    def __str__(self) -> str:
        """Return the table of the claims, the bound, and the first failure if there is one."""
        heads, columns = ["t"], [[f"{t}" for t in self.t]]
        if self.projection is not None and self.least is not None:
            heads += ["u·w_t", "≥ least"]
            columns += [_format_column(self.projection), _format_column(self.least)]
        heads += ["‖w_t‖²", "≤ most"]
        columns += [_format_column(self.sqnorm), _format_column(self.most)]
        if self.cosine is not None and self.least_cosine is not None:
            heads += ["cos θ_t", "≥ least"]
            columns += [_format_column(self.cosine), _format_column(self.least_cosine)]
        rows = list(zip(*columns, strict=True))
        lines: list[str] = [text_table(heads, abridged(rows))]
        lines.append(f"R = {self.R:.6g}, γ = {self.gamma:.6g}, {self._direction_text()}")
        if self.augmented:
            lines.append("(of the rows with the constant 1; certify's margin is of those without)")
        corrections = count(self.mistakes, "correction")
        if self.failure is None:
            lines.append(f"{corrections}; the theorem allows {self.allowed:,}.")
        else:
            lines.append(f"{corrections}. The theorem does not apply: at step")
            lines[-1] += f" {self.failure.step} {self.failure.why}."
        return join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return to_html(str(self))

    def _direction_text(self) -> str:
        if self.u is None:
            return "no u separates the rows"
        return "the largest of any u" if self.maximal else "of this u"


def check(
    run: Trace,
    u: ArrayLike,
    b: float = 0.0,
    *,
    gamma: float | None = None,
    R: float | None = None,
) -> Claims:
    """Check the theorem's assumptions and claims at every step of a run, for one direction.

    Equalities and inequalities are checked to rounding; on integers only the length of u is
    rounded.

    Parameters
    ----------
    run : Trace
        A run of any algorithm, also of one that violates an assumption.
    u : array of shape (d,)
        The direction u, or w*, not zero. (u, b) is normalised.
    b : float, default 0
        Its offset b*, for a run with an offset.
    gamma, R : float, default None
        The assumed margin and radius; None takes those of the run's rows.

    Returns
    -------
    Claims

    Raises
    ------
    ValueError
        If `u` has another shape or is 0, if a number is not finite or out of range, or if `b` is
        not 0 for a run without an offset.

    Examples
    --------
    >>> from rosenblatt.textbook import augmented_perceptron
    >>> run = augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    >>> print(check(run, [-1.0, 1.0]))
    t    u·w_t  ≥ least  ‖w_t‖²  ≤ most  cos θ_t  ≥ least
    0        0        0       0       0        –        0
    1  0.70711  0.70711       6       6  0.28868  0.28868
    2   1.4142   1.4142       2      12        1  0.40825
    R = 2.44949, γ = 0.707107, of this u
    (of the rows with the constant 1; certify's margin is of those without)
    2 corrections; the theorem allows 12.
    """
    check_trace(run)
    u = _direction(run, u, check_float(b, "b"))
    length = radius([u])
    margins = run.y * dot(run.X, u) / length  # the division comes last, so that 0 stays 0
    gamma = float(margins.min()) if gamma is None else check_float(gamma, "gamma", above=0.0)
    R = radius(run.X) if R is None else check_float(R, "R", minimum=0.0)
    claims = _claims(run, u / length, gamma, R)
    return claims._replace(failure=_first_failure(run, claims, margins))


def check_trace(run: object) -> None:
    """Refuse an argument that is not a recorded run with a TypeError."""
    if not isinstance(run, Trace):
        hint = "; pass its .run" if hasattr(run, "run") else ", as rosenblatt.textbook records it"
        raise TypeError(f"run must be a Trace{hint}; got {type(run).__name__}")
    if run.rates is not None:
        raise ValueError("run must have one learning rate for the theorem, got several, η_t")


def without_separator(run: Trace, failure: Failure) -> Claims:
    """Return the claims for rows that no u separates: Claim 2 only."""
    return _claims(run, None, 0.0, radius(run.X))._replace(failure=failure)


def _direction(run: Trace, u: ArrayLike, b: float) -> Floats:
    u = check_vector(u, "u", run.points.shape[1])
    if run.offset is None:
        if b != 0.0:
            raise ValueError(f"b must be 0 for a run without an offset, got {b!r}")
    else:
        u = np.insert(u, 0 if run.offset == 0 else len(u), b)
    if not u.any():
        raise ValueError("u must have a direction, got the zero vector")
    scale = int(np.frexp(np.abs(u).max())[1])
    return np.ldexp(u, -scale)  # a power of two rounds nothing


def _claims(run: Trace, u: Floats | None, gamma: float, R: float) -> Claims:
    if 0.0 < R < SMALLEST_RADIUS:
        raise ValueError(f"the rows of run are too small to square, ‖x‖ ≤ {R:.3g}: scale X")
    w, eta, t = run.weights, run.eta, np.arange(len(run.weights))
    sqnorm = dot(w, w)
    claims = Claims(t, sqnorm, sqnorm[0] + t * (eta * R) ** 2, R, eta, u, gamma)
    claims = claims._replace(augmented=run.offset is not None)
    if u is None:
        return claims
    projection = dot(w, u)
    claims = claims._replace(projection=projection, least=projection[0] + t * eta * gamma)
    if gamma <= 0.0 or R == 0.0:
        return claims
    difference = w / eta - R * R / gamma * u
    distance = dot(difference, difference)
    bound = float(distance[0]) / (R * R)
    return claims._replace(distance=distance, farthest=distance[0] - t * R * R, bound=bound)


def _first_failure(run: Trace, claims: Claims, margins: Floats) -> Failure | None:
    """Check the assumptions at each step; then the claims, which these imply."""
    slack, lengths = 1e-12 * claims.R, [radius([x]) for x in run.X]
    for t, step in enumerate(run):
        margin, length = margins[step.row], lengths[step.row]
        if margin <= 0.0 or margin < claims.gamma - slack:
            required = f"γ = {claims.gamma:.6g}" if claims.gamma > 0.0 else "0"
            relation = "below" if claims.gamma > 0.0 else "not above"
            why = f"row {step.row} has y (u·x) = {margin:.6g}, {relation} {required}"
            return Failure(t, "margin", why)
        if length > claims.R + slack:
            why = f"row {step.row} has ‖x‖ = {length:.6g}, above R = {claims.R:.6g}"
            return Failure(t, "radius", why)
        if not np.array_equal(step.before, step.after):
            fault = _update_fault(run, step.before, step.after, step.row, step.score)
            if fault:
                return Failure(t, *fault)
    if claims.gamma <= 0.0:
        row = int(np.argmin(margins))
        why = f"row {row}, not used so far, has y (u·x) = {margins[row]:.6g}, not above 0"
        return Failure(max(len(run) - 1, 0), "margin", why)
    return _claim_fault(run, claims)


def _update_fault(
    run: Trace, before: Floats, after: Floats, row: int, score: float
) -> tuple[str, str] | None:
    """Return the assumption that an update of w violates, and the reason."""
    update = run.eta * run.y[row] * run.X[row]
    rounding = 1e-12 * (np.abs(before).max() + np.abs(update).max())
    if not np.allclose(after - before, update, rtol=0.0, atol=rounding):
        return "move", f"w changes by a vector other than η y x of row {row}"
    if run.y[row] * score > 0.0:
        return "mistake", f"w changes although row {row} is right, y (w·x) = {abs(score):.6g}"
    return None


def _claim_fault(run: Trace, claims: Claims) -> Failure | None:
    inequalities = {
        "claim 1": (claims.least, claims.projection),
        "claim 2": (claims.sqnorm, claims.most),
        "claim 3": (claims.distance, claims.farthest),
    }
    for name, (small, large) in inequalities.items():
        if small is None or large is None:
            continue
        rounding = 1e-12 * len(small) * (np.abs(small).max() + np.abs(large).max())
        broken = np.flatnonzero(small > large + rounding)
        if len(broken):
            t = int(np.flatnonzero(run.used < broken[0])[-1])
            return Failure(t, name, f"{name} fails: {small[broken[0]]} > {large[broken[0]]}")
    return None


def _format_column(values: Floats) -> list[str]:
    return ["–" if np.isnan(value) else f"{value + 0.0:.5g}" for value in values]
