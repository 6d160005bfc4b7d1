"""
No separator: the perceptron cycles
===================================

If no line through the origin is right about all points, the perceptron never stops. Its w stays
bounded (Block and Levin 1970), so with integer data it returns to an earlier w, and from there
everything repeats. This proves that it cycles, and :func:`rosenblatt.cycling.find_cycle` detects
it. A run that has not stopped yet proves nothing; it may be slow. Lecture rows L0.4 and L4.4.
"""  # noqa: D205, D400

# %%
# **Five points, no line.** The ringed rows cancel: with the weights of the proof, their y x add
# up to 0, so no u has a positive product with all of them.
from __future__ import annotations

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import certify, textbook
from rosenblatt.cycling import find_cycle
from rosenblatt.plots import CertificateDisplay, CycleDisplay, style
from rosenblatt.plots.style import GREEN

X = np.array([[2, -1], [1, -3], [4, -4], [-2, 1], [-4, 0]])
y = np.array([-1, 1, -1, 1, -1])
proof = certify(X, y, fit_intercept=False)
print(proof.status, "· rows", proof.rows, "· weights", proof.weights)

# %%
# **The closed path.** Each corner is a w, each side the correction y x of one mistake. After the
# last side, w and the row are those of the start, so the path repeats without end.
cycle = find_cycle(X, y, fit_intercept=False)
print(fill(cycle.why, 80))
print("rows corrected, in order:", cycle.rows)

figure = style.figure(10, 5.2)
left, right = figure.subplots(1, 2)
CertificateDisplay.from_certificate(proof, X, y, ax=left)
CycleDisplay.from_cycle(cycle, ax=right)
plt.show()

# %%
# **Three runs that have not stopped.** The same points; the same points, slightly moved to
# non-integer coordinates; and five points that a line separates with a tiny margin. The first is
# proved to cycle. The second is computed exactly, too, and has not met a w twice: cycles of numbers
# with long fractions are long. The third was merely slow.
EPOCHS = 60
moved = X + np.random.default_rng(0).uniform(-0.1, 0.1, X.shape)
slow = np.array([[5, -4], [8, 3], [7, -1], [-8, 6], [5, 6]]), np.array([1, -1, -1, 1, -1])
runs = {"Integers": (X, y), "Floats": (moved, y), "Tiny margin": slow}

figure = style.figure(11, 4)
panels = figure.subplots(1, 3)
for panel, (name, (rows, labels)) in zip(panels, runs.items(), strict=True):
    found = find_cycle(rows, labels, fit_intercept=False, max_epochs=EPOCHS)
    print(fill(f"{name}: {found.status}. {found.why}", 80))
    run = textbook.origin_perceptron(np.tile(rows, (EPOCHS, 1)), np.tile(labels, EPOCHS))
    lengths = np.linalg.norm(run.weights[run.used], axis=1)
    epochs = np.arange(len(run)) / len(rows)
    panel.plot(epochs, lengths, color=GREEN, linewidth=1.4)
    panel.set(xlabel="epochs", xlim=(0, EPOCHS))
    panel.set_ylim(bottom=0)
    style.open_frame(panel)
    style.title(panel, name, f"after {found.epochs} epochs: {found.status}")
panels[0].set_ylabel("‖w‖")
plt.show()
