"""Text file to matrix and to model, against scikit-learn and Vowpal Wabbit.

Run: python bench/text.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import wabbit
from made import Split, crossed_file, svmlight_file, text_files, zipf_rows, zipf_split
from measure import (
    Finding,
    Part,
    absent,
    against,
    alternate,
    joined,
    machine,
    on_one_core,
    percent,
    pretty,
    table,
    versus,
)
from real import computers
from sklearn.datasets import load_svmlight_file

import rosenblatt
from rosenblatt.progressive import learn
from rosenblatt.streams import open_stream

TO_CSR = 50_000  # rows
CROSSED = 300_000
VALUES = {"%.6g": "as people have them", "%.16g": "as scikit-learn writes them"}
RULES: dict[str, dict[str, Any]] = {
    "perceptron": {"rule": "perceptron"},
    "hinge": {"rule": "hinge"},
    "hinge, averaged": {"rule": "hinge", "output": "average"},
    "pa1, averaged": {"rule": "pa1", "output": "average"},
}
PLAIN, PLAIN_SGD = "Vowpal Wabbit", "Vowpal Wabbit --sgd"
WABBIT = {PLAIN: [], "Vowpal Wabbit -l 1": ["-l", "1"], PLAIN_SGD: ["--sgd"]}
SETTINGS = (
    "learn in its order, save the model, and parse ahead in separate threads. Vowpal Wabbit has "
    "hinge loss, `-b 18` and 32-bit weights; by default its rates adapt to each weight, `-l 1` "
    "is the best of seven rates on the held-out rows, and `--sgd` is the plain update, like "
    "rosenblatt's. rosenblatt has 64-bit weights."
)
NOTES = {
    "svm": f"Both read the same numbers in their own text format, {SETTINGS}",
    "vw": f"Both read Vowpal Wabbit's text, hash every name to one of 2^18 weights, {SETTINGS}",
}
LOADER = "sklearn.load_svmlight_file"


def megabytes(path: Path) -> float:
    return path.stat().st_size / 1e6


def to_csr(folder: Path, value: str) -> Part:
    """Compare both readers on the same file, with reading its bytes as the lower limit."""
    path = folder / "rows.svm"
    svmlight_file(path, *zipf_rows(TO_CSR), value=value)
    ours, theirs = open_stream(path).read(), load_svmlight_file(path)
    if (ours[0] != theirs[0]).nnz or not np.array_equal(ours[1], theirs[1]):
        raise RuntimeError("the two readers differ.")
    works = {
        "rosenblatt.open_stream(…).read()": lambda: open_stream(path).read(),
        LOADER: lambda: load_svmlight_file(path),
        "the bytes alone, the floor": path.read_bytes,
    }
    with on_one_core():
        times = alternate(works, 5)
    first = next(iter(times.values()))
    rows = [
        [name, pretty(t), f"{megabytes(path) / t:,.0f}", f"{t / first:.2f} ×"]
        for name, t in times.items()
    ]
    work = f'svmlight text to CSR on one core, values "{value}"'
    title = f"{work} {VALUES[value]} ({TO_CSR:,} rows, {megabytes(path):.0f} MB)"
    text = f"### {title[0].upper()}{title[1:]}\n\n" + table(["", "median", "MB/s", "to ours"], rows)
    text += "\nThe two matrices are equal to the last bit.\n"
    measured = f"{times[LOADER] / first:.1f} ×"
    return Part(text, [Finding(work, "scikit-learn `load_svmlight_file`", measured, "10 ×")])


def to_model(text: Path, model: Path, crossed: tuple[str, ...] = (), **setting: Any) -> None:
    """Train one pass in the order of the file, and save the model."""
    perceptron = rosenblatt.Perceptron(shuffle=False, **setting)
    learn(perceptron, open_stream(text, interactions=crossed))
    rosenblatt.save(perceptron, model)


def one_pass(data: str, split: Split, folder: Path, ours: str = "svm") -> Part:
    """Text to model within one process: time of the pass, and what the model is worth.

    ``ours`` is the suffix of the text that we read: "svm", or "vw", the peer's own.
    """
    text_files(folder, split)
    read, vw = folder / f"train.{ours}", folder / "train.vw"
    if ours == "vw":
        X_test, y_test = open_stream(folder / "test.vw").read()
        work = f"Vowpal Wabbit text to model, one pass ({data})"
    else:
        X_test, y_test = split.X_test, split.y_test
        work = f"text file to model, one pass ({data})"
    model, their_model = folder / "model.rosenblatt", folder / "model.vw"
    works: dict[str, Callable[[], object]] = {}
    right: dict[str, float] = {}
    for name, setting in RULES.items():
        works[name] = partial(to_model, read, model, **setting)
        works[name]()
        right[name] = rosenblatt.load(model).score(X_test, y_test)
    for name, options in WABBIT.items():
        works[name] = partial(wabbit.learn, vw, their_model, *options)
        works[name]()
        right[name] = wabbit.accuracy(their_model, folder / "test.vw", split.y_test)
    times = alternate(works, 5)
    with on_one_core():
        alone = alternate(works, 3)
    rows = [
        [name, pretty(t), f"{megabytes(read) / t:,.0f}", pretty(alone[name]), percent(right[name])]
        for name, t in times.items()
    ]
    header = ["", "median", "MB/s", "on one core", "held-out accuracy"]
    title = f"{work[0].upper()}{work[1:-1]}, {split.shape}, {megabytes(read):.0f} MB)"
    findings = [
        against(
            work,
            peer,
            {name: times[name] for name in RULES},
            (times[peer], right[peer]),
            right,
            wanted="3 ×, features hashed" if ours == "vw" else "4 ×, accuracy no worse",
        )
        for peer in (PLAIN, PLAIN_SGD)
    ]
    return Part(f"### {title}\n\n{NOTES[ours]}\n\n{table(header, rows)}", findings)


def crossed(folder: Path) -> Part:
    """Compare pairs of namespaces in one pass with hinge loss."""
    path, model, theirs = (folder / name for name in ("crossed.vw", "ours", "theirs"))
    crossed_file(path, CROSSED)
    ours = "rosenblatt, user*ad"
    works = {
        ours: partial(to_model, path, model, ("user*ad",), rule="hinge"),
        **{
            f"{name} -q ua": partial(wabbit.learn, path, theirs, "-q", "ua", *options)
            for name, options in WABBIT.items()
        },
    }
    times = alternate(works, 5)
    work = f"Vowpal Wabbit text with pairs of namespaces to model ({CROSSED:,} rows)"
    findings = [
        Finding(work, f"{peer} -q ua", f"{times[f'{peer} -q ua'] / times[ours]:.1f} ×", "3 ×")
        for peer in (PLAIN, PLAIN_SGD)
    ]
    return Part(versus(work, times, ours), findings)


def as_commands(folder: Path) -> Part:
    """Compare the same as processes, from start to end."""
    ours = [sys.executable, "-m", "rosenblatt", "train", str(folder / "train.svm")]
    ours += ["-m", str(folder / "model.rosenblatt"), "--rule", "hinge", "-q"]
    theirs = wabbit.command(folder / "train.vw", folder / "model.vw")
    start = " ".join([Path(theirs[0]).name, *theirs[1 : theirs.index("-d")]])
    works = {"rosenblatt train --rule hinge": partial(run, ours), start: partial(run, theirs)}
    times = alternate(works, 3)
    first = next(iter(times.values()))
    notes = "From start to end of the process; the loops were compiled by an earlier process."
    text = versus("The same as commands", times, next(iter(times)), notes)
    work = "the same as a command, start-up included"
    return Part(text, [Finding(work, "Vowpal Wabbit", f"{times[start] / first:.1f} ×")])


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def main() -> Part:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [to_csr(folder, value) for value in VALUES]
        if wabbit.module is None:
            return joined([*parts, absent("Text file to model, one pass", "not installed")])
        real = computers()
        if real is None:
            parts.append(absent("Text file to model, one pass (20 newsgroups)"))
        else:
            parts.append(one_pass("20 newsgroups, computers or not", real, folder))
        made = zipf_split()
        parts += [one_pass("made rows", made, folder, ours) for ours in NOTES]
        parts += [crossed(folder), as_commands(folder)]
    return joined(parts)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
