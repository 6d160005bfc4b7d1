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

import numpy as np
import style
from style import BLUE, GREY, INK, TINTS

from rosenblatt import KernelPerceptron, Perceptron, RadialLift, certify, toys

toy = toys.rings(80, inner=0.6, outer=0.75, width=0.35)
X, y = toy.X, toy.y
figure = style.figure(7.2, 7.6)
flat, circle, votes = (figure.add_subplot(2, 2, place) for place in (1, 3, 4))
bowl = figure.add_subplot(2, 2, 2, projection="3d")
for axes in (flat, circle, votes):
    style.points(axes, X, y)
    style.plane(axes, X)
    axes.set(xlabel="x", ylabel="y")

# %%
# **No line.** One of the disc's points lies within a triangle of the ring's. A line with the
# classes on different sides would have the triangle on one of them, and that point with it.
proof = certify(X, y)
outside = proof.rows[y[proof.rows] < 0]
style.title(flat, "No line", "a point within a triangle: rows that cancel")
style.ring(flat, X, y, proof.rows)
flat.fill(*X[outside].T, facecolor="none", edgecolor=BLUE, linewidth=1.4, zorder=2)

# %%
# **Up.** The points lie on a bowl now. The perceptron finds a plane w·x + c z + b = 0, not quite
# level, that separates them.
Z = RadialLift().fit_transform(X)
model = Perceptron().fit(Z, y)
w, c, b = model.coef_[0, :2], model.coef_[0, 2], model.intercept_[0]
style.title(bowl, "Lifted: a plane", f"{model.mistakes_} mistakes, then none")
middle, radius = -w / (2 * c), np.sqrt(w @ w / (4 * c * c) - b / c)
turn = np.linspace(0, 2 * np.pi, 200)
cut = middle + radius * np.column_stack([np.cos(turn), np.sin(turn)])
corners = np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]]) * np.abs(X).max()
height = -(corners @ w + b) / c
bowl.plot_trisurf(*corners.T, height, color=GREY, alpha=0.25, linewidth=0, shade=False)
bowl.plot(*cut.T, (cut**2).sum(axis=1), color=INK, linewidth=1.4)
style.points(bowl, Z, y)
bowl.view_init(elev=14, azim=-62)
bowl.set_box_aspect((1, 1, 0.9), zoom=1.15)
bowl.set(xticks=[], yticks=[], zticks=[])
bowl.set_xlabel("x", labelpad=-12)
bowl.set_ylabel("y", labelpad=-12)
bowl.set_zlabel("x² + y²", labelpad=-12)

# %%
# **Down again.** Where the plane cuts the bowl x² + y² = −(w·x + b)/c: the circle around −w/2c.
style.title(circle, "Seen from above: a circle", f"radius {radius:.2f}, off centre")
circle.plot(*cut.T, color=INK, linewidth=1.4)
style.regions(circle, lambda grid: model.decision_function(RadialLift().fit_transform(grid)))

# %%
# **A kernel, and a vote.** After one pass over the points the last weights (dashed) are what the
# last mistake made of them. All weights on the way vote, each with as many votes as it survived
# points; the tint is their share, and the line is where it is even.
last, vote = (
    KernelPerceptron("rbf", gamma=8, output=output, max_iter=1, tol=None).fit(X, y)
    for output in ("last", "vote")
)
wrong = [int((model.predict(X) != y).sum()) for model in (last, vote)]
style.title(
    votes, "A kernel: let the past vote", "{} wrong at last (dashed), {} by vote".format(*wrong)
)
across, up, share = style.scores(votes, vote.decision_function)
extent = (*votes.get_xlim(), *votes.get_ylim())
votes.imshow(share, cmap=TINTS, vmin=-1, vmax=1, alpha=0.5, extent=extent, origin="lower")
votes.contour(across, up, share, [0], colors=INK, linewidths=1.4, zorder=1)
dashed = style.scores(votes, last.decision_function)
votes.contour(*dashed, [0], colors=INK, linewidths=1.2, linestyles="dashed", zorder=1)

# %%
# The picture, in the folder where this was started.
style.save(figure, "rings")
