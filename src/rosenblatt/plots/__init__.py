"""Pictures of runs, models and studies, by scikit-learn's Display contract.

A display is made by ``from_estimator``, ``from_trace`` or another ``from_…``, holds its data as
attributes, and is drawn by ``plot(ax=None)``, which keeps ``ax_`` and ``figure_`` and returns the
display; those of several panels have ``plot(axes=None)`` and keep ``axes_``. matplotlib is imported
by ``plot`` only: it comes with the extra ``rosenblatt[plot]``. All displays have one style,
`rosenblatt.plots.style`: two colours and two shapes that everyone can tell apart, on paper and on
a wall.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "ClaimsDisplay": "claims",
    "CriterionDisplay": "criteria",
    "DecisionLineDisplay": "line",
    "GrowthDisplay": "growth",
    "LiftDisplay": "lift",
    "MarginHistogramDisplay": "margins",
    "OrdersDisplay": "orders",
    "StepsDisplay": "steps",
    "VotedRegionsDisplay": "votes",
    "WeightsDisplay": "weights",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.plots.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
