"""
Rings: a lift, a circle, and a vote
===================================

No line separates a disc from the ring around it. Lift every point by its squared distance from the
centre, (x, y) ↦ (x, y, x² + y²), and a plane separates them; the plane cuts the paraboloid in a
circle, seen from above. A kernel provides a lift of its own; there the intermediate models can
vote. Lecture row L0.6.
"""  # noqa: D205, D400

# %%
# Shared by all four panels.
from __future__ import annotations

import matplotlib.pyplot as plt
from sklearn.pipeline import make_pipeline

from rosenblatt import KernelPerceptron, Perceptron, RadialLift, certify, textbook, toys
from rosenblatt.plots import CertificateDisplay, LiftDisplay, VotedRegionsDisplay, style

toy = toys.rings(80, inner=0.6, outer=0.75, width=0.35)
X, y = toy.X, toy.y
figure = style.figure(9.0, 9.8)
flat, circle, votes = (figure.add_subplot(2, 2, place) for place in (1, 3, 4))
bowl = figure.add_subplot(2, 2, 2, projection="3d")

# %%
# **No line.** One point of the disc lies within a triangle of ring points. A line with the ring
# on one side has the triangle, and hence that point, on the same side.
CertificateDisplay.from_certificate(certify(X, y), X, y, ax=flat)
flat.set(xlabel="x", ylabel="y")

# %%
# **Lift and projection.** The lifted points lie on a paraboloid. The perceptron finds a
# separating plane w·x + c z + b = 0, not quite level. Where the plane cuts the paraboloid, x² +
# y² = −(w·x + b)/c: seen from above, a circle around −w/2c.
print(f"in the plane {certify(X, y).status}, lifted {certify(textbook.radial_lift(X), y).status}")
model = make_pipeline(RadialLift(), Perceptron()).fit(X, y)
LiftDisplay.from_estimator(model, X, y, ax=(bowl, circle))

# %%
# **A kernel, and a vote.** After one pass over the points the last weights (dashed) depend
# strongly on the last mistake. All intermediate weights vote, each with as many votes as points
# it survived: the tint is their share, and the solid line is where it is one half. The dotted
# line belongs to their mean.
vote = KernelPerceptron("rbf", gamma=8, output="vote", max_iter=1, tol=None).fit(X, y)
VotedRegionsDisplay.from_estimator(vote, X, y, ax=votes)
votes.set(xlabel="x", ylabel="y")

plt.show()
