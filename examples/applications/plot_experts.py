"""
Experts: whom to follow
=======================

Every day n analysts say whether the market will go up or down. Unknown to all, the majority of
some k of them is always right. Take what they say as a row x of ±1 and what happens as its label
y: the perceptron finds out whom to follow, and is wrong on at most n k days, however many there
are. Lecture row L1.5.
"""  # noqa: D205, D400

# %%
# **One market.** Twenty analysts, three of them experts, a year and more of days. No analyst is
# any good alone: an expert is right on three days of four, all others on every second.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import textbook, theory, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import BLUE, GREY, INK, VERMILION

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
# **Many markets.** Let u be 1/√k on the hidden k and 0 elsewhere. Their majority is right, so their
# sum has the sign of y and is at least 1 in size: y u·x ≥ 1/√k = γ. A row has length √n = R, and
# the theorem says at most (R/γ)² = n k mistakes. Ten markets each of several n and k:
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
# **Whom it follows.** The weights are what it learned. The three experts stand out, though nobody
# ever said who they are, or that there are three.
figure = style.figure(11.4, 4.2)
mistakes, whom, many = (figure.add_subplot(1, 3, place) for place in (1, 2, 3))
for axes in (mistakes, whom, many):
    style.open_frame(axes)

style.title(
    mistakes, "It is wrong ever less often", f"n = {n}, k = {k}: at most {bound:.0f} mistakes"
)
day = np.arange(1, days + 1)
mistakes.axhline(bound, color=INK, linestyle="dashed", linewidth=1)
for wrong, name, place, colour in (
    (run.mistake, "the perceptron", (220, 34), BLUE),
    (alone, "the best analyst", (272, 98), GREY),
    (together, "the majority of all", (115, 138), GREY),
):
    mistakes.plot(day, wrong.cumsum(), color=colour, linewidth=2)
    mistakes.text(*place, name, color=colour, fontsize=9)
mistakes.set(xlabel="day", ylabel="mistakes so far")

style.title(whom, "It follows the experts", "a weight for each analyst, the experts' in vermilion")
hidden = market.u > 0
for chosen, colour in ((~hidden, BLUE), (hidden, VERMILION)):
    whom.bar(np.flatnonzero(chosen) + 1, run.w[chosen], color=colour)
whom.axhline(0, color=INK, linewidth=0.8)
whom.set(xlabel="analyst", ylabel="weight", xticks=[1, 5, 10, 15, 20])

style.title(many, "Never above the bound", "150 markets; dashed: n k mistakes")
many.axline((5, 5), (400, 400), color=INK, linestyle="dashed", linewidth=1)
many.scatter(np.repeat(bounds, 10), counts, s=10, color=BLUE, alpha=0.4, linewidths=0)
many.set(xscale="log", yscale="log", xlabel="bound n k", ylabel="mistakes made")
ticks = [2, 5, 10, 20, 50, 100, 200, 400]
for axis in (many.xaxis, many.yaxis):
    axis.set_ticks(ticks, ticks)
    axis.minorticks_off()

plt.show()
