"""Axes of the SVG drawings."""

import pytest

from rosenblatt.cli.report.svg import ticks


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-7.3, 1e6), (2e-9, 3e-9), (-0.1, 0.0)])
def test_ticks_are_round_numbers_in_range(low, high):
    values = ticks(low, high)
    assert 2 <= len(values) <= 8
    assert all(low - 1e-12 <= value <= high for value in values)
