"""
A sequence of learning rates
============================

“There exists a known sequence of η (namely all 1s) that make perceptron learning converge.” A rate
may differ from update to update: η_t is a list, an array or a function of t. All 1s suffice where a
line separates; rates that fall too fast stop before it is found; and where no line separates, only
falling rates come to rest. Lecture row L4.9.
"""  # noqa: D205, D400

# %%
# **Where a line separates.** The notebook's hundred points and its correction from one random
# start. All 1s end. So do 1/√t, given as a list, and 1/t: their sums grow without limit. The rates
# 2⁻ᵗ sum to 1: w can move no farther than the longest point is, and the run errs in every epoch.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import criteria, textbook, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import INK

toy, start = toys.unit_square(100, seed=3), [0.9, 0.1, 0.6]
sequences = {
    "ηₜ = 1": 1.0,
    "ηₜ = 1/√t": [t**-0.5 for t in range(1, 5000)],
    "ηₜ = 1/t": lambda t: 1 / t,
    "ηₜ = 2⁻ᵗ": lambda t: 2.0**-t,
}
limits = {"ηₜ = 2⁻ᵗ": 12}
runs = {
    name: textbook.sample_correction(
        toy.X, toy.y, eta, start=start, max_epochs=limits.get(name, 1000)
    )
    for name, eta in sequences.items()
}
for name, run in runs.items():
    end = "converged" if run.converged else f"{run.errors[-1]} points are still wrong"
    moved = np.linalg.norm(run.weights[-1] - start)
    print(
        f"{name:10} {run.mistakes:4} corrections, {run.epochs:3} epochs, moved {moved:.1f}: {end}"
    )
batch = textbook.batch_descent(toy.X, toy.y, eta=[t**-0.5 for t in range(1, 1000)], max_updates=999)
print(f"in batches, ηₜ = 1/√t: {len(batch.weights) - 1} updates, converged: {batch.converged}")

# %%
# **Where none does.** Least squares on two overlapping classes of numbers, one sample at a time.
# With a constant rate, w jumps at every sample, for ever, and J with it. With η_t = 0.1/√t the
# jumps shrink, their sum grows without limit, and J comes to rest at its minimum.
rng = np.random.default_rng(3)
y = np.tile([-1, 1], 30)
X = rng.normal(size=(60, 1)) + 0.8 * y[:, np.newaxis]
J, epochs = criteria.LeastSquares(), 5
(least,) = np.linalg.lstsq(textbook.prepend_one(X), y, rcond=None)[1]
squares = {
    name: criteria.values(J, textbook.sample_descent(X, y, J, eta, max_epochs=epochs))
    for name, eta in {"ηₜ = 0.1": 0.1, "ηₜ = 0.1/√t": lambda t: 0.1 / t**0.5}.items()
}
for name, values in squares.items():
    last = values[-60:]
    print(
        f"{name:12} in the last epoch J is {last.min():.1f} to {last.max():.1f}; least {least:.1f}"
    )

figure = style.figure(12, 4.8)
left, right = figure.subplots(1, 2)
for (name, run), (colour, _) in zip(runs.items(), style.SERIES, strict=True):
    share = np.minimum.accumulate(run.errors) / len(toy.X)
    left.step(
        np.arange(1, len(share) + 1), share, where="post", color=colour, linewidth=2, label=name
    )
    if run.converged:
        left.plot(len(share), 0, color=colour, marker="o", markersize=9, zorder=4, clip_on=False)
left.set(
    xscale="log", xlabel="corrections", ylabel="fewest wrong so far, as a share", ylim=(0, 0.45)
)
style.title(left, "All 1s suffice", "a dot: all right; with 2⁻ᵗ w stops before that")
for (name, values), (colour, _) in zip(squares.items(), style.SERIES, strict=False):
    passes = np.arange(len(values)) / len(X)
    right.plot(passes, values, color=colour, linewidth=1.5, label=name)
right.axhline(least, color=INK, linestyle="dashed", linewidth=1.2, label="least J")
right.set(xlabel="epochs", ylabel="J, the sum of squares", ylim=(0, 4 * least))
style.title(
    right, "Falling rates come to rest", "no line separates; a constant rate goes on jumping"
)
for panel in (left, right):
    style.open_frame(panel)
    style.legend(panel, *panel.get_legend_handles_labels())
plt.show()
