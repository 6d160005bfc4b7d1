"""The lectures' algorithms as they are written, every step recorded.

This is the oracle for the compiled engine and the teacher for the reader: NumPy only, a dozen
lines an algorithm, a file a lecture. Where the lectures disagree (the sign of zero, the labels, the
start, the constant feature, the place of the learning rate, which misclassified point is picked),
each function has its own lecture's choice as the default of an option.

All learners of signs return a `Trace`, or what holds traces (`Votes`, `OneAgainstRest`). Rows are
finite arrays of shape (n, d), n >= 1, d >= 1; labels have shape (n,) and are -1 and +1 or 0 and 1.
Anything else, and a number out of its range, is a ValueError that names the argument, what was
expected and what was got. Data that cannot be separated is no error: the run ends at its limit with
``converged=False``; whether it would go on for ever is said by `rosenblatt.cycling`. Inner products
are summed from left to right, so that a run is the same to the bit on every machine.
"""

from __future__ import annotations

from rosenblatt.theory.textbook.lecture0 import origin_perceptron, radial_lift
from rosenblatt.theory.textbook.lecture1 import (
    append_one,
    lift_threshold,
    lower_threshold,
    online_perceptron,
    threshold,
)
from rosenblatt.theory.textbook.lecture2 import (
    Filtered,
    adaptive_filter,
    kernel_perceptron,
    perceptron,
    quadratic_features,
)
from rosenblatt.theory.textbook.lecture3 import (
    OneAgainstRest,
    Votes,
    augmented_perceptron,
    one_against_rest,
    prepend_one,
    voted_perceptron,
)
from rosenblatt.theory.textbook.lecture4 import (
    batch_descent,
    intercepts,
    sample_correction,
    sample_descent,
)
from rosenblatt.theory.textbook.step import Step
from rosenblatt.theory.textbook.trace import Trace

__all__ = [
    "Filtered",
    "OneAgainstRest",
    "Step",
    "Trace",
    "Votes",
    "adaptive_filter",
    "append_one",
    "augmented_perceptron",
    "batch_descent",
    "intercepts",
    "kernel_perceptron",
    "lift_threshold",
    "lower_threshold",
    "one_against_rest",
    "online_perceptron",
    "origin_perceptron",
    "perceptron",
    "prepend_one",
    "quadratic_features",
    "radial_lift",
    "sample_correction",
    "sample_descent",
    "threshold",
    "voted_perceptron",
]
