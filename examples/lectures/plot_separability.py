"""
Separable, quasi-separable, inseparable
=======================================

Two classes of points in the plane, in three positions. :func:`rosenblatt.certify` decides which,
and its evidence is drawn here: the largest margin and the rows that fix it; the direction that is
wrong about no row, and the rows on its line; rows of the two classes with weights for which both
classes have the same mean, so that no line separates them. Lecture row L2.5.
"""  # noqa: D205, D400

# %%
# **Separable.** Two measurements of two species of iris. The band is the widest without a row
# inside; the ringed rows lie on its edges, and the weights of the proof on them bound the margin
# from above.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from rosenblatt import certify
from rosenblatt.plots import CertificateDisplay, style

figure = style.figure(12.4, 5.2)
left, middle, right = figure.subplots(1, 3)

flowers = load_iris()
two = flowers.target < 2
X, y = flowers.data[two][:, [1, 2]], flowers.target_names[flowers.target[two]]
proof = certify(X, y)
CertificateDisplay.from_certificate(proof, X, y, ax=left)
left.set(xlabel=flowers.feature_names[1], ylabel=flowers.feature_names[2])
low, high = np.floor(proof.margin[0] * 1e6) / 1e6, np.ceil(proof.margin[1] * 1e6) / 1e6
style.title(left, "Separable", f"margin between {low:.6f} and {high:.6f}")

# %%
# **Quasi-separable.** No line has every point strictly on its side, but one has no point on the
# wrong side. Its direction is exact, in whole numbers; the ringed points of both classes lie on
# the line and keep it in place.
rng = np.random.default_rng(4)
X = rng.integers(0, 13, (40, 2))
X = X[np.abs(X @ [1, -2] + 6) > 1]
y = (X @ [1, -2] + 6 > 0).astype(int)
X = np.concatenate([X, [[2, 4], [4, 5], [8, 7], [10, 8]]])  # on the line x₁ − 2 x₂ + 6 = 0
y = np.concatenate([y, [1, 0, 1, 0]])
proof = certify(X, y)
CertificateDisplay.from_certificate(proof, X, y, ax=middle)
shown = str(proof.direction).replace("-", "−")
style.title(middle, "Quasi-separable", f"direction {shown}, wrong about no row")

# %%
# **Inseparable.** With the weights of the proof, the ringed rows of either class have the same
# mean: the segments cross. A line that separates the classes would have that point on both sides.
rng = np.random.default_rng(569)
X = np.rint(np.concatenate([rng.normal((4, 4), 1.8, (9, 2)), rng.normal((8, 7), 1.8, (9, 2))]))
y = np.repeat([0, 1], 9)
CertificateDisplay.from_certificate(certify(X, y), X, y, ax=right)
style.title(right, "Inseparable", "rows that cancel, with their weights")
plt.show()
