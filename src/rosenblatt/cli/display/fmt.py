"""Formatting of numbers, labels, lists and hostile text for the terminal and the report."""

from __future__ import annotations

import math
import re

from rosenblatt.utils.words import CONTROLS
from rosenblatt.utils.words import count as count
from rosenblatt.utils.words import label as label
from rosenblatt.utils.words import listing as listing


def percent(share: float) -> str:
    """Format a share as a percentage, with more decimals for small values.

    Examples
    --------
    >>> percent(0.0415), percent(0.00418), percent(0.0)
    ('4.2 %', '0.42 %', '0.0 %')
    """
    return f"{_hundredths(share)} %"


def accuracy(error: float) -> str:
    """Format the accuracy of an error rate: 100 % less the error as :func:`percent` shows it.

    Examples
    --------
    >>> accuracy(0.0945), percent(0.0945), accuracy(0.0005)
    ('90.6 %', '9.4 %', '99.950 %')
    """
    shown = _hundredths(error)
    decimals = len(shown.partition(".")[2])
    return f"{100.0 - float(shown):.{decimals}f} %"


def interval(low: float, high: float) -> str:
    """Format an interval of shares as percentages.

    Examples
    --------
    >>> interval(0.0321, 0.0534)
    '3.2–5.3 %'
    """
    return f"{_hundredths(low)}–{_hundredths(high)} %"


def _hundredths(share: float) -> str:
    value = 100.0 * share
    # Two digits below 1: from 0.995 on the value is rounded to 1.0, from 0.0995 to 0.10.
    decimals = 1 if value >= 0.995 or value == 0.0 else 2 if value >= 0.0995 else 3
    return f"{value:.{decimals}f}"


def short_count(number: float, width: int) -> str:
    """Format a count in at most ``width`` characters, with K, M, G or T if it is too long.

    Examples
    --------
    >>> short_count(1_797, 9), short_count(123_456_789, 9), short_count(4e15, 9)
    ('1,797', '123.5 M', '4,000.0 T')
    """
    text = f"{number:,.0f}"
    for unit in ("K", "M", "G", "T"):
        if len(text) <= width:
            break
        number /= 1000.0
        text = f"{number:,.1f} {unit}"
    return text


def seconds(duration: float) -> str:
    """Format a duration.

    Examples
    --------
    >>> seconds(0.0001), seconds(0.01234), seconds(3.21), seconds(75.0)
    ('under 1 ms', '0.012 s', '3.2 s', '1 min 15 s')
    """
    if duration < 0.001:
        return "under 1 ms"
    if duration >= 59.95:  # 60.0 with one decimal
        minutes, rest = divmod(round(duration), 60)
        return f"{minutes} min {rest} s"
    return f"{duration:.1f} s" if duration >= 1.0 else f"{duration:.3f} s"


def time_left(duration: float) -> str:
    """Format an estimated duration in whole seconds, minutes and hours.

    Examples
    --------
    >>> time_left(0.2), time_left(75.0), time_left(7260.0)
    ('1 s', '1 min 15 s', '2 h 1 min')
    """
    if duration < 60.0:
        return f"{math.ceil(duration)} s"
    if duration < 3600.0:
        return seconds(duration)
    hours, rest = divmod(round(duration / 60.0), 60)
    return f"{hours} h {rest} min"


def size(number: float) -> str:
    """Format a number of bytes.

    Examples
    --------
    >>> size(512), size(15_300), size(999_999), size(2.5e6)
    ('512 bytes', '15.3 kB', '1.0 MB', '2.5 MB')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= 0.99995 * unit:  # not 1000.0 of the unit below
            return f"{number / unit:.1f} {name}"
    return count(number, "byte")


def baseline(constant: object, error: float) -> str:
    """Format the error of always predicting the majority class.

    Examples
    --------
    >>> baseline("ham", 0.134)
    '13.4 % (majority class ham)'
    """
    return f"{percent(error)} (majority class {label(constant)})"


def error_rate(error: float, low: float, high: float) -> str:
    """Format an error rate with its interval.

    Examples
    --------
    >>> error_rate(0.05, 0.038, 0.065)
    '5.0 % (95 % interval 3.8–6.5 %; accuracy 95.0 %)'
    """
    shares = f"95 % interval {interval(low, high)}; accuracy {accuracy(error)}"
    return f"{percent(error)} ({shares})"


def printable(text: str) -> str:
    r"""Escape control characters, line ends and changes of the direction of writing.

    Names and labels come from data, and would else move the cursor, colour or rewrite the screen.

    Examples
    --------
    >>> printable("two\nlines, \x1b[31mred\x1b[0m")
    'two\\nlines, \\x1b[31mred\\x1b[0m'
    """
    return CONTROLS.sub(_escaped, text)


def field(text: str) -> str:
    r"""Escape the characters that end a line or a field of tab-separated output.

    Examples
    --------
    >>> field("one\ttwo\n")
    'one\\ttwo\\n'
    """
    return re.sub("[\t\n\r]", _escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
