"""The metric by which learners are ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rosenblatt.cli.options.declared import option
from rosenblatt.cli.options.names import LOG_ODDS, listing
from rosenblatt.learning.evaluation.ranking import METRICS

_OF_PROBABILITIES = [name for name, one in METRICS.items() if one.needs_probabilities]


def metric_option(default: str) -> Any:
    """Declare ``--metric``; the default is told in words."""
    return option(
        "--metric NAME",
        f"Rank by {', '.join(METRICS)}; {listing(_OF_PROBABILITIES)} are of learners with "
        "probabilities; f1 and pr_auc of the class of --positive, or of more than two classes "
        f"their mean. Default: {default}.",
        tuple(METRICS),
    )


def check_metric(metric: str, rules: Sequence[str], *, calibrated: bool) -> None:
    """Refuse a metric of probabilities where no rule gives any, and none is calibrated.

    Raises
    ------
    click.UsageError
    """
    if calibrated or not METRICS[metric].needs_probabilities:
        return
    if not any(rule in LOG_ODDS for rule in rules):
        raise click.UsageError(
            f"--metric {metric} is of probabilities, and only {listing(LOG_ODDS)} give them: try "
            "one of these, add --probabilities, or rank by --metric error."
        )
