"""The costs of ``--cost``, which the model keeps."""

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
    try:
        model.set_costs(*costs)
    except ValueError as error:
        problem = f"--cost goes with models of {listing(LOG_ODDS)}, without --vote"
        if hasattr(model, "predict_proba"):
            problem = f"--cost: {error}"
        raise click.UsageError(problem.removesuffix(".") + ".") from error
