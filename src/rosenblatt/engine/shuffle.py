"""Random order of the rows in an epoch: scikit-learn's generator and shuffle."""

from __future__ import annotations

import numpy as np

from rosenblatt._core import matrices
from rosenblatt.utils.arrays import NDArray


def shuffle(order: NDArray[np.int64], seed: int) -> None:
    """Shuffle ``order`` in place, as scikit-learn's linear models do, from the same seed.

    Fisher and Yates with Marsaglia's 32-bit xorshift generator: the same seed gives scikit-learn's
    order, and a shuffled two-class fit gives its weights.

    Parameters
    ----------
    order : ndarray of shape (n,), int64
        Permuted further: an epoch shuffles the order of the epoch before it.
    seed : int in [0, 2³²)

    Examples
    --------
    >>> import numpy as np
    >>> order = np.arange(5)
    >>> shuffle(order, 7)
    >>> sorted(order.tolist())
    [0, 1, 2, 3, 4]
    """
    matrices.shuffle(order, seed)


def shuffled(order: NDArray[np.int64], seed: int | None) -> NDArray[np.int64]:
    """Shuffle the order of the last epoch in place, and return it; without a seed it stays.

    Examples
    --------
    >>> shuffled(np.arange(3), None)
    array([0, 1, 2])
    """
    if seed is not None:
        shuffle(order, seed)
    return order


def epoch_order(n: int, seed: int | None, epoch: int) -> NDArray[np.int64]:
    """Return the order of n rows in epoch 1, 2, …, without the epochs before.

    Every epoch applies the same permutation to the order of the last one: this is its power, by
    repeated squaring.

    Examples
    --------
    >>> order = np.arange(5)
    >>> for _ in range(3):
    ...     order = shuffled(order, 7)
    >>> np.array_equal(epoch_order(5, 7, 3), order)
    True
    """
    order = np.arange(n)
    power = shuffled(np.arange(n), seed)
    while epoch:
        if epoch % 2:
            order = order[power]
        power = power[power]
        epoch //= 2
    return order


def shard_seeds(random_state: np.random.RandomState, count: int) -> list[int]:
    """Draw one seed per shard from ``random_state``; the first is the seed scikit-learn draws.

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
