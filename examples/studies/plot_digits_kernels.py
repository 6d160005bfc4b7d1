"""
Digits: kernels, votes and approximate kernels
==============================================

Freund and Schapire's study of 1999, on a small scale: the test error of the kernel perceptron
during training, for polynomials of degree 1 to 4, with the last weights, their average and their
vote. Then the images with the largest coefficients, and two approximations of a kernel from
scikit-learn, :class:`~sklearn.kernel_approximation.RBFSampler` and
:class:`~sklearn.kernel_approximation.Nystroem`, each followed by a linear perceptron.
"""  # noqa: D205, D400

# %%
# Two thirds of the digits are learned, one third is held out.
from __future__ import annotations

import time
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PURPLE

images, digits = load_digits(return_X_y=True)
X, others, y, names = train_test_split(images / 16, digits, test_size=1 / 3, random_state=0)
figure = style.figure(10, 6.4)
above, below = figure.subfigures(2, 1, height_ratios=(1, 1.1))
panels = above.subplots(1, 4, sharey=True)
album, costs = below.subplots(1, 2, width_ratios=(1.6, 1))


def wrong(model: Any) -> float:
    """Return the error on the held-out digits, in percent."""
    return 100 * (1 - model.score(others, names))


# %%
# **Degrees and outputs.** (⟨x, x'⟩/16 + 1)^d, from a tenth of an epoch to ten epochs.
LOOKS = {"last": (GREY, ":"), "average": (GREEN, "-"), "vote": (PURPLE, "--")}
EPOCHS = np.array([0.1, 0.2, 0.5, 1, 2, 5, 10])
rng = np.random.default_rng(0)
order = np.concatenate([rng.permutation(len(y)) for _ in range(10)])
pieces = np.split(order, np.rint(EPOCHS * len(y)).astype(int)[:-1])
for degree, axes in enumerate(panels, start=1):
    for output, (colour, dashes) in LOOKS.items():
        model = KernelPerceptron("poly", degree=degree, gamma=1 / 16, coef0=1, output=output)
        errors = []
        for piece in pieces:
            model.partial_fit(X[piece], y[piece], classes=range(10))
            errors.append(wrong(model))
        axes.plot(EPOCHS, errors, color=colour, linestyle=dashes, linewidth=1.6, label=output)
    axes.set(xscale="log", yscale="log", ylim=(1.5, 100), xlabel="epochs")
    axes.set(xticks=[0.1, 1, 10], xticklabels=["0.1", "1", "10"])
    axes.set(yticks=[2, 5, 10, 20, 50], yticklabels=[2, 5, 10, 20, 50])
    axes.minorticks_off()
    style.open_frame(axes)
    style.title(axes, f"Degree {degree}", f"{len(model.support_)} support images")
panels[0].set_ylabel("new digits wrong, %")
panels[0].legend(frameon=False, fontsize=9)

# %%
# **Images with the largest coefficients.** A coefficient counts the mistakes on its image. For
# each digit: above, the two of its images that were misclassified most often; below, the two
# images of other digits that were most often taken for it.
model = KernelPerceptron("poly", degree=2, gamma=1 / 16, coef0=1).fit(X, y)
page = np.full((47, 98), np.nan)
for digit, coefficients in enumerate(model.dual_coef_):
    order = coefficients.argsort()
    left, middle = 10 * digit, 10 * digit + 3.5
    for top, dearest in zip((0, 12, 27, 39), (*order[:-3:-1], *order[:2]), strict=True):
        page[top : top + 8, left : left + 8] = model.support_vectors_[dearest].reshape(8, 8)
        count = f"{coefficients[dearest]:+.0f}".replace("-", "−")
        album.text(middle, top + 9.5, count, fontsize=7.5, ha="center", va="center")
    album.text(middle, -1.5, digit, fontsize=10, fontweight="bold", ha="center")
album.imshow(page, cmap="gray_r")
album.set_ylim(49, -5)
style.without_axes(album)
album.set_anchor("NW")
style.title(album, "The largest coefficients", "above: often missed; below: often taken for it")

# %%
# **Approximate kernels.** An rbf kernel, and approximations of it with 50 to 800 columns. The
# time of training and prediction differs between machines, so it is printed, not drawn. (One
# held-out digit is 0.17 %: small differences are chance.)
GAMMA = 0.1
rows = [("kernel", KernelPerceptron("rbf", gamma=GAMMA, output="average"))]
for name, lift in (("Nyström", Nystroem), ("Fourier", RBFSampler)):
    for columns in (50, 100, 200, 400, 800):
        made = lift(gamma=GAMMA, n_components=columns, random_state=0)
        rows.append((name, make_pipeline(made, Perceptron(output="average"))))
found: dict[str, list[tuple[int, float]]] = {}
for name, model in rows:
    start = time.perf_counter()
    error = wrong(model.fit(X, y))
    spent = time.perf_counter() - start
    size = len(model.support_) if name == "kernel" else model[0].n_components
    found.setdefault(name, []).append((size, error))
    print(f"{name:8} {size:4} {error:5.1f} % wrong {spent:6.2f} s")
for name, colour, marker in (("Fourier", GREEN, "d"), ("Nyström", PURPLE, "p")):
    costs.plot(*np.transpose(found[name]), color=colour, marker=marker, linewidth=1.6, label=name)
costs.scatter(*found["kernel"][0], s=70, marker="X", color=INK, zorder=3, label="kernel")
costs.set(xscale="log", yscale="log", ylim=(1, 14))
costs.set(xlabel="columns, or support images", ylabel="new digits wrong, %")
costs.set(xticks=[50, 100, 200, 400, 800], xticklabels=[50, 100, 200, 400, 800])
costs.set(yticks=[1, 2, 5, 10], yticklabels=[1, 2, 5, 10])
costs.minorticks_off()
costs.legend(frameon=False, fontsize=9)
style.open_frame(costs)
style.title(costs, "Approximations come close", "rbf kernel, averaged weights")

plt.show()
