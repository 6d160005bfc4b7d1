"""The locks of a learner: threads may share it, and each call sees the whole of another, or none.

A learner has two locks. ``learning`` is held by calls that learn or set something, from their start
to their end, so none undoes what another has learned. ``arrays`` is held while arrays are changed
in place (``partial_fit``), read for a prediction, or copied. A ``fit`` trains aside and changes no
array that others see: predictions do not wait for it. Whoever needs both takes ``learning`` first.

The locks belong to one object: a pickle, a clone and a copy have their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, NamedTuple

_NAME = "_locks"  # of the attribute


class Locks(NamedTuple):
    """The two locks of one learner; a thread that holds one may take it again."""

    learning: RLock
    arrays: RLock


def locks_of(learner: Any) -> Locks:
    """Return the locks of a learner, made when they are first needed.

    Examples
    --------
    >>> class Learner: pass
    >>> learner = Learner()
    >>> locks_of(learner) is locks_of(learner), locks_of(learner) is locks_of(Learner())
    (True, False)
    """
    attributes = vars(learner)
    locks: Locks | None = attributes.get(_NAME)
    return attributes.setdefault(_NAME, Locks(RLock(), RLock())) if locks is None else locks


@contextmanager
def changing(learner: Any) -> Iterator[None]:
    """Hold both locks: nobody else learns, and nobody reads an array."""
    locks = locks_of(learner)
    with locks.learning, locks.arrays:
        yield


def attributes_without_locks(learner: Any) -> dict[str, Any]:
    """Return the attributes that a copy takes over.

    Examples
    --------
    >>> class Learner: pass
    >>> learner = Learner()
    >>> locks, learner.w = locks_of(learner), 3
    >>> attributes_without_locks(learner)
    {'w': 3}
    """
    return {name: value for name, value in vars(learner).items() if name != _NAME}
