"""The scale of a weight vector: one number is shrunk instead of all weights.

The weights are ``W * scale``. A scale that gets tiny or huge is multiplied into the weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import subroutine
from rosenblatt.engine.state import UNKNOWN, State

Array = NDArray[Any]


@subroutine
def rounded(value: float, w: Any) -> float:
    """Round ``value`` to the type of the weights ``w``; return it as a float64."""
    return np.float64(w.dtype.type(value))


@subroutine
def shrink_scales(state: State, K: int, decay: float) -> bool:
    """Shrink the scale of every active column; return whether a scale was folded in."""
    folded = False
    for k in range(K):
        if state.active[k]:
            state.scale[k] = rounded(state.scale[k] * decay, state.W)
            if state.scale[k] < smallest_scale(state.W):
                fold_scale(state, k, state.scale[k], state.area[k])
                state.scale[k], state.area[k] = 1.0, 0.0
                folded = True
    return folded


@subroutine
def rescale_column(
    state: State,
    k: int,
    factor: float,
    tau: float,
    score: float,
    sqnorm: float,
) -> bool:
    """Multiply weight vector k by a factor, before a step τ; return whether W changed.

    The squared norm that is kept is that after the step; it is unknown where it may be wrong by
    more than a millionth, with float32 weights a hundredth.
    """
    if factor == 1.0 and tau == 0.0:
        return False
    before, added = factor * factor * state.norms[k], tau * (tau * sqnorm)
    norm = before + 2.0 * factor * tau * score + added
    rounding, tolerance = (1e-15, 1e-6) if state.W.itemsize == 8 else (5e-7, 1e-2)
    error = factor * factor * state.norm_errors[k] + rounding * (before + added)
    state.norm_errors[k] = error
    state.norms[k] = norm if error <= tolerance * norm else UNKNOWN
    if factor == 1.0:
        return False
    b = state.b[k]
    state.b[k] = factor * b
    state.ub[k] += state.t[0] * (state.b[k] - b)
    scale = rounded(state.scale[k] * factor, state.W)
    smallest = smallest_scale(state.W)
    folded = not smallest <= scale <= 1.0 / smallest
    if folded:
        fold_scale(state, k, scale, state.area[k])
        scale, state.area[k] = 1.0, 0.0
    state.scale[k] = scale
    return folded


@subroutine
def fold_scale(state: State, k: int, scale: float, area: float) -> None:
    """Multiply ``scale`` into column k, and restart the area of its average at zero."""
    for j in range(state.W.shape[0]):
        if state.U.shape[0] > 0:
            state.U[j, k] -= area * state.W[j, k]
        state.W[j, k] *= scale


@subroutine
def smallest_scale(w: Array) -> float:
    """Return the scale below which it is folded in: 1e-9 for float64 weights, 1e-6 for float32."""
    return 1e-9 if w.itemsize == 8 else 1e-6


@subroutine
def overflows(tau: float, rows: Any, i: int, state: State, k: int) -> bool:
    """Return True if a step τ along row i made a weight of vector k infinite, or no number.

    Only a large step can: |τ x_j| ≤ |τ| (1 + ‖x‖²), and a scale is at least 1e-9, or 1e-6. The
    squared norm that a rule sees, or is to compute anew, tells of a factor that was too large. The
    norm of the row is computed here: a loop of a rule that ignores it does not compute it.
    """
    far = 1e290 if state.W.itemsize == 8 else 1e25
    if math.fabs(tau) * (1.0 + rows.sqnorm(i)) < far and state.norms[k] < far:
        return False
    return not (rows.is_finite(i, state.W, k) and math.isfinite(tau))
