"""Budgets: kernel learners whose w is a sum of at most B examples, the support rows.

A scheme is a ``NamedTuple`` with two methods. ``allocate_slot`` returns the slot for a row that
moves w, after removing a row from a full budget, or projects its step onto the support rows.
``margin_step`` may move w where the rule does not. The kernel values contain the intercept (k + 1),
so it shrinks and is projected with w.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import specialised, subroutine
from rosenblatt.engine.kernel.expansion import Slots, count_example, step_buffers
from rosenblatt.engine.multiclass import Example, StepBuffers, UpdateSpec
from rosenblatt.engine.shuffle import xorshift32
from rosenblatt.engine.state import State
from rosenblatt.engine.steppers import PlainStepper

Array = NDArray[Any]

_DEPENDENCE_TOLERANCE = 1e-3
"""A row is linearly dependent on the support rows if its squared distance from their span is at
most this share of k(x, x).

With a much smaller share, coefficients of many millions cancel each other, in float32 with large
errors.
"""

_LEAST_SQUARED_SHARE = 1e-4
"""The least η² of Projectron++, as a share of k(x, x).

With 1e-4 coefficients stay below some thousands, in float32, too; with 1e-6 they reach 10⁵.
"""


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


class BudgetRun(NamedTuple):
    """The records that a scheme changes while a block is learned."""

    block: BudgetBlock
    state: State
    slots: Slots
    budget_state: BudgetState


class RandomRemoval(NamedTuple):
    """Remove a random row, with all its coefficients, from a full budget.

    Cavallanti, Cesa-Bianchi and Gentile 2007, the random budget perceptron. For any rule.
    """

    def allocate_slot(self, r: int, taus: Array, run: BudgetRun) -> int:
        """Return the next slot, or that of a row drawn at random."""
        budget = run.block.slot_owner.shape[0]
        if run.slots.size[0] < budget:
            return int(run.slots.size[0])
        slot = int(draw(run.budget_state.random) % budget)
        run.state.W[slot, :] = 0.0
        return slot

    def margin_step(self, r: int, y: float, score: float, run: BudgetRun) -> float:
        """Return 0: this scheme moves w only where the rule does."""
        return 0.0


class Forgetron(NamedTuple):
    """Shrink w, then remove the oldest row from a full budget: little is lost with it.

    Dekel, Shalev-Shwartz and Singer 2008, the self-tuned Forgetron: w is multiplied by the largest
    φ ≤ 1 for which the total damage stays within 15/32 of the number of mistakes so far. For the
    perceptron rule, and kernels with k(x, x) ≤ 1 (rbf, laplace, cosine, or scaled rows): then it
    makes few more mistakes than any u with ‖u‖ ≤ ¼ √((B + 1)/log(B + 1)), B ≥ 83. Several classes
    share the rows, and each shrinks by its own φ.
    """

    def allocate_slot(self, r: int, taus: Array, run: BudgetRun) -> int:
        """Return the next slot, or that of the oldest row."""
        size, budget = run.slots.size[0], run.block.slot_owner.shape[0]
        slot = int(size)
        if size == budget:
            slot = int(np.argmin(run.budget_state.entered))
            for k in range(taus.shape[0]):
                shrink_column(r, slot, k, taus, run)
            run.state.W[slot, :] = 0.0
        store_gram(r, slot, min(size + 1, budget), run.block, run.budget_state.gram)
        return slot

    def margin_step(self, r: int, y: float, score: float, run: BudgetRun) -> float:
        """Return 0: this scheme moves w only where the rule does."""
        return 0.0


class Projectron(NamedTuple):
    """Project the step onto the support rows; remove no row.

    Orabona, Keshet and Caputo 2009, algorithm 2. A row gets a slot while one is free and the row is
    linearly independent of the support rows: its squared distance from their span exceeds
    k(x, x)/1000 (the square of their η, which is infinite once the budget is full). The cost is B²
    numbers of memory, and as many products for every update. For any rule.
    """

    def allocate_slot(self, r: int, taus: Array, run: BudgetRun) -> int:
        """Return the next slot, or −1 if the step was projected."""
        limit = _DEPENDENCE_TOLERANCE * run.block.diagonal[r]
        return allocate_or_project(r, taus, limit, run)

    def margin_step(self, r: int, y: float, score: float, run: BudgetRun) -> float:
        """Return 0: this scheme moves w only where the rule does."""
        return 0.0


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

    def allocate_slot(self, r: int, taus: Array, run: BudgetRun) -> int:
        """Return the next slot, or −1 if the step was projected."""
        return allocate_or_project(r, taus, squared_eta(r, self.eta, run.block), run)

    def margin_step(self, r: int, y: float, score: float, run: BudgetRun) -> float:
        """Return y τ, or 0 where the rule has moved w or the row is too far from the others."""
        return projected_margin_step(r, y, score, squared_eta(r, self.eta, run.block), run)


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


# --- what the schemes do -------------------------------------------------------------------------


@subroutine
def draw(random: Array) -> int:
    """Return a random number below 2³¹; advance the generator's state."""
    random[0] = xorshift32(random[0])
    return random[0] & 0x7FFFFFFF  # type: ignore[no-any-return]


@subroutine
def store_gram(r: int, slot: int, size: int, block: BudgetBlock, gram: Array) -> None:
    """Write the kernel values of row r with the support rows as those of its slot."""
    for s in range(size):
        gram[slot, s] = block.support_gram[r, s]
        gram[s, slot] = block.support_gram[r, s]
    gram[slot, slot] = block.diagonal[r]


@subroutine
def shrink_column(r: int, slot: int, k: int, taus: Array, run: BudgetRun) -> None:
    """Multiply weight vector k, with row r's step, by φ: ``slot`` is about to be removed."""
    block, state, budget_state = run.block, run.state, run.budget_state
    coef = state.W[slot, k]
    if coef == 0.0:
        return
    score = taus[k] * block.support_gram[r, slot]
    for s in range(state.W.shape[0]):
        score += state.W[s, k] * budget_state.gram[slot, s]
    # The damage is a φ² + b φ; the damage still allowed is left.
    a, b = coef * coef - 2.0 * coef * score, 2.0 * abs(coef)
    left = max(0.0, 15.0 / 32.0 * budget_state.wrong[k] - budget_state.spent[k])
    phi = 1.0
    if a + b > left:
        phi = max(0.0, 2.0 * left / (b + np.sqrt(b * b + 4.0 * a * left)))
    budget_state.spent[k] += (a * phi + b) * phi
    for s in range(state.W.shape[0]):
        state.W[s, k] *= phi
    taus[k] *= phi


@subroutine
def project_onto_support(r: int, size: int, block: BudgetBlock, inverse: Array) -> float:
    """Write the projection of row r onto the support rows; return its squared distance."""
    outside = block.diagonal[r]
    for s in range(size):
        total = 0.0
        for q in range(size):
            total += inverse[s, q] * block.support_gram[r, q]
        block.projection[s] = total
        outside -= total * block.support_gram[r, s]
    return float(max(0.0, outside))


@subroutine
def squared_eta(r: int, eta: float, block: BudgetBlock) -> float:
    """Return the η² of row r for Projectron++ while the budget is not full."""
    return float(max(eta * eta, _LEAST_SQUARED_SHARE * block.diagonal[r]))


@subroutine
def allocate_or_project(r: int, taus: Array, limit: float, run: BudgetRun) -> int:
    """Return a slot for row r if one is free and the row is independent, else project its steps.

    A row is independent if its squared distance from the span of the support rows exceeds limit.
    """
    block, size, inverse = run.block, run.slots.size[0], run.budget_state.inverse
    outside = project_onto_support(r, size, block, inverse)
    if size < block.slot_owner.shape[0] and outside > limit:
        extend_inverse(size, outside, block.projection, inverse)
        return size  # type: ignore[no-any-return]
    for k in range(taus.shape[0]):
        if taus[k] != 0.0:
            for s in range(size):
                run.state.W[s, k] += taus[k] * block.projection[s]
    return -1


@subroutine
def extend_inverse(size: int, outside: float, projection: Array, inverse: Array) -> None:
    """Add a row and a column to the inverse, for the row that was just projected (bordering)."""
    for s in range(size):
        for q in range(size):
            inverse[s, q] += projection[s] * projection[q] / outside
        inverse[s, size] = -projection[s] / outside
        inverse[size, s] = -projection[s] / outside
    inverse[size, size] = 1.0 / outside


@subroutine
def projected_margin_step(
    r: int, y: float, score: float, squared_limit: float, run: BudgetRun
) -> float:
    """Return y τ of :class:`ProjectronPlus` if row r is right by a margin below 1, else 0."""
    hinge = 1.0 - y * score
    if not 0.0 < hinge < 1.0:
        return 0.0
    block, size = run.block, run.slots.size[0]
    outside = project_onto_support(r, size, block, run.budget_state.inverse)
    within = block.diagonal[r] - outside
    left = hinge
    if size < block.slot_owner.shape[0]:  # else η is infinite
        left -= np.sqrt(outside / squared_limit)
    if left <= 0.0 or within <= 0.0:
        return 0.0
    step: float = min(hinge / within, 2.0 * left / within, 1.0)
    return y * step


# --- the loop ------------------------------------------------------------------------------------


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
    loop = specialised(_learn_rows, (type(spec.rule), type(spec.scheme), type(budget)), _steps)
    loop(BudgetRun(block, state, slots, budget_state), spec, budget, step_buffers(K))


def _steps(run: BudgetRun, spec: UpdateSpec, budget: BudgetScheme, buffers: StepBuffers) -> float:
    """Elementary steps, see :class:`rosenblatt.engine.jit.Compiled`."""
    n, K, B = len(run.block.y), len(buffers.scores), len(run.block.slot_owner)
    return float(n * (20 + K * (10 + B) + run.budget_state.inverse.size))


def _learn_rows(run, spec, budget, buffers):
    block, state, slots = run.block, run.state, run.slots
    scheme, class_weight, taus = spec.scheme, spec.class_weight, buffers.taus
    K = buffers.scores.shape[0]
    for r in range(block.y.shape[0]):
        label, weight = block.y[r], block.weight[r]
        for k in range(K):
            buffers.scores[k] = score_row(r, k, block, state, slots)
            buffers.losses[k] = 0.0
            buffers.mistakes[k] = 0
        example = Example(label, block.diagonal[r], class_weight[label] * weight, weight, r)
        moved = scheme.compute_steps(example, spec, state.active, buffers, PlainStepper(), None)
        for k in range(K):
            run.budget_state.wrong[k] += buffers.mistakes[k]
            state.updates[k] += taus[k] != 0.0
            if taus[k] == 0.0 and state.active[k]:
                y = 1.0 if label == (k if K > 1 else 1) else -1.0
                score = buffers.scores[k]
                step = budget.margin_step(r, y, score, run)
                step *= weight * (class_weight[label] if y > 0 or K == 1 else 1.0)
                if step != 0.0:
                    state.updates[k] += 1
                    for s in range(slots.size[0]):
                        state.W[s, k] += step * block.projection[s]
        if moved:
            slot = block.slot[block.first_equal[r]]
            if slot < 0:
                slot = budget.allocate_slot(r, taus, run)
                if slot >= 0:
                    fill_slot(r, slot, run)
            if slot >= 0:
                for k in range(K):
                    state.W[slot, k] += taus[k]
        count_example(label, buffers, state)


@subroutine
def score_row(r: int, k: int, block: BudgetBlock, state: State, slots: Slots) -> float:
    """Return the score of row r by the support rows."""
    total = 0.0
    for s in range(slots.size[0]):
        total += state.W[s, k] * block.support_gram[r, s]
    return total


@subroutine
def fill_slot(r: int, slot: int, run: BudgetRun) -> None:
    """Put row r into a slot, in the place of the row that was there."""
    block, slots = run.block, run.slots
    slots.size[0] = max(slots.size[0], slot + 1)
    slots.rows[slot] = block.example[r]
    run.budget_state.entered[slot] = run.state.t[0]
    block.slot_owner[slot] = r
    for q in range(block.slot.shape[0]):
        if block.slot[q] == slot:
            block.slot[q] = -1
        block.support_gram[q, slot] = block.block_gram[q, r]
    block.slot[block.first_equal[r]] = slot
