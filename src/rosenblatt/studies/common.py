"""Parts shared by studies: random orders, test rows, angles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

from rosenblatt.utils.arrays import ArrayLike
from rosenblatt.utils.checks import Floats, Ints, check_int, check_X_y
from rosenblatt.utils.shown import Text
from rosenblatt.utils.words import count


class _Tabular(Protocol):
    def table(self) -> Text: ...


Study = TypeVar("Study", bound=_Tabular)


def shown_as_table(study: type[Study]) -> type[Study]:
    """Decorate the results of a study: a prompt and a notebook show their table."""
    shows: dict[str, Callable[[Study], str]] = {
        "__repr__": lambda result: result.table(),
        "_repr_html_": lambda result: result.table().html,
    }
    for name, show in shows.items():
        setattr(study, name, show)
    return study


def random_orders(n: int, orders: int, seed: int) -> list[Ints]:
    """Draw random orders of n rows.

    Raises
    ------
    ValueError
        If `orders` is not an integer >= 1, or `seed` not an integer >= 0.
    """
    rng = np.random.default_rng(check_int(seed, "seed", minimum=0))
    return [rng.permutation(n) for _ in range(check_int(orders, "orders", minimum=1))]


def new_rows(X_new: ArrayLike, y_new: ArrayLike, d: int) -> tuple[Floats, Ints]:
    """Check test rows of d columns and their labels, -1 or +1."""
    X, y = check_X_y(X_new, y_new, name="y_new", require_both=False)
    if X.shape[1] != d:
        raise ValueError(f"X_new must have {count(d, 'column')}, got {X.shape[1]}")
    return X, y


def angles(W: Floats, towards: Floats) -> Floats:
    """Compute the angles between the rows of W and a vector, in degrees; NaN for a zero row.

    Examples
    --------
    >>> angles(np.array([[1.0, 0.0], [0.0, 3.0], [0.0, 0.0]]), np.array([0.0, 2.0])).round(9)
    array([90.,  0., nan])
    """
    with np.errstate(invalid="ignore"):  # 0/0
        cosines = W @ towards / (np.linalg.norm(W, axis=1) * np.linalg.norm(towards))
    degrees: Floats = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    return degrees
