"""Displays in a notebook: each cell shows its figure, in a light session and in a dark one."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = [  # code, number of images
    ("from rosenblatt import plots, textbook, toys; toy = toys.two_points()", 0),
    ("run = textbook.augmented_perceptron(toy.X, toy.y)", 0),
    ("import matplotlib.pyplot as plt; plt.style.use('STYLE')", 0),
    ("plots.StepsDisplay.from_trace(run);", 1),
    ("plots.DecisionLineDisplay.from_trace(run);", 1),
    ("plt.plot([1, 2], [2, 1]);", 1),
    ("plots.ClaimsDisplay.from_trace(run); plots.DecisionLineDisplay.from_trace(run);", 2),
    ("figure, ax = plt.subplots(); plots.DecisionLineDisplay.from_trace(run, ax=ax);", 1),
    ("shown = plots.StepsDisplay.from_trace(run); shown", 1),
    ("shown", 1),  # its figure again
    ("plots.StepsDisplay(run)", 0),
]
MINE = [5, 7]  # cells whose figure has the session's style
GROUNDS = {"default": 255, "dark_background": 0}


def texts(cell):
    """The texts that a cell prints or shows."""
    results = [one.data["text/plain"] for one in cell.outputs if one.output_type != "stream"]
    return [text for text in results if not text.startswith("<Figure size")]


def images(cell):
    """The images that a cell shows, as arrays of grey values from 0 to 255."""
    shown = [output.data for output in cell.outputs if output.output_type == "display_data"]
    pictures = [base64.b64decode(data["image/png"]) for data in shown]
    return [np.asarray(Image.open(io.BytesIO(picture)).convert("L")) for picture in pictures]


@pytest.fixture(scope="module")
def rounds():
    """The cells after they ran in each look, all in one kernel."""
    codes = [code.replace("STYLE", look) for look in GROUNDS for code, _ in CELLS]
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, codes)])
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MPLBACKEND", raising=False)  # the kernel's own is inline
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return dict(
        zip(GROUNDS, (notebook.cells[: len(CELLS)], notebook.cells[len(CELLS) :]), strict=True)
    )


@pytest.mark.parametrize("look", GROUNDS)
def test_every_cell_of_a_notebook_shows_its_figures(rounds, look):
    cells, ground = rounds[look], GROUNDS[look]
    shown = [images(cell) for cell in cells]
    assert [len(pictures) for pictures in shown] == [count for _, count in CELLS]
    assert [texts(cell) for cell in cells[:-1]] == [[] for _ in CELLS[:-1]]
    assert texts(cells[-1]) == ["<StepsDisplay: not drawn yet>"]
    for k, pictures in enumerate(shown):
        for picture in pictures:
            assert picture[0, 0] == (ground if k in MINE else 255)
            assert (np.abs(picture.astype(int) - picture[0, 0]) > 128).any(), "no ink"
