"""Rows of named features."""

from collections.abc import Callable, Hashable
from typing import Any

from numpy import float64, int32, int64
from numpy.typing import NDArray

_Rows = tuple[NDArray[float64], NDArray[int32], NDArray[int64]]
"""Data, indices and indptr of a CSR matrix; the indices of each row increase."""

class Encoder:
    """See rosenblatt.engine.text.named_rows."""

    def __init__(
        self,
        vocabulary: dict[Hashable, int],
        limit: int | None,
        as_numbers: Callable[[dict[Hashable, Any], int | None], dict[Hashable, float]],
        ignored: int,
    ) -> None: ...
    @property
    def ignored(self) -> int: ...
    def encode(self, features: dict[Hashable, Any], add_names: bool) -> None: ...
    def encode_many(self, rows: list[dict[Hashable, Any]], add_names: bool) -> _Rows: ...
    def arrays(self) -> _Rows: ...
