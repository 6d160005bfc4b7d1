"""
Features and kernels
====================

An ellipse is a plane in the space of Φ(x) = (x₁², √2 x₁x₂, x₂²). Because ⟨Φ(x), Φ(x′)⟩ = ⟨x, x′⟩²,
the perceptron need not compute Φ: it can store w as a sum of examples and evaluate only ⟨x, x′⟩².
Both versions make the same mistakes at the same steps, in the textbook and compiled. Lecture rows
L2.8, L2.9 and L2.10.
"""  # noqa: D205, D400

# %%
# **The identity** holds for the lecture's Φ and for any degree and dimension. With integers, and
# a column for each ordering of the factors instead of roots such as √2, it is exact.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import KernelPerceptron, Perceptron, PolynomialLift, kernels, textbook
from rosenblatt.plots import style
from rosenblatt.plots.style import GREY, PURPLE

rng = np.random.default_rng(0)
for d in (2, 3, 6):
    for degree in (2, 3, 4):
        X = rng.integers(-5, 6, (10, d)).astype(float)
        Z = PolynomialLift(degree, repeated=True).fit_transform(X)
        exact = np.array_equal(Z @ Z.T, (X @ X.T) ** degree)
        print(f"dimension {d}, degree {degree}: {Z.shape[1]:4} features, exact: {exact}")

X = rng.integers(-5, 6, (10, 2)).astype(float)
phi, values = textbook.quadratic_features(X), kernels.Polynomial(degree=2).of(X @ X.T, X, X)
print(
    "(x₁², √2 x₁x₂, x₂²) has the kernel's products, but for rounding:",
    np.allclose(phi @ phi.T, values),
)

# %%
# **Four learners, one run.** Points labelled by an ellipse; their coordinates are quarters, so
# that all products are exact. The textbook's perceptron on features and its kernel perceptron,
# then the compiled versions, all in the same order.
X = np.array([(i, j) for i in range(-7, 8) for j in range(-7, 8)]) / 4
form = 2 * X[:, 0] ** 2 - 2 * X[:, 0] * X[:, 1] + 3 * X[:, 1] ** 2
inside, outside = (rng.permutation(np.flatnonzero(side))[:40] for side in (form < 2.4, form > 4))
order = rng.permutation([*inside, *outside])
X, y = X[order], np.where(form[order] < 3, 1, -1)

Z = PolynomialLift(2, repeated=True).fit_transform(X)
on_features = textbook.perceptron(Z, y)
by_kernel = textbook.kernel_perceptron(X, y, lambda x, z: (x @ z) ** 2)
how = {"tie": -1, "shuffle": False, "max_iter": on_features.epochs, "tol": None}
linear = Perceptron(expansion=True, **how).fit(Z, y)
kernel = KernelPerceptron("poly", degree=2, gamma=1, output="vote", **how).fit(X, y)
mistakes = {
    "textbook, features": np.flatnonzero(on_features.mistake),
    "textbook, kernel": np.flatnonzero(by_kernel.mistake),
    "compiled, features": linear.moves_["t"],
    "compiled, kernel": kernel.moves_["t"],
}
for name, steps in mistakes.items():
    print(f"{name}: {len(steps)} mistakes, first at steps {steps[:8]}")

figure = style.figure(10, 3)
panel = figure.add_subplot()
for lane, steps in enumerate(mistakes.values()):
    panel.eventplot(steps, lineoffsets=lane, linelengths=0.7, color=PURPLE, linewidths=1.2)
for end in range(len(X), on_features.epochs * len(X), len(X)):
    panel.axvline(end, color=GREY, linewidth=0.8, linestyle="dotted")
panel.set(
    yticks=range(4), yticklabels=mistakes, ylim=(3.6, -0.6), xlabel="step; dotted: a new epoch"
)
panel.set_xlim(-5, on_features.epochs * len(X))
panel.tick_params(axis="y", length=0, labelsize=10)
style.open_frame(panel)
panel.spines["left"].set_visible(False)
same = all(np.array_equal(mistakes["textbook, features"], steps) for steps in mistakes.values())
finding = "The same mistakes at the same steps" if same else "The runs differ"
style.title(panel, finding, f"each bar is a mistake, {len(steps)} in each run")
plt.show()

# %%
# **A plane in feature space, a conic in the plane.** Left: the space of Φ, with the plane w·Φ(x)
# + b = 0. Right: the same set in the plane of x. The support rows are ringed.
lift = PolynomialLift(2).fit(X)
points = lift.transform(X)
w, b = kernel.dual_coef_[0] @ lift.transform(kernel.support_vectors_), kernel.intercept_[0]
print(f"{w[0]:.1f} x₁² {w[1] * np.sqrt(2):+.1f} x₁x₂ {w[2]:+.1f} x₂² {b:+.0f} = 0")

figure = style.figure(10, 4.9)
space = figure.add_subplot(1, 2, 1, projection="3d")
flat = figure.add_subplot(1, 2, 2)
style.points(space, points, y)
ends = np.stack([points.min(axis=0), points.max(axis=0)])
across, along = np.meshgrid(*np.linspace(*ends[:, :2], 100).T)
height = -(b + w[0] * across + w[1] * along) / w[2]
inside = (height > 0) & (height < ends[1, 2])
look = {"color": GREY, "alpha": 0.3, "linewidth": 0, "shade": False}
space.plot_trisurf(across[inside], along[inside], height[inside], **look)
space.set(xticks=[], yticks=[], zticks=[], zlim=ends[:, 2])
for axis, name in zip("xyz", ("x₁²", "√2 x₁x₂", "x₂²"), strict=True):
    getattr(space, f"set_{axis}label")(name, labelpad=-8, fontsize=11)
space.view_init(elev=12, azim=-75)
space.set_box_aspect((1, 1, 0.9), zoom=1.15)
style.title(space, "In feature space: a plane", "Φ(x) = (x₁², √2 x₁x₂, x₂²)")

style.points(flat, X, y)
style.plane_panel(flat, X)
style.regions(flat, lambda x: lift.transform(x) @ w + b)
style.ring_points(flat, X, y, kernel.support_)
evidence = f"k(x, x′) = ⟨x, x′⟩²; ringed: {len(kernel.support_)} support rows"
style.title(flat, "In the plane: an ellipse", evidence)
plt.show()
