"""Penalties on large weights: L2, L1 and elastic net.

A penalty is a ``NamedTuple`` with two numbers per example: ``decay()``, the factor that multiplies
every weight (L2), and ``truncation()``, the amount by which every weight moves towards zero (L1).
The loops leave both out with :class:`NoPenalty`.
"""

from __future__ import annotations

from typing import NamedTuple


class NoPenalty(NamedTuple):
    """No penalty: the weights do not shrink.

    Examples
    --------
    >>> NoPenalty().decay(), NoPenalty().truncation()
    (1.0, 0.0)
    """

    def decay(self) -> float:
        """1: no shrinkage."""
        return 1.0

    def truncation(self) -> float:
        """0: no truncation."""
        return 0.0


class ElasticNet(NamedTuple):
    """Elastic net α ((1 − ρ)/2 ‖w‖² + ρ ‖w‖₁), applied after each example as in scikit-learn.

    L2 shrinks by max(0, 1 − (1 − ρ) η α); L1 is the cumulative truncated gradient of Tsuruoka,
    Tsujii and Ananiadou 2009 with ρ η α per example. The intercept is not penalised.

    Parameters
    ----------
    alpha : float ≥ 0
        Strength α.
    l1_ratio : float in [0, 1]
        Mixing ρ: 0 is the L2 penalty, 1 the L1 penalty.
    eta : float > 0
        Learning rate η.

    Examples
    --------
    >>> ElasticNet(alpha=0.1, l1_ratio=0.0, eta=1.0).decay()
    0.9
    """

    alpha: float
    l1_ratio: float
    eta: float

    def decay(self) -> float:
        """max(0, 1 − (1 − ρ) η α)."""
        return max(0.0, 1.0 - (1.0 - self.l1_ratio) * self.eta * self.alpha)

    def truncation(self) -> float:
        """ρ η α."""
        return self.l1_ratio * self.eta * self.alpha


Penalty = NoPenalty | ElasticNet

NO_PENALTY = NoPenalty()
"""The penalty of ``penalty=None``."""


def by_name(name: str | None, alpha: float, l1_ratio: float, eta: float) -> Penalty:
    """Return the penalty for an estimator's ``penalty=name``; an unknown name is a ValueError.

    Examples
    --------
    >>> by_name("l1", 0.1, 0.15, 1.0)
    ElasticNet(alpha=0.1, l1_ratio=1.0, eta=1.0)
    """
    if name is None:
        return NO_PENALTY
    ratios = {"l2": 0.0, "l1": 1.0, "elasticnet": l1_ratio}
    if name not in ratios:
        raise ValueError(f"penalty must be None or one of {sorted(ratios)}; got {name!r}.")
    return ElasticNet(float(alpha), float(ratios[name]), float(eta))
