"""Vowpal Wabbit as the benchmarks run it: hinge loss, 2^18 weights, its own text format."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from measure import peer

module = peer("vowpalwabbit")


def arguments(text: Path, model: Path, *options: str) -> list[str]:
    """Return the arguments to train a model on a file, with Vowpal Wabbit's defaults."""
    given = ["-d", str(text), "-f", str(model), "--loss_function", "hinge", "-b", "18", "--quiet"]
    return [*given, *options]


def learn(text: Path, model: Path, *options: str) -> None:
    """Train in this process and save the model."""
    module.Workspace(arg_list=arguments(text, model, *options)).finish()


def accuracy(model: Path, text: Path, y: Any) -> float:
    """Return the share of rows whose prediction has the sign of their label."""
    to = text.with_suffix(".predictions")
    given = ["-d", str(text), "-t", "-i", str(model), "-p", str(to), "--quiet"]
    module.Workspace(arg_list=given).finish()
    return float(np.mean((np.loadtxt(to) > 0) == (np.asarray(y) > 0)))


def command(text: Path, model: Path) -> list[str]:
    """Return the command line: ``vw`` if installed, else the package's own command."""
    binary = shutil.which("vw")
    start = [binary] if binary else [sys.executable, "-m", "vowpalwabbit"]
    return [*start, *arguments(text, model)]
