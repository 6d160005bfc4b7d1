"""Three starts of each kind of work: an empty cache, a filled cache, and no start at all.

Compiling is the difference of the first two, and has loops written by hand in numba beside it.
Run: python bench/cold.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from made import svmlight_file, zipf_rows
from markdown import pretty, table
from measure import Part, joined, machine
from ratios import Finding, Times, alternate, medians, ratio, seconds

PROGRAM = """
import sys, time
import numpy as np, scipy.sparse as sp
sys.path.append({here!r})
rng = np.random.default_rng(0)
X = rng.standard_normal((20_000, 60))
y = (X[:, 0] > 0).astype(int)
{setup}
start = time.perf_counter()
{work}
passed, first = time.perf_counter() - start, time.process_time()
{work}
print(passed, first, time.process_time() - first)
"""
OURS = "from rosenblatt import Perceptron", "Perceptron(max_iter=10, tol=None).fit(X, y)"
HAND = "from by_hand import fit", "fit(X, y)"
SPARSE = "X = sp.csr_array(X * (rng.random(X.shape) < 0.2))"
ROWS = {
    "dense rows, two classes": "",
    "dense rows, three classes": "y += X[:, 1] > 0.5",
    "dense rows of float32, two classes": "X = X.astype(np.float32)",
    "sparse rows, two classes": SPARSE,
    "sparse rows with int64 indices, two classes": f"{SPARSE}\n"
    "X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)",
}
DICTS = (
    "rows = [dict(zip('abcdefghij', x)) for x in X[:, :10].tolist()]; model = OnlinePerceptron()"
)
COMMAND = "from rosenblatt.cli.main import run"
OTHERS = {
    "KernelPerceptron, rbf": (
        "from rosenblatt import KernelPerceptron",
        "KernelPerceptron('rbf', max_iter=2, tol=None).fit(X[:3000], y[:3000])",
    ),
    "OnlinePerceptron, 20,000 dicts one by one": (
        f"from rosenblatt import OnlinePerceptron; {DICTS}",
        "for x, label in zip(rows, y.tolist()): model.learn_one(x, label)",
    ),
    "certify, 2,000 dense rows": ("from rosenblatt import certify", "certify(X[:2000], y[:2000])"),
    "`train`, svmlight": (COMMAND, "run(['train', 'rows.svm', '-m', 'model', '-q'])"),
    "`train`, CSV": (COMMAND, "run(['train', 'rows.csv', '-m', 'model', '-q'])"),
    "`validate`, svmlight": (COMMAND, "run(['validate', 'rows.svm', '-q'])"),
    "`certify`, CSV": (COMMAND, "run(['certify', 'rows.csv', '-q'])"),
}
TOYS = "from rosenblatt import audit, certify, textbook, toys; toy = toys.two_points()"
IRIS = "from sklearn.datasets import load_iris; X, y = load_iris(return_X_y=True)"
SMALL = {
    "audit of two points": (TOYS, "audit(textbook.augmented_perceptron(toy.X, toy.y))"),
    "certify of two points": (TOYS, "certify(toy.X, toy.y)"),
    "fit of iris": (f"from rosenblatt import Perceptron; {IRIS}", "Perceptron().fit(X, y)"),
}
DEMO = "rosenblatt demo"
SOON, TOUR = 0.3, 15.0  # seconds
NOTES = (
    "Seconds of the cores from the start of the process to the end of the first call: cold, with "
    "an empty cache; warm, in a further process. Steady is the second call in that process. "
    "Compiling is cold less warm; `bench/by_hand.py` has the loops by hand."
)


class Starts(NamedTuple):
    """CPU seconds of three starts."""

    cold: float
    warm: float
    steady: float


def run(setup: str, work: str, cache: str, folder: str | None = None) -> list[float]:
    """Return wall seconds of the first call, CPU seconds until its end, and those of the second."""
    program = PROGRAM.format(here=str(Path(__file__).parent), setup=setup, work=work)
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    return [float(word) for word in done.stdout.splitlines()[-1].split()]


def three_starts(setup: str, work: str, folder: str | None = None) -> Starts:
    with tempfile.TemporaryDirectory() as cache:
        _, cold, _ = run(setup, work, cache, folder)
        _, warm, steady = run(setup, work, cache, folder)
    return Starts(cold, warm, steady)


def line(name: str, starts: list[Starts], to_hand: str = "") -> list[str]:
    middle = medians({which: [getattr(s, which) for s in starts] for which in Starts._fields})
    return [name, *map(pretty, middle.values()), to_hand]


def loops() -> Part:
    """Compare compiling for the first fits with compiling loops by hand; then the other kinds."""
    starts = dict[str, list[Starts]]()

    def compiling(name: str, setup: str, work: str) -> float:
        started = three_starts(setup, work)
        starts.setdefault(name, []).append(started)
        return started.cold - started.warm

    works: dict[str, Callable[[], object]] = {
        f"{name}{side}": partial(compiling, f"{name}{side}", f"{first}\n{setup}", work)
        for name, setup in ROWS.items()
        for side, (first, work) in (("", OURS), (", by hand", HAND))
    }

    def lines(times: Times) -> list[Finding]:
        return [
            Finding(
                f"compiling for the first fit, {name}",
                "a loop by hand in numba",
                ratio(times[name], times[f"{name}, by hand"]),
                2.0,
                at_most=True,
            )
            for name in ROWS
        ]

    _, findings = alternate(works, lines, clock=call, warm_up=False)
    ratios = {name: str(found.ratio) for name, found in zip(ROWS, findings, strict=True)}
    rows = [line(name, three, ratios.get(name, "")) for name, three in starts.items()]
    header = ["", "cold", "warm", "steady", "compiling, to that by hand"]
    title = "### Three starts: nothing compiled, compiled before, and no start"
    return Part(f"{title}\n\n{NOTES}\n\n{table(header, rows + others())}", findings)


def others() -> list[list[str]]:
    """Return the lines of work without a counterpart by hand, measured once."""
    with tempfile.TemporaryDirectory() as folder:
        svmlight_file(Path(folder) / "rows.svm", *zipf_rows(10_000))
        X = np.random.default_rng(0).standard_normal((30_000, 20))
        names = ",".join([f"x{j}" for j in range(20)] + ["y"])
        cells = np.column_stack([X, X[:, 0] > 0])
        np.savetxt(Path(folder) / "rows.csv", cells, "%.6g", ",", header=names, comments="")
        return [line(name, [three_starts(*texts, folder)]) for name, texts in OTHERS.items()]


def first_uses() -> Part:
    """Compare small work and the demo in an empty cache with the seconds they may take."""
    limits = dict.fromkeys(SMALL, SOON) | {DEMO: TOUR}
    works: dict[str, Callable[[], object]] = {
        name: partial(in_an_empty_cache, *texts) for name, texts in SMALL.items()
    }

    def lines(times: Times) -> list[Finding]:
        return [
            Finding(
                f"{name} in an empty cache{', imports apart' if name in SMALL else ''}",
                f"{limits[name]:g} s",
                ratio(t, [limits[name]] * len(t)),
                1.0,
                at_most=True,
            )
            for name, t in times.items()
        ]

    times, findings = alternate({**works, DEMO: demo}, lines, clock=call, warm_up=False)
    rows = [[name, pretty(t)] for name, t in medians(times).items()]
    title = "### In an empty cache: small work, imports apart, and the demo"
    return Part(f"{title}\n\n{table(['', 'wall time'], rows)}", findings)


def in_an_empty_cache(setup: str, work: str) -> float:
    with tempfile.TemporaryDirectory() as cache:
        return run(setup, work, cache)[0]


def demo() -> float:
    """Return the wall seconds of the demo in an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "rosenblatt", "demo", "--folder", folder]
        environment = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/cache"}
        tour = partial(subprocess.run, command, env=environment, check=True, capture_output=True)
        return seconds(tour)


def call(work: Callable[[], Any]) -> float:
    """Return the seconds that a work measures itself."""
    return float(work())


def main() -> Part:
    return joined([loops(), first_uses()])


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
