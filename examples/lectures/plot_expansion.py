"""
Weights as a sum of examples
============================

Every update adds a multiple of an example to w, so w is a linear combination of examples, whose
coefficients count the mistakes on each. ``Perceptron(expansion=True)`` records the coefficients.
With images this can be seen: the weights that separate 8 from 3 are eights minus threes, and a
prediction can be traced back to training images. Lecture row L2.6.
"""  # noqa: D205, D400

# %%
# **The coefficients.** scikit-learn's digits, the threes and the eights; ``dual_coef_`` has the
# coefficient of each image in ``support_``, and the weighted sum of these images is ``coef_``.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.plots import WeightsDisplay, style
from rosenblatt.plots.style import COLOURS, INK

X, y = load_digits(return_X_y=True)
X, y = X[np.isin(y, (3, 8))], y[np.isin(y, (3, 8))]
X_train, X_test, y_train, y_test = X[:250], X[250:], y[:250], y[250:]
model = Perceptron(expansion=True).fit(X_train, y_train)
coefficients = model.dual_coef_[0]
print(f"{len(model.support_)} of {len(X_train)} images caused {model.mistakes_} mistakes")
total = coefficients @ model.support_vectors_
print("sum of coefficient · image is w:", np.allclose(total, model.coef_[0]))
print("accuracy on new images:", model.score(X_test, y_test))
by_kernel = KernelPerceptron("linear").fit(X_train, y_train)
print("the linear kernel has the same:", np.array_equal(by_kernel.dual_coef_[0], coefficients))


def show(axes, image, words, colour=INK):
    """Draw one image with a caption."""
    axes.imshow(image.reshape(8, 8), cmap="Greys")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set(color=colour, linewidth=2.5)
    axes.set_title(words, fontsize=12, color=colour, fontweight="bold")


# %%
# **Eights minus threes.** The images with the largest coefficients: above those that were added,
# below those that were subtracted. On the right the sum of all, which is w: vermilion pixels
# count towards an 8, blue ones towards a 3. The left strokes that close the loops turn a 3 into
# an 8.
figure = style.figure(10, 3.9)
small, large = figure.subfigures(1, 2, width_ratios=(5, 3.4))
panels = small.subplots(2, 5)
for row, sign in zip(panels, (1, -1), strict=True):
    order = np.argsort(-sign * coefficients)[: len(row)]
    for panel, s in zip(row, order, strict=True):
        words = f"{coefficients[s]:+.0f} ×".replace("-", "−")
        show(panel, model.support_vectors_[s], words, COLOURS[int(sign > 0)])
panel = large.subplots()
WeightsDisplay.from_estimator(model, (8, 8), ax=panel)
evidence = f"all {len(coefficients)} images; vermilion: for an 8; blue: for a 3"
style.title(panel, "… add up to w", evidence)
plt.show()

# %%
# **Explaining a prediction.** The score w·x is the sum of coefficient · ⟨image, x⟩ over the same
# images. For one new image, the images with the largest contributions:
x = X_test[4]
why = model.explain(x, top=6)
print(f"label {why.label}: score {why.score:.0f}, of which intercept {why.intercept:.0f}")
figure = style.figure(10, 2.5)
heading = f"Score {why.score:+,.0f}: an 8. The six images with the largest contributions"
figure.suptitle(heading, x=0.01, ha="left", fontsize=12, fontweight="bold")
panels = figure.subplots(1, 7)
show(panels[0], x, f"new: {why.label}")
for panel, found in zip(panels[1:], why.rows, strict=True):
    words = f"{found['contribution']:+,.0f}".replace("-", "−")
    show(panel, X_train[found["row"]], words, COLOURS[int(y_train[found["row"]] == 8)])
plt.show()
