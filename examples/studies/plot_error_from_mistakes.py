"""
Estimating the error from mistakes
==================================

The perceptron predicts each row before it learns it, so its mistakes are counted on unseen rows,
and one pass over the training set estimates the error on new rows with nothing held out. The
example is handwritten digits, odd against even; a third is held out for comparison. Lecture rows
L2.4, L2.13 and L4.4.
"""  # noqa: D205, D400

# %%
# The share of mistakes M/n estimates the mean error of all the weights of the pass, and its
# interval holds at any time. The vote of these weights has at most twice this error, in
# expectation: 2 E[M]/n (Freund and Schapire, theorem 1). The table is over 20 orders.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from rosenblatt import studies, textbook, theory, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PURPLE

images, digits = load_digits(return_X_y=True)
y = np.where(digits % 2 == 1, 1, -1)
X, X_new, y, y_new = train_test_split(images / 16, y, test_size=1 / 3, random_state=0)
study = studies.error_from_mistakes(X, y, X_new, y_new)
print(study)
print(f"{study.covered:.0%} of the intervals contain the held-out error of their weights")

# %%
# Three results. The count estimates the error of the *intermediate weights*. It is pessimistic
# about the average and the vote, which one would use in the end and which are far better than the
# weights they are computed from. And the bound that uses the slack, the distance of the rows from
# being separated by the mean direction of the runs, may say nothing: here it is above 100 %.

# %%
# **Without a count: the bound.** If ρ, R and b* are known, the theorem bounds the mistakes before
# any row is seen, and so the mean expected error of the w's of a pass over m rows, each weighted by
# the rows that it met: (b*² + 1)(R² + 1)/(ρ² m).
toy = toys.separable(9000, 2, margin=0.2, offset=0.2, seed=0)
R, rho = theory.radius(toy.X), theory.margin(toy.X, toy.y, toy.u, toy.b)
for m in (1000, 4000):
    run = textbook.perceptron(toy.X[:m], toy.y[:m], max_epochs=1)
    wrong = [np.mean(toy.y[4000:] * (toy.X[4000:] @ w[:2] + w[2]) <= 0) for w in run.weights]
    mean = np.bincount(run.used, minlength=len(wrong)) @ wrong / m
    bound = theory.expected_error_bound(m, R, rho, toy.b)
    print(f"{m:5} rows: mean error of the w's {mean:.2%}, at most {bound:.1%} is expected")

# %%
# **With more rows** the counts and the errors decrease together, and their ranking stays the
# same.
sizes = np.array([50, 100, 200, 400, 800, len(y)])
found = [studies.error_from_mistakes(X[:n], y[:n], X_new, y_new) for n in sizes]
for n, one in zip(sizes, found, strict=True):
    print(f"{n:5} rows: M/n {np.median(one.progressive):6.1%}, vote {np.median(one.vote):6.1%}")

# %%
# Left: each dot is one order. Right: the medians.
figure = style.figure(11.5, 4.6)
left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))

lanes = {
    "counted: M/n": study.progressive,
    "a w on the way": study.drawn,
    "the last w": study.last,
    "the average": study.average,
    "the vote": study.vote,
}
rng = np.random.default_rng(0)
for place, errors in enumerate(lanes.values()):
    heights = place + 0.25 * rng.uniform(-1, 1, len(errors))
    colour = GREEN if place else PURPLE
    left.scatter(100 * errors, heights, s=20, color=colour, alpha=0.6, linewidths=0, zorder=3)
left.barh(
    0,
    100 * (np.median(study.high) - np.median(study.low)),
    left=100 * np.median(study.low),
    height=0.75,
    color=PURPLE,
    alpha=0.15,
)
left.plot([200 * study.progressive.mean()] * 2, [3.6, 4.4], color=INK, linewidth=2.5)
left.set(yticks=range(len(lanes)), yticklabels=list(lanes), xlabel="error, %", ylim=(4.6, -0.6))
left.set_xlim(left=0)
left.tick_params(axis="y", length=0, labelsize=10)
style.open_frame(left)
style.title(
    left,
    "The vote is better than the count",
    "shaded: 95 % interval; bar: bound on the vote, 2 E[M]/n",
)

LINES = {
    "2 E[M]/n": ([100 * one.promised for one in found], INK, ":"),
    "M/n": ([100 * np.median(one.progressive) for one in found], PURPLE, "-"),
    "a w on the way": ([100 * np.median(one.drawn) for one in found], GREY, "--"),
    "the vote": ([100 * np.median(one.vote) for one in found], GREEN, "-"),
}
for name, (errors, colour, dashes) in LINES.items():
    right.plot(
        sizes,
        errors,
        color=colour,
        linestyle=dashes,
        linewidth=2,
        marker=".",
        markersize=9,
        label=name,
    )
right.set(xscale="log", xlabel="rows learned from", ylabel="error, %")
right.set(xticks=sizes, xticklabels=[f"{n:,}" for n in sizes], ylim=(0, None))
right.minorticks_off()
right.legend(frameon=False, fontsize=9)
style.open_frame(right)
style.title(right, "Counts and errors decrease together", f"medians of {len(study.vote)} orders")

plt.show()
