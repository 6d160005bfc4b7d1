"""What the tests of the displays share."""

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.text import Text


def drawn(display):
    """Draw all of a display: errors of layout and fonts come up only here."""
    figure = display.plot().figure_
    figure.canvas.draw()
    pyplot.close(figure)
    return display


def words(artist):
    """Everything that a picture, or a part of it, says."""
    return " | ".join(text.get_text() for text in artist.findobj(Text))
