"""The fields of a certificate, its claims, and the outcome of their verification."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from rosenblatt.theory import bounds

Array = NDArray[Any]
Label = Any

STATUSES = ("separable", "quasi-separable", "inseparable", "undecided")


@dataclass(frozen=True, eq=False)
class Overlap:
    """Positive weights on all rows that no separating direction can leave the plane with.

    Attributes
    ----------
    rows : ndarray of int64
        Rows with a weight of their own, ascending.
    weights : tuple of int
        Their weights, > 0.
    rest : int
        The weight, > 0, of every other row that lies on the plane.
    """

    rows: Array
    weights: tuple[int, ...]
    rest: int


@dataclass(frozen=True, eq=False)
class Record:
    """Fields of a certificate, as its :class:`~rosenblatt.proofs.Certificate` documents them."""

    status: str
    margin: tuple[float, float]
    rows: Array
    weights: tuple[int, ...]
    coef: Array | None
    intercept: float
    direction: tuple[int, ...] | None
    overlap: Overlap | None
    diverging: Array
    radius: float
    mistakes: int
    epochs: int
    converged: bool
    positive: Label
    negative: Label | None
    fit_intercept: bool
    shape: tuple[int, int]
    digest: str
    feature_names: tuple[str, ...] | None = None
    seconds: float = 0.0

    def __repr__(self) -> str:
        """In a line: the weights may have a thousand digits."""
        n, d = self.shape
        low, high = self.margin
        what = f", margin {low!r} to {high!r}" if high > 0.0 else f", {len(self.rows)} rows cancel"
        return f"<{type(self).__name__}: {self.status}, {n} x {d}{what}>"

    @property
    def mistake_bound(self) -> float:
        """At most so many mistakes does a perceptron make, in any order, over any number of passes.

        With an intercept (R² + 1)(1 + b²)/γ² for the rows (x, 1), whose last coordinate the
        perceptron learns like the others (L2.3); without, (R/γ)² (L0.5). γ is the lower end of
        ``margin``. Infinite where there is no separator.
        """
        if self.margin[0] == 0.0 or self.radius == math.inf:
            return math.inf
        if self.fit_intercept:
            return bounds.offset_bound(self.radius, self.margin[0], self.intercept)
        return self.origin_bound

    @property
    def origin_bound(self) -> float:
        """(R/γ)² (L0.5): the bound where the offset is known and only w is learned."""
        if self.margin[0] == 0.0 or self.radius == math.inf:
            return math.inf
        return bounds.mistake_bound(self.radius, self.margin[0])


@dataclass(frozen=True)
class Claim:
    """One statement of a proof, and whether it holds for the data."""

    text: str
    holds: bool
    why: str = ""


@dataclass(frozen=True)
class Verification:
    """What checking a proof found: true in a condition exactly when every claim holds.

    Attributes
    ----------
    claims : tuple of Claim
        In the order in which they were checked; the check stops at the first that fails.

    Examples
    --------
    >>> Verification((Claim("the weights are positive", False, "row 3 weighs -1"),)).failed
    'the weights are positive: row 3 weighs -1'
    """

    claims: tuple[Claim, ...]

    def __bool__(self) -> bool:
        return all(claim.holds for claim in self.claims)

    def __repr__(self) -> str:
        """In a line."""
        if self:
            return f"<Verification: all {len(self.claims)} claims hold>"
        return f"<Verification: failed, {self.failed}>"

    @property
    def failed(self) -> str | None:
        """The first claim that does not hold, and why; None where all hold."""
        for claim in self.claims:
            if not claim.holds:
                return f"{claim.text}: {claim.why}" if claim.why else claim.text
        return None
