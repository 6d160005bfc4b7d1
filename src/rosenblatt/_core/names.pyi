"""Rows of named features."""

from collections.abc import Callable, Hashable
from typing import Any, ClassVar

from numpy import float64, int32, int64
from numpy.typing import NDArray

from rosenblatt._core.linear import Learner
from rosenblatt._core.matrices import RowScorer

_Rows = tuple[NDArray[float64], NDArray[int32], NDArray[int64]]
"""Data, indices and indptr of a CSR matrix; the indices of each row increase."""

class Block:
    """See rosenblatt.engine.serving.examples."""

    def __len__(self) -> int: ...
    @property
    def labels(self) -> list[Any]: ...
    @property
    def bodies(self) -> bytes: ...
    @property
    def ends(self) -> bytes: ...
    def extend(self, other: Block) -> None: ...
    def weights(self, start: int, stop: int) -> list[float]: ...

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
    def encode_row(self, block: Block, i: int, add_names: bool) -> None: ...
    def encode_many(self, rows: list[dict[Hashable, Any]], add_names: bool) -> _Rows: ...
    def encode_block(self, block: Block) -> _Rows: ...
    def arrays(self) -> _Rows: ...

class Path:
    """See rosenblatt.engine.text.named_rows."""

    BEYOND: ClassVar[int]
    INFINITE: ClassVar[int]
    def __init__(self, encoder: Encoder, scorer: RowScorer, learner: Learner | None) -> None: ...
    def predict(self, features: dict[Hashable, Any]) -> int: ...
    def learn(
        self, features: dict[Hashable, Any], y: float, weight: float, predict: bool
    ) -> int: ...
    def learn_rows(
        self, block: Block, start: int, y: list[float], weight: list[float]
    ) -> list[int]: ...
