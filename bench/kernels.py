"""The kernel perceptron against LIBSVM and against the bare matrix products, and its memory.

Run: python bench/kernels.py, or --full for LIBSVM on all of MNIST alone, some minutes
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from made import Split
from markdown import figure, pretty, table
from measure import Part, absent, joined, machine
from ratios import Finding, Times, alternate, exactly, ratio, seconds
from real import letter, pendigits, scanned
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from rosenblatt import KernelPerceptron
from rosenblatt.learning.kernel.gram import FormulaKernel

Setting = dict[str, Any]

# (1 + ⟨x, x'⟩)^4 on pixels of 0 to 255, times a factor that keeps it in float32.
QUARTIC: Setting = {"kernel": "poly", "degree": 4, "gamma": 1e-6, "coef0": 1e-6}
# exp(−γ‖x − x'‖²) with γ = 0.02 on pixels of 0 to 1.
GAUSSIAN: Setting = {"kernel": "rbf", "gamma": 0.02 / 255**2}
POLYNOMIAL: Setting = {"kernel": "poly", "degree": 4, "gamma": 1.0, "coef0": 1.0}
GAUSSIANS: tuple[Setting, ...] = tuple({"kernel": "rbf", "gamma": g} for g in (0.5, 2.0, 8.0))
SOME = 12_000  # rows of MNIST, without --full
EPOCHS = (1, 3, 10)  # T
TUNED_EPOCHS = 3
# Ways to learn several classes: the defaults, and one update for the right class and its rival.
WAYS: tuple[Setting, ...] = ({}, {"multi_class": "joint", "rule": "margin"})
OUTPUTS = ("last", "vote")
THREADS = (1, 2)
CACHE = 1000  # megabytes, LIBSVM's
NOTES = (
    "LIBSVM's C, rosenblatt's way to learn several classes (one class against the rest, or all "
    "classes jointly with a margin) and, for the small sets, γ of each are the best of a grid on a "
    "quarter of the training rows; rosenblatt's after three epochs, with a vote. LIBSVM has a "
    "cache of 1 GB, one thread, and trains one class against one. rosenblatt learns for T epochs; "
    "a run ends after an epoch without a mistake. MNIST's polynomial is that of the published "
    "experiments and not LIBSVM's best kernel: the Gaussian kernel is better for LIBSVM, and there "
    "rosenblatt makes more errors. rosenblatt has one BLAS thread, then two."
)


class Run(NamedTuple):
    """Number of epochs, and output."""

    epochs: int
    output: str

    def __str__(self) -> str:
        return f"T = {self.epochs}, {self.output}"


class Trial(NamedTuple):
    """Training and testing seconds per number of threads, errors in percent, support rows."""

    train: list[float]
    test: list[float]
    error: float
    support: int


# --- against LIBSVM ------------------------------------------------------------------------------


def tuned(split: Split, model_of: Callable[[Setting], Any], grid: list[Setting]) -> Setting:
    """Return the best setting of a learner on a quarter of the rows, trained on the others."""
    rng = np.random.default_rng(0)
    learned, checked = np.split(rng.permutation(len(split.y)), [3 * len(split.y) // 4])
    if len(grid) == 1:
        return grid[0]
    right = [
        model_of(setting).fit(split.X[learned], split.y[learned])
        .score(split.X[checked], split.y[checked])
        for setting in grid
    ]  # fmt: skip
    return grid[int(np.argmax(right))]


def ours_of(setting: Setting, epochs: int = TUNED_EPOCHS) -> Any:
    return KernelPerceptron(output="vote", max_iter=epochs, tol=None, **setting)


def machine_of(setting: Setting) -> Any:
    return SVC(cache_size=CACHE, **setting)


def on_threads(count: int, work: Callable[[], object]) -> float:
    """Return the seconds of one call with so many BLAS threads."""
    with threadpool_limits(count, user_api="blas"):
        return seconds(work)


def tried(
    model: Any, split: Split, threads: tuple[int, ...], outputs: tuple[Setting, ...] = ({},)
) -> list[Trial]:
    """Train once, and test every output of the trained model."""
    train = [on_threads(count, partial(model.fit, split.X, split.y)) for count in threads]
    trials = []
    for output in outputs:
        model.set_params(**output)
        said: list[Any] = []
        work = partial(predicted, model, split.X_test, said)
        test = [on_threads(count, work) for count in threads]
        error = 100.0 * np.mean(said[0] != split.y_test)
        trials.append(Trial(train, test, float(error), len(model.support_)))
    return trials


def predicted(model: Any, X: Any, said: list[Any]) -> None:
    said.append(model.predict(X))


def against_libsvm(
    name: str,
    split: Split | None,
    kernels: tuple[Setting, ...],
    costs: tuple[float, ...],
    wanted: float,
) -> Part:
    title = f"The kernel perceptron and LIBSVM ({name}"
    if split is None:
        return absent(f"{title})")
    best = tuned(split, machine_of, [{**k, "C": C} for k, C in itertools.product(kernels, costs)])
    kernel = {key: value for key, value in best.items() if key != "C"}
    chosen = tuned(split, ours_of, [k | w for k, w in itertools.product(kernels, WAYS)])
    ours_of(chosen).fit(split.X[:2000], split.y[:2000])  # BLAS is loaded
    (their,) = tried(machine_of(best), split, THREADS[:1])
    ours: dict[Run, Trial] = {}
    for epochs in EPOCHS:
        trials = tried(
            ours_of(chosen, epochs), split, THREADS, tuple({"output": output} for output in OUTPUTS)
        )
        ours |= {Run(epochs, o): t for o, t in zip(OUTPUTS, trials, strict=True)}
    everyone = {f"LIBSVM, C = {best['C']:g}": their, **ours}
    rows = [line(str(name), trial, their) for name, trial in everyone.items()]
    header = ["", "errors", "support rows"]
    for work in ("training", "testing"):
        header += [f"{work}, 1 thread", "2 threads", "LIBSVM to it"]
    of = f"LIBSVM: {in_words(kernel)}; rosenblatt: {in_words(chosen)}; {split.shape}, "
    of += f"{len(split.y_test):,} held out"
    text = f"### {title}, {of})\n\n{table(header, rows)}"
    fits = {
        "LIBSVM": partial(machine_of(best).fit, split.X, split.y),
        "ours": partial(ours_of(chosen).fit, split.X, split.y),
    }
    run = Run(TUNED_EPOCHS, "vote")
    right = (1 - ours[run].error / 100, 1 - their.error / 100)

    def lines(times: Times) -> list[Finding]:
        gain = ratio(times["LIBSVM"], times["ours"])
        work = f"training a kernel machine ({name}, {kernel['kernel']})"
        remark = f"{in_words(chosen)}, {run}"
        return [Finding(work, "LIBSVM", gain, wanted, accuracy=right, remark=remark)]

    return Part(text, alternate(fits, lines, warm_up=False)[1])


def in_words(kernel: Setting) -> str:
    name, *numbers = kernel.items()
    return ", ".join(
        [
            name[1],
            *(
                f"{key} {value if isinstance(value, str) else f'{value:.3g}'}"
                for key, value in numbers
            ),
        ]
    )


def line(name: str, trial: Trial, their: Trial) -> list[str]:
    cells = [name, f"{trial.error:.2f} %", f"{trial.support:,}"]
    for ours, theirs in ((trial.train, their.train), (trial.test, their.test)):
        times = [pretty(time) for time in ours]
        ratios = [figure(theirs[0] / time) for time in ours]
        cells += [*times, *[""] * (len(THREADS) - len(times)), f"{' and '.join(ratios)} ×"]
    return cells


# --- against the bare products -------------------------------------------------------------------


def products_of(work: Callable[[], object]) -> list[tuple[int, int]]:
    """Return the numbers of rows on the two sides of each matrix product."""
    shapes, pairs = list[tuple[int, int]](), FormulaKernel._pairs

    def noted(self: FormulaKernel, A: Any, B: Any) -> Any:
        shapes.append((A.shape[0], B.shape[0]))
        return pairs(self, A, B)

    with mock.patch.object(FormulaKernel, "_pairs", noted):
        work()
    return shapes


def multiply(X: Any, shapes: list[tuple[int, int]]) -> None:
    """Compute products of the same shapes and type, and nothing else."""
    for n, m in shapes:
        X[:n] @ X[:m].T


def beside_products(name: str, split: Split) -> Part:
    """Compare an epoch, and the predictions after it, with their products."""
    model = KernelPerceptron(output="vote", max_iter=1, tol=None, **QUARTIC)
    works = {"the first epoch": partial(model.fit, split.X, split.y)}
    for output in OUTPUTS:
        works[f"testing, {output}"] = partial(predict, model, output, split.X_test)
    rows = []
    for work, call in works.items():
        shapes = products_of(call)
        count = sum(n * m for n, m in shapes)
        for threads in THREADS:
            floor = on_threads(threads, partial(multiply, split.X, shapes))
            took = on_threads(threads, call)
            learned = len(split.y if work == "the first epoch" else split.y_test)
            rate = f"{learned / took:,.0f}"
            rows.append([work, str(threads), pretty(took), pretty(floor),
                         f"{figure(took / floor)} ×", f"{count:,}", rate])  # fmt: skip
    header = ["", "threads", "time", "the products alone", "to the products", "kernel values"]
    text = table([*header, "rows a second"], rows)
    notes = (
        "The products alone are computed by NumPy with the same shapes and type: the rows of "
        "each block with the support rows at that moment, and the rows that may cause an update "
        "with their own block."
    )
    title = f"The kernel perceptron and the matrix products it needs ({name}, {split.shape})"
    epoch = works["the first epoch"]
    races = {"epoch": epoch, "products": partial(multiply, split.X, products_of(epoch))}

    def lines(times: Times) -> list[Finding]:
        work = "the first epoch of a kernel perceptron"
        gain = ratio(times["epoch"], times["products"])
        return [Finding(work, "its matrix products alone", gain, 3.0, at_most=True)]

    return Part(f"### {title}\n\n{notes}\n\n{text}", alternate(races, lines, warm_up=False)[1])


def predict(model: KernelPerceptron, output: str, X: Any) -> Any:
    return model.set_params(output=output).predict(X)


# --- memory --------------------------------------------------------------------------------------

CHILD = """
import sys
import numpy as np
from rosenblatt import KernelPerceptron

def peak():  # of this process alone: what getrusage tells may be its parent's
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

folder, output, epochs = sys.argv[1:]
X, y = np.load(f"{folder}/X.npy"), np.load(f"{folder}/y.npy")
model = KernelPerceptron(
    "poly", degree=4, gamma=1e-6, coef0=1e-6, output=output, max_iter=int(epochs), tol=None
)
model.fit(X[:100], y[:100])  # BLAS is loaded
before = peak()
model.fit(X, y)
print(peak() - before, len(model.support_), model.cache_size)
"""


def memory(name: str, split: Split) -> Part:
    """Measure the peak memory of a process in a fit, without the rows."""
    title = f"Memory of a fit of the kernel perceptron ({name}, {split.shape})"
    if not Path("/proc/self/status").exists():
        return absent(title, "this system does not tell a process's peak memory")
    rows, most = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", split.X)
        np.save(Path(folder) / "y.npy", split.y)
        for output, epochs in itertools.product(OUTPUTS, (1, 4)):
            command = [sys.executable, "-c", CHILD, folder, output, str(epochs)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            grown, support, cache = map(float, done.stdout.split())
            most = max(most, grown * 1024 / 1e6)
            held = support * split.X[0].nbytes / 1e6
            rows.append([output, str(epochs), f"{grown * 1024 / 1e6:.0f} MB", f"{held:.0f} MB"])
    header = ["", "epochs", "peak, without the rows", "of these, support rows"]
    finding = Finding(
        "memory of a fit of the kernel perceptron, without the rows",
        f"cache_size, {cache:.0f} MB",
        exactly(most / cache),
        1.0,
        at_most=True,
        remark=f"{most:.0f} MB",
    )
    return Part(f"### {title}\n\n{table(header, rows)}", [finding])


# --- parts ---------------------------------------------------------------------------------------


def digits(full: bool) -> Iterator[Part]:
    split = scanned()
    if split is None:
        yield absent("The kernel perceptron on MNIST")
        return
    order = np.random.default_rng(0).permutation(len(split.y))
    split = split._replace(X=split.X[order], y=split.y[order])
    some = split._replace(X=split.X[:SOME], y=split.y[:SOME])
    if full:
        yield against_libsvm("MNIST", split, (QUARTIC,), (0.01,), 5.0)
        return
    yield against_libsvm("MNIST", some, (QUARTIC,), (0.001, 0.01, 0.1), 5.0)
    yield against_libsvm("MNIST", some, (GAUSSIAN,), (1.0, 10.0), 5.0)
    yield beside_products("MNIST", split)
    yield memory("MNIST", split)


def small() -> Iterator[Part]:
    pens, letters = pendigits(), letter()
    if pens is not None:  # from 0 to 100 as they come
        pens = pens._replace(X=pens.X / 100.0, X_test=pens.X_test / 100.0)
    for name, split in (("pendigits", pens), ("letter", letters)):
        for kernels in (GAUSSIANS, (POLYNOMIAL,)):
            yield against_libsvm(name, split, kernels, (1.0, 10.0, 100.0), 1.0)


def main(full: bool = False) -> Part:
    parts = list(digits(full))
    if not full:
        parts += small()
    return joined([*parts, Part(f"{NOTES}\n", [])])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="LIBSVM on all of MNIST, alone")
    given = parser.parse_args()
    print(machine(), "\n")
    print(main(given.full).text)
