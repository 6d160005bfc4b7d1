"""Checksums: that of SQLite's journal and of its pages, and one that a value carries with it."""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import numpy as np

from rosenblatt.serve.store.errors import StoreError
from rosenblatt.utils.arrays import NDArray

Words = NDArray[np.uint32]


def seal(data: bytes) -> bytes:
    """Return data with its checksum behind it.

    Examples
    --------
    >>> unseal(seal(b"data"), "a value")
    b'data'
    """
    return data + zlib.crc32(data).to_bytes(4, "little")


def unseal(sealed: bytes, what: str) -> bytes:
    """Return the data of :func:`seal`.

    Raises
    ------
    StoreError
        The checksum is wrong; the message names what is damaged.
    """
    if not isinstance(sealed, bytes) or seal(sealed[:-4]) != sealed:
        raise StoreError(
            f"{what} is damaged: its checksum is wrong. Restore the store from a backup "
            "(rosenblatt backup makes one)."
        )
    return sealed[:-4]


def page_sums(words: Words) -> Words:
    """Return SQLite's two sums of each row of words, from 0.

    The sums of a row from others are ``page_sums(row) + carry(sums, row.size)``: each pair of words
    is one step of a linear recurrence modulo 2³².
    """
    factors, _ = _steps(words.shape[1] // 2)
    return words @ factors


def carry(sums: Words, words: int) -> Words:
    """Return what sums become after a number of words that are 0."""
    return sums @ _steps(words // 2)[1]


@cache
def _steps(pairs: int) -> tuple[Words, Words]:
    """Return the factors of the words of so many pairs, and the factor of the sums before them.

    A step is ``first += word + second; second += next word + first``.
    """
    step = np.array([[1, 1], [1, 2]], dtype=np.uint32)  # of the sums
    factors = np.empty((pairs, 2, 2), dtype=np.uint32)
    after: Any = np.eye(2, dtype=np.uint32)
    for j in reversed(range(pairs)):
        factors[j] = np.array([[1, 1], [0, 1]], dtype=np.uint32) @ after
        after = step @ after
    return factors.reshape(2 * pairs, 2), after
