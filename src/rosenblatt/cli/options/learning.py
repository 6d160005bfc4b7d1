"""Options of ``train`` and ``validate`` for the linear learner."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import rich_click as click

from rosenblatt.cli.options.names import OFFERED, RULES, WITHOUT_RATE, rates
from rosenblatt.cli.options.shared import add_options, is_on_command_line
from rosenblatt.theory.rules import DECLARATIONS

if TYPE_CHECKING:
    from rosenblatt.learning.linear.learners import Perceptron

learning_option = partial(click.option, show_default=True, panel="Learning")
"""An option in the panel "Learning"."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LinearOptions:
    """Values of :func:`learner_options`."""

    rule: str
    average: bool
    multi_class: str
    eta0: float
    penalty: str | None
    alpha: float
    class_weight: Literal["balanced"] | dict[str, float] | None
    scale: bool


def _parse_class_weight(value: str) -> str | dict[str, float]:
    """Parse "balanced", or a JSON object with a weight for each label."""
    if value == "balanced":
        return value
    try:
        weights = json.loads(value)
    except ValueError:
        weights = None
    if isinstance(weights, dict) and weights and all(map(_is_weight, weights.values())):
        return {label: float(weight) for label, weight in weights.items()}
    expected = """'balanced' or a JSON object of positive numbers, such as '{"spam": 5}'"""
    raise click.BadParameter(f"expected {expected}, found {value!r}.")


def _is_weight(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0.0 < value < math.inf


def _parse_rule(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Refuse a rule, or one of several, that needs all rows at once."""
    for name in (value,) if isinstance(value, str) else value:
        if name not in OFFERED:
            raise click.BadParameter(
                f"{name} chooses its row among all rows, and this command learns them as they "
                f"come. In Python: rosenblatt.Perceptron(rule={name!r}).fit(X, y).",
                ctx,
                param,
            )
    return value


_RULE_HELP = (
    f"Update rule: {', '.join(OFFERED)}. In one pass, scw1, arow or cw make the fewest mistakes on "
    "most data; pa1 where the truth drifts. Those with _full keep a covariance matrix, for at most "
    "2,048 features."
)

rule_option = learning_option(
    "--rule",
    type=click.Choice(RULES),
    callback=_parse_rule,
    metavar="NAME",
    default="perceptron",
    help=_RULE_HELP,
)
"""Option of the update rule."""

rules_option = learning_option(
    "--rule",
    "rules",
    type=click.Choice(RULES),
    callback=_parse_rule,
    metavar="NAME",
    multiple=True,
    default=["perceptron"],
    help=f"{_RULE_HELP} Several compare them in one table: --rule perceptron --rule pa1.",
)
"""Option of one update rule or more."""

learner_options = add_options(
    learning_option(
        "--average",
        is_flag=True,
        help="Predict with the average of the weights over all steps: the better first choice, "
        "except where the data drift.",
    ),
    learning_option(
        "--multi-class",
        type=click.Choice(["ovr", "joint"]),
        metavar="NAME",
        default="ovr",
        help="For three or more classes: ovr, one-vs-rest; joint, a single multi-class model.",
    ),
    learning_option(
        "--eta0",
        type=click.FloatRange(min=0.0, min_open=True),
        metavar="X",
        default=1.0,
        help=f"Learning rate; {rates()}; pegasos has λ = 0.0001/X.",
    ),
    learning_option(
        "--penalty",
        type=click.Choice(["l1", "l2", "elasticnet"]),
        metavar="NAME",
        help="Regularisation: l2 keeps the weights small, l1 sets most of them to zero, "
        "elasticnet does both.",
    ),
    learning_option(
        "--alpha",
        type=click.FloatRange(min=0.0),
        metavar="X",
        default=1e-4,
        help="Strength of --penalty.",
    ),
    learning_option(
        "--class-weight",
        type=_parse_class_weight,
        metavar="balanced|JSON",
        help="Multiply the steps of each class by a weight: balanced gives every class the same "
        "total, after a first pass that counts the labels; or an object such as "
        """'{"spam": 5}', where other labels have 1.""",
    ),
    learning_option(
        "--scale",
        is_flag=True,
        help="Even out the columns while learning: numbers of tables by their running mean and "
        "standard deviation, other sparse values by their size. MODEL keeps both; new data needs "
        "nothing.",
    ),
)
"""Options of the linear learner, without its rule."""


def check_learner_options(ctx: click.Context, options: LinearOptions) -> None:
    """Refuse options of the learner that would have no effect.

    Raises
    ------
    click.UsageError
        The message names the options.
    """
    if is_on_command_line(ctx, "alpha") and options.penalty is None:
        raise click.UsageError(
            "--alpha goes with --penalty: give --penalty l2, l1 or elasticnet, too.", ctx
        )
    if is_on_command_line(ctx, "eta0") and options.rule in WITHOUT_RATE:
        raise click.UsageError(
            f"--eta0 has no effect on --rule {options.rule}, which has no learning rate: leave it "
            f"out, or give --rule {WITHOUT_RATE[options.rule]}, whose "
            f"{DECLARATIONS[WITHOUT_RATE[options.rule]].rate} it is.",
            ctx,
        )


def build_linear(options: LinearOptions) -> Perceptron:
    """Return the unfitted linear classifier of these options."""
    from rosenblatt.learning.linear.learners import Perceptron

    return Perceptron(
        rule=options.rule,
        multi_class=options.multi_class,
        eta0=options.eta0,
        penalty=options.penalty,
        alpha=options.alpha,
        output="average" if options.average else "last",
        shuffle=False,
        scale=options.scale,
    )
