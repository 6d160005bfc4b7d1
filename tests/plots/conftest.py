"""Every test of the displays starts and ends without open figures."""

import matplotlib
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot


@pytest.fixture(autouse=True)
def plt():
    pyplot.close("all")
    yield pyplot
    pyplot.close("all")
