"""The costs of ``--cost``, which the model keeps, and what ``--sets`` needs."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt.cli.options.names import LOG_ODDS, listing


def set_costs(model: Any, costs: tuple[float, float]) -> None:
    """Have a model predict by the costs of ``--cost``.

    Raises
    ------
    click.UsageError
        The model has no probabilities, or other than two classes.
    """
    check_probabilities(model, "--cost")
    try:
        model.set_costs(*costs)
    except ValueError as error:
        raise click.UsageError(f"--cost: {error}") from error


def check_probabilities(model: object, option: str) -> None:
    """Refuse an option for a model without probabilities.

    Raises
    ------
    click.UsageError
    """
    if not hasattr(model, "predict_proba"):
        rules = listing(LOG_ODDS)
        raise click.UsageError(
            f"{option} needs probabilities: give --probabilities, or a rule of log odds without "
            f"--vote, such as {rules}."
        )
