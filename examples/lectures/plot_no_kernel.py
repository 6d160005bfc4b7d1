"""
Not every function is a kernel
==============================

Will any k(x, x′) do? No. A kernel must be the inner product of some Φ(x) and Φ(x′), so that its
matrix on any points has no negative eigenvalue. −⟨x, x′⟩ is symmetric and simple, and no kernel:
with it a correction makes the corrected point worse, and the perceptron never ends. Lecture row
L2.12.
"""  # noqa: D205, D400

# %%
# **The test on points.** For a kernel Σ α_i α_j k(x_i, x_j) = ‖Σ α_i Φ(x_i)‖², which is never
# negative; so the eigenvalues of the matrix are not, either. One negative eigenvalue, on whatever
# points, refutes a candidate. (None proves nothing: other points may.)
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import textbook, toys
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
    verdict = "no kernel" if smallest[name] < -1e-9 else "not refuted"
    print(f"{name:18}  smallest eigenvalue {values[0]:8.3f}  {verdict}")

# %%
# **What goes wrong.** A mistake on x adds y k(x, ·) to the score, which changes the score of x
# itself by y k(x, x). For a kernel k(x, x) = ‖Φ(x)‖² ≥ 0: the score moves towards the label. With
# −⟨x, x′⟩ it moves away from it, by ‖x‖² each time: the same points are wrong again, and more so.
EPOCHS = 8
runs = {
    name: textbook.kernel_perceptron(toy.X, toy.y, candidates[name], max_epochs=EPOCHS)
    for name in ("⟨x, x′⟩", "−⟨x, x′⟩")
}
for name, run in runs.items():
    print(f"{name}: {run.mistakes} mistakes, converged: {run.converged}")

figure = style.figure(12, 5.0)
left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
shares = list(smallest.values())
colours = [PURPLE if share < -1e-9 else GREEN for share in shares]
left.barh(range(len(shares)), shares, color=colours, height=0.6)
left.axvline(0, color=INK, linewidth=1.2)
left.set(yticks=range(len(shares)), yticklabels=list(smallest), ylim=(len(shares) - 0.4, -0.6))
left.set(xlabel="smallest eigenvalue, as a share of the largest")
left.tick_params(axis="y", length=0)
style.open_frame(left)
style.title(left, "Three of six are refuted", "purple: a negative eigenvalue on 40 points")

for (name, run), colour in zip(runs.items(), (GREEN, PURPLE), strict=True):
    scores = run.weights @ run.X.T
    worst = (toy.y * scores).min(axis=1)
    right.plot(worst, color=colour, linewidth=2, label=name)
right.axhline(0, color=GREY, linewidth=1)
right.set(xscale="symlog", yscale="symlog", xlabel="corrections", ylabel="the worst y f(x)")
right.set_xlim(left=0)
style.open_frame(right)
style.legend(right, *right.get_legend_handles_labels())
style.title(
    right, "Corrections that make it worse", "a positive worst y f(x): every point is right"
)
plt.show()
