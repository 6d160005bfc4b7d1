"""Computations of ``rosenblatt demo``: two data sets, their models, and Novikoff's bound."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.learning.linear.learners import AveragedPerceptron, Perceptron
from rosenblatt.proofs import Certificate, certify
from rosenblatt.streams import Batch, open_stream
from rosenblatt.theory import bounds
from rosenblatt.utils.arrays import Array

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

    def record(self) -> dict[str, Any]:
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
