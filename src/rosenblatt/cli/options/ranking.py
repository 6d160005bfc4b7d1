"""The metric by which learners are ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rosenblatt.cli.options.declared import option
from rosenblatt.cli.options.names import LOG_ODDS, listing
from rosenblatt.learning.evaluation.ranking import METRICS


def metric_option(default: str) -> Any:
    """Declare ``--metric``; the default is told in words."""
    return option(
        "--metric NAME",
        f"Rank by {', '.join(METRICS)}; log_loss is of learners with probabilities, f1 of the "
        f"class of --positive, or of more than two classes their mean. Default: {default}.",
        tuple(METRICS),
    )


def check_metric(metric: str, rules: Sequence[str]) -> None:
    """Refuse a metric of probabilities where no rule gives any.

    Raises
    ------
    click.UsageError
    """
    if METRICS[metric].needs_probabilities and not any(rule in LOG_ODDS for rule in rules):
        raise click.UsageError(
            f"--metric {metric} is of probabilities, and only {listing(LOG_ODDS)} give them: try "
            "one of these, or rank by --metric error."
        )
