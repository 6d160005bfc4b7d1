r"""MurmurHash3, and the columns of hashed names: signed feature hashing as in scikit-learn.

The column of a name is \|h\| modulo 2^bits, and its value has the sign of h, where h is the signed
32-bit MurmurHash3 of the name's bytes with seed 0. Two names that share a column cancel as often as
they add up, so inner products are right on average (Weinberger, Dasgupta, Langford, Smola and
Attenberg 2009, "Feature hashing for large scale multitask learning").

MurmurHash3_x86_32 is Appleby's; ``FeatureHasher`` and ``HashingVectorizer`` of scikit-learn, with
``n_features=2**bits``, give the same columns and signs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.utils.arrays import NDArray


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
    return core.hash_names(np.frombuffer(b"".join(names), np.uint8), ends)
