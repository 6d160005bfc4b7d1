"""
The margin measures robustness
==============================

The margin of a point is its distance from the line. A push that is shorter than the margin never
takes the point to the other side, in whatever direction; and the push straight to the line, just
longer than the margin, does. Lecture row L1.6.
"""  # noqa: D205, D400

# %%
# **Every point has a disc that is its own.** The radius is the margin of the point. The point with
# the smallest disc, the margin of the set, is the first that a push can turn.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle

from rosenblatt import certify, textbook, theory, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import COLOURS, GREEN, INK, PALE, PURPLE

toy = toys.separable(24, 2, margin=0.15, offset=0.1, seed=5)
run, proof = textbook.perceptron(toy.X, toy.y), certify(toy.X, toy.y)
planes = {"The perceptron's line": (run.w, run.b), "The widest band": (proof.coef, proof.intercept)}


def discs(axes, w, b):
    """Draw the line, the points, and around each point the disc of its margin."""
    margins = theory.margins(toy.X, toy.y, w, b)
    style.fit_limits(axes, toy.X)
    style.open_frame(axes)
    axes.set(xlabel="x₁", ylabel="x₂")
    for x, label, margin in zip(toy.X, toy.y, margins, strict=True):
        look = {"color": COLOURS[int(label > 0)], "alpha": 0.05, "linewidth": 0.8}
        axes.add_patch(Circle(x, margin, **look))
    style.line(axes, w, b, color=INK, linewidth=2)
    handles = style.points(axes, toy.X, toy.y)
    nearest = int(margins.argmin())
    style.ring_points(axes, toy.X, toy.y, [nearest])
    style.legend(axes, handles, ["−1", "+1"])
    return margins


figure = style.figure(11, 6.5)
for panel, (name, plane) in zip(figure.subplots(1, 2), planes.items(), strict=True):
    margins = discs(panel, *plane)
    style.title(panel, name, f"the smallest disc, ringed, has the radius {margins.min():.3f}")
plt.show()


# %%
# **Pushes of one length, in all directions.** Each point is pushed to 360 directions. Up to the
# margin of the set no point changes its side, whatever the direction. From there on the first does,
# and with the widest band that happens as late as it can.
def turned(w, b, length):
    """Return the share of the points that some push of this length takes to the other side."""
    angles = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    pushes = length * np.column_stack([np.cos(angles), np.sin(angles)])
    scores = (toy.X[:, np.newaxis] + pushes) @ w + b
    return float((toy.y[:, np.newaxis] * scores <= 0).any(axis=1).mean())


lengths = np.linspace(0, 0.6, 121)
figure = style.figure(9.4, 4.6)
panel = figure.add_subplot()
for (name, plane), colour in zip(planes.items(), (PURPLE, GREEN), strict=True):
    shares = 100 * np.array([turned(*plane, length) for length in lengths])
    margin = theory.margin(toy.X, toy.y, *plane)
    print(f"{name}: margin {margin:.4f}, no point turned up to {lengths[shares == 0].max():.3f}")
    panel.step(lengths, shares, where="post", color=colour, linewidth=2, label=name)
    panel.axvline(margin, color=colour, linewidth=1.2, linestyle="dashed")
panel.axvspan(0, proof.margin[0], color=PALE, zorder=0)
panel.set(xlabel="length of the push", ylabel="points that some push turns, %", xlim=(0, 0.6))
panel.set_ylim(bottom=0)
style.open_frame(panel)
style.legend(panel, *panel.get_legend_handles_labels())
style.title(panel, "No push below the margin turns a point", "dashed: the margins of the two lines")
plt.show()
