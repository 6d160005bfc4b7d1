"""Points of convex hulls of least norm."""

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
Rows = tuple[Array, ...]

def add_row(rows: Rows, y: Array, group: Array, active: Any, i: int) -> bool: ...
def descend(
    rows: Rows,
    y: Array,
    group: Array,
    candidates: Array,
    excluded: Array,
    active: Any,
    tol: float,
    scale: float,
    zero: float,
    steps: int,
    keep_going: bool,
) -> int: ...
def recompute_w(rows: Rows, y: Array, active: Any) -> None: ...
def run_perceptron(
    rows: Rows, y: Array, constant: float, epochs: int, w: Array, mistakes: Array, outcome: Array
) -> None: ...
