"""
Rings: up, across and down again
================================

No line cuts a disc off from the ring around it. Lift every point by its squared distance from the
middle, (x, y) ↦ (x, y, x² + y²), and a plane does it; what the plane cuts out of the bowl is a
circle, seen from above. A kernel makes a lift of its own, and there the older selves may vote.
"""  # noqa: D205, D400

# %%
# What all four panels share.
from __future__ import annotations

import matplotlib.pyplot as plt
from sklearn.pipeline import make_pipeline

from rosenblatt import KernelPerceptron, Perceptron, RadialLift, certify, toys
from rosenblatt.plots import LiftDisplay, VotedRegionsDisplay, style
from rosenblatt.plots.style import BLUE

toy = toys.rings(80, inner=0.6, outer=0.75, width=0.35)
X, y = toy.X, toy.y
figure = style.figure(7.2, 7.8)
flat, circle, votes = (figure.add_subplot(2, 2, place) for place in (1, 3, 4))
bowl = figure.add_subplot(2, 2, 2, projection="3d")
style.points(flat, X, y)
style.plane_panel(flat, X)
flat.set(xlabel="x", ylabel="y")

# %%
# **No line.** One of the disc's points lies within a triangle of the ring's. A line with the
# classes on different sides would have the triangle on one of them, and that point with it.
proof = certify(X, y)
outside = proof.rows[y[proof.rows] < 0]
style.title(flat, "No line", "a point within a triangle: rows that cancel")
style.ring_points(flat, X, y, proof.rows)
flat.fill(*X[outside].T, facecolor="none", edgecolor=BLUE, linewidth=1.4, zorder=2)

# %%
# **Up, and down again.** The points lie on a bowl now. The perceptron finds a plane
# w·x + c z + b = 0, not quite level, that separates them. Where the plane cuts the bowl,
# x² + y² = −(w·x + b)/c: seen from above, the circle around −w/2c.
model = make_pipeline(RadialLift(), Perceptron()).fit(X, y)
LiftDisplay.from_estimator(model, X, y, ax=(bowl, circle))

# %%
# **A kernel, and a vote.** After one pass over the points the last weights (dashed) are what the
# last mistake made of them. All weights on the way vote, each with as many votes as it survived
# points: the tint is their share, the solid line is where it is even. The dotted line belongs to
# the mean of them all.
vote = KernelPerceptron("rbf", gamma=8, output="vote", max_iter=1, tol=None).fit(X, y)
VotedRegionsDisplay.from_estimator(vote, X, y, ax=votes)
votes.set(xlabel="x", ylabel="y")

plt.show()
