"""Examples run and end with a figure, pictures have scripts, the page on separability is true."""

import ast
import doctest
import re
import runpy
import shutil
from pathlib import Path

import pictures
import pytest
from matplotlib import pyplot as plt
from profiles import by_night
from real_data import real_data

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*/plot_*.py"))
HERE = Path(__file__).parent
WITH_TESTS = {  # which run them and look at their numbers
    "plot_spam", *re.findall(r'page\("\w+/(\w+)"\)', (HERE / "test_lecture_pages.py").read_text())
}  # fmt: skip
LONG = by_night("three quarters of the time of all examples; make docs runs them, too")
STUDIES = {"plot_gaussians", "plot_digits_kernels", "plot_echo", "plot_growth", "plot_experts"}
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
PAGE = (ROOT / "docs" / "separability.md").read_text(encoding="utf-8")
DATA = {"endometrial.csv": "separation", "a1a.xz": "a1a"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_title_and_ends_with_its_figure(example):
    source = example.read_text(encoding="utf-8")
    title, rule, empty, summary, *_ = ast.get_docstring(ast.parse(source)).split("\n")
    assert rule == "=" * len(title)
    assert not empty
    assert summary
    assert source.rstrip().endswith("plt.show()")


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(one, id=one.stem, marks=LONG if one.stem in STUDIES else ())
        for one in EXAMPLES
        if one.stem not in WITH_TESTS
    ],
)
def test_an_example_runs_without_a_warning(example, monkeypatch, tmp_path):
    monkeypatch.setattr(plt, "show", lambda: None)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_the_pictures_of_a_page_are_drawn(page):
    named = re.findall(r"\]\(([^):]+\.svg)\)", page.read_text(encoding="utf-8"))
    assert {(page.parent / name).resolve() for name in named} <= set(pictures.pictures())


@pytest.mark.parametrize("script", pictures.SCRIPTS)
def test_a_picture_has_its_script_and_is_small(script):
    assert (pictures.EXAMPLES / f"{script}.py").exists()
    picture = pictures.picture(script).read_text(encoding="utf-8")
    assert "<svg" in picture
    assert len(picture) < 300_000, "too large to be read beside the text"


def sections():
    """The page's sections that hold code, by title."""
    for text in PAGE.split("\n## ")[1:]:
        if ">>>" in text:
            title, _, body = text.partition("\n")
            yield pytest.param(title, body, id=title)


@pytest.mark.parametrize(("title", "body"), list(sections()))
def test_a_section_of_the_page_prints_what_it_says(title, body, tmp_path, monkeypatch):
    for name, folder in DATA.items():
        if f'"{name}"' in body:
            shutil.copy(real_data(folder, name), tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = "\n".join(re.findall(r"^```pycon\n(.*?)^```", body, re.M | re.S))
    section = doctest.DocTestParser().get_doctest(blocks, {}, title, "docs/separability.md", 0)
    said = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags).run(section, out=said.append)
    assert result.attempted
    assert not result.failed, "".join(said)
