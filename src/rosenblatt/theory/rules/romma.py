"""ROMMA: the relaxed online maximum margin."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import RuleDeclaration


@RuleDeclaration(
    "romma",
    kind="rescaling",
    instead="alma",
    updates="at mistakes",
    step="the smallest w with y s ≥ 1 and ⟨w, old w⟩ ≥ ‖old w‖²",
    use="separable data",
    weight="the change, below 1 a part of it",
    twice="yes",
)
class ROMMA(NamedTuple):
    """ROMMA: after a mistake the smallest w with y·score ≥ 1 and ⟨w, old w⟩ ≥ ‖old w‖².

    Li and Long 2002, the relaxed online maximum margin algorithm: w ← c w + τ x with
    D = ‖x‖²‖w‖² − score², c = (‖x‖²‖w‖² − y·score)/D and τ = ‖w‖² (y − score)/D; where w and x are
    parallel, or w is 0, w ← y x/‖x‖². Where some u has y⟨u, x⟩ ≥ 1 for all examples, it makes at
    most R²‖u‖² mistakes, as the perceptron does (theorem 3).

    Examples
    --------
    >>> ROMMA().rescale(0.0, 1.0, 4.0, 1.0, 1, 1)
    (1.0, 0.25)
    """

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """(c, τ) on a mistake, else (1, 0)."""
        if y * score > 0.0 or sqnorm <= 0.0:
            return 1.0, 0.0
        # Below 1e-12 of ‖x‖²‖w‖², ‖x‖²‖w‖² − score² is rounding: x is along w.
        product = sqnorm * wsqnorm
        area = product - score * score
        if area <= 1e-12 * product:
            return 0.0, y / sqnorm
        return (product - y * score) / area, wsqnorm * (y - score) / area

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
        """The change, of a weight below 1 that part: a second step would find nothing to do."""
        factor, tau = self.rescale(score, y, sqnorm, wsqnorm, t, k)
        part = min(weight, 1.0)
        return 1.0 + part * (factor - 1.0), tau * part

    def loss(self, score: float, y: float) -> float:
        """max(0, −y·score)."""
        return max(0.0, -y * score)


@RuleDeclaration(
    "aromma",
    kind="rescaling",
    instead="alma",
    updates="where y s < 1",
    step='as `"romma"`',
    use="separable data",
    weight="the change, below 1 a part of it",
    twice="yes",
)
class AggressiveROMMA(NamedTuple):
    """Aggressive ROMMA: the step of :class:`ROMMA` wherever y·score < 1.

    Li and Long 2002. Where the old w is no constraint, y·score ≥ ‖x‖²‖w‖², the smallest w is
    y x/‖x‖². Where some u has y⟨u, x⟩ ≥ 1 for all examples, updates with y·score < 1 − δ number at
    most R²‖u‖²/δ².

    Examples
    --------
    >>> AggressiveROMMA().rescale(0.5, 1.0, 1.0, 1.0, 1, 1)[0]
    0.6666666666666666
    """

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """(c, τ) where y·score < 1, else (1, 0)."""
        if y * score >= 1.0 or sqnorm <= 0.0:
            return 1.0, 0.0
        # Below 1e-12 of ‖x‖²‖w‖², ‖x‖²‖w‖² − score² is rounding: x is along w.
        product = sqnorm * wsqnorm
        area = product - score * score
        if area <= 1e-12 * product or y * score >= product:
            return 0.0, y / sqnorm
        return (product - y * score) / area, wsqnorm * (y - score) / area

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
        """The change, of a weight below 1 that part: a second step would find nothing to do."""
        factor, tau = self.rescale(score, y, sqnorm, wsqnorm, t, k)
        part = min(weight, 1.0)
        return 1.0 + part * (factor - 1.0), tau * part

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)
