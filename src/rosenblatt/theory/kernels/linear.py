"""The linear kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rosenblatt.theory.declaration import KernelDeclaration

if TYPE_CHECKING:
    from rosenblatt.utils.arrays import Array


@KernelDeclaration(
    "linear",
    "⟨x, x'⟩",
)
@dataclass(frozen=True)
class Linear:
    """k(x, x') = ⟨x, x'⟩, the kernel of a linear classifier (lecture row L2.6).

    Examples
    --------
    >>> import numpy as np
    >>> Linear().of(np.array([[2.0]]), np.ones(1), np.ones(1))
    array([[2.]])
    """

    sees: ClassVar[str] = "products"

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """⟨x, x'⟩."""
        return pairs
