"""The types of arrays in annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[Any]
else:
    Array = NDArray = np.ndarray
    ArrayLike = Any

__all__ = ["Array", "ArrayLike", "NDArray"]
