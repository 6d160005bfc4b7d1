"""
Online learning: threshold, protocol, margin
============================================

A threshold function is +1 where w·x ≥ b. The threshold b can be made 0: give every x one more
coordinate, always 1, with the weight −b. In each round the learner sees a point, predicts, and only
then receives the label. The margin of a point is y (x·u), its signed distance from the line,
negative on the wrong side. Lecture rows L1.1, L1.2 and L1.3.
"""  # noqa: D205, D400

# %%
# **A threshold is one more weight.** On the number line f is +1 from b on. Lifted to height 1,
# the same points are separated by a line through the origin with the normal (w, −b).
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, progressive, textbook, theory, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import GREY, INK, PURPLE
from rosenblatt.streams import Batch

X = np.array([[-1.6], [-0.9], [-0.3], [0.4], [1.2], [1.7], [2.4], [2.9]])
w, b = np.array([1.0]), 0.8
f = textbook.threshold(w, b)
lifted, w_lifted = textbook.append_one(X), textbook.lift_threshold(w, b)
g = textbook.threshold(w_lifted)
print("(w, −b) =", w_lifted, "and back:", textbook.lower_threshold(w_lifted))
print("same predictions:", np.array_equal(f(X), g(lifted)))

figure = style.figure(9, 3.9)
left, right = figure.subplots(1, 2)
style.points(left, np.column_stack([X, 0 * X]), f(X), size=60)
left.axhline(0, color=GREY, linewidth=1, zorder=0)
left.plot([b, b], [-0.35, 0.35], color=INK, linewidth=2)
style.annotate(left, "b", (b, 0.35), (0, 10), style="italic")
style.title(left, "w·x ≥ b", "points on a line, and a threshold")

style.points(right, lifted, g(lifted), size=60)
right.axhline(1, color=GREY, linewidth=1, zorder=0)
style.line(right, w_lifted, 0.0, color=INK, linewidth=2)
style.arrow(right, (0, 0), w_lifted, color=INK, linewidth=1.8)
style.annotate(right, "(w, −b)", w_lifted, (26, -8))
right.scatter(0, 0, s=40, marker="+", color=INK)
style.annotate(right, "origin", (0, 0), (-26, -8), fontsize=10)
style.title(right, "(w, −b)·(x, 1) ≥ 0", "the same points at height 1, a line through 0")
for panel in (left, right):
    panel.set(xlim=(-2, 3.3), ylim=(-1.5, 2.1))
    style.without_axes(panel)
plt.show()

# %%
# **First the prediction, then the label.** Thirty rounds of
# :func:`rosenblatt.textbook.online_perceptron`. A round with two different markers is a mistake,
# and only there w moves. :func:`rosenblatt.progressive.learn` keeps the same protocol for compiled
# learners and streams.
toy = toys.separable(30, 2, margin=0.03, seed=201)
run = textbook.online_perceptron(toy.X, toy.y)
compiled = Perceptron(tie=1, fit_intercept=False, shuffle=False)
progressive.learn(compiled, [Batch(toy.X, toy.y, 0)])
print(f"mistakes: the textbook {run.mistakes}, compiled {compiled.mistakes_}")
rounds = np.arange(1, len(run) + 1)
figure = style.figure(10, 3.9)
above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 2))
for height, said in ((1, run.prediction), (0, run.label)):
    style.points(above, np.column_stack([rounds, np.full(len(run), height)]), said, size=80)
for t in rounds[run.mistake]:
    above.axvspan(t - 0.5, t + 0.5, color=GREY, alpha=0.25, linewidth=0)
above.set(yticks=[0, 1], yticklabels=["yₜ, revealed", "ŷₜ, predicted"], ylim=(-0.6, 1.6))
above.tick_params(length=0, labelsize=10)
above.spines[:].set_visible(False)
style.title(above, "Grey: a mistake", "circle −1, square +1; the label follows the prediction")
before = np.append(run.used, run.mistakes)
below.step([*rounds, len(run) + 1], before, where="mid", color=PURPLE, linewidth=2.2)
below.set(xlabel="round t", ylabel="mₜ", xlim=(0.5, len(run) + 1.5))
below.yaxis.get_major_locator().set_params(integer=True)
style.open_frame(below)
style.title(below, f"{run.mistakes} mistakes", "mₜ counts those before round t")
plt.show()

# %%
# **The margin of a point, and of a set.** The margin of a point is its distance to the line,
# negative on the wrong side. The margin of a set is the smallest of them. It is positive for a u
# that is right about all points; here one u is right, the other is not.
toy = toys.separable(14, 2, margin=0.12, seed=2)
turn = np.deg2rad(25)
turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ toy.u
figure = style.figure(9, 4.6)
for panel, u in zip(figure.subplots(1, 2), (toy.u, turned), strict=True):
    margins = theory.margins(toy.X, toy.y, u)
    least = margins.argmin()
    style.plane_panel(panel, np.vstack([toy.X, -toy.X]))
    style.points(panel, toy.X, toy.y, size=50)
    style.line(panel, u, 0.0, color=INK, linewidth=2)
    for x, gamma in zip(toy.X, margins, strict=True):
        dashes = "dotted" if gamma < 0 else "solid"
        panel.plot(
            *zip(x, style.nearest_on_line(u, 0.0, x), strict=True), color=GREY, linestyle=dashes
        )
    style.arrow(panel, (0, 0), 0.3 * u, color=INK, linewidth=1.8)
    style.annotate(panel, "u", 0.3 * u, 10 * u, style="italic")
    style.ring_points(panel, toy.X, toy.y, [least], size=190)
    finding = f"Margin of the set: {theory.margin(toy.X, toy.y, u):+.2f}".replace("-", "−")
    style.title(panel, finding, f"ringed: the smallest; the largest is {margins.max():.2f}")
plt.show()
