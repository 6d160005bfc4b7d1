"""Both sides of every claim of the theorem along a run, as enclosures of exact numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rosenblatt.theory.textbook.exact import Walk
from rosenblatt.utils.directed import Enclosure, over_root, root


@dataclass(frozen=True, eq=False)
class Sides:
    """Both sides of every claim. The ends of an enclosure are equal, where it is a fraction.

    Attributes
    ----------
    walk : Walk
        ‖w_t‖² and z·w_t, for u = z/‖z‖.
    eta, radius2 : Fraction
        η and R².
    sqnorm : int
        ‖z‖², or 0 without u.
    level : Fraction
        γ ‖z‖ = min y (z·x), or 0 where γ is assumed.
    start : (Fraction, Fraction)
        ‖w_0‖² and z·w_0.
    assumed : Fraction or None
        γ, where it is assumed.
    """

    walk: Walk
    eta: Fraction
    radius2: Fraction
    sqnorm: int = 0
    level: Fraction = Fraction(0)
    start: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    assumed: Fraction | None = None

    @cached_property
    def length2(self) -> Enclosure:
        """‖z‖²."""
        return Enclosure.scaled(self.sqnorm, 0)

    @cached_property
    def radius(self) -> Enclosure:
        """R."""
        return root(Enclosure.of(self.radius2))

    @cached_property
    def gamma(self) -> Enclosure:
        """γ."""
        if self.assumed is not None:
            return Enclosure.of(self.assumed)
        return over_root(self._level, self.length2) if self.sqnorm else Enclosure.of(0)

    @cached_property
    def gamma2(self) -> Fraction:
        """γ², exactly."""
        if self.assumed is not None:
            return self.assumed**2
        return self.level**2 / self.sqnorm if self.sqnorm else Fraction(0)

    @cached_property
    def bound(self) -> Enclosure | None:
        """‖w_0/η - α u‖²/R², exactly where γ is not assumed; None without a margin."""
        if not self.sqnorm or not self.radius2 or self.gamma.low <= 0:
            return None
        square, product = self.start
        if self.assumed is None:
            along = Enclosure.of(product / self.level)
        else:
            along = over_root(Enclosure.of(product), self.length2).times(1 / self.assumed)
        alpha2 = Enclosure.of(self.radius2**2 / self.gamma2)
        return self._distance(Enclosure.of(square), along, alpha2).times(1 / self.radius2)

    def square(self, t: int) -> Enclosure:
        """‖w_t‖²."""
        return self.walk.squares[t]

    def most(self, t: int) -> Enclosure:
        """The upper bound of ‖w_t‖²."""
        return self.walk.squares[0].plus(Enclosure.of(t * self.eta**2 * self.radius2))

    def projection(self, t: int) -> Enclosure:
        """u·w_t."""
        return over_root(self.walk.products[t], self.length2)

    def least(self, t: int) -> Enclosure:
        """The lower bound of u·w_t."""
        if self.assumed is not None:
            return self.projection(0).plus(self.gamma.times(t * self.eta))
        return over_root(self._least_product(t), self.length2)

    def cosine(self, t: int) -> Enclosure | None:
        """The cosine of the angle of u and w_t; None where w_t is or may be 0."""
        square = self.walk.squares[t]
        if square.low <= 0:
            return None
        return over_root(self.walk.products[t], self.length2.by(square))

    def least_cosine(self, t: int) -> Enclosure:
        """The lower bound of the cosine: -1 where Claim 1 allows a negative u·w_t."""
        least, most = self.least(t), self.most(t)
        if least.low < 0:
            return Enclosure.of(-1)
        if most.low <= 0:
            return Enclosure.of(0)
        if self.assumed is None:
            return over_root(self._least_product(t), self.length2.by(most))
        return over_root(least, most)

    def distance(self, t: int) -> Enclosure:
        """‖w_t/η - α u‖², α = R²/γ."""
        if self.assumed is None:
            along = self.walk.products[t].over(self._level)
        else:
            along = self.projection(t).times(1 / self.assumed)
        return self._distance(self.walk.squares[t], along, self._alpha2)

    def farthest(self, t: int) -> Enclosure:
        """The upper bound of ‖w_t/η - α u‖²."""
        return self.distance(0).plus(Enclosure.of(-t * self.radius2))

    def _distance(self, square: Enclosure, along: Enclosure, alpha2: Enclosure) -> Enclosure:
        """Return ‖w‖²/η² - 2 (R²/η) (u·w/γ) + α². With the margin of u, u·w/γ is a fraction."""
        product = along.times(-2 * self.radius2 / self.eta)
        return square.times(1 / self.eta**2).plus(product).plus(alpha2)

    @cached_property
    def _alpha2(self) -> Enclosure:
        return Enclosure.rounded(self.radius2**2 / self.gamma2)

    @cached_property
    def _level(self) -> Enclosure:
        return Enclosure.rounded(self.level)

    def _least_product(self, t: int) -> Enclosure:
        return self.walk.products[0].plus(self._level.times(t * self.eta))
