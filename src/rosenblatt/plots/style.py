"""What all pictures share: two colours that everyone can tell apart, and little ink.

matplotlib is imported by the functions that need it, never with this module.

Axes that grow by factors, with numbers that can be read aloud.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from rosenblatt.utils.tables import format_cell

Plot = TypeVar("Plot", bound=Callable[..., Any])

BLUE, VERMILION = "#0072B2", "#D55E00"  # Okabe and Ito's
COLOURS = (BLUE, VERMILION)  # of the first class and of the second
MARKERS = ("o", "s")
INK, GREY, PALE = "#333333", "#8C8C8C", "#EBEBEB"
EVIDENCE_GID = "evidence"  # by which the words under a title are found again
UNEQUAL_RATIO = 10.0  # from this ratio of their ranges on, equal directions hide one of two columns
FEW, SMALL = 40, 0.2  # so many marks have their full size, and none less than this share of it
LEGEND_STYLE = {"frameon": False, "fontsize": 9, "handletextpad": 0.4, "columnspacing": 1.2}
RC_PARAMS = {
    "font.family": "DejaVu Sans",
    "figure.facecolor": "white",  # in a dark session, too: our inks need paper
    "axes.facecolor": "white",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


def pyplot() -> Any:
    """Hand out pyplot; without matplotlib, an ImportError that says what to install."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Pictures are drawn by matplotlib: pip install 'rosenblatt[plot]'."
        ) from error
    return plt


def styled(plot: Plot) -> Plot:
    """Draw in our look, and leave the session's own as it was: for every display's ``plot``."""

    @wraps(plot)
    def drawn(*args: Any, **options: Any) -> Any:
        with pyplot().rc_context(RC_PARAMS):
            return plot(*args, **options)

    return cast(Plot, drawn)


def figure(width: float, height: float) -> Any:
    """Begin a picture, so many inches wide and high; the session has our look from here on."""
    plt = pyplot()
    plt.rcParams.update(RC_PARAMS)
    result = plt.figure(figsize=(width, height), layout="constrained")
    result.get_layout_engine().set(wspace=0.05, w_pad=0.06, h_pad=0.08)
    return result


def axes_for(ax: Any, width: float = 4.5, height: float = 4.0, **options: Any) -> Any:
    """Return `ax`, or the axes of a new picture where it is None."""
    return figure(width, height).add_subplot(**options) if ax is None else ax


def panels(axes: Any, count: int, per_row: int, width: float, height: float) -> list[Any]:
    """Return as many of `axes` as asked for, or those of a new picture where they are None.

    There each is so many inches wide and high, and a row has ``per_row`` at most.
    """
    if axes is not None:
        flat = list(np.ravel(axes))
        if len(flat) < count:
            raise ValueError(f"{count} panels need as many axes, got {len(flat)}")
        return flat[:count]
    columns = min(count, per_row)
    rows = -(-count // columns)
    new = figure(width * columns, height * rows).subplots(rows, columns, squeeze=False).ravel()
    for spare in new[count:]:
        spare.set_axis_off()
    return list(new[:count])


def class_colormap() -> Any:
    """The colours between the classes': blue, white where it is even, vermilion."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("tints", [BLUE, "white", VERMILION])


def title(axes: Any, finding: str, evidence: str = "") -> None:
    """Write what a panel shows, and in smaller letters what it rests on; earlier words go."""
    axes.set_title(finding, loc="left", fontsize=12, fontweight="bold", color=INK, pad=20)
    axes.set_anchor("N")  # spare room goes below, so that no title is cut off
    for earlier in [text for text in axes.texts if text.get_gid() == EVIDENCE_GID]:
        earlier.remove()
    write = axes.text2D if axes.name == "3d" else axes.text
    look = {"transform": axes.transAxes, "fontsize": 9, "color": INK, "va": "bottom"}
    write(0, 1.02, evidence, gid=EVIDENCE_GID, **look)


def minus(text: str) -> str:
    """Write a number's sign as a minus, as long as a plus, not as a hyphen."""
    return text.replace("-", "−")


def without_axes(axes: Any) -> None:
    """Take away what says nothing: ticks and frame."""
    axes.set(aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def open_frame(axes: Any) -> None:
    """Leave two of a frame's four sides."""
    axes.spines[["top", "right"]].set_visible(False)


def fit_limits(axes: Any, X: Any) -> None:
    """Make room for the rows of ``X``, equal in both directions."""
    low, high = X.min(axis=0), X.max(axis=0)
    centre, half = (low + high) / 2, 0.56 * (high - low).max() or 1.0
    axes.set(xlim=(centre[0] - half, centre[0] + half), ylim=(centre[1] - half, centre[1] + half))
    axes.set(aspect="equal")


def fit_limits_by_units(axes: Any, X: Any) -> bool:
    """Make `fit_limits`, or room of two scales where one range of ``X`` is far longer.

    Return whether the scales are equal.
    """
    spans = np.ptp(X, axis=0)
    if not spans.max() > UNEQUAL_RATIO * spans.min() > 0:
        fit_limits(axes, X)
        return True
    low, high = X.min(axis=0) - 0.06 * spans, X.max(axis=0) + 0.06 * spans
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="auto")
    return False


def plane_panel(axes: Any, X: Any) -> None:
    """Make room for the rows of ``X``, and take away what says nothing."""
    fit_limits(axes, X)
    without_axes(axes)


def points(axes: Any, X: Any, y: Any, size: float | None = None) -> list[Any]:
    """Draw both classes: round where y ≤ 0, square where y > 0; return them.

    None is 30, and less for many points, so that they do not run into each other.
    """
    size = 30 * mark_share(len(X)) if size is None else size
    drawn = []
    for second, (colour, marker) in enumerate(zip(COLOURS, MARKERS, strict=True)):
        area = size * (0.8 if marker == "s" else 1.0)  # a square looks larger
        rows = X[(y > 0) == second].T
        look = {"marker": marker, "color": colour, "linewidths": 0}
        drawn.append(axes.scatter(*rows, s=area, zorder=3, **look))
    return drawn


def mark_share(n: int) -> float:
    """The area of a mark among n, as a share of that of one alone."""
    return float(np.clip((FEW / n) ** 0.5, SMALL, 1))


def line_reach(n: int) -> float:
    """How far from the middle of n points a line may run and be shown, in widths of the points.

    Many points need the room; few stay apart however small they are drawn.
    """
    return 0.5 + 4 / n


def ring_points(axes: Any, X: Any, y: Any, rows: Any, size: float | None = None) -> Any:
    """Ring some rows in the colour of their class; return the rings. None fits `points`."""
    size = 110 * mark_share(len(X)) if size is None else size
    look = {"facecolors": "none", "edgecolors": [COLOURS[int(label > 0)] for label in y[rows]]}
    return axes.scatter(*X[rows].T, s=size, linewidths=1.4, zorder=4, **look)


def nearest_on_line(w: Any, b: float, x: Any) -> Any:
    """The point of the line w·x + b = 0 that is nearest to x."""
    return x - (w @ x + b) * w / (w @ w)


def line(axes: Any, w: Any, b: float, **look: Any) -> Any:
    """Draw the line w·x + b = 0; return it."""
    start, along = nearest_on_line(w, b, np.zeros(2)), np.array([-w[1], w[0]]) / np.hypot(*w)
    return axes.axline(start, start + along, zorder=1, **look)


def arrow(axes: Any, start: Any, end: Any, **look: Any) -> Any:
    """Draw an arrow between two points; return it."""
    shape = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 14, **look}
    return axes.annotate("", end, start, arrowprops=shape, zorder=5)


def annotate(axes: Any, text: str, at: Any, shift: Any = (0, 0), **look: Any) -> Any:
    """Write at a point, shifted by so many printer's points, with a white halo; return it."""
    from matplotlib.patheffects import withStroke

    look = {"fontsize": 11, "ha": "center", "va": "center", "zorder": 6, **look}
    halo = [withStroke(linewidth=3, foreground="white")]
    return axes.annotate(
        text, at, tuple(shift), textcoords="offset points", path_effects=halo, **look
    )


def regions(axes: Any, score: Any) -> Any:
    """Tint the panel by the sign of ``score``, a function of rows, and draw where it is 0."""
    grid = score_grid(axes, score)
    ends = [min(grid[2].min(), 0) - 1, 0, max(grid[2].max(), 0) + 1]
    axes.contourf(*grid, ends, colors=COLOURS, alpha=0.13, zorder=0)
    return boundary(axes, grid, color=INK, linewidth=1.4)


def boundary(axes: Any, grid: tuple[Any, Any, Any], **look: Any) -> Any:
    """Draw where the `score_grid` of a grid is 0; return the contour, or None if it has none."""
    if not grid[2].min() < 0 < grid[2].max():
        return None
    look = {f"{name}s": value for name, value in look.items()}  # contours take several
    return axes.contour(*grid, [0], zorder=2, **look)


def legend(axes: Any, handles: Any, labels: Any, columns: int = 4) -> Any:
    """Say under the panel what the marks and lines are."""
    where = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12), "ncols": columns}
    return _with_full_marks(axes.legend(handles, labels, **where, **LEGEND_STYLE))


def figure_legend(figure: Any, handles: Any, labels: Any) -> Any:
    """Say once, under all panels of a picture of our own, what the marks are."""
    where = {"loc": "outside lower center", "ncols": len(labels)}
    return _with_full_marks(figure.legend(handles, labels, **where, **LEGEND_STYLE))


def _with_full_marks(drawn: Any) -> Any:
    """A legend whose marks are as large as if they were few."""
    for mark in drawn.legend_handles:
        if hasattr(mark, "set_sizes"):
            mark.set_sizes([30])
    return drawn


def score_grid(axes: Any, score: Any) -> tuple[Any, Any, Any]:
    """``score`` of a grid of points that covers the panel, ready to be contoured."""
    sides = [np.linspace(a, z, 200) for a, z in (axes.get_xlim(), axes.get_ylim())]
    across, up = np.meshgrid(*sides)
    values = score(np.column_stack([across.ravel(), up.ravel()]))
    return across, up, values.reshape(across.shape)


def log_axis(axes: Any, name: str) -> None:
    """Make the axis "x" or "y" logarithmic, once its data are drawn: 1, 10, 100, …, no powers.

    Where they span less than two factors of ten, 2, 20, … and 5, 50, … are written, too.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set(**{f"{name}scale": "log"})
    low, high = getattr(axes, f"get_{name}lim")()
    axis = getattr(axes, f"{name}axis")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: format_cell(value)))
