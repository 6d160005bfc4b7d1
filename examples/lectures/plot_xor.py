"""
XOR: no line, one feature, one kernel
=====================================

Points whose coordinates have the same sign, against points where the signs differ: the textbook's
example of what a perceptron cannot learn. Three answers are drawn. That it cannot is proved by four
rows. Whoever knows that the product of the coordinates matters gives it to the perceptron, which is
then done soon. Whoever does not know takes a kernel in which the product lies hidden among others.
"""  # noqa: D205, D400

# %%
# What all three panels share.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import KernelPerceptron, Perceptron, certify, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import COLOURS, INK

toy = toys.xor(copies=20, noise=0.8)
figure = style.figure(9, 3.5)
left, middle, right = figure.subplots(1, 3)

# %%
# **No line.** The four corners are enough: with equal weights the mean of either class is the
# origin. A line with the classes on different sides would have the origin on both, and no other
# rows can mend that.
corners, signs = toy.X[:4], toy.y[:4]
proof = certify(corners, signs)
style.points(left, toy.X, toy.y)
style.plane_panel(left, toy.X)
weights = ", ".join(map(str, proof.weights))
style.title(left, "No line", f"four rows cancel, with weights {weights}")
style.ring_points(left, corners, signs, proof.rows)
for colour, side in zip(COLOURS, (-1, 1), strict=True):
    left.plot(*corners[signs == side].T, color=colour, linewidth=1.4, zorder=2)
left.scatter(0, 0, s=40, marker="x", color=INK, linewidths=1.6, zorder=5)

# %%
# **One feature.** The product in place of the second coordinate, and there is a line.
Z = np.column_stack([toy.X[:, 0], toy.X[:, 0] * toy.X[:, 1]])
linear = Perceptron().fit(Z, toy.y)
style.points(middle, Z, toy.y)
style.plane_panel(middle, Z)
style.title(middle, "One designed feature", f"{linear.mistakes_} mistakes, then none")
style.regions(middle, linear.decision_function)

# %%
# **One kernel.** (⟨x, x'⟩ + 1)² is the scalar product of all monomials up to the second degree;
# x₁ x₂ is one of six. The ringed rows are those that w is a sum of.
model = KernelPerceptron("poly", degree=2, gamma=1, coef0=1).fit(toy.X, toy.y)
style.points(right, toy.X, toy.y)
style.plane_panel(right, toy.X)
style.title(right, "One kernel, (⟨x, x′⟩ + 1)²", f"{model.mistakes_} mistakes, then none")
style.regions(right, model.decision_function)
style.ring_points(right, toy.X, toy.y, model.support_)

for axes, height in ((left, "x₂"), (middle, "x₁ x₂"), (right, "x₂")):
    axes.set(xlabel="x₁", ylabel=height)

plt.show()
