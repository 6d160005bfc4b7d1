"""
No separator: the perceptron cycles
===================================

If no line through the origin is right about all points, the perceptron never stops. With integer
data it must return to an earlier w, and from there everything repeats. This proves that it cycles,
and :func:`rosenblatt.cycling.find_cycle` detects it. A run that has not stopped yet proves nothing;
it may be slow. Lecture row L0.4.
"""  # noqa: D205, D400

# %%
# **Five points, no line.** The ringed rows cancel: with the weights of the proof, their y x add
# up to 0, so no u has a positive product with all of them.
from __future__ import annotations

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import certify, textbook
from rosenblatt.cycling import find_cycle
from rosenblatt.plots import style
from rosenblatt.plots.style import BLUE, INK, VERMILION

X = np.array([[2, -1], [1, -3], [4, -4], [-2, 1], [-4, 0]])
y = np.array([-1, 1, -1, 1, -1])
proof = certify(X, y, fit_intercept=False)
print(proof.status, "· rows", proof.rows, "· weights", proof.weights)

# %%
# **The closed path.** Each corner is a w, each side the correction y x of one mistake. After the
# last side, w and the row are those of the start, so the path repeats without end.
cycle = find_cycle(X, y)
print(cycle.why)
print("rows corrected, in order:", cycle.rows)

figure = style.figure(9, 4.4)
left, right = figure.subplots(1, 2)
style.plane_panel(left, X)
style.points(left, X, y, size=60)
style.ring_points(left, X, y, proof.rows, size=220)
left.scatter(0, 0, s=40, marker="+", color=INK)
style.annotate(left, "origin", (0, 0), (0, 12), fontsize=10)
style.title(left, "No line through the origin", "ringed: rows that cancel")

path = cycle.weights
style.plane_panel(right, np.vstack([path, np.zeros(2)]))
for place, (start, end) in enumerate(pairwise(path)):
    style.arrow(right, start, end, color=VERMILION, linewidth=1.6)
    outward = start - path[:-1].mean(axis=0)
    style.annotate(right, str(place), start, 12 * outward / np.hypot(*outward))
right.scatter(*path.T, s=26, color=INK, zorder=6)
right.scatter(0, 0, s=40, marker="+", color=INK)
style.annotate(right, "w = 0", (0, 0), (0, -13), fontsize=10)
corrections, looks = len(cycle.rows), cycle.period
style.title(right, "The path of w closes", f"{corrections} corrections in {looks} steps")
plt.show()

# %%
# **Three runs that have not stopped.** The same points; the same points, slightly moved to
# non-integer coordinates; and five points that a line separates with a tiny margin. Each run
# makes mistakes for thirty epochs. The first is proved to cycle. The second is only known not to
# have stopped. The third was merely slow.
EPOCHS = 60
moved = X + np.random.default_rng(0).uniform(-0.1, 0.1, X.shape)
slow = np.array([[5, -4], [8, 3], [7, -1], [-8, 6], [5, 6]]), np.array([1, -1, -1, 1, -1])
runs = {"Integers": (X, y), "Floats": (moved, y), "Tiny margin": slow}

figure = style.figure(10, 3.6)
panels = figure.subplots(1, 3)
for panel, (name, (rows, labels)) in zip(panels, runs.items(), strict=True):
    found = find_cycle(rows, labels, max_epochs=EPOCHS)
    print(f"{name}: {found.status}. {found.why}")
    run = textbook.origin_perceptron(np.tile(rows, (EPOCHS, 1)), np.tile(labels, EPOCHS))
    lengths = np.linalg.norm(run.weights[run.used], axis=1)
    epochs = np.arange(len(run)) / len(rows)
    panel.plot(epochs, lengths, color=BLUE, linewidth=1.4)
    panel.set(xlabel="epochs", xlim=(0, EPOCHS))
    panel.set_ylim(bottom=0)
    style.open_frame(panel)
    style.title(panel, name, f"after {found.epochs} epochs: {found.status}")
panels[0].set_ylabel("‖w‖")
plt.show()
