"""Kernel classifiers: the learners behind :mod:`rosenblatt.estimators.kernel`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rosenblatt.learning.kernel.classifier import KernelClassifier
from rosenblatt.learning.params import ClassWeight
from rosenblatt.theory.rule_kinds import AnyRule


@dataclass(kw_only=True, eq=False, repr=False)
class KernelPerceptron(KernelClassifier):
    """Kernel classifier that learns one example at a time: w ← w + τ Φ(x), for any kernel.

    Parameters and attributes are those of :class:`rosenblatt.KernelPerceptron`.
    """

    kernel: Any = field(default="rbf", kw_only=False)
    degree: int = 3
    gamma: float | str = "scale"
    coef0: float = 0.0
    rule: str | AnyRule = "perceptron"
    output: str = "last"
    multi_class: str = "ovr"
    tie: int = 0
    eta0: float = 1.0
    class_weight: ClassWeight = None
    cache_size: float = 200
    budget: int | None = None
    budget_scheme: str = "projectron"
    budget_eta: float = 0.1
    probabilities: bool = False


@dataclass(kw_only=True, eq=False, repr=False)
class VotedPerceptron(KernelPerceptron):
    """Voted perceptron: :class:`KernelPerceptron` with the linear kernel and ``output="vote"``.

    Parameters and attributes are those of :class:`rosenblatt.VotedPerceptron`.
    """

    kernel: Any = field(default="linear", init=False)
    degree: int = field(default=3, init=False)
    gamma: float | str = field(default="auto", init=False)
    coef0: float = field(default=0.0, init=False)
    output: str = field(default="vote", init=False)
    budget: int | None = field(default=None, init=False)
    budget_scheme: str = field(default="random", init=False)
    budget_eta: float = field(default=0.1, init=False)
    probabilities: bool = field(default=False, init=False)
