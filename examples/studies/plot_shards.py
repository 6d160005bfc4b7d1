"""
Shards: average once, or after every epoch
==========================================

Four points in two shards. Each shard is easily separated, and so are all four points together. But
no average of the two separate solutions separates them: the counterexample of McDonald, Hall and
Mann (2010). Averaged after every epoch, the same perceptron needs three epochs. On a cluster this
is :class:`rosenblatt.dask.DaskPerceptron`.
"""  # noqa: D205, D400

# %%
# The points, with a label of −1 or +1. A score of zero counts as +1, and there is no intercept.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, theory
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PURPLE

X = np.array([[1.0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0]])
y = np.array([-1, 1, -1, 1])
first, second = slice(0, 2), slice(2, 4)
SETTING = {"tie": 1, "fit_intercept": False, "shuffle": False, "tol": None}


def margins(w: np.ndarray) -> np.ndarray:
    """Return y·score of the four points."""
    return y * (X @ w)


# %%
# **Once.** Each shard learns alone until it is separated; then the two weight vectors are averaged,
# with any shares μ and 1 − μ.
lone = [Perceptron(**SETTING).fit(X[part], y[part]) for part in (first, second)]
print("weights of the shards:", *(model.coef_[0] for model in lone))
shares = np.linspace(0, 1, 101)
once = np.array([margins(mu * lone[0].coef_[0] + (1 - mu) * lone[1].coef_[0]) for mu in shares])
wrong = [int(np.sum(np.where(y > 0, row < 0, row <= 0))) for row in once]
print("points on the wrong side, for any share: at least", min(wrong))

# %%
# **After every epoch**, both shards go on from the average.
mixed = [Perceptron(shards=2, max_iter=epochs, **SETTING).fit(X, y) for epochs in (1, 2, 3)]
rounds = np.array([margins(np.zeros(3)), *(margins(model.coef_[0]) for model in mixed)])
print("converged:", mixed[-1].converged_, "with", mixed[-1].coef_[0])

# %%
# The theorem: S shards of equal share make at most S (R/γ)² mistakes together.
separator = np.array([2.0, -4.0, 2.0])
bound = theory.shards_bound(theory.radius(X), theory.margin(X, y, separator), shards=2)
print(f"mistakes {mixed[-1].mistakes_}, bound {theory.most_mistakes(bound)}")

# %%
# On the left, a dashed line is below zero for every share: that point is on the wrong side, and for
# 0 < μ < 1 both are. On the right all four points end at zero or above, two and two alike: with the
# score zero counted as +1, the weights (0, −1, 0) separate them.
figure = style.figure(10, 3.6)
left, right = figure.subplots(1, 2)
LABELS = ("(1, 1, 0) −", "(0, 0, 1) +", "(0, 1, 1) −", "(1, 0, 0) +")
LOOKS = ((PURPLE, "-"), (PURPLE, "--"), (GREEN, "-"), (GREEN, "--"))
for k, (name, (colour, dashes)) in enumerate(zip(LABELS, LOOKS, strict=True)):
    left.plot(shares, once[:, k], color=colour, linestyle=dashes, label=name)
    right.plot(range(4), rounds[:, k], color=colour, linestyle=dashes, marker="o", markersize=4)
for axes in (left, right):
    axes.axhspan(-1.3, 0, color=GREY, alpha=0.12, linewidth=0)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set(ylim=(-1.3, 2.3), ylabel="y · score")
left.set(title="averaged once", xlabel="share μ of the first shard")
right.set(title="averaged after every epoch", xlabel="epochs", xticks=range(4))
right.legend(
    *left.get_legend_handles_labels(), title="point, label", loc="upper right", fontsize="small"
)
plt.show()
