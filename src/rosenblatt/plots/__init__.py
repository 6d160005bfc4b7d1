"""Pictures of runs, models and studies, by scikit-learn's Display contract.

``from_estimator``, ``from_trace`` and every other ``from_…`` compute a display, draw it on ``ax``
or on a new picture, and return it. It holds its data as attributes, and what is drawn as ``ax_``,
``figure_`` and artists; ``plot(ax=None)`` draws it again elsewhere. Those of several panels take
several axes as ``ax`` and keep them as ``axes_``. Most have a legend under their axes: make your
own by ``plt.subplots(layout="constrained")``, else it is cut off. matplotlib is imported when
something is drawn: it comes with the extra ``rosenblatt[plot]``, and where it is missing an
ImportError says so. All displays have one style, `rosenblatt.plots.style`: two colours and two
shapes that everyone can tell apart, on paper and on a wall, white also in a dark session.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "ClaimsDisplay": "claims",
    "CriterionDisplay": "criteria",
    "DecisionLineDisplay": "line",
    "GrowthDisplay": "studies",
    "LiftDisplay": "lift",
    "MarginHistogramDisplay": "margins",
    "OrdersDisplay": "studies",
    "ProgressiveDisplay": "progressive",
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
