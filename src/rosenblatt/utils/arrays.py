"""The types of arrays in annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[Any]
else:
    Array = NDArray = np.ndarray
    ArrayLike = Any

Matrix: TypeAlias = Any
"""Rows, dense or sparse: an array, or a matrix of SciPy, whose classes have no types."""

__all__ = ["Array", "ArrayLike", "Matrix", "NDArray"]
