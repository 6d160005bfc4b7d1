"""The tour of ``rosenblatt demo``: its data, models and bounds, and the screens that show them."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from rosenblatt.cli.display import fmt, render
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.cli.display.model_facts import heaviest_columns
from rosenblatt.learning.linear.learners import AveragedPerceptron, Perceptron
from rosenblatt.proofs import Certificate, certify
from rosenblatt.streams import Batch, open_stream
from rosenblatt.theory import bounds
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.directed import Enclosure
from rosenblatt.utils.words import file_word, shell_words

if TYPE_CHECKING:
    from rosenblatt.learning.evaluation.progressive import Summary

TEST_SHARE = 0.25
"""Share of the rows in the test set."""

EPOCHS = 20
"""Epochs of the averaged perceptron."""

MAX_EPOCHS = 1000
"""Epochs of a plain perceptron that does not converge."""


class Split(NamedTuple):
    """Training rows and test rows."""

    names: list[str]
    X: Array
    y: Array
    X_test: Array
    y_test: Array

    @property
    def batch(self) -> Batch:
        """The training rows as a batch."""
        return Batch(self.X, self.y, 0)


def load_split(source: str, seed: int) -> Split:
    """Read ``source``, shuffle its rows by ``seed``, and split off a quarter as test rows."""
    stream = open_stream(source)
    batches = list(stream)
    X, y = np.concatenate([b.X for b in batches]), np.concatenate([b.y for b in batches])
    order = np.random.default_rng(seed).permutation(len(y))
    test, train = np.split(order, [int(len(y) * TEST_SHARE)])
    return Split(stream.feature_names or [], X[train], y[train], X[test], y[test])


def standardised(rows: Split) -> Split:
    """Scale the columns to mean 0 and standard deviation 1 on the training rows."""
    mean, deviation = rows.X.mean(axis=0), rows.X.std(axis=0)
    deviation[deviation == 0.0] = 1.0
    X, X_test = ((part - mean) / deviation for part in (rows.X, rows.X_test))
    return Split(rows.names, X, rows.y, X_test, rows.y_test)


class Fitted(NamedTuple):
    """A model with its predictions and errors on the test rows."""

    model: Any
    predictions: Array
    confusion: ConfusionMatrix


def fit_averaged(rows: Split, seed: int) -> Fitted:
    """Fit an averaged perceptron, and evaluate it on the test rows."""
    model = AveragedPerceptron(max_iter=EPOCHS, tol=None, random_state=seed).fit(rows.X, rows.y)
    predictions = model.predict(rows.X_test)
    confusion = ConfusionMatrix([fmt.label(name) for name in model.classes_.tolist()])
    confusion.add(rows.y_test.tolist(), predictions.tolist())
    return Fitted(model, predictions, confusion)


class Theorem(NamedTuple):
    """A certificate, a run of the plain perceptron from w = 0, and Novikoff's theorem for both.

    Rows, radius and margins include a coordinate 1 for the intercept.

    Attributes
    ----------
    question : str
    proof : Certificate
        Of the rows with the coordinate 1.
    plain : Perceptron
        Fitted; ``converged_`` if its last epoch made no mistake.
    """

    question: str
    proof: Certificate
    plain: Perceptron

    @property
    def norm(self) -> float:
        """‖w‖ with the intercept."""
        return float(np.linalg.norm(np.append(self.plain.coef_[0], self.plain.intercept_)))

    @property
    def most(self) -> float:
        """‖w‖/mistakes, an upper bound of the margin γ for any rows."""
        return bounds.running_bound(self.norm, self.plain.mistakes_)

    @property
    def least(self) -> float | None:
        """The certified margin γ; None without a separator."""
        return self.proof.margin[0] or None

    @property
    def bound(self) -> float | None:
        """(R/γ)²; None without a separator."""
        return None if self.least is None else self.proof.mistake_bound

    @property
    def allowed(self) -> float:
        """The number of mistakes that the bound allows, where there is one."""
        return bounds.most_mistakes(self.proof.mistake_bound)

    def record(self) -> dict[str, object]:
        """Return the numbers for ``--json``."""
        return {
            "question": self.question,
            "rows": self.proof.shape[0],
            "columns": self.proof.shape[1],
            "radius": self.proof.radius,
            "passes": self.plain.n_iter_,
            "separated": self.plain.converged_,
            "mistakes": self.plain.mistakes_,
            "norm": self.norm,
            "most": self.most,
            "least": self.least,
            "bound": self.bound,
        }


def run_theorem(question: str, X: Array, truth: Array, seed: int) -> Theorem:
    """Certify the rows; run the perceptron until it converges, or for :data:`MAX_EPOCHS` epochs.

    Parameters
    ----------
    question : str
    X : array of shape (n, d)
    truth : array of shape (n,), bool
    seed : int
        Random seed of the order of the rows.
    """
    proof = certify(np.column_stack([X, np.ones(len(X))]), truth, fit_intercept=False)
    assert isinstance(proof, Certificate)
    plain = Perceptron(max_iter=MAX_EPOCHS, tol=None, random_state=seed).fit(X, truth)
    return Theorem(question, proof, plain)


# --- screens ---

_CONVERGED = ("not converged", "converged")
_SHADES = " ░▒▓█"
_MAX_INTENSITY = 16.0  # of a pixel


def _title(console: Console, text: str) -> None:
    console.print()
    console.print(Rule(Text(text, "bold"), align="left", style="dim"))
    console.print()


def show_digits_intro(console: Console, rows: Split, seed: int) -> None:
    """Print the title and the data of the first screen."""
    _title(console, "Handwritten digits, ten classes")
    console.print(
        f"sklearn:digits: {fmt.count(len(rows.X), 'image')} of 8 × 8 pixels for training, "
        f"{len(rows.X_test)} for testing\n(random seed {seed})."
        " One epoch; each image is predicted, then learned:\n"
    )


def show_digits(console: Console, rows: Split, fitted: Fitted, summary: Summary) -> None:
    """Print the test error, the confusion matrix and a misread image."""
    console.print()
    console.print(f"Then {EPOCHS} epochs of the averaged perceptron:\n")
    console.print(render.facts(_error_facts(fitted)))
    console.print()
    table = Table.grid(padding=(0, 4))
    table.add_row(
        render.confusion_table(fitted.confusion.classes, fitted.confusion.matrix()),
        _misread_image(rows, fitted),
    )
    console.print(table)
    console.print(Text("rows: true digit, columns: predicted digit", "dim"))


def _error_facts(fitted: Fitted) -> list[tuple[str, str]]:
    confusion = fitted.confusion
    return [
        ("test error", fmt.error_rate(confusion.error, *confusion.interval)),
        ("baseline error", fmt.baseline(*confusion.constant)),
    ]


def _misread_image(rows: Split, fitted: Fitted) -> Table:
    """Return the misread image with the lowest score of its digit relative to the best score."""
    wrong = np.flatnonzero(fitted.predictions != rows.y_test)
    table = Table.grid()
    if len(wrong) == 0:
        return table
    scores = fitted.model.decision_function(rows.X_test[wrong])
    truth = np.searchsorted(fitted.model.classes_, rows.y_test[wrong])
    worst = wrong[np.argmin(scores[np.arange(len(wrong)), truth] - scores.max(axis=1))]
    table.add_row(
        Text(f"a {rows.y_test[worst]}, predicted as {fitted.predictions[worst]}:", "bold")
    )
    table.add_row("")
    for line in picture(rows.X_test[worst].reshape(8, 8)):
        table.add_row(Text(line))
    return table


def picture(pixels: Array) -> list[str]:
    """Draw an image as text, two characters per pixel."""
    steps = np.ceil(pixels / _MAX_INTENSITY * (len(_SHADES) - 1)).astype(int)
    return ["".join(2 * _SHADES[step] for step in row) for row in steps]


def show_tumours(console: Console, rows: Split, fitted: Fitted) -> None:
    """Print the test error and the heaviest features."""
    _title(console, "Tumours, benign or malignant")
    console.print(
        f"sklearn:breast_cancer: {fmt.count(len(rows.X), 'tumour')} for training, "
        f"{len(rows.X_test)} for testing;\n{len(rows.names)} measurements, scaled to mean 0 and "
        f"standard deviation 1.\n{EPOCHS} epochs of the averaged perceptron:\n"
    )
    console.print(render.facts(_error_facts(fitted)))
    console.print()
    weights = fitted.model.coef_[0]
    sides = heaviest_columns(weights, 4)
    columns = sides["positive"] + sides["negative"][::-1]
    console.print(render.heading("Heaviest features", "left: benign   right: malignant"))
    console.print(render.bars([(rows.names[j], weights[j]) for j in columns]))


def show_certificates(console: Console, runs: list[Theorem]) -> None:
    """Print the certificate of each question."""
    _title(console, "Certificates of separability")
    console.print(
        "Does a hyperplane separate the training rows? The nearest points of the convex\n"
        "hulls decide it; the proof is checked in exact arithmetic. (The intercept is one\n"
        "more coordinate, 1 in each row.)\n"
    )
    console.print(render.facts([(run.question, _format_certificate(run.proof)) for run in runs]))


def _format_certificate(proof: Certificate) -> str:
    rows = fmt.count(len(proof.rows), "row")
    if proof.status == "separable":
        by = "determined" if proof.determined else "bounded"
        return f"separable, maximal margin γ {_at_least(proof.margin[0])}, {by} by {rows}"
    if proof.margin[1] == 0.0:
        return f"{proof.status}, proved by {rows} with Σ λ y (x, 1) = 0"
    return "undecided"


def show_theorems(console: Console, runs: list[Theorem]) -> None:
    """Print Novikoff's bound and the number of mistakes of each run."""
    _title(console, "The mistake bound")
    console.print(
        "Novikoff (1962): if all rows have norm at most R, and a unit vector separates\n"
        "them with margin γ, the perceptron makes at most (R/γ)² mistakes, in any order\n"
        f"and any number of epochs. Runs of at most {MAX_EPOCHS:,} epochs:\n"
    )
    questions = [render.Column(run.question, overflow="wrap") for run in runs]
    columns = [render.Column(style="cyan"), *questions]
    console.print(render.table(columns, _theorem_rows(runs), gap=4, header="bold"))
    console.print()
    for run in runs:
        console.print(_explain_run(run))


def _theorem_rows(runs: list[Theorem]) -> list[tuple[str, ...]]:
    return [
        ("rows × coordinates", *("{:,} × {}".format(*run.proof.shape) for run in runs)),
        ("R, the largest norm", *(f"{run.proof.radius:.2f}" for run in runs)),
        ("γ, certified", *(_at_least(run.least) for run in runs)),
        ("bound (R/γ)²", *("–" if run.bound is None else f"{run.allowed:,}" for run in runs)),
        ("mistakes", *(f"{run.plain.mistakes_:,}" for run in runs)),
        ("epochs", *(f"{run.plain.n_iter_:,}, {_CONVERGED[run.plain.converged_]}" for run in runs)),
        ("‖w‖ at the end", *(f"{run.norm:.2f}" for run in runs)),
        ("‖w‖/mistakes, at least γ", *(Enclosure.of(run.most).digits_up(3) for run in runs)),
    ]


def _at_least(margin: float | None) -> str:
    return "–" if margin is None else f"≥ {Enclosure.of(margin).digits_down(3)}"


def _explain_run(run: Theorem) -> str:
    """Return why a run converged or did not, by its certificate."""
    if run.bound is None:
        reason = "no separator exists" if run.proof.margin[1] == 0.0 else "no separator is known"
        return f"“{run.question}”: {reason}, so there is no γ and no bound."
    allowed = fmt.count(run.allowed, "mistake")
    if run.plain.converged_:
        return f"“{run.question}” converged, within the {allowed} that the bound allows."
    return (
        f"“{run.question}” is separable, but by a narrow margin: {allowed} may come "
        f"before a run converges, and {run.plain.mistakes_:,} were made."
    )


def show_next_steps(console: Console, path: str, seconds: float) -> None:
    """Print the file of the model and commands to try."""
    _title(console, "Next steps")
    console.print(
        f"The demo took {fmt.seconds(seconds)}.\nThe digit model is in {path}. Try:\n",
        markup=False,
        soft_wrap=True,
    )
    file = shell_words([file_word(path)])
    program, activate = "rosenblatt", os.path.relpath(os.path.join(sys.prefix, "bin", "activate"))
    if not shutil.which(program):
        if os.path.exists(activate):
            _show_commands(console, f". {shell_words([activate])}")
        else:
            program = "python -m rosenblatt"
    _show_commands(
        console,
        f"{program} inspect {file} --top 3",
        f"{program} predict {file} sklearn:digits | head",
        f"{program} train sklearn:digits -m mine.rosenblatt",
    )
    console.print(
        "\nThen a file of your own, such as this table with the labels in its last column:\n"
    )
    _show_commands(
        console,
        f"{program} sample flowers",
        f"{program} train flowers.csv -m flowers.rosenblatt --epochs 10",
        f"{program} predict flowers.rosenblatt flowers.csv | head",
        f"{program} train --help",
    )
    console.print()


def _show_commands(console: Console, *commands: str) -> None:
    for command in commands:
        console.print(Text(f"    {command}", "green"), soft_wrap=True)
