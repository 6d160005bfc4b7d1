"""The fields of a certificate, its claims, and the result of their verification."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from rosenblatt import theory
from rosenblatt.proofs.check.rows import NUMBERS
from rosenblatt.utils.arrays import Array

Label = Any

STATUSES = ("separable", "quasi-separable", "inseparable", "undecided")


@dataclass(frozen=True, eq=False)
class Overlap:
    """Positive weights on all rows of the plane, the proof that no direction separates any of them.

    Attributes
    ----------
    rows : ndarray of int64
        Rows with individual weights, ascending.
    weights : tuple of int
        Weights of these rows, > 0.
    rest : int
        Weight, > 0, of every other row on the plane.
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
    determined: bool = False
    numbers: str = NUMBERS[0]

    def __repr__(self) -> str:
        """Return a summary in one line; the weights may have a thousand digits."""
        n, d = self.shape
        low, high = self.margin
        proving = "1 row proves it" if len(self.rows) == 1 else f"{len(self.rows)} rows prove it"
        bounds = f"margin {low!r} to {high!r}" if high > 0.0 else proving
        return f"<{type(self).__name__}: {self.status}, {n} x {d}, {bounds}>"

    @property
    def mistake_bound(self) -> float:
        """Upper bound on a perceptron's mistakes, for any order and any number of epochs.

        With an intercept (R² + 1)(1 + b²)/γ², for the rows (x, 1) (L2.3); without, (R/γ)² (L0.5). γ
        is the lower end of ``margin``. Infinite without a separator.
        """
        if self.margin[0] == 0.0 or self.radius == math.inf:
            return math.inf
        if self.fit_intercept:
            b = abs(self.intercept)
            if self.direction is not None:  # the offset is rounded
                b = math.nextafter(b, math.inf)
            return theory.offset_bound(self.radius, self.margin[0], b)
        return self.origin_bound

    @property
    def origin_bound(self) -> float:
        """(R/γ)² (L0.5): the bound for a known offset, where only w is learned."""
        if self.margin[0] == 0.0 or self.radius == math.inf:
            return math.inf
        return theory.mistake_bound(self.radius, self.margin[0])


@dataclass(frozen=True)
class Claim:
    """One statement of a proof; ``holds`` is true or not, ``why`` is the counter-example."""

    text: str
    holds: bool
    why: str = ""


@dataclass(frozen=True)
class Verification:
    """Result of a verification: true as a condition if and only if every claim holds.

    Attributes
    ----------
    claims : tuple of Claim
        In the order of the checks, which end at the first claim that fails.
    seconds : float
        Duration of the verification.

    Examples
    --------
    >>> Verification((Claim("the weights are positive", False, "row 3 has the weight -1"),)).failed
    'the weights are positive: row 3 has the weight -1'
    """

    claims: tuple[Claim, ...]
    seconds: float = field(default=0.0, compare=False)

    def __bool__(self) -> bool:
        return all(claim.holds for claim in self.claims)

    def __repr__(self) -> str:
        """Return a summary in one line."""
        if self:
            return f"<Verification: all {len(self.claims)} claims hold>"
        return f"<Verification: failed, {self.failed}>"

    @property
    def failed(self) -> str | None:
        """The first claim that does not hold, with its counter-example; None if all hold."""
        for claim in self.claims:
            if not claim.holds:
                return f"{claim.text}: {claim.why}" if claim.why else claim.text
        return None
