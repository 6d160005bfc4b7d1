"""Rules of a user's in the loops of the core, which call their methods.

A call of Python takes as long as some hundred numbers of a row. So the rows are learned in blocks,
between which an interrupt takes effect. A rule that has taken a second is compiled where numba is
installed; where it is not, a note says after some seconds what it would give, once for a rule. A
weightwise rule, whose methods have as many parameters as it has numbers, stays plain Python.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import numpy as np

from rosenblatt.engine.interrupts import uninterrupted
from rosenblatt.engine.linear.compiled_rules import compile_rule, is_installed
from rosenblatt.theory.rule_kinds import traits_of
from rosenblatt.utils.arrays import Array

BLOCK = 4096
"""Most rows that are learned at once."""

FIRST_BLOCK = 64
"""Rows of the first block, whose time says how many the next are to have."""

BLOCK_SECONDS = 0.05
"""Seconds that a block of rows is to take: an interrupt waits for its end."""

COMPILE_SECONDS = 1.0
"""Seconds in the loops of a rule after which it is compiled: about what compiling takes."""

NOTE_SECONDS = 5.0
"""Seconds in the loops of a rule after which the logger "rosenblatt" says why they are slow."""

_seconds: dict[type, float] = {}  # in the loops of each class of rules


def in_blocks(learn: Callable[[Array], int], order: Array, rule: object) -> int:
    """Call ``learn`` with one block of ``order`` after the other; return its first bad row.

    A division of NumPy's numbers by zero, in a method of the rule, is no warning.

    Parameters
    ----------
    learn : callable
        ``learn(order)`` is an epoch of some rows, see :func:`rosenblatt.engine.linear.loops.epoch`.
    order : ndarray of int64
    rule : NamedTuple

    Returns
    -------
    bad : int
        What the last block returned, or the first row that is not negative.
    """
    bad, start, size = -1, 0, min(BLOCK, FIRST_BLOCK)
    while start < len(order):
        began = time.perf_counter()
        with uninterrupted(), np.errstate(all="ignore"):
            first = learn(order[start : start + size])
        seconds, bad, start = time.perf_counter() - began, first if bad < 0 else bad, start + size
        # 1e-9: a clock may not have moved.
        size = max(1, min(BLOCK, 2 * size, int(size * BLOCK_SECONDS / max(seconds, 1e-9))))
        _count(rule, seconds)
    return bad


def _count(rule: object, seconds: float) -> None:
    """Count the time in the loops of a rule; where it is long, compile the rule, or say so once."""
    kind = type(rule)
    before = _seconds.get(kind, 0.0)
    _seconds[kind] = before + seconds
    if traits_of(kind).weightwise:
        return
    if before < COMPILE_SECONDS <= _seconds[kind] and is_installed():
        compile_rule(rule)
    if before < NOTE_SECONDS <= _seconds[kind] and not is_installed():
        logging.getLogger("rosenblatt").warning(
            "the rule %s runs as plain Python, which has taken %.0f seconds: pip install "
            "'rosenblatt[jit]' brings numba, which compiles it.",
            kind.__qualname__,
            _seconds[kind],
        )
