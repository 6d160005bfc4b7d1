"""A run step by step: a figure with one panel per step, or an animation as GIF or HTML page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.plots import checks, style
from rosenblatt.theory.textbook.claims import check_trace
from rosenblatt.theory.textbook.step import Step
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.checks import check_float
from rosenblatt.utils.words import count

MAX_STEPS = 8  # largest number of steps by default
PANELS_PER_ROW = 4  # largest number of panels in a row of the figure
MAX_ARROW = 0.42  # length of the longest arrow, relative to the width of the points
MAX_UNSCALED = 1.5  # relative length up to which w has the scale of the points
NAME_ROOM = 0.12  # space for the label at an arrow's end, relative to the width


def button_style() -> str:
    """Return the style of the buttons, in the place of matplotlib's font from the web."""
    buttons = resources.files("rosenblatt").joinpath("plots", "displays", "buttons.css")
    return f"<style>\n{buttons.read_text(encoding='utf-8')}</style>"


def write_html(animation: Any, path: Path, fps: float) -> None:
    """Write a self-contained HTML page with buttons."""
    page = animation.to_jshtml(fps=fps, default_mode="once")
    page = re.sub(r"<link[^>]*>", button_style(), page, count=1)
    head = f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{path.stem}</title>'
    path.write_text(f"{head}\n{page}", encoding="utf-8")


class StepsDisplay(style.PanelsDisplay):
    """Steps of a run in the plane: the row, and w with its line before and after the step.

    The line before the step is grey and dashed, the line after it black. Above the panel are the
    score of the row, with the value of sgn(0) if it is 0, and both weight vectors; w = 0 has no
    line. A line that does not cross the panel is named below it. All arrows of a display have one
    scale, and start on their lines; a line far from the middle of the points has none. Without an
    offset the arrows start at the origin, a grey cross, and have the scale of the points unless w
    is much longer: with η = 1 the first w′ ends on its row, or on the negative of the row. Only
    then a dotted line from w to w′ shows the correction η y x. The step's row has a ring; if a step
    corrects several mistakes at once, as in a batch, all their rows have one. A note counts the
    steps drawn, if the run has more. `from_trace` draws a series of panels;
    ``StepsDisplay(run).save("steps.gif")`` writes an animation. Lecture rows L0.2, L0.3, L3.2,
    L3.3.

    Parameters
    ----------
    run : Trace
        A run on points in the plane.
    steps : sequence of int, default None
        Steps, from 0; negative ones count from the end. None takes the steps that change w, at most
        the first eight.

    Attributes
    ----------
    steps_ : tuple of int
        The steps drawn, from 0.
    axes_ : list of matplotlib Axes
    figure_ : matplotlib Figure
    points_ : list of matplotlib artists
        One per class, of the last panel.

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
        cls, run: Trace, steps: Sequence[int] | None = None, *, ax: style.Panels | None = None
    ) -> Self:
        """Draw the steps of a recorded run, one panel per step.

        Parameters
        ----------
        run : Trace
            A run on points in the plane.
        steps : sequence of int, default None
            Steps, from 0; negative ones count from the end. None takes the steps that change w, at
            most the first eight.
        ax : sequence of matplotlib Axes, optional
            One per step.
        """
        return cls(run, steps).plot(ax)

    def _panels(self, axes: style.Panels | None) -> style.Panels:
        self.steps_ = self._numbers()
        return style.panels(axes, len(self.steps_), PANELS_PER_ROW, 3.3, 4.3)

    def _draw(self, *, new_figure: bool) -> None:
        frame = self._frame()
        for panel, t in zip(self.axes_, self.steps_, strict=True):
            self._draw_step(panel, t, frame)
        classes = checks.run_classes(self.run)
        if new_figure:
            style.figure_legend(self.figure_, self.points_, classes, self._note())
        else:
            style.legend(self.axes_[0], self.points_, classes, note=self._note())

    @style.common_style()
    def animate(self, seconds: float = 1.5) -> Any:
        """Return the steps as an animation, a ``matplotlib.animation.FuncAnimation``.

        Parameters
        ----------
        seconds : float > 0, default 1.5
            Duration of each step.
        """
        interval = round(1000 * check_float(seconds, "seconds", above=0.0))
        self.steps_ = self._numbers()
        self.figure_ = style.figure(4.6, 5.8)
        self.axes_ = [self.figure_.add_subplot()]
        frame = self._frame()
        from matplotlib.animation import FuncAnimation

        def show(t: int) -> list[Any]:
            self.axes_[0].clear()
            self._draw_step(self.axes_[0], t, frame)
            return []

        show(self.steps_[0])
        style.figure_legend(self.figure_, self.points_, checks.run_classes(self.run), self._note())
        film = FuncAnimation(self.figure_, show, frames=self.steps_, interval=interval)
        self.figure_.canvas.draw()  # else an unsaved animation warns when it is deleted
        return film

    @style.common_style()
    def save(self, path: str | Path, seconds: float = 1.5) -> None:
        """Write the animation: a .gif, or a self-contained .html page with buttons.

        Parameters
        ----------
        path : str or Path
        seconds : float > 0, default 1.5
            Duration of each step.
        """
        suffix = Path(path).suffix
        if suffix not in (".gif", ".html"):
            raise ValueError(f"path must end in .gif or .html, got {str(path)!r}")
        film = self.animate(seconds)
        if suffix == ".gif":
            film.save(path, writer="pillow", fps=1 / seconds)  # it loops forever
        else:
            write_html(film, Path(path), 1 / seconds)
        style.pyplot().close(self.figure_)

    def _numbers(self) -> tuple[int, ...]:
        """Return the steps to draw, from 0."""
        run = self.run
        check_trace(run)
        checks.plane_rows(run.points)
        moves = np.diff([*run.used, len(run.weights) - 1])
        shown = np.flatnonzero(moves)[:MAX_STEPS] if self.steps is None else self.steps
        numbers = tuple(range(len(run))[t] for t in shown)
        if not numbers:
            raise ValueError("there is no step to draw: w did not change, or steps is empty")
        return numbers

    def _note(self) -> str:
        """Return the number of steps drawn, if the run has more."""
        drawn, total = len(self.steps_), len(self.run)
        if drawn == total:
            return ""
        if self.steps is not None:
            return f"{drawn} of {count(total, 'step')}"
        moves = np.count_nonzero(np.diff([*self.run.used, len(self.run.weights) - 1]))
        which = "all that" if moves == drawn else f"the first of {moves} that"
        change = "changes" if moves == 1 else "change"
        return f"{drawn} of {count(total, 'step')}, {which} {change} w"

    @style.common_style()
    def _draw_step(self, ax: style.Axes, t: int, frame: _Frame) -> None:
        run, step, before, after = self.run, self.run[t], *self._lines(t)
        self.points_ = style.points(ax, run.points, run.y)
        style.fit_limits(ax, frame.shown)
        style.open_frame(ax)
        style.name_axes(ax, ("x₁", "x₂"), ticks=4)
        if run.offset is None:
            style.origin(ax)
        if np.array_equal(step.before, step.after):
            vectors = [frame.describe(*after, "w", run.offset is not None), "unchanged"]
            frame.draw(ax, *after, "w", style.INK, "solid")
        else:
            lines = ((before, "w"), (after, "w′"))
            vectors = [frame.describe(*line, name, run.offset is not None) for line, name in lines]
            ends = [
                frame.draw(ax, *before, "w", style.GREY, "dashed", beside=after),
                frame.draw(ax, *after, "w′", style.INK, "solid", beside=before),
            ]
            if run.offset is None:
                ax.plot(*np.transpose(ends), color=style.INK, linewidth=1.2, linestyle="dotted")
        batch = self._corrected_in_one_step(t)
        style.ring_points(ax, run.points, run.y, np.array(batch or [step.row]), size=190)
        if batch:
            finding, score = count(len(batch), "mistake"), "corrected in one step"
        else:
            finding, score = "a mistake" if step.mistake else "right", self._score(step)
        style.title(ax, f"Step {t}: {finding}", "\n".join([score, *vectors]))

    def _score(self, step: Step) -> str:
        """Return the score of a step's row, with the value of sgn(0) if it is 0, and the label."""
        classes, tie = checks.run_classes(self.run), self.run.tie
        product = "w·x" if self.run.offset is None else "w·x + b"
        label = classes[int(self.run.y[step.row] > 0)]
        if step.score == 0.0:
            sign = classes[int(tie > 0)] if tie else "0"
            return f"{product} = 0, sgn(0) = {sign}, y = {label}"
        says = "but" if step.mistake else "and"
        return style.minus(f"{product} = {step.score:.3g}, {says} y = {label}")

    def _corrected_in_one_step(self, t: int) -> list[int]:
        """Return the rows that step t corrects, or none if it corrects only its own row."""
        run = self.run
        if run.used[t] == [*run.used, len(run.weights) - 1][t + 1]:
            return []
        pending = np.flatnonzero(run.mistake & (run.used == run.used[t]))
        return [] if set(pending) <= {t} else run.order[pending].tolist()

    def _lines(self, t: int) -> list[tuple[Array, float]]:
        """Return (w, b) before a step and after it."""
        return [self.run.line(j) for j in [*self.run.used[t : t + 2], -1][:2]]

    def _frame(self) -> _Frame:
        """Return the common geometry of all panels."""
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
        return _Frame(points, middle, reach, float(scale), shown)


class _Frame(NamedTuple):
    """The common geometry of the panels: the start of the arrows, their scale, the limits.

    Attributes
    ----------
    points : array of shape (n, 2)
        The data, which the labels of arrows stay clear of.
    middle : array of shape (2,)
        Arrows start at the point of their line nearest to ``middle``.
    reach : float
        Lines at a larger distance have no arrow.
    scale : float
        Length of an arrow relative to its w.
    shown : array of shape (m, 2)
        Points that the limits include: data, arrows and their labels.
    """

    points: Array
    middle: Array
    reach: float
    scale: float
    shown: Array

    def describe(self, w: Array, b: float, name: str, has_offset: bool) -> str:
        """Return the values of w and b in a line of text; w = 0 has no line in the plane."""
        if not w.any():
            return f"{name} = 0: no line yet"
        values = f"{name} = ({w[0] + 0.0:.3g}, {w[1] + 0.0:.3g})"
        offset = f", b{name[1:]} = {b + 0.0:.3g}" if has_offset else ""
        return style.minus(values + offset)

    def draw(
        self,
        ax: style.Axes,
        w: Array,
        b: float,
        name: str,
        colour: str,
        dashes: str,
        beside: tuple[Array, float] | None = None,
    ) -> Array:
        """Draw a line and its w; return the end of the arrow.

        The name stays clear of the data, and of the arrow of the line ``beside``.
        """
        if not w.any():
            return np.zeros(2)
        start = style.nearest_on_line(w, b, self.middle)
        end, unit = start + self.scale * w, w / np.hypot(*w)
        if style.crosses(ax, w, b):
            style.line(ax, w, b, color=colour, linewidth=1.6, linestyle=dashes)
        else:
            label = ax.get_xlabel().removesuffix(")")
            ax.set_xlabel(label + (", " if "(" in label else " (outside: ") + f"{name})")
        if np.abs(start - self.middle).max() <= self.reach:
            style.arrow(ax, start, end, color=colour, linewidth=1.6)
            across = np.array([-unit[1], unit[0]])
            sides = [unit, (unit + across) / 2**0.5, (unit - across) / 2**0.5, across, -across]
            others = self.points if beside is None else [*self.points, *self._along(*beside)]
            shift = style.clear_shift(ax, end, sides, others, 15)
            style.annotate(ax, name, end, shift, color=colour, style="italic")
        return np.asarray(end)

    def _along(self, w: Array, b: float) -> Array:
        """Return points along an arrow and, beyond its end, where its name is likely to be."""
        if not w.any():
            return np.empty((0, 2))
        start = style.nearest_on_line(w, b, self.middle)
        room = self.shown.max(axis=0) - self.shown.min(axis=0)
        end = start + self.scale * w + NAME_ROOM * room.max() * w / np.hypot(*w)
        return np.asarray(style.points_along([start, end]))
