"""The Projectron and Projectron++, which project steps onto the support rows."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.declaration import BudgetDeclaration, Positive


@BudgetDeclaration("projectron", keeps="inverse")
class Projectron(NamedTuple):
    """Project the step onto the support rows; remove no row.

    Orabona, Keshet and Caputo 2009, algorithm 2. A row gets a slot while one is free and the row is
    linearly independent of the support rows: its squared distance from their span exceeds
    k(x, x)/1000 (the square of their η, which is infinite once the budget is full). The cost is B²
    numbers of memory, and as many products for every update. For any rule.
    """


@BudgetDeclaration("projectron++", keeps="inverse", of_perceptron=True)
class ProjectronPlus(NamedTuple):
    """Projectron++: it also moves w on rows that are right by a margin below 1.

    Orabona, Keshet and Caputo 2009, algorithm 3. P k is the projection of a row onto the support
    rows and δ the difference of the two. After a mistake a row gets a slot if ‖δ‖ > η, else its
    step is projected. A row that is right with the hinge ℓ = 1 − y·score > ‖δ‖/η moves w along P k
    by τ = min(ℓ/‖P k‖², 2(ℓ − ‖δ‖/η)/‖P k‖², 1). Once the budget is full, η is infinite. For the
    perceptron rule.

    Parameters
    ----------
    eta : float > 0, default=0.1
        η; of a row with k(x, x) > (100η)² it is √k(x, x)/100: with nearer rows large coefficients
        would cancel each other. The paper has k(x, x) ≤ 1.
    """

    eta: Positive = 0.1
