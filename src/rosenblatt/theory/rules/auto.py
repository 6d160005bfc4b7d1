"""The rule without a choice: three second-order logistic learners, blended as they learn."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

from rosenblatt.theory.declaration import Range, RuleDeclaration
from rosenblatt.theory.logistic import logistic_gradient, logistic_loss

PRIORS = (0.3, 3.0, 1.0)
"""The precision r of each learner before the first row, times the square of the largest |z|.

0.3 learns a table from few rows, 3 suits texts and noise; in between, the third forgets. They
span what is worth trying, a factor of ten, and the blend finds which to trust.
"""

FORGETS = (0.0, 1e-3, 1e-2)
"""The share of a precision that each learner forgets when it sees the column again: it remembers
all rows, about a thousand, or a hundred, so that one of them is near whatever speed the truth turns
at."""

BLEND_FORGETS = 1e-3
"""The share of its precision that the blend forgets with a row: trust follows a thousand."""

LEAST_TRUST, TRUST_ROWS = 0.5, 1000
"""The least sum of the weights of the learners in the first rows. By few rows, of which they know
nothing yet, the blend would turn against its learners. Later it may: a truth that has turned is
the opposite of what a learner remembers."""

DENSE, SPARSE = 0.5, 0.25
"""A column is centred once it is not 0 in half of the rows, until it is not in a quarter. The means
of rare columns are near 0, and to centre them would make every row dense."""

NOTHING = 1e-9
"""Where |x − μ| is this part of |x| or |μ|, it is a rounding error of a constant column, and 0."""

NOT_OF_AUTO = ("output", "multi_class", "penalty", "alpha", "l1_ratio", "eta0")
"""Parameters of linear learners that the rule does not have, or that set nothing of it."""

Switch: TypeAlias = Annotated[float, Range("0 or 1", lambda x: x in (0, 1))]


@RuleDeclaration(
    "auto",
    kind="blended",
    instead="adagrad_logistic",
    state="a blend of learners",
    log_odds=True,
    updates="always",
    step="of Newton's method, by a precision for each weight",
    use="anything: there is nothing to choose",
    weight="g and h times the weight",
    twice="no",
    scale_free=True,
    tried=(1.0, 1.0),
)
class Auto(NamedTuple):
    """Logistic regression in one pass, with nothing to choose, in any units, under drift.

    Three learners e and a blend. A row is z_j = x_j − μ_j, with the running mean μ_j of a column
    that is not 0 in half of the rows (row n counts n times, so that old rows fade), and μ_j = 0 for
    others; M_j is the largest ``|z_j|`` so far, this row included. Each learner has weights w and
    precisions D, a prior r and a share f that it forgets. With its own probabilities p_k of the
    classes (softmax; the sigmoid for two), g_k = p_k − y_k and h_k = p_k (1 − p_k)::

        V_k = Σ z_j²/(r M_j² + D_jk)
        w_jk <- w_jk − g_k z_j / ((r M_j² + D_jk) (1 + c_k V_k))
        D_jk <- (1 − f) D_jk + h_k z_j²

    It is a step of Newton's method a row, with a diagonal Hessian: the extended Kalman filter of
    logistic regression, the logistic sister of AROW. c_k is h_k, but where the label had less than
    half of the probability, ``c_k = |g_k|/(2 + log(|g_k|/(1 − |g_k|)))`` keeps the step from
    leaping beyond it. Where M_j grows, w_jk is multiplied by (r M_j² + D_jk)/(r M_j'² + D_jk). The
    intercept is the weight of a column of ones.

    The score of a row is Σ a_e s_e of the learners' scores s_e, for two classes with a constant.
    The a are learned by Newton's method on the same loss, from the scores before the row was
    learned: with P = I + Λ and F the scores, Λ <- (1 − f) Λ + Σ_k p_k (F_k − F̄)(F_k − F̄)ᵀ and
    a <- a + P⁻¹ (F_y − F̄), F̄ = Σ p_k F_k. Where Σ a_e of the learners is below 1/2
    in the first thousand rows, all of them are raised alike, to 1/2. So the probabilities are
    calibrated as they are learned, and the learner of the right speed is found. ``coef_`` is
    Σ a_e w_e: one linear model.

    To multiply a column by a number divides its weight by it, and changes no probability: to the
    bit for a power of two. That holds in float32 while ``|w_j|`` is below 1e37, where weights are
    clipped, and in float64 for ``|z_j|`` from 1e-140 to 1e140. (r, f) are (0.3, 0), (3, 0.001) and
    (1, 0.01). Several classes are learned together, whatever ``multi_class`` is. There is no rate,
    and ``eta0`` sets nothing. Weights of classes move the scores by their logarithms.

    Bounds: none of the whole is known. With f = 0 and one learner it is the diagonal form of the
    online Laplace approximation, whose exact Bayesian form has a regret of at most
    ‖w‖²/2 + d/2 · log(1 + n/(4 d)) against every w, for rows of ``‖z‖`` ≤ 1 (Kakade and Ng 2004).

    Parameters
    ----------
    learners, blend : {0, 1}, default=1
        Whether the learners learn, and whether the blend does: ``fit`` holds rows back, by which
        the blend is learned alone.

    References
    ----------
    Kakade and Ng 2004, "Online bounds for Bayesian algorithms"; Crammer, Kulesza and Dredze 2009
    (AROW); Ross, Mineiro and Langford 2013 (units).

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[1.0, 2e6], [2.0, 1e6], [1.5, 3e6], [3.0, 1e6]]), ["a", "b", "a", "b"]
    >>> model = Perceptron(rule="auto", shuffle=False).partial_fit(X, y, classes=["a", "b"])
    >>> model.predict(X).tolist()
    ['a', 'b', 'a', 'b']
    """

    learners: Switch = 1.0
    blend: Switch = 1.0

    def gradient(self, score: float, y: float) -> float:
        """−y/(1 + exp(y·score)), without overflow."""
        return logistic_gradient(score, y)

    def loss(self, score: float, y: float) -> float:
        """log(1 + exp(−y·score)), without overflow."""
        return logistic_loss(score, y)
