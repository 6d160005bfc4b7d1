"""Helpers of the tests of displays."""

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.text import Annotation, Text


def drawn(display):
    """Lay out a display: errors of layout and fonts are raised only here."""
    display.figure_.canvas.draw()
    pyplot.close(display.figure_)
    return display


def words(artist):
    """All texts of a picture, or of a part of it."""
    return " | ".join(text.get_text() for text in artist.findobj(Text))


def labels_outside(display):
    """The labels of a drawn display that overlap the frame of their axes, with their texts."""
    outside = []
    for ax in display.figure_.axes:
        box = ax.get_window_extent()
        for text in ax.texts:
            if isinstance(text, Annotation) and text.get_text():
                label = text.get_window_extent()
                corners = [(label.x0, label.y0), (label.x1, label.y1)]
                outside += [text.get_text()] * (not all(box.contains(*xy) for xy in corners))
    return outside
