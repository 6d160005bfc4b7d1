"""Text tables: aligned columns, and ranges without missing values."""

import numpy as np
import pytest

from rosenblatt.utils import tables


def test_a_table_is_aligned():
    text = tables.text_table(["", "count"], [["few", 3.0], ["a great many", 123456.0]])
    assert text.splitlines() == [
        "                count",
        "few                 3",
        "a great many  123,456",
    ]
    with pytest.raises(ValueError, match="zip"):
        tables.text_table(["one"], [["two", 2.0]])


def test_median_and_range_ignore_nan():
    assert tables.median_and_range([np.nan, 1, 2, 3]) == "2 (1–3)"
    assert tables.median_and_range([np.nan]) == "–"
    assert tables.median_and_range(range(101), 0.25, 0.75) == "50 (25–75)"
