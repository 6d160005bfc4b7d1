"""Budgets: kernel learners whose w is a sum of at most B examples, the support rows.

A scheme removes a row from a full budget for a row that moves w, or projects its step onto the
support rows; it may move w where the rule does not. The core has the schemes by the names of these
classes. The kernel values contain the intercept (k + 1), so it shrinks and is projected with w.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt._core import kernel as _core
from rosenblatt.engine.kernel.expansion import Slots, updates_of
from rosenblatt.engine.multiclass import UpdateSpec
from rosenblatt.engine.state import State
from rosenblatt.utils.arrays import Array


class BudgetState(NamedTuple):
    """The state of a budget scheme, for at most B support rows.

    The field names are names of arrays in a model file.

    Attributes
    ----------
    entered : ndarray of shape (B,), int64
        Number of examples learned before each row came in.
    gram : ndarray of shape (B, B) or (0, 0), float64
        Gram matrix of the support rows (Forgetron).
    inverse : ndarray of shape (B, B) or (0, 0), float64
        Its inverse (Projectron).
    spent, wrong : ndarray of shape (P,), float64
        Damage of the Forgetron so far, Q, and the mistakes that allow it.
    random : ndarray of shape (1,), int64
        State of the random number generator.
    """

    entered: Array
    gram: Array
    inverse: Array
    spent: Array
    wrong: Array
    random: Array


class BudgetBlock(NamedTuple):
    """A block of n rows that is being learned on a budget.

    Attributes
    ----------
    y, weight, example, first_equal, slot, diagonal
        As in :class:`rosenblatt.engine.kernel.expansion.Block`.
    support_gram : ndarray of shape (n, B), float64
        Kernel values with the support rows, updated when a slot gets another row.
    block_gram : ndarray of shape (n, n), float64
        Kernel values inside the block.
    slot_owner : ndarray of shape (B,), int64
        The row of the block that was put into each slot, or −1.
    projection : ndarray of shape (B,), float64
        Coefficients of a row's projection; written.
    """

    y: Array
    weight: Array
    example: Array
    first_equal: Array
    slot: Array
    diagonal: Array
    support_gram: Array
    block_gram: Array
    slot_owner: Array
    projection: Array


class RandomRemoval(NamedTuple):
    """Remove a random row, with all its coefficients, from a full budget.

    Cavallanti, Cesa-Bianchi and Gentile 2007, the random budget perceptron. For any rule.
    """


class Forgetron(NamedTuple):
    """Shrink w, then remove the oldest row from a full budget: little is lost with it.

    Dekel, Shalev-Shwartz and Singer 2008, the self-tuned Forgetron: w is multiplied by the largest
    φ ≤ 1 for which the total damage stays within 15/32 of the number of mistakes so far. For the
    perceptron rule, and kernels with k(x, x) ≤ 1 (rbf, laplace, cosine, or scaled rows): then it
    makes few more mistakes than any u with ‖u‖ ≤ ¼ √((B + 1)/log(B + 1)), B ≥ 83. Several classes
    share the rows, and each shrinks by its own φ.
    """


class Projectron(NamedTuple):
    """Project the step onto the support rows; remove no row.

    Orabona, Keshet and Caputo 2009, algorithm 2. A row gets a slot while one is free and the row is
    linearly independent of the support rows: its squared distance from their span exceeds
    k(x, x)/1000 (the square of their η, which is infinite once the budget is full). The cost is B²
    numbers of memory, and as many products for every update. For any rule.
    """


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

    eta: float = 0.1


BudgetScheme = RandomRemoval | Forgetron | Projectron | ProjectronPlus

_BY_NAME: dict[str, Callable[[float], BudgetScheme]] = {
    "random": lambda eta: RandomRemoval(),
    "forgetron": lambda eta: Forgetron(),
    "projectron": lambda eta: Projectron(),
    "projectron++": ProjectronPlus,
}

NAMES = tuple(_BY_NAME)
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
    if name not in _BY_NAME:
        raise ValueError(f"budget_scheme must be one of {', '.join(NAMES)}; got {name!r}.")
    return _BY_NAME[name](float(eta))


def empty_budget_state(scheme: BudgetScheme, B: int, P: int, seed: int) -> BudgetState:
    """Return the state of a scheme without support rows.

    Examples
    --------
    >>> empty_budget_state(Forgetron(), 10, 1, 1).gram.shape
    (10, 10)
    """
    square = B if isinstance(scheme, Forgetron) else 0
    inverse = B if isinstance(scheme, Projectron | ProjectronPlus) else 0
    return BudgetState(
        entered=np.zeros(B, np.int64),
        gram=np.zeros((square, square)),
        inverse=np.zeros((inverse, inverse)),
        spent=np.zeros(P),
        wrong=np.zeros(P),
        random=np.array([max(1, seed)]),
    )


def learn_block_on_budget(
    block: BudgetBlock,
    spec: UpdateSpec,
    budget: BudgetScheme,
    state: State,
    slots: Slots,
    budget_state: BudgetState,
    K: int,
) -> None:
    """Learn the rows of a block on a budget.

    Parameters
    ----------
    block : BudgetBlock
        Its kernel values contain the intercept, ``spec.bias_sqnorm``.
    spec : UpdateSpec
    budget : BudgetScheme
    state : State
        Over B slots; changed in place.
    slots, budget_state
        Changed in place.
    K : int
        Number of weight vectors.
    """
    eta = getattr(budget, "eta", 0.0)
    name, updates = type(budget).__name__, updates_of(spec, K)
    with np.errstate(all="ignore"):  # in a rule of a user's
        _core.learn_on_budget(block, updates, name, eta, state, slots, budget_state)
