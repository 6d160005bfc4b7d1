r"""Names become columns: signed feature hashing, the columns and signs of scikit-learn's.

A name's column is \|h\| modulo 2^bits, and its value counts with the sign of h, where h is the
signed 32-bit MurmurHash3 of the name's bytes with seed 0. Two names that share a column cancel as
often as they add up, so inner products are right on average (Weinberger, Dasgupta, Langford, Smola
and Attenberg 2009, "Feature hashing for large scale multitask learning").

MurmurHash3_x86_32 is Appleby's; ``FeatureHasher`` and ``HashingVectorizer`` of scikit-learn, with
``n_features=2**bits``, give the same columns and signs.

The hash is kept as a state that takes up to eight bytes at a time, so that a reader hashes a name
while it looks for its end, and hashes what several names begin with only once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.decimals import Bytes, Decimal, part, word_at
from rosenblatt.jit import fingerprint
from rosenblatt.lanes import at
from rosenblatt.scanning import scanner

# --- the hash ------------------------------------------------------------------------------------

_32_BITS = 0xFFFFFFFF
_C1, _C2 = 0xCC9E2D51, 0x1B873593


class Murmur(NamedTuple):
    """MurmurHash3_x86_32 of the bytes so far.

    Parameters
    ----------
    h : int
        The hash of all whole quads, four bytes each; 0 ≤ h < 2³².
    rest : int
        The bytes after them, the first lowest.
    size : int
        How many bytes there were.

    Examples
    --------
    >>> hashed(absorbed(Murmur(0, 0, 0), 0x6F6F66, 3)) == murmur3(b"foo")
    True
    """

    h: int
    rest: int
    size: int


@part
def _scrambled(quad: int) -> int:
    k = quad * _C1 & _32_BITS
    return (k << 15 | k >> 17) * _C2 & _32_BITS


@part
def _with_quad(state: Murmur, quad: int, n: int) -> Murmur:
    """The state after n ≤ 4 more bytes."""
    h, rest, size = state
    held = size & 3
    rest |= quad << 8 * held
    if held + n >= 4:
        h ^= _scrambled(rest & _32_BITS)
        h = (h << 13 | h >> 19) & _32_BITS
        h = 5 * h + 0xE6546B64 & _32_BITS
        rest >>= 32
    return Murmur(h, rest, size + n)


@part
def absorbed(state: Murmur, word: int, n: int) -> Murmur:
    """The state after the n ≤ 8 lowest bytes of a word.

    Parameters
    ----------
    state : Murmur
    word : int
        The first byte is the lowest.
    n : int

    Examples
    --------
    >>> absorbed(Murmur(0, 0, 0), 0x6F6F66, 2)
    Murmur(h=0, rest=28518, size=2)
    """
    taken = word & ~(-1 << 4 * n << 4 * n)  # in two steps: no machine shifts by all 64 bits
    state = _with_quad(state, taken & _32_BITS, min(n, 4))
    return _with_quad(state, taken >> 32 & _32_BITS, n - 4) if n > 4 else state


@part
def hashed(state: Murmur) -> int:
    """The hash, −2³¹ ≤ h < 2³¹.

    Examples
    --------
    >>> hashed(Murmur(0, 0, 0))
    0
    """
    h = state.h ^ _scrambled(state.rest) ^ state.size & _32_BITS
    h = (h ^ h >> 16) * 0x85EBCA6B & _32_BITS
    h = (h ^ h >> 13) * 0xC2B2AE35 & _32_BITS
    h ^= h >> 16
    return h - (h >> 31 << 32)


@part
def column_of(h: int, bits: int) -> int:
    """The column of a hash, below 2^bits.

    Examples
    --------
    >>> column_of(-5, 2)
    1
    """
    return abs(h) & (1 << bits) - 1


@part
def spelled(state: Murmur, text: Bytes, begin: int, stop: int) -> Murmur:
    """The state after the bytes from ``begin`` to ``stop``.

    Examples
    --------
    >>> state = spelled(Murmur(0, 0, 0), np.frombuffer(b"a food", np.uint8), 2, 5)
    >>> hashed(state) == murmur3(b"foo")
    True
    """
    for i in range(begin, stop, 8):
        state = absorbed(state, word_at(text, i), min(8, stop - i))
    return state


def murmur3(name: bytes) -> int:
    """MurmurHash3_x86_32 of a name with seed 0, as ``sklearn.utils.murmurhash3_32`` gives it.

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
    return int(murmur3s([name])[0])


def murmur3s(names: Sequence[bytes]) -> NDArray[np.int32]:
    """The hashes of many names, each as :func:`murmur3` gives it.

    Parameters
    ----------
    names : sequence of bytes

    Examples
    --------
    >>> murmur3s([b"foo", b""]).tolist()
    [-156908512, 0]
    """
    ends = np.cumsum([len(name) for name in names], dtype=np.int64)
    hashes = np.empty(len(names), np.int32)
    _hash_all(np.frombuffer(b"".join(names), np.uint8), ends, hashes)
    return hashes


def _hash_all_of(stamp: str) -> Callable[[Bytes, NDArray[np.int64], NDArray[np.int32]], None]:
    def hash_all(text: Bytes, ends: NDArray[np.int64], hashes: NDArray[np.int32]) -> None:
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        begin = 0
        for k in range(len(ends)):
            end = int(at(ends, k))
            hashes[k] = hashed(spelled(Murmur(0, 0, 0), text, begin, end))
            begin = end

    return scanner(hash_all)


_hash_all = _hash_all_of(fingerprint(Decimal))


# --- rows of hashed columns, put in order --------------------------------------------------------

_DIGIT = 6  # bits of a column that are sorted at a time
_DIGITS = 1 << _DIGIT
_FEW = 40  # columns of a short row
_PLACE = 32  # bits of the place in a row, below those of its column


class Entries(NamedTuple):
    """Rows of columns and values, as the arrays of a CSR matrix.

    Parameters
    ----------
    columns : int32 array of shape (entries,)
    data : float64 array of shape (entries,)
    indptr : int64 array of shape (rows + 1,)

    Examples
    --------
    >>> rows = Entries(np.array([2], np.int32), np.array([0.5]), np.array([0, 1]))
    >>> rows.columns.tolist()
    [2]
    """

    columns: NDArray[np.int32]
    data: NDArray[np.float64]
    indptr: NDArray[np.int64]


def in_order(rows: Entries, bits: int) -> Entries:
    """The rows with increasing columns, where values of the same column are added up.

    A hash in the place of a column becomes its column, and its value has the sign of the hash.
    Values are added in the order in which they stand. The arrays are those of ``rows``, written
    over. Short rows are sorted by counting, for each column, those before it; longer ones by six
    bits of the columns at a time, in the nearest cache as long as they fit it.

    Parameters
    ----------
    rows : Entries
        With hashes, or with columns below 2^bits.
    bits : int

    Examples
    --------
    >>> columns, data = np.array([5, 0, 5], np.int32), np.array([1.0, 2.0, 3.0])
    >>> rows = in_order(Entries(columns, data, np.array([0, 3])), 3)
    >>> rows.columns.tolist(), rows.data.tolist(), rows.indptr.tolist()
    ([0, 5], [2.0, 4.0], [0, 2])
    """
    longest = int(np.diff(rows.indptr).max(initial=0))
    keys, spare = np.empty((2, longest), np.int64)
    entries = _settle(rows, bits, keys, spare, np.empty(longest), np.empty(_DIGITS, np.int64))
    return rows._replace(columns=rows.columns[:entries], data=rows.data[:entries])


@scanner
def _settle(
    rows: Entries,
    bits: int,
    keys: NDArray[np.int64],
    spare: NDArray[np.int64],
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> int:
    """Sort each row, add up and move together; how many entries there are."""
    columns, data, indptr = rows
    place = stop = 0
    for i in range(1, len(indptr)):
        start, stop = stop, at(indptr, i)
        n = stop - start
        for k in range(n):
            h = int(at(columns, start + k))
            keys[k] = column_of(h, bits) << _PLACE | k
            values[k] = at(data, start + k) if h >= 0 else -at(data, start + k)
        if n <= _FEW:
            _sort_few(keys, n, spare)
            keys, spare = spare, keys
        else:
            for shift in range(_PLACE, _PLACE + bits, _DIGIT):
                _sort_by_digit(keys, n, shift, counts, spare)
                keys, spare = spare, keys
        before = -1
        for k in range(n):
            column, x = at(keys, k) >> _PLACE, at(values, at(keys, k) & (1 << _PLACE) - 1)
            if column == before:
                data[place - 1] += x
            else:
                columns[place], data[place] = column, x
                place += 1
            before = column
        indptr[i] = place
    return place


@part
def _sort_few(keys: NDArray[np.int64], n: int, out: NDArray[np.int64]) -> None:
    """The first n keys, which all differ, each to where there are as many below it."""
    for k in range(n):
        key = at(keys, k)
        below = 0
        for other in range(n):
            below += at(keys, other) < key
        out[below] = key


@part
def _sort_by_digit(
    keys: NDArray[np.int64],
    n: int,
    shift: int,
    counts: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """The first n keys by one digit, equal ones as they were."""
    for digit in range(_DIGITS):
        counts[digit] = 0
    for k in range(n):
        counts[at(keys, k) >> shift & _DIGITS - 1] += 1
    place = 0
    for digit in range(_DIGITS):
        count = at(counts, digit)
        counts[digit] = place
        place += count
    for k in range(n):
        digit = at(keys, k) >> shift & _DIGITS - 1
        out[at(counts, digit)] = at(keys, k)
        counts[digit] += 1
