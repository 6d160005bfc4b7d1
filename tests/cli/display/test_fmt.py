"""Formats of numbers."""

from decimal import Decimal

from rosenblatt.cli.display import fmt


def test_durations_and_wide_numbers():
    assert fmt.seconds(3599.7) == "60 min 0 s"
    assert fmt.size(3e9) == "3.0 GB"
    assert fmt.percent(0.00001234) == "0.001 %"


def test_error_and_accuracy_add_up():
    for error in (0.0945, 0.0005, 0.00418, 0.0, 1.0, 0.5):
        shown = [fmt.percent(error), fmt.accuracy(error)]
        assert sum(Decimal(text.split()[0]) for text in shown) == 100
    assert fmt.error_rate(0.0005, 0.0, 0.01).endswith("accuracy 99.950 %)")
