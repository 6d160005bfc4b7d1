r"""MurmurHash3, and the columns of hashed names: signed feature hashing as in scikit-learn.

The column of a name is \|h\| modulo 2^bits, and its value has the sign of h, where h is the signed
32-bit MurmurHash3 of the name's bytes with seed 0. Two names that share a column cancel as often as
they add up, so inner products are right on average (Weinberger, Dasgupta, Langford, Smola and
Attenberg 2009, "Feature hashing for large scale multitask learning").

MurmurHash3_x86_32 is Appleby's; ``FeatureHasher`` and ``HashingVectorizer`` of scikit-learn, with
``n_features=2**bits``, give the same columns and signs.

The hash is a state that absorbs up to eight bytes at a time, so that a parser hashes a name while
it searches for its end, and hashes the common prefix of several names only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import inlined
from rosenblatt.engine.text.decimals import Bytes, word_at
from rosenblatt.engine.text.scanning import scanner

# --- the hash ------------------------------------------------------------------------------------

_32_BITS = 0xFFFFFFFF
_C1, _C2 = 0xCC9E2D51, 0x1B873593


class Murmur(NamedTuple):
    """MurmurHash3_x86_32 of the bytes so far.

    Parameters
    ----------
    h : int
        The hash of all complete groups of four bytes; 0 ≤ h < 2³².
    rest : int
        The bytes after them, the first lowest.
    size : int
        Number of bytes so far.

    Examples
    --------
    >>> finalize(absorb(Murmur(0, 0, 0), 0x6F6F66, 3)) == murmur3(b"foo")
    True
    """

    h: int
    rest: int
    size: int


@inlined
def _scramble(quad: int) -> int:
    k = quad * _C1 & _32_BITS
    return (k << 15 | k >> 17) * _C2 & _32_BITS


@inlined
def _absorb_quad(state: Murmur, quad: int, n: int) -> Murmur:
    """Return the state after n ≤ 4 more bytes."""
    h, rest, size = state
    pending = size & 3
    rest |= quad << 8 * pending
    if pending + n >= 4:
        h ^= _scramble(rest & _32_BITS)
        h = (h << 13 | h >> 19) & _32_BITS
        h = 5 * h + 0xE6546B64 & _32_BITS
        rest >>= 32
    return Murmur(h, rest, size + n)


@inlined
def absorb(state: Murmur, word: int, n: int) -> Murmur:
    """Return the state after the n ≤ 8 lowest bytes of a word.

    Parameters
    ----------
    state : Murmur
    word : int
        The first byte is the lowest.
    n : int

    Examples
    --------
    >>> absorb(Murmur(0, 0, 0), 0x6F6F66, 2)
    Murmur(h=0, rest=28518, size=2)
    """
    masked = word & ~(-1 << 4 * n << 4 * n)  # in two steps: a shift by all 64 bits is undefined
    state = _absorb_quad(state, masked & _32_BITS, min(n, 4))
    return _absorb_quad(state, masked >> 32 & _32_BITS, n - 4) if n > 4 else state


@inlined
def finalize(state: Murmur) -> int:
    """Return the hash, −2³¹ ≤ h < 2³¹.

    Examples
    --------
    >>> finalize(Murmur(0, 0, 0))
    0
    """
    h = state.h ^ _scramble(state.rest) ^ state.size & _32_BITS
    h = (h ^ h >> 16) * 0x85EBCA6B & _32_BITS
    h = (h ^ h >> 13) * 0xC2B2AE35 & _32_BITS
    h ^= h >> 16
    return h - (h >> 31 << 32)


@inlined
def column_of(h: int, bits: int) -> int:
    """Return the column of a hash, below 2^bits.

    Examples
    --------
    >>> column_of(-5, 2)
    1
    """
    return abs(h) & (1 << bits) - 1


@inlined
def absorb_text(state: Murmur, text: Bytes, begin: int, stop: int) -> Murmur:
    """Return the state after the bytes from ``begin`` to ``stop``.

    Examples
    --------
    >>> state = absorb_text(Murmur(0, 0, 0), np.frombuffer(b"a food", np.uint8), 2, 5)
    >>> finalize(state) == murmur3(b"foo")
    True
    """
    for i in range(begin, stop, 8):
        state = absorb(state, word_at(text, i), min(8, stop - i))
    return state


def murmur3(name: bytes) -> int:
    """Hash a name by MurmurHash3_x86_32 with seed 0, as ``sklearn.utils.murmurhash3_32`` does.

    Parameters
    ----------
    name : bytes

    Returns
    -------
    int
        −2³¹ ≤ h < 2³¹.

    Examples
    --------
    >>> murmur3(b"foo")
    -156908512
    """
    return int(murmur3_many([name])[0])


def murmur3_many(names: Sequence[bytes]) -> NDArray[np.int32]:
    """Hash many names, each as :func:`murmur3` does.

    Parameters
    ----------
    names : sequence of bytes

    Examples
    --------
    >>> murmur3_many([b"foo", b""]).tolist()
    [-156908512, 0]
    """
    ends = np.cumsum([len(name) for name in names], dtype=np.int64)
    hashes = np.empty(len(names), np.int32)
    _hash_all(np.frombuffer(b"".join(names), np.uint8), ends, hashes)
    return hashes


@scanner
def _hash_all(text: Bytes, ends: NDArray[np.int64], hashes: NDArray[np.int32]) -> None:
    begin = 0
    for k in range(len(ends)):
        end = int(at(ends, k))
        hashes[k] = finalize(absorb_text(Murmur(0, 0, 0), text, begin, end))
        begin = end
