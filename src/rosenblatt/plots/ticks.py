"""Axes that grow by factors, with numbers that can be read aloud."""

from __future__ import annotations

from typing import Any

from rosenblatt.tables import cell


def by_factors(axes: Any, name: str) -> None:
    """Make the axis "x" or "y" logarithmic, once its data are drawn: 1, 10, 100, …, no powers.

    Where they span less than two factors of ten, 2, 20, … and 5, 50, … are written, too.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set(**{f"{name}scale": "log"})
    low, high = getattr(axes, f"get_{name}lim")()
    axis = getattr(axes, f"{name}axis")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: cell(value)))
