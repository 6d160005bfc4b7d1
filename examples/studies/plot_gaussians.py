"""
The perceptron's line and the class densities
=============================================

The notebook asks how the perceptron's line relates to p(x|c). Here both densities are known
Gaussians. With equal covariances the smallest possible error (Bayes) is that of a line, and the
error of any line has a formula, so nothing is estimated. With different covariances the Bayes
boundary is a quadric. Lecture row L4.4.
"""  # noqa: D205, D400

# %%
# **Equal covariances**, correlation 0.6, the means two standard deviations apart (Mahalanobis).
# Only small samples are separable, by chance, so only there the perceptron stops; on the others
# it runs for fifty passes. Its last weights then stay well above the Bayes error, however many
# rows there are. Its average and the pocket come close, like logistic regression, which is
# designed for these densities.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, studies
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PURPLE

study = studies.gaussians(separation=2.0)
print(study)

# %%
# **Larger separation:** the error falls as Φ(−Δ/2), and more samples are separable. That the
# perceptron stops on them is a property of the sample, not of the densities, which always
# overlap.
for separation in (1.0, 2.0, 4.0, 6.0):
    one = studies.gaussians(separation, sizes=(100,))
    last, average = 100 * np.median(one.error[:2, 0], axis=1)
    print(
        f"Δ = {separation:.0f}: Bayes {100 * one.bayes:6.3f} %, last {last:6.3f} %, "
        f"average {average:6.3f} %, stopped on {one.stopped.mean():.0%} of the samples"
    )

# %%
# **Different covariances**, a narrow class inside a wide one. No line is good. In the space of
# the monomials of degree 2, explicit or by a kernel, a plane nearly reaches the Bayes error.
curved = studies.unequal_gaussians()
print(curved)

# %%
# Left: 300 rows and three lines. Middle: the error with more rows. Right: the quadrics.
figure = style.figure(13.5, 4.8)
left, middle, right = figure.subplots(1, 3)

X, y = study.pair.draw(300, np.random.default_rng(0))
style.points(left, X, y, size=12)
style.plane_panel(left, X)
lines = {"Bayes": study.pair.line}
for name, output in (("last w", "last"), ("average", "average")):
    model = Perceptron(output=output, tol=None, max_iter=50).fit(X, y)
    lines[name] = model.coef_[0], float(model.intercept_[0])
strokes = [
    {"color": INK, "linewidth": 2.2, "linestyle": dashes}
    for dashes in ("solid", "dashed", "dotted")
]
for plane, stroke in zip(lines.values(), strokes, strict=True):
    style.line(left, *plane, **stroke)
handles = [left.plot([], [], **stroke)[0] for stroke in strokes]
style.legend(left, handles, list(lines))
left.get_legend().set_bbox_to_anchor((0.5, 0))
found = [f"{name} {100 * study.pair.error(w, b):.1f}" for name, (w, b) in lines.items()]
style.title(left, "The average comes near the Bayes line", "error, %: " + ", ".join(found))

LOOKS = {
    "perceptron": (PURPLE, "--", "p"),
    "pocket": (GREY, ":", "v"),
    "averaged": (GREEN, "-.", "d"),
    "logistic": (INK, "-", "X"),
}
medians = dict(zip(study.names, 100 * np.median(study.error, axis=2), strict=True))
for name, (colour, dashes, marker) in LOOKS.items():
    look = {"color": colour, "linestyle": dashes, "marker": marker, "markersize": 5}
    middle.plot(study.sizes, medians[name], linewidth=2, label=name, **look)
middle.axhline(100 * study.bayes, color=GREY, linewidth=1)
middle.set(xscale="log", xlabel="rows learned from", ylabel="error, %")
middle.set(xticks=study.sizes, xticklabels=[f"{n:,}" for n in study.sizes])
middle.minorticks_off()
middle.legend(frameon=False, fontsize=9)
style.open_frame(middle)
style.title(
    middle, "More rows do not help the last w", f"thin line: Bayes, {100 * study.bayes:.1f} %"
)

right.set(xlim=(-2.5, 2.5), ylim=(-2.5, 2.5))
style.points(right, curved.X[:300], curved.y[:300], size=12)
style.without_axes(right)
line, _, kernel = curved.models
scores = curved.pair.score, line.decision_function, kernel.decision_function
for score, stroke in zip(scores, strokes, strict=True):
    style.boundary(right, style.score_grid(right, score), **stroke)
names = "Bayes", "line", "kernel"
style.legend(right, handles, names)
right.get_legend().set_bbox_to_anchor((0.5, 0))
found = [curved.bayes, curved.error[0], curved.error[2]]
evidence = ", ".join(f"{name} {100 * error:.1f}" for name, error in zip(names, found, strict=True))
style.title(right, "Two covariances: a quadric", f"error, %: {evidence}")

plt.show()
