"""The terms of a table grouped by the cells that they read: the addends of a score.

A category of 20 values has 20 terms, of which a row has one at most: one addend, whose weight the
cell decides.
"""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.exports.terms import CannotExport, Factor, IsMissing, Number, Plan

Values = tuple[str | None, ...]
"""A value for each of some cells; None: the cell is missing."""


class Addend(NamedTuple):
    """Numbers times a weight that cells decide.

    Attributes
    ----------
    numbers : tuple of int
        The columns whose numbers are multiplied.
    cells : tuple of int
        The columns whose values decide the weight.
    weights : dict
        The weights, one of each vector, by the values of the cells; 0 for others.
    """

    numbers: tuple[int, ...]
    cells: tuple[int, ...]
    weights: dict[Values, list[float]]


def addends(plan: Plan) -> list[Addend]:
    """Return the addends of a table, in the order of their first terms.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.exports.plan import plan_of
    >>> X, names = [[1.0, 0.0], [0.0, 1.0]], ["colour=red", "colour=blue"]
    >>> notes = {"format": "csv", "schema": {"colour": "category"}}
    >>> (addend,) = addends(plan_of(Perceptron().fit(X, ["go", "stop"]), notes, names))
    >>> addend.numbers, addend.cells, list(addend.weights)
    ((), (0,), [('red',), ('blue',)])
    """
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], Addend] = {}
    for term, weights in zip(plan.terms, plan.weights.T.tolist(), strict=False):
        numbers = tuple(factor.column for factor in term.factors if isinstance(factor, Number))
        cells = _cells(term.factors)
        if cells is None:
            continue
        key = numbers, tuple(cells)
        addend = groups.setdefault(key, Addend(*key, {}))
        values = tuple(cells.values())
        before = addend.weights.get(values, [0.0] * len(weights))
        addend.weights[values] = [a + b for a, b in zip(before, weights, strict=True)]
    return list(groups.values())


def _cells(factors: tuple[Factor, ...]) -> dict[int, str | None] | None:
    """Return the value of each cell of a product; None if no row has all of them."""
    cells: dict[int, str | None] = {}
    for factor in factors:
        if not isinstance(factor, Number):
            value = None if isinstance(factor, IsMissing) else factor.value
            if cells.setdefault(factor.column, value) != value:
                return None
    return cells


def require_cells(plan: Plan, format: str) -> None:
    """Refuse a plan whose terms are no cells of a table with names.

    Raises
    ------
    CannotExport
    """
    if plan.rows == "text" or plan.texts:
        raise CannotExport(f"it reads texts, whose n-grams {format} cannot hash: use js, c or json")
    if plan.rows == "objects":
        raise CannotExport(
            f"it reads objects, as of JSON lines, whose keys are not fixed, and {format} needs "
            "columns: train it on a table"
        )
    if plan.hashing is not None:
        raise CannotExport(f"its names are hashed, which {format} cannot: train it without --bits")
