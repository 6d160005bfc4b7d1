"""Averages, kernels and steps: accuracy, F1 and AUC, beside scikit-learn and Vowpal Wabbit.

Every learner has its defaults: nothing is tuned. Run: python bench/averages.py [--write]
[NAME ...]. NAMEs choose data sets; --write, for all of them only, writes bench/averages.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import real
import scipy.sparse as sp
import spam
import wabbit
from made import Split
from markdown import table
from measure import SHARED, machine
from scipy.stats import rankdata
from sklearn import linear_model, svm
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

import rosenblatt

PAGE = Path(__file__).with_suffix(".md")
KERNEL_EPOCHS, KERNEL_COLUMNS = 10, 64

METRICS = {
    "accuracy": "Accuracy",
    "f1": "Macro F1",
    "auc": "AUC, of two classes",
}
INTRODUCTION = """# Averages, kernels and step sizes

How well do the learners predict rows that they have not seen, beside those of scikit-learn and Vowpal Wabbit? Every learner has its defaults, and nothing is tuned, on either side: this is what a first try gives. [Which rule first](../docs/howto/rules.md) draws the conclusions.

`python bench/averages.py` prints this page, `--write` writes it. It needs the data, which does not come with the project."""  # noqa: E501
CELLS = """A cell has the mean over five seeds, or fewer for large sets, ± the standard deviation, in percent; the best of a row is bold. A seed decides the order of the training rows, and the held-out third where a set has no test rows of its own. The mean rank of a learner is that of its means over the sets that every learner has learned, where 1 is the best."""  # noqa: E501


class Task(NamedTuple):
    """A data set: its name, its kind in words, and the function that loads it.

    The function returns a Split, or X and y, of which a third is held out. ``scaled``
    standardises the columns, by the training rows.
    """

    name: str
    kind: str
    load: Callable[[], Any]
    scaled: bool = False
    seeds: int = 5

    def splits(self) -> Iterator[tuple[int, Split]]:
        """Yield each seed with its training rows, in its order, and its test rows."""
        loaded = self.load()
        for seed in range(self.seeds):
            if not isinstance(loaded, Split):
                split = real.held_out_third(*loaded, seed)
            else:
                order = np.random.default_rng(seed).permutation(len(loaded.y))
                split = loaded._replace(X=loaded.X[order], y=loaded.y[order])
            yield seed, standardised(split) if self.scaled else split


TASKS = (
    Task("sms_spam", "short texts: words and pairs, hashed", spam.sms),
    Task("20newsgroups", "texts: tf-idf", real.newsgroups, seeds=2),
    Task("rcv1_small", "news: tf-idf, few rows", real.rcv1_small),
    Task("a1a", "table of categories, as 0 and 1", real.a1a),
    Task("mushroom", "table of categories, separable", real.mushroom_split),
    Task("spambase", "table of counts, as it is", real.spambase),
    Task("spambase, scaled", "the same, standardised", real.spambase, scaled=True),
    Task("pendigits, scaled", "16 measurements, standardised", real.pendigits, scaled=True),
    Task("letter", "16 measurements, 26 classes", real.letter),
    Task("svmguide3", "21 measurements, noise", real.svmguide3),
    Task("pima, scaled", "8 measurements, noise", lambda: real.uci("pima-indians-diabetes"), True),
    Task("heart_scale", "13 measurements, few rows", real.heart),
    Task("sonar", "60 measurements, few rows", lambda: real.uci("sonar")),
)


class Answer(NamedTuple):
    """Predicted classes of the test rows; for two classes, the scores of the second, too."""

    codes: Any
    scores: Any


Learner = Callable[[Split, int, Path], Answer | None]  # the labels of the split are 0 … K − 1


def estimator(make: Callable[..., Any], **params: Any) -> Learner:
    """Return the learner of an estimator of scikit-learn's interface."""

    def learn(split: Split, seed: int, folder: Path) -> Answer:
        model = make(random_state=seed, **params).fit(split.X, split.y)
        codes = model.predict(split.X_test)
        binary = len(model.classes_) == 2
        return Answer(codes, model.decision_function(split.X_test) if binary else None)

    return learn


def kernel(split: Split, seed: int, folder: Path) -> Answer | None:
    """Learn with the Gaussian kernel; None for rows that are wide or sparse."""
    if split.X.shape[1] > KERNEL_COLUMNS:
        return None
    params = {"output": "average", "max_iter": KERNEL_EPOCHS, "tol": None}
    return estimator(rosenblatt.KernelPerceptron, **params)(split, seed, folder)


def joint(split: Split, seed: int, folder: Path) -> Answer | None:
    """Learn all classes in one model; None for two, which have one weight vector anyway."""
    if split.y.max() == 1:
        return None
    learn = estimator(rosenblatt.AveragedPerceptron, multi_class="joint")
    return learn(split, seed, folder)


def wabbits(passes: int) -> Learner:
    """Return the learner of Vowpal Wabbit with the logistic loss; 2^24 weights."""

    def learn(split: Split, seed: int, folder: Path) -> Answer:
        options = []
        if passes > 1:
            options += ["--passes", str(passes), "--holdout_off", "-k"]
            options += ["--cache_file", str(folder / "cache")]
        rows = split.X, split.y, split.X_test
        classes, answers = wabbit.classes(folder, *rows, *options, loss="logistic", bits=24)
        return Answer(classes, answers if split.y.max() == 1 else None)

    return learn


STEPS: dict[str, Learner] = {
    f"{name} {eta0:g}": estimator(rosenblatt.AveragedPerceptron, rule=rule, eta0=eta0)
    for name, rule in (("PA-I", "pa1"), ("Logistic", "logistic"))
    for eta0 in (0.01, 0.1, 1.0)
}
LEARNERS: dict[str, Learner] = {
    "Perceptron": estimator(rosenblatt.Perceptron),
    "Averaged": estimator(rosenblatt.AveragedPerceptron),
    "Averaged, scale": estimator(rosenblatt.AveragedPerceptron, scale=True),
    "Averaged, joint": joint,
    "Averaged, one epoch": estimator(rosenblatt.AveragedPerceptron, max_iter=1, tol=None),
    "PA-I 1": STEPS["PA-I 1"],
    "Logistic 1": STEPS["Logistic 1"],
    "Gaussian kernel": kernel,
    "sklearn Perceptron": estimator(linear_model.Perceptron),
    "sklearn SGDClassifier": estimator(linear_model.SGDClassifier),
    "sklearn LinearSVC": estimator(svm.LinearSVC),
}
if wabbit.module is not None:
    LEARNERS |= {"vw, one pass": wabbits(1), "vw, 20 passes": wabbits(20)}
BY_STEP = ("Averaged", *STEPS)
LEGEND = {
    "Perceptron": "`Perceptron()`",
    "Averaged": "`AveragedPerceptron()`",
    "Averaged, scale": "`AveragedPerceptron(scale=True)`: the columns are evened out as it learns",
    "Averaged, joint": '`AveragedPerceptron(multi_class="joint")`, for more than two classes',
    "Averaged, one epoch": "`AveragedPerceptron(max_iter=1, tol=None)`",
    "PA-I C": '`AveragedPerceptron(rule="pa1", eta0=C)`; the default is 1',
    "Logistic η": '`AveragedPerceptron(rule="logistic", eta0=η)`; the default is 1',
    "Gaussian kernel": f'`KernelPerceptron("rbf", output="average", max_iter={KERNEL_EPOCHS}, '
    f"tol=None)`, for at most {KERNEL_COLUMNS} columns",
    "sklearn Perceptron": "`linear_model.Perceptron()`",
    "sklearn SGDClassifier": "`linear_model.SGDClassifier()`: hinge loss, L2 penalty",
    "sklearn LinearSVC": "`svm.LinearSVC()`: squared hinge loss, L2 penalty",
    "vw, one pass": "`vw --loss_function logistic -b 24`, with `--oaa` for more than two classes",
    "vw, 20 passes": "the same with `--passes 20 --holdout_off`",
}


def standardised(split: Split) -> Split:
    scaler = StandardScaler().fit(split.X)
    return split._replace(X=scaler.transform(split.X), X_test=scaler.transform(split.X_test))


def encoded(split: Split) -> Split:
    """Return the split with labels 0 … K − 1; sparse rows of few columns become dense."""
    classes, y = np.unique(split.y, return_inverse=True)
    if sp.issparse(split.X) and split.X.shape[1] <= KERNEL_COLUMNS:
        split = split._replace(X=split.X.toarray(), X_test=split.X_test.toarray())
    return split._replace(y=y, y_test=np.searchsorted(classes, split.y_test))


def metrics(answer: Answer, y: Any) -> dict[str, float]:
    """Return the metrics of a learner on the test rows, in percent."""
    found = {
        "accuracy": accuracy_score(y, answer.codes),
        "f1": f1_score(y, answer.codes, average="macro"),
    }
    if answer.scores is not None:
        found["auc"] = roc_auc_score(y, answer.scores)
    return {name: 100 * float(value) for name, value in found.items()}


class Measured(NamedTuple):
    """A task's size in words, and the metrics of each learner for each seed."""

    task: Task
    size: str
    runs: dict[str, list[dict[str, float]]]

    def values(self, learner: str, metric: str) -> list[float]:
        """Return the values of a metric, one a seed; none where the learner has none."""
        return [run[metric] for run in self.runs[learner] if metric in run]

    def mean(self, learner: str, metric: str) -> float:
        """Return the mean over the seeds, or NaN."""
        return float(np.mean(self.values(learner, metric) or np.nan))


def measure(task: Task) -> Measured:
    """Run every learner on every split of a task."""
    learners = LEARNERS | STEPS
    start, size = time.perf_counter(), ""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in learners}
    for seed, raw in task.splits():
        split = encoded(raw)
        size = f"{split.X.shape[0]:,} + {len(split.y_test):,} × {split.X.shape[1]:,}"
        for name, learn in learners.items():
            with tempfile.TemporaryDirectory() as folder:
                answer = learn(split, seed, Path(folder))
            if answer is not None:
                runs[name].append(metrics(answer, split.y_test))
    print(f"{task.name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return Measured(task, f"{size}, {split.y.max() + 1} classes", runs)


def grid(metric: str, found: list[Measured], learners: list[str]) -> str:
    """Return the table of a metric: a row for each set, a column for each learner."""
    shown = [m for m in found if m.values(learners[0], metric)]
    if not shown:
        return "No set has two classes.\n"
    rows = [[m.task.name, *cells(m, metric, learners)] for m in shown]
    everywhere = [name for name in learners if all(m.values(name, metric) for m in shown)]
    means = np.array([[m.mean(name, metric) for name in everywhere] for m in shown])
    ranks = dict(zip(everywhere, rankdata(-means, axis=1).mean(axis=0), strict=True))
    last = [f"{ranks[name]:.1f}" if name in ranks else "" for name in learners]
    return table(["", *learners], [*rows, ["mean rank", *last]])


def cells(measured: Measured, metric: str, learners: list[str]) -> list[str]:
    """Return the means and deviations of a set, the best in bold."""
    best = np.nanmax([round(measured.mean(name, metric), 1) for name in learners])
    written = []
    for name in learners:
        values = measured.values(name, metric)
        text = f"{np.mean(values):.1f} ± {np.std(values):.1f}" if values else "–"
        written.append(f"**{text}**" if values and round(np.mean(values), 1) == best else text)
    return written


def page(found: list[Measured]) -> str:
    sections = {title: grid(metric, found, list(LEARNERS)) for metric, title in METRICS.items()}
    sections["Accuracy by step size"] = grid("accuracy", found, list(BY_STEP))
    sections["The learners"] = table(["column", "learner"], [list(line) for line in LEGEND.items()])
    lines = [[m.task.name, m.task.kind, m.size, str(m.task.seeds)] for m in found]
    sections["The data"] = table(["set", "kind", "rows + test rows × columns", "seeds"], lines)
    head = f"{INTRODUCTION}\n\nMachine: {machine()}.\n\n{CELLS}\n"
    return "\n".join([head, *(f"## {title}\n\n{text}" for title, text in sections.items())])


def main() -> None:
    parser = argparse.ArgumentParser(description="Accuracy on real data.")
    names = [task.name for task in TASKS]
    parser.add_argument("names", nargs="*", metavar="NAME", help="; ".join(names))
    parser.add_argument("--write", action="store_true", help="write bench/averages.md")
    given = parser.parse_args()
    if unknown := set(given.names) - set(names):
        parser.error(f"no set {', '.join(sorted(unknown))}: there are {', '.join(names)}.")
    if given.write and given.names:
        parser.error("--write writes the whole page: give no names with it.")
    if not SHARED.exists():
        sys.exit("skipped: the data is absent")
    chosen = [task for task in TASKS if not given.names or task.name in given.names]
    warnings.simplefilter("ignore")
    text = page([measure(task) for task in chosen])
    print(text)
    if given.write:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
