"""
Not every function is a kernel
==============================

Will any k(x, x′) do? No. A kernel must be the inner product of some Φ(x) and Φ(x′), so that its
matrix on any points has no negative eigenvalue. −⟨x, x′⟩ is symmetric and simple, and no kernel:
with it, on points longer than 1, every correction makes the score of its own point worse. Lecture
row L2.12.
"""  # noqa: D205, D400

# %%
# **The test on points.** For a kernel Σ α_i α_j k(x_i, x_j) = ‖Σ α_i Φ(x_i)‖², which is never
# negative; so the eigenvalues of the matrix are not, either. One negative eigenvalue, on whatever
# points, refutes a candidate. (None proves nothing: other points may.)
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import kernels, textbook, toys
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PURPLE

toy = toys.separable(40, 2, margin=0.15, seed=3)
candidates = {
    "⟨x, x′⟩": lambda x, z: x @ z,
    "(⟨x, x′⟩ + 1)²": lambda x, z: (x @ z + 1) ** 2,
    "exp(−‖x − x′‖²)": lambda x, z: np.exp(-((x - z) ** 2).sum()),
    "−⟨x, x′⟩": lambda x, z: -(x @ z),
    "‖x − x′‖²": lambda x, z: ((x - z) ** 2).sum(),
    "tanh(⟨x, x′⟩ − 1)": lambda x, z: np.tanh(x @ z - 1),
}


def matrix(k):
    """Return the values of k on all pairs of points."""
    return np.array([[k(x, z) for z in toy.X] for x in toy.X])


smallest = {}
for name, k in candidates.items():
    values = np.linalg.eigvalsh(matrix(k))
    smallest[name] = values[0] / np.abs(values).max()
    is_refuted = not kernels.is_positive_definite(k, toy.X)
    verdict = "no kernel" if is_refuted else "not refuted"
    print(f"{name:18}  smallest eigenvalue {values[0]:8.3f}  {verdict}")

# %%
# **What goes wrong.** A mistake on x adds y k(x, ·) to the score, and y to b: y f(x) changes by
# k(x, x) + 1. A kernel has k(x, x) = ‖Φ(x)‖² ≥ 0, so the score moves towards the label by 1 or
# more. With −⟨x, x′⟩ it changes by 1 − ‖x‖²: the step of b is right, that of w is wrong, and for a
# point longer than 1 the second is larger. So here, where every point is longer than 1, every
# correction makes its point worse. (On points shorter than 1, b alone would win.)
EPOCHS = 8
X = 8 * toy.X
lengths = np.linalg.norm(X, axis=1)
print(f"the points have lengths from {lengths.min():.1f} to {lengths.max():.1f}")
runs = {
    name: textbook.kernel_perceptron(X, toy.y, candidates[name], max_epochs=EPOCHS)
    for name in ("⟨x, x′⟩", "−⟨x, x′⟩")
}
changes = {
    name: [
        step.label * (step.after - step.before) @ run.X[step.row] for step in run if step.mistake
    ]
    for name, run in runs.items()
}
for name, run in runs.items():
    worse = sum(change < 0 for change in changes[name])
    print(f"{name}: {run.mistakes} mistakes, converged: {run.converged}; {worse} make it worse")

figure = style.figure(14, 4.8)
left, middle, right = figure.subplots(1, 3, width_ratios=(1, 1, 1))
shares = list(smallest.values())
colours = [PURPLE if share < -1e-9 else GREEN for share in shares]
left.barh(range(len(shares)), shares, color=colours, height=0.6)
left.axvline(0, color=INK, linewidth=1.2)
left.set(yticks=range(len(shares)), yticklabels=list(smallest), ylim=(len(shares) - 0.4, -0.6))
left.set(xlabel="smallest eigenvalue, as a share of the largest")
left.tick_params(axis="y", length=0)
style.open_frame(left)
style.title(left, "Three of six are refuted", "purple: a negative eigenvalue on 40 points")

for (name, run), (colour, marker) in zip(runs.items(), style.SERIES, strict=False):
    look = {"color": colour, "label": name}
    dots = {"linestyle": "none", "marker": marker, "markersize": 4, "alpha": 0.7}
    middle.plot(np.arange(1, len(changes[name]) + 1), changes[name], **dots, **look)
    worst = (toy.y * (run.weights @ run.X.T)).min(axis=1)
    right.plot(worst, linewidth=2, **look)
for panel, name in ((middle, "change of y f(x) at its own point"), (right, "the worst y f(x)")):
    panel.axhline(0, color=GREY, linewidth=1)
    panel.margins(y=0.12)
    panel.set(xscale="symlog", yscale="symlog", xlabel="corrections", ylabel=name)
    panel.set_xlim(left=0)
    style.open_frame(panel)
    style.legend(panel, *panel.get_legend_handles_labels())
style.title(middle, "Every correction makes it worse", "with −⟨x, x′⟩: by ‖x‖² − 1, and ‖x‖ > 1")
style.title(right, "So the mistakes go on", "a positive worst y f(x): every point is right")
plt.show()
