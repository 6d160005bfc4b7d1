"""The random budget perceptron."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import BudgetDeclaration


@BudgetDeclaration("random")
class RandomRemoval(NamedTuple):
    """Remove a random row, with all its coefficients, from a full budget.

    Cavallanti, Cesa-Bianchi and Gentile 2007, the random budget perceptron. For any rule.
    """
