"""What the examples' pictures share: two colours that everyone can tell apart, and little ink."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

BLUE, VERMILION = "#0072B2", "#D55E00"  # Okabe and Ito's
COLOURS = (BLUE, VERMILION)  # of the first class and of the second
MARKERS = ("o", "s")
INK, GREY, PALE = "#333333", "#8C8C8C", "#EBEBEB"
TINTS = LinearSegmentedColormap.from_list("tints", [BLUE, "white", VERMILION])


def figure(width: float, height: float) -> Any:
    """Begin a picture, so many inches wide and high."""
    plt.rcParams.update({"svg.hashsalt": "rosenblatt", "font.family": "DejaVu Sans"})
    plt.rcParams.update({"axes.edgecolor": INK, "axes.labelcolor": INK, "text.color": INK})
    plt.rcParams.update({"xtick.color": INK, "ytick.color": INK, "axes.labelsize": 9})
    plt.rcParams.update({"xtick.labelsize": 8, "ytick.labelsize": 8})
    result = plt.figure(figsize=(width, height), layout="constrained")
    result.get_layout_engine().set(wspace=0.05, w_pad=0.06, h_pad=0.08)
    return result


def title(axes: Any, finding: str, evidence: str) -> None:
    """Write what a panel shows, and in smaller letters what it rests on."""
    axes.set_title(finding, loc="left", fontsize=12, fontweight="bold", color=INK, pad=20)
    write = axes.text2D if axes.name == "3d" else axes.text
    write(0, 1.02, evidence, transform=axes.transAxes, fontsize=9, color=INK, va="bottom")


def bare(axes: Any) -> None:
    """Take away what says nothing: ticks and frame."""
    axes.set(aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def plain(axes: Any) -> None:
    """Leave two of a frame's four sides."""
    axes.spines[["top", "right"]].set_visible(False)


def plane(axes: Any, X: Any) -> None:
    """Make room for the rows of ``X``, equal in both directions."""
    low, high = X.min(axis=0), X.max(axis=0)
    centre, half = (low + high) / 2, 0.56 * (high - low).max()
    axes.set(xlim=(centre[0] - half, centre[0] + half), ylim=(centre[1] - half, centre[1] + half))
    bare(axes)


def points(axes: Any, X: Any, y: Any, size: float = 30) -> None:
    """Draw both classes: round where y ≤ 0, square where y > 0."""
    for second, (colour, marker) in enumerate(zip(COLOURS, MARKERS, strict=True)):
        area = size * (0.8 if marker == "s" else 1.0)  # a square looks larger
        rows = X[(y > 0) == second].T
        axes.scatter(*rows, s=area, marker=marker, color=colour, linewidths=0, zorder=3)


def ring(axes: Any, X: Any, y: Any, rows: Any, size: float = 110) -> None:
    """Ring some rows in the colour of their class."""
    edges = [COLOURS[int(label > 0)] for label in y[rows]]
    axes.scatter(*X[rows].T, s=size, facecolors="none", edgecolors=edges, linewidths=1.4, zorder=4)


def line(axes: Any, w: Any, b: float, **look: Any) -> None:
    """Draw the line w·x + b = 0."""
    axes.axline(-b * w / (w @ w), slope=-w[0] / w[1], zorder=1, **look)


def regions(axes: Any, score: Any) -> None:
    """Tint the panel by the sign of ``score``, a function of rows, and draw where it is 0."""
    across, up, found = scores(axes, score)
    ends = [found.min() - 1, 0, found.max() + 1]
    axes.contourf(across, up, found, ends, colors=COLOURS, alpha=0.13, zorder=0)
    axes.contour(across, up, found, [0], colors=INK, linewidths=1.4, zorder=1)


def scores(axes: Any, score: Any) -> tuple[Any, Any, Any]:
    """``score`` of a grid of points that covers the panel, ready to be contoured."""
    sides = [np.linspace(*limits, 200) for limits in (axes.get_xlim(), axes.get_ylim())]
    across, up = np.meshgrid(*sides)
    found = score(np.column_stack([across.ravel(), up.ravel()]))
    return across, up, found.reshape(across.shape)


def save(figure: Any, name: str) -> None:
    """Put the picture into the folder where the example was started: the same bytes every time."""
    figure.savefig(
        f"{name}.svg", metadata={"Date": None}, bbox_inches="tight", pad_inches=0.1, dpi=200
    )
    plt.show()
