"""
The neuron, its learning rate, and its mistake bound
====================================================

The neuron adds its weighted inputs: f(x) = ⟨w, x⟩ + b. Perceptron(X, Y, η) changes w and b by η/2
(y − g(x)) where g(x) = sgn f(x) is wrong, until every example is right. From zero the rate η only
scales w and b. The bound on the updates, (b*² + 1)(R² + 1)/ρ², holds for every η > 0. Lecture rows
L2.1, L2.2 and L2.3.
"""  # noqa: D205, D400

# %%
# **The neuron.** f is 0 on the line, increases along w, and is constant across it.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import claims, textbook, theory, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import BLUE, GREY, INK, PALE, VERMILION

toy = toys.separable(60, 2, margin=0.06, offset=0.25, seed=8)
run = textbook.perceptron(toy.X, toy.y)
print(f"w = {run.w}, b = {run.b}: {run.mistakes} updates in {run.epochs} epochs")

figure = style.figure(9.4, 4.6)
left, right = figure.subplots(1, 2)
style.points(left, toy.X, toy.y)
style.plane_panel(left, toy.X)
across, up, f = style.score_grid(left, lambda x: x @ run.w + run.b)
levels = left.contour(across, up, f, levels=5, colors=GREY, linewidths=1, zorder=1)
left.clabel(levels, fontsize=9)
left.contour(across, up, f, [0], colors=INK, linewidths=2.2, zorder=1)
start = style.nearest_on_line(run.w, run.b, np.zeros(2))
end = start + 0.35 * run.w / np.linalg.norm(run.w)
style.arrow(left, start, end, color=INK, linewidth=2)
style.annotate(left, "w", end, (8, 8), style="italic")
style.title(left, "f(x) = ⟨w, x⟩ + b", "level lines of f; the thick one is f = 0")

# %%
# **The rate only scales.** The paths of w for three rates have the same shape: the same mistakes
# at the same steps, and the same final line.
rates = {0.5: BLUE, 1.0: VERMILION, 2.0: INK}
for eta, colour in rates.items():
    scaled = textbook.perceptron(toy.X, toy.y, eta)
    same = np.array_equal(scaled.mistake, run.mistake)
    print(f"η = {eta}: w/η = {scaled.w / eta}, b/η = {scaled.b / eta}, same mistakes: {same}")
    right.plot(*scaled.weights[:, :2].T, color=colour, marker="o", markersize=4)
right.scatter(0, 0, s=50, marker="+", color=INK, zorder=5)
right.set(xlabel="w₁", ylabel="w₂")
right.set_aspect("equal", adjustable="datalim")
right.legend([f"η = {eta:g}" for eta in rates], frameon=False, fontsize=11)
style.open_frame(right)
style.title(right, "The rate only scales", "the path of w from 0, for three rates")
plt.show()

# %%
# **The proof, update by update.** With the separator (w*, b*) that made the data, three
# inequalities hold after j updates, and leave no room beyond the bound:
#
# jηρ ≤ ⟨(w, b), (w*, b*)⟩ ≤ √(1 + b*²) ‖(w, b)‖ ≤ √(1 + b*²) √(j η² (R² + 1)).
found = claims.check(run, toy.u, toy.b)
size = np.sqrt(1 + toy.b**2)  # of (w*, b*); found.u is the unit vector along it
rho = theory.margin(toy.X, toy.y, toy.u, toy.b)
bound = theory.offset_bound(theory.radius(toy.X), rho, toy.b)
print(f"{run.mistakes} updates, at most {bound:.1f}; the checker says {found.bound:.1f}")

figure = style.figure(9.4, 4.4)
panel = figure.add_subplot()
look = {"linewidth": 2.2, "marker": "o", "markersize": 5}
panel.plot(found.t, size * np.sqrt(found.most), color=VERMILION, linestyle="dashed")
panel.plot(found.t, size * np.sqrt(found.sqnorm), color=VERMILION, **look)
panel.plot(found.t, size * found.projection, color=BLUE, **look)
panel.plot(found.t, size * found.least, color=BLUE, linestyle="dashed")
panel.fill_between(found.t, size * found.least, size * np.sqrt(found.most), color=PALE, zorder=0)
names = (
    "√(1 + b*²) √(j η² (R² + 1))",
    "√(1 + b*²) ‖(w, b)‖",
    "⟨(w, b), (w*, b*)⟩",
    "j η ρ",
)
panel.legend(names, frameon=False, fontsize=11, loc="upper left")
panel.set(xlabel="j, the updates so far")
style.open_frame(panel)
style.title(panel, "The four sides of the proof", f"{run.mistakes} updates; at most {bound:.1f}")
plt.show()
