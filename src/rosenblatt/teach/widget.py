"""The lecture page as a widget of notebooks, which needs the extra ``[notebook]``."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from rosenblatt.teach.document import HEIGHT, html
from rosenblatt.teach.lessons import Lesson

SCRIPT = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.srcdoc = model.get("page");
  frame.title = "Lecture page";
  frame.style = `width:100%;height:${model.get("height")}px;border:0`;
  let shown = "";
  const follow = () => {
    const text = JSON.stringify(frame.contentWindow?.lesson?.state() ?? {});
    if (text === shown) return;
    shown = text;
    model.set("state", JSON.parse(text));
    model.save_changes();
  };
  const timer = setInterval(follow, 200);
  model.on("change:t", () => frame.contentWindow.lesson.goto(model.get("t")));
  el.append(frame);
  return () => clearInterval(timer);
}
export default { render };
"""


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

    _esm = SCRIPT
    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(HEIGHT).tag(sync=True)
    t = traitlets.Int(0).tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, lesson: Lesson | None = None, **options: Any) -> None:
        super().__init__(page=html(lesson), **options)
