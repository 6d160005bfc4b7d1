"""The page from Python: shown, saved, and opened."""

import subprocess
import sys
import tempfile
import webbrowser
from pathlib import Path
from types import ModuleType, SimpleNamespace
from urllib.parse import urlparse

import pytest

from rosenblatt import textbook
from rosenblatt.teach import LessonPage, html, notebook, show

RUN = textbook.augmented_perceptron([[1.0, 2.0], [2.0, 1.0]], [1, -1])


@pytest.fixture
def opened(monkeypatch, tmp_path):
    addresses = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    monkeypatch.setattr(tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    return addresses


def test_a_run_opens_in_the_browser(opened):
    page = RUN.show()
    assert isinstance(page, LessonPage)
    assert page.lesson["title"] == "augmented_perceptron"
    (address,) = opened
    assert Path(urlparse(address).path).read_text("utf-8") == html(page.lesson)


def test_a_notebook_shows_the_page_in_a_frame(opened, monkeypatch):
    fake = ModuleType("IPython")
    fake.get_ipython = lambda: SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setattr(notebook, "find_spec", lambda name: None)
    page = show(RUN)
    assert not opened
    frame = page._repr_html_()
    assert frame.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert frame.count('"') == 6


def test_the_page_is_saved_and_named(tmp_path):
    page = LessonPage()
    page.save(tmp_path / "lesson.html")
    assert (tmp_path / "lesson.html").read_text("utf-8") == html()
    assert repr(page) == "<LessonPage of 1 state>"
    assert repr(LessonPage({"title": "", "states": [{}, {}]})) == "<LessonPage of 2 states>"


def test_the_textbook_does_not_load_the_page():
    code = "import sys; from rosenblatt import textbook; print('rosenblatt.teach' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
