"""The Gaussian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rosenblatt.theory.declaration import KernelDeclaration

if TYPE_CHECKING:
    from rosenblatt.utils.arrays import Array


@KernelDeclaration(
    "rbf",
    "exp(−γ‖x − x'‖²)",
    tried=(0.3,),
    of_distances=True,
)
@dataclass(frozen=True)
class RBF:
    """k(x, x') = exp(−γ‖x − x'‖²), the Gaussian.

    Parameters
    ----------
    gamma : float > 0, default=1.0
        Scale γ.

    Examples
    --------
    >>> import numpy as np
    >>> RBF().of(np.array([[1.0]]), np.ones((1, 1)), np.ones(1))
    array([[1.]])
    """

    gamma: float = 1.0
    sees: ClassVar[str] = "products"

    def __post_init__(self) -> None:
        from rosenblatt.utils.checks import check_number  # with NumPy, see the package

        check_number(self.gamma, "gamma", 0, open_low=True)

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """exp(−γ(‖x‖² + ‖x'‖² − 2⟨x, x'⟩))."""
        import numpy as np

        pairs *= -2.0
        pairs += own
        pairs += other
        np.maximum(pairs, 0.0, out=pairs)  # rounding
        pairs *= -self.gamma
        return np.exp(pairs, out=pairs)
