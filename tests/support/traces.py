"""Recorded runs of every learner of the textbook, on small rows."""

import numpy as np
from hypothesis import strategies as st

from rosenblatt import textbook
from rosenblatt.criteria import LeastSquares

seeds = st.integers(0, 2**32 - 1)

RUNS = {
    "origin": textbook.origin_perceptron,
    "online": textbook.online_perceptron,
    "perceptron": lambda X, y, eta: textbook.perceptron(X, y, eta, max_epochs=4),
    "kernel": lambda X, y, eta: textbook.kernel_perceptron(
        X, y, lambda x, z: (x @ z + 1.0) ** 2, eta=eta, max_epochs=4
    ),
    "augmented": lambda X, y, eta: textbook.augmented_perceptron(X, y, eta, max_updates=20),
    "no tie": lambda X, y, eta: textbook.augmented_perceptron(X, y, eta, tie=0, max_updates=20),
    "voted": lambda X, y, eta: textbook.voted_perceptron(X, y, epochs=3).run,
    "correction": lambda X, y, eta: textbook.sample_correction(X, y, eta, max_epochs=4),
    "batch": lambda X, y, eta: textbook.batch_descent(X, y, eta=eta, max_updates=6),
    "sample": lambda X, y, eta: textbook.sample_descent(X, y, eta=eta, max_epochs=4),
    "squares": lambda X, y, eta: textbook.sample_descent(
        X, y, LeastSquares(), eta / 64, max_epochs=2
    ),
}


def some_rows(seed, both=True):
    """Rows of small whole numbers, whose scores are often exactly 0, and their labels."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), int(rng.integers(1, 4))
    X = rng.integers(-2, 3, (n, d)).astype(float)
    y = rng.choice([-1, 1], n)
    if both:
        y[:2] = 1, -1
    return X, y


def recorded(seed, name, eta):
    """A run on whole numbers, or on floats of many digits."""
    X, y = some_rows(seed)
    if seed % 2:
        X = X + np.random.default_rng(seed).standard_normal(X.shape) / 3
    return RUNS[name](X, y, eta)
