"""What ``rosenblatt demo`` computes: two data sets, rows held out, and the theorem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.cli.display import fmt
from rosenblatt.cli.display.confusion import ConfusionMatrix
from rosenblatt.learning.linear.estimators import AveragedPerceptron, Perceptron
from rosenblatt.streams import Batch, open_stream
from rosenblatt.theory import bounds

Array = NDArray[Any]

TEST_SHARE = 0.25
"""The share of rows that nothing is learned from."""

PASSES = 20
"""Over the training rows, for the model that is judged."""

MAX_PASSES = 1000
"""Passes after which the demo stops hoping for a separator."""


@dataclass(frozen=True)
class Split:
    """Rows to learn from, and rows held out."""

    names: list[str]
    X: Array
    y: Array
    X_test: Array
    y_test: Array

    @property
    def batch(self) -> Batch:
        """The rows to learn from, as a stream gives them."""
        return Batch(self.X, self.y, 0)


def load_split(source: str, seed: int) -> Split:
    """The rows of ``source``, shuffled by ``seed``, a quarter of them held out."""
    stream = open_stream(source)
    batches = list(stream)
    X, y = np.concatenate([b.X for b in batches]), np.concatenate([b.y for b in batches])
    order = np.random.default_rng(seed).permutation(len(y))
    test, train = np.split(order, [int(len(y) * TEST_SHARE)])
    return Split(stream.feature_names or [], X[train], y[train], X[test], y[test])


def standardised(rows: Split) -> Split:
    """The same rows with the mean 0 and the scale 1 of the rows to learn from."""
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(rows.X)
    return Split(
        rows.names, scaler.transform(rows.X), rows.y, scaler.transform(rows.X_test), rows.y_test
    )


@dataclass(frozen=True)
class Fitted:
    """A model, and what it says of the rows held out."""

    model: Any
    predictions: Array
    confusion: ConfusionMatrix


def fit_averaged(rows: Split, seed: int) -> Fitted:
    """An averaged perceptron of the rows to learn from, judged by those held out."""
    model = AveragedPerceptron(max_iter=PASSES, tol=None, random_state=seed).fit(rows.X, rows.y)
    predictions = model.predict(rows.X_test)
    confusion = ConfusionMatrix([fmt.label(name) for name in model.classes_.tolist()])
    confusion.add(rows.y_test.tolist(), predictions.tolist())
    return Fitted(model, predictions, confusion)


@dataclass(frozen=True)
class Theorem:
    """A run of the plain perceptron from zero, in the terms of Novikoff's theorem.

    Rows, radius and margins are those of the rows with a coordinate 1 for the offset.

    Attributes
    ----------
    question : str
    rows, columns : int
    radius : float
        R.
    passes : int
    separated : bool
        Whether the last pass made no mistake.
    mistakes : int
    norm : float
        ‖w‖ with the offset.
    most : float
        No separator has a larger margin: ‖w‖/mistakes. True of any rows.
    least : float or None
        The margin of a separator, where one was found.
    bound : float or None
        (R/γ)² for that margin, where one was found; without a separator there is no bound.
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
    """Run the perceptron until it makes no mistake, or :data:`MAX_PASSES` passes.

    Parameters
    ----------
    question : str
    X : array of shape (n, d)
    truth : array of shape (n,), bool
    seed : int
        Of the order of the rows.
    """
    y = np.where(truth, 1, -1)
    rows = np.column_stack([X, np.ones(len(X))])
    plain = Perceptron(max_iter=MAX_PASSES, tol=None, random_state=seed).fit(X, y)
    w, R = _augmented_weights(plain), bounds.radius(rows)
    norm = float(np.linalg.norm(w))
    least = _best_margin(X, y, rows, w, R, seed) if plain.converged_ else None
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


def _augmented_weights(model: Any) -> Array:
    return np.append(model.coef_[0], model.intercept_)


def _best_margin(X: Array, y: Array, rows: Array, w: Array, R: float, seed: int) -> float | None:
    """The margin of ``w``, or of what the margin perceptron finds, which is wider as a rule."""
    small = 0.25 / R**2  # β/η well above R²: at least half the maximal margin, given time
    wide = Perceptron(rule="margin", eta0=small, max_iter=MAX_PASSES, tol=None, random_state=seed)
    margins = (bounds.margin(rows, y, v) for v in (w, _augmented_weights(wide.fit(X, y))))
    best = max(margins)
    return best if best > 0.0 else None
