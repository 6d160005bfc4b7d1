"""
The same rows in many orders
============================

A hundred points of the notebook's unit square, presented to the perceptron in 200 orders. The
result of one pass depends strongly on the order. After a pass without a mistake every order has
found a separator, but not the same one, and not after the same number of passes.
:func:`rosenblatt.studies.orders` counts, and :class:`rosenblatt.plots.OrdersDisplay` draws: a dot
per order, a bar at the median, and two crosses for the rows sorted by label, one class before the
other. Lecture row L3.6.
"""  # noqa: D205, D400

# %%
# The error is measured on 2,000 other points of the square. Each line of the table has the median
# and, in brackets, the smallest and the largest value of all orders.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import certify, studies, toys
from rosenblatt.plots import OrdersDisplay, style
from rosenblatt.theory import most_mistakes

toy, new = toys.unit_square(100), toys.unit_square(2000, seed=1)
study = studies.orders(toy.X, toy.signs, new.X, new.signs, orders=200)
print(study)

# %%
# **One pass** depends strongly on the order. Sorted by label, there are few mistakes and little
# is learned: after the first rows of a class the prediction is always the same, and always right.
# The number of mistakes measures learning only if the order is random.
once, by_label = study.once, study.once_by_label
print(f"random:   {np.median(once.mistakes):.0f} mistakes, {np.median(once.error):.1%} wrong after")
print(f"by label: {by_label.mistakes.max()} mistakes at most, {by_label.error.min():.1%} wrong")

# %%
# **Until a pass without a mistake**, one fixed order may take very long: the same rows undo each
# other's corrections in every pass. Shuffling before each pass does not help the typical order,
# but it helps the worst ones.
for name, runs in (("one order", study.fixed), ("shuffled ", study.shuffled)):
    late = int((~runs.converged).sum())
    print(f"{name}: {np.median(runs.epochs):.0f} epochs (median), {runs.epochs.max()} at most,")
    print(f"           {late} of {len(runs.epochs)} not converged by then")

# %%
# The bound on the mistakes, the same for all orders, is far away, because these points have a
# small margin. All separators have nearly the same direction.
proof = certify(toy.X, toy.signs)
most = most_mistakes(proof.mistake_bound)
print(f"at most {most:,} mistakes in any order; {study.fixed.mistakes.max():,} made")
print(f"all within {max(study.fixed.angle.max(), study.shuffled.angle.max()):.1f}° of the mean")

# %%
# One panel per measure.
figure = style.figure(12.4, 8.4)
for axes, measure in zip(
    figure.subplots(2, 2).flat, ("mistakes", "epochs", "error", "angle"), strict=True
):
    OrdersDisplay.from_study(study, measure, ax=axes)

plt.show()
