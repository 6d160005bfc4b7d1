"""In which order an epoch visits the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled


@compiled
def shuffle(order: NDArray[np.int64], seed: int) -> None:
    """Shuffle ``order`` in place, as scikit-learn's linear models do, from the same seed.

    Fisher and Yates with Marsaglia's 32-bit xorshift: the same seed gives scikit-learn's order,
    so a shuffled two-class fit gives its weights too.

    Parameters
    ----------
    order : ndarray of shape (n,), int64
        Permuted further: an epoch shuffles what the last one left.
    seed : int in [0, 2³²)

    Examples
    --------
    >>> import numpy as np
    >>> order = np.arange(5)
    >>> shuffle(order, 7)
    >>> sorted(order.tolist())
    [0, 1, 2, 3, 4]
    """
    r = seed if seed != 0 else 1
    n = order.shape[0]
    for i in range(n - 1):
        r ^= (r << 13) & 0xFFFFFFFF
        r ^= r >> 17
        r ^= (r << 5) & 0xFFFFFFFF
        j = i + (r & 0x7FFFFFFF) % (n - i)
        order[i], order[j] = order[j], order[i]


def shard_seeds(random_state: Any, count: int) -> list[int]:
    """One seed a shard, drawn from ``random_state``; the first is scikit-learn's own.

    Parameters
    ----------
    random_state : numpy.random.RandomState
    count : int

    Examples
    --------
    >>> import numpy as np
    >>> shard_seeds(np.random.RandomState(0), 1)
    [398764591]
    """
    largest = np.iinfo(np.int32).max
    random_state.randint(1, largest)  # scikit-learn draws one for its data set first
    return [int(random_state.randint(largest)) for _ in range(count)]
