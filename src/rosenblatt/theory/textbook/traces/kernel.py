"""Recorded runs of a kernel perceptron: with the rows and the kernel, which a picture needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields

from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import Floats, check_array


@dataclass(frozen=True, eq=False, repr=False)
class KernelTrace(Trace):
    """A recorded run of a kernel perceptron: a `Trace` with its rows and its kernel.

    A stored vector is (α_1, …, α_n, b), and a row of `X` is (k(x_1, x), …, k(x_n, x), 1). What
    `Trace.to_json` writes is read as a `Trace`, without rows and kernel.

    Attributes
    ----------
    rows : array of shape (n, d)
        The rows x_1, …, x_n, without a constant 1.
    k : callable
        The kernel, a function of two rows.

    Examples
    --------
    >>> from rosenblatt.textbook import kernel_perceptron
    >>> xor = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    >>> run = kernel_perceptron(xor, [-1, 1, 1, -1], lambda x, z: (x @ z + 1.0) ** 2)
    >>> run.alpha, run.predict(run.products([[3.0, 2.0], [3.0, -2.0]]))
    (array([-1.,  1.,  1., -1.]), array([-1,  1]))
    """

    rows: Floats = field(kw_only=True)
    k: Callable[[Floats, Floats], float] = field(kw_only=True)

    @classmethod
    def of(cls, run: Trace, rows: Floats, k: Callable[[Floats, Floats], float]) -> KernelTrace:
        """Return a run on the numbers of a kernel, with its rows and its kernel."""
        named = {field.name: getattr(run, field.name) for field in fields(Trace)}
        return cls(**named, rows=rows.copy(), k=k)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rows.setflags(write=False)

    @property
    def alpha(self) -> Floats:
        """The dual form: w = Σ α_i Φ(x_i), which is `w` here, shape (n,)."""
        return self.w

    @property
    def along_rows(self) -> bool:
        """False: an update changes α_i and b."""
        return False

    def products(self, X: ArrayLike) -> Floats:
        """Return (k(x_1, x), …, k(x_n, x)) for rows x of shape (m, d): shape (m, n)."""
        pairs = values(self.k, self.rows, check_array(X, "X", "(m, d)", 2))
        return check_array(pairs, "k", "(m, n)", 2)


def values(k: Callable[[Floats, Floats], float], rows: Floats, X: Floats) -> list[list[float]]:
    """Return k(x_l, x) of every row x of X, a list, with every x_l of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> values(lambda x, z: int(x[0] * z[0] ** 2), np.array([[1], [2]]), np.array([[3]]))
    [[9, 18]]
    """
    return [[k(z, x) for z in rows] for x in X]
