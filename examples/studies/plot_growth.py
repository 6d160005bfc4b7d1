"""
How mistakes grow
=================

Novikoff's bound (R/γ)² holds for every order of every separable set. How far below it do runs stay?
Three studies: the margin narrows, the dimension grows, labels are wrong. Then the rows for which
the bound is met to the last mistake.
"""  # noqa: D205, D400

# %%
# **With the margin.** 500 rows of :func:`rosenblatt.toys.separable` in ten dimensions, R = 1, and
# twenty draws at each margin. Random rows are kinder than the bound: their mistakes grow with a
# smaller power of 1/γ.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, studies, toys
from rosenblatt.plots import GrowthDisplay, style
from rosenblatt.plots.style import INK

by_margin = studies.mistakes_by_margin()
print(by_margin)
middle = np.median(by_margin.mistakes, axis=1)
power = np.polyfit(np.log(by_margin.x), np.log(middle), 1)[0]
print(f"mistakes grow like (1/γ²)^{power:.2f}; the bound has power 1")

# %%
# **The worst case.** Rows at right angles teach nothing about each other: d of them have γ = 1/√d,
# R = 1, and the perceptron is mistaken about each once, d = (R/γ)² times in all.
sides = np.array([6, 25, 100, 400])
worst = [
    Perceptron(fit_intercept=False, tol=None).fit(np.eye(d), (-1) ** np.arange(d)).mistakes_
    for d in sides
]
print(dict(zip(sides.tolist(), worst, strict=True)))

# %%
# **With the dimension: no growth.** The bound names no dimension. At margin 0.1 the mistakes rise
# at first, and fall when the rows, but for what they have along u, are nearly at right angles: what
# is learned from one then misleads about no other.
by_dimension = studies.mistakes_by_dimension()
print(by_dimension)

# %%
# The same rows turned into more dimensions are the same to the perceptron: it sees inner products
# only, and makes the same mistakes.
toy = toys.separable(500, 2, margin=0.02)
rng = np.random.default_rng(0)
for d in (2, 20, 200):
    turn = np.linalg.qr(rng.standard_normal((d, 2)))[0]  # two columns, at right angles
    model = Perceptron(fit_intercept=False, shuffle=False, tol=None).fit(toy.X @ turn.T, toy.y)
    print(f"{d:3} dimensions: {model.mistakes_} mistakes")

# %%
# **With wrong labels** nothing separates, and mistakes go on in every pass. The bound of Freund and
# Schapire, ((R + D)/γ)², where D is how far the rows fall short of margin γ, holds for every γ; the
# least is drawn.
by_noise = studies.mistakes_by_noise()
print(by_noise)

# %%
# All three, with the worst case in the first.
figure = style.figure(13, 4.4)
left, middle_panel, right = figure.subplots(1, 3)
GrowthDisplay.from_study(by_margin, ax=left)
left.scatter(sides, worst, marker="D", s=40, color=INK, zorder=5)
style.annotate(left, "orthogonal rows", (sides[3], worst[3]), (9, -5), ha="left", fontsize=9)
GrowthDisplay.from_study(by_dimension, ax=middle_panel)
GrowthDisplay.from_study(by_noise, ax=right)

plt.show()
