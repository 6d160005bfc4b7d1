"""
One step, in numbers and in the plane
=====================================

On a mistake the perceptron adds y x to w, and w·x becomes what it was plus y ‖x‖². That is all.
The steps are worked out in numbers here, as on the board, and drawn: the point that is looked at,
the line before, the line after. A step mends the point it was made for, and may break another.
Lecture rows L0.1, L0.2, L0.3, L3.2 and L3.3.
"""  # noqa: D205, D400

# %%
# **Through the origin.** Two points: the lecture's circle (1, 2) with label +1, its cross (2, 1)
# with label −1. Here and in all our pictures +1 is a vermilion square, and −1 a blue disc. From
# w = 0, with sgn(0) = −1, one pass over both is enough; a second pass finds nothing to mend.
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
# Ringed is the point that is looked at. A dashed w and line are those before the step, the solid
# ones those after it; the dotted line from w to w′ is the correction y x.
StepsDisplay.from_trace(run, range(4))
plt.show()

# %%
# **With an offset.** The rows are augmented to (1, x₁, x₂), and sign(0) = +1: now (1, 2), the
# square, is right from the start, and (2, 1), the disc, is the first mistake. Its correction turns
# the square wrong, which was right before.
run = textbook.augmented_perceptron(toy.X, toy.y)
for t in range(len(run)):
    print(run.explain(t), end="\n\n")
print("w:", " → ".join(str(tuple(map(int, w))) for w in run.weights))

# %%
# The first line leaves both points on the side of −1. The second correction brings it between
# them.
display = StepsDisplay.from_trace(run)
for panel in display.axes_:
    panel.set(xlim=(-2.3, 2.7), ylim=(-1.6, 3.4))
plt.show()

# %%
# **A step can break what was right.** Nine points; the wrong ones are ringed. The correction for
# the one point that is wrong on the left turns the line across the others. The theorem says that
# this cannot go on for ever where some line is right about all: the next step ends it here.
toy = toys.separable(9, 2, margin=0.12, seed=12)
points = np.round(6 * toy.X)
run = textbook.augmented_perceptron(points, toy.y, pick="cyclic")
print("wrong points, by correction:", run.errors)
figure = style.figure(10, 4)
for panel, j in zip(figure.subplots(1, 3), range(len(run) - 2, len(run) + 1), strict=True):
    DecisionLineDisplay.from_trace(run, j, ax=panel)
plt.show()

# %%
# **As a film.** The same run, a correction a picture. ``StepsDisplay.save`` writes it to a file: a
# GIF for slides, or a page with buttons that needs no other file.
film = StepsDisplay(run)
animation = film.animate()
plt.show()
