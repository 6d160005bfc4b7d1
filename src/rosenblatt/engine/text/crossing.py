"""Products of features of a row: which entries they multiply, and the hashes of three."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from rosenblatt.utils.arrays import NDArray

_PRIME = np.uint32(16777619)  # of the Fowler–Noll–Vo hash


def split_interaction(interaction: str) -> tuple[str, ...]:
    """Return the groups of an interaction, equal ones side by side.

    Parameters
    ----------
    interaction : str
        ``"a*b"`` or ``"a*b*c"``.

    Examples
    --------
    >>> split_interaction("user*ad"), split_interaction("b*a*b")
    (('user', 'ad'), ('b', 'b', 'a'))
    """
    groups = interaction.split("*")
    return tuple(sorted(groups, key=groups.index))


def runs_of(groups: Sequence[object]) -> tuple[int, ...]:
    """Return how many times each group comes in succession.

    Examples
    --------
    >>> runs_of("ab"), runs_of("aab"), runs_of("aaa")
    ((1, 1), (2, 1), (3,))
    """
    return tuple(len(list(run)) for _, run in groupby(groups))


def cross(
    indptr: NDArray[np.int64], members: Sequence[NDArray[np.bool_]], runs: Sequence[int]
) -> list[NDArray[np.int64]]:
    """Return the entries that each product of a row multiplies, row after row.

    Parameters
    ----------
    indptr : int64 array of shape (rows + 1,)
        The rows of a CSR matrix.
    members : sequence of bool arrays of shape (entries,)
        For each factor, the entries of its group.
    runs : sequence of int
        :func:`runs_of` the groups; within a run, entries do not decrease: each product comes once.

    Returns
    -------
    list of int64 arrays of shape (products,)
        One for each factor.

    Examples
    --------
    >>> a, b = np.array([True, True, False]), np.array([False, False, True])
    >>> [factor.tolist() for factor in cross(np.array([0, 3]), [a, a, b], [2, 1])]
    [[0, 0, 1], [0, 1, 1], [2, 2, 2]]
    """
    rows = len(indptr) - 1
    row_of_entry = np.repeat(np.arange(rows), np.diff(indptr))
    begins_run = np.isin(np.arange(len(members)), np.cumsum([0, *runs]))
    factors = [np.flatnonzero(members[0])]
    for mask, is_first in zip(members[1:], begins_run[1:], strict=True):
        entries = np.flatnonzero(mask)
        first = np.searchsorted(row_of_entry[entries], np.arange(rows + 1))
        row_of_factor = row_of_entry[factors[-1]]
        times = np.diff(first)[row_of_factor]
        begins = np.repeat(np.cumsum(times) - times, times)
        factors = [np.repeat(factor, times) for factor in factors]
        position = np.repeat(first[row_of_factor], times) + np.arange(len(begins)) - begins
        factors.append(entries[position])
        if not is_first:
            kept = factors[-2] <= factors[-1]
            factors = [factor[kept] for factor in factors]
    return factors


def hash_triples(hashes: NDArray[np.int32], runs: Sequence[int]) -> NDArray[np.int32]:
    """Return the hashes of products of three, (h · p xor k) · p xor l; sort them in their runs.

    It is Vowpal Wabbit's combination of three hashes, with the prime p = 16777619, modulo 2³² and
    signed. Within a group the lower hash is first.

    Parameters
    ----------
    hashes : int32 array of shape (products, 3)
        The hashes of the factors; sorted within their runs, in position.
    runs : sequence of int
        :func:`runs_of` the groups.

    Examples
    --------
    >>> hash_triples(np.array([[3, 5, 7], [5, 3, 7]], np.int32), (2, 1)).tolist()
    [1963422707, 1963422707]
    """
    start = 0
    for length in runs:
        hashes[:, start : start + length].sort(axis=1)
        start += length
    first, second, third = hashes.view(np.uint32).T
    crossed: NDArray[np.int32] = (((first * _PRIME ^ second) * _PRIME) ^ third).view(np.int32)
    return crossed
