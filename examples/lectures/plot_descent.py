"""
The perceptron as gradient descent
==================================

The perceptron rule is gradient descent, one sample at a time, on Jₚ(w) = Σ max(0, −y w·x), which
measures how far the misclassified points lie on the wrong side. The number of misclassified points
is the natural objective, but it is piecewise constant: its gradient is zero wherever it exists. The
points here lie on a number line, so that w = (w₀, w₁) can be drawn. Lecture rows L2.7, L4.5.
"""  # noqa: D205, D400

# %%
# **Two criteria over the same plane.** Every w is a point; w₀ + w₁ x = 0 is its threshold on the
# number line. Left: the count, a step function. Right: Jₚ, with the paths of batch descent,
# which reads all rows before each step, and of the single-sample correction, which moves at every
# mistake.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import textbook, toys
from rosenblatt.criteria import Misclassified, PerceptronCriterion
from rosenblatt.plots import CriterionDisplay, style
from rosenblatt.plots.style import GREEN, GREY, INK, PALE, PURPLE

X = np.array([[-1.0], [-0.2], [0.3], [0.7], [0.9], [1.4], [2.0], [2.6]])
c = np.array([0, 0, 0, 0, 1, 1, 1, 1])
start = np.array([2.5, -2.0])
batch = textbook.batch_descent(X, c, eta=0.2, start=start, max_updates=200)
single = textbook.sample_descent(X, c, eta=0.2, start=start)
for name, run in (("batch", batch), ("single-sample", single)):
    print(f"{name}: {len(run.weights) - 1} moves, {len(run)} rows read, w = {run.weights[-1]}")

# %%
# The wedge marked 0 on the left, grey on the right, contains the w that are right about all
# points: both criteria are 0 there. The count gives no direction: at the start its slope is 0,
# and descent stays there. Jₚ has a slope everywhere outside the wedge.
stuck = textbook.batch_descent(X, c, Misclassified(), start=start)
print(f"descent on the count: {len(stuck.weights) - 1} moves")

figure = style.figure(10, 4.9)
panels = figure.subplots(1, 2)
across, up = np.meshgrid(np.linspace(-3.2, 3.2, 321), np.linspace(-3.2, 3.2, 321))
scores = across[..., np.newaxis] + up[..., np.newaxis] * X.ravel()
y = 2 * c - 1
wrong = (y * scores <= 0).sum(axis=-1)
J_p = np.maximum(0, -y * scores).sum(axis=-1)
shades = panels[0].contourf(across, up, wrong, np.arange(-0.5, 9), cmap="Greys", vmax=12)
style.annotate(panels[0], "0 wrong", (-1.95, 2.6), fontsize=style.TEXT)
bar = figure.colorbar(shades, ax=panels[0], ticks=range(9), shrink=0.6, aspect=14)
bar.outline.set_visible(False)
style.title(panels[0], "The count is flat", "misclassified points, by w")
levels = panels[1].contour(across, up, J_p, [1, 2, 4, 8, 16, 32], colors=GREY, linewidths=1)
panels[1].clabel(levels, fontsize=8)
panels[1].contourf(across, up, wrong, [-0.5, 0.5], colors=PALE)
style.annotate(panels[1], "all right:\nJₚ = 0", (-2.1, 2.5), fontsize=style.TEXT)
for run, colour, name in ((batch, GREEN, "batch"), (single, PURPLE, "single-sample")):
    look = {"marker": ".", "markersize": 7, "linewidth": 1.8, "label": name}
    panels[1].plot(*run.weights.T, color=colour, **look)
panels[1].legend(loc="lower left", framealpha=1, edgecolor="white")
style.title(panels[1], "Jₚ has a slope", "level lines, and two paths into the wedge")
for panel in panels:
    panel.scatter(*start, s=90, color=INK, zorder=5)
    style.annotate(panel, "start", start, (0, -15))
    panel.set(xlabel="w₀", ylabel="w₁", aspect="equal")
    style.open_frame(panel)
plt.show()


# %%
# **Cost in rows read.** A batch step reads all rows. On twenty draws of the notebook's hundred
# points, the single-sample correction reads fewer rows in most draws, not in all. (From w = 0 the
# rate only scales w, so it does not affect the comparison.) One of the draws is shown.
def both(seed):
    """Run both algorithms on one draw of the notebook's problem."""
    toy = toys.unit_square(seed=seed)
    return {
        "batch": textbook.batch_descent(toy.X, toy.y, max_updates=1000),
        "single-sample": textbook.sample_descent(toy.X, toy.y, max_epochs=1000),
    }


draws = [both(seed) for seed in range(20)]
looks = np.array([[len(run) for run in draw.values()] for draw in draws])
print("all points right in the end:", all(run.converged for draw in draws for run in draw.values()))
print("rows read, median: batch {:,.0f}, single {:,.0f}".format(*np.median(looks, axis=0)))
print(f"single-sample needs fewer in {(looks[:, 1] < looks[:, 0]).sum()} of {len(draws)} draws")

figure = style.figure(10, 4.2)
criteria = PerceptronCriterion(), Misclassified()
for panel, criterion in zip(figure.subplots(1, 2), criteria, strict=True):
    CriterionDisplay.from_traces(draws[2], criterion, ax=panel)
plt.show()
