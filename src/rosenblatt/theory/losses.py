"""Losses that weightwise rules descend besides the logistic one.

A class here comes before the rule's own among the bases of a class: ``class KTHinge(HingeLoss,
KT)``. The logistic loss, which the rules have themselves, is in :mod:`rosenblatt.theory.logistic`.
"""

from __future__ import annotations

import math

LOSSES = {
    "hinge": ("the hinge", "where y s < 1"),
    "squared_hinge": ("the squared hinge", "where y s < 1"),
    "squared": ("the squared error", "always"),
}
"""By name: the loss in words, and when a rule updates that descends it."""


class HingeLoss:
    """The hinge max(0, 1 − y·score).

    Examples
    --------
    >>> HingeLoss().loss(0.25, 1.0), HingeLoss().gradient(0.25, 1.0)
    (0.75, -1.0)
    """

    __slots__ = ()

    def loss(self, score: float, y: float) -> float:
        """max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)

    def gradient(self, score: float, y: float) -> float:
        """−y where y·score < 1, else 0."""
        return -y if y * score < 1.0 else 0.0

    def curved(self, score: float, y: float, change: float) -> float:
        """The part of a step that leads to the margin, y·score = 1; 1 at most."""
        size = y * change
        return min((1.0 - y * score) / size, 1.0) if size > 0.0 else 1.0


class SquaredHingeLoss:
    """Half of the squared hinge, max(0, 1 − y·score)²/2.

    Examples
    --------
    >>> SquaredHingeLoss().loss(0.0, 1.0), SquaredHingeLoss().gradient(0.0, 1.0)
    (0.5, -1.0)
    """

    __slots__ = ()

    def loss(self, score: float, y: float) -> float:
        """max(0, 1 − y·score)²/2."""
        hinge = max(0.0, 1.0 - y * score)
        return 0.5 * (hinge * hinge)

    def gradient(self, score: float, y: float) -> float:
        """−y (1 − y·score) where y·score < 1, else 0."""
        hinge = 1.0 - y * score
        return -y * hinge if hinge > 0.0 else 0.0

    def curved(self, score: float, y: float, change: float) -> float:
        """The part of a step where the hinge falls as it does in infinitely many small ones."""
        return _decayed(1.0 - y * score, y * change)


class SquaredLoss:
    """Half of the squared error, (y − score)²/2.

    Examples
    --------
    >>> SquaredLoss().loss(0.0, 1.0), SquaredLoss().gradient(0.0, 1.0)
    (0.5, -1.0)
    """

    __slots__ = ()

    def loss(self, score: float, y: float) -> float:
        """(y − score)²/2."""
        error = y - score
        return 0.5 * (error * error)

    def gradient(self, score: float, y: float) -> float:
        """The score less y."""
        return score - y

    def curved(self, score: float, y: float, change: float) -> float:
        """The part of a step where the error falls as it does in infinitely many small ones."""
        return _decayed(y - score, change)


def _decayed(error: float, change: float) -> float:
    """Return (1 − e^−a)/a with a = change/error, or 1 for a step away from the goal."""
    a = change / error if error != 0.0 else 0.0
    return -math.expm1(-a) / a if a > 0.0 else 1.0
