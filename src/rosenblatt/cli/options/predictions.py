"""Options of ``predict`` and ``evaluate``: threshold, positive class and probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import rich_click as click

from rosenblatt.cli.options.shared import add_options

_prediction = partial(click.option, panel="Prediction")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PredictionOptions:
    """Values of :func:`prediction_options`."""

    threshold: float | None
    positive: str | None
    proba: bool


def _check_finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse a threshold that is not finite."""
    if value is None or math.isfinite(value):
        return value
    raise click.BadParameter(f"{value!r} is not a finite number.", ctx, param)


positive_option = _prediction(
    "--positive",
    metavar="LABEL",
    help="The class of interest: its precision, recall and F1 stand beside the error, and "
    "--threshold decides about it. Default: the second of two classes.",
)
"""The option ``--positive``."""

prediction_options = add_options(
    _prediction(
        "--threshold",
        type=float,
        callback=_check_finite,
        metavar="X",
        help="For two classes: predict the positive class from this score on; with --proba, from "
        "this probability on.",
    ),
    positive_option,
    _prediction(
        "--proba",
        is_flag=True,
        help="Work with probabilities, for models of --rule logistic: predict adds one per class, "
        "and --threshold is a probability.",
    ),
)
"""Options of predictions; :class:`PredictionOptions` takes their values."""
