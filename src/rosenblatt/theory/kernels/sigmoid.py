"""The hyperbolic tangent of a product."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rosenblatt.theory.declaration import KernelDeclaration

if TYPE_CHECKING:
    from rosenblatt.utils.arrays import Array


@KernelDeclaration(
    "sigmoid",
    "tanh(γ⟨x, x'⟩ + c)",
    tried=(0.2, -0.5),
)
@dataclass(frozen=True)
class Sigmoid:
    """k(x, x') = tanh(γ⟨x, x'⟩ + c), which is not positive semi-definite, but in use.

    Parameters
    ----------
    gamma : float > 0, default=1.0
        Scale γ.
    coef0 : float, default=0.0
        Constant c.

    Examples
    --------
    >>> import numpy as np
    >>> Sigmoid().of(np.array([[0.0]]), np.ones(1), np.ones(1))
    array([[0.]])
    """

    gamma: float = 1.0
    coef0: float = 0.0
    sees: ClassVar[str] = "products"

    def __post_init__(self) -> None:
        from rosenblatt.utils.checks import check_number  # with NumPy, see the package

        check_number(self.gamma, "gamma", 0, open_low=True)
        check_number(self.coef0, "coef0", -math.inf)

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """tanh(γ⟨x, x'⟩ + c)."""
        import numpy as np

        pairs *= self.gamma
        pairs += self.coef0
        return np.tanh(pairs, out=pairs)
