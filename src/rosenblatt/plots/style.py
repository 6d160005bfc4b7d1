"""The common style of all plots, and drawing functions.

Two colours that are distinct with colour blindness, and few lines. The functions import matplotlib;
importing this module does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from rosenblatt.utils.arrays import Array, ArrayLike
from rosenblatt.utils.tables import format_cell

# Of matplotlib, whose own annotations refuse keywords that its functions take.
Artist: TypeAlias = Any
Axes: TypeAlias = Any
Figure: TypeAlias = Any
Panels: TypeAlias = Sequence[Axes] | Array
Look: TypeAlias = dict[str, Any]
"""Keywords of matplotlib that say how something is drawn."""
Score: TypeAlias = Callable[[Array], Array]
"""A function of rows in the plane."""

BLUE, VERMILION = "#0072B2", "#D55E00"  # Okabe and Ito's
GREEN, PURPLE = "#00875A", "#9B3F8F"
INK, GREY, PALE = "#333333", "#8C8C8C", "#EBEBEB"
# A colour and a marker mean a class; curves that are no classes have colours of their own.
COLOURS = (BLUE, VERMILION)  # of the first class and of the second
MARKERS = ("o", "s")
CLASS_COLOURS = (*COLOURS, "#D1A100", "#56B4E9", "#7A5195", INK)  # of up to six classes
CLASS_MARKERS = (*MARKERS, "^", "D", "v", "P")
SERIES = tuple(zip((GREEN, PURPLE, INK, GREY), "dpX*", strict=True))
LEGEND_DEPTH = 32  # printer's points below a panel, for ticks and the name of the axis
TITLE, TEXT, SMALL_TEXT = 13, 10, 9  # sizes of letters, readable on a projector
EVIDENCE_GID = "evidence"  # identifies the text under a title
UNEQUAL_RATIO = 10.0  # columns whose ranges have a larger ratio are drawn on two scales
FEW, SMALL = 40, 0.2  # number of marks with full size, and the smallest share of it
LABEL_ROOM = 34  # printer's points around points with labels of a few letters
TITLE_STYLE: Look = {"loc": "left", "fontsize": TITLE, "fontweight": "bold"}
LEGEND_STYLE: Look = {
    "frameon": False,
    "fontsize": TEXT,
    "handletextpad": 0.4,
    "columnspacing": 1.2,
}
RC_PARAMS = {
    "font.family": "DejaVu Sans",
    "figure.facecolor": "white",  # also in a dark session: the colours need a white ground
    "axes.facecolor": "white",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "font.size": TEXT,
    "axes.labelsize": TEXT,
    "xtick.labelsize": SMALL_TEXT,
    "ytick.labelsize": SMALL_TEXT,
}


def pyplot() -> Any:
    """Return pyplot; without matplotlib, an ImportError names the package to install."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Pictures are drawn by matplotlib: pip install matplotlib.") from error
    return plt


@contextmanager
def common_style() -> Iterator[None]:
    """Set the session's style to the common one, and then back; also decorates functions.

    ``pyplot.rc_context`` would restore every parameter. A notebook's backend switches
    ``interactive`` on with the first figure; switched off again, no later figure is shown.
    """
    session = pyplot().rcParams
    before = {name: session[name] for name in RC_PARAMS}
    session.update(RC_PARAMS)
    try:
        yield
    finally:
        session.update(before)


def figure(width: float, height: float) -> Figure:
    """Return a new figure of a size in inches, and set the session's style to the common one."""
    plt = pyplot()
    plt.rcParams.update(RC_PARAMS)
    result = plt.figure(figsize=(width, height), layout="constrained")
    result.get_layout_engine().set(wspace=0.05, w_pad=0.06, h_pad=0.08)
    return result


def panels(
    axes: Panels | None, count: int, per_row: int, width: float, height: float
) -> list[Axes]:
    """Return the first ``count`` of `axes`, or the axes of a new figure if `axes` is None.

    The panels of a new figure have a size in inches, and at most ``per_row`` are in a row.
    """
    if axes is not None:
        flat = list(np.ravel(axes))
        if len(flat) < count:
            raise ValueError(f"ax must have {count} axes for {count} panels, got {len(flat)}")
        return flat[:count]
    columns = min(count, per_row)
    rows = -(-count // columns)
    new = figure(width * columns, height * rows).subplots(rows, columns, squeeze=False).ravel()
    for spare in new[count:]:
        spare.set_axis_off()
    return list(new[:count])


def class_colormap() -> Any:
    """Return the colour map from blue, the first class, over white to vermilion, the second."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("tints", [BLUE, "white", VERMILION])


def title(axes: Axes, finding: str, evidence: str = "") -> None:
    """Set the title of a panel, and below it the evidence in smaller letters, of a line or more."""
    pad = 7 + 1.35 * TEXT * (1 + evidence.count("\n"))
    axes.set_title(finding, color=INK, pad=pad, **TITLE_STYLE)
    axes.set_anchor("N")  # spare space is below, so that no title is cut off
    for earlier in [text for text in axes.texts if text.get_gid() == EVIDENCE_GID]:
        earlier.remove()
    from matplotlib.transforms import ScaledTranslation

    write = axes.text2D if axes.name == "3d" else axes.text
    above = axes.transAxes + ScaledTranslation(0, 5 / 72, axes.figure.dpi_scale_trans)
    look = {"transform": above, "fontsize": TEXT, "color": INK, "va": "bottom"}
    write(0, 1, evidence, gid=EVIDENCE_GID, in_layout=False, **look)  # the title has the space


def minus(text: str) -> str:
    """Replace hyphens by minus signs."""
    return text.replace("-", "−")


def without_axes(axes: Axes) -> None:
    """Remove ticks and frame."""
    axes.set(aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def open_frame(axes: Axes) -> None:
    """Remove the top and the right side of the frame."""
    axes.spines[["top", "right"]].set_visible(False)


def name_axes(axes: Axes, names: Sequence[str], ticks: int = 5) -> None:
    """Set the names of both axes, and the largest number of intervals between their ticks."""
    axes.locator_params(nbins=ticks)
    axes.set(xlabel=names[0], ylabel=names[1])


def origin(axes: Axes) -> None:
    """Draw the origin as a grey cross."""
    axes.plot(0, 0, color=GREY, marker="+", markersize=12, zorder=1)


def fit_limits(axes: Axes, X: Array, label_room: float = 0.0) -> None:
    """Set limits that include the rows of ``X``, with equal scales.

    ``label_room`` is the space around the rows for their labels, in printer's points.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    view(axes, (low + high) / 2, _half(axes, label_room) * (high - low).max() or 1.0)


def view(axes: Axes, centre: Array, half: float) -> None:
    """Set limits around a centre, with equal scales."""
    axes.set(xlim=(centre[0] - half, centre[0] + half), ylim=(centre[1] - half, centre[1] + half))
    axes.set(aspect="equal")


def fit_limits_by_units(axes: Axes, X: Array, label_room: float = 0.0) -> bool:
    """Set limits that include the rows of ``X``; return True if the scales are equal.

    They are not if one column's range is much larger than the other's.
    """
    spans = np.ptp(X, axis=0)
    if not spans.max() > UNEQUAL_RATIO * spans.min() > 0:
        fit_limits(axes, X, label_room)
        return True
    centre, half = (X.min(axis=0) + X.max(axis=0)) / 2, _half(axes, label_room) * spans
    low, high = centre - half, centre + half
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="auto")
    return False


def _half(axes: Axes, label_room: float) -> float:
    """Return half the width of a panel, relative to the width of its rows."""
    box = axes.get_window_extent()
    share = label_room * axes.figure.dpi / 72 / min(box.width, box.height)
    return float(max(0.56, 0.5 / (1.0 - 2.0 * min(share, 0.3))))


def plane_panel(axes: Axes, X: Array) -> None:
    """Set limits that include the rows of ``X``, and remove ticks and frame."""
    fit_limits(axes, X)
    without_axes(axes)


def points(axes: Axes, X: Array, y: Array, size: float | None = None) -> list[Artist]:
    """Draw both classes, circles for y ≤ 0 and squares for y > 0; return the two artists.

    The default size is 30, and smaller for many points.
    """
    size = 30 * mark_share(len(X)) if size is None else size
    drawn = []
    for second, (colour, marker) in enumerate(zip(COLOURS, MARKERS, strict=True)):
        area = size * (0.8 if marker == "s" else 1.0)  # a square looks larger
        rows = X[(y > 0) == second]
        look = {"marker": marker, "color": colour, "linewidths": 0}
        drawn.append(axes.scatter(*rows.T, s=area, zorder=layer(len(rows), len(X)), **look))
    return drawn


def layer(n_class: int, n: int) -> float:
    """Return the zorder of the marks of a class, from 3 to 3.5: a rare class is on top."""
    return 3.5 - 0.5 * n_class / n


def mark_share(n: int) -> float:
    """Return the area of one of n marks, as a share of the full size."""
    return float(np.clip((FEW / n) ** 0.5, SMALL, 1))


def line_reach(n: int) -> float:
    """Return the largest distance of a visible line from the centre of n points, in their widths.

    It is smaller for many points, which need the space.
    """
    return 0.5 + 4 / n


def ring_points(
    axes: Axes, X: Array, y: Array, rows: Array, size: float | None = None, width: float = 1.4
) -> Artist:
    """Draw rings around rows in the colour of their class; the default size fits `points`."""
    size = 110 * mark_share(len(X)) if size is None else size
    look = {"facecolors": "none", "edgecolors": [COLOURS[int(label > 0)] for label in y[rows]]}
    return axes.scatter(*X[rows].T, s=size, linewidths=width, zorder=4, **look)


def clear_shift(
    axes: Axes, at: Array, directions: Sequence[Array] | Array, others: ArrayLike, length: float
) -> Array:
    """Return the shift of a label, in printer's points, that is farthest from other points.

    A label outside the panel would cover the numbers of the axes: it is shifted so only if it is
    outside with every direction.

    Parameters
    ----------
    at : array of shape (2,)
        The labelled point.
    directions : sequence of arrays of shape (2,)
        Unit vectors; the label is shifted along one of them, the first of equals.
    others : array of shape (m, 2)
        Points to stay clear of.
    length : float
        Length of the shift in printer's points.
    """
    width = np.ptp(axes.get_xlim())
    step = length * width / (72 * axes.get_window_extent().width / axes.figure.dpi)
    low, high = np.transpose([axes.get_xlim(), axes.get_ylim()])
    room = [
        np.hypot(*(np.asarray(others) - (at + step * unit)).T).min(initial=step)
        - 2 * step * (at + step * unit != np.clip(at + step * unit, low, high)).any()
        for unit in directions
    ]
    return np.multiply(length, directions[int(np.argmax(room))])


def crosses(axes: Axes, w: Array, b: float) -> bool:
    """Return whether the line w·x + b = 0 crosses the panel."""
    corners = np.array([(x, y) for x in axes.get_xlim() for y in axes.get_ylim()])
    scores = corners @ w + b
    return bool(scores.min() <= 0.0 <= scores.max())


def nearest_on_line(w: Array, b: float, x: Array) -> Array:
    """Return the point of the line w·x + b = 0 nearest to x."""
    return np.asarray(x - (w @ x + b) * w / (w @ w))


def line(axes: Axes, w: Array, b: float, **look: object) -> Artist:
    """Draw the line w·x + b = 0; return it."""
    start, along = nearest_on_line(w, b, np.zeros(2)), np.array([-w[1], w[0]]) / np.hypot(*w)
    return axes.axline(start, start + along, zorder=1, **look)


def band(axes: Axes, w: Array, b: float, half: float, **look: object) -> Artist:
    """Draw the points at most ``half`` away from the line w·x + b = 0; return them."""
    unit = np.asarray(w) / np.hypot(*w)
    centre = [np.mean(axes.get_xlim()), np.mean(axes.get_ylim())]
    middle = nearest_on_line(w, b, np.array(centre))
    width = 2 * max(np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim()))
    across, along = half * unit, width * np.array([-unit[1], unit[0]])
    corners = [along + across, along - across, -along - across, -along + across]
    (drawn,) = axes.fill(*np.transpose(middle + corners), zorder=0, **look)
    return drawn


def points_along(path: Sequence[Array] | Array, count: int = 24) -> Array:
    """Return ``count`` points on each side of a path, which labels stay clear of."""
    steps = np.linspace(0.0, 1.0, count)[:, None]
    return np.vstack([a + steps * (b - a) for a, b in pairwise(path)])


def arrow(axes: Axes, start: Array, end: Array, **look: object) -> Artist:
    """Draw an arrow between two points; return it."""
    shape = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 14, **look}
    return axes.annotate("", end, start, arrowprops=shape, zorder=5)


def annotate(
    axes: Axes,
    text: str,
    at: Sequence[float] | Array,
    shift: Sequence[float] | Array = (0, 0),
    **look: object,
) -> Artist:
    """Write text at a point, with an offset in printer's points and a white halo; return it."""
    look = {"fontsize": 11, "ha": "center", "va": "center", "zorder": 6, **look}
    return axes.annotate(
        text, at, tuple(shift), textcoords="offset points", path_effects=halo(3), **look
    )


def halo(width: float) -> Any:
    """Return path effects: a white outline, so that a mark is readable over others."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=width, foreground="white")]


def regions(axes: Axes, score: Score) -> Any:
    """Fill the panel by the sign of ``score``, a function of rows, and draw its zero contour."""
    grid = score_grid(axes, score)
    tint_sides(axes, grid)
    return boundary(axes, grid, color=INK, linewidth=1.4)


def tint_sides(axes: Axes, grid: tuple[Array, Array, Array]) -> None:
    """Fill the panel by the signs of a `score_grid`."""
    ends = [min(grid[2].min(), 0) - 1, 0, max(grid[2].max(), 0) + 1]
    axes.contourf(*grid, ends, colors=COLOURS, alpha=0.13, zorder=0)


def boundary(axes: Axes, grid: tuple[Array, Array, Array], **look: object) -> Any:
    """Draw the zero contour of a `score_grid`; return it, or None if all signs are equal."""
    if not grid[2].min() < 0 < grid[2].max():
        return None
    look = {f"{name}s": value for name, value in look.items()}  # contours take several
    return axes.contour(*grid, [0], zorder=2, **look)


def legend(
    axes: Axes, handles: Sequence[Artist], labels: Sequence[str], columns: int = 4, note: str = ""
) -> None:
    """Draw a legend under the panel, with a note above it."""
    from matplotlib.transforms import ScaledTranslation

    below = axes.transAxes + ScaledTranslation(0, -LEGEND_DEPTH / 72, axes.figure.dpi_scale_trans)
    where: Look = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "ncols": columns}
    where |= {"bbox_transform": below, "title": note or None}
    _fill_marks(axes.legend(handles, labels, **where, **LEGEND_STYLE))


def figure_legend(
    figure: Figure, handles: Sequence[Artist], labels: Sequence[str], note: str = ""
) -> None:
    """Draw one legend under all panels of a new figure, with a note above it."""
    where = {"loc": "outside lower center", "ncols": len(labels), "title": note or None}
    _fill_marks(figure.legend(handles, labels, **where, **LEGEND_STYLE))


def _fill_marks(legend: Artist) -> None:
    """Set the marks of a legend to full size."""
    for mark in legend.legend_handles:
        if hasattr(mark, "set_sizes"):
            mark.set_sizes([30])


def tint(axes: Axes, grid: Array, low: float, high: float, **look: object) -> Artist:
    """Fill the panel with the colours of the values of a `score_grid`, from low to high."""
    extent = (*axes.get_xlim(), *axes.get_ylim())
    where = {"extent": extent, "origin": "lower", "aspect": axes.get_aspect(), "zorder": 0}
    return axes.imshow(grid, vmin=low, vmax=high, **where, **look)


def score_grid(axes: Axes, score: Score) -> tuple[Array, Array, Array]:
    """Return ``score`` on a grid of points that covers the panel, for contour plots."""
    sides = [np.linspace(a, z, 200) for a, z in (axes.get_xlim(), axes.get_ylim())]
    across, up = np.meshgrid(*sides)
    values = score(np.column_stack([across.ravel(), up.ravel()]))
    return across, up, values.reshape(across.shape)


def log_axis(axes: Axes, name: str) -> None:
    """Make the axis "x" or "y" logarithmic, after its data is drawn, with ticks 1, 10, 100, ….

    If the data spans less than two decades, also with ticks 2, 20, … and 5, 50, ….
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set(**{f"{name}scale": "log"})
    low, high = getattr(axes, f"get_{name}lim")()
    axis = getattr(axes, f"{name}axis")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: format_cell(value)))
