"""The options of ``rosenblatt train`` that ask for a kernel, and what goes with what."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import rich_click as click
from click.core import ParameterSource

F = TypeVar("F", bound=Callable[..., Any])

KERNELS = ("linear", "poly", "rbf", "laplace", "sigmoid", "cosine", "intersection")
"""Names that ``rosenblatt.kernels`` knows; written here, since help must not wait for it."""

BUDGET_SCHEMES = ("projectron", "projectron++", "forgetron", "random")
"""Names that ``rosenblatt.engine.kernel.budgets`` knows, the default first."""

BATCH = 1024
"""Rows that a kernel learner gets at a time: the table, the bars and Ctrl-C need not wait long."""

_KERNELS_WITH = {
    "degree": ("poly",),
    "gamma": ("poly", "rbf", "laplace", "sigmoid"),
    "coef0": ("poly", "sigmoid"),
}
_PERCEPTRON_SCHEMES = ("projectron++", "forgetron")  # bounds that hold for its steps alone

_kernel = partial(click.option, show_default=True, panel="Kernel")


def _parse_gamma(ctx: click.Context, param: click.Parameter, value: str) -> Any:
    """A number above zero, or the name of a way to find one."""
    if value in ("scale", "auto"):
        return value
    if 0.0 < (number := _to_float(value)) < math.inf:
        return number
    problem = f"{value!r} is neither a number above 0 nor 'scale' nor 'auto'."
    raise click.BadParameter(problem, ctx, param)


def _parse_finite(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """A number that is one."""
    if math.isfinite(number := _to_float(value)):
        return number
    raise click.BadParameter(f"{value!r} is not a finite number.", ctx, param)


def _to_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def kernel_options(function: F) -> F:
    """Which kernel, and which rows its learner holds."""
    for option in reversed(
        (
            _kernel(
                "--kernel",
                type=click.Choice(KERNELS),
                metavar="NAME",
                help="Learn with a kernel, as a sum of the rows that moved it: "
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
                help="γ of poly, rbf, laplace and sigmoid: a number; scale, 1/(features · "
                f"variance); or auto, 1/features, both of the first {BATCH:,} rows.",
            ),
            _kernel(
                "--coef0",
                callback=_parse_finite,
                metavar="X",
                default="0",
                help="c of poly and sigmoid.",
            ),
            _kernel(
                "--vote",
                is_flag=True,
                help="Predict by a vote of all weights there have been. Alone: --kernel linear.",
            ),
            _kernel(
                "--budget",
                type=click.IntRange(min=1),
                metavar="N",
                help="Hold at most so many rows.",
            ),
            _kernel(
                "--budget-scheme",
                type=click.Choice(BUDGET_SCHEMES),
                metavar="NAME",
                default=BUDGET_SCHEMES[0],
                help=f"What to do with one row more: {', '.join(BUDGET_SCHEMES)}.",
            ),
        )
    ):
        function = option(function)
    return function


def chosen_kernel(options: dict[str, Any]) -> str | None:
    """The kernel that the command line asks for, None for the linear learner."""
    return options["kernel"] or ("linear" if options["vote"] else None)


def check_kernel_options(ctx: click.Context, options: dict[str, Any]) -> None:
    """Refuse options that make no sense together.

    Raises
    ------
    click.UsageError
        With the reason.
    """
    for problem in (*_conflicts(options), *_unused(ctx, options)):
        raise click.UsageError(problem, ctx)


def _conflicts(options: dict[str, Any]) -> Iterator[str]:
    """Why options exclude each other."""
    if options["average"] and options["vote"]:
        yield "--average and --vote are two ways to predict: give one of them."
    for name in ("average", "vote"):
        if options["budget"] and options[name]:
            yield f"--budget forgets rows that --{name} would need: give one of them."
    if options["expansion"] and options["penalty"]:
        yield "--expansion needs weights that rows alone have moved, and --penalty moves them, too."
    if chosen_kernel(options) and options["penalty"]:
        yield "--penalty shrinks the weights of features, and a kernel has none: leave it out."
    if chosen_kernel(options) and options["expansion"]:
        yield "--expansion is for the linear learner; with a kernel the rows are kept anyway."
    scheme, rule = options["budget_scheme"], options["rule"]
    if options["budget"] and scheme in _PERCEPTRON_SCHEMES and rule != "perceptron":
        yield f"--budget-scheme {scheme} goes with --rule perceptron only; this is {rule}."


def _unused(ctx: click.Context, options: dict[str, Any]) -> Iterator[str]:
    """Why options would do nothing."""
    kernel = chosen_kernel(options)
    for name, kernels in _KERNELS_WITH.items():
        if _is_on_command_line(ctx, name) and kernel not in kernels:
            reason = f"the {kernel} kernel has none" if kernel else "without a kernel there is none"
            yield f"--{name} goes with --kernel {' or '.join(kernels)}; {reason}."
    if options["budget"] and kernel is None:
        yield "--budget goes with --kernel: the linear learner holds no rows."
    if _is_on_command_line(ctx, "budget_scheme") and not options["budget"]:
        yield "--budget-scheme says what to do when a budget is full: give --budget N, too."


def _is_on_command_line(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
