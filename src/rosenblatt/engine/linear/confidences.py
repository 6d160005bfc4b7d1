"""Weights with confidences: their steps, with limits so that nothing leaves the float range.

On data that cannot be separated, confidence-weighted rules multiply the sums c_j at every
contradiction, without end: a variance 1/(1 + c_j) would fall to zero, and the next example would
divide by it. So the sums have a ceiling, which is a floor of the variances, and the steps have one.
Where no limit is met, the bits are those of the formulas.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import subroutine
from rosenblatt.theory.rule_kinds import ConfidenceRule

Array = NDArray[Any]

LARGEST_SUM = 1e300
"""Ceiling of c_j: the square of 1e150 still counts, and 1/(1 + c_j) is above the subnormals."""

LARGEST_NUMBER = 1e300
"""Ceiling of τ and β: finite, so that no product of it with a rate is undefined."""

LEAST_SHARE = 1e-13
"""Of a full Σ: xᵀΣx below this share of Σ x_j² Σ_jj is rounding, and a step leaves this share of
it. Errors of xᵀΣx are about 1e-16 of that sum."""

LEAST_VARIANCE = 1e-100
"""Of a full Σ: it stays as it is along x where xᵀΣx/‖x‖² is below this, far above underflow."""


@subroutine
def largest_move(W: Array) -> float:
    """Return the largest change of a weight: scores of rows up to its inverse stay finite.

    1e150 for float64 weights, 1e18 for float32: about the roots of the largest numbers.
    """
    return 1e150 if W.itemsize == 8 else 1e18


@subroutine
def clipped(value: float, largest: float) -> float:
    """Return ``value`` limited to ±``largest``."""
    value = largest if value > largest else value
    return -largest if value < -largest else value


@subroutine
def defined(value: float) -> float:
    """Return ``value`` limited to ±:data:`LARGEST_NUMBER`, and 0 for what is no number.

    A score or a variance that left the range says nothing: its row is not learned.
    """
    return clipped(value, LARGEST_NUMBER) if value == value else 0.0


@subroutine
def weight_variance(x: float, c: float, rule: ConfidenceRule) -> float:
    """Return x² s(c)."""
    return np.float64(x) * np.float64(x) * rule.rate(c, c)


@subroutine
def adapt_weight(
    value: float,
    j: int,
    k: int,
    tau: float,
    beta: float,
    rule: ConfidenceRule,
    W: Array,
    C: Array,
    U: Array,
    area: float,
) -> None:
    """Add β x² to C[j, k]; shrink W[j, k] and add τ x s, with the rate s that follows.

    Both have their limits.

    ``U`` is the lazy sum of the average; it has no rows if there is no average.
    """
    x, w, before = np.float64(value), np.float64(W[j, k]), C[j, k]
    after = min(before + beta * x * x, LARGEST_SUM)
    C[j, k] = after
    move = (rule.shrinkage(before, after) - 1.0) * w + tau * x * rule.rate(before, after)
    step = clipped(move, largest_move(W))
    W[j, k] = w + step
    if U.shape[0] > 0:
        U[j, k] += area * step
