"""
The voted perceptron
====================

The last w depends strongly on the last mistake. An intermediate w that survived many steps has been
right on all of them. The voted perceptron keeps all w and lets each vote, weighted by the steps it
survived; the average of all w is cheaper. On overlapping classes both are steadier than the last w.
Lecture row L3.7.
"""  # noqa: D205, D400

# %%
# **The committee.** Three passes over points of two overlapping classes, with the constant 1
# appended.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import AveragedPerceptron, VotedPerceptron, textbook
from rosenblatt.plots import VotedRegionsDisplay, style
from rosenblatt.plots.style import GREEN, INK, PURPLE


def draw(n, rng):
    """Return points of two overlapping clouds, half of each class, in random order."""
    y = rng.permutation(np.repeat([-1, 1], n // 2))
    return rng.normal(size=(n, 2)) * (1.0, 0.8) + y[:, np.newaxis] * (0.75, 0.6), y


rng = np.random.default_rng(2)
X, y = draw(100, rng)
votes = textbook.voted_perceptron(textbook.append_one(X), y, epochs=3)
run, c = votes.run, votes.survived
print(f"{len(c)} weight vectors in {len(run)} steps; the longest survived {c.max()}")

# %%
# Left: the number of steps that each w survived, which is its number of votes. Right: their
# lines, darker with more votes; the last is dashed.
figure = style.figure(10, 4.4)
left, right = figure.subplots(1, 2)
left.vlines(np.arange(len(c)), 0, c, color=GREEN, linewidth=2)
left.vlines(len(c) - 1, 0, c[-1], color=PURPLE, linewidth=4)
left.set(xlabel="k, the number of the w", ylabel="votes: steps survived")
left.set_ylim(bottom=0)
left.yaxis.get_major_locator().set_params(integer=True)
style.open_frame(left)
finding = f"Longest {c.max()} steps, last {c[-1]}"
style.title(left, finding, f"{len(c)} weight vectors in {len(run)} steps; purple: the last")
style.points(right, X, y)
style.plane_panel(right, X)
for w, count in zip(run.weights[1:-1], c[1:-1], strict=True):
    style.line(right, w[:2], w[2], color=INK, linewidth=1.5, alpha=count / c.max())
w = run.weights[-1]
style.line(right, w[:2], w[2], color=PURPLE, linewidth=2.2, linestyle="dashed")
style.title(right, "Their lines", "darker: more votes; dashed: the last")
plt.show()

# %%
# **The vote, the average and the last.** Left: in the plane; the tint is the share of the votes.
# Right: the same three on new points, for a hundred draws of the training points. The last w is
# sometimes as good, and sometimes far worse; the vote and the average rarely are.
X_new, y_new = draw(2000, rng)
Z = textbook.append_one(X_new)
errors = []
for _ in range(100):
    drawn, labels = draw(100, rng)
    found = textbook.voted_perceptron(textbook.append_one(drawn), labels, epochs=3)
    said = np.sign(Z @ found.run.weights[-1]), found.average(Z), found.vote(Z)
    errors.append([100 * np.mean(answer != y_new) for answer in said])
errors = np.array(errors)
for name, wrong in zip(("last", "average", "vote"), errors.T, strict=True):
    print(
        f"{name:>7}: median {np.median(wrong):.1f} %, worst {wrong.max():.1f} % wrong on new points"
    )

for learner in (VotedPerceptron(max_iter=3, tol=None), AveragedPerceptron(max_iter=3, tol=None)):
    wrong = np.mean(learner.fit(X, y).predict(X_new) != y_new)
    print(f"compiled, on the points above: {type(learner).__name__} {wrong:.1%} wrong")

figure = style.figure(10.4, 4.9)
left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
VotedRegionsDisplay.from_votes(votes, ax=left)
for lane, wrong in enumerate(errors.T):
    heights = lane + rng.uniform(-0.25, 0.25, len(wrong))
    right.scatter(wrong, heights, s=18, color=GREEN, alpha=0.5, linewidths=0)
    right.plot(2 * [np.median(wrong)], [lane - 0.36, lane + 0.36], color=INK, linewidth=2.6)
right.set(yticks=range(3), yticklabels=["last", "average", "vote"], xlabel="wrong on new points, %")
right.tick_params(axis="y", length=0, labelsize=11)
style.open_frame(right)
right.spines["left"].set_visible(False)
style.title(right, "The last w varies most", "dot: one draw of 100 points; bar: median")
plt.show()
