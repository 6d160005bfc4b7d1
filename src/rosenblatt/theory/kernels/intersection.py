"""The histogram intersection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rosenblatt.theory.declaration import KernelDeclaration

if TYPE_CHECKING:
    from rosenblatt.utils.arrays import Array


@KernelDeclaration(
    "intersection",
    "Σ min(x_j, x'_j)",
)
@dataclass(frozen=True)
class Intersection:
    """k(x, x') = Σ min(x_j, x'_j), the histogram intersection (Swain and Ballard 1991).

    With negative features, the sum is ``min(|x_j|, |x'_j|)`` over the features with the same sign,
    which is positive semi-definite, too.

    Examples
    --------
    >>> import numpy as np
    >>> Intersection().of(np.array([[0.5]]), np.ones(1), np.ones(1))
    array([[0.5]])
    """

    sees: ClassVar[str] = "overlaps"

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """Σ min(x_j, x'_j)."""
        return pairs
