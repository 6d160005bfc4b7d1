"""The calibration of scores: probabilities p = 1/(1 + exp(−(a s/r + b))), learned online.

Platt 1999 fits a sigmoid to the scores of a trained classifier. Here it is fitted while the
classifier learns, to progressive scores: that of an example before the example is learned. r is the
mean ``|score|``, so that a score may have any unit. Of K > 2 classes p is the softmax of a_k
s_k/r_k + b_k.

Of n examples the last counts for η = 5/(n + 4) of all, n at most :data:`LARGEST_COUNT`: example i
has about (i/n)⁴ of the weight of the last, since the classifier was worse then (Shamir and Zhang
2013), and later e^(−age/820) of it, since the world changes. With z = a u + b, u = s/r, the
residual ρ = y − p and the curvature ``κ = |ρ| max(|ρ|, 1 − |ρ|)``, the averages of κ u², κ u, κ, (κ
z + ρ) u and κ z + ρ make the next a and b: those that minimise the quadratic form of the averages,
plus τ ((a − 1)² + b²)/2 with τ = 0.1 · 5/(n + 4). That is Newton's method for the logistic loss on
all examples, forgetting, as the extended Kalman filter of a dynamic generalised linear model has it
(West, Harrison and Migon 1985; Fahrmeir 1992). κ is p (1 − p), the second derivative, for an
example on its expected side, and ρ² on the other, so that one surprise moves a and b by a bounded
step. Where the probabilities are right, its mean is 2 max(p, 1 − p) times p (1 − p): steps are down
to half as long, and end at the same a and b, where the mean of ρ u and of ρ is 0.

The first :data:`FIRST_ROWS` examples are all used, later ones where their number is a multiple of
:data:`EVERY`. An example of weight 0 is not used, and other weights count as 1: class weights move
scores on purpose, and the probabilities stay those of the rows as they come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.theory.declaration import Field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rosenblatt.utils.arrays import Array

FIRST_ROWS = 4096
"""Examples that are all used; after them a pass is to be hardly slower."""

EVERY = 16
"""Of later examples, every sixteenth is used."""

LARGEST_COUNT = 4096
"""Largest n: then an example counts for 1/820, and one 16 · 820 examples ago for e⁻¹ of that."""

PRIOR = 0.1
"""τ of one example: a tenth of an example with κ u² = κ = 1."""

PRIOR_SLOPE = 1.0
"""a before the first example."""

FIELDS = {
    "calibration.count": Field("one", "int64", two_classes="fresh", mixture="largest", minimum=0),
    "calibration.size": Field("columns", two_classes="fresh", minimum=0.0),
    "calibration.aa": Field("columns", two_classes="fresh", minimum=0.0),
    "calibration.ab": Field("columns", two_classes="fresh"),
    "calibration.bb": Field("columns", two_classes="fresh", minimum=0.0),
    "calibration.a": Field("columns", two_classes="fresh"),
    "calibration.b": Field("columns", two_classes="fresh"),
}
"""What a state keeps: n, r, and the averages of κ u², κ u, κ, (κ z + ρ) u and κ z + ρ. A new class
begins it anew; shards that are mixed have the mean of the averages."""

LARGEST_LOGIT = 1e6
"""Of what is far beyond every score seen: its probability is 0 or 1."""


def is_used(t: int) -> bool:
    """Return True if an example is used, ``t`` examples after the first.

    Parameters
    ----------
    t : int >= 0

    Examples
    --------
    >>> [t for t in range(4090, 4120) if is_used(t)]
    [4090, 4091, 4092, 4093, 4094, 4095, 4096, 4112]
    """
    return t < FIRST_ROWS or t % EVERY == 0


def coefficients(own: Mapping[str, Array], columns: int) -> tuple[Array, Array]:
    """Return a and b of each weight vector, shape (columns,) each.

    Parameters
    ----------
    own : dict of str to ndarray
        The arrays of :data:`FIELDS`.
    columns : int
        Number of weight vectors: 1 for two classes.

    Examples
    --------
    >>> import numpy as np
    >>> none = {name: np.zeros(1) for name in FIELDS}
    >>> coefficients(none, 1)
    (array([1.]), array([0.]))
    """
    prior = PRIOR * 5.0 / (float(own["calibration.count"][0]) + 4.0)
    arrays = (own[f"calibration.{name}"][:columns] for name in ("aa", "ab", "bb", "a", "b"))
    aa, ab, bb, a, b = arrays
    aa, bb, a = aa + prior, bb + prior, a + prior * PRIOR_SLOPE
    det = aa * bb - ab * ab
    return (bb * a - ab * b) / det, (aa * b - ab * a) / det


def logits(scores: Array, own: Mapping[str, Array]) -> Array:
    """Return a s/r + b of scores, those of :func:`coefficients`.

    Parameters
    ----------
    scores : ndarray of shape (n,) for two classes, (n, K) for more
    own : dict of str to ndarray

    Returns
    -------
    ndarray of the same shape
        Finite for finite scores.

    Examples
    --------
    >>> import numpy as np
    >>> own = {name: np.zeros(1) for name in FIELDS} | {"calibration.size": np.array([2.0])}
    >>> logits(np.array([-1.0, 4.0, 1e300]), own).tolist()
    [-0.5, 2.0, 1000000.0]
    """
    import numpy as np

    columns = 1 if scores.ndim == 1 else scores.shape[1]
    sizes = own["calibration.size"][:columns]
    a, b = coefficients(own, columns)
    with np.errstate(over="ignore"):
        units = scores / np.where(sizes > 0.0, sizes, np.inf)
        values = a * np.clip(units, -LARGEST_LOGIT, LARGEST_LOGIT) + b
    return np.asarray(np.clip(values, -LARGEST_LOGIT, LARGEST_LOGIT))
