"""The lecture page as a widget of notebooks, which needs the extra ``[notebook]``."""

from __future__ import annotations

import anywidget
import traitlets

from rosenblatt.teach.document import HEIGHT, html, read
from rosenblatt.teach.lessons import Lesson


class LessonWidget(anywidget.AnyWidget):
    """The lecture page in a notebook, with its state in Python.

    Parameters
    ----------
    lesson : dict, default None
        As for `rosenblatt.teach.LessonPage`.

    Attributes
    ----------
    state : dict
        What ``window.lesson.state()`` returns in the page: t, w, b, score, mistakes, bound, ….
    t : int
        Assign it to go to a look.
    """

    _esm = read("../widget.js")
    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(HEIGHT).tag(sync=True)
    t = traitlets.Int(0).tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, lesson: Lesson | None = None, **options: object) -> None:
        super().__init__(page=html(lesson), **options)
