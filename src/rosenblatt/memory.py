"""What an expansion remembers besides its coefficients: its rows, and their moves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import state
from rosenblatt.budgets import Held
from rosenblatt.expansion import Slots, empty_slots
from rosenblatt.moves import Moves, doubled, empty_moves, since, with_room
from rosenblatt.support import Support

Array = NDArray[Any]


class Memory:
    """What an expansion remembers besides its :class:`rosenblatt.state.State`.

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
        """One more weight vector, as :func:`rosenblatt.state.with_column` has it."""
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
