"""Budget schemes: what happens to a row that moves w when the budget of support rows is full.

Every module of this folder has a scheme, or schemes that share their formulas, with all that is
known of them (:class:`rosenblatt.theory.declaration.BudgetDeclaration`); the core has a header of
the same name in ``src/core/budgets/``, which computes it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from rosenblatt.theory.declaration import BudgetDeclaration, declared_in

BudgetScheme: TypeAlias = tuple[float, ...]
"""A scheme: a ``NamedTuple`` of its numbers, whose class is one of this package."""

SCHEMES: dict[str, Any] = {cls.declaration.name: cls for cls in declared_in(__name__, __path__)}
"""The class of each name of a scheme."""

DECLARATIONS: dict[str, BudgetDeclaration] = {n: cls.declaration for n, cls in SCHEMES.items()}
"""What each scheme declares, by its name."""

NAMES = tuple(SCHEMES)
"""The names of the schemes."""


def by_name(name: str, eta: float) -> BudgetScheme:
    """Return the scheme of an estimator's ``budget_scheme=name`` and ``budget_eta=eta``.

    Raises
    ------
    ValueError
        No scheme has this name.

    Examples
    --------
    >>> by_name("forgetron", 0.1), by_name("projectron++", 0.1)
    (Forgetron(), ProjectronPlus(eta=0.1))
    """
    if name not in SCHEMES:
        raise ValueError(f"budget_scheme must be one of {', '.join(NAMES)}; got {name!r}.")
    cls = SCHEMES[name]
    scheme: BudgetScheme = cls(float(eta)) if "eta" in cls._fields else cls()
    return scheme
