"""The lecture page from Python: in a notebook, or in a window of the browser."""

from __future__ import annotations

import html as markup
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rosenblatt.teach.document import HEIGHT, html
from rosenblatt.teach.lessons import Lesson, lesson_of_trace
from rosenblatt.utils.atomic import atomic_write_bytes
from rosenblatt.utils.shown import in_notebook, open_in_browser

if TYPE_CHECKING:
    from rosenblatt.theory.textbook.trace import Trace


class LessonPage:
    """The lecture page with a lesson: shown by a notebook, saved as a file, or opened.

    Parameters
    ----------
    lesson : dict, default None
        As `rosenblatt.teach.lesson_of_trace` and `rosenblatt.teach.lesson_of_points` return it.
        None is the page's own first example.

    Examples
    --------
    >>> from rosenblatt.teach import lesson_of_points
    >>> LessonPage(lesson_of_points([[1.0, 2.0], [2.0, 1.0]], [1, -1]))
    <LessonPage of 1 state>
    """

    def __init__(self, lesson: Lesson | None = None) -> None:
        self.lesson = lesson

    def save(self, path: str | Path) -> None:
        """Write the page as one file, which opens by a double click and needs no network."""
        atomic_write_bytes(path, html(self.lesson).encode(), "page")

    def open(self) -> Path:
        """Write the page into a temporary file, open it in the browser, and return its path."""
        return open_in_browser(self.save, "lesson.html")

    def __repr__(self) -> str:
        count = len(self.lesson["states"]) if self.lesson else 1
        return f"<LessonPage of {count} state{'' if count == 1 else 's'}>"

    def _repr_html_(self) -> str:
        page = markup.escape(html(self.lesson), quote=True)
        style = f"width:100%;height:{HEIGHT}px;border:0"
        return f'<iframe srcdoc="{page}" style="{style}" title="Lecture page"></iframe>'


def show(run: Trace) -> object:
    """Open a recorded run in the lecture page: in the notebook, or in the browser.

    Parameters
    ----------
    run : Trace
        A run on points of the plane that corrects every mistake at once.

    Returns
    -------
    LessonPage or LessonWidget
        A notebook shows it. With the extra ``[notebook]``, it is a widget, whose ``state`` follows
        the page.

    Raises
    ------
    ValueError
        If the run is not of the plane, or updates otherwise, as batch gradient descent does.

    Examples
    --------
    >>> from rosenblatt import textbook, toys
    >>> toy = toys.two_points()
    >>> show(textbook.perceptron(toy.X, toy.y))  # doctest: +SKIP
    """
    lesson = lesson_of_trace(run)
    if not in_notebook():
        page = LessonPage(lesson)
        page.open()
        return page
    if find_spec("anywidget") is None:
        return LessonPage(lesson)
    from rosenblatt.teach.widget import LessonWidget

    return LessonWidget(lesson)
