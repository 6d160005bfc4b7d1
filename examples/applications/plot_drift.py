"""
Drift: a learner that says when the world has changed
=====================================================

What is right to answer may change while one answers: prices, tastes, the tricks of spam. A learner
that goes on learning adapts by itself, but somebody should know. Every example is predicted before
it is learned, so the errors themselves tell: they rise when the world changes. Lecture rows L2.4
and L3.5.

The world here has a hidden vector u that says which side is which. It stays for a while, turns
suddenly, stays, and later turns slowly.
"""  # noqa: D205, D400

# %%
# **The stream.** 20 numbers an example; 2 % of the labels are wrong whatever one does.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from rosenblatt.validation import validate

from rosenblatt import Perceptron
from rosenblatt.plots import ProgressiveDisplay
from rosenblatt.streams import Batch

N, D = 30_000, 20
SUDDEN, SLOW = 10_000, (20_000, 24_000)


def angles():
    """How far u has turned when an example comes: a right angle at once, another one slowly."""
    n = np.arange(N)
    slowly = np.clip((n - SLOW[0]) / (SLOW[1] - SLOW[0]), 0, 1)
    return np.pi / 2 * ((n >= SUDDEN) + slowly)


def world(seed=0):
    """A stream of one batch."""
    rng = np.random.default_rng(seed)
    X, angle = rng.standard_normal((N, D)), angles()
    across, along = np.linalg.qr(rng.standard_normal((D, 2)))[0].T
    right = X @ across * np.cos(angle) + X @ along * np.sin(angle) > 0
    noise = rng.random(N) < 0.02
    return [Batch(X, np.where(right ^ noise, "yes", "no"), 0)]


# %%
# **Predict, then learn.** PA-I with a small step forgets soon enough, and the noise does not
# shake it. The alarms say since which example the error is higher, and what it was before. That
# any of them is false has a chance of at most 1 %, however long the stream.
def main():
    """One learner on its way, in a table and a picture."""
    model = Perceptron(rule="pa1", eta0=0.05, shuffle=False)
    validation = validate(model, world(), window=500, every=100)
    print(validation)
    ProgressiveDisplay.from_validation(validation)
    return validation


# %%
# The average of all weights, so good where the world stays, is the wrong answer where it turns: it
# remembers the old one for ever.
def average():
    """The same, answered by the average of all weights."""
    model = Perceptron(rule="pa1", eta0=0.05, output="average", shuffle=False)
    validation = validate(model, world(), window=500, every=100)
    print(f"averaged: {validation.error:.1%} wrong, {len(validation.alarms)} alarms")
    return validation


if __name__ == "__main__":
    main()
    average()
    plt.show()
