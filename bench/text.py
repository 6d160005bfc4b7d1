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
from markdown import figure, percent, pretty, table, versus
from measure import Part, absent, joined, machine, no_worse, on_one_core
from ratios import Finding, Times, alternate, faster, medians, ratio
from real import computers
from sklearn.datasets import load_svmlight_file

import rosenblatt
from rosenblatt.progressive import learn
from rosenblatt.streams import open_stream

TO_CSR = 50_000  # rows
CROSSED = 300_000
SIZES = (50, 186)  # megabytes, of the files of the commands
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
OURS, LOADER = "rosenblatt.open_stream(…).read()", "sklearn.load_svmlight_file"


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
        OURS: lambda: open_stream(path).read(),
        LOADER: lambda: load_svmlight_file(path),
        "the bytes alone, the floor": path.read_bytes,
    }
    work = f'svmlight text to CSR on one core, values "{value}"'
    with on_one_core():
        times, findings = alternate(
            works, faster(work, "scikit-learn `load_svmlight_file`", LOADER, OURS, 10.0)
        )
    median = medians(times)
    rows = [
        [name, pretty(t), f"{megabytes(path) / t:,.0f}", f"{figure(t / median[OURS])} ×"]
        for name, t in median.items()
    ]
    title = f"{work} {VALUES[value]} ({TO_CSR:,} rows, {megabytes(path):.0f} MB)"
    text = f"### {title[0].upper()}{title[1:]}\n\n" + table(["", "median", "MB/s", "to ours"], rows)
    text += "\nThe two matrices are equal to the last bit.\n"
    return Part(text, findings)


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

    def lines(times: Times) -> list[Finding]:
        found = (
            no_worse(work, peer, times, right, list(RULES), peer) for peer in (PLAIN, PLAIN_SGD)
        )
        return [line._replace(wanted=3.0 if ours == "vw" else 4.0) for line in found]

    times, findings = alternate(works, lines)
    with on_one_core():
        alone, _ = alternate(works, lines)
    single = medians(alone)
    rows = [
        [name, pretty(t), f"{megabytes(read) / t:,.0f}", pretty(single[name]), percent(right[name])]
        for name, t in medians(times).items()
    ]
    header = ["", "median", "MB/s", "on one core", "held-out accuracy"]
    title = f"{work[0].upper()}{work[1:-1]}, {split.shape}, {megabytes(read):.0f} MB)"
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
    work = f"Vowpal Wabbit text with pairs of namespaces to model ({CROSSED:,} rows)"

    def lines(times: Times) -> list[Finding]:
        return [
            Finding(work, f"{peer} -q ua", ratio(times[f"{peer} -q ua"], times[ours]), wanted)
            for peer, wanted in ((PLAIN, None), (PLAIN_SGD, 2.0))
        ]

    times, findings = alternate(works, lines)
    return Part(versus(work, medians(times), ours), findings)


def as_commands(folder: Path, size: int) -> Part:
    """Compare the same as processes, from start to end, on the first ``size`` MB of the file."""
    files = {}
    for suffix in ("svm", "vw"):
        files[suffix] = folder / f"first.{suffix}"
        lines = (folder / f"train.{suffix}").read_bytes()[: size * 10**6]
        files[suffix].write_bytes(lines[: lines.rindex(b"\n") + 1])
    ours = [sys.executable, "-m", "rosenblatt", "train", str(files["svm"])]
    ours += ["-m", str(folder / "model.rosenblatt"), "--rule", "hinge", "-q"]
    theirs = wabbit.command(files["vw"], folder / "model.vw")
    train = "rosenblatt train --rule hinge"
    start = " ".join([Path(theirs[0]).name, *theirs[1 : theirs.index("-d")]])
    works = {train: partial(run, ours), start: partial(run, theirs)}
    work = f"the same as a command, start-up included ({size} MB)"
    times, findings = alternate(works, faster(work, "Vowpal Wabbit", start, train, 1.0))
    notes = "From start to end of the process."
    return Part(versus(f"T{work[1:]}", medians(times), train, notes), findings)


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
        parts += [crossed(folder), *(as_commands(folder, size) for size in SIZES)]
    return joined(parts)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
