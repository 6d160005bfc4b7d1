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


def accuracy(model: Path, text: Path, y: Any) -> float:
    """Return the share of rows whose prediction has the sign of their label."""
    return float(np.mean((predictions(model, text) > 0) == (np.asarray(y) > 0)))


def command(text: Path, model: Path) -> list[str]:
    """Return the command line: ``vw`` if installed, else the package's own command."""
    binary = shutil.which("vw")
    start = [binary] if binary else [sys.executable, "-m", "vowpalwabbit"]
    return [*start, *arguments(text, model)]
