"""Starts of commands and imports from a filled cache, beside the start of numba alone.

Run: python bench/start.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from markdown import figure, pretty, table
from measure import Part, machine
from ratios import Finding, Times, alternate, medians, ratio

ROWS, LIMIT = 200, 120.0
NUMBA, SKLEARN = "import numba", "from sklearn.linear_model import Perceptron"
HELP, OURS = "rosenblatt --help", "from rosenblatt import Perceptron"
ONLINE = "from rosenblatt import OnlinePerceptron; OnlinePerceptron().learn_one({'a': 1}, 'x')"
MISSING = "rosenblatt predict, a file that is missing"
PROGRAMS = {name: ["-c", name] for name in (NUMBA, SKLEARN, OURS, ONLINE)}
BOTH = "scikit-learn's import and numba's"
NOTES = (
    "Wall time of a process, from start to end; machine code is on disk. The files have 200 rows. "
    "`to numba` is the time divided by that of `import numba` in the same round."
)


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
    """Return a line for everything of ours, against numba's import or both imports."""
    imports = [a + b for a, b in zip(times[SKLEARN], times[NUMBA], strict=True)]
    wanted = {HELP: 0.5, MISSING: 0.5, ONLINE: 1.6}
    return [
        Finding(f"start of `{name}`", BOTH, ratio(t, imports), 1.0, at_most=True)
        if name == OURS
        else Finding(
            f"start of `{name}`", NUMBA, ratio(t, times[NUMBA]), wanted.get(name, 2.0), at_most=True
        )
        for name, t in times.items()
        if name not in (NUMBA, SKLEARN)
    ]


def main() -> Part:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        works = {
            name: partial(run, folder, arguments, 3 if name == MISSING else 0)
            for name, arguments in (PROGRAMS | commands(folder)).items()
        }
        times, findings = alternate(works, lines, limit=LIMIT)
    median = medians(times)
    rows = [
        [f"`{name}`", pretty(t), f"{figure(t / median[NUMBA])} ×"] for name, t in median.items()
    ]
    title = "### Starts, from a filled cache"
    return Part(f"{title}\n\n{NOTES}\n\n{table(['', 'time', 'to numba'], rows)}", findings)


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
