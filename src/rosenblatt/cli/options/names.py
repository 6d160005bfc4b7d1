"""Names of rules, formats, kernels and budget schemes that the options offer.

They are copies: the modules that define them import NumPy, and ``--help`` must not wait
for these. ``tests/cli/options/test_names.py`` compares the copies with the originals.
"""

from __future__ import annotations

CONFIDENCE_RULES = (
    "arow",
    "cw",
    "cw_stdev",
    "scw1",
    "scw2",
    "adagrad",
    "adagrad_logistic",
    "sop",
    "narow",
)
"""Rules of :mod:`rosenblatt.theory.confidence` and ``confidence_weighted``."""

FULL_COVARIANCE_RULES = ("arow_full", "cw_full", "cw_stdev_full", "scw1_full", "scw2_full")
"""Rules of :mod:`rosenblatt.theory.full_covariance`."""

RESCALING_RULES = ("ogd", "pegasos", "alma", "romma", "aromma")
"""Rules of :mod:`rosenblatt.theory.rescaling`."""

CHOOSING_RULES = ("minover",)
"""Rules that choose their row among all, so that the command, which reads batches, has none."""

RULES = (
    "perceptron",
    "margin",
    "relaxation",
    "pa",
    "pa1",
    "pa2",
    "lms",
    "nlms",
    "logistic",
    "hinge",
    *CONFIDENCE_RULES,
    *FULL_COVARIANCE_RULES,
    *RESCALING_RULES,
    *CHOOSING_RULES,
)
"""Rules of :mod:`rosenblatt.theory.rules`."""

KERNELS = ("linear", "poly", "rbf", "laplace", "sigmoid", "cosine", "intersection")
"""Kernels of :mod:`rosenblatt.theory.kernels`."""

BUDGET_SCHEMES = ("projectron", "projectron++", "forgetron", "random")
"""Budget schemes of :mod:`rosenblatt.engine.kernel.budgets`, the default first."""
