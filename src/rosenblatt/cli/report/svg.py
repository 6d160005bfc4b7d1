"""SVG drawings of the report: the error curve, a histogram, and a reliability diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rosenblatt.cli.display import fmt
from rosenblatt.cli.report.html import Html, element

if TYPE_CHECKING:
    from rosenblatt.learning.evaluation.probability_metrics import Bin
    from rosenblatt.learning.evaluation.progressive import Line

_WIDTH, _HEIGHT = 720.0, 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 70.0, 705.0, 14.0, 262.0


class Axis(NamedTuple):
    """A linear or logarithmic map from values to coordinates.

    Attributes
    ----------
    low, high : float
        Values at the ends of the axis, low < high.
    start, stop : float
        Coordinates of the ends.
    logarithmic : bool
        Whether the scale is logarithmic.
    """

    low: float
    high: float
    start: float
    stop: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Return the coordinate of a value.

        Examples
        --------
        >>> Axis(0.0, 2.0, 10.0, 110.0).at(0.5), Axis(1.0, 100.0, 0.0, 8.0, True).at(10.0)
        (35.0, 4.0)
        """
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.start + (self.stop - self.start) * (value - low) / (high - low)


def ticks(low: float, high: float, limit: int = 6) -> list[float]:
    """Return at most ``limit`` round numbers between two values.

    Examples
    --------
    >>> ticks(0.0, 0.43), ticks(-1.7, 2.2)
    ([0.0, 0.1, 0.2, 0.3, 0.4], [-1.0, 0.0, 1.0, 2.0])
    """
    power = 10.0 ** math.floor(math.log10((high - low) / limit))
    step = next(s * power for s in (1, 2, 5, 10) if (high - low) / (s * power) <= limit)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def curve(lines: Sequence[Line], constant: float) -> Html:
    """Draw the progressive error with its interval over the number of examples.

    Parameters
    ----------
    lines : sequence of Line
        At least one.
    constant : float
        The baseline error of the majority class.
    """
    shown = [line for line in lines if line.examples >= 8] or list(lines)
    first, last = shown[0].examples, shown[-1].examples
    x = Axis(first, max(last, 2 * first), _LEFT, _RIGHT, True)
    top = max(0.02, constant * 1.1, *(min(line.high, 2.5 * line.error) for line in shown))
    y = Axis(0.0, min(1.0, top), _BOTTOM, _TOP)
    across = [x.at(line.examples) for line in shown]
    high, low, middle = (
        [y.at(min(getattr(line, name), y.high)) for line in shown]
        for name in ("high", "low", "error")
    )
    level = y.at(min(constant, y.high))
    half = (len(shown) + 1) // 2  # the baseline's label needs room between it and the curve
    rooms = [
        min((line.error - constant for line in part), key=abs)
        for part in (shown[:half], shown[-half:])
    ]
    at_left = abs(rooms[0]) > abs(rooms[1])
    is_below = level <= 30.0 or (rooms[not at_left] > 0.0 and level < _BOTTOM - 24.0)
    return _drawing(
        f"Error over the first epoch: {fmt.percent(shown[-1].error)} at the end",
        *(_y_tick(y.at(value), f"{100.0 * value:g} %") for value in ticks(y.low, y.high)),
        *(_x_tick(x.at(line.examples), f"{line.examples:,}") for line in _pick_lines(shown)),
        element("polygon", points=_path(across + across[::-1], high + low[::-1]), class_="band"),
        element("line", x1=_LEFT, x2=_RIGHT, y1=level, y2=level, class_="constant"),
        element(
            "text",
            f"baseline (majority class): {fmt.percent(constant)}",
            x=_LEFT + 6.0 if at_left else _RIGHT,
            y=level + 18.0 if is_below else level - 7.0,
            text_anchor="start" if at_left else "end",
            class_="constant-name",
        ),
        element("polyline", points=_path(across, middle), class_="line"),
        *(
            element(
                "circle",
                element("title", f"{fmt.count(line.examples, 'example')}: {_format_line(line)}"),
                cx=cx,
                cy=cy,
                r=4.0,
                class_="dot",
            )
            for line, cx, cy in zip(shown, across, middle, strict=True)
        ),
        _x_label("examples"),
    )


def _path(across: list[float], up: list[float]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, up, strict=True))


def _format_line(line: Line) -> str:
    return f"{fmt.percent(line.error)} ({fmt.interval(line.low, line.high)})"


def _pick_lines(lines: Sequence[Line]) -> list[Line]:
    """Select six lines or fewer for the ticks of the axis, with the last and none close to it."""
    every = math.ceil(len(lines) / 6)
    chosen = list(lines[::-1][::every])[::-1]
    if len(chosen) > 1 and chosen[-2].examples > 0.75 * chosen[-1].examples:
        del chosen[-2]
    return chosen


def histogram(bins: Sequence[tuple[float, float, int]], name: str) -> Html:
    """Draw a histogram; bins below zero have another colour.

    Parameters
    ----------
    bins : sequence of (low, high, count)
        In order, at least one.
    name : str
        Label of the axis.
    """
    x = Axis(min(bins[0][0], 0.0), max(bins[-1][1], 0.0), _LEFT, _RIGHT)
    largest = max(count for _, _, count in bins)
    y = Axis(0.0, 1.05 * largest, _BOTTOM, _TOP)
    zero = x.at(0.0)
    return _drawing(
        f"Histogram: {name}",
        *(
            _y_tick(y.at(value), f"{value:,.0f}")
            for value in ticks(0.0, y.high, min(6, largest + 1))
        ),
        *(_x_tick(x.at(value), f"{value:g}") for value in ticks(x.low, x.high, 8)),
        *(
            element(
                "rect",
                element("title", f"{low:.4g} to {high:.4g}: {count:,}"),
                x=x.at(low) + 0.5,
                y=y.at(count),
                width=max(0.5, x.at(high) - x.at(low) - 1.0),
                height=_BOTTOM - y.at(count),
                class_="minus" if high <= 0.0 else "plus",
            )
            for low, high, count in bins
            if count
        ),
        element("line", x1=zero, x2=zero, y1=_TOP, y2=_BOTTOM, class_="axis"),
        _x_label(name),
    )


def reliability(bins: Sequence[Bin], event: str) -> Html:
    """Draw the observed share of an event over its probability; calibrated, they are equal.

    Parameters
    ----------
    bins : sequence of Bin
        At least one.
    event : str
        What the probabilities are of.
    """
    x, y = Axis(0.0, 1.0, _LEFT, _RIGHT), Axis(0.0, 1.0, _BOTTOM, _TOP)
    across = [x.at(one.predicted) for one in bins]
    up = [y.at(one.observed) for one in bins]
    low, high = ([y.at(getattr(one, name)) for one in bins] for name in ("low", "high"))
    shares = ticks(0.0, 1.0)
    return _drawing(
        f"Reliability: observed share of {event} over its probability",
        *(_y_tick(y.at(value), f"{100.0 * value:g} %") for value in shares),
        *(_x_tick(x.at(value), f"{100.0 * value:g} %") for value in shares),
        element("polygon", points=_path(across + across[::-1], high + low[::-1]), class_="band"),
        element("line", x1=_LEFT, x2=_RIGHT, y1=_BOTTOM, y2=_TOP, class_="constant"),
        element("polyline", points=_path(across, up), class_="line"),
        *(
            element(
                "circle",
                element(
                    "title",
                    f"{fmt.count(one.rows, 'row')}: predicted {fmt.percent(one.predicted)}, "
                    f"observed {fmt.percent(one.observed)}",
                ),
                cx=cx,
                cy=cy,
                r=4.0,
                class_="dot",
            )
            for one, cx, cy in zip(bins, across, up, strict=True)
        ),
        _x_label(f"probability of {event}; band: where a calibrated model would be"),
    )


def _drawing(title: str, *marks: Html) -> Html:
    label = element("title", title)
    base = element("line", x1=_LEFT, x2=_RIGHT, y1=_BOTTOM, y2=_BOTTOM, class_="axis")
    return element("svg", label, *marks, base, viewBox=f"0 0 {_WIDTH:g} {_HEIGHT:g}", role="img")


def _y_tick(y: float, text: str) -> Html:
    """Draw a grid line with its value at the left."""
    line = element("line", x1=_LEFT, x2=_RIGHT, y1=y, y2=y, class_="grid")
    return Html(line + element("text", text, x=_LEFT - 8.0, y=y + 4.5, text_anchor="end"))


def _x_tick(x: float, text: str) -> Html:
    """Draw a value below the axis."""
    anchor = "end" if x > _RIGHT - 12.0 else "middle"
    return element("text", text, x=x, y=_BOTTOM + 21.0, text_anchor=anchor)


def _x_label(text: str) -> Html:
    middle = (_LEFT + _RIGHT) / 2.0
    return element("text", text, x=middle, y=_HEIGHT - 8.0, text_anchor="middle", class_="label")
