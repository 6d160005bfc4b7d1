"""
When a kernel is cheaper than its features
==========================================

“The dot product in feature space can sometimes be computed more cheaply than actually computing the
feature map.” One value of the polynomial kernel costs d multiplications and a power, where Φ has
about d^p/p! columns. But a score takes one value of the kernel for each support row, and w·Φ(x)
only one product: with many support rows and few columns, Φ is cheaper. Lecture row L2.14.
"""  # noqa: D205, D400

# %%
# **Where the kernel is cheaper: products of rows with rows.** ⟨Φ(x), Φ(x′)⟩ and ⟨x, x′⟩^p agree;
# only the work differs. Each time is the median of three, for the products of 100 rows with 100
# others; Φ is computed first.
from __future__ import annotations

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import PolynomialLift, kernels
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PURPLE

DIMENSIONS = (5, 10, 20, 40)
SIZES = [(d, p) for p in (2, 3, 4) for d in DIMENSIONS if d**p < 200_000]


def seconds(work):
    """Return the median time of three runs, after one that is not counted."""
    work()
    times = []
    for _ in range(3):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return float(np.median(times))


def products(X, Z, p):
    """Return the values ⟨x, z⟩^p of the kernel for all pairs of rows."""
    return kernels.Polynomial(degree=p).of(X @ Z.T, np.empty(0), np.empty(0))


def measure(d, p):
    """Return the number of features, and the times of the kernel and of the features."""
    X, Z = np.random.default_rng(0).standard_normal((2, 100, d))
    lift = PolynomialLift(p).fit(X)
    features = lift.transform(X) @ lift.transform(Z).T
    assert np.allclose(features, products(X, Z, p))
    by_kernel = seconds(lambda: products(X, Z, p))
    by_features = seconds(lambda: lift.transform(X) @ lift.transform(Z).T)
    return lift.transform(X[:1]).shape[1], by_kernel, by_features


results = {size: measure(*size) for size in SIZES}
for (d, p), (columns, kernel, features) in results.items():
    print(f"d = {d:2}, degree {p}: {columns:6,} features, {features / kernel:8,.0f} times the time")

# %%
# **Where Φ is cheaper: the scores of many support rows.** A model with m support rows scores a row
# by Σ α_i k(x_i, x), m values of the kernel, or by w·Φ(x) with w = Σ α_i Φ(x_i), computed once
# after learning. In five dimensions with degree 2, Φ has 15 columns, however large m is.
SUPPORT = (10, 100, 1000, 10_000)


def score(m, d=5, p=2):
    """Return the times of the scores of 1,000 rows by m support rows, and by w and Φ."""
    rng = np.random.default_rng(1)
    X, support, alpha = rng.normal(size=(1000, d)), rng.normal(size=(m, d)), rng.choice([-1, 1], m)
    lift = PolynomialLift(p).fit(X)
    w = alpha @ lift.transform(support)
    assert np.allclose(lift.transform(X) @ w, products(X, support, p) @ alpha)
    by_kernel = seconds(lambda: products(X, support, p) @ alpha)
    return by_kernel, seconds(lambda: lift.transform(X) @ w)


scores = {m: score(m) for m in SUPPORT}
for m, (kernel, features) in scores.items():
    faster = ("Φ", kernel / features) if features < kernel else ("the kernel", features / kernel)
    print("{:6,} support rows: {} is {:,.1f} times faster".format(m, *faster))

# %%
# Left: the features of Φ, against the numbers of x itself. Middle: the time through Φ, divided by
# the time of the kernel on the same machine in the same run. Right: the same for scores; below the
# dashed line Φ is cheaper.
figure = style.figure(14, 4.8)
left, right, last = figure.subplots(1, 3)
for p, colour, marker in ((2, GREEN, "d"), (3, PURPLE, "p"), (4, INK, "X")):
    sizes = [d for d, degree in SIZES if degree == p]
    counts, kernel, features = np.transpose([results[d, p] for d in sizes])
    look = {"color": colour, "marker": marker, "linewidth": 2, "label": f"degree {p}"}
    left.plot(sizes, counts, **look)
    right.plot(sizes, features / kernel, **look)
left.plot([5, 40], [5, 40], color=GREY, linestyle="dashed", label="x itself")
right.axhline(1, color=GREY, linestyle="dashed")
ratios = [features / kernel for kernel, features in scores.values()]
last.plot(SUPPORT, ratios, color=GREEN, marker="d", linewidth=2, label="degree 2, d = 5")
last.axhline(1, color=GREY, linestyle="dashed")
ratio = "time of Φ / time of the kernel"
for panel, name in ((left, "numbers"), (right, ratio), (last, ratio)):
    style.log_axis(panel, "x")
    style.log_axis(panel, "y")
    panel.set(ylabel=name)
    if panel is last:
        panel.set(xlabel="m, number of support rows")
    else:
        panel.set(xlabel="dimension d", xticks=DIMENSIONS)
    style.open_frame(panel)
    style.legend(panel, *panel.get_legend_handles_labels())
style.title(left, "Features multiply", "columns of Φ, by dimension")
style.title(right, "The kernel does not compute them", "100 × 100 products, medians of three")
style.title(last, "A score needs m of its values", "scores of 1,000 rows; w·Φ(x) needs one product")
plt.show()
