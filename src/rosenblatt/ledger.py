"""The linear learner's own expansion: which rows moved w, written down while it learns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.memory import Memory
from rosenblatt.moves import Moves, with_room

Array = NDArray[Any]


class Ledger:
    """Writes the moves of one call into a :class:`rosenblatt.memory.Memory`, and keeps their rows.

    Parameters
    ----------
    memory : Memory
    X : ndarray or CSR array of shape (n, d)
    numbers : ndarray of shape (n,), int64
        What the examples are called.
    """

    def __init__(self, memory: Memory, X: Any, numbers: Array) -> None:
        self.memory, self.X, self.numbers = memory, memory.support.like(X), numbers
        self._slot_of = np.full(len(numbers), -1)

    @contextmanager
    def writing(self, most: int) -> Iterator[Moves]:
        """Room for so many moves; what is written there as rows of X becomes their slots."""
        made = int(self.memory.moves.made[0])
        self.memory.moves = with_room(self.memory.moves, made + most)
        try:
            yield self.memory.moves
        finally:
            self._take_in(made)

    def _take_in(self, since: int) -> None:
        moves = self.memory.moves
        lines = moves.slot[since : moves.made[0]]
        found, places = np.unique(lines[self._slot_of[lines] < 0], return_index=True)
        unknown = found[np.argsort(places)]  # in the order in which they moved w
        support = self.memory.support
        slot_of: dict[bytes, int] = {}
        firsts: list[int] = []
        for line, key in zip(unknown.tolist(), support.keys(self.X, unknown), strict=True):
            slot = slot_of.setdefault(key, support.find(key))
            if slot < 0:
                slot = slot_of[key] = support.size + len(firsts)
                firsts.append(line)
            self._slot_of[line] = slot
        slots = with_room(self.memory.slots, support.size + len(firsts))
        slots.rows[support.size : support.size + len(firsts)] = self.numbers[firsts]
        slots.size[0] = support.size + len(firsts)
        support.add(self.X, np.array(firsts, np.int64), np.zeros(len(firsts)))
        self.memory.slots = slots
        lines[:] = self._slot_of[lines]
