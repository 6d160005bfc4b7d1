"""Names of rules, kernels and budget schemes that the options offer.

They are those of the registries, which do without NumPy: ``--help`` must not wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rosenblatt.theory import budgets, kernels, rules

RULES = rules.NAMES
"""Rules of :mod:`rosenblatt.rules`."""

OFFERED = tuple(name for name, rule in rules.DECLARATIONS.items() if rule.kind != "choosing")
"""Rules that learn rows as they come: the others choose among all, and the command has none."""

ADDING_RULES = tuple(name for name, rule in rules.DECLARATIONS.items() if rule.kind == "plain")
"""Rules that only add rows to the weights, so that they go with kernels and penalties."""

BLENDED_RULES = tuple(name for name, rule in rules.DECLARATIONS.items() if rule.kind == "blended")
"""Rules that are blends of learners, in any units, with probabilities."""

WITHOUT_RATE = {name: rule.instead for name, rule in rules.DECLARATIONS.items() if rule.instead}
"""Rules without a learning rate, and for each one like it that has one."""

LOG_ODDS = tuple(name for name, rule in rules.DECLARATIONS.items() if rule.log_odds)
"""Rules whose scores are log odds, so that their models have probabilities."""

KERNELS = tuple(kernels.KERNELS)
"""Kernels of :mod:`rosenblatt.kernels`."""

BUDGET_SCHEMES = budgets.NAMES
"""Budget schemes of :mod:`rosenblatt.theory.budgets`."""

PERCEPTRON_SCHEMES = tuple(
    name for name, scheme in budgets.DECLARATIONS.items() if scheme.of_perceptron
)
"""Those whose bounds hold for the step of the perceptron only."""


def rates() -> str:
    """Return what the learning rate sets in rules that have another name for it, for the help."""
    letters = {"eta": "", "alpha": "", "mu": "μ", "lam": ""}
    named: dict[str, list[str]] = {}
    for name, rule in rules.DECLARATIONS.items():
        letter = letters.get(rule.rate, rule.rate)
        if letter and rule.kind != "full":
            named.setdefault(letter, []).append(name)
    return ", ".join(f"{letter} of {listing(names)}" for letter, names in named.items())


def rate_of(rule: object, eta0: float) -> float | None:
    """Return the step size of a model of a rule; None of a blend, which has none.

    Examples
    --------
    >>> rate_of("logistic", 0.1), rate_of("auto", 1.0)
    (0.1, None)
    """
    return None if rule in BLENDED_RULES else eta0


def kernels_with(field: str) -> tuple[str, ...]:
    """Return the kernels that have a parameter, each by one name."""
    return tuple(name for name in kernels.names_with(field) if name in KERNELS)


def listing(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    Examples
    --------
    >>> listing(["poly", "rbf", "sigmoid"])
    'poly, rbf and sigmoid'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
