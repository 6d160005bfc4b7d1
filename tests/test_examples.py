"""The examples run, and the analyst's page prints what it says that it prints."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import real_data

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
PAGE = (ROOT / "docs" / "separability.md").read_text(encoding="utf-8")
DATA = {"endometrial.csv": "separation", "a1a.xz": "a1a"}
MISSING_WINDOW = "ignore:FigureCanvasAgg is non-interactive"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws(example, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", MISSING_WINDOW, str(example)],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    name = f"{example.stem.removeprefix('plot_')}.svg"
    assert [path.name for path in tmp_path.iterdir()] == [name]
    picture = (tmp_path / name).read_text(encoding="utf-8")
    assert "<svg" in picture
    assert "<path" in picture
    assert len(picture) < 300_000, "too large to be read beside the text"
    assert (ROOT / "docs" / name).exists(), "make docs"


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
