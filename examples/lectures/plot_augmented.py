"""
Choosing the misclassified point
================================

“While there is a misclassified point, update with one of them.” The lecture does not say which one.
Five choices are drawn, all on the same points, augmented to (1, x₁, x₂), and from w = 0. The paths,
the number of corrections and the last line differ. Termination (if a separating line exists) and
the bound on the corrections hold for every choice. Lecture row L3.1.
"""  # noqa: D205, D400

# %%
# **Five choices.** The first misclassified row, the last, the next in a cycle, a random one, or
# the worst: the one with the smallest y w·x.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

import rosenblatt
from rosenblatt import textbook, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK

toy = toys.separable(60, 2, margin=0.08, offset=0.2, seed=1)
picks = ("first", "last", "cyclic", "random", "worst")
runs = {pick: textbook.augmented_perceptron(toy.X, toy.y, pick=pick) for pick in picks}
for pick, run in runs.items():
    rows = len(np.unique(run.order))
    print(f"{pick:>6}: {run.mistakes} corrections on {rows} different rows; first {run.order[:6]}")
print("at most, for any choice:", rosenblatt.audit(runs["first"]).allowed)

# %%
# Top: the last line of each run, with the points of its corrections ringed. Bottom: the number of
# points that each w gets wrong. It rises and falls, and is 0 in the end.
figure = style.figure(12, 4.9)
lines, counts = figure.subplots(2, 5, height_ratios=(1.5, 1))
most = max(run.mistakes for run in runs.values())
for pick, line, count in zip(picks, lines, counts, strict=True):
    run = runs[pick]
    style.points(line, toy.X, toy.y, size=22)
    style.plane_panel(line, toy.X)
    style.line(line, run.w, run.b, color=INK, linewidth=2)
    style.ring_points(line, toy.X, toy.y, np.unique(run.order), size=90)
    style.title(line, pick.capitalize(), f"{run.mistakes} corrections")
    count.step(np.arange(len(run.errors)), run.errors, where="post", color=GREEN, linewidth=1.6)
    count.set(xlim=(0, most), ylim=(0, len(toy.X) / 2 + 4), xlabel="corrections")
    style.open_frame(count)
counts[0].set_ylabel("points wrong")
plt.show()

# %%
# **Five paths from 0.** The same runs in the plane of (w₁, w₂). Every path ends at a w that is
# right about all points. There are many such w, and the runs end at different ones.
figure = style.figure(12, 3)
panels = figure.subplots(1, 5, sharex=True, sharey=True)
for panel, pick in zip(panels, picks, strict=True):
    path = runs[pick].weights[:, 1:]
    for other in runs.values():
        panel.plot(*other.weights[:, 1:].T, color=GREY, linewidth=0.6, alpha=0.5)
    panel.plot(*path.T, color=GREEN, linewidth=1.6)
    panel.scatter(*path[-1], s=60, color=GREEN, zorder=4)
    panel.scatter(0, 0, s=50, marker="+", color=INK, zorder=4)
    panel.set(xlabel="w₁", aspect="equal")
    style.open_frame(panel)
    style.title(panel, pick.capitalize(), "dot: the last w")
panels[0].set_ylabel("w₂")
plt.show()
