"""
The fewest mistakes, and why they are hard to find
==================================================

“The solution that has the minimum number of samples ‘on the wrong side’ of the decision boundary is
computationally hard to find.” In general it is NP-hard, and even to approximate. In the plane it
takes about n² log n steps: :func:`rosenblatt.theory.fewest_mistakes` finds it exactly there, and
for a few dozen points in three or four dimensions, beside the pocket. Lecture row L4.8.
"""  # noqa: D205, D400

# %%
# **Exact in the plane.** Eighty points of two overlapping classes. The pocket keeps the best w that
# a perceptron happens to visit, here in 10 epochs; the exact minimum is over all lines.
from __future__ import annotations

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, theory
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, PURPLE


def overlapping(n, d, seed, shift=0.6):
    """Return n points of two overlapping clouds in d dimensions, and their labels."""
    rng, y = np.random.default_rng(seed), np.tile([-1, 1], n // 2)
    return rng.normal(size=(n, d)) + shift * y[:, np.newaxis], y


def pocket(X, y, epochs, seed=0):
    """Return a fitted perceptron with the best weights that it met."""
    model = Perceptron(output="pocket", max_iter=epochs, tol=None, random_state=seed)
    return model.fit(X, y)


X, y = overlapping(80, 2, 5)
best, found = theory.fewest_mistakes(X, y), pocket(X, y, 10)
wrong = np.flatnonzero(found.predict(X) != y)
print(f"exactly {best.mistakes} of {len(X)} are wrong at best; the pocket's line has {len(wrong)}")

# %%
# **The pocket comes close, without a promise.** On sixteen draws, its mistakes above the minimum:
# more epochs help, and some draws keep a rest. Nothing in the run tells which.
EPOCHS, DRAWS = (1, 3, 10, 30), 16
draws = [overlapping(80, 2, seed) for seed in range(DRAWS)]
fewest = [theory.fewest_mistakes(*draw).mistakes for draw in draws]
above = np.array(
    [
        [(pocket(*draw, epochs).predict(draw[0]) != draw[1]).sum() - least for epochs in EPOCHS]
        for draw, least in zip(draws, fewest, strict=True)
    ]
)
for epochs, rest in zip(EPOCHS, above.T, strict=True):
    print(f"{epochs:3} epochs: {rest.mean():.1f} above the minimum, exact in {(rest == 0).sum()}")

# %%
# **The cost.** n points take about n² log n steps in the plane, n³ log n in space, and so on: one
# power of n for each dimension. Here both classes come from one cloud, so that no line is good. Up
# to a thousand points are possible in the plane, a hundred in space, and thirty in four dimensions.
SIZES = {2: (20, 40, 80, 160, 320), 3: (12, 24, 36), 4: (8, 12)}
seconds = {}
for d, sizes in SIZES.items():
    for n in sizes:
        start = perf_counter()
        theory.fewest_mistakes(*overlapping(n, d, seed=1, shift=0.0))
        seconds[d, n] = perf_counter() - start
    print(f"{d} dimensions, {sizes[-1]} points: {seconds[d, sizes[-1]]:.1f} s")

figure = style.figure(14, 4.8)
plane, rest, cost = figure.subplots(1, 3)
style.points(plane, X, y)
style.fit_limits(plane, X)
style.without_axes(plane)
style.line(plane, best.w, best.b, color=GREEN, linewidth=2.4, label="exact")
style.line(
    plane,
    found.coef_[0],
    found.intercept_[0],
    color=PURPLE,
    linewidth=2,
    linestyle="dashed",
    label="pocket, 10 epochs",
)
style.ring_points(plane, X, y, best.rows)
style.legend(plane, *plane.get_legend_handles_labels())
style.title(plane, f"At best {best.mistakes} are wrong", f"ringed; the pocket has {len(wrong)}")

at = range(len(EPOCHS))
rest.plot(at, above.T, color=PURPLE, alpha=0.18, linewidth=1.2)
rest.plot(at, above.mean(axis=0), color=PURPLE, marker="p", linewidth=2.4)
rest.axhline(0, color=GREEN, linewidth=2.4)
rest.set(xticks=at, xticklabels=EPOCHS, xlabel="epochs", ylabel="mistakes above the minimum")
style.open_frame(rest)
style.title(rest, "The pocket comes close", f"{DRAWS} draws, and their mean; green: exact")

for (d, sizes), (colour, marker) in zip(SIZES.items(), style.SERIES, strict=False):
    times = [seconds[d, n] for n in sizes]
    cost.plot(sizes, times, color=colour, marker=marker, linewidth=2, label=f"{d} dimensions")
style.log_axis(cost, "x")
style.log_axis(cost, "y")
cost.set(xlabel="n, number of points", ylabel="seconds for the exact minimum")
style.open_frame(cost)
style.legend(cost, *cost.get_legend_handles_labels())
style.title(cost, "A power of n for each dimension", "NP-hard, if the dimension is not fixed")
plt.show()
