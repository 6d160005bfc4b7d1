"""The lecture page as one file: its modules, its style and a lesson, put into one HTML text.

The modules in ``page/``, and those in ``utils/drawing/`` that pages share, are plain JavaScript
that a browser loads as they are. A page that is opened from a file may not load modules, so here
they follow one another in one script, each after the modules that it imports. Their imports are
named and not renamed, and no two modules define the same name: `script` checks both.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from functools import cache
from importlib import resources

from rosenblatt.teach.lessons import Lesson

HEIGHT = 720  # pixels of the page in a notebook
IMPORT = re.compile(r'^import \{(\s*\w+(?:,\s*\w+)*,?\s*)\} from "(\.[\w./-]+)";\n', re.M)
EXPORT = re.compile(r"^export (?=const |function |async function |class )", re.M)
DEFINITION = re.compile(r"^(?:const|let|function|async function|class) (\w+)", re.M)
STYLES = ("style.css", "panels.css")  # in their order: of two rules the later one counts
SCRIPT = '<script type="module" src="main.js"></script>'


def read(name: str) -> str:
    """Return the text of a file, by its path from the folder ``page/``."""
    path = posixpath.normpath(f"teach/page/{name}")
    return resources.files("rosenblatt").joinpath(*path.split("/")).read_text(encoding="utf-8")


@cache
def script(entry: str = "main.js") -> str:
    """Return a module and all modules that it imports as one script.

    A ValueError names what cannot be joined: a module that imports in another form, or a name that
    two modules define.
    """
    texts: dict[str, str] = {}
    _collect(entry, texts, ())
    counts = Counter(name for text in texts.values() for name in DEFINITION.findall(text))
    if twice := sorted(name for name, count in counts.items() if count > 1):
        raise ValueError(f"two modules of the page define {', '.join(twice)}")
    return "\n".join(texts.values())


def _collect(name: str, texts: dict[str, str], above: tuple[str, ...]) -> None:
    """Add a module to the texts, after the modules that it imports."""
    if name in above:
        raise ValueError(f"modules of the page import each other: {' > '.join([*above, name])}")
    if name in texts:
        return
    text = read(name)
    for _, path in IMPORT.findall(text):
        _collect(_resolve(name, path), texts, (*above, name))
    text = EXPORT.sub("", IMPORT.sub("", text))
    if line := re.search(r"^(?:import|export)\b.*", text, re.M):
        raise ValueError(f"{name} has a line that cannot be joined: {line[0]}")
    texts[name] = text


def _resolve(name: str, path: str) -> str:
    """Return the name of the module at a path relative to another module."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def html(lesson: Lesson | None = None) -> str:
    """Return the lecture page as one self-contained HTML text, which fetches nothing.

    Parameters
    ----------
    lesson : dict, default None
        The lesson that the page opens with. None is the page's own first example.

    Examples
    --------
    >>> page = html()
    >>> page.startswith("<!doctype html>"), 'src="' in page
    (True, False)
    """
    data = json.dumps(lesson, separators=(",", ":"), allow_nan=False)
    embedded = data.replace("<", "\\u003c")  # no text of a lesson ends the script
    page = read("index.html")
    for name in STYLES:
        link = f'<link rel="stylesheet" href="{name}">'
        page = _replaced(page, link, f"<style>\n{read(name)}</style>")
    return _replaced(
        page,
        SCRIPT,
        f'<script type="application/json" id="lesson-data">{embedded}</script>\n'
        f'<script type="module">\n{script()}</script>',
    )


def _replaced(page: str, tag: str, text: str) -> str:
    """Return the page with a text in the place of a tag, of which it must have one."""
    if page.count(tag) != 1:
        raise ValueError(f"index.html must have one {tag}")
    return page.replace(tag, text)
