"""Kernel options of ``rosenblatt train``."""

from __future__ import annotations

from contextlib import suppress

import click

from rosenblatt.cli.options.declared import Options, option
from rosenblatt.cli.options.names import BUDGET_SCHEMES, KERNELS, kernels_with, listing
from rosenblatt.cli.options.predictions import parse_finite

BATCH = 1024
"""Rows in a batch of a kernel learner: small, so that progress and Ctrl-C are handled in time."""

KERNELS_WITH = {name: kernels_with(name) for name in ("degree", "gamma", "coef0")}


def _parse_gamma(value: str) -> str | float:
    """Parse a positive number, "scale" or "auto"."""
    if value in ("scale", "auto"):
        return value
    with suppress(click.BadParameter):
        if (number := parse_finite(value)) > 0.0:
            return number
    raise click.BadParameter(f"{value!r} is neither a number above 0 nor 'scale' nor 'auto'.")


class KernelOptions(Options, panel="Kernel"):
    """The kernel and its budget."""

    kernel: str | None = option(
        "--kernel NAME",
        "Learn with a kernel; the model stores the rows that caused updates. "
        f"{', '.join(KERNELS)}.",
        KERNELS,
    )
    degree: int = option(
        "--degree N", "d of poly, (γ⟨x, x'⟩ + c)^d.", click.IntRange(min=1), default=3
    )
    gamma: float | str = option(
        "--gamma X",
        f"γ of {listing(KERNELS_WITH['gamma'])}: a number; scale, 1/(features · variance); or "
        f"auto, 1/features, both of the first {BATCH:,} rows.",
        _parse_gamma,
        default="scale",
    )
    coef0: float = option(
        "--coef0 X", f"c of {listing(KERNELS_WITH['coef0'])}.", parse_finite, default="0"
    )
    vote: bool = option(
        "--vote",
        "Predict by a vote of the weights of all steps (voted perceptron). Without --kernel, the "
        "kernel is linear.",
    )
    budget: int | None = option("--budget N", "Store at most N rows.", click.IntRange(min=1))
    budget_scheme: str = option(
        "--budget-scheme NAME",
        f"How to stay within --budget: {', '.join(BUDGET_SCHEMES)}.",
        BUDGET_SCHEMES,
        default="projectron",
    )
