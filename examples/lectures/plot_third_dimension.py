"""
From two dimensions to three
============================

A line w·x + w₀ = 0 need not pass through the origin. Give every point a further coordinate, always
1, and the line becomes a plane through the origin of three-dimensional space: w₀ is one weight like
the others. The plane cuts the sheet at height 1 exactly in the line. Lecture row L3.11.
"""  # noqa: D205, D400

# %%
# **The same scores.** (w₀, w)·(1, x) = w·x + w₀, for every point.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import textbook, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import GREY, INK

toy = toys.separable(40, 2, margin=0.12, offset=0.35, seed=2)
run = textbook.augmented_perceptron(toy.X, toy.y)
augmented, w = textbook.prepend_one(toy.X), run.weights[-1]
print("(w₀, w₁, w₂) =", w)
print("same scores:", np.allclose(augmented @ w, toy.X @ run.w + run.b))
print("w₀ = w·(1, 0, 0), the score of the origin of the sheet:", w[0] == run.b)

# %%
# Left: the points in the plane, and a line that misses the origin. Right: the same points on the
# sheet at height 1, below them the origin of space, and the plane through it. Where the plane cuts
# the sheet, the line appears again.
figure = style.figure(12, 6.0)
flat = figure.add_subplot(1, 2, 1)
space = figure.add_subplot(1, 2, 2, projection="3d")
handles = style.points(flat, toy.X, toy.y)
style.fit_limits(flat, np.vstack([toy.X, -toy.X]))
flat.set(xlabel="x₁", ylabel="x₂")
style.open_frame(flat)
style.line(flat, run.w, run.b, color=INK, linewidth=2)
flat.plot(0, 0, color=GREY, marker="+", markersize=14, markeredgewidth=2)
style.legend(flat, handles, ["−1", "+1"])
style.title(flat, "In the plane: a line", "it does not pass through the origin")

side = 1.1
sheet = np.array([[-side, -side], [side, -side], [side, side], [-side, side]])
style.points(space, np.column_stack([toy.X, np.ones(len(toy.X))]), toy.y)
space.plot_trisurf(*sheet.T, np.ones(4), color=GREY, alpha=0.12, linewidth=0, shade=False)
unit = run.w / np.linalg.norm(run.w)
along = np.array([-unit[1], unit[0]])
foot = style.nearest_on_line(run.w, run.b, np.zeros(2))
reach = 1.3
ends = foot + np.array([[-reach], [reach]]) * along
rise = 1.35  # the plane is drawn from the origin up to this height
corners = np.vstack([[-reach * along, reach * along], rise * foot + [[-reach], [reach]] * along])
heights = np.array([0, 0, rise, rise])
space.plot_trisurf(*corners.T, heights, color=INK, alpha=0.22, linewidth=0, shade=False)
space.plot(*ends.T, [1, 1], color=INK, linewidth=2.4)
space.scatter(0, 0, 0, s=60, color=INK, marker="o", depthshade=False)
space.text(0.1, 0, -0.08, "origin", fontsize=style.TEXT)
space.plot([0, 0], [0, 0], [0, 1], color=GREY, linewidth=1.2, linestyle="dotted")
space.set(xlim=(-side, side), ylim=(-side, side), zlim=(0, rise), xticks=[], yticks=[])
space.set_zticks([0, 1])
space.set_xlabel("x₁", labelpad=-8)
space.set_ylabel("x₂", labelpad=-8)
turn = float(np.degrees(np.arctan2(unit[1], unit[0])))
space.view_init(elev=16, azim=turn + 65)
space.set_box_aspect((1, 1, 0.8), zoom=1.1)
style.title(
    space, "In space: a plane through the origin", "it cuts the sheet at height 1 in the line"
)
plt.show()
