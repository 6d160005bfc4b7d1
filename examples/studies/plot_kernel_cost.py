"""
A kernel is cheaper than its features
=====================================

The polynomial kernel of degree p costs one inner product in d dimensions, d multiplications and a
power. Its feature map Φ has a column for each monomial of degree p, and their number grows like
d^p/p!. Measured over the degree and the dimension. Lecture row L2.14.
"""  # noqa: D205, D400

# %%
# **The same numbers.** ⟨Φ(x), Φ(x′)⟩ and ⟨x, x′⟩^p agree; only the work differs. Each time is the
# median of five, for the products of 100 rows with 100 others; Φ is computed first.
from __future__ import annotations

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import PolynomialLift
from rosenblatt.plots import style
from rosenblatt.plots.style import GREEN, GREY, INK, PURPLE

DIMENSIONS = (5, 10, 20, 40)
SIZES = [(d, p) for p in (2, 3, 4) for d in DIMENSIONS if d**p < 200_000]


def seconds(work):
    """Return the median time of five runs, after one that is not counted."""
    work()
    times = []
    for _ in range(5):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return float(np.median(times))


def measure(d, p):
    """Return the number of features, and the times of the kernel and of the features."""
    X, Z = np.random.default_rng(0).standard_normal((2, 100, d))
    lift = PolynomialLift(p).fit(X)
    features = lift.transform(X) @ lift.transform(Z).T
    assert np.allclose(features, (X @ Z.T) ** p)
    by_kernel = seconds(lambda: (X @ Z.T) ** p)
    by_features = seconds(lambda: lift.transform(X) @ lift.transform(Z).T)
    return lift.transform(X[:1]).shape[1], by_kernel, by_features


results = {size: measure(*size) for size in SIZES}
for (d, p), (columns, kernel, features) in results.items():
    print(f"d = {d:2}, degree {p}: {columns:6,} features, {features / kernel:8,.0f} times the time")

# %%
# Left: the features of Φ, against the numbers of x itself. Right: the time through Φ, divided by
# the time of the kernel on the same machine in the same run.
figure = style.figure(11.4, 5.0)
left, right = figure.subplots(1, 2)
for p, colour, marker in ((2, GREEN, "d"), (3, PURPLE, "p"), (4, INK, "X")):
    sizes = [d for d, degree in SIZES if degree == p]
    counts, kernel, features = np.transpose([results[d, p] for d in sizes])
    look = {"color": colour, "marker": marker, "linewidth": 2, "label": f"degree {p}"}
    left.plot(sizes, counts, **look)
    right.plot(sizes, features / kernel, **look)
left.plot([5, 40], [5, 40], color=GREY, linestyle="dashed", label="x itself")
right.axhline(1, color=GREY, linestyle="dashed")
for panel, name in ((left, "numbers"), (right, "time of Φ / time of the kernel")):
    style.log_axis(panel, "x")
    style.log_axis(panel, "y")
    panel.set(xlabel="dimension d", ylabel=name, xticks=DIMENSIONS)
    style.open_frame(panel)
    style.legend(panel, *panel.get_legend_handles_labels())
style.title(left, "Features multiply", "columns of Φ, by dimension")
style.title(right, "The kernel does not compute them", "100 × 100 products, medians of five")
plt.show()
