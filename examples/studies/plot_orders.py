"""
The same rows in many orders
============================

A hundred points of the notebook's unit square, shown to the perceptron in 200 orders. What it
learns in one pass depends on the order; once a pass is clean, every order has found a separator,
but not the same one, and not after the same number of passes. :func:`rosenblatt.studies.orders`
counts, :class:`rosenblatt.plots.OrdersDisplay` draws: a dot an order, a bar at the median, and two
squares for the rows sorted by label, one class before the other.
"""  # noqa: D205, D400

# %%
# The error is counted on 2,000 other points of the square. Each line of the table has the median
# and, in brackets, the least and the largest of the orders.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import certify, studies, toys
from rosenblatt.plots import OrdersDisplay, style

toy, new = toys.unit_square(100), toys.unit_square(2000, seed=1)
study = studies.orders(toy.X, toy.signs, new.X, new.signs, orders=200)
print(study)

# %%
# **One pass** leaves the order its full say. Sorted by label, few mistakes are made and little is
# learned: after the first rows of a class the answer is always the same, and always right. Counted
# mistakes are no measure of what was learned unless the order is random.
once, by_label = study.once, study.once_by_label
print(f"random:   {np.median(once.mistakes):.0f} mistakes, {np.median(once.error):.1%} wrong after")
print(f"by label: {by_label.mistakes.max()} mistakes at most, {by_label.error.min():.1%} wrong")

# %%
# **Until a pass is clean**, one fixed order may take very long: the same rows undo each other's
# corrections in every pass. Shuffling each time does not help the typical order, it helps the
# unlucky ones.
for name, runs in (("one order", study.fixed), ("shuffled ", study.shuffled)):
    late = int((~runs.converged).sum())
    print(f"{name}: {np.median(runs.epochs):.0f} epochs as a rule, {runs.epochs.max()} at most,")
    print(f"           {late} of {len(runs.epochs)} not clean by then")

# %%
# The bound on the mistakes, the same for all orders, is far away: these points have a small margin.
# And all lines that are found point the same way, nearly.
proof = certify(toy.X, toy.signs)
print(
    f"at most {proof.mistake_bound:,.0f} mistakes in any order; {study.fixed.mistakes.max():,} made"
)
print(f"all within {max(study.fixed.angle.max(), study.shuffled.angle.max()):.1f}° of the mean")

# %%
# One panel a measure.
figure = style.figure(11, 6.6)
for axes, measure in zip(
    figure.subplots(2, 2).flat, ("mistakes", "epochs", "error", "angle"), strict=True
):
    OrdersDisplay.from_study(study, measure, ax=axes)

plt.show()
