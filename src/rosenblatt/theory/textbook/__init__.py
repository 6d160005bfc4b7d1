"""The lectures' algorithms in the lectures' notation, with every step recorded.

The functions are reference implementations in NumPy, for reading and for tests of the compiled
engine: about a dozen lines each, one file per lecture. Where the lectures differ (the sign of zero,
the labels, the start, the constant feature, the learning rate, the choice of the misclassified
point), an option of the function has its lecture's choice as the default.

====================  =======  ======  =========  =========  =====================================
perceptron            lecture  start   sgn(0)     offset     ends
====================  =======  ======  =========  =========  =====================================
origin_perceptron     L0       0       -1         none       after one pass
online_perceptron     L1       0       +1         none       after the last round
perceptron            L2       0       -1         b, last    when all rows are right
augmented_perceptron  L3       0       +1         w0, first  when all rows are right; any row next
sample_correction     L4       random  a mistake  d, first   after an epoch without a change
====================  =======  ======  =========  =========  =====================================

The limits have one name each: ``max_epochs`` passes over all rows, ``max_updates`` updates of w;
``epochs`` is an exact number of passes.

Classifiers return a `Trace`, or a record with traces (`Votes`, `OneAgainstRest`). Rows are finite
arrays of shape (n, d), n >= 1, d >= 1; labels have shape (n,) and are -1 and +1 or 0 and 1. Other
arguments are a ValueError that names the argument, what is expected and what it is. On data that
is not separable a run ends at its limit with ``converged=False``; `rosenblatt.cycling` decides
whether it would cycle. Inner products are summed from left to right, so a run is the same to the
bit on every machine.
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
from rosenblatt.theory.textbook.trace import Trace, WorstOrder
from rosenblatt.theory.textbook.traces.kernel import KernelTrace
from rosenblatt.theory.textbook.traces.orders import worst_order

__all__ = [
    "Filtered",
    "KernelTrace",
    "OneAgainstRest",
    "Step",
    "Trace",
    "Votes",
    "WorstOrder",
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
    "worst_order",
]
