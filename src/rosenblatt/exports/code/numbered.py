"""The terms of a plan in numbers: what programs that score rows compare in the place of texts."""

from __future__ import annotations

import numpy as np

from rosenblatt.exports.terms import CannotExport, Category, Factor, Hashing, IsMissing, Plan

IS_NUMBER, IS_MISSING = -3, -2
"""Codes of a factor that is the number of a cell, and of one that is 1 where it is missing."""

MAX_WEIGHTS = 1 << 22
"""A program of more weights takes minutes and gigabytes to compile."""


def check_size(plan: Plan) -> None:
    """Refuse what no program has: too many weights, and products of four hashed names.

    Raises
    ------
    CannotExport
    """
    size = (
        plan.weights.size if plan.hashing is None else len(plan.weights) * len(used_columns(plan))
    )
    if size > MAX_WEIGHTS:
        raise CannotExport(
            f"it has {size:,} weights, and a program has at most {MAX_WEIGHTS:,}: train it with "
            "fewer --bits, or export it to JSON."
        )
    for groups in plan.hashing.interactions if plan.hashing is not None else ():
        if len(groups) > 3:
            raise CannotExport(
                f"it has products of {len(groups)} hashed names: {'*'.join(groups)}."
            )


def ordered_products(hashing: Hashing) -> list[tuple[str, ...]]:
    """Return the interactions in the order of their products: pairs, then those of three.

    Equal groups stand side by side.

    Examples
    --------
    >>> ordered_products(Hashing(8, (), (("b", "a", "b"), ("a", "b"))))
    [('a', 'b'), ('b', 'b', 'a')]
    """
    products = [tuple(sorted(groups, key=groups.index)) for groups in hashing.interactions]
    return sorted(products, key=len)


def used_columns(plan: Plan) -> list[int]:
    """Return the hashed columns with a weight that is not zero."""
    used: list[int] = np.flatnonzero(plan.weights.any(axis=0)).tolist()
    return used


def numbered_terms(plan: Plan) -> tuple[list[list[str]], list[list[int]]]:
    """Return the texts that each column is compared with, and each term as pairs of numbers.

    A factor is the index of a column and a code: ``IS_NUMBER``, ``IS_MISSING``, or the index of a
    text among those of the column, which are in the order of their UTF-8.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.exports.plan import plan_of
    >>> learner = Perceptron().fit([[0.0, 0.0], [1.0, 2.0]], [0, 1])
    >>> schema = {"size": "number", "colour": "category"}
    >>> numbered_terms(plan_of(learner, {"schema": schema}, ["size", "colour=red"]))
    ([[], ['red']], [[0, -3], [1, 0]])
    """
    values: list[set[str]] = [set() for _ in plan.columns]
    for term in plan.terms:
        for factor in term.factors:
            if isinstance(factor, Category):
                values[factor.column].add(factor.value)
    ordered = [sorted(each, key=str.encode) for each in values]
    codes = [{value: code for code, value in enumerate(each)} for each in ordered]

    def code_of(factor: Factor) -> int:
        if isinstance(factor, Category):
            return codes[factor.column][factor.value]
        return IS_MISSING if isinstance(factor, IsMissing) else IS_NUMBER

    return ordered, [
        [part for factor in term.factors for part in (factor.column, code_of(factor))]
        for term in plan.terms
    ]
