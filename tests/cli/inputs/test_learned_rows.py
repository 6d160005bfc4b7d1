"""Rows of the data behind numbered examples: epochs, shuffled orders, held-out rows."""

import json
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from rosenblatt import KernelPerceptron
from rosenblatt.cli.inputs.learned_rows import locate_rows
from rosenblatt.cli.inputs.models import open_model


@pytest.fixture
def numbered(folder):
    """A table whose first column is the number of the row."""
    rng = np.random.default_rng(0)
    rows = [f"{i},{rng.normal():.3f},{'ab'[rng.integers(2)]}" for i in range(300)]
    Path("n.csv").write_text("\n".join(["size,x,kind", *rows]) + "\n")
    return folder


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--epochs", "3"),
        ("--epochs", "3", "--shuffle", "--seed", "5"),
        ("--epochs", "2", "--holdout", "0.3"),
        ("--epochs", "3", "--shuffle", "--holdout", "0.3"),
        ("--shuffle",),
    ],
)
def test_the_row_that_is_named_is_the_row_that_was_learned(numbered, call, options):
    status, *_ = call("train", "n.csv", "-m", "m", "-q", "--kernel", "linear", *options)
    assert status == 0
    loaded = open_model("m")
    located = locate_rows(loaded, loaded.model.support_)
    assert [row for row, _ in located] == loaded.model.support_vectors_[:, 0].astype(int).tolist()
    epochs = [epoch for _, epoch in located]
    assert epochs == sorted(epochs)
    assert epochs[0] == 1
    assert epochs[-1] > 1 or loaded.notes["epochs"] == 1


def test_inspect_the_table_and_the_report_name_row_and_epoch(numbered, call):
    args = ("-q", "--kernel", "laplace", "--epochs", "3", "--report", "r.html")
    assert call("train", "n.csv", "-m", "m", *args)[0] == 0
    side = json.loads(call("inspect", "m", "--json")[1])["rows"]["b"]
    row, coefficient, epoch = side["positive"][0]
    assert row < 300
    line = f"row {row} (epoch {epoch})"
    assert line in call("inspect", "m")[1]
    assert f"{row} (epoch {epoch})" in Path("r.html").read_text("utf-8")
    assert f"{row},b,{coefficient},{epoch}" in call("inspect", "m", "--csv")[1].splitlines()


def test_a_model_of_python_has_rows_of_X_and_no_epochs(folder):
    model = KernelPerceptron("rbf", max_iter=3, tol=None).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    rosenblatt.save(model, "m")
    located = locate_rows(open_model("m"), model.support_)
    assert located == [(row, None) for row in model.support_.tolist()]
