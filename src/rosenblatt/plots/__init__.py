"""Plots of runs, models and studies, as scikit-learn Displays.

``from_estimator``, ``from_trace`` and every other ``from_…`` compute a display, draw it on ``ax``
or, if ``ax`` is None, on a new figure, and return it. The data is in attributes, and so is the
drawing: ``ax_``, ``figure_`` and artists. ``plot(ax=None)`` draws the display again. Displays with
several panels take several axes as ``ax`` and keep them as ``axes_``. Most have a legend below
their axes: create your axes by ``plt.subplots(layout="constrained")``, else it is cut off.

An argument of another type is a TypeError; an estimator that is not fitted is scikit-learn's
NotFittedError; data of another shape, an unknown label or too few axes is a ValueError; an unknown
step or weight vector is an IndexError. matplotlib is imported when a display is drawn: it comes
with the extra ``rosenblatt[plot]``, and without it drawing is an ImportError. All displays have one
style, `rosenblatt.plots.style`: two colours and two shapes that are distinct with colour blindness
and in print, on white also in a dark session.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "CertificateDisplay": "certificates",
    "ClaimsDisplay": "claims",
    "ClassRegionsDisplay": "regions",
    "CriterionDisplay": "criteria",
    "CycleDisplay": "cycles",
    "DecisionLineDisplay": "line",
    "GrowthDisplay": "studies",
    "LiftDisplay": "lift",
    "MarginHistogramDisplay": "margins",
    "OrdersDisplay": "studies",
    "ProgressiveDisplay": "progressive",
    "StepsDisplay": "steps",
    "VotedRegionsDisplay": "regions",
    "WeightsDisplay": "weights",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rosenblatt.plots.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
