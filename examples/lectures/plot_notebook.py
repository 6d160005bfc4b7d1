"""
The notebook: a problem, a correction, a line
=============================================

A hundred random points of the unit square, class 1 where 0.7 x + 0.4 y > 0.5. The rows get a
leading 1, those of class 0 change their sign, and a starts at random. Wherever a·x ≤ 0, a ← a + ε
x, until an epoch changes nothing. The line a₀ x + a₁ y + d = 0 and its intercepts follow from the
final a. Lecture rows L4.1, L4.2 and L4.3.
"""  # noqa: D205, D400

# %%
# **The problem.** Blue circles are class 0, vermilion squares class 1. The dashed line defined
# the classes; the perceptron does not know it.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import textbook, toys
from rosenblatt.plots import DecisionLineDisplay, style
from rosenblatt.plots.style import GREEN, GREY, INK

toy = toys.unit_square(100)
print("points of class 0 and 1:", *np.bincount(toy.y))
run = textbook.sample_correction(toy.X, toy.y)
print(
    f"{run.mistakes} corrections in {run.epochs} epochs; the last changed nothing: {run.converged}"
)


def square(axes):
    """Draw the points, and the axes of the unit square."""
    style.points(axes, toy.X, toy.y)
    axes.set(xlim=(0, 1), ylim=(0, 1), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], aspect="equal")
    axes.set(xlabel="x", ylabel="y")
    style.open_frame(axes)


figure = style.figure(10.4, 4)
problem, lines, counts = figure.subplots(1, 3)
square(problem)
style.line(problem, toy.u, toy.b, color=GREY, linewidth=2, linestyle="dashed")
style.title(problem, "The problem", "0.7 x + 0.4 y > 0.5, or not")

# %%
# **The correction.** Left: the line at the start of every epoch, later ones darker. Right: the
# corrections in each epoch.
begun = run.used[:: len(toy.X)]
square(lines)
for place, j in enumerate(begun):
    w, b = run.line(j)
    style.line(lines, w, b, color=INK, linewidth=1.4, alpha=0.08 + 0.92 * (place + 1) / len(begun))
style.title(lines, "The line settles", f"at the start of each of {run.epochs} epochs")
each = run.mistake.reshape(run.epochs, -1).sum(axis=1)
counts.bar(np.arange(1, run.epochs + 1), each, width=0.85, color=GREEN)
counts.set(xlabel="epoch", ylabel="corrections", box_aspect=1)
style.open_frame(counts)
style.title(
    counts, "Until nothing changes", f"{run.mistakes} corrections; none in epoch {run.epochs}"
)
plt.show()

# %%
# **The line and its intercepts.** With a = (d, a₀, a₁): at x = 0 the line is at y = −d/a₁, and at
# y = 0 at x = −d/a₀. The line that defined the labels, drawn wide and pale below it, nearly
# coincides with it: a hundred points leave little room.
d, a0, a1 = run.weights[-1]
print(f"d = {d:.3f}, a₀ = {a0:.3f}, a₁ = {a1:.3f}")
x, y = textbook.intercepts(run.w, run.b)  # −d/a₀ and −d/a₁
print(f"intercepts: y = {y:.3f}, x = {x:.3f}")
print("of the line that defined the labels: y = {1:.3f}, x = {0:.3f}".format(*-toy.b / toy.u))

figure = style.figure(6.2, 7.0)
panel = figure.add_subplot()
DecisionLineDisplay.from_trace(run, ax=panel)
panel.get_legend().set_bbox_to_anchor((0.5, 0.02))
style.without_axes(panel)
panel.set(xlim=(-0.15, 1.1), ylim=(-0.15, 1.35), xlabel="", ylabel="")
panel.axhline(0, color=GREY, linewidth=1, zorder=0)
panel.axvline(0, color=GREY, linewidth=1, zorder=0)
style.line(panel, toy.u, toy.b, color="#C9C9C9", linewidth=9).set_zorder(0)
crossings = np.array([[0, -d / a1], [-d / a0, 0]])
panel.scatter(*crossings.T, s=70, color=INK, zorder=6)
style.annotate(panel, f"−d/a₁ = {-d / a1:.2f}", crossings[0], (14, 4), ha="left")
style.annotate(panel, f"−d/a₀ = {-d / a0:.2f}", crossings[1], (-60, -16))
style.title(
    panel,
    f"{a0:.2f} x + {a1:.2f} y = {-d:.2f}",
    "thin: learned; wide: the line that defined the labels",
)
plt.show()
