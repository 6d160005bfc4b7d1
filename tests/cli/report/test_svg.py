"""Axes of the SVG drawings."""

import re

import pytest

from rosenblatt.cli.report.svg import curve, ticks
from rosenblatt.learning.evaluation.progressive import Line


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-7.3, 1e6), (2e-9, 3e-9), (-0.1, 0.0)])
def test_ticks_are_round_numbers_in_range(low, high):
    values = ticks(low, high)
    assert 2 <= len(values) <= 8
    assert all(low - 1e-12 <= value <= high for value in values)


@pytest.mark.parametrize(("error", "is_below"), [(0.51, True), (0.42, False)])
def test_the_name_of_the_baseline_is_not_where_the_curve_is(error, is_below):
    lines = [
        Line(n, round(n * error), error, error - 0.1, error + 0.1, 1, 1.0, 1.0)
        for n in (8, 16, 32, 64)
    ]
    drawing = str(curve(lines, 0.465))
    (level,) = re.findall(r'y1="([0-9.]+)"[^>]*class="constant"', drawing)
    (name,) = re.findall(r'y="([0-9.]+)"[^>]*class="constant-name"', drawing)
    assert (float(name) > float(level)) == is_below
