"""Small experiments on questions of the lectures.

A study is a function that runs learners on data and returns named arrays, the same for the same
seed; ``str`` of the result is a table. The studies cover the order of the rows (L3.6), the margins
of rules (L3.8), the number of mistakes by margin, dimension and noise (L2.4), the error estimated
from mistakes (L2.4), and lines compared with the densities p(x|c) (L4.4). An argument out of range
raises a ValueError that names it. :mod:`rosenblatt.plots` draws the results.
"""

from __future__ import annotations

from rosenblatt.studies.estimates import Estimates, error_from_mistakes
from rosenblatt.studies.growth import (
    Growth,
    mistakes_by_dimension,
    mistakes_by_margin,
    mistakes_by_noise,
)
from rosenblatt.studies.row_orders import Orders, Spread, orders
from rosenblatt.studies.rule_margins import Margins, margins
from rosenblatt.studies.two_gaussians import (
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
