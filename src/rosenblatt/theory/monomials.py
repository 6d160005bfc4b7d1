"""Monomials of one degree: their number, order, values and names.

A monomial is a product of ``degree`` factors out of z1, z2, …, with non-decreasing indices; with
``repeated``, each ordering of the factors is a monomial of its own. The order is lexicographic.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import numpy as np

from rosenblatt.utils.arrays import Array

__all__ = ["Monomials", "count", "monomials", "names", "transform_csr", "transform_dense"]


_BLOCK = 1 << 18  # products computed at a time: they fit in the caches


def count(width: int, degree: int, repeated: bool) -> int:
    """Count the monomials: C(width + degree − 1, degree), or width^degree with ``repeated``.

    Examples
    --------
    >>> count(3, 2, repeated=False), count(3, 2, repeated=True)
    (6, 9)
    """
    width, degree = int(width), int(degree)
    return width**degree if repeated else math.comb(width + degree - 1, degree)


class Monomials(NamedTuple):
    """A plan for the monomials of ``width`` factors, built degree by degree.

    Each step appends one factor: monomial c is monomial ``parents[c]`` of the step before times
    factor ``lasts[c]``.

    Attributes
    ----------
    steps : list of (parents, lasts)
        One for each factor after the first.
    sqrt_multinomials : array of shape (count,)
        √(multinomial coefficient): the root of the number of orderings of each monomial.
    repeated : bool
    """

    steps: list[tuple[Array, Array]]
    sqrt_multinomials: Array
    repeated: bool

    def values(self, factors: Array) -> Array:
        """Return each row's monomials times the roots, shape (n, count); inf on overflow."""
        with np.errstate(over="ignore", invalid="ignore"):
            products = self._fold(np.multiply, [factors] * (len(self.steps) + 1))
            result: Array = products * self.sqrt_multinomials.astype(factors.dtype)
        result += 0.0  # no −0: an entry that a sparse row does not store is +0
        return result

    def positions(self, columns: Array, width: int) -> Array:
        """Return the index of each row's monomials among the monomials of ``width`` factors.

        Parameters
        ----------
        columns : integer array of shape (n, z)
            Indices, ascending, of the row's z factors among the ``width`` factors.
        width : int

        Returns
        -------
        array of shape (n, count), int64
        """
        degree = len(self.steps) + 1
        above = width - 1 - columns.astype(np.int64)
        # A monomial comes later if one factor has a larger index and all before it are equal.
        later = [
            above * width ** (left - 1) if self.repeated else _count_multisets(above, left)
            for left in range(degree, 0, -1)
        ]
        last: int = count(width, degree, self.repeated) - 1
        result: Array = last - self._fold(np.add, later)
        return result

    def _fold(self, operation: Callable[..., Array], factors: Sequence[Array]) -> Array:
        """Combine the first factors (n, z) with the second, the third and so on."""
        result, *others = factors
        for (parents, lasts), factor in zip(self.steps, others, strict=True):
            longer = result.take(parents, axis=1)
            result = operation(longer, factor.take(lasts, axis=1), out=longer)
        return result


def monomials(width: int, degree: int, repeated: bool) -> Monomials:
    """Return a plan for the monomials of ``degree`` out of ``width`` factors.

    Examples
    --------
    >>> plan = monomials(2, 2, repeated=False)
    >>> plan.values(np.array([[2.0, 3.0]])) / plan.sqrt_multinomials
    array([[4., 6., 9.]])
    >>> plan.positions(np.array([[1, 3]]), width=4)  # of 00 01 02 03 11 12 13 22 23 33
    array([[4, 6, 9]])
    """
    steps: list[tuple[Array, Array]] = []
    lasts, runs, orderings = np.arange(width), np.ones(width), np.ones(width)
    for length in range(2, int(degree) + 1):
        firsts = np.zeros_like(lasts) if repeated else lasts
        children = width - firsts
        parents = np.repeat(np.arange(len(lasts)), children)
        begins = np.cumsum(children) - children
        longer = np.arange(len(parents)) - (begins - firsts)[parents]
        runs = np.where(longer == lasts[parents], runs[parents] + 1.0, 1.0)
        orderings = orderings[parents] * length / runs  # an integer: a multinomial coefficient
        lasts = longer
        steps.append((parents, lasts))
    return Monomials(steps, np.ones(len(lasts)) if repeated else np.sqrt(orderings), repeated)


def transform_dense(factors: Array, degree: int, repeated: bool) -> Array:
    """Return the monomials of dense rows, times their roots.

    A result larger than the machine's memory is a MemoryError.

    Examples
    --------
    >>> transform_dense(np.array([[2.0, 3.0]]), 2, repeated=True)
    array([[4., 6., 6., 9.]])
    """
    n, width = factors.shape
    products = count(width, degree, repeated)
    _check_memory(n * products * factors.itemsize)
    plan = monomials(width, degree, repeated)
    result = np.empty((n, products), factors.dtype)
    for rows in _blocks(np.arange(n), products):
        result[rows] = plan.values(factors[rows])
    return result


def transform_csr(
    data: Array, indices: Array, indptr: Array, width: int, degree: int, repeated: bool
) -> tuple[Array, Array, Array]:
    """Return the monomials of CSR rows, times their roots, as data, indices and indptr.

    The indices of each row ascend, in the input and in the result. All rows with the same number z
    of entries are lifted together, as dense rows of z columns. A result larger than the machine's
    memory is a MemoryError.

    Examples
    --------
    >>> transform_csr(np.array([2.0, 3.0]), np.array([0, 7]), np.array([0, 2]), 8, 2, repeated=True)
    (array([4., 6., 6., 9.]), array([ 0,  7, 56, 63], dtype=int32), array([0, 4]))
    """
    entries = np.diff(indptr)
    order = np.argsort(entries, kind="stable")
    sizes, starts, repeats = np.unique(entries[order], return_index=True, return_counts=True)
    products = [count(z, degree, repeated) for z in sizes]
    total = sum(n_products * n for n_products, n in zip(products, repeats.tolist(), strict=True))
    integers = np.int32 if max(count(width, degree, repeated), total) < 1 << 31 else np.int64
    _check_memory(total * (data.itemsize + np.dtype(integers).itemsize))
    lifted, positions = np.empty(total, data.dtype), np.empty(total, integers)
    ends = np.zeros(len(indptr), np.int64)
    ends[1 + order] = np.repeat(products, repeats)
    ends = np.cumsum(ends)
    for z, n_products, group in zip(sizes, products, np.split(order, starts[1:]), strict=True):
        plan = monomials(z, degree, repeated)
        for rows in _blocks(group, n_products):
            source = indptr[rows, np.newaxis] + np.arange(z)
            target = ends[rows, np.newaxis] + np.arange(n_products)
            lifted[target] = plan.values(data[source])
            positions[target] = plan.positions(indices[source], width)
    return lifted, positions, ends


def names(factors: Sequence[str], degree: int, *, repeated: bool, constant: int) -> list[str]:
    """Return the monomials' names: "x0^2 x1", or "x0 x0 x1" with ``repeated``.

    Parameters
    ----------
    factors : sequence of str
    degree : int
    repeated : bool
    constant : int
        Index of the constant factor, which names omit; ``len(factors)`` if there is none.

    Examples
    --------
    >>> names(["a", "b", "1"], 2, repeated=False, constant=2)
    ['a^2', 'a b', 'a', 'b^2', 'b', '1']
    >>> names(["a", "1"], 2, repeated=True, constant=1)
    ['a a', 'a 1', '1 a', '1 1']
    """
    if repeated:
        return [" ".join(picks) for picks in product(factors, repeat=degree)]
    combinations = combinations_with_replacement(range(len(factors)), degree)
    return [_power_name(factors, picks, constant) for picks in combinations]


def _power_name(factors: Sequence[str], picks: Sequence[int], constant: int) -> str:
    powers = Counter(i for i in picks if i != constant)
    return " ".join(f"{factors[i]}^{k}" if k > 1 else factors[i] for i, k in powers.items()) or "1"


def _blocks(rows: Array, products: int) -> Iterator[Array]:
    """Yield the rows in blocks."""
    step = max(1, _BLOCK // max(1, products))
    return (rows[i : i + step] for i in range(0, len(rows), step))


def _check_memory(size: int) -> None:
    """Refuse more bytes than this machine has; a system that overcommits would end the process."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return  # the size of the memory is unknown
    if size > memory:
        raise MemoryError(f"{size:,} bytes of products")


def _count_multisets(n: Array, k: int) -> Array:
    """Count the multisets of k out of n: n (n + 1) … (n + k − 1) / k!."""
    result = n
    for i in range(1, k):
        result = result * (n + i) // (i + 1)
    return result
