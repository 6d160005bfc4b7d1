"""
How the number of mistakes grows
================================

Novikoff's bound (R/γ)² holds for every order of every separable set. This study measures how far
below the bound runs stay, while the margin shrinks, the dimension grows, or labels are wrong.
Finally, rows that attain the bound exactly. Lecture row L2.4.
"""  # noqa: D205, D400

# %%
# **With the margin.** 500 rows of :func:`rosenblatt.toys.separable` in ten dimensions, R = 1, and
# twenty draws at each margin. Random rows need fewer mistakes than the bound: their number grows
# with a smaller power of 1/γ.
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
# **The worst case.** With orthogonal rows, learning one says nothing about the others: d of them
# have γ = 1/√d and R = 1, and the perceptron makes one mistake on each, d = (R/γ)² in total.
sides = np.array([6, 25, 100, 400])
worst = [
    Perceptron(fit_intercept=False, tol=None).fit(np.eye(d), (-1) ** np.arange(d)).mistakes_
    for d in sides
]
print(dict(zip(sides.tolist(), worst, strict=True)))

# %%
# **With the dimension: no growth.** The bound does not contain the dimension. At margin 0.1 the
# mistakes first increase, and decrease once the rows, apart from their components along u, are
# nearly orthogonal: an update for one row then hardly disturbs the others.
by_dimension = studies.mistakes_by_dimension()
print(by_dimension)

# %%
# The same rows, rotated into more dimensions, give the same mistakes: the perceptron only uses
# inner products.
toy = toys.separable(500, 2, margin=0.02)
rng = np.random.default_rng(0)
for d in (2, 20, 200):
    turn = np.linalg.qr(rng.standard_normal((d, 2)))[0]  # two columns, at right angles
    model = Perceptron(fit_intercept=False, shuffle=False, tol=None).fit(toy.X @ turn.T, toy.y)
    print(f"{d:3} dimensions: {model.mistakes_} mistakes")

# %%
# **With wrong labels** nothing separates, and mistakes continue in every pass. The bound of
# Freund and Schapire, ((R + D)/γ)², where D measures how far the rows fall short of margin γ,
# holds for every γ; the smallest value is drawn.
by_noise = studies.mistakes_by_noise()
print(by_noise)

# %%
# All three studies; the worst case is in the first panel.
figure = style.figure(13, 4.4)
left, middle_panel, right = figure.subplots(1, 3)
GrowthDisplay.from_study(by_margin, ax=left)
left.scatter(sides, worst, marker="D", s=40, color=INK, zorder=5)
style.annotate(left, "orthogonal rows", (sides[3], worst[3]), (9, -5), ha="left", fontsize=9)
GrowthDisplay.from_study(by_dimension, ax=middle_panel)
GrowthDisplay.from_study(by_noise, ax=right)

plt.show()
