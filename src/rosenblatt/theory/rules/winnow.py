"""Winnow: weights that are multiplied."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.theory.declaration import Field, Positive, RuleDeclaration, Sign

LARGEST_LOG = 40.0
"""Largest size of a log weight: e⁴⁰ is 2e17, beside which float64 loses a weight that never moved.
The rule of the core has it, too."""


@RuleDeclaration(
    "winnow",
    kind="weightwise",
    rate="eta",
    of_eta=lambda eta: 0.1 * eta,
    state="log weights",
    updates="at mistakes",
    step="sinh(a), a = Σ η y x",
    use="many columns of numbers of at most 1, of which few matter",
    weight="y x times h",
    twice="if it is a mistake the second time, too; else it is half as much",
    tried=(0.3,),
    numbers={"logs": Field(two_classes="mirrored", alone=True)},
)
class Winnow(NamedTuple):
    """Winnow, balanced: on a mistake u_j ← u_j e^(η y x_j) and v_j ← v_j e^(−η y x_j); w = u − v.

    Littlestone 1988, with two weights for each feature, which may then count for either label; for
    any rows it is the exponentiated gradient EG± of Kivinen and Warmuth 1997 with the loss of the
    perceptron, unnormalised. From u = v = 1/2 a weight is w_j = sinh(a_j), where a_j, the sum of
    η y x_j over the mistakes, is what it keeps.

    With d features of ``|x_j|`` ≤ X, and y u·x ≥ γ > 0 for a u with Σ ``|u_j|`` = 1, it makes at
    most ln(2d)/(ηγ − ln cosh(ηX)) mistakes, where that is positive, and for η = γ/X² at most
    2 X² ln(2d)/γ²: d features cost only ln d, where the bound of :class:`Perceptron` has ‖x‖². The
    intercept is one feature more.

    A log weight a_j stays between −40 and 40, and the bound holds where it would do so anyway. It
    grows by η x_j: scale columns of large numbers.

    Parameters
    ----------
    eta : float > 0, default=0.1
        Learning rate η, a tenth of ``eta0``.
    tie : {0.0, -1.0, 1.0}, default=0.0
        As of :class:`Perceptron`.

    Examples
    --------
    >>> rule = Winnow(eta=0.5)
    >>> w, logs = rule.move(0.0, 0.0, 2.0, -1.0)
    >>> round(w, 4), logs
    (1.1752, 1.0)
    """

    eta: Positive = 0.1
    tie: Sign = 0.0

    def gradient(self, score: float, y: float) -> float:
        """−y on a mistake, else 0."""
        return -y if y * score < 0.0 or (score == 0.0 and self.tie != y) else 0.0

    def weighted_gradient(self, score: float, y: float, weight: float) -> float:
        """The gradient times the weight."""
        return self.gradient(score, y) * weight

    def move(self, w: float, logs: float, x: float, g: float) -> tuple[float, float]:
        """The log weight with this example, and the weight."""
        logs = max(min(logs - self.eta * g * x, LARGEST_LOG), -LARGEST_LOG)
        return math.sinh(logs), logs

    def loss(self, score: float, y: float) -> float:
        """max(0, −y·score)."""
        return max(0.0, -y * score)
