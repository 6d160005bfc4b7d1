"""Tables and bars."""

import pytest

from rosenblatt.cli.display import render


@pytest.mark.parametrize("weight", [1e-9, 0.01, 5.0, 12345.0, 1e12])
def test_bars_of_weights_of_all_sizes(weight):
    table = render.bars([("up", weight), ("down", -weight / 3)])
    assert table.row_count == 2
