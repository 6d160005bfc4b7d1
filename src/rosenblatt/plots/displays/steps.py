"""A run step by step: a figure with one panel per step, or an animation as GIF or HTML page."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Self

import numpy as np

from rosenblatt.plots import base, checks, style
from rosenblatt.plots.step_curves import Curves
from rosenblatt.plots.step_lines import Lines
from rosenblatt.theory.textbook.claims import check_trace
from rosenblatt.theory.textbook.step import Step
from rosenblatt.theory.textbook.trace import Trace
from rosenblatt.theory.textbook.traces.kernel import KernelTrace
from rosenblatt.utils.checks import check_float
from rosenblatt.utils.shown import in_notebook, open_in_browser
from rosenblatt.utils.words import count

MAX_STEPS = 8  # largest number of steps by default
PANELS_PER_ROW = 4  # largest number of panels in a row of the figure


def button_style() -> str:
    """Return the style of the buttons, in the place of matplotlib's font from the web."""
    buttons = resources.files("rosenblatt").joinpath("plots", "displays", "buttons.css")
    return f"<style>\n{buttons.read_text(encoding='utf-8')}</style>"


def write_html(animation: Any, path: Path, fps: float) -> None:
    """Write a self-contained HTML page with buttons."""
    page = animation.to_jshtml(fps=fps, default_mode="once")
    page = re.sub(r"<link[^>]*>", button_style(), page, count=1)
    title = html.escape(path.stem)
    head = f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{title}</title>'
    path.write_text(f"{head}\n{page}", encoding="utf-8")


class StepsDisplay(base.PanelsDisplay):
    """Steps of a run in the plane: the row, and w with its line before and after the step.

    The line before the step is grey and dashed, the line after it black. Above the panel are the
    score of the row, with the value of sgn(0) if it is 0, and both weight vectors; w = 0 has no
    line. The panels show all points, and every line that is near them, or if none is near every
    line up to ten times their width away, across the middle of the panel; another is not drawn, but
    named below it. All arrows of a display have one scale, and start on their lines. Without an
    offset the arrows start at the origin, a grey cross, and have the scale of the points unless w
    is much longer: with η = 1 the first w′ ends on its row, or on the negative of the row. Only
    then a dotted line from w to w′ shows the correction η y x. The step's row has a ring; if a step
    corrects several mistakes at once, as in a batch, all their rows have one. A note counts the
    steps drawn, if the run has more. A kernel's run has curves for lines, f(x) = 0, the sides after
    the step tinted, and α of the row for the weight vectors. `from_trace` draws a series of panels;
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

        Raises
        ------
        ValueError
            The path ends in neither .gif nor .html.
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

    def show(self) -> Self:
        """Show the steps: in a notebook as panels, elsewhere as an animation in the browser."""
        if in_notebook():
            return self.plot()
        open_in_browser(self.save, "steps.html")
        return self

    def _numbers(self) -> tuple[int, ...]:
        """Return the steps to draw, from 0."""
        run = self.run
        check_trace(run)
        checks.plane_rows(run.rows if isinstance(run, KernelTrace) else run.points)
        shown = run.updates[:MAX_STEPS] if self.steps is None else self.steps
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
        moves = len(self.run.updates)
        which = "all that" if moves == drawn else f"the first of {moves} that"
        change = "changes" if moves == 1 else "change"
        return f"{drawn} of {count(total, 'step')}, {which} {change} w"

    @style.common_style()
    def _draw_step(self, ax: style.Axes, t: int, frame: Lines | Curves) -> None:
        run, step = self.run, self.run[t]
        self.points_ = style.points(ax, frame.points, run.y)
        frame.fit(ax)
        style.open_frame(ax)
        style.name_axes(ax, ("x₁", "x₂"), ticks=4)
        vectors = frame.draw(ax, t)
        batch = self._corrected_in_one_step(t)
        style.ring_points(ax, frame.points, run.y, np.array(batch or [step.row]), size=190)
        if batch:
            finding, score = count(len(batch), "mistake"), "corrected in one step"
        else:
            finding = "a mistake" if step.mistake else "right"
            score = self._score(step, frame.score_name)
        style.title(ax, f"Step {t}: {finding}", "\n".join([score, *vectors]))

    def _score(self, step: Step, product: str) -> str:
        """Return the score of a step's row, with the value of sgn(0) if it is 0, and the label."""
        classes, tie = checks.run_classes(self.run), self.run.tie
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

    def _frame(self) -> Lines | Curves:
        """Return the common geometry of all panels."""
        if isinstance(self.run, KernelTrace):
            return Curves.of(self.run)
        return Lines.of(self.run, self.steps_)
