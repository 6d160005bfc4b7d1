"""The polynomial kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rosenblatt.theory.declaration import KernelDeclaration

if TYPE_CHECKING:
    from rosenblatt.utils.arrays import Array


@KernelDeclaration(
    "poly",
    "(γ⟨x, x'⟩ + c)^d",
    aliases=("polynomial",),
    tried=(3, 0.5, 1.5),
)
@dataclass(frozen=True)
class Polynomial:
    """k(x, x') = (γ⟨x, x'⟩ + c)^d: all products of up to d features (lecture row L2.8).

    Parameters
    ----------
    degree : int ≥ 1, default=3
        Degree d.
    gamma : float > 0, default=1.0
        Scale γ.
    coef0 : float, default=0.0
        Constant c; with c < 0 the kernel is not positive semi-definite.

    Examples
    --------
    >>> import numpy as np
    >>> Polynomial(degree=2, coef0=1.0).of(np.array([[2.0]]), np.ones(1), np.ones(1))
    array([[9.]])
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 0.0
    sees: ClassVar[str] = "products"

    def __post_init__(self) -> None:
        from rosenblatt.utils.checks import check_number  # with NumPy, see the package

        check_number(self.degree, "degree", 1, integer=True)
        check_number(self.gamma, "gamma", 0, open_low=True)
        check_number(self.coef0, "coef0", -math.inf)

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """(γ⟨x, x'⟩ + c)^d, by squaring."""
        pairs *= self.gamma
        pairs += self.coef0
        bits = bin(self.degree)[3:]
        base = pairs.copy() if "1" in bits else pairs
        for bit in bits:
            pairs *= pairs
            if bit == "1":
                pairs *= base
        return pairs
