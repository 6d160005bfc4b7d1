"""Helpers of the tests of displays."""

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.text import Text


def drawn(display):
    """Lay out a display: errors of layout and fonts are raised only here."""
    display.figure_.canvas.draw()
    pyplot.close(display.figure_)
    return display


def words(artist):
    """All texts of a picture, or of a part of it."""
    return " | ".join(text.get_text() for text in artist.findobj(Text))
