"""What every test may ask for."""

import io
import os
import sys

import numpy as np
import pytest
from saved_models import batch

from rosenblatt import Perceptron, rules, save
from rosenblatt.cli.main import run

os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture(autouse=True)
def no_picture_is_open():
    """Close the pictures of earlier tests and doctests: matplotlib warns of many."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a model.safetensors"


@pytest.fixture
def saved(path):
    """A small model with three classes, in a file."""
    model = Perceptron(max_iter=2, tol=None, rule=rules.PA1(C=0.5)).fit(*batch(0))
    save(model, path, notes={"target": "kind"})
    return model


@pytest.fixture
def call(capsys, monkeypatch):
    """Run a command line in this process: its status, standard output and standard error."""

    def call(*args, stdin=None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        status = run([str(arg) for arg in args])
        return status, *capsys.readouterr()

    return call
