"""Computations of ``rosenblatt demo``: two data sets, their models, and Novikoff's bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.learning.linear.learners import AveragedPerceptron, Perceptron
from rosenblatt.proofs import certify
from rosenblatt.streams import Batch, open_stream
from rosenblatt.theory import bounds

Array = NDArray[Any]

TEST_SHARE = 0.25
"""Share of the rows in the test set."""

EPOCHS = 20
"""Epochs of the averaged perceptron."""

MAX_EPOCHS = 1000
"""Epochs of a plain perceptron that does not converge."""


@dataclass(frozen=True)
class Split:
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


@dataclass(frozen=True)
class Fitted:
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


@dataclass(frozen=True)
class Theorem:
    """A run of the plain perceptron from w = 0, and the quantities of Novikoff's theorem.

    Rows, radius and margins include a coordinate 1 for the intercept.

    Attributes
    ----------
    question : str
    rows, columns : int
    radius : float
        R.
    passes : int
    separated : bool
        Whether the last epoch made no mistake.
    mistakes : int
    norm : float
        ‖w‖ with the intercept.
    most : float
        ‖w‖/mistakes, an upper bound of the margin γ for any rows.
    least : float or None
        Margin of the nearest point's separator, a lower bound of γ; None if none was found.
    bound : float or None
        (R/γ)² for that margin; None if no separator was found.
    """

    question: str
    rows: int
    columns: int
    radius: float
    passes: int
    separated: bool
    mistakes: int
    norm: float
    most: float
    least: float | None
    bound: float | None


def run_theorem(question: str, X: Array, truth: Array, seed: int) -> Theorem:
    """Run the perceptron until an epoch without mistakes, or for :data:`MAX_EPOCHS` epochs.

    Parameters
    ----------
    question : str
    X : array of shape (n, d)
    truth : array of shape (n,), bool
    seed : int
        Random seed of the order of the rows.
    """
    y = np.where(truth, 1, -1)
    rows = np.column_stack([X, np.ones(len(X))])
    plain = Perceptron(max_iter=MAX_EPOCHS, tol=None, random_state=seed).fit(X, y)
    w, R = np.append(plain.coef_[0], plain.intercept_), bounds.radius(rows)
    norm, least = float(np.linalg.norm(w)), None
    if plain.converged_:
        proof: Any = certify(rows, y, fit_intercept=False)
        least = proof.margin[0]
    return Theorem(
        question=question,
        rows=rows.shape[0],
        columns=rows.shape[1],
        radius=R,
        passes=plain.n_iter_,
        separated=plain.converged_,
        mistakes=plain.mistakes_,
        norm=norm,
        most=bounds.running_bound(norm, plain.mistakes_),
        least=least,
        bound=None if least is None else bounds.mistake_bound(R, least),
    )
