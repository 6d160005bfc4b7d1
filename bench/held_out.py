"""Training until the held-out accuracy equals LIBLINEAR's, against LIBLINEAR.

Both sides try a grid of settings, and both have their winner chosen on the held-out rows. Ours is
the fastest that is no worse than LIBLINEAR as it comes, or at its best. Run: python
bench/held_out.py
"""

from __future__ import annotations

import ctypes
import itertools
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from made import Split, zipf_split
from markdown import figure, percent, pretty, table
from measure import Part, absent, joined, machine, peer
from ratios import Finding, Times, alternate, medians, ratio, seconds
from real import a1a, letter, newsgroups, rcv1_small

import rosenblatt

warnings.simplefilter("ignore")

liblinear = peer("liblinear.liblinearutil")

AS_IT_COMES = "-s 1 -c 1 -e 0.1"
DUAL, PRIMAL, JOINT = (1, 3), (0, 2), (4,)  # LIBLINEAR's solvers; joint is Crammer and Singer's
COSTS = (0.1, 1, 10)
EPOCHS = (2, 5, 10, 20)
RULES: tuple[dict[str, Any], ...] = (
    {"rule": "pa1", "eta0": 0.1},
    {"rule": "pa2", "eta0": 0.1, "output": "average"},
    {"rule": "hinge", "eta0": 0.1, "output": "average"},
    {"rule": "logistic", "eta0": 0.1, "output": "average"},
    {"rule": "relaxation", "eta0": 0.3, "output": "average"},
    {"rule": "pa1", "eta0": 0.1, "output": "average", "multi_class": "joint"},
)
NOTES = (
    "Time of `train` and of `fit` alone, with the rows in memory in each program's own format, "
    "one thread, float64. LIBLINEAR is tried with the solvers 0, 1, 2, 3 (and 4 for more than "
    "two classes), C of 0.1, 1 and 10, its default tolerance and ten times that, and `-B 1`; "
    "rosenblatt with six rules, chosen from forty settings, and 2, 5, 10 and 20 epochs. On both "
    "sides the winners are chosen on the held-out rows, so a tenth of a percent is not "
    "significant; LIBLINEAR's dual solvers vary by more between orders of the rows."
)


class Try(NamedTuple):
    """One setting: its training function, accuracy, and the time of one run."""

    name: str
    train: Callable[[], object]
    right: float
    time: float


def their_tries(split: Split) -> Iterator[Try]:
    problem = liblinear.problem(split.y.astype(float), sp.csr_matrix(split.X))
    solvers = DUAL + PRIMAL + (JOINT if len(np.unique(split.y)) > 2 else ())
    for solver, cost, loose in itertools.product(solvers, COSTS, (1, 10)):
        tolerance = loose * (0.01 if solver in PRIMAL else 0.1)
        options = f"-s {solver} -c {cost} -e {tolerance:g}"
        parameter = liblinear.parameter(f"{options} -B 1 -q")
        train = partial(their_train, problem, parameter)
        yield tried(options, train, partial(their_accuracy, split))


def their_train(problem: Any, parameter: Any) -> Any:
    """Train from the same state of C's ``rand``, which orders the rows of the dual solvers."""
    ctypes.CDLL(None).srand(1)
    return liblinear.train(problem, parameter)


def their_accuracy(split: Split, model: Any) -> float:
    """Return the accuracy; the model has one row of weights per feature, the intercept last."""
    columns = 1 if model.nr_class == 2 else model.nr_class
    size = (model.nr_feature + 1, columns)
    W = np.ctypeslib.as_array(model.w, shape=(size[0] * columns,)).reshape(size)
    scores = split.X_test @ W[:-1] + W[-1]
    first = np.argmax(scores, axis=1) if columns > 1 else (scores[:, 0] <= 0).astype(int)
    return float(np.mean(np.array(model.get_labels())[first] == split.y_test))


def our_tries(split: Split) -> Iterator[Try]:
    for rule in RULES:
        fit_once(split, rule, 1)  # in the caches
        for epochs in EPOCHS:
            words = [f"{value:g}" if isinstance(value, float) else value for value in rule.values()]
            train = partial(fit_once, split, rule, epochs)
            name = f"{' '.join(words)}, {epochs} epochs"
            yield tried(name, train, lambda model: model.score(split.X_test, split.y_test))


def fit_once(split: Split, rule: dict[str, Any], epochs: int) -> Any:
    return rosenblatt.Perceptron(max_iter=epochs, tol=None, **rule).fit(split.X, split.y)


def tried(name: str, train: Callable[[], object], right: Callable[[Any], float]) -> Try:
    models: list[object] = []
    time = seconds(lambda: models.append(train()))
    return Try(name, train, right(models[0]), time)


def fastest(tries: list[Try], right: float) -> Try:
    """Return the fastest setting that is at least as accurate, else the most accurate one."""
    enough = [t for t in tries if t.right >= right]
    if enough:
        return min(enough, key=lambda t: t.time)
    return max(tries, key=lambda t: t.right)


def compare(data: str, split: Split | None) -> Part:
    title = f"Training to LIBLINEAR's held-out accuracy ({data}"
    if split is None:
        return absent(f"{title})")
    theirs, ours = list(their_tries(split)), list(our_tries(split))
    plain = next(t for t in theirs if t.name == AS_IT_COMES)
    best = max(theirs, key=lambda t: (t.right, -t.time))
    work = f"training to the same held-out accuracy ({data})"
    rows, findings = [], []
    for which, their in (("as it comes", plain), ("at its best", best)):
        lines, found = timed(work, f"LIBLINEAR {which}", fastest(ours, their.right), their)
        rows += lines
        findings += found
    header = ["", "setting", "held-out accuracy", "median", "to ours"]
    shape = f"{split.shape}, {len(split.y_test):,} held out"
    return Part(f"### {title}, {shape})\n\n{table(header, rows)}", findings)


def timed(work: str, peer: str, our: Try, their: Try) -> tuple[list[list[str]], list[Finding]]:
    """Return the lines of both settings in the table, and the finding."""

    def lines(times: Times) -> list[Finding]:
        gain = ratio(times["theirs"], times["ours"])
        wanted = 5.0 if peer.endswith("best") else None
        return [Finding(work, peer, gain, wanted, False, (our.right, their.right), our.name)]

    times, findings = alternate({"ours": our.train, "theirs": their.train}, lines)
    median = medians(times)
    verdict = "worse: our best" if findings[0].is_less_accurate else "no worse"
    rows = [
        [name, setting, percent(right), pretty(t), f"{figure(t / median['ours'])} ×"]
        for name, setting, right, t in (
            (peer, f"`{their.name}`", their.right, median["theirs"]),
            (f"rosenblatt, {verdict}", our.name, our.right, median["ours"]),
        )
    ]
    return rows, findings


def main() -> Part:
    if liblinear is None:
        return absent("Training to LIBLINEAR's held-out accuracy", "not installed")
    parts = [
        compare("made rows", zipf_split(50_000, 20_000)),
        compare("20 newsgroups", newsgroups()),
        compare("letter", letter()),
        compare("a1a", a1a()),
        compare("rcv1_small", rcv1_small()),
    ]
    return joined([*parts, Part(f"{NOTES}\n", [])])


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
