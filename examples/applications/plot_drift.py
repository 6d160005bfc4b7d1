"""
Drift: a learner that detects change
====================================

The right answer may change over time: prices, tastes, the tricks of spammers. An online learner
adapts, but a person should know that something changed. Every example is predicted before it is
learned, so the errors show it: they increase when the data changes. Lecture rows L2.4 and L3.5.

In this stream a hidden vector u determines the labels. It stays constant for a while, turns
suddenly, stays constant again, and later turns slowly.
"""  # noqa: D205, D400

# %%
# **The stream.** Each example has 20 numbers; 2 % of the labels are wrong, whatever the learner
# does.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron
from rosenblatt.plots import ProgressiveDisplay
from rosenblatt.streams import Batch
from rosenblatt.validation import validate

N, D = 30_000, 20
SUDDEN, SLOW = 10_000, (20_000, 24_000)


def angles():
    """Return the angle of u at each example: a sudden right angle, then a slow one."""
    n = np.arange(N)
    slowly = np.clip((n - SLOW[0]) / (SLOW[1] - SLOW[0]), 0, 1)
    return np.pi / 2 * ((n >= SUDDEN) + slowly)


def world(seed=0):
    """Return a stream of one batch."""
    rng = np.random.default_rng(seed)
    X, angle = rng.standard_normal((N, D)), angles()
    across, along = np.linalg.qr(rng.standard_normal((D, 2)))[0].T
    right = X @ across * np.cos(angle) + X @ along * np.sin(angle) > 0
    noise = rng.random(N) < 0.02
    return [Batch(X, np.where(right ^ noise, "yes", "no"), 0)]


# %%
# **Predict, then learn.** PA-I with a small step forgets fast enough, and the noise does not
# disturb it. An alarm says since which example the error is higher, and what the error was
# before. Dotted: the true changes, the sudden one, and the start and the end of the slow one.
# The probability that any alarm is false is at most 1 %, however long the stream.
def main():
    """Validate one learner; print a table and draw the error."""
    model = Perceptron(rule="pa1", eta0=0.05, shuffle=False)
    validation = validate(model, world(), window=500, every=100)
    print(validation)
    ProgressiveDisplay.from_validation(validation, changes=(SUDDEN, *SLOW))
    return validation


# %%
# The average of all weights, which is good on a constant stream, is wrong after a change: it
# never forgets the old weights.
def average():
    """Validate the same learner with averaged weights."""
    model = Perceptron(rule="pa1", eta0=0.05, output="average", shuffle=False)
    validation = validate(model, world(), window=500, every=100)
    print(f"averaged: {validation.error:.1%} wrong, {len(validation.alarms)} alarms")
    return validation


if __name__ == "__main__":
    main()
    average()
    plt.show()
