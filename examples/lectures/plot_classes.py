"""
Several classes: one-vs-rest and joint learning
===============================================

One-vs-rest trains a vector wₑ for every class e against all others. The separate decisions may
conflict: in some regions two classes say yes, in others none. The arg max of wₑ·x decides
everywhere. A class that lies between two others is hard for this scheme, because no line separates
it from the rest; learning the arg max itself solves this. Lecture rows L3.5 and L4.4.
"""  # noqa: D205, D400

# %%
# **Three lines, one decision.** Each line has the colour of its class and an arrow to the side of
# yes. In the grey regions no class, or more than one, says yes.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from rosenblatt import Perceptron, textbook
from rosenblatt.plots import ClassRegionsDisplay, style
from rosenblatt.plots.style import CLASS_COLOURS

rng = np.random.default_rng(3)
centres = np.array([[-2.0, -1.0], [2.0, -1.2], [0.2, 2.2]])
labels = np.repeat([0, 1, 2], 20)
X = centres[labels] + rng.uniform(-1.2, 1.2, (60, 2))
model = textbook.one_against_rest(X, labels)
for e, run in zip(model.classes, model.runs, strict=True):
    print(f"class {e} against the rest: {run.mistakes} corrections, converged: {run.converged}")
print("rows wrong by arg max:", (model.predict(X) != labels).sum())

figure = style.figure(10, 5.6)
left, right = figure.subplots(1, 2)
ClassRegionsDisplay.from_estimator(model, X, labels, conflicts=True, ax=left)
for run, colour in zip(model.runs, CLASS_COLOURS, strict=False):
    style.line(left, run.w, run.b, color=colour, linewidth=2)
    start = style.nearest_on_line(run.w, run.b, X.mean(axis=0))
    style.arrow(left, start, start + 0.8 * run.w / np.linalg.norm(run.w), color=colour, linewidth=2)
style.title(left, "Three lines conflict", "grey: no class says yes, or several do")
ClassRegionsDisplay.from_estimator(model, X, labels, ax=right)
style.title(right, "The arg max decides", "the class with the largest wₑ·x")
plt.show()

# %%
# **A class in the middle.** The species of iris by length and width of the petal, standardised.
# Versicolor lies between the others: no line has it alone on one side, and its wₑ is useless.
# With ``multi_class="joint"`` the arg max itself is learned: after an error, w of the right class
# moves towards the row, and w of the wrong class away from it.
iris = load_iris()
petals, labels = iris.data[:, 2:], iris.target_names[iris.target]
X = (petals - petals.mean(axis=0)) / petals.std(axis=0)
names = {"ovr": "Versicolor against the rest fails", "joint": "Joint learning succeeds"}
figure = style.figure(10.4, 5.8)
for panel, (scheme, name) in zip(figure.subplots(1, 2), names.items(), strict=True):
    model = Perceptron(multi_class=scheme, output="average").fit(X, labels)
    display = ClassRegionsDisplay.from_estimator(model, X, labels, ax=panel)
    evidence = f"{display.mistaken.sum()} of {len(X)} rows wrong by arg max, ringed"
    style.title(panel, name, evidence)
    panel.set(xlabel="petal length, standardised", ylabel="petal width, standardised")
plt.show()
