"""Starts of commands and imports, beside the start of Python with NumPy alone, and first calls.

Run: python bench/start.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from markdown import figure, pretty, table
from measure import Part, joined, machine
from ratios import Finding, Times, alternate, medians, ratio

ROWS, LIMIT = 200, 120.0
NUMPY, SKLEARN = "import numpy", "from sklearn.linear_model import Perceptron"
HELP, OURS = "rosenblatt --help", "from rosenblatt import Perceptron"
ONLINE = "from rosenblatt import OnlinePerceptron; OnlinePerceptron().learn_one({'a': 1}, 'x')"
MISSING = "rosenblatt predict, a file that is missing"
PROGRAMS = {name: ["-c", name] for name in (NUMPY, SKLEARN, OURS, ONLINE)}
NOTES = (
    "Wall time of a process, from start to end. The files have 200 rows. `to NumPy` is the time "
    "divided by that of `import numpy` in the same round."
)

CALLS = """
import time
import numpy as np
X = np.random.default_rng(0).standard_normal((20_000, 60))
y = (X[:, 0] > 0).astype(int)
{setup}
for _ in range(2):
    start = time.perf_counter()
    {work}
    print(time.perf_counter() - start)
"""
FIRST = {
    "a fit of 20,000 rows": (OURS, "Perceptron(max_iter=10, tol=None).fit(X, y)"),
    "certify, 2,000 rows": ("from rosenblatt import certify", "certify(X[:2000], y[:2000])"),
}


def commands(folder: Path) -> dict[str, list[str]]:
    """Write the files and their models, and return the arguments of each command."""
    given = {HELP: ["--help"], MISSING: ["predict", "m.svm", "missing.svm"]}
    lines = [f"{(-1) ** i} 1:{i % 7} 2:{(-1) ** i * 0.5}" for i in range(ROWS)]
    (folder / "rows.svm").write_text("\n".join(lines) + "\n")
    lines = ["a,b,label", *(f"{i % 7},{i % 2},{'xy'[i % 2]}" for i in range(ROWS))]
    (folder / "rows.csv").write_text("\n".join(lines) + "\n")
    for name in ("svm", "csv"):
        file, model = f"rows.{name}", f"m.{name}"
        train = ["train", file, "-m", model, "-q"]
        run(folder, ["-m", "rosenblatt", *train])
        for command, arguments in (
            ("train", train),
            ("predict", ["predict", model, file]),
            ("evaluate", ["evaluate", model, file]),
            ("inspect", ["inspect", model]),
            ("validate", ["validate", file, "-q"]),
        ):
            given[f"rosenblatt {command}, {'svmlight' if name == 'svm' else 'CSV'}"] = arguments
    return {name: ["-m", "rosenblatt", *arguments] for name, arguments in given.items()}


def run(folder: Path, arguments: list[str], status: int = 0) -> None:
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode != status:
        raise RuntimeError(f"{arguments} ended with {done.returncode}: {done.stderr}")


def lines(times: Times) -> list[Finding]:
    """Return a line for everything of ours, against NumPy's import, or scikit-learn's."""
    return [
        Finding(f"start of `{name}`", SKLEARN, ratio(t, times[SKLEARN]), 1.2, at_most=True)
        if name == OURS
        else Finding(f"start of `{name}`", NUMPY, ratio(t, times[NUMPY]), 4.0, at_most=True)
        for name, t in times.items()
        if name not in (NUMPY, SKLEARN)
    ]


def starts() -> Part:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        works = {
            name: partial(run, folder, arguments, 3 if name == MISSING else 0)
            for name, arguments in (PROGRAMS | commands(folder)).items()
        }
        times, findings = alternate(works, lines, limit=LIMIT)
    median = medians(times)
    rows = [
        [f"`{name}`", pretty(t), f"{figure(t / median[NUMPY])} ×"] for name, t in median.items()
    ]
    title = "### Starts"
    return Part(f"{title}\n\n{NOTES}\n\n{table(['', 'time', 'to NumPy'], rows)}", findings)


def first_calls() -> Part:
    """Compare the first call of a process with the second: nothing is compiled."""
    works: dict[str, Callable[[], object]] = {
        f"{which} call, {name}": partial(call_in_process, *texts, which == "second")
        for name, texts in FIRST.items()
        for which in ("first", "second")
    }

    def found(times: Times) -> list[Finding]:
        return [
            Finding(
                f"the first call of a process, {name}",
                "the second",
                ratio(times[f"first call, {name}"], times[f"second call, {name}"]),
                2.0,
                at_most=True,
            )
            for name in FIRST
        ]

    times, findings = alternate(works, found, clock=own_seconds, warm_up=False)
    rows = [[name, pretty(t)] for name, t in medians(times).items()]
    title = "### The first call and the second, imports apart"
    return Part(f"{title}\n\n{table(['', 'time'], rows)}", findings)


def call_in_process(setup: str, work: str, second: bool) -> float:
    """Return the seconds of the first or the second call in a process of its own."""
    program = CALLS.format(setup=setup, work=work)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    return float(done.stdout.split()[second])


def own_seconds(work: Callable[[], Any]) -> float:
    """Return the seconds that a work measures itself."""
    return float(work())


def main() -> Part:
    return joined([starts(), first_calls()])


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
