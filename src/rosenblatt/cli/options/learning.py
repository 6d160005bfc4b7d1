"""The options of ``train`` and ``validate`` that say how a linear classifier learns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from rosenblatt.cli.options.shared import RULES

if TYPE_CHECKING:
    from rosenblatt.learning.linear.estimators import Perceptron


F = TypeVar("F", bound=Callable[..., Any])

learning_option = partial(click.option, show_default=True, panel="Learning")
"""An option of the panel that says how it is learned."""


def learner_options(function: F) -> F:
    """Rule, output, scheme, rate and penalty."""
    for option in reversed(
        (
            learning_option(
                "--rule",
                type=click.Choice(RULES),
                metavar="NAME",
                default="perceptron",
                help=f"How far one example moves the weights: {', '.join(RULES)}.",
            ),
            learning_option(
                "--average",
                is_flag=True,
                help="Predict with the average of all weights: wrong less often.",
            ),
            learning_option(
                "--multi-class",
                type=click.Choice(["ovr", "joint"]),
                metavar="NAME",
                default="ovr",
                help="Three classes or more: ovr, each against the rest, or joint, one arg max "
                "over all.",
            ),
            learning_option(
                "--eta0",
                type=click.FloatRange(min=0.0, min_open=True),
                metavar="X",
                default=1.0,
                help="Learning rate; C of pa1 and pa2, μ of nlms.",
            ),
            learning_option(
                "--penalty",
                type=click.Choice(["l1", "l2", "elasticnet"]),
                metavar="NAME",
                help="Keep weights small: l2; or most of them at zero: l1; or both: elasticnet.",
            ),
            learning_option(
                "--alpha",
                type=click.FloatRange(min=0.0),
                metavar="X",
                default=1e-4,
                help="Strength of --penalty.",
            ),
        )
    ):
        function = option(function)
    return function


def build_linear(options: dict[str, Any]) -> Perceptron:
    """The linear classifier that these options ask for."""
    from rosenblatt.learning.linear.estimators import Perceptron

    names = ("rule", "multi_class", "eta0", "penalty", "alpha")
    output = "average" if options["average"] else "last"
    chosen = {name: options[name] for name in names}
    return Perceptron(**chosen, output=output, shuffle=False)
