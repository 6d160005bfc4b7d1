"""Kernels: inner products in a feature space that is not computed.

A kernel k(x, x') is the inner product of Φ(x) and Φ(x') for some feature map Φ (lecture row L2.10).
Each kernel here is a formula of one number per pair of rows and one number per row, so a block of
kernel values costs one matrix product and a few passes over the block::

    of(pairs, own, other) -> k(x, x')

The attribute ``sees`` names the numbers of the formula. "products": ``pairs`` = ⟨x, x'⟩, ``own`` =
‖x‖², ``other`` = ‖x'‖². "overlaps": ``pairs`` = ``Σ min(|x_j|, |x'_j|)`` over the features in which
both rows have the same sign (histogram intersection), ``own`` = ``Σ |x_j|``, ``other`` =
``Σ |x'_j|``. In both cases k(x, x) is ``of(own, own, own)``.

Every module of this folder has a kernel, with all that is known of it
(:class:`rosenblatt.theory.declaration.KernelDeclaration`): a new kernel is one more module. NumPy
is imported where a value is computed, so that the help of the command has the names without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol

from rosenblatt.theory.declaration import declared_in

if TYPE_CHECKING:
    from rosenblatt.utils.arrays import Array, Matrix

KERNELS: dict[str, Any] = {cls.declaration.name: cls for cls in declared_in(__name__, __path__)}
"""The class of each name of a kernel, without aliases."""

_BY_NAME = {
    name: cls
    for cls in KERNELS.values()
    for name in (cls.declaration.name, *cls.declaration.aliases)
}

NAMES = tuple(_BY_NAME)
"""The names of the kernels; some kernels have two."""


def names_with(field: str) -> tuple[str, ...]:
    """Return the names of the kernels that have a parameter.

    Examples
    --------
    >>> names_with("degree")
    ('poly', 'polynomial')
    """
    return tuple(
        name for name, cls in _BY_NAME.items() if field in {item.name for item in fields(cls)}
    )


NAMES_WITH_GAMMA = names_with("gamma")
"""The names of the kernels with a parameter γ."""

__all__ = [
    "Kernel",
    "by_name",
    "is_positive_definite",
    *(cls.__name__ for cls in KERNELS.values()),
]

globals().update({cls.__name__: cls for cls in KERNELS.values()})

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The class of a kernel, which the line above puts here."""


class Kernel(Protocol):
    """The interface of a kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.kernels import RBF
    >>> x, z = np.array([[1.0, 0.0]]), np.array([[1.0, 2.0]])
    >>> RBF(gamma=0.25).of(x @ z.T, (x**2).sum(axis=1), (z**2).sum(axis=1))
    array([[0.36787944]])
    """

    @property
    def sees(self) -> str:
        """Input of the formula: "products" or "overlaps", as the module explains them."""

    def of(self, pairs: Array, own: Array, other: Array) -> Array:
        """Return the kernel values; ``pairs`` may be overwritten.

        ``pairs`` has a number of each pair of rows, and ``own`` and ``other`` one of each row, as
        `sees` says. The shapes of ``own`` and ``other`` broadcast against that of ``pairs``.
        """


def by_name(name: str, degree: int = 3, gamma: float = 1.0, coef0: float = 0.0) -> Kernel:
    """Return the kernel for an estimator's ``kernel=name``.

    Parameters
    ----------
    name : str
        One of :data:`NAMES`.
    degree : int ≥ 1, default=3
    gamma : float > 0, default=1.0
    coef0 : float, default=0.0
        Parameters; a kernel ignores the parameters that it does not have.

    Raises
    ------
    ValueError
        The name is unknown, or a parameter is out of its range.

    Examples
    --------
    >>> by_name("poly", degree=2, coef0=1.0)
    Polynomial(degree=2, gamma=1.0, coef0=1.0)
    """
    if name not in _BY_NAME:
        raise ValueError(f"kernel must be one of {', '.join(NAMES)}; got {name!r}.")
    cls, values = _BY_NAME[name], {"degree": degree, "gamma": gamma, "coef0": coef0}
    kernel: Kernel = cls(**{item.name: values[item.name] for item in fields(cls)})
    return kernel


def is_positive_definite(k: Kernel | Callable[[Array, Array], float], X: Matrix) -> bool:
    """Return True if the matrix k(x_i, x_j) of the points is positive semi-definite.

    "Will any k(x, x') do? No": k is an inner product ⟨Φ(x), Φ(x')⟩ of some feature map if and only
    if this matrix is symmetric and has no negative eigenvalue, for every finite set of points
    (Mercer 1909, Aronszajn 1950). False on some points shows that there is no Φ. True on some
    points proves nothing for others.

    Parameters
    ----------
    k : kernel object or callable
        A kernel of this module, or a function of two rows of shape (d,).
    X : array of shape (n, d)
        The points. Eigenvalues above -1e-14 n² times the largest absolute k(x_i, x_j) are taken
        for rounding errors.

    Notes
    -----
    Lecture row L2.12.

    Examples
    --------
    >>> X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> is_positive_definite(RBF(), X), is_positive_definite(lambda x, z: -(x @ z), X)
    (True, False)
    """
    import numpy as np

    from rosenblatt.utils.checks import check_array

    rows = check_array(X, "X", "(n, d)", 2)
    with np.errstate(over="ignore", invalid="ignore"):  # the check says so
        values = [[k(x, z) for z in rows] for x in rows] if callable(k) else _gram_matrix(k, rows)
    K = check_array(values, "k", "(n, n)", 2)
    # Rounding of a value by some 2^-53 times a few operations, n times in a row's sum.
    doubt = 1e-14 * len(rows) * np.abs(K).max()
    if np.abs(K - K.T).max() > doubt:
        return False
    return bool(np.linalg.eigvalsh(K).min() >= -doubt * len(rows))


def _gram_matrix(kernel: Kernel, X: Array) -> Array:
    """Return the kernel values of all pairs of rows."""
    import numpy as np

    if kernel.sees == "products":
        pairs, own = X @ X.T, (X * X).sum(axis=1)
    else:
        low, own = np.minimum(np.abs(X)[:, None], np.abs(X)), np.abs(X).sum(axis=1)
        pairs = np.where(X[:, None] * X > 0.0, low, 0.0).sum(axis=2)
    return kernel.of(pairs, own[:, None], own)
