"""
Not separable: four definitions of the best line
================================================

If no line is right about all points, “best” must be defined. The notebook has four definitions: the
fewest mistakes (the pocket keeps the fewest that it counts); the perceptron criterion, how far the
misclassified points lie on the wrong side; least squares Σ (a·x − c)²; and Σ f(a·x − c) for another
f. They nearly agree, until a few points lie far out on their correct side. Lecture rows
L4.4 and L4.7.
"""  # noqa: D205, D400

# %%
# **Four learners.** Descent on Jₚ from 0 never settles, and Jₚ grows with the length of w; so
# the w with the smallest Jₚ/‖w‖ is taken, the sum of the distances of the misclassified points
# from its line. The other f is r²/(1 + r²): quadratic near 0, but never more than 1, however far
# a point is. It has several minima, and descent ends in the nearest; it starts at the pocket's
# line.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, certify, textbook
from rosenblatt.criteria import LeastSquares, PerceptronCriterion, Residual, values
from rosenblatt.plots import style
from rosenblatt.plots.style import INK


def pocket(X, y):
    """The w of a perceptron run with the fewest mistakes on all points."""
    run = textbook.perceptron(X, y, max_epochs=60)
    return run.line(run.pocket)


def perceptron_criterion(X, y):
    """The w of a descent on Jₚ with the least Jₚ/‖w‖."""
    run = textbook.batch_descent(X, y, PerceptronCriterion(), max_updates=500)
    lengths = np.linalg.norm(run.weights[1:, 1:], axis=1)
    distances = values(PerceptronCriterion(), run)[1:] / lengths
    return run.line(1 + distances.argmin())


def least_squares(X, y):
    """The last w of a descent on Σ (a·x − c)²."""
    return textbook.batch_descent(X, y, LeastSquares(), eta=2e-4, max_updates=1000).line(-1)


def bounded(X, y):
    """The last w of a descent on Σ f(a·x − c), f(r) = r²/(1 + r²), from the pocket's line."""
    f = Residual(lambda r: r**2 / (1 + r**2), lambda r: 2 * r / (1 + r**2) ** 2)
    w, b = pocket(X, y)
    start = np.append(b, w) / np.linalg.norm(w)
    return textbook.batch_descent(X, y, f, eta=2e-3, start=start, max_updates=500).line(-1)


learners = {
    "Fewest mistakes": pocket,
    "Perceptron criterion": perceptron_criterion,
    "Least squares": least_squares,
    "f = r²/(1 + r²)": bounded,
}

# %%
# **The same points, without and with eight distant ones.** The eight are easy: they lie on their
# correct side, far from every line; the lower row has another scale, to show them. Least squares
# wants their score to be 1, like all others, and turns its line because of them. The count and
# Jₚ ignore correct points, and the bounded f limits their influence.
rng = np.random.default_rng(5)
y = np.repeat([-1, 1], 40)
X = np.column_stack([rng.normal(0.95 * y, 0.75), rng.normal(0, 2, len(y))])
far = rng.normal((9, -7), 0.5, (8, 2))
both = np.vstack([X, far]), np.append(y, np.ones(len(far), int))
print("without the far points:", certify(X, y).status, "· with them:", certify(*both).status)

for name, (rows, labels) in (("without", (X, y)), ("with", both)):
    model = Perceptron(output="pocket", max_iter=60, tol=None).fit(rows, labels)
    wrong = (model.predict(rows) != labels).sum()
    print(f"the compiled pocket, {name} the far points: {wrong} of {len(rows)} wrong")

figure = style.figure(13, 8.4)
grid = figure.subplots(2, 4)
for panels, (rows, labels), more in zip(
    grid, ((X, y), both), ("", "with far points: "), strict=True
):
    for panel, (name, learn) in zip(panels, learners.items(), strict=True):
        w, b = learn(rows, labels)
        wrong = (labels * (rows @ w + b) <= 0).sum()
        style.points(panel, rows, labels, size=24)
        style.fit_limits(panel, rows)
        style.open_frame(panel)
        panel.locator_params(nbins=4)
        panel.set(xlabel="x₁", ylabel="x₂" if panel is panels[0] else "")
        style.line(panel, w, b, color=INK, linewidth=2.2)
        style.title(panel, name, f"{more}{wrong} of {len(rows)} wrong")
        print(f"{name}: {more}{wrong} of {len(rows)} wrong")
plt.show()
