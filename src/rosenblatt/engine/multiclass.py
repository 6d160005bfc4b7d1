"""Multi-class schemes: the steps that one example gives to one weight vector, or to several.

A scheme is a ``NamedTuple`` with one method, ``compute_steps``: from the scores of all classes for
one example it computes the step τ of every weight vector, and counts losses and mistakes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from rosenblatt.engine.jit import subroutine
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.steppers import Stepper
from rosenblatt.theory.penalties import NoPenalty, Penalty
from rosenblatt.theory.rule_kinds import AnyRule

Array = NDArray[Any]


class Example(NamedTuple):
    """One example, as a scheme sees it.

    Attributes
    ----------
    label : int
        Its class.
    squared_norm : float
        ‖x‖², with the coordinate of the intercept.
    own_weight, rest_weight : float
        Factors of the steps of its own class, and of the other classes.
    row : int
        Its index among the rows.
    """

    label: int
    squared_norm: float
    own_weight: float
    rest_weight: float
    row: int


class StepBuffers(NamedTuple):
    """Arrays of shape (K,) that a scheme reads and writes.

    Attributes
    ----------
    scores : ndarray, float64
        The scores of the example.
    taus : ndarray, float64
        The step of each class; written.
    losses, mistakes : ndarray
        Sums to add to.
    """

    scores: Array
    taus: Array
    losses: Array
    mistakes: Array


@subroutine
def is_mistake(score: float, y: float, tie: float) -> bool:
    """Return True if the sign of a score is not y. Zero has the sign ``tie``; NaN is a mistake."""
    return not (y * score > 0.0 or (score == 0.0 and tie == y))


@subroutine
def is_beaten(scores: Array, label: int) -> bool:
    """Return True if another class has a higher score, or one before ``label`` the same."""
    own, rivals = scores[label], 0
    for k in range(scores.shape[0]):
        rivals += (scores[k] > own) | ((scores[k] == own) & (k < label))
    return rivals > 0 or own != own


class OneVsRest(NamedTuple):
    """One weight vector per class, each a two-class problem of its own (lecture row L3.5).

    Class k sees the label +1 on its own examples and −1 on all others; a mistake is a wrong sign.
    """

    def compute_steps(
        self,
        example: Example,
        spec: UpdateSpec,
        active: Array,
        buffers: StepBuffers,
        stepper: Stepper,
        rows: Rows | None,
    ) -> bool:
        """Compute one step for every active class; return whether any is not zero."""
        scores, taus, label, moves = buffers.scores, buffers.taus, example.label, 0
        for k in range(scores.shape[0]):
            y = 1.0 if k == label else -1.0
            weight = example.own_weight if k == label else example.rest_weight
            tau = stepper.step(
                spec.rule, scores[k], y, example.squared_norm, weight, rows, example.row, k, -1
            )
            taus[k] = tau if active[k] else 0.0
            moves += taus[k] != 0.0
        for k in range(scores.shape[0]):
            y = 1.0 if k == label else -1.0
            buffers.losses[k] += spec.rule.loss(scores[k], y) if active[k] else 0.0
            buffers.mistakes[k] += active[k] & is_mistake(scores[k], y, spec.tie)
        return moves > 0


class Joint(NamedTuple):
    """One arg max over all classes: the right class moves up, its strongest rival down.

    Kesler's construction (Duda and Hart 1973, §5.12; Crammer and Singer 2003): the example is the
    difference of two copies of x, with score s_label − max over the others, label +1 and squared
    norm 2‖x‖². A mistake, and the loss, are counted once, for the example's class; a tie is always
    a mistake. A confidence sees the sum of both variances.
    """

    def compute_steps(
        self,
        example: Example,
        spec: UpdateSpec,
        active: Array,
        buffers: StepBuffers,
        stepper: Stepper,
        rows: Rows | None,
    ) -> bool:
        """Compute one step, of the right class against its strongest rival."""
        scores, label, rival = buffers.scores, example.label, -1
        for k in range(scores.shape[0]):
            buffers.taus[k] = 0.0
            if active[k] and k != label and (rival < 0 or scores[k] > scores[rival]):
                rival = k
        score = scores[label] - scores[rival]
        buffers.losses[label] += spec.rule.loss(score, 1.0)
        if is_mistake(score, 1.0, 0.0):
            buffers.mistakes[label] += 1
        sqnorm, weight = 2.0 * example.squared_norm, example.own_weight
        tau: float = stepper.step(
            spec.rule, score, 1.0, sqnorm, weight, rows, example.row, label, rival
        )
        buffers.taus[label] = tau
        buffers.taus[rival] = -tau
        return tau != 0.0


class Binary(NamedTuple):
    """One weight vector: class 1 has the label +1, class 0 has −1."""

    def compute_steps(
        self,
        example: Example,
        spec: UpdateSpec,
        active: Array,
        buffers: StepBuffers,
        stepper: Stepper,
        rows: Rows | None,
    ) -> bool:
        """Compute one step."""
        score = buffers.scores[0]
        y = 1.0 if example.label == 1 else -1.0
        buffers.losses[0] += spec.rule.loss(score, y)
        if is_mistake(score, y, spec.tie):
            buffers.mistakes[0] += 1
        tau: float = stepper.step(
            spec.rule, score, y, example.squared_norm, example.own_weight, rows, example.row, 0, -1
        )
        buffers.taus[0] = tau
        return tau != 0.0


Scheme = OneVsRest | Joint | Binary


class UpdateSpec(NamedTuple):
    """Rule, scheme and options of the updates that a loop makes.

    Attributes
    ----------
    rule, penalty
        See :mod:`rosenblatt.rules` and :mod:`rosenblatt.theory.penalties`. The kernel loops take no
        penalty.
    scheme : OneVsRest, Joint or Binary, or None
        None: the linear loop with one weight vector and real labels.
    class_weight : ndarray of shape (classes,), float64
        Factor of the steps of each class on its own examples; unused without a scheme.
    tie : float
        The prediction that a score of zero stands for: −1, +1, or 0 for none, which is a mistake.
    intercept : bool
        Whether b is learned: every row has one more coordinate, a 1.
    bias_sqnorm : float
        The share of that coordinate in ‖x‖². With a kernel, an intercept is the kernel k + 1: then
        this is 1, else 0.
    average, pocket : bool
        Whether the linear loops maintain the average, and the pocket.
    """

    rule: AnyRule
    scheme: Scheme | None
    class_weight: Array
    tie: float
    intercept: bool
    bias_sqnorm: float
    penalty: Penalty = NoPenalty()
    average: bool = False
    pocket: bool = False


def by_name(name: str) -> Scheme:
    """Return the scheme of an estimator's ``multi_class=name``.

    Raises
    ------
    ValueError
        ``name`` is neither "ovr" nor "joint".

    Examples
    --------
    >>> by_name("joint")
    Joint()
    """
    if name == "ovr":
        return OneVsRest()
    if name == "joint":
        return Joint()
    raise ValueError(f"multi_class must be 'ovr' or 'joint'; got {name!r}.")
