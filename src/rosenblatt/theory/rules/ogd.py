"""Online gradient descent, with steps that fall as 1/√t."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration


@RuleDeclaration(
    "ogd",
    kind="rescaling",
    rate="eta",
    updates="where y s < 1",
    step="w + η y x/√t",
    use="a stream that does not drift; the regret bound",
    weight="the step times h: the gradient of h times the hinge",
    twice="no",
    tried=(0.5,),
)
class OGD(NamedTuple):
    """Online gradient descent for the hinge: τ = η y/√(t + 1) where y·score < 1.

    Zinkevich 2003, without projection; t examples came before. On T rows of norm at most R the sum
    of the hinges exceeds that of any u from which no w of the run is further than D by at most
    (D²/(2η) + ηR²) √T (the proof of theorem 1, which projects to ensure such a D).

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η of the first example.

    Examples
    --------
    >>> OGD().rescale(0.0, 1.0, 1.0, 0.0, 3, 3)
    (1.0, 0.5)
    """

    eta: Positive = 1.0

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """(1, η y/√(t + 1)) where y·score < 1, else (1, 0)."""
        return (1.0, self.eta * y / math.sqrt(t + 1.0)) if y * score < 1.0 else (1.0, 0.0)

    def weighted_rescale(
        self,
        score: float,
        y: float,
        sqnorm: float,
        wsqnorm: float,
        t: int,
        k: int,
        weight: float,
    ) -> tuple[float, float]:
        """The factor, and τ times the weight: the gradient of a hinge that counts so much."""
        factor, tau = self.rescale(score, y, sqnorm, wsqnorm, t, k)
        return factor, tau * weight

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)
