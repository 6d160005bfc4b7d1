"""
The mistake bound, checked along a run
======================================

The perceptron makes at most (R/γ)² mistakes. The proof is two claims and one inequality: with every
mistake u·w grows by at least γ (Claim 1, Lemma 1, Result 1), while ‖w‖² grows by at most R² (Claim
2, Lemma 2, Result 2), and u·w ≤ ‖w‖. Here both claims are checked at every mistake of a recorded
run: from zero, from another start, and where an assumption fails. The algorithm itself does not
know u, γ or R. Lecture rows L0.5, L1.4, L3.4 and L4.6.
"""  # noqa: D205, D400

# %%
# **Both claims, mistake by mistake.** :func:`rosenblatt.audit` computes the u with the largest
# margin and checks every step of the run.
from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

import rosenblatt
from rosenblatt import claims, textbook, theory, toys
from rosenblatt.plots import ClaimsDisplay

toy = toys.separable(100, 20, margin=0.1, seed=3)
rounds = np.tile(toy.X, (9, 1)), np.tile(toy.y, 9)
run = textbook.origin_perceptron(*rounds)
found = rosenblatt.audit(run)
print(found)
print(f"(R/γ)² = {theory.mistake_bound(found.R, found.gamma):.2f}")
length = float(np.linalg.norm(run.w))
print(f"after the run: no u has a margin above {theory.running_bound(length, run.mistakes):.4f}")

# %%
# Left: u·w stays above its lower bound, ‖w‖ below its upper bound. Right: continued, the lower
# bound crosses the upper bound, and there the mistakes must have ended.
ClaimsDisplay.from_claims(found)
plt.show()

# %%
# **From any start.** The notebook's form of the proof follows ‖w − αŵ‖², the squared distance to
# a long solution vector: ŵ = u, α = R²/γ. Every mistake reduces it by at least R², whatever w(1)
# is. It cannot become negative, so there are at most ‖w(1) − αŵ‖²/R² mistakes. A worse start
# allows more mistakes, and here it causes more. (Here u is the vector that made the data; its
# margin is smaller than that of the best u above, so the bound from 0 is larger.)
rng = np.random.default_rng(0)
anywhere = rng.standard_normal(20)
starts = {"0": 0 * toy.u, "anywhere": 4 * anywhere / np.linalg.norm(anywhere), "−4 u": -4 * toy.u}
for name, start in starts.items():
    found = claims.check(textbook.origin_perceptron(*rounds, start=start), toy.u)
    bound = theory.start_bound(start, toy.u, toy.y[:, np.newaxis] * toy.X)
    print(f"w(1) = {name:8}  {found.mistakes} mistakes, at most {found.allowed}, ⌊{bound:.2f}⌋")

# %%
# From −4 u, the worst of the three starts.
ClaimsDisplay.from_claims(found)
plt.show()

# %%
# **Without a separator.** Labels by coin toss: nothing separates these rows, so there is no γ and
# no bound. Claim 2 needs neither and still holds: ‖w‖² is at most tR².
X = rng.uniform(-1, 1, (30, 3))
y = rng.choice([-1, 1], 30)
run = textbook.origin_perceptron(np.tile(X, (4, 1)), np.tile(y, 4))
ClaimsDisplay.from_trace(run)
plt.show()

# %%
# **An assumption that fails.** One label of a hundred is wrong, and u and γ are those of the
# points with the correct labels. The checker names the first step at which the proof fails, and
# the assumption that is violated.
y = toy.y.copy()
y[70] = -y[70]
run = textbook.origin_perceptron(np.tile(toy.X, (9, 1)), np.tile(y, 9))
found = claims.check(run, toy.u, gamma=toy.gamma)
print(found.failure)
ClaimsDisplay.from_claims(found)
plt.show()
