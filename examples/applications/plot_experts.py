"""
Experts: choosing whom to follow
================================

Every day n analysts predict whether the market will rise or fall. Unknown to the learner, the
majority of some k of them is always right. With their predictions as a row x of ±1 and the outcome
as the label y, the perceptron learns whom to follow, and makes at most n k mistakes, however many
days there are. Lecture row L1.5.
"""  # noqa: D205, D400

# %%
# **One market.** Twenty analysts, three of them experts, 400 days. No analyst alone is good: an
# expert is right on three days out of four, all others on every second day.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import textbook, theory, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PURPLE

days, n, k = 400, 20, 3
market = toys.experts(days, n, k, seed=1)
run = textbook.online_perceptron(market.X, market.y)
wrong = market.y[:, np.newaxis] != market.X
alone = wrong[:, wrong.sum(axis=0).argmin()]
together = np.where(market.X.sum(axis=1) >= 0, 1, -1) != market.y
bound = theory.experts_bound(n, k)
print(f"the perceptron is wrong on {run.mistakes} days of {days}; the theorem says {bound:.0f}")
print(f"the best analyst on {alone.sum()}, the majority of all on {together.sum()}")

# %%
# **Many markets.** Let u be 1/√k on the hidden k and 0 elsewhere. Their majority is right, so
# their sum has the sign of y and absolute value at least 1: y u·x ≥ 1/√k = γ. A row has length √n
# = R, and the theorem gives at most (R/γ)² = n k mistakes. Ten markets for each of several n and
# k:
sizes = [(n, k) for n in (5, 10, 20, 40, 80) for k in (1, 3, 5)]
counts = np.array(
    [
        [
            textbook.online_perceptron(toy.X, toy.y).mistakes
            for toy in (toys.experts(1500, *size, seed=seed) for seed in range(10))
        ]
        for size in sizes
    ]
)
bounds = np.array([theory.experts_bound(*size) for size in sizes])
for (n_, k_), most, row in zip(sizes, bounds, counts, strict=True):
    print(
        f"n = {n_:2}  k = {k_}:  at most {most:3.0f} mistakes, made {row.min():2} to {row.max():2}"
    )

# %%
# **The weights.** The three experts have the largest weights, although the learner does not know
# who they are, or that there are three.
figure = style.figure(11.4, 4.2)
mistakes, whom, many = (figure.add_subplot(1, 3, place) for place in (1, 2, 3))
for axes in (mistakes, whom, many):
    style.open_frame(axes)

style.title(mistakes, "Mistakes become rare", f"n = {n}, k = {k}: at most {bound:.0f} mistakes")
day = np.arange(1, days + 1)
mistakes.axhline(bound, color=INK, linestyle="dashed", linewidth=1)
for wrong, name, place, colour in (
    (run.mistake, "the perceptron", (220, 34), GREEN),
    (alone, "the best analyst", (272, 98), GREY),
    (together, "the majority of all", (115, 138), GREY),
):
    mistakes.plot(day, wrong.cumsum(), color=colour, linewidth=2)
    mistakes.text(*place, name, color=colour, fontsize=9)
mistakes.set(xlabel="day", ylabel="mistakes so far")

style.title(whom, "It follows the experts", "purple: the experts")
hidden = market.u > 0
for chosen, colour in ((~hidden, GREEN), (hidden, PURPLE)):
    whom.bar(np.flatnonzero(chosen) + 1, run.w[chosen], color=colour)
whom.axhline(0, color=INK, linewidth=0.8)
whom.set(xlabel="analyst", ylabel="weight", xticks=[1, 5, 10, 15, 20])

style.title(many, "Never above the bound", "150 markets; dashed: n k mistakes")
many.axline((5, 5), (400, 400), color=INK, linestyle="dashed", linewidth=1)
many.scatter(np.repeat(bounds, 10), counts, s=10, color=GREEN, alpha=0.4, linewidths=0)
many.set(xscale="log", yscale="log", xlabel="bound n k", ylabel="mistakes made")
ticks = [2, 5, 10, 20, 50, 100, 200, 400]
for axis in (many.xaxis, many.yaxis):
    axis.set_ticks(ticks, ticks)
    axis.minorticks_off()

plt.show()
