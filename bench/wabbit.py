"""Vowpal Wabbit as the benchmarks run it, on rows in its own text format."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from measure import peer

module = peer("vowpalwabbit")


def write(text: Path, X: Any, labels: Any) -> None:
    """Write rows with whole labels as Vowpal Wabbit text; column j has the name j."""
    X = sp.csr_array(X)
    with text.open("w") as file:
        for i, label in enumerate(np.asarray(labels).tolist()):
            part = slice(X.indptr[i], X.indptr[i + 1])
            pairs = zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
            row = " ".join(f"{j}:{x:.9g}" for j, x in pairs)
            file.write(f"{label} | {row}\n")


def arguments(
    text: Path, model: Path, *options: str, loss: str = "hinge", bits: int = 18
) -> list[str]:
    """Return the arguments to train a model of 2^bits weights on a file."""
    given = ["-d", str(text), "-f", str(model), "--loss_function", loss, "-b", str(bits)]
    return [*given, "--quiet", *options]


def learn(text: Path, model: Path, *options: str, **more: Any) -> None:
    """Train in this process and save the model; ``more`` are those of :func:`arguments`."""
    module.Workspace(arg_list=arguments(text, model, *options, **more)).finish()


def predictions(model: Path, text: Path) -> Any:
    """Return the prediction of each row: a score, or a class with ``--oaa``."""
    to = text.with_suffix(".predictions")
    given = ["-d", str(text), "-t", "-i", str(model), "-p", str(to), "--quiet"]
    module.Workspace(arg_list=given).finish()
    return np.loadtxt(to)


def classes(
    folder: Path, X: Any, codes: Any, X_test: Any, *options: str, **more: Any
) -> tuple[Any, Any]:
    """Train on rows with classes 0, 1, …; return the classes of the test rows, and the answers.

    The training rows are written to train.vw in the folder, whose model is model.vw. More than two
    classes are learned one against all.
    """
    train, test, model = (folder / name for name in ("train.vw", "test.vw", "model.vw"))
    write(train, X, labels(codes))
    write(test, X_test, np.ones(X_test.shape[0], int))
    learn(train, model, *options, *one_against_all(codes), **more)
    answers = predictions(model, test)
    return (answers > 0 if codes.max() == 1 else answers - 1).astype(int), answers


def labels(codes: Any) -> Any:
    """Return the labels of classes 0, 1, …: −1 and 1 for two, else from 1."""
    return 2 * codes - 1 if codes.max() == 1 else codes + 1


def one_against_all(codes: Any) -> list[str]:
    """Return the options for more than two classes."""
    return [] if codes.max() == 1 else ["--oaa", str(codes.max() + 1)]


def accuracy(model: Path, text: Path, y: Any) -> float:
    """Return the share of rows whose prediction has the sign of their label."""
    return float(np.mean((predictions(model, text) > 0) == (np.asarray(y) > 0)))


def command(text: Path, model: Path) -> list[str]:
    """Return the command line: ``vw`` if installed, else the package's own command."""
    binary = shutil.which("vw")
    start = [binary] if binary else [sys.executable, "-m", "vowpalwabbit"]
    return [*start, *arguments(text, model)]
