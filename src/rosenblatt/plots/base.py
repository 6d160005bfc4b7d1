"""The base classes of the displays: what they have in common, on one pair of axes or on several."""

from __future__ import annotations

from importlib import import_module
from typing import Self

from rosenblatt.plots import style


class _Shown:
    """What a prompt and a notebook show of a display: its title, and in a notebook its figure."""

    figure_: style.Figure

    def __repr__(self) -> str:
        name = type(self).__name__
        if not hasattr(self, "figure_"):
            return f"<{name}: not drawn yet>"
        titles = [axes.get_title(loc="left") for axes in self.figure_.axes]
        return f"<{name}: {next(filter(None, titles), 'drawn')}>"

    def _ipython_display_(self) -> None:
        """Show the figure, unless the cell that drew it does so already."""
        if not hasattr(self, "figure_"):
            raise NotImplementedError  # IPython then shows the repr
        if not style.pyplot().fignum_exists(getattr(self.figure_, "number", None)):
            import_module("IPython.display").display(self.figure_)


class Display(_Shown):
    """Base of the displays on one pair of axes: :meth:`plot` calls the subclass's ``_draw``."""

    size = (4.5, 4.0)
    """Width and height of a new figure in inches."""

    @style.common_style()
    def plot(self, ax: style.Axes | None = None) -> Self:
        """Draw the display on ``ax``, or on a new figure if it is None; return the display."""
        self.ax_ = style.figure(*self.size).add_subplot() if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        return self

    def _draw(self, ax: style.Axes) -> None:
        raise NotImplementedError


class PanelsDisplay(_Shown):
    """Base of the displays with several panels: a subclass has ``_panels`` and ``_draw``."""

    @style.common_style()
    def plot(self, ax: style.Panels | None = None) -> Self:
        """Draw the display on the axes ``ax``, or on a new figure if None; return the display."""
        self.axes_ = self._panels(ax)
        self.figure_ = self.axes_[0].figure
        self._draw(new_figure=ax is None)
        return self

    def _panels(self, axes: style.Panels | None) -> style.Panels:
        """Return one axes per panel: from ``axes``, or of a new figure."""
        raise NotImplementedError

    def _draw(self, *, new_figure: bool) -> None:
        raise NotImplementedError
