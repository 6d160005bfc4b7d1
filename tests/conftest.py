"""Fixtures of all tests; clean-up of pictures and processes after each test."""

import gc
import io
import logging
import os
import signal
import sys

import browser as machine
import numpy as np
import profiles
import pytest
from command import end_children
from hypothesis import settings
from saved_models import batch

from rosenblatt import Perceptron, rules, save
from rosenblatt.cli.main import run

os.environ.setdefault("MPLBACKEND", "Agg")
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
LOGGER = logging.getLogger("rosenblatt")
LOGGED = LOGGER.propagate, LOGGER.handlers
# Examples may take long on a busy machine. --hypothesis-profile=thorough tries more.
settings.register_profile("usual", deadline=None, max_examples=profiles.USUAL)
settings.register_profile("thorough", deadline=None, max_examples=profiles.THOROUGH)
settings.load_profile("usual")


def pytest_collection_finish():
    """Leave modules and tests to stay out of the garbage collector's rounds: they live on."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests of pages in a process."""
    with machine.chromium() as opened:
        yield opened


@pytest.fixture(autouse=True)
def no_picture_is_open():
    """Close the pictures of earlier tests and doctests: matplotlib warns of many."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def no_process_outlives_its_test():
    """End the processes of a test that failed: an open pipe would fail a later test, too."""
    yield
    end_children()


@pytest.fixture(autouse=True)
def the_library_logs_as_before():
    """Undo what a command, of a fixture or an earlier test, has set for its process."""
    LOGGER.propagate, LOGGER.handlers = LOGGED


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
