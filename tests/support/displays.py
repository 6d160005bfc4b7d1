"""Helpers of the tests of displays."""

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.text import Text


def drawn(display):
    """Lay out all of a display: errors of layout and fonts come up only here."""
    display.figure_.canvas.draw()
    pyplot.close(display.figure_)
    return display


def words(artist):
    """Everything that a picture, or a part of it, says."""
    return " | ".join(text.get_text() for text in artist.findobj(Text))
