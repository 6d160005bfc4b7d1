"""Weights of an image classifier, drawn as images."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.plots import base, checks, style
from rosenblatt.utils.arrays import Array, ArrayLike
from rosenblatt.utils.checks import check_array, check_int

PANELS_PER_ROW = 5  # largest number of images in a row of the figure


class WeightsDisplay(base.PanelsDisplay):
    """The weights of each class as an image: vermilion for positive weights, blue for negative.

    All images have one scale, from ``-max |w|`` to ``max |w|``, white at 0. Two classes have one
    image, of the second class. Create it by `from_estimator` or `from_weights`. Lecture rows L0.7,
    L3.5.

    Parameters
    ----------
    weights : array of shape (K, height, width)
    classes : sequence of str, of length K

    Attributes
    ----------
    axes_ : list of matplotlib Axes
    figure_ : matplotlib Figure
    images_ : list of matplotlib artists

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(max_iter=1, tol=None).fit(*load_digits(return_X_y=True))
    >>> WeightsDisplay.from_estimator(model, shape=(8, 8)).weights.shape
    (10, 8, 8)
    """

    def __init__(self, weights: Array, classes: tuple[str, ...]) -> None:
        self.weights, self.classes = weights, classes

    @classmethod
    def from_estimator(
        cls, estimator: Any, shape: tuple[int, int], *, ax: style.Panels | None = None
    ) -> Self:
        """Draw the weights of a fitted linear classifier, ours or scikit-learn's.

        Parameters
        ----------
        estimator : classifier with ``coef_`` of shape (1, d) or (K, d)
        shape : pair of int
            Height and width of an image, of product d.
        ax : sequence of matplotlib Axes, optional
            One per image.
        """
        coef = checks.coefficients(estimator, ", a weight for every pixel")
        classes = checks.class_names(estimator.classes_)[-len(coef) :]
        return cls.from_weights(coef, shape, classes, ax=ax)

    @classmethod
    def from_weights(
        cls,
        weights: ArrayLike,
        shape: tuple[int, int],
        classes: object = None,
        *,
        ax: style.Panels | None = None,
    ) -> Self:
        """Draw an array of weights.

        Parameters
        ----------
        weights : array of shape (K, d)
        shape : pair of int
            Height and width of an image, of product d.
        classes : sequence of length K, default None
            Titles of the images; None numbers them from 0.
        ax : sequence of matplotlib Axes, optional
            One per image.

        Raises
        ------
        ValueError
            ``shape`` or ``classes`` do not fit the weights.
        """
        rows = check_array(weights, "weights", "(K, d)", 2)
        if np.shape(shape) != (2,):
            raise ValueError(f"shape must be a pair (height, width), got {shape!r}")
        height, width = (check_int(side, "a side of shape", minimum=1) for side in shape)
        if rows.shape[1] != height * width:
            raise ValueError(
                f"shape must be (height, width) of {rows.shape[1]} pixels, got {height} × {width}; "
                f"for a single line of them, (1, {rows.shape[1]})"
            )
        names = checks.class_names(range(len(rows)) if classes is None else classes)
        if len(names) != len(rows):
            raise ValueError(f"classes must be {len(rows)}, got {len(names)}")
        return cls(rows.reshape(-1, height, width), names).plot(ax)

    def _panels(self, axes: style.Panels | None) -> style.Panels:
        count, height, width = self.weights.shape
        side = 1.8 if count > 1 else 3.6
        return style.panels(axes, count, PANELS_PER_ROW, side, 0.5 + 0.85 * side * height / width)

    def _draw(self, *, new_figure: bool) -> None:
        limit = float(np.abs(self.weights).max()) or 1.0
        scale = {"cmap": style.class_colormap(), "vmin": -limit, "vmax": limit}
        self.images_ = []
        for panel, image, name in zip(self.axes_, self.weights, self.classes, strict=True):
            self.images_.append(panel.imshow(image, **scale))
            panel.set(xticks=[], yticks=[])
            panel.spines[:].set_color(style.GREY)
            panel.set_title(name, color=style.INK, **style.TITLE_STYLE)
        bar = self.figure_.colorbar(self.images_[0], ax=self.axes_, shrink=0.7, aspect=24)
        bar.set_ticks([-limit, 0, limit], labels=["against", "0", "for"])
        bar.outline.set_visible(False)
