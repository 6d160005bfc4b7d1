"""The Laplace kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rosenblatt.theory.declaration import KernelDeclaration
from rosenblatt.theory.kernels.rbf import RBF

if TYPE_CHECKING:
    from rosenblatt.utils.arrays import Array


@KernelDeclaration(
    "laplace",
    "exp(−γ Σ|x_j − x'_j|)",
    aliases=("laplacian",),
    tried=(0.3,),
    of_distances=True,
)
@dataclass(frozen=True)
class Laplace:
    """``k(x, x') = exp(−γ Σ |x_j − x'_j|)``.

    Parameters
    ----------
    gamma : float > 0, default=1.0
        Scale γ.

    Examples
    --------
    >>> import numpy as np
    >>> Laplace().of(np.array([[1.0]]), np.ones((1, 1)), np.ones(1))
    array([[1.]])
    """

    gamma: float = 1.0
    sees: ClassVar[str] = "overlaps"

    def __post_init__(self) -> None:
        from rosenblatt.utils.checks import check_number  # with NumPy, see the package

        check_number(self.gamma, "gamma", 0, open_low=True)

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """exp(−γ(Σ|x| + Σ|x'| − 2 overlap))."""
        return RBF(self.gamma).of(pairs, own, other)
