"""The page as one file: all modules in one script, and nothing that is fetched."""

import json
import re

import pytest

from rosenblatt.teach import document


@pytest.fixture
def modules(monkeypatch):
    """A folder of modules in memory."""
    files = {}
    monkeypatch.setattr(document, "read", files.__getitem__)
    document.script.cache_clear()
    yield files
    document.script.cache_clear()


def test_the_page_is_one_file_that_fetches_nothing():
    text = document.html()
    assert text.startswith("<!doctype html>")
    assert not re.search(r'\b(src|href)="(?!data:)', text)
    assert not re.search(r"@import|url\(|\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon", text)
    assert set(re.findall(r"https?://[^\s\"'`)]+", text)) == {"http://www.w3.org/2000/svg"}


def test_every_module_is_in_the_script():
    from importlib import resources

    folder = resources.files("rosenblatt") / "teach" / "page"
    inside = document.script()
    for file in [*folder.glob("*.js"), *folder.glob("*/*.js")]:
        lines = [line for line in file.read_text("utf-8").splitlines() if line.startswith("//")]
        assert lines, f"{file} must begin with a line that says what it is"
        assert lines[0] in inside, f"{file} is imported by no other module"


def test_modules_are_short_and_folders_small():
    from importlib import resources

    folder = resources.files("rosenblatt") / "teach" / "page"
    for inner in [folder, *(path for path in folder.iterdir() if path.is_dir())]:
        files = [*inner.glob("*.js")]
        assert len(files) <= 14
        for file in files:
            assert len(file.read_text("utf-8").splitlines()) <= 450, f"{file} is too long"


def test_a_lesson_cannot_end_the_script():
    lesson = {"title": "</script><b>&\udce9", "states": []}  # and a file's name may be no text
    text = document.html(lesson)
    assert text.encode()
    assert "</script><b>" not in text
    (data,) = re.findall(r'id="lesson-data">(.*?)</script>', text)
    assert json.loads(data) == lesson


def test_modules_follow_those_that_they_import(modules):
    modules["main.js"] = 'import { b } from "./in/b.js";\nb();\n'
    modules["in/b.js"] = 'import { c, d } from "../c.js";\nexport function b() { c(d); }\n'
    modules["c.js"] = "export const d = 1;\nexport function c(x) {}\n"
    joined = "const d = 1;\nfunction c(x) {}\n\nfunction b() { c(d); }\n\nb();\n"
    assert document.script() == joined


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('import c from "./c.js";\n', "cannot be joined"),
        ('import { c as e } from "./c.js";\n', "cannot be joined"),
        ("export default 1;\n", "cannot be joined"),
        ('import { c } from "./c.js";\nconst c = 2;\n', "two modules of the page define c"),
        ('import { c } from "./d.js";\n', "import each other: main.js > d.js > main.js"),
    ],
)
def test_what_cannot_be_joined_is_an_error(modules, text, fault):
    modules |= {"main.js": text, "c.js": "export const c = 1;\n"}
    modules["d.js"] = 'import { x } from "./main.js";\nexport const c = 1;\n'
    with pytest.raises(ValueError, match=fault):
        document.script()


def test_a_page_without_its_marks_is_an_error(modules):
    modules |= {"main.js": "", "style.css": "", "index.html": "<!doctype html>"}
    with pytest.raises(ValueError, match=r"must have one <link"):
        document.html()
