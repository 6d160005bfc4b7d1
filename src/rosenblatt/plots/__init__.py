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
from pkgutil import iter_modules
from typing import Any

from rosenblatt.plots import displays

_FILES = {  # DecisionLineDisplay: decision_line
    f"{module.name.title().replace('_', '')}Display": module.name
    for module in iter_modules(displays.__path__)
}

__all__ = sorted(_FILES)


def __getattr__(name: str) -> Any:
    if name in _FILES:
        return getattr(import_module(f"rosenblatt.plots.displays.{_FILES[name]}"), name)
    raise AttributeError(f"module 'rosenblatt.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
