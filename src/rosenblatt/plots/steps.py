"""A run step by step: a strip of pictures, or one that moves.

Animations as files: a GIF, or a page that fetches nothing from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.plots import style
from rosenblatt.plots.checks import plane_rows, run_classes
from rosenblatt.plots.style import GREY, INK
from rosenblatt.theory.textbook.claims import check_trace
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.checks import check_float

# matplotlib's page takes the signs on its buttons from a web font: these are letters of any font.
BUTTON_SIGNS = {
    "minus": "−",
    "fast-backward": "⏮",
    "step-backward": "◁",
    "pause": "❚❚",
    "play": "▶",
    "flip-horizontal": "◀",  # of a button that is a play, too: the later rule holds
    "step-forward": "▷",
    "fast-forward": "⏭",
    "plus": "+",
}
BUTTON_RULES = "".join(
    f'.fa-{name}::before {{ content: "{sign}"; }}\n' for name, sign in BUTTON_SIGNS.items()
)
BUTTON_STYLE = f"<style>\n.fa {{ font-style: normal; }}\n{BUTTON_RULES}</style>"


def write_gif(animation: Any, path: Path, fps: float) -> None:
    """Write a GIF that plays for ever."""
    animation.save(path, writer="pillow", fps=fps)


def write_html(animation: Any, path: Path, fps: float) -> None:
    """Write a page with buttons, its pictures within it."""
    page = animation.to_jshtml(fps=fps, default_mode="once")
    page = re.sub(r"<link[^>]*>", BUTTON_STYLE, page, count=1)
    head = f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{path.stem}</title>'
    path.write_text(f"{head}\n{page}", encoding="utf-8")


WRITERS: dict[str, Callable[[Any, Path, float], None]] = {".gif": write_gif, ".html": write_html}

Array = NDArray[Any]

MAX_STEPS = 8  # moves of w that are shown where no steps are named
PANELS_PER_ROW = 4  # panels in a row of the picture, at most
MAX_ARROW = 0.42  # the longest w, in widths of what is shown besides
MAX_UNSCALED = 1.5  # up to here w has the scale of the points, if both begin at the origin
NAME_ROOM = 0.12  # room for the name at an arrow's end


class StepsDisplay:
    """Steps of a run in the plane: the row looked at, w and its line before and after.

    Before is grey and dashed, after is black. All arrows of a display have one scale, and begin on
    their lines. Lines far away from the points are not drawn, but named under the panel: many
    points need the room. Without an offset the arrows begin at the origin, a grey cross, and the
    scale is that of the points unless w is far longer than they are: with η = 1 the first w′ ends
    on the row that it was made of, or on its negative. Only there a dotted line from w to w′ is
    drawn, the correction η y x. The row looked at is ringed; where a step corrects several mistakes
    at once, as in a batch, all of these. `from_trace` draws the strip. For a film there is no need
    of one: ``StepsDisplay(run).save("steps.gif")``. Lecture rows L0.2, L0.3, L3.2, L3.3.

    Parameters
    ----------
    run : Trace
        Of points in the plane.
    steps : sequence of int, default None
        Which steps, from 0; negative ones count from the end. None shows those that move w, the
        first eight at most.

    Attributes
    ----------
    steps_ : tuple of int
        The steps that are drawn, from 0.
    axes_ : list of matplotlib Axes
    figure_ : matplotlib Figure
    points_ : list of matplotlib artists
        Both classes in the panel that was drawn last.

    Examples
    --------
    >>> from rosenblatt import toys
    >>> from rosenblatt.textbook import augmented_perceptron
    >>> toy = toys.two_points()
    >>> StepsDisplay.from_trace(augmented_perceptron(toy.X, toy.y)).steps_
    (0, 1)
    """

    def __init__(self, run: Trace, steps: Sequence[int] | None = None) -> None:
        self.run, self.steps = run, steps

    @classmethod
    def from_trace(
        cls, run: Trace, steps: Sequence[int] | None = None, *, ax: Any = None
    ) -> StepsDisplay:
        """Draw the strip of a recorded run.

        Parameters
        ----------
        run : Trace
            Of points in the plane.
        steps : sequence of int, default None
            Which steps, from 0; negative ones count from the end. None shows those that move w,
            the first eight at most.
        ax : sequence of matplotlib Axes, default None
            As many as there are steps; None begins a new picture.

        Raises
        ------
        TypeError, ValueError, IndexError
            As `plot` does.
        """
        return cls(run, steps).plot(ax)

    @style.styled
    def plot(self, ax: Any = None) -> StepsDisplay:
        """Draw the strip, on as many axes as there are steps or on a new picture.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If the run is none.
        ValueError
            If the points are not in the plane, there is no step to show, or there are fewer axes
            than steps.
        IndexError
            If there is no such step.
        """
        self.steps_ = self._numbers()
        self.axes_ = style.panels(ax, len(self.steps_), PANELS_PER_ROW, 2.7, 3.4)
        self.figure_ = self.axes_[0].figure
        frame = self._frame()
        for panel, t in zip(self.axes_, self.steps_, strict=True):
            self._draw(panel, t, frame)
        if ax is None:
            style.figure_legend(self.figure_, self.points_, run_classes(self.run))
        else:
            style.legend(self.axes_[0], self.points_, run_classes(self.run))
        return self

    @style.styled
    def animate(self, seconds: float = 1.5) -> Any:
        """Show the steps one after the other: a ``matplotlib.animation.FuncAnimation``.

        Parameters
        ----------
        seconds : float > 0, default 1.5
            How long each step stays.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `seconds` is out of range, the points are not in the plane, or there is no step to
            show.
        IndexError
            If there is no such step.
        """
        interval = round(1000 * check_float(seconds, "seconds", above=0.0))
        self.steps_ = self._numbers()
        self.figure_ = style.figure(4.6, 5.0)
        self.axes_ = [self.figure_.add_subplot()]
        frame = self._frame()
        from matplotlib.animation import FuncAnimation

        def show(t: int) -> list[Any]:
            self.axes_[0].clear()
            self._draw(self.axes_[0], t, frame)
            return []

        show(self.steps_[0])
        style.figure_legend(self.figure_, self.points_, run_classes(self.run))
        film = FuncAnimation(self.figure_, show, frames=self.steps_, interval=interval)
        self.figure_.canvas.draw()  # else a film that nobody saves warns when it is let go
        return film

    @style.styled
    def save(self, path: str | Path, seconds: float = 1.5) -> None:
        """Write the animation: a .gif, or an .html page with buttons that needs no other file.

        Parameters
        ----------
        path : str or Path
        seconds : float > 0, default 1.5
            How long each step stays.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If the path ends otherwise; and as `animate` does.
        IndexError
            If there is no such step.
        """
        suffix = Path(path).suffix
        if suffix not in WRITERS:
            raise ValueError(f"path must end in .gif or .html, got {str(path)!r}")
        WRITERS[suffix](self.animate(seconds), Path(path), 1 / seconds)
        style.pyplot().close(self.figure_)

    def _numbers(self) -> tuple[int, ...]:
        """The steps to draw, from 0."""
        run = self.run
        check_trace(run)
        plane_rows(run.points)
        moves = np.diff([*run.used, len(run.weights) - 1])
        shown = np.flatnonzero(moves)[:MAX_STEPS] if self.steps is None else self.steps
        numbers = tuple(range(len(run))[t] for t in shown)
        if not numbers:
            raise ValueError("there is no step to show: w never moved, or steps is empty")
        return numbers

    # --- one panel ---

    @style.styled
    def _draw(self, ax: Any, t: int, frame: _Frame) -> None:
        run, step, before, after = self.run, self.run[t], *self._lines(t)
        classes = run_classes(run)
        self.points_ = style.points(ax, run.points, run.y)
        style.plane_panel(ax, frame.shown)
        if run.offset is None:
            ax.plot(0, 0, color=GREY, marker="+", markersize=12, zorder=1)
        if np.array_equal(step.before, step.after):
            frame.draw(ax, *after, "w", INK, "solid")
        else:
            ends = [
                frame.draw(ax, *before, "w", GREY, "dashed"),
                frame.draw(ax, *after, "w′", INK, "solid"),
            ]
            if run.offset is None:
                ax.plot(*np.transpose(ends), color=INK, linewidth=1.2, linestyle="dotted")
        batch = self._corrected_at_once(t)
        style.ring_points(ax, run.points, run.y, batch or [step.row], size=190)
        if batch:
            style.title(ax, f"Step {t}: {len(batch)} mistakes", "corrected at once")
            return
        product = "w·x" if run.offset is None else "w·x + b"
        says, verdict = ("but", "a mistake") if step.mistake else ("and", "right")
        label = classes[int(run.y[step.row] > 0)]
        evidence = style.minus(f"{product} = {step.score:.3g}, {says} y = {label}")
        style.title(ax, f"Step {t}: {verdict}", evidence)

    def _corrected_at_once(self, t: int) -> list[int]:
        """The rows of the mistakes that step t corrects, unless that is its own row's alone."""
        run = self.run
        if run.used[t] == [*run.used, len(run.weights) - 1][t + 1]:
            return []
        pending = np.flatnonzero(run.mistake & (run.used == run.used[t]))
        return [] if set(pending) <= {t} else run.order[pending].tolist()

    def _lines(self, t: int) -> list[tuple[Array, float]]:
        """(w, b) before a step and after it."""
        return [self.run.line(j) for j in [*self.run.used[t : t + 2], -1][:2]]

    def _frame(self) -> _Frame:
        """What all panels share."""
        points, through_origin = self.run.points, self.run.offset is None
        middle = (points.min(axis=0) + points.max(axis=0)) * (0.0 if through_origin else 0.5)
        reach = style.line_reach(len(points)) * (np.ptp([*points, middle], axis=0).max() or 1.0)
        lines = [line for t in self.steps_ for line in self._lines(t) if line[0].any()]
        feet = [(w, style.nearest_on_line(w, b, middle)) for w, b in lines]
        close = [(w, foot) for w, foot in feet if np.abs(foot - middle).max() <= reach]
        width = np.ptp([*points, middle, *(foot for _, foot in close)], axis=0).max() or 1.0
        longest = max((np.hypot(*w) for w, _ in close), default=1.0)
        fits = through_origin and longest <= MAX_UNSCALED * width
        scale = 1.0 if fits else MAX_ARROW * width / longest
        names = [foot + w * (scale + NAME_ROOM * width / np.hypot(*w)) for w, foot in close]
        shown = np.array([*points, *(foot for _, foot in close), *names])
        return _Frame(middle, reach, float(scale), shown)


class _Frame(NamedTuple):
    """What the panels of a display share: where their arrows begin, and how long they are.

    Attributes
    ----------
    middle : array of shape (2,)
        Arrows begin there, or as near as their line comes.
    reach : float
        Lines further from it are said to be too far.
    scale : float
        The length of an arrow over that of its w.
    shown : array of shape (m, 2)
        What must be in the panel: points, arrows and the names at their ends.
    """

    middle: Array
    reach: float
    scale: float
    shown: Array

    def draw(self, ax: Any, w: Array, b: float, name: str, colour: str, dashes: str) -> Array:
        """Draw a line and its w; return where the arrow ends."""
        if not w.any():
            return np.zeros(2)
        start = style.nearest_on_line(w, b, self.middle)
        end = start + self.scale * w
        if np.abs(start - self.middle).max() > self.reach:
            earlier = ax.get_xlabel()
            ax.set_xlabel(f"{earlier}, {name}" if earlier else f"too far away to draw: {name}")
        else:
            style.line(ax, w, b, color=colour, linewidth=1.6, linestyle=dashes)
            style.arrow(ax, start, end, color=colour, linewidth=1.6)
            style.annotate(ax, name, end, 13 * w / np.hypot(*w), color=colour, style="italic")
        return np.asarray(end)
