"""Options of ``train`` and ``validate`` for the linear learner."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Literal

import click

from rosenblatt.cli.options.declared import FiniteRange, Options, option
from rosenblatt.cli.options.names import OFFERED, RULES, rates
from rosenblatt.theory.rules.auto import NOT_OF_AUTO

if TYPE_CHECKING:
    from rosenblatt.learning.linear.learners import Perceptron

_RULE_HELP = (
    "Update rule. auto has nothing to set: it takes columns in any units, follows a drift and has "
    f"probabilities. Others: {', '.join(name for name in OFFERED if name != 'auto')}. With an "
    "option that auto does not have, such as --average or --kernel, the default is perceptron. "
    "Those with _full keep a covariance matrix, for at most 2,048 features."
)

_OTHERS = {"average", "scale", "expansion", "vote", "kernel", "budget", "budget_scheme"}
"""Options of other learners than that of the rule auto, beside parameters that it does not have."""


def _parse_class_weight(value: str) -> str | dict[str, float]:
    """Parse "balanced", or a JSON object with a weight for each label."""
    if value == "balanced":
        return value
    try:
        weights = json.loads(value)
    except (ValueError, RecursionError):
        weights = None
    if isinstance(weights, dict) and weights and all(map(_is_weight, weights.values())):
        return {label: float(weight) for label, weight in weights.items()}
    expected = """'balanced' or a JSON object of positive numbers, such as '{"spam": 5}'"""
    raise click.BadParameter(f"expected {expected}, found {value!r}.")


def _is_weight(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0.0 < value <= sys.float_info.max  # a whole number may be beyond


class RuleOption(Options, panel="Learning"):
    """The update rule."""

    rule: str = option("--rule NAME", _RULE_HELP, RULES, default="auto")


class RulesOption(Options, panel="Learning"):
    """One update rule or more."""

    rules: tuple[str, ...] = option(
        "--rule NAME",
        f"{_RULE_HELP} Several compare them in one table: --rule auto --rule pa1.",
        RULES,
        default=("auto",),
        multiple=True,
    )


class LinearOptions(Options, panel="Learning"):
    """The linear learner, without its rule."""

    rule: str
    average: bool = option(
        "--average",
        "Predict with the average of the weights over all steps, of another rule than auto: fewer "
        "errors than by the last weights, except where the data drift.",
    )
    multi_class: str = option(
        "--multi-class NAME",
        "For three or more classes: ovr, one-vs-rest; joint, a single multi-class model.",
        ("ovr", "joint"),
        default="ovr",
    )
    eta0: float = option(
        "--eta0 X",
        f"Learning rate; {rates()}; pegasos has λ = 0.0001/X, nag η = X/2.",
        FiniteRange(min=0.0, min_open=True),
        default=1.0,
    )
    penalty: str | None = option(
        "--penalty NAME",
        "Regularisation: l2 keeps the weights small, l1 sets most of them to zero, elasticnet does "
        "both.",
        ("l1", "l2", "elasticnet"),
    )
    alpha: float = option("--alpha X", "Strength of --penalty.", FiniteRange(min=0.0), default=1e-4)
    class_weight: Literal["balanced"] | dict[str, float] | None = option(
        "--class-weight balanced|JSON",
        "Multiply the steps of each class by a weight: balanced gives every class the same total, "
        "after a first pass that counts the labels; or an object such as "
        """'{"spam": 5}', where other labels have 1.""",
        _parse_class_weight,
    )
    probabilities: bool = option(
        "--probabilities",
        "Learn, beside the weights, probabilities of their scores: those of predict --proba.",
    )
    scale: bool = option(
        "--scale",
        "Even out the columns while learning: numbers of tables by their running mean and standard "
        "deviation, other sparse values by their size. MODEL keeps both; new data needs nothing.",
    )

    @property
    def others_than_auto(self) -> list[str]:
        """Options of the command line that the rule auto does not have."""
        return sorted(self.on_command_line.intersection({*NOT_OF_AUTO, *_OTHERS}))

    @property
    def default_rule(self) -> str:
        """The rule, if the command line names none: auto, where it has all that is asked for."""
        return "perceptron" if self.others_than_auto else "auto"


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
        probabilities=options.probabilities,
    )
