"""The lecture page: a class sees the perceptron think.

``rosenblatt teach`` opens it, ``rosenblatt teach --export lesson.html`` writes it as one file, and
``run.show()`` opens a recorded run of `rosenblatt.textbook` in it. The page itself is the folder
``page/``: plain JavaScript, without dependencies. Its engine is tested against the textbook, look
for look (decision record 021).
"""

from __future__ import annotations

from rosenblatt.teach.document import html
from rosenblatt.teach.lessons import lesson_of_points, lesson_of_trace, steps_through
from rosenblatt.teach.notebook import LessonPage, show

__all__ = ["LessonPage", "html", "lesson_of_points", "lesson_of_trace", "show", "steps_through"]
