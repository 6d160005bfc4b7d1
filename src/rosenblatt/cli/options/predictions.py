"""Options of ``predict`` and ``evaluate``: threshold, positive class and probabilities."""

from __future__ import annotations

import math
from typing import Any

import click

from rosenblatt.cli.options.declared import FiniteRange, Options, option
from rosenblatt.cli.options.names import LOG_ODDS, listing


def parse_finite(value: str) -> float:
    """Parse a finite number."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        return number
    raise click.BadParameter(f"{value!r} is not a finite number.")


def cost_option(words: str) -> Any:
    """Declare ``--cost``."""
    return option(
        "--cost FALSE+ FALSE-",
        "For two classes and models with probabilities: what it costs to predict the positive "
        "class, the second, where it is not, and not to predict it where it is. Each row gets the "
        f"label of the least expected cost. {words}",
        FiniteRange(min=0.0, min_open=True),
    )


class PositiveOption(Options, panel="Prediction"):
    """The class of interest."""

    positive: str | None = option(
        "--positive LABEL",
        "The class of interest: its precision, recall and F1 stand beside the error, and "
        "--threshold decides about it. Default: the second of two classes.",
    )


class PredictionOptions(PositiveOption, panel="Prediction"):
    """How scores become predictions."""

    threshold: float | None = option(
        "--threshold X",
        "For two classes: predict the positive class from this score on; with --proba, from this "
        "probability on.",
        parse_finite,
    )
    cost: tuple[float, float] | None = cost_option(
        "Default: those of the model, which train --cost keeps. --positive names the other class."
    )
    sets: float | None = option(
        "--sets COVERAGE",
        "For models of train --holdout --sets: the set of labels that has the right one with this "
        "probability, such as 0.9, if the rows are like the held-out ones.",
        FiniteRange(0.0, 1.0, min_open=True, max_open=True),
    )
    proba: bool = option(
        "--proba",
        f"Work with probabilities, for models of {listing(LOG_ODDS)}: predict adds one per class, "
        "and --threshold is a probability.",
    )


def check_one_decision(options: PredictionOptions) -> None:
    """Refuse a threshold beside costs, which set one."""
    if options.cost is not None and options.threshold is not None:
        raise click.UsageError("--cost and --threshold both set a threshold: give one of them.")
