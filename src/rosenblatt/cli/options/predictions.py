"""Options of ``predict`` and ``evaluate``: threshold, positive class and probabilities."""

from __future__ import annotations

import math

import click

from rosenblatt.cli.options.declared import Options, option
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
    proba: bool = option(
        "--proba",
        f"Work with probabilities, for models of {listing(LOG_ODDS)}: predict adds one per class, "
        "and --threshold is a probability.",
    )
