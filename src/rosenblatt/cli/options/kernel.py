"""Kernel options of ``rosenblatt train``, and checks of their combinations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import rich_click as click

from rosenblatt.cli.options.names import (
    ADDING_RULES,
    BUDGET_SCHEMES,
    KERNELS,
    PERCEPTRON_SCHEMES,
    kernels_with,
    listing,
)
from rosenblatt.cli.options.shared import add_options, is_on_command_line

if TYPE_CHECKING:
    from rosenblatt.cli.options.train import TrainOptions

BATCH = 1024
"""Rows in a batch of a kernel learner: small, so that progress and Ctrl-C are handled in time."""

_KERNELS_WITH = {name: kernels_with(name) for name in ("degree", "gamma", "coef0")}

_kernel = partial(click.option, show_default=True, panel="Kernel")


def _parse_gamma(ctx: click.Context, param: click.Parameter, value: str) -> Any:
    """Parse a positive number, "scale" or "auto"."""
    if value in ("scale", "auto"):
        return value
    if 0.0 < (number := _to_float(value)) < math.inf:
        return number
    problem = f"{value!r} is neither a number above 0 nor 'scale' nor 'auto'."
    raise click.BadParameter(problem, ctx, param)


def _parse_finite(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """Parse a finite number."""
    if math.isfinite(number := _to_float(value)):
        return number
    raise click.BadParameter(f"{value!r} is not a finite number.", ctx, param)


def _to_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


kernel_options = add_options(
    _kernel(
        "--kernel",
        type=click.Choice(KERNELS),
        metavar="NAME",
        help="Learn with a kernel; the model stores the rows that caused updates. "
        f"{', '.join(KERNELS)}.",
    ),
    _kernel(
        "--degree",
        type=click.IntRange(min=1),
        metavar="N",
        default=3,
        help="d of poly, (γ⟨x, x'⟩ + c)^d.",
    ),
    _kernel(
        "--gamma",
        callback=_parse_gamma,
        metavar="X",
        default="scale",
        help=f"γ of {listing(_KERNELS_WITH['gamma'])}: a number; scale, 1/(features · "
        f"variance); or auto, 1/features, both of the first {BATCH:,} rows.",
    ),
    _kernel(
        "--coef0",
        callback=_parse_finite,
        metavar="X",
        default="0",
        help=f"c of {listing(_KERNELS_WITH['coef0'])}.",
    ),
    _kernel(
        "--vote",
        is_flag=True,
        help="Predict by a vote of the weights of all steps (voted perceptron). Without "
        "--kernel, the kernel is linear.",
    ),
    _kernel(
        "--budget",
        type=click.IntRange(min=1),
        metavar="N",
        help="Store at most N rows.",
    ),
    _kernel(
        "--budget-scheme",
        type=click.Choice(BUDGET_SCHEMES),
        metavar="NAME",
        default="projectron",
        help=f"How to stay within --budget: {', '.join(BUDGET_SCHEMES)}.",
    ),
)
"""Options of the kernel and of its budget."""


def check_kernel_options(ctx: click.Context, options: TrainOptions) -> None:
    """Refuse options that conflict, or that would have no effect.

    Raises
    ------
    click.UsageError
        The message names the options.
    """
    for problem in _problems(ctx, options):
        raise click.UsageError(problem, ctx)


def _problems(ctx: click.Context, options: TrainOptions) -> Iterator[str]:
    """Yield a message for each conflict, then for each option without effect."""
    if options.average and options.vote:
        yield "--average and --vote exclude each other: give one of them."
    for name, is_set in (("average", options.average), ("vote", options.vote)):
        if options.budget and is_set:
            yield f"--budget drops rows that --{name} needs: give one of them."
    if options.expansion and options.penalty:
        yield "--expansion and --penalty exclude each other: a penalty changes the weights, too."
    if options.expansion and options.scale:
        yield "--expansion and --scale exclude each other: the stored rows would be scaled ones."
    if options.kernel_name and options.scale:
        yield "--scale is for the linear learner: scale the columns before a kernel model."
    if options.kernel_name and options.penalty:
        yield "--penalty shrinks weights of features; a kernel model has none: leave it out."
    if options.kernel_name and options.expansion:
        yield "--expansion is for the linear learner; a kernel model always stores its rows."
    scheme, rule = options.budget_scheme, options.rule
    if rule not in ADDING_RULES:
        if options.kernel_name:
            yield f"--rule {rule} does more than add rows, and a kernel model is a sum of rows."
        if options.penalty:
            yield f"--rule {rule} and --penalty exclude each other: it changes weights its own way."
        if options.expansion:
            yield f"--expansion and --rule {rule} exclude each other: w is no sum of rows."
    if options.budget and scheme in PERCEPTRON_SCHEMES and rule != "perceptron":
        yield f"--budget-scheme {scheme} goes with --rule perceptron only; got --rule {rule}."
    kernel = options.kernel_name
    for name, kernels in _KERNELS_WITH.items():
        if is_on_command_line(ctx, name) and kernel not in kernels:
            reason = f"got --kernel {kernel}" if kernel else "--kernel is missing"
            yield f"--{name} goes with --kernel {' or '.join(kernels)}; {reason}."
    if options.budget and kernel is None:
        yield "--budget goes with --kernel: the linear learner stores no rows."
    if is_on_command_line(ctx, "budget_scheme") and not options.budget:
        yield "--budget-scheme goes with --budget: give --budget N, too."
