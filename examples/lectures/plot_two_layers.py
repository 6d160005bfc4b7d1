"""
Two layers solve XOR
====================

No line separates XOR, so no perceptron learns it. Two perceptrons in a first layer and one in a
second do: the plane is folded by two lines, and then one line is enough. Wired by hand first, then
trained. This is how the perceptron generalises to neural nets. Lecture row L3.10.
"""  # noqa: D205, D400

# %%
# **Wired by hand.** One unit of the first layer says "at least one is +" (or), the other "not both
# are +" (nand); the second layer says +1 where both agree (and).
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neural_network import MLPClassifier

from rosenblatt import Perceptron, certify, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import INK

corners = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
xor = np.array([-1, 1, 1, -1])
print("one layer:", certify(corners, xor).status)
FIRST = np.array([[1, 1], [-1, -1]]), np.array([1, 1])  # or, nand
SECOND = np.array([1, 1]), -1  # and


def hidden(X):
    """Return the outputs of the first layer, -1 or +1."""
    return np.where(X @ FIRST[0].T + FIRST[1] > 0, 1, -1)


def wired(X):
    """Return the activation of the second layer."""
    return hidden(X) @ SECOND[0] + SECOND[1]


for x, units, f, label in zip(corners, hidden(corners), wired(corners), xor, strict=True):
    print(f"x = {x}, first layer {units}, second layer {f:+d}, xor {label:+d}")

# %%
# **Trained, unit by unit.** Each unit alone is a perceptron with a separable task, and learns it
# from the four corners: or, nand, and then "and" on the outputs of the two.
tasks = {"or": np.array([-1, 1, 1, 1]), "nand": np.array([1, 1, 1, -1])}
units = {name: Perceptron().fit(corners, labels) for name, labels in tasks.items()}
Z = np.column_stack([unit.predict(corners) for unit in units.values()])
top = Perceptron().fit(Z, xor)
print("mistakes:", {name: int(unit.mistakes_) for name, unit in units.items()}, top.mistakes_)
print("xor learned:", (top.predict(Z) == xor).all())

# %%
# **Trained as a whole.** The step has no slope, so nothing tells the first layer which way to move.
# With tanh in its place, gradient descent trains both layers together, here with scikit-learn's
# network of two hidden units on eighty noisy points.
toy = toys.xor(copies=20, noise=0.8)
net = MLPClassifier((2,), "tanh", solver="lbfgs", random_state=0, max_iter=1000)
net.fit(toy.X, toy.y)
print(f"a network of two hidden units: {net.score(toy.X, toy.y):.0%} of {len(toy.y)} points right")

figure = style.figure(12.4, 5.0)
left, middle, right = figure.subplots(1, 3)
style.points(left, corners, xor, size=90)
left.set(xlim=(-2, 2), ylim=(-2, 2), aspect="equal")
style.regions(left, wired)
for w, b in zip(*FIRST, strict=True):
    style.line(left, w, b, color=INK, linewidth=1.4, linestyle="dashed")
for place, name in (((-0.75, -0.75), "or"), ((0.75, 0.75), "nand")):
    style.annotate(left, name, place, (20, -14), fontsize=style.TEXT)
style.title(left, "First layer: two lines", "between them, both units say +1")

at, count = np.unique(hidden(corners), axis=0, return_counts=True)
labels = np.array([xor[(hidden(corners) == z).all(axis=1)][0] for z in at])
style.points(middle, at, labels, size=90)
middle.set(xlim=(-2, 2), ylim=(-2, 2), aspect="equal")
style.regions(middle, lambda z: z @ SECOND[0] + SECOND[1])
for z, number in zip(at, count, strict=True):
    text = f"{number} corners" if number > 1 else "1 corner"
    style.annotate(middle, text, z, (0, -15), fontsize=style.TEXT)
style.title(middle, "Second layer: one line", "the four corners as the first layer sees them")

style.points(right, toy.X, toy.y)
style.plane_panel(right, toy.X)
style.regions(right, lambda x: net.predict_proba(x)[:, 1] - 0.5)
style.title(
    right, "Both layers trained", f"tanh, {net.score(toy.X, toy.y):.0%} of the points right"
)
for panel, names in ((left, "x₁ x₂"), (middle, "or nand"), (right, "x₁ x₂")):
    x_name, y_name = names.split()
    panel.set(xlabel=x_name, ylabel=y_name)
    style.open_frame(panel)
plt.show()
