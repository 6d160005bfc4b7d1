"""Update rules: a rule returns the step size of one example.

From the example's score, label and squared norm::

    tau = step(score, y, sqnorm)        then        w <- w + tau * x

A rule is a ``NamedTuple`` whose fields are its hyperparameters, with two methods: ``step``, and
``loss``, the criterion that the rule descends (reported, and used by the stopping test). For a rule
without ``loss`` the perceptron criterion is used. A new rule is one such class and its name in the
tables after the last class. Such a rule moves w along x only and does not see w. Rules that keep a
confidence for each weight are in :mod:`rosenblatt.theory.confidence`, with a covariance matrix in
:mod:`rosenblatt.theory.full_covariance`; rules that see ‖w‖ and the
time, or shrink w, are in :mod:`rosenblatt.theory.rescaling`. :mod:`rosenblatt.theory.minover` has
the rule that chooses its row among all.

Labels are −1 and +1; :class:`LMS` and :class:`NormalizedLMS` also accept any real y.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from rosenblatt.theory.confidence import (
    AROW,
    CONFIDENCE_RULES,
    CW,
    NAROW,
    SCW1,
    SCW2,
    SOP,
    AdaGrad,
    AdaGradLogistic,
)
from rosenblatt.theory.full_covariance import (
    FULL_COVARIANCE_RULES,
    FullAROW,
    FullCW,
    FullSCW1,
    FullSCW2,
)
from rosenblatt.theory.minover import MinOver
from rosenblatt.theory.rescaling import (
    ALMA,
    OGD,
    RESCALING_RULES,
    ROMMA,
    AggressiveROMMA,
    Pegasos,
)
from rosenblatt.theory.rule_checks import complete
from rosenblatt.theory.rule_kinds import (
    AnyRule,
    ChoosingRule,
    ConfidenceRule,
    RescalingRule,
    Rule,
)
from rosenblatt.utils.checks import shortened

__all__ = [
    "ALMA",
    "AROW",
    "CW",
    "LMS",
    "NAROW",
    "OGD",
    "PA",
    "PA1",
    "PA2",
    "ROMMA",
    "SCW1",
    "SCW2",
    "SOP",
    "AdaGrad",
    "AdaGradLogistic",
    "AggressiveROMMA",
    "ChoosingRule",
    "ConfidenceRule",
    "FullAROW",
    "FullCW",
    "FullSCW1",
    "FullSCW2",
    "Hinge",
    "Logistic",
    "MarginPerceptron",
    "MinOver",
    "NormalizedLMS",
    "Pegasos",
    "Perceptron",
    "Relaxation",
    "RescalingRule",
    "Rule",
    "by_name",
    "complete",
]


class Perceptron(NamedTuple):
    """The perceptron: on a mistake, τ = η y.

    Rosenblatt 1958; lecture rows L0.1, L1.2, L2.2. Its loss is the perceptron criterion
    max(0, −y·score) (L2.7, L4.5). From w = 0 it makes at most (R/γ)² mistakes on rows of norm at
    most R that a unit vector separates with margin γ, for any η (Novikoff 1962; L0.5).

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η.
    tie : {0.0, -1.0, 1.0}, default=0.0
        The prediction for a score of exactly zero: −1 (lecture 25), +1 (lectures 1 and 3), or 0, a
        mistake for any label (scikit-learn, Freund and Schapire).

    Examples
    --------
    >>> Perceptron().step(-0.5, 1.0, 2.0)
    1.0
    >>> Perceptron(tie=-1.0).step(0.0, -1.0, 2.0)
    0.0
    """

    eta: float = 1.0
    tie: float = 0.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y on a mistake, else 0."""
        if y * score < 0.0 or (score == 0.0 and self.tie != y):
            return self.eta * y
        return 0.0

    def loss(self, score: float, y: float) -> float:
        """max(0, −y·score)."""
        return max(0.0, -y * score)


class MarginPerceptron(NamedTuple):
    """The perceptron with margin: τ = η y where y·score ≤ β.

    Krauth and Mézard 1987 and Duda and Hart 1973, §5.5; lecture row L3.8. On separable data from
    w = 0 it makes at most (R² + 2β/η)/γ² updates, and for β large against ηR² its margin
    approaches at least half the maximal one.

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η.
    beta : float ≥ 0, default=1.0
        The functional margin: y·score must exceed it.

    Examples
    --------
    >>> MarginPerceptron().step(0.5, 1.0, 2.0)
    1.0
    """

    eta: float = 1.0
    beta: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y where y·score ≤ β, else 0."""
        return self.eta * y if y * score <= self.beta else 0.0

    def loss(self, score: float, y: float) -> float:
        """max(0, β − y·score)."""
        return max(0.0, self.beta - y * score)


class Relaxation(NamedTuple):
    """Single-sample relaxation: τ = η y (β − y·score)/‖x‖² where y·score < β.

    Agmon 1954, Motzkin and Schoenberg 1954; Duda and Hart 1973, §5.6. Each step moves w towards
    the half-space {y·score ≥ β} of the example; for 0 < η < 2 the distance to every solution
    never grows.

    Parameters
    ----------
    eta : float in (0, 2), default=1.0
        Relaxation factor: 1 projects on the half-space, less under-relaxes, more over-relaxes.
    beta : float > 0, default=1.0
        The functional margin β.

    Examples
    --------
    >>> Relaxation().step(0.0, 1.0, 4.0)
    0.25
    """

    eta: float = 1.0
    beta: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y (β − y·score)/‖x‖² where y·score < β, else 0."""
        shortfall = self.beta - y * score
        return self.eta * y * shortfall / sqnorm if shortfall > 0.0 and sqnorm > 0.0 else 0.0

    def loss(self, score: float, y: float) -> float:
        """max(0, β − y·score)."""
        return max(0.0, self.beta - y * score)


class PA(NamedTuple):
    """Passive-Aggressive: τ = y ℓ/‖x‖² with the hinge ℓ = max(0, 1 − y·score).

    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, figure 1. The smallest step after
    which the example is right with margin 1. Where some u has hinge zero everywhere, the squared
    losses sum to at most R²‖u‖² (theorem 2).

    Examples
    --------
    >>> PA().step(0.0, 1.0, 4.0)
    0.25
    """

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """Y ℓ/‖x‖²."""
        hinge = 1.0 - y * score
        return y * (hinge / sqnorm) if hinge > 0.0 and sqnorm > 0.0 else 0.0

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


class PA1(NamedTuple):
    """PA-I: τ = y min(C, ℓ/‖x‖²), Passive-Aggressive with the step bounded by C.

    Crammer et al. 2006, figure 1. It makes at most max(R², 1/C)(‖u‖² + 2C Σ ℓ*) mistakes for any
    u with hinges ℓ* (theorem 4).

    Parameters
    ----------
    C : float > 0, default=1.0
        The largest step size.

    Examples
    --------
    >>> PA1(C=0.1).step(0.0, 1.0, 4.0)
    0.1
    """

    C: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """Y min(C, ℓ/‖x‖²)."""
        hinge = 1.0 - y * score
        return y * min(self.C, hinge / sqnorm) if hinge > 0.0 and sqnorm > 0.0 else 0.0

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


class PA2(NamedTuple):
    """PA-II: τ = y ℓ/(‖x‖² + 1/(2C)), Passive-Aggressive with a squared slack penalty.

    Crammer et al. 2006, figure 1. Its squared losses sum to at most
    (R² + 1/(2C))(‖u‖² + 2C Σ ℓ*²) for any u with hinges ℓ* (theorem 5).

    Parameters
    ----------
    C : float > 0, default=1.0
        Aggressiveness: a larger C means larger steps.

    Examples
    --------
    >>> PA2(C=0.5).step(0.0, 1.0, 4.0)
    0.2
    """

    C: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """Y ℓ/(‖x‖² + 1/(2C))."""
        hinge = 1.0 - y * score
        return y * (hinge / (sqnorm + 0.5 / self.C)) if hinge > 0.0 else 0.0

    def loss(self, score: float, y: float) -> float:
        """The hinge max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


class LMS(NamedTuple):
    """Least mean squares (Widrow–Hoff, Adaline): τ = η (y − score), for any real y.

    Widrow and Hoff 1960; lecture rows L2.11, L4.7. Stochastic gradient descent on
    ½ (y − score)²; stable for 0 < η < 2/R².

    Parameters
    ----------
    eta : float > 0, default=0.01
        Learning rate η.

    Examples
    --------
    >>> LMS(eta=0.5).step(1.0, 3.0, 1.0)
    1.0
    """

    eta: float = 0.01

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η (y − score)."""
        return self.eta * (y - score)

    def loss(self, score: float, y: float) -> float:
        """½ (y − score)²."""
        return 0.5 * (y - score) * (y - score)


class NormalizedLMS(NamedTuple):
    """Normalised LMS: τ = μ (y − score)/(ε + ‖x‖²), for any real y.

    Nagumo and Noda 1967, the echo canceller's rule (lecture row L2.11). With ε = 0 and 0 < μ < 2
    each step reduces the distance to every w that fits the example, at any scale of x.

    Parameters
    ----------
    mu : float in (0, 2), default=0.5
        Step size μ.
    epsilon : float ≥ 0, default=0.0
        Keeps the step bounded where ‖x‖ is nearly zero.

    Examples
    --------
    >>> NormalizedLMS(mu=1.0).step(1.0, 3.0, 4.0)
    0.5
    """

    mu: float = 0.5
    epsilon: float = 0.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """μ (y − score)/(ε + ‖x‖²)."""
        size = self.epsilon + sqnorm
        return self.mu * (y - score) / size if size > 0.0 else 0.0

    def loss(self, score: float, y: float) -> float:
        """½ (y − score)²."""
        return 0.5 * (y - score) * (y - score)


class Logistic(NamedTuple):
    """Logistic regression by stochastic gradient: τ = η y/(1 + exp(y·score)).

    The gradient of log(1 + exp(−y·score)); lecture row L4.7, "another f". The default η is too
    large for probabilities: 0.1 or 0.01, on scaled columns, gives a smaller log loss.

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η.

    Examples
    --------
    >>> Logistic().step(0.0, 1.0, 1.0)
    0.5
    """

    eta: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y/(1 + exp(y·score)), without overflow."""
        z = y * score
        if z > 0.0:
            small = math.exp(-z)
            return self.eta * y * small / (1.0 + small)
        return self.eta * y / (1.0 + math.exp(z))

    def loss(self, score: float, y: float) -> float:
        """log(1 + exp(−y·score)), without overflow."""
        z = y * score
        return math.log1p(math.exp(-z)) if z > 0.0 else math.log1p(math.exp(z)) - z


class Hinge(NamedTuple):
    """The hinge by stochastic subgradient: τ = η y where y·score ≤ 1.

    With an L2 penalty, a linear support vector machine (Shalev-Shwartz et al. 2011, Pegasos, at a
    constant rate).

    Parameters
    ----------
    eta : float > 0, default=1.0
        Learning rate η.

    Examples
    --------
    >>> Hinge(eta=0.1).step(0.9, -1.0, 1.0)
    -0.1
    """

    eta: float = 1.0

    def step(self, score: float, y: float, sqnorm: float) -> float:
        """η y where y·score ≤ 1, else 0."""
        return self.eta * y if y * score <= 1.0 else 0.0

    def loss(self, score: float, y: float) -> float:
        """max(0, 1 − y·score)."""
        return max(0.0, 1.0 - y * score)


CLASSIFICATION_RULES = (
    Perceptron,
    MarginPerceptron,
    Relaxation,
    PA,
    PA1,
    PA2,
    Logistic,
    Hinge,
    MinOver,
    *CONFIDENCE_RULES,
    *FULL_COVARIANCE_RULES,
    *RESCALING_RULES,
)
"""The rules for classification, with labels −1 and +1."""


def by_name(name: str, eta: float, tie: float) -> AnyRule:
    """Return the rule for an estimator's ``rule=name``, at learning rate ``eta``.

    ``eta`` is the rule's step-size parameter: η; C for ``"pa1"``, ``"pa2"``, ``"scw1"``, ``"scw2"``
    and ``"alma"``; μ for ``"nlms"``; r for ``"arow"``; the same for their forms with a full
    covariance, such as ``"arow_full"``; a for ``"sop"``; b for ``"narow"``; λ is 10⁻⁴/``eta`` for
    ``"pegasos"``; ``"pa"``, ``"cw"``, ``"cw_full"``, ``"romma"`` and ``"aromma"`` have none. An
    unknown name is a ValueError.

    Examples
    --------
    >>> by_name("pa1", 0.5, 0.0)
    PA1(C=0.5)
    """
    if name not in _BY_NAME:
        raise ValueError(
            f"rule must be one of {sorted(_BY_NAME)} or a rule object; got {shortened(name)}."
        )
    return _BY_NAME[name](eta, tie)


_BY_NAME: dict[str, Callable[[float, float], AnyRule]] = {
    "perceptron": Perceptron,
    "margin": lambda eta, tie: MarginPerceptron(eta),
    "relaxation": lambda eta, tie: Relaxation(eta),
    "pa": lambda eta, tie: PA(),
    "pa1": lambda eta, tie: PA1(eta),
    "pa2": lambda eta, tie: PA2(eta),
    "lms": lambda eta, tie: LMS(eta),
    "nlms": lambda eta, tie: NormalizedLMS(eta),
    "logistic": lambda eta, tie: Logistic(eta),
    "hinge": lambda eta, tie: Hinge(eta),
    "arow": lambda eta, tie: AROW(eta),
    "cw": lambda eta, tie: CW(),
    "scw1": lambda eta, tie: SCW1(eta),
    "scw2": lambda eta, tie: SCW2(eta),
    "adagrad": lambda eta, tie: AdaGrad(eta),
    "adagrad_logistic": lambda eta, tie: AdaGradLogistic(eta),
    "sop": lambda eta, tie: SOP(eta),
    "narow": lambda eta, tie: NAROW(eta),
    "arow_full": lambda eta, tie: FullAROW(eta),
    "cw_full": lambda eta, tie: FullCW(),
    "scw1_full": lambda eta, tie: FullSCW1(eta),
    "scw2_full": lambda eta, tie: FullSCW2(eta),
    "ogd": lambda eta, tie: OGD(eta),
    "pegasos": lambda eta, tie: Pegasos(1e-4 / eta),
    "alma": lambda eta, tie: ALMA(eta),
    "romma": lambda eta, tie: ROMMA(),
    "aromma": lambda eta, tie: AggressiveROMMA(),
    "minover": lambda eta, tie: MinOver(eta),
}

NAMES = tuple(_BY_NAME)
"""The names of the rules."""
