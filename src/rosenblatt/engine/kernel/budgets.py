"""A budget of rows: what to forget when w may be a sum of at most B examples.

A scheme is a ``NamedTuple`` with two methods: ``take`` finds a place for a row that moves w, or
spreads its step over the rows that are held; ``refine`` may move w where the rule does not. The
kernel values that they see have the intercept in them (k + 1), so the intercept forgets with w.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.jit import compiled, compiled_for, fingerprint
from rosenblatt.engine.kernel.expansion import Scratch, Slots, UpdateSpec, count_example
from rosenblatt.engine.state import State

Array = NDArray[Any]

_DEPENDENCE_TOLERANCE = 1e-3
"""Below this share of k(x, x), what a row has outside of the rows held does not ask for a place.

With much less, coefficients of many millions cancel each other, and in float32 they do not.
"""


class BudgetState(NamedTuple):
    """What the schemes remember of the rows that are held, at most B of them.

    Attributes
    ----------
    entered : ndarray of shape (B,), int64
        Examples seen before each came in.
    gram : ndarray of shape (B, B) or (0, 0), float64
        Their kernel values with each other; the Forgetron's.
    inverse : ndarray of shape (B, B) or (0, 0), float64
        The inverse of that matrix; the Projectrons'.
    spent, wrong : ndarray of shape (P,), float64
        The damage that the Forgetron has done so far, Q, and the mistakes that it was allowed for.
    random : ndarray of shape (1,), int64
        Where the random numbers are.
    """

    entered: Array
    gram: Array
    inverse: Array
    spent: Array
    wrong: Array
    random: Array


class BudgetBlock(NamedTuple):
    """A block of n rows while it is walked on a budget.

    Attributes
    ----------
    y, weight, example, first_equal, slot
        As in :class:`rosenblatt.engine.kernel.expansion.Block`.
    diagonal : ndarray of shape (n,), float64
    held : ndarray of shape (n, B), float64
        Kernel values with the rows that are held; they change places.
    block_gram : ndarray of shape (n, n), float64
        Kernel values inside the block.
    slot_owner : ndarray of shape (B,), int64
        The row of the block that took each place, or −1.
    projection : ndarray of shape (B,), float64
        To write on.
    """

    y: Array
    weight: Array
    example: Array
    first_equal: Array
    slot: Array
    diagonal: Array
    held: Array
    block_gram: Array
    slot_owner: Array
    projection: Array


class RandomRemoval(NamedTuple):
    """A full budget forgets a row at random, with all its coefficients.

    Cavallanti, Cesa-Bianchi and Gentile 2007, the random budget perceptron. For any rule.
    """

    def allocate_slot(
        self,
        r: int,
        taus: Array,
        block: BudgetBlock,
        state: State,
        slots: Slots,
        budget_state: BudgetState,
    ) -> int:
        """The next place, or that of a row drawn at random."""
        if slots.size[0] < block.slot_owner.shape[0]:
            return int(slots.size[0])
        slot = int(xorshift32(budget_state.random) % block.slot_owner.shape[0])
        state.W[slot, :] = 0.0
        return slot

    def margin_step(
        self,
        r: int,
        k: int,
        y: float,
        score: float,
        block: BudgetBlock,
        slots: Slots,
        budget_state: BudgetState,
    ) -> float:
        """Nothing."""
        return 0.0


class Forgetron(NamedTuple):
    """A full budget forgets the oldest row, after shrinking w so that little is lost with it.

    Dekel, Shalev-Shwartz and Singer 2008, the self-tuned Forgetron: w is multiplied by the largest
    φ ≤ 1 for which the damage done so far stays within 15/32 of the mistakes made so far. For the
    perceptron rule, and kernels with k(x, x) ≤ 1 (rbf, laplace, cosine, or scaled rows): then it
    makes few more mistakes than any u with ‖u‖ ≤ ¼ √((B + 1)/log(B + 1)), B ≥ 83. Several classes
    share the rows, and each shrinks by its own φ.
    """

    def allocate_slot(
        self,
        r: int,
        taus: Array,
        block: BudgetBlock,
        state: State,
        slots: Slots,
        budget_state: BudgetState,
    ) -> int:
        """The next place, or that of the oldest row."""
        size = slots.size[0]
        slot = int(size)
        if size == block.slot_owner.shape[0]:
            slot = int(np.argmin(budget_state.entered))
            for k in range(taus.shape[0]):
                shrink_column(r, slot, k, taus, block, state, budget_state)
            state.W[slot, :] = 0.0
        store_gram(r, slot, min(size + 1, block.slot_owner.shape[0]), block, budget_state.gram)
        return slot

    def margin_step(
        self,
        r: int,
        k: int,
        y: float,
        score: float,
        block: BudgetBlock,
        slots: Slots,
        budget_state: BudgetState,
    ) -> float:
        """Nothing."""
        return 0.0


class Projectron(NamedTuple):
    """A full budget forgets nothing: the step is taken along the projection on the rows held.

    Orabona, Keshet and Caputo 2009, algorithm 2. A row comes in while there is room and it is no
    combination of those that are there: what it has outside of them, squared, exceeds k(x, x)/1000
    (the square of their η; it is infinite once the budget is full). It costs B² numbers of memory
    and as many products for every move. For any rule.
    """

    def allocate_slot(
        self,
        r: int,
        taus: Array,
        block: BudgetBlock,
        state: State,
        slots: Slots,
        budget_state: BudgetState,
    ) -> int:
        """The next place, or −1 where the step was projected."""
        return allocate_or_project(r, taus, block, state, slots, budget_state)

    def margin_step(
        self,
        r: int,
        k: int,
        y: float,
        score: float,
        block: BudgetBlock,
        slots: Slots,
        budget_state: BudgetState,
    ) -> float:
        """Nothing."""
        return 0.0


class ProjectronPlus(NamedTuple):
    """As :class:`Projectron`, and rows that are right by a margin below 1 move w, too.

    Orabona, Keshet and Caputo 2009, algorithm 3 (Projectron++): along the projection P k, by
    min(1, ℓ/‖P k‖²) with the hinge ℓ = 1 − y·score. For the perceptron rule.
    """

    def allocate_slot(
        self,
        r: int,
        taus: Array,
        block: BudgetBlock,
        state: State,
        slots: Slots,
        budget_state: BudgetState,
    ) -> int:
        """The next place, or −1 where the step was projected."""
        return allocate_or_project(r, taus, block, state, slots, budget_state)

    def margin_step(
        self,
        r: int,
        k: int,
        y: float,
        score: float,
        block: BudgetBlock,
        slots: Slots,
        budget_state: BudgetState,
    ) -> float:
        """How far to move along the projection."""
        return projected_margin_step(r, y, score, block, slots, budget_state)


BudgetScheme = RandomRemoval | Forgetron | Projectron | ProjectronPlus

_BY_NAME: dict[str, Callable[[], BudgetScheme]] = {
    "random": RandomRemoval,
    "forgetron": Forgetron,
    "projectron": Projectron,
    "projectron++": ProjectronPlus,
}

NAMES = tuple(_BY_NAME)
"""The names of the schemes."""


def by_name(name: str) -> BudgetScheme:
    """The scheme that an estimator's ``budget_scheme=name`` means.

    Raises
    ------
    ValueError
        No scheme has this name.

    Examples
    --------
    >>> by_name("forgetron")
    Forgetron()
    """
    if name not in _BY_NAME:
        raise ValueError(f"budget_scheme must be one of {', '.join(NAMES)}; got {name!r}.")
    return _BY_NAME[name]()


def empty_budget_state(scheme: BudgetScheme, B: int, P: int, seed: int) -> BudgetState:
    """What a scheme remembers before it holds anything.

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


@compiled
def xorshift32(random: Array) -> int:
    """A number below 2³¹ by Marsaglia's 32-bit xorshift, which is moved on."""
    x = random[0]
    x ^= (x << 13) & 0xFFFFFFFF
    x ^= x >> 17
    x ^= (x << 5) & 0xFFFFFFFF
    random[0] = x
    return x & 0x7FFFFFFF  # type: ignore[no-any-return]


@compiled
def store_gram(r: int, slot: int, size: int, block: BudgetBlock, gram: Array) -> None:
    """Write the kernel values of row r with the rows held, as those of its place."""
    for s in range(size):
        gram[slot, s] = block.held[r, s]
        gram[s, slot] = block.held[r, s]
    gram[slot, slot] = block.diagonal[r]


@compiled
def shrink_column(
    r: int,
    slot: int,
    k: int,
    taus: Array,
    block: BudgetBlock,
    state: State,
    budget_state: BudgetState,
) -> None:
    """Multiply weight vector k, row r's step included, by φ, for ``slot`` to be forgotten."""
    coef = state.W[slot, k]
    if coef == 0.0:
        return
    score = taus[k] * block.held[r, slot]
    for s in range(state.W.shape[0]):
        score += state.W[s, k] * budget_state.gram[slot, s]
    # The damage is a φ² + b φ, what may be done is left.
    a, b = coef * coef - 2.0 * coef * score, 2.0 * abs(coef)
    left = max(0.0, 15.0 / 32.0 * budget_state.wrong[k] - budget_state.spent[k])
    phi = 1.0
    if a + b > left:
        phi = max(0.0, 2.0 * left / (b + np.sqrt(b * b + 4.0 * a * left)))
    budget_state.spent[k] += (a * phi + b) * phi
    for s in range(state.W.shape[0]):
        state.W[s, k] *= phi
    taus[k] *= phi


@compiled
def project_onto_support(r: int, size: int, block: BudgetBlock, inverse: Array) -> float:
    """Write how row r is made of the rows held; what it has outside of them, squared."""
    outside = block.diagonal[r]
    for s in range(size):
        total = 0.0
        for q in range(size):
            total += inverse[s, q] * block.held[r, q]
        block.projection[s] = total
        outside -= total * block.held[r, s]
    return float(max(0.0, outside))


@compiled
def allocate_or_project(
    r: int, taus: Array, block: BudgetBlock, state: State, slots: Slots, budget_state: BudgetState
) -> int:
    """Give row r a place where there is room and it is new, else project its steps."""
    size = slots.size[0]
    outside = project_onto_support(r, size, block, budget_state.inverse)
    if size < block.slot_owner.shape[0] and outside > _DEPENDENCE_TOLERANCE * block.diagonal[r]:
        extend_inverse(size, outside, block.projection, budget_state.inverse)
        return size  # type: ignore[no-any-return]
    for k in range(taus.shape[0]):
        if taus[k] != 0.0:
            for s in range(size):
                state.W[s, k] += taus[k] * block.projection[s]
    return -1


@compiled
def extend_inverse(size: int, outside: float, projection: Array, inverse: Array) -> None:
    """The inverse with one row and column more: that of the row just projected."""
    for s in range(size):
        for q in range(size):
            inverse[s, q] += projection[s] * projection[q] / outside
        inverse[s, size] = -projection[s] / outside
        inverse[size, s] = -projection[s] / outside
    inverse[size, size] = 1.0 / outside


@compiled
def projected_margin_step(
    r: int, y: float, score: float, block: BudgetBlock, slots: Slots, budget_state: BudgetState
) -> float:
    """Y min(1, ℓ/‖P k‖²) where the margin is missing and row r would not come in, else 0."""
    short = 1.0 - y * score
    if not 0.0 < short < 1.0:
        return 0.0
    size = slots.size[0]
    outside = project_onto_support(r, size, block, budget_state.inverse)
    within = block.diagonal[r] - outside
    if size < block.slot_owner.shape[0] and outside > _DEPENDENCE_TOLERANCE * block.diagonal[r]:
        return 0.0
    return y * min(1.0, short / within) if within > 0.0 else 0.0


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
    """Walk the rows of a block on a budget, and move the weights.

    Parameters
    ----------
    block : Stretch
    spec : Terms
        Their ``one`` is in the kernel values already.
    budget : Scheme
    state : State
        Over B slots; changed in place.
    slots, held
        Changed in place.
    K : int
        Weight vectors.
    """
    scratch = Scratch(np.empty(K), np.empty(K), np.empty(K), np.empty(K, np.int64))
    loop = _budget_loop((type(spec.rule), type(spec.scheme), type(budget)))
    rule, scheme, class_weight, tie, _ = spec
    loop(block, rule, scheme, class_weight, tie, budget, state, slots, budget_state, scratch)


@cache
def _budget_loop(kinds: tuple[type, ...]) -> Callable[..., None]:
    stamp = fingerprint(*kinds, State, Slots, BudgetState, BudgetBlock)

    def budgeted(
        block, rule, scheme, class_weight, tie, budget, state, slots, budget_state, scratch
    ):
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        scores, taus, losses, mistakes = scratch
        K = scores.shape[0]
        for r in range(block.y.shape[0]):
            label = block.y[r]
            for k in range(K):
                scores[k] = score_row(r, k, block, state, slots)
                losses[k] = 0.0
                mistakes[k] = 0
            moved = scheme.compute_steps(
                scores,
                label,
                block.diagonal[r],
                rule,
                tie,
                state.active,
                class_weight[label] * block.weight[r],
                block.weight[r],
                taus,
                losses,
                mistakes,
            )
            for k in range(K):
                budget_state.wrong[k] += mistakes[k]
                state.updates[k] += taus[k] != 0.0
                if taus[k] == 0.0 and state.active[k]:
                    y = 1.0 if label == (k if K > 1 else 1) else -1.0
                    step = budget.margin_step(r, k, y, scores[k], block, slots, budget_state)
                    step *= block.weight[r] * (class_weight[label] if y > 0 or K == 1 else 1.0)
                    if step != 0.0:
                        state.updates[k] += 1
                        for s in range(slots.size[0]):
                            state.W[s, k] += step * block.projection[s]
            if moved:
                slot = block.slot[block.first_equal[r]]
                if slot < 0:
                    slot = budget.allocate_slot(r, taus, block, state, slots, budget_state)
                    if slot >= 0:
                        fill_slot(r, slot, block, state, slots, budget_state)
                if slot >= 0:
                    for k in range(K):
                        state.W[slot, k] += taus[k]
            count_example(scores, label, losses, mistakes, state)

    return compiled_for(budgeted, kinds)


@compiled
def score_row(r: int, k: int, block: BudgetBlock, state: State, slots: Slots) -> float:
    """Score of row r by the rows that are held."""
    total = 0.0
    for s in range(slots.size[0]):
        total += state.W[s, k] * block.held[r, s]
    return total


@compiled
def fill_slot(
    r: int, slot: int, block: BudgetBlock, state: State, slots: Slots, budget_state: BudgetState
) -> None:
    """Let row r have a place: what was there is gone."""
    slots.size[0] = max(slots.size[0], slot + 1)
    slots.rows[slot] = block.example[r]
    budget_state.entered[slot] = state.t[0]
    block.slot_owner[slot] = r
    for q in range(block.slot.shape[0]):
        if block.slot[q] == slot:
            block.slot[q] = -1
        block.held[q, slot] = block.block_gram[q, r]
    block.slot[block.first_equal[r]] = slot
