"""
The perceptron does not maximise the margin
===========================================

The perceptron stops at the first line without a mistake, which may pass very close to a point.
Rules with a margin continue to move. The largest margin, with a proof, comes from
:func:`rosenblatt.certify`. :func:`rosenblatt.studies.margins` compares them.
Lecture row L3.8.
"""  # noqa: D205, D400

# %%
# The margin perceptron moves while y (w·x + b) ≤ β (R² + 1). “Promised” is the theoretical
# guarantee once it stops: the share β/(1 + 2β) of the largest margin, minus the effect of the
# intercept.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, certify, rules, studies, theory, toys
from rosenblatt.plots import CertificateDisplay, MarginHistogramDisplay, style
from rosenblatt.plots.style import GREEN, INK, PALE, PURPLE

toy = toys.separable(40, 2, margin=0.2, offset=0.2)
study = studies.margins(toy.X, toy.y)
print(study)

# %%
# **The cost.** A larger β gives a larger share of the margin, with more updates.
percent = dict(zip(study.names, 100 * study.ratio, strict=True))
moves = dict(zip(study.names, study.updates, strict=True))
for name in ("perceptron", "margin, β = 1", "margin, β = 100"):
    print(f"{name:16} {percent[name]:5.1f} % of the largest margin, {moves[name]:6,} updates")

# %%
# **The rule by itself.** β is in units of R² + 1, and the largest share is 1/2 as β grows.
greedy = Perceptron(rule=rules.MarginPerceptron(beta=400.0), max_iter=10_000, tol=None)
(w,), (b,) = greedy.fit(toy.X, toy.y).coef_, greedy.intercept_
print(f"MarginPerceptron(beta=400): margin {theory.margin(toy.X, toy.y, w, b):.3f}")

# %%
# Left: the line of the perceptron and the widest band. Right: the share of each rule, with the
# guaranteed share as a tick.
figure = style.figure(11.4, 5.4)
left, right = figure.subplots(1, 2, width_ratios=(1, 1.25))

proof, first = certify(toy.X, toy.y), Perceptron(tol=None).fit(toy.X, toy.y)
CertificateDisplay.from_certificate(proof, toy.X, toy.y, learned=first, ax=left)
evidence = f"of the largest: {study.margin[0]:.3f} of {study.low:.3f}"
style.title(left, f"The perceptron's margin: {percent['perceptron']:.0f} %", evidence)

places = np.arange(len(study.names))
shares = 100 * study.ratio
right.barh(places, shares, height=0.62, color=[GREEN] * (len(places) - 1) + [INK])
right.vlines(
    100 * study.promised / study.high, places - 0.4, places + 0.4, color=PURPLE, linewidth=3
)
for place, share in zip(places, shares, strict=True):
    right.text(102, place, f"{share:.0f}", va="center")
right.set(yticks=places, yticklabels=study.names, xlabel="share of the largest margin, %")
right.set(xlim=(min(0, shares.min()), 112), ylim=(len(places) - 0.4, -0.6))
right.axvline(100, color=PALE, zorder=0)
right.tick_params(axis="y", length=0, labelsize=10)
style.open_frame(right)
style.title(right, "Margin rules get a larger margin", "tick: the theoretical guarantee")
plt.show()

# %%
# **The other points.** The distances of all points from the perceptron's line, and from the
# middle of the widest band, on whose edges several lie at once.
figure = style.figure(11.4, 4.2)
lines = {"The perceptron's line": 0, "The middle of the widest band": -1}
panels = figure.subplots(1, 2, sharex=True, sharey=True)
for panel, (name, j) in zip(panels, lines.items(), strict=True):
    distances = theory.margins(toy.X, toy.y, study.w[j], study.b[j])
    MarginHistogramDisplay.from_margins(distances, ax=panel)
    style.title(panel, name, "how far each point is from it; dashed: the nearest")
plt.show()
