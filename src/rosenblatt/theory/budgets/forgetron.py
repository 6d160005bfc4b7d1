"""The Forgetron, which shrinks what it will forget."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import BudgetDeclaration


@BudgetDeclaration("forgetron", keeps="gram", of_perceptron=True)
class Forgetron(NamedTuple):
    """Shrink w, then remove the oldest row from a full budget: little is lost with it.

    Dekel, Shalev-Shwartz and Singer 2008, the self-tuned Forgetron: w is multiplied by the largest
    φ ≤ 1 for which the total damage stays within 15/32 of the number of mistakes so far. For the
    perceptron rule, and kernels with k(x, x) ≤ 1 (rbf, laplace, cosine, or scaled rows): then it
    makes few more mistakes than any u with ‖u‖ ≤ ¼ √((B + 1)/log(B + 1)), B ≥ 83. Several classes
    share the rows, and each shrinks by its own φ.
    """
