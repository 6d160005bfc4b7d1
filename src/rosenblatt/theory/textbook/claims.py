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

Floats are fractions, and all of this is computed in exact arithmetic (decision record 026). Floats
round w + η y x, which the theorem does not know: w_t here is the vector of the *exact run*, which
starts at the recorded w_0 and adds η y x, unrounded, for the same rows in the same order.
Assumption (3) is asked of the exact run; the recorded weights differ by ``Claims.deviation``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from rosenblatt.theory.textbook import exact
from rosenblatt.theory.textbook.exact import Corrections, Walk
from rosenblatt.theory.textbook.failures import Failure, first_failure
from rosenblatt.theory.textbook.sides import Sides
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import Floats, Ints, check_float, check_vector
from rosenblatt.utils.directed import Enclosure, over_root, to_float
from rosenblatt.utils.shown import join, to_html
from rosenblatt.utils.tables import MAX_ROWS, abridged, text_table
from rosenblatt.utils.words import count

SLACK = 1e-12
"""An assumed γ or R that the rows miss by less, relative to R, is meant to be that of the rows."""
DIGITS = 5
"""Digits in the table; below it there is one more."""

__all__ = ["Claims", "Failure", "check", "without_separator"]


Side: TypeAlias = Callable[[Sides, int], Enclosure | None]
"""One side of a claim after t corrections."""


def _column(side: Side) -> cached_property[Floats]:
    """Return the attribute with one side of a claim after each correction."""

    def column(claims: Claims) -> Floats:
        values = (side(claims.sides, t) for t in range(claims.mistakes + 1))
        return np.array([math.nan if value is None else value.nearest() for value in values])

    return cached_property(column)


def _column_if(needs: str, side: Side) -> cached_property[Floats | None]:
    """Return the same; it is None where the sides lack what it needs, a direction or a bound."""
    column = _column(side).func
    return cached_property(lambda claims: column(claims) if getattr(claims.sides, needs) else None)


@dataclass(frozen=True, eq=False, repr=False)
class Claims:
    """Both sides of every claim after each correction of a run, in exact arithmetic.

    The arrays and floats are the exact numbers rounded to the nearest float.

    Attributes
    ----------
    sides : Sides
        The exact numbers of both sides, of which the others are rounded.
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
    radius2, gamma2 : Fraction
        R² and γ², exactly; both are fractions.
    projection, least : array of shape (k + 1,) or None
        Claim 1: u·w_t, and its lower bound.
    cosine, least_cosine : array of shape (k + 1,) or None
        The cosine of the angle of u and w_t, u·w_t/‖w_t‖; NaN where w_t is 0. Its lower bound is
        √t γ/R from w_0 = 0, in general the bounds' quotient, and -1 where Claim 1 allows a negative
        u·w_t. None without u.
    distance, farthest : array of shape (k + 1,) or None
        Claim 3: ‖w_t/η - α u‖², and its upper bound; None where γ <= 0.
    bound : float
        Upper bound on the number of corrections, from the start of the run; infinite where γ <= 0.
    allowed : int or inf
        The floor of the bound, exactly: the largest number of corrections that it allows.
    failure : Failure or None
        The first step at which an assumption fails; where none is known to fail, the first at which
        one may (``failure.decided`` is False).
    maximal : bool
        True if it is proved that no other u has a larger γ, nor so, from w_0 = 0, a smaller bound:
        as `rosenblatt.audit` finds it.
    augmented : bool
        True if the rows have the constant 1, and u a component for b.
    deviation : float
        The recorded weights differ from those of the exact run by at most this; 0.0 if they are
        equal.
    exact : bool
        False for a run of more than 4e9 corrections x features x bits: then ‖w_t‖² and u·w_t are
        intervals with errors of the size of rounding, and the arrays have their middles.

    Examples
    --------
    >>> from rosenblatt import claims, textbook, toys
    >>> toy = toys.two_points()
    >>> found = claims.check(textbook.augmented_perceptron(toy.X, toy.y), [-1.0, 1.0])
    >>> found.t.tolist(), found.allowed
    ([0, 1, 2], 12)
    """

    sides: Sides
    u: Floats | None = None
    failure: Failure | None = None
    maximal: bool = False
    augmented: bool = False

    sqnorm, most = _column(Sides.square), _column(Sides.most)
    projection = _column_if("sqnorm", Sides.projection)
    least = _column_if("sqnorm", Sides.least)
    cosine = _column_if("sqnorm", Sides.cosine)
    least_cosine = _column_if("sqnorm", Sides.least_cosine)
    distance = _column_if("bound", Sides.distance)
    farthest = _column_if("bound", Sides.farthest)

    @cached_property
    def t(self) -> Ints:  # noqa: D102 (see the class)
        return np.arange(len(self.sides.walk.squares))

    @property
    def R(self) -> float:  # noqa: D102
        return self.sides.radius.nearest()

    @property
    def eta(self) -> float:  # noqa: D102
        return float(self.sides.eta)

    @property
    def gamma(self) -> float:  # noqa: D102
        return self.sides.gamma.nearest()

    @property
    def radius2(self) -> Fraction:  # noqa: D102
        return self.sides.radius2

    @property
    def gamma2(self) -> Fraction:  # noqa: D102
        return self.sides.gamma2

    @property
    def bound(self) -> float:  # noqa: D102
        return math.inf if self.sides.bound is None else self.sides.bound.nearest()

    @property
    def allowed(self) -> float:
        """The largest number of corrections that the bound allows: its floor, or infinity."""
        return math.inf if self.sides.bound is None else math.floor(self.sides.bound.high)

    @property
    def allowed_text(self) -> str:
        """``allowed`` as text; beyond 10**18 it is rounded up to six digits."""
        if self.sides.bound is None or self.allowed < 10**18:
            return f"{self.allowed:,}"
        return Enclosure.of(int(self.allowed)).digits_up(DIGITS + 1)

    @property
    def starts_at_zero(self) -> bool:
        """True if w_0 = 0: then the bound is (R/γ)²."""
        return not self.sides.walk.squares[0].high

    @property
    def deviation(self) -> float:  # noqa: D102
        return to_float(self.sides.walk.deviation)

    @property
    def exact(self) -> bool:  # noqa: D102
        return self.sides.walk.exact

    @property
    def mistakes(self) -> int:
        """k, the number of corrections."""
        return len(self.sides.walk.squares) - 1

    @property
    def holds(self) -> bool:
        """True if all assumptions, and so all claims, are known to hold for the run."""
        return self.failure is None

    def __str__(self) -> str:
        """Return the table of the claims, the bound, and the first failure if there is one."""
        lines: list[str] = self._table_lines()
        radius, gamma = self.sides.radius.at_most(), self.sides.gamma.at_least()
        if self.u is None and self.failure is not None and not self.failure.decided:
            lines.append(f"R {radius}, no u is known to separate the rows")
        else:
            lines.append(f"R {radius}, γ {gamma}, {self._direction_text()}")
        if self.augmented:
            lines.append("(of the rows with the constant 1; certify's margin is of those without)")
        if self.deviation:
            deviation = Enclosure.of(self.sides.walk.deviation).digits_up(2)
            lines.append(f"(of the exact run; the recorded weights are rounded, by ≤ {deviation})")
        corrections = count(self.mistakes, "correction")
        start = "" if self.starts_at_zero else " from this start"
        if self.failure is None:
            lines.append(f"{corrections}; the theorem allows {self.allowed_text}{start}.")
        else:
            verdict = "The theorem does not apply" if self.failure.decided else "Not decided"
            lines.append(f"{corrections}. {verdict}: {self.failure.at_step}.")
        return join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return to_html(str(self))

    def _table_lines(self) -> list[str]:
        """Return the table, and how it is rounded."""
        sides = self.sides
        columns: dict[str, Callable[[int], Enclosure | None]] = {}
        if self.u is not None:
            columns |= {"u·w_t": sides.projection, "≥ least": sides.least}
        columns |= {"‖w_t‖²": sides.square, "≤ most": sides.most}
        if self.u is not None:
            columns |= {"cos θ_t": sides.cosine, "≥ least ": sides.least_cosine}
        upwards, rounded = {"‖w_t‖²", "≤ most"}, False
        rows: list[Sequence[str]] = []
        for t in range(self.mistakes + 1):
            if self.mistakes >= MAX_ROWS and MAX_ROWS - 2 <= t < self.mistakes:
                rows.append([])  # not shown
                continue
            cells = [f"{t}"]
            for name, side in columns.items():
                value = side(t)
                rounded |= value is not None and not value.is_shown(DIGITS)
                if value is None:
                    cells.append("–")
                elif name in upwards:
                    cells.append(value.digits_up(DIGITS))
                else:
                    cells.append(value.digits_down(DIGITS))
            rows.append(cells)
        lines: list[str] = [text_table(["t", *map(str.strip, columns)], abridged(rows))]
        if not self.exact:
            lines.append(
                "(in intervals, ends that cannot be worse: the run is too long to be exact)"
            )
        elif rounded:
            down = "u·w_t, cos θ_t and least are rounded down, " if self.u is not None else ""
            lines.append(f"({down}‖w_t‖² and most{'' if down else ' are rounded'} up)")
        return lines

    def _direction_text(self) -> str:
        if self.u is None:
            return "no u separates the rows"
        return "the largest of any u" if self.maximal else "of this u"


def check(
    run: Trace, u: ArrayLike, b: float = 0.0, *, gamma: float | None = None, R: float | None = None
) -> Claims:
    """Check the theorem's assumptions and claims at every step of a run, for one direction.

    All numbers are exact. In the table a number of five digits is rounded, in the direction in
    which a bound remains one; one of fewer digits is exact.

    Parameters
    ----------
    run : Trace
        A run of any algorithm, also of one that violates an assumption.
    u : array of shape (d,)
        The direction u, or w*, not zero. (u, b) is normalised.
    b : float, default 0
        Its offset b*, for a run with an offset.
    gamma, R : float, default None
        The assumed margin and radius; None takes those of the run's rows, as does a number that
        they miss by a rounding (1e-12 R).

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
    1  0.70710  0.70710       6       6  0.28867  0.28867
    2   1.4142   1.4142       2      12        1  0.40824
    (u·w_t, cos θ_t and least are rounded down, ‖w_t‖² and most up)
    R ≤ 2.44949, γ ≥ 0.707106, of this u
    (of the rows with the constant 1; certify's margin is of those without)
    2 corrections; the theorem allows 12.
    """
    check_run(run)
    direction = direction_of(run, u, b)
    gamma = None if gamma is None else check_float(gamma, "gamma", above=0.0)
    R = None if R is None else check_float(R, "R", minimum=0.0)
    return check_direction(run, direction, gamma, R)


def check_trace(run: object) -> None:
    """Refuse an argument that is not a recorded run with a TypeError."""
    if not isinstance(run, Trace):
        hint = "; pass its .run" if hasattr(run, "run") else ", as rosenblatt.textbook records it"
        raise TypeError(f"run must be a Trace{hint}; got {type(run).__name__}")


def check_run(run: Trace) -> None:
    """Refuse what is no recorded run, and a run of several rates, which the theorem has not."""
    check_trace(run)
    if run.rates is not None:
        raise ValueError("run must have one learning rate for the theorem, got several, η_t")


def without_separator(run: Trace, failure: Failure) -> Claims:
    """Return the claims for rows that no u separates: Claim 2 only.

    Parameters
    ----------
    run : Trace
        A run on rows that no u separates.
    failure : Failure
        The step at which the assumption of a margin fails.

    Examples
    --------
    >>> from rosenblatt import textbook
    >>> run = textbook.perceptron([[1.0], [1.0]], [1, -1], max_epochs=2)
    >>> failure = Failure(0, "margin", "the same row twice")
    >>> without_separator(run, failure).u is None
    True
    """
    sides = Sides(_walk(run, None)[0], Fraction(run.eta), exact.row_squares(run.X).largest())
    return Claims(sides, failure=failure, augmented=run.offset is not None)


def check_direction(
    run: Trace, z: Sequence[int], gamma: float | None = None, R: float | None = None
) -> Claims:
    """Return the claims for the direction of an integer vector z, not 0."""
    margins, squares = exact.signed_products(run.X, run.y, z), exact.row_squares(run.X)
    radius2 = squares.largest()
    length = to_float(radius2) ** 0.5
    if R is not None and not 0.0 <= length - R <= SLACK * length:
        radius2 = Fraction(R) ** 2
    walk, proper = _walk(run, z)
    start, sqnorm = exact.square_and_product(run.weights[0], z), sum(v * v for v in z)
    sides = Sides(walk, Fraction(run.eta), radius2, sqnorm, margins.smallest(), start)
    if gamma is not None and not 0.0 <= gamma - sides.gamma.nearest() <= SLACK * length:
        sides = replace(sides, assumed=Fraction(gamma))
    u = np.array([over_root(Enclosure.scaled(v, 0), sides.length2).nearest() for v in z])
    failure = first_failure(run, sides, margins, squares, proper)
    return Claims(sides, u, failure, augmented=run.offset is not None)


def direction_of(run: Trace, u: ArrayLike, b: float) -> list[int]:
    """Return integers along (u, b), of the length of a stored vector."""
    b = check_float(b, "b")
    u = check_vector(u, "u", run.points.shape[1])
    if run.offset is None:
        if b != 0.0:
            raise ValueError(f"b must be 0 for a run without an offset, got {b!r}")
    else:
        u = np.insert(u, 0 if run.offset == 0 else len(u), b)
    if not u.any():
        raise ValueError("u must have a direction, got the zero vector")
    numbers: list[int] = exact.to_integers(u)[0].tolist()
    return numbers


def _walk(run: Trace, z: Sequence[int] | None) -> tuple[Walk, int]:
    """Return the run's vectors, and how many updates are corrections, from the first on.

    If all are, the vectors are those of the exact run; else the recorded ones.
    """
    corrections = Corrections.of(run)
    proper = corrections.are_proper(run.weights)
    first = corrections.first(proper)
    compute = exact.walk if first.work() <= exact.MOST_WORK else exact.enclosed_walk
    walk = compute(first, run.weights[: proper + 1], z)
    if proper < len(corrections.rows):
        walk = exact.recorded(run.weights, z)._replace(right=walk.right)
    return walk, proper
