"""What the lectures ask of the perceptron, answered with runs: small studies that print and draw.

A study is a function that returns arrays under names, the same for the same seed; ``str`` of what
it returns is a table. What many orders of the same rows change (L3.6), how wide the margins are
(L3.8), how mistakes grow with the margin, the dimension and the noise (L2.4), what mistakes tell
about the error on new rows (L2.4), and how the line relates to the densities p(x|c) (L4.4).
Pictures of them are in :mod:`rosenblatt.plots`.
"""

from __future__ import annotations

from rosenblatt.learning.studies.estimates import Estimates, error_from_mistakes
from rosenblatt.learning.studies.growth import (
    Growth,
    mistakes_by_dimension,
    mistakes_by_margin,
    mistakes_by_noise,
)
from rosenblatt.learning.studies.row_orders import Orders, Spread, orders
from rosenblatt.learning.studies.rule_margins import Margins, margins
from rosenblatt.learning.studies.two_gaussians import (
    Gaussians,
    Quadric,
    TwoGaussians,
    gaussians,
    unequal_gaussians,
)

__all__ = [
    "Estimates",
    "Gaussians",
    "Growth",
    "Margins",
    "Orders",
    "Quadric",
    "Spread",
    "TwoGaussians",
    "error_from_mistakes",
    "gaussians",
    "margins",
    "mistakes_by_dimension",
    "mistakes_by_margin",
    "mistakes_by_noise",
    "orders",
    "unequal_gaussians",
]
