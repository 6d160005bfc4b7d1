"""
The neuron and its parts
========================

The perceptron's parts are those of a nerve cell: inputs arrive at the dendrites through synapses,
which weight them; the soma adds them up; and the axon carries an output that is a monotonic
function of the sum. A neuron learns as an animal does: good behaviour is rewarded and bad behaviour
punished, and correlated events are combined, as Pavlov's dog combined a bell with its food. Lecture
row L2.15.
"""  # noqa: D205, D400

# %%
# **The parts.** A synapse is a weight w_j: vermilion where it excites, blue where it inhibits, wide
# where it is strong. The soma adds w_j x_j and b; the axon carries g of the sum.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

from rosenblatt import textbook, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import BLUE, GREEN, GREY, INK, PALE, PURPLE, VERMILION

toy = toys.separable(60, 5, margin=0.1, seed=1)
run = textbook.perceptron(toy.X, toy.y)
print("w =", run.w.round(2), " b =", run.b)

figure = style.figure(11, 5.2)
panel = figure.add_subplot()
soma, heights = np.array([5.2, 0.0]), np.linspace(2.4, -2.4, 5)
panel.add_patch(Ellipse(soma, 2.0, 1.9, facecolor=PALE, edgecolor=INK, linewidth=1.8, zorder=3))
panel.text(*soma, "Σ wⱼ xⱼ + b", ha="center", va="center", fontsize=style.TITLE, zorder=4)
for j, (height, w) in enumerate(zip(heights, run.w, strict=True)):
    x = np.linspace(1.2, 4.6, 60)
    bend = (x - 1.2) / 3.4
    y = height * (1 - bend**2) + 0.12 * np.sin(9 * bend) * (1 - bend)
    panel.plot(x, y, color=GREY, linewidth=2.4, solid_capstyle="round", zorder=2)
    colour = VERMILION if w > 0 else BLUE
    panel.plot([0.1, 0.95], [height, height], color=INK, linewidth=1.4)
    panel.scatter(1.12, height, s=90 + 900 * abs(w) / np.abs(run.w).max(), color=colour, zorder=3)
    panel.text(-0.05, height, f"x{'₁₂₃₄₅'[j]}", ha="right", va="center", fontsize=style.TITLE)
    words = f"w{'₁₂₃₄₅'[j]} = {w:+.2f}".replace("-", "−")
    style.annotate(panel, words, (1.12, height), (0, 24), color=colour, fontsize=style.TEXT)
axon = np.linspace(6.2, 9.0, 60)
panel.plot(axon, 0.1 * np.sin(4 * (axon - 6.2)), color=INK, linewidth=3, zorder=2)
for end in (-0.45, 0, 0.45):
    panel.plot([9.0, 9.7], [0.1 * np.sin(11.2), end], color=INK, linewidth=1.8)
panel.text(9.85, 0, "g(f(x))", va="center", fontsize=style.TITLE)
for place, part in (
    ((1.12, -3.5), "synapses"),
    ((3.2, -3.5), "dendrites"),
    ((5.2, -3.5), "soma"),
    ((7.8, -3.5), "axon"),
):
    panel.text(*place, part, ha="center", fontsize=style.TITLE, fontweight="bold", color=INK)
panel.set(xlim=(-0.6, 11), ylim=(-3.9, 3.6))
panel.set_axis_off()
style.title(panel, "A neuron adds up its weighted inputs", "vermilion: excites; blue: inhibits")
plt.show()

# %%
# **A monotonic output.** The activation f = ⟨w, x⟩ + b may be any number. Whatever increasing g the
# axon applies, with g(0) in the middle, the class is the same: only the strength of the answer
# differs. The perceptron's own g is the step.
activations = run.X @ run.weights[-1]
outputs = {
    "the step, sgn f": np.sign,
    "tanh f": np.tanh,
    "the logistic, from −1 to 1": lambda f: 2 / (1 + np.exp(-f)) - 1,
}
for name, g in outputs.items():
    same = np.array_equal(np.sign(g(activations)), np.sign(activations))
    print(f"{name}: the same classes for all {len(activations)} points: {same}")

figure = style.figure(9.4, 4.6)
panel = figure.add_subplot()
f = np.linspace(-4, 4, 801)
looks = ((INK, "solid"), (GREEN, "dashed"), (PURPLE, "dotted"))
for (name, g), (colour, dashes) in zip(outputs.items(), looks, strict=True):
    panel.plot(f, g(f), color=colour, linestyle=dashes, linewidth=2.2, label=name)
drawn = np.abs(activations) <= 4
marks = np.column_stack([activations, np.full(len(activations), -1.25)])[drawn]
style.points(panel, marks, toy.y[drawn], size=24)
panel.axvline(0, color=GREY, linewidth=1, zorder=0)
panel.set(xlabel="activation, f(x) = ⟨w, x⟩ + b", ylabel="output, g(f(x))", ylim=(-1.45, 1.2))
style.open_frame(panel)
style.legend(panel, *panel.get_legend_handles_labels())
style.title(panel, "Any increasing output has the same sign", "below: the points of both classes")
plt.show()
