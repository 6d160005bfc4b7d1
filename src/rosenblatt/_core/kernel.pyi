"""Expansions in support rows."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]

class Updates:
    def __init__(
        self,
        name: str,
        parameters: tuple[float, ...],
        rule: Any,
        scheme: str,
        class_weight: Array,
        tie: float,
        bias_sqnorm: float,
        K: int,
    ) -> None: ...

def gaussian(pairs: Array, own: Array, other: Array, gamma: float) -> None: ...
def dense_min_sums(A: Array, B_t: Array, sums: Array) -> None: ...
def sparse_min_sums(*arrays: Array) -> None: ...
def apply_steps(
    values: Array, slot: Array, column: Array, tau: Array, count: Array, scores: Array
) -> None: ...
def add_votes(
    values: Array,
    slot: Array,
    tau: Array,
    survival: Array,
    tie: float,
    bias: float,
    votes: Array,
) -> None: ...
def add_votes_jointly(
    values: Array,
    slot: Array,
    column: Array,
    tau: Array,
    survival: Array,
    bias: float,
    votes: Array,
) -> None: ...
def learn_block(
    start: int, block: Any, updates: Updates, state: Any, slots: Any, log: Any
) -> int: ...
def learn_on_budget(
    block: Any,
    updates: Updates,
    scheme: str,
    eta: float,
    state: Any,
    slots: Any,
    budget_state: Any,
) -> None: ...
