"""The cosine of the angle between two rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rosenblatt.theory.declaration import KernelDeclaration

if TYPE_CHECKING:
    from rosenblatt.utils.arrays import Array


@KernelDeclaration(
    "cosine",
    "⟨x, x'⟩/(‖x‖‖x'‖)",
)
@dataclass(frozen=True)
class Cosine:
    """k(x, x') = ⟨x, x'⟩/(‖x‖‖x'‖), and 0 where x or x' is zero.

    Examples
    --------
    >>> import numpy as np
    >>> Cosine().of(np.array([[2.0]]), np.array([[4.0]]), np.array([4.0]))
    array([[0.5]])
    """

    sees: ClassVar[str] = "products"

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """⟨x, x'⟩/(‖x‖‖x'‖)."""
        import numpy as np

        for sizes in (own, other):
            lengths = np.sqrt(sizes)
            pairs /= np.where(lengths > 0.0, lengths, 1.0)
        return pairs
