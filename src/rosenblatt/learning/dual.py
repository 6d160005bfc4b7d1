"""What an expansion remembers besides its coefficients: its rows, and their moves.

The linear learner's own expansion: which rows moved w, written down while it learns.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine import state
from rosenblatt.engine.kernel.budgets import Held
from rosenblatt.engine.kernel.expansion import Slots, empty_slots
from rosenblatt.engine.steps import Moves, doubled, empty_moves, since, with_room
from rosenblatt.learning.support import Support


class Memory:
    """What an expansion remembers besides its :class:`rosenblatt.engine.state.State`.

    Parameters
    ----------
    support : Support
    columns : int
        Columns of the state.
    votes : bool
        Whether every step is kept for good.

    Attributes
    ----------
    support : Support
    slots : Slots
    moves : Moves
    votes : bool
    held : Held or None
        On a budget.
    """

    def __init__(self, support: Support, columns: int, votes: bool) -> None:
        self.support, self.votes = support, votes
        self.slots, self.moves = empty_slots(columns), empty_moves()
        self.held: Held | None = None

    @property
    def size(self) -> int:
        """Slots in use."""
        return int(self.slots.size[0])

    @property
    def norm(self) -> float:
        """‖w‖ in the kernel's space, over all weight vectors."""
        return math.sqrt(max(0.0, float(self.slots.squares.sum())))

    def make_room(self, now: state.State, rows: int, moves: bool) -> state.State:
        """Room for as many more slots as there are rows, and for as many moves of each column."""
        self.slots = with_room(self.slots, self.size + rows)
        if moves:
            most = rows * len(self.slots.squares)
            self.moves = with_room(self.moves, int(self.moves.made[0]) + most)
        room = now.W.shape[0]
        if self.size + rows <= room:
            return now
        return state.widened(now, doubled(room, self.size + rows))

    def trim(self) -> None:
        """Give back the room that is left over, and moves that nobody asked for."""
        if not self.votes:
            self.moves = empty_moves()
        self.slots = self.slots._replace(rows=self.slots.rows[: self.size].copy())
        self.moves = Moves(*(array.copy() for array in since(self.moves)))

    def trimmed(self, now: state.State) -> state.State:
        """A state over the slots, and this memory, without the room that is left over."""
        self.trim()
        return state.narrowed(now, max(1, self.size))  # books without rows are none

    def copied(self) -> Memory:
        """A copy to go back to; rows that came later are cut off there."""
        copy = Memory(self.support, 0, self.votes)
        copy.slots = Slots(*(array.copy() for array in self.slots))
        copy.moves = Moves(*(array.copy() for array in self.moves))
        if self.held is not None:
            copy.held = Held(*(array.copy() for array in self.held))
            copy.support = self.support.copied()
        return copy

    def restored(self) -> Memory:
        """Itself, with the rows of its time."""
        self.support.cut(self.size)
        return self

    def with_column(self, columns: int, position: int) -> None:
        """One more weight vector, as :func:`rosenblatt.engine.state.with_column` has it."""
        old = list(range(columns)) if columns > 1 else [0, 0]
        places = np.array([k if k < position else k + 1 for k in range(len(old))])
        if self.held is not None:
            spent, wrong = np.zeros((2, state.padded(len(old) + 1)))
            spent[places], wrong[places] = self.held.spent[old], self.held.wrong[old]
            self.held = self.held._replace(spent=spent, wrong=wrong)
        squares = np.zeros(state.padded(len(old) + 1))
        squares[places] = self.slots.squares[old]
        self.slots = self.slots._replace(squares=squares)
        slot, column, tau, t, made = self.moves
        n = int(made[0])
        if columns > 1:
            column[:n] = places[column[:n]]
        elif n:
            twice = np.repeat(np.arange(n), 2)
            signs, both = np.tile([-1.0, 1.0], n), np.tile(places, n)
            self.moves = Moves(slot[twice], both, signs * tau[twice], t[twice], 2 * made)


Array = NDArray[Any]


class Ledger:
    """Writes the moves of one call into a :class:`Memory`, and keeps their rows.

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
