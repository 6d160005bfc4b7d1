"""Epochs of linear learners."""

from typing import Any

from numpy.typing import NDArray

from rosenblatt._core.names import Encoder

Array = NDArray[Any]

class Learner:
    """The loops, bound to a State and to a rule with its options: engine/linear/core.py."""

    def __init__(self, state: tuple[Array, ...], spec: tuple[Any, ...]) -> None: ...
    def epoch(
        self,
        rows: tuple[Array, ...],
        y: Array,
        weight: Array,
        order: Array,
        log: tuple[Array, ...] | None,
    ) -> int: ...
    def row(self, rows: tuple[Array, ...] | Encoder, y: float, weight: float) -> bool: ...
    def choose(
        self, rows: tuple[Array, ...], y: Array, weight: Array, order: Array, chosen: Array
    ) -> None: ...
    def epochs(
        self,
        rows: tuple[Array, ...],
        y: Array,
        weight: Array,
        order: Array,
        seed: int | None,
        test: tuple[Any, ...],
        records: tuple[Array, ...],
    ) -> bool: ...

def has_rule(name: str) -> bool:
    """Return whether the core has a rule of the library, by the name of its class."""

class BlendedWeights:
    """The weights of a state that follow from a blend of learners: engine/state.py."""

    def __init__(self, W: Array, b: Array, own: tuple[Array, ...]) -> None: ...
    def refresh(self) -> None:
        """Write them, where rows were learned since."""
