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

from rosenblatt import Perceptron, audit, claims, textbook, theory, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PALE, PURPLE

toy = toys.separable(60, 2, margin=0.06, offset=0.25, seed=8)
run = textbook.perceptron(toy.X, toy.y)
print(f"w = {run.w}, b = {run.b}: {run.mistakes} updates in {run.epochs} epochs")
model = Perceptron(tie=-1, shuffle=False, tol=None).fit(toy.X, toy.y)
print(f"compiled: w = {model.coef_[0]}, b = {model.intercept_[0]}")

figure = style.figure(10.4, 5.4)
left, right = figure.subplots(1, 2)
marks = style.points(left, toy.X, toy.y)
style.fit_limits(left, toy.X)
left.set(xlabel="x₁", ylabel="x₂")
left.locator_params(nbins=5)
style.open_frame(left)
unit = run.w / np.linalg.norm(run.w)
top = left.get_ylim()[1]
for level in (-1, 0, 1, 2, 3):
    thick = {"color": INK, "linewidth": 2.2} if level == 0 else {"color": GREY, "linewidth": 1}
    style.line(left, run.w, run.b - level, **thick)
    place = ((level - run.b - run.w[1] * top) / run.w[0], top)
    style.annotate(left, f"{level}".replace("-", "−"), place, (0, 7), color=thick["color"])
start = style.nearest_on_line(run.w, run.b, np.array([0.0, -0.55]))
end = start + 0.35 * unit
style.arrow(left, start, end, color=INK, linewidth=2)
style.annotate(left, "w", end, 12 * unit, style="italic")
style.legend(left, marks, ["−1", "+1"])
style.title(left, "f(x) = ⟨w, x⟩ + b", "lines on which f is −1, 0, 1, 2, 3\n")

# %%
# **The rate only scales.** The paths of w for three rates have the same shape: the same mistakes
# at the same steps, and the same final line.
rates = {0.5: GREEN, 1.0: PURPLE, 2.0: INK}
for eta, colour in rates.items():
    scaled = textbook.perceptron(toy.X, toy.y, eta)
    same = np.array_equal(scaled.mistake, run.mistake)
    print(f"η = {eta}: w/η = {scaled.w / eta}, b/η = {scaled.b / eta}, same mistakes: {same}")
    right.plot(*scaled.weights[:, :2].T, color=colour, marker=".", label=f"η = {eta:g}")
right.scatter(0, 0, s=50, marker="+", color=INK, zorder=5)
right.set(xlabel="w₁", ylabel="w₂")
right.set_aspect("equal", adjustable="datalim")
style.open_frame(right)
style.legend(right, *right.get_legend_handles_labels())
style.title(right, "The rate only scales", "the path of w from 0, for three rates\n")
plt.show()

# %%
# **The proof, update by update.** With the separator (w*, b*) that made the data, three
# inequalities hold after j updates, and leave no room beyond the bound:
#
# jηρ ≤ ⟨(w, b), (w*, b*)⟩ ≤ √(1 + b*²) ‖(w, b)‖ ≤ √(1 + b*²) √(j η² (R² + 1)).
found = claims.check(run, toy.u, toy.b)
size = np.sqrt(1 + toy.b**2)  # of (w*, b*); found.u is the unit vector along it
rho = theory.margin(toy.X, toy.y, toy.u, toy.b)
bound = theory.most_mistakes(theory.offset_bound(theory.radius(toy.X), rho, toy.b))
print(f"{run.mistakes} updates, at most {bound}; the checker says {found.allowed}")
print(f"the direction of the largest margin allows {audit(run).allowed}")

figure = style.figure(9.4, 4.4)
panel = figure.add_subplot()
look = {"linewidth": 2.2, "marker": ".", "markersize": 9}
panel.plot(found.t, size * np.sqrt(found.most), color=PURPLE, linestyle="dashed")
panel.plot(found.t, size * np.sqrt(found.sqnorm), color=PURPLE, **look)
panel.plot(found.t, size * found.projection, color=GREEN, **look)
panel.plot(found.t, size * found.least, color=GREEN, linestyle="dashed")
panel.fill_between(found.t, size * found.least, size * np.sqrt(found.most), color=PALE, zorder=0)
names = (
    "√(1 + b*²) √(j η² (R² + 1))",
    "√(1 + b*²) ‖(w, b)‖",
    "⟨(w, b), (w*, b*)⟩",
    "j η ρ",
)
panel.legend(names, frameon=False, loc="upper left")
panel.set(xlabel="j, the updates so far")
style.open_frame(panel)
style.title(panel, "The four sides of the proof", f"{run.mistakes} updates; at most {bound}")
plt.show()
