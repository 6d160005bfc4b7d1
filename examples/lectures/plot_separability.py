"""
Separable, quasi-separable, inseparable
=======================================

Two classes of points in the plane, in three positions. :func:`rosenblatt.certify` decides which,
and its evidence is drawn here: the largest margin and the rows that fix it; the direction that is
wrong about no row, and the rows on its line; rows of the two classes with weights for which both
classes have the same mean, so that no line separates them.
"""  # noqa: D205, D400

# %%
# Shared by all three panels: a colour and a marker for each class, equal axes, nothing else.
from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from rosenblatt import certify
from rosenblatt.plots import style
from rosenblatt.plots.style import COLOURS, INK, PALE


def panel(axes: Any, X: Any, y: Any, verdict: str, evidence: str) -> None:
    """Draw the points of both classes, under the verdict on them."""
    style.points(axes, X, y)
    style.plane_panel(axes, X)
    style.title(axes, verdict, evidence)


def name(axes: Any, x: float, y: float, text: str, label: int) -> None:
    """Write the name of a class next to its points, in its colour."""
    axes.text(x, y, text, color=COLOURS[label], fontsize=10, ha="center")


figure = style.figure(9, 3.5)
left, middle, right = figure.subplots(1, 3)

# %%
# **Separable.** Two measurements of two species of iris. The band is the widest without a row
# inside; the ringed rows lie on its edges, and the weights of the proof on them bound the margin
# from above.
X, y = load_iris(return_X_y=True)
X, y = X[y < 2][:, [1, 2]], y[y < 2]
proof = certify(X, y)
low, high = proof.margin
ends = np.floor(low * 1e6) / 1e6, np.ceil(high * 1e6) / 1e6
panel(left, X, y, "Separable", "margin between {:.6f} and {:.6f}".format(*ends))
style.line(left, proof.coef, proof.intercept, color=INK, linewidth=1.4)
rise = low / abs(proof.coef[1])  # the band's half height
x = np.array(left.get_xlim())
height = -(proof.coef[0] * x + proof.intercept) / proof.coef[1]
left.fill_between(x, height - rise, height + rise, color=PALE, linewidth=0, zorder=0)
left.set_xlim(*x)
style.ring_points(left, X, y, proof.rows)
name(left, 4.25, 2.0, "setosa", 0)
name(left, 4.1, 4.75, "versicolor", 1)

# %%
# **Quasi-separable.** No line has every point strictly on its side, but one has no point on the
# wrong side. Its direction is exact, in whole numbers; the ringed points of both classes lie on
# the line and keep it in place.
rng = np.random.default_rng(4)
X = rng.integers(0, 13, (40, 2))
X = X[np.abs(X @ [1, -2] + 6) > 1]
y = (X @ [1, -2] + 6 > 0).astype(int)
X = np.concatenate([X, [[2, 4], [4, 5], [8, 7], [10, 8]]])  # on the line x₁ − 2 x₂ + 6 = 0
y = np.concatenate([y, [1, 0, 1, 0]])
proof = certify(X, y)
u, v, b = proof.direction
shown = str((u, v, b)).replace("-", "−")
panel(middle, X, y, "Quasi-separable", f"direction {shown}, wrong about no row")
style.line(middle, proof.coef, proof.intercept, color=INK, linewidth=1.4)
style.ring_points(middle, X, y, np.flatnonzero(X @ [u, v] + b == 0))

# %%
# **Inseparable.** With the weights of the proof, the ringed rows of either class have the same
# mean: the segments cross. A line that separates the classes would have that point on both sides.
rng = np.random.default_rng(569)
X = np.rint(np.concatenate([rng.normal((4, 4), 1.8, (9, 2)), rng.normal((8, 7), 1.8, (9, 2))]))
y = np.repeat([0, 1], 9)
proof = certify(X, y)
rows, weights = proof.rows, np.array(proof.weights)
ones = y[rows] == 1
meeting = weights[ones] @ X[rows[ones]] / weights[ones].sum()
panel(right, X, y, "Inseparable", "rows that cancel, with their weights")
style.ring_points(right, X, y, rows)
for label, colour in enumerate(COLOURS):
    right.plot(*X[rows[y[rows] == label]].T, color=colour, linewidth=1.4, zorder=2)
right.scatter(*meeting, s=40, marker="x", color=INK, linewidths=1.6, zorder=5)
for row, weight in zip(rows, weights, strict=True):
    outward = 15 * (X[row] - meeting) / np.linalg.norm(X[row] - meeting)
    right.annotate(
        str(weight),
        X[row],
        xytext=outward,
        textcoords="offset points",
        ha="center",
        va="center",
        color=COLOURS[y[row]],
        fontsize=11,
        fontweight="bold",
    )

plt.show()
