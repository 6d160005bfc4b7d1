"""Penalties: what the weights pay for being large.

A penalty is a ``NamedTuple`` with two numbers an example: ``decay()``, the factor by which every
weight shrinks (L2), and ``truncation()``, how far every weight is pulled towards zero (L1). With
:class:`NoPenalty` both are constants that the compiler drops, so what is off costs nothing.
"""

from __future__ import annotations

from typing import NamedTuple


class NoPenalty(NamedTuple):
    """The weights pay nothing.

    Examples
    --------
    >>> NoPenalty().decay(), NoPenalty().truncation()
    (1.0, 0.0)
    """

    def decay(self) -> float:
        """Keep everything."""
        return 1.0

    def truncation(self) -> float:
        """Pull by nothing."""
        return 0.0


class ElasticNet(NamedTuple):
    """α ((1 − ρ)/2 ‖w‖² + ρ ‖w‖₁), applied after each example as scikit-learn does.

    L2 shrinks by max(0, 1 − (1 − ρ) η α); L1 is the cumulative truncated gradient of Tsuruoka,
    Tsujii and Ananiadou 2009 with ρ η α an example. The intercept pays nothing.

    Parameters
    ----------
    alpha : float ≥ 0
        Strength α.
    l1_ratio : float in [0, 1]
        ρ: 0 is the L2 penalty, 1 the L1 penalty.
    eta : float > 0
        The learning rate η that the penalty is paid at.

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


def by_name(name: str | None, alpha: float, l1_ratio: float, eta: float) -> Penalty:
    """The penalty that an estimator's ``penalty=name`` means.

    Raises
    ------
    ValueError
        ``name`` is none of None, "l1", "l2", "elasticnet".

    Examples
    --------
    >>> by_name("l1", 0.1, 0.15, 1.0)
    ElasticNet(alpha=0.1, l1_ratio=1.0, eta=1.0)
    """
    if name is None:
        return NoPenalty()
    ratios = {"l2": 0.0, "l1": 1.0, "elasticnet": l1_ratio}
    if name not in ratios:
        raise ValueError(f"penalty must be None or one of {sorted(ratios)}; got {name!r}.")
    return ElasticNet(float(alpha), float(ratios[name]), float(eta))
