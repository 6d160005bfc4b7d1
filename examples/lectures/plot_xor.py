"""
XOR: no line, one feature, one kernel
=====================================

Points whose coordinates have the same sign, against points whose signs differ: the classic example
that a perceptron cannot learn. The three panels show a proof of this by four rows; a designed
feature, the product of the coordinates, with which the perceptron converges quickly; and a kernel
whose feature space contains the product. Lecture row L3.9.
"""  # noqa: D205, D400

# %%
# Shared by all three panels.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import KernelPerceptron, Perceptron, PolynomialLift, certify, toys
from rosenblatt.plots import CertificateDisplay, style

toy = toys.xor(copies=20, noise=0.8)
figure = style.figure(11.4, 4.6)
left, middle, right = figure.subplots(1, 3)

# %%
# **No line.** The four corners suffice: with equal weights the mean of either class is the
# origin. A line that separates the classes would have the origin on both sides, and other rows
# cannot change that.
corners, signs = toy.X[:4], toy.y[:4]
CertificateDisplay.from_certificate(certify(corners, signs), corners, signs, ax=left)
left.get_legend().remove()
style.points(left, toy.X, toy.y)
style.plane_panel(left, toy.X)

# %%
# **One feature.** With the product in place of the second coordinate, a line separates the
# classes.
Z = np.column_stack([toy.X[:, 0], toy.X[:, 0] * toy.X[:, 1]])
linear = Perceptron().fit(Z, toy.y)
products = PolynomialLift(2).fit_transform(toy.X)  # x₁², x₁x₂, x₂²: all of degree 2
print("with all products of two coordinates:", certify(products, toy.y).status)
style.points(middle, Z, toy.y)
style.plane_panel(middle, Z)
style.title(middle, "One designed feature", f"{linear.mistakes_} mistakes, then none")
style.regions(middle, linear.decision_function)

# %%
# **One kernel.** (⟨x, x'⟩ + 1)² is the scalar product of all monomials up to degree 2; x₁ x₂ is
# one of six. The support rows are ringed.
model = KernelPerceptron("poly", degree=2, gamma=1, coef0=1).fit(toy.X, toy.y)
style.points(right, toy.X, toy.y)
style.plane_panel(right, toy.X)
style.title(right, "One kernel, (⟨x, x′⟩ + 1)²", f"{model.mistakes_} mistakes, then none")
style.regions(right, model.decision_function)
style.ring_points(right, toy.X, toy.y, model.support_)

for axes, height in ((left, "x₂"), (middle, "x₁ x₂"), (right, "x₂")):
    axes.set(xlabel="x₁", ylabel=height)

plt.show()
