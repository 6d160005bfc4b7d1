"""Pegasos: a linear support vector machine by stochastic subgradient."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import Positive, RuleDeclaration


@RuleDeclaration(
    "pegasos",
    kind="rescaling",
    rate="lam",
    of_eta=lambda eta: 1e-4 / eta,
    always_moves=True,
    updates="where y s < 1; shrinks always",
    step="(1 − 1/t) w + y x/(λ t)",
    use="a linear support vector machine",
    weight="the step times h, the shrinkage unchanged, at h = 0 too: it descends λ/2 ‖w‖² + the "
    "mean of h times the hinge, which is LIBLINEAR's weighted criterion with C = 1/(λn)",
    twice="no",
    tried=(0.01,),
)
class Pegasos(NamedTuple):
    """Pegasos: w ← (1 − ηλ) w + η y x where y·score < 1, else (1 − ηλ) w, with η = 1/(λ (t + 1)).

    Shalev-Shwartz, Singer, Srebro and Cotter 2011, figure 1, without the optional projection, on
    rows in the order in which they come; t examples came before. It descends the criterion of a
    linear support vector machine, λ/2 ‖w‖² + the mean hinge. On T ≥ 3 rows of norm at most R the
    mean of the criterion along the run exceeds that of any u by at most 2R² (1 + ln T)/(λT)
    (theorem 1).

    Parameters
    ----------
    lam : float > 0, default=1e-4
        λ, the regularisation. 1/λ is the step size of the first example.

    Examples
    --------
    >>> Pegasos(lam=0.5).rescale(0.0, 1.0, 1.0, 0.0, 3, 3)
    (0.75, 0.5)
    """

    lam: Positive = 1e-4

    def rescale(
        self, score: float, y: float, sqnorm: float, wsqnorm: float, t: int, k: int
    ) -> tuple[float, float]:
        """(t/(t + 1), y/(λ (t + 1))) where y·score < 1, else (t/(t + 1), 0)."""
        now = t + 1.0
        return t / now, y / (self.lam * now) if y * score < 1.0 else 0.0

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
        """The factor, and τ times the weight: the penalty does not depend on weights."""
        factor, tau = self.rescale(score, y, sqnorm, wsqnorm, t, k)
        return factor, tau * weight

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)
