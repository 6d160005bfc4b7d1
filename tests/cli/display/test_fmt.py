"""Formats of numbers."""

from rosenblatt.cli.display import fmt


def test_durations_and_wide_numbers():
    assert fmt.seconds(3599.7) == "60 min 0 s"
    assert fmt.size(3e9) == "3.0 GB"
    assert fmt.percent(0.00001234) == "0.001 %"
