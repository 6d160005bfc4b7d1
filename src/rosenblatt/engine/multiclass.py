"""Multi-class schemes: the steps that one example gives to one weight vector, or to several.

The core computes the steps, by the names of these classes.
"""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.penalties import NoPenalty, Penalty
from rosenblatt.theory.rule_kinds import AnyRule
from rosenblatt.utils.arrays import Array


class OneVsRest(NamedTuple):
    """One weight vector per class, each a two-class problem of its own (lecture row L3.5).

    Class k sees the label +1 on its own examples and −1 on all others; a mistake is a wrong sign.
    """


class Joint(NamedTuple):
    """One arg max over all classes: the right class moves up, its strongest rival down.

    Kesler's construction (Duda and Hart 1973, §5.12; Crammer and Singer 2003): the example is the
    difference of two copies of x, with score s_label − max over the others, label +1 and squared
    norm 2‖x‖². A mistake, and the loss, are counted once, for the example's class; a tie is always
    a mistake. A confidence sees the sum of both variances. A weightwise rule of the logistic loss
    moves all classes instead, by the derivatives of the loss of the softmax.
    """


class Binary(NamedTuple):
    """One weight vector: class 1 has the label +1, class 0 has −1."""


Scheme = OneVsRest | Joint | Binary

SCHEMES: dict[str, Scheme] = {"ovr": OneVsRest(), "joint": Joint()}
"""The scheme of each ``multi_class`` of an estimator."""


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
    calibrates : {"last", "average", None}
        Whose scores the linear loops calibrate, with the arrays of
        :mod:`rosenblatt.theory.calibration`.
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
    calibrates: str | None = None
