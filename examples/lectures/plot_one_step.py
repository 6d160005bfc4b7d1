"""
One step, in numbers and in the plane
=====================================

After a mistake the perceptron adds y x to w, and w·x increases by y ‖x‖². The steps are computed in
numbers here, as on the blackboard, and drawn: the current point, the line before and the line
after. A step corrects its own point, and may make another point wrong. Lecture rows L0.1, L0.2,
L0.3, L3.2 and L3.3.
"""  # noqa: D205, D400

# %%
# **Through the origin.** Two points: the lecture's circle (1, 2) with label +1, and its cross (2,
# 1) with label −1. In all pictures here +1 is a vermilion square, and −1 a blue disc. From w = 0,
# with sgn(0) = −1, one pass over both points suffices; the second pass makes no mistake.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import textbook, toys
from rosenblatt.plots import DecisionLineDisplay, StepsDisplay, style

toy = toys.two_points()
run = textbook.origin_perceptron(np.tile(toy.X, (2, 1)), np.tile(toy.y, 2))
for t in range(2):
    print(run.explain(t), end="\n\n")

# %%
# The current point is ringed. Dashed: w and the line before the step; solid: after it; the dotted
# line from w to w′ is the correction y x.
StepsDisplay.from_trace(run, range(4))
plt.show()

# %%
# **With an offset.** The rows are augmented to (1, x₁, x₂), and sign(0) = +1: now (1, 2), the
# square, is right from the start, and (2, 1), the disc, is the first mistake. Its correction
# makes the square wrong.
run = textbook.augmented_perceptron(toy.X, toy.y)
for t in range(len(run)):
    print(run.explain(t), end="\n\n")
print("w:", " → ".join(str(tuple(map(int, w))) for w in run.weights))

# %%
# The first line has both points on the side of −1. The second correction moves it between them.
display = StepsDisplay.from_trace(run)
for panel in display.axes_:
    panel.set(xlim=(-2.3, 2.7), ylim=(-1.6, 3.4))
plt.show()

# %%
# **A step can make other points wrong.** Nine points; the wrong ones are ringed. The correction
# for the one wrong point on the left turns the line across others. If some line is right about
# all points, the theorem limits the number of such steps; here the next step is the last.
toy = toys.separable(9, 2, margin=0.12, seed=12)
points = np.round(6 * toy.X)
run = textbook.augmented_perceptron(points, toy.y, pick="cyclic")
print("wrong points, by correction:", run.errors)
print(
    "points that each correction makes wrong:", *(run.broken(t).tolist() for t in range(len(run)))
)
figure = style.figure(10, 4)
for panel, j in zip(figure.subplots(1, 3), range(len(run) - 2, len(run) + 1), strict=True):
    DecisionLineDisplay.from_trace(run, j, ax=panel)
plt.show()

# %%
# **As an animation.** The same run, one picture per correction. ``StepsDisplay.save`` writes a
# GIF for slides, or an HTML page with buttons that needs no other file.
animation = StepsDisplay(run).animate()
plt.show()
