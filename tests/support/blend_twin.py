"""The rule "auto" as its docstring has it, a number at a time: the oracle of the core's loop."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from exact_steps import clipped

from rosenblatt.theory.rules.auto import (
    BLEND_FORGETS,
    DENSE,
    FORGETS,
    LEAST_TRUST,
    NOTHING,
    PRIORS,
    SPARSE,
    TRUST_ROWS,
)

E = len(PRIORS)
LARGEST_NUMBER, LARGEST_WEIGHT, LARGEST_SCORE, LARGEST_FACTOR = 1e300, 1e150, 1e2, 1e9
LARGEST_ENTRY, LEAST_ENTRY = 1e140, 1e-140


class Blend:
    """Three learners and their blend on d columns, of K classes (2: one score)."""

    def __init__(self, d: int, K: int, intercept: bool = True) -> None:
        self.d, self.K, self.P = d, K, 1 if K == 2 else K
        self.intercept = intercept
        self.w = np.zeros((E, d + 1, self.P))  # the intercept is the last
        self.D = np.zeros((E, d + 1, self.P))
        self.M, self.sums, self.present = np.zeros(d), np.zeros((d, 2)), np.zeros(d)
        self.rows = self.total = 0.0
        self.entries = 0  # of the rows so far
        self.dense: list[int] = []
        self.a, self.L = np.zeros(E + 1), np.zeros((E + 1, E + 1))
        self.offsets = np.zeros(self.P)  # of the classes' weights

    def coefficients(self) -> list[float]:
        return [1.0 / E + a for a in self.a[:E]]

    def constant(self) -> float:
        return float(self.a[E]) if self.K == 2 else 0.0

    def mean(self, j: int) -> float:
        return float(self.sums[j, 0] / self.sums[j, 1]) if j in self.dense else 0.0

    def centred(self, x: Sequence[float], learns: bool) -> list[tuple[int, float]]:
        """The columns and z of a row; of one that is learned, M and the means count it first."""
        if learns:
            self.rows += 1.0
            self.total += self.rows
        row: list[tuple[int, float]] = []
        for j in range(self.d):
            if x[j] == 0.0:
                continue
            if learns:
                self.present[j] += self.rows
                if j in self.dense:
                    total = clipped(self.sums[j, 0] + self.rows * x[j], LARGEST_NUMBER)
                    self.sums[j] = total, self.sums[j, 1] + self.rows
                elif self.intercept and self.present[j] >= DENSE * self.total:
                    self.dense.append(j)
                    self.sums[j] = self.rows * x[j], self.rows
            self.add(row, j, x[j], learns)
        for j in list(self.dense):
            if x[j] == 0.0:
                if learns and self.present[j] < SPARSE * self.total:
                    self.dense.remove(j)
                    self.sums[j] = 0.0
                else:
                    if learns:
                        self.sums[j, 1] += self.rows
                    self.add(row, j, 0.0, learns)
        return [*row, (-1, 1.0)] if self.intercept else row

    def add(self, row: list[tuple[int, float]], j: int, x: float, learns: bool) -> None:
        mean = self.mean(j)
        z = clipped(x - mean, LARGEST_ENTRY)
        if abs(z) < LEAST_ENTRY or abs(z) <= NOTHING * max(abs(x), abs(mean)):
            return
        if learns and abs(z) > self.M[j]:
            if self.M[j] > 0.0:
                before, after = self.M[j] * self.M[j], abs(z) * abs(z)
                for e in range(E):
                    for k in range(self.P):
                        D = self.D[e, j, k]
                        self.w[e, j, k] *= (PRIORS[e] * before + D) / (PRIORS[e] * after + D)
            self.M[j] = abs(z)
        if self.M[j] > 0.0:
            row.append((j, z))

    def probabilities(self, s: Sequence[float]) -> list[float]:
        if self.K == 2:
            z = s[0]
            if z < 0.0:
                small = math.exp(z)
                return [small / (1.0 + small)]
            return [1.0 / (1.0 + math.exp(-z))]
        most = max(s)
        powers = [math.exp(x - most) for x in s]
        total = 0.0
        for power in powers:
            total += power
        return [power / total for power in powers]

    def learn(
        self,
        x: Sequence[float],
        y: int,
        weight: float = 1.0,
        learners: bool = True,
        blend: bool = True,
    ) -> list[float]:
        """Learn a row; return its scores before."""
        weight = min(weight, LARGEST_FACTOR)
        row = self.centred(x, learners and weight > 0.0)
        self.entries += len(row)
        units = [1.0 if j < 0 else self.M[j] * self.M[j] for j, _ in row]
        s, V = np.zeros((E, self.P)), np.zeros((E, self.P))
        rates = np.zeros((len(row), E, self.P))
        for q, (j, z) in enumerate(row):
            for e in range(E):
                for k in range(self.P):
                    rates[q, e, k] = 1.0 / (PRIORS[e] * units[q] + self.D[e, j, k])
                    s[e, k] += z * self.w[e, j, k]
                    V[e, k] += z * z * rates[q, e, k]
        a, scores = self.coefficients(), []
        for k in range(self.P):
            score = self.constant()
            for e in range(E):
                score += a[e] * s[e, k]
            scores.append(float(score))
        if blend and weight > 0.0:
            self.learn_blend(s, self.probabilities(scores), y, weight)
        if learners and weight > 0.0:
            for e in range(E):
                self.move(row, rates[:, e], e, self.steps(s[e], V[e], y, weight))
        return scores

    def steps(
        self, s: np.ndarray, V: np.ndarray, y: int, weight: float
    ) -> list[tuple[float, float]]:
        """The step of each class along z times its rates, and what its precisions get of z²."""
        steps, p = [], self.probabilities([float(score) for score in s])
        for k in range(self.P):
            label = 1.0 if (y == 1 if self.K == 2 else y == k) else 0.0
            g, h = p[k] - label, p[k] * (1.0 - p[k])
            bend, size = h, abs(g)
            if size > 0.5:
                bend = size / (2.0 + math.log(size / max(1.0 - size, 1e-16)))
            steps.append((weight * g / (1.0 + weight * bend * V[k]), weight * h))
        return steps

    def move(
        self,
        row: list[tuple[int, float]],
        rates: np.ndarray,
        e: int,
        steps: list[tuple[float, float]],
    ) -> None:
        for (j, z), rate in zip(row, rates, strict=True):
            for k, (step, growth) in enumerate(steps):
                w = self.w[e, j, k] - step * rate[k] * z
                D = (1.0 - FORGETS[e]) * self.D[e, j, k] + growth * (z * z)
                self.w[e, j, k] = clipped(w, LARGEST_WEIGHT)
                self.D[e, j, k] = clipped(D, LARGEST_NUMBER)

    def learn_blend(self, s: np.ndarray, p: list[float], y: int, weight: float) -> None:
        size = E + 1 if self.K == 2 and self.intercept else E
        F = [[1.0 if e == E else clipped(float(s[e, k]), LARGEST_SCORE) for k in range(self.P)]
             for e in range(size)]  # fmt: skip
        gradient, H = [0.0] * size, np.zeros((size, size))
        if self.K == 2:
            g, h = (1.0 if y == 1 else 0.0) - p[0], p[0] * (1.0 - p[0])
            for a in range(size):
                gradient[a] = g * F[a][0]
                for b in range(a + 1):
                    H[a, b] = h * (F[a][0] * F[b][0])
        else:
            mean = [0.0] * size
            for a in range(size):
                for k in range(self.K):
                    mean[a] += p[k] * F[a][k]
            for a in range(size):
                gradient[a] = F[a][y] - mean[a]
                for b in range(a + 1):
                    for k in range(self.K):
                        H[a, b] += p[k] * ((F[a][k] - mean[a]) * (F[b][k] - mean[b]))
        R = np.zeros((size, size))
        for a in range(size):
            for b in range(a + 1):
                number = (1.0 - BLEND_FORGETS) * self.L[a, b] + weight * H[a, b]
                self.L[a, b] = clipped(number, LARGEST_NUMBER)
                rest = (1.0 if a == b else 0.0) + self.L[a, b]
                for c in range(b):
                    rest -= R[a, c] * R[b, c]
                R[a, b] = math.sqrt(max(rest, 1.0)) if a == b else rest / R[b, b]
        step = [0.0] * size
        for a in range(size):
            rest = weight * gradient[a]
            for b in range(a):
                rest -= R[a, b] * step[b]
            step[a] = rest / R[a, a]
        for a in reversed(range(size)):
            rest = step[a]
            for b in range(a + 1, size):
                rest -= R[b, a] * step[b]
            step[a] = rest / R[a, a]
            self.a[a] += clipped(step[a], LARGEST_SCORE)
        trust = 0.0
        for e in range(E):
            trust += 1.0 / E + self.a[e]
        if trust < LEAST_TRUST and self.rows <= TRUST_ROWS:
            for e in range(E):
                self.a[e] += (LEAST_TRUST - trust) / E

    def weights(self, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
        """W of shape (d, P) and b, as the state has them."""
        a = self.coefficients()
        largest = 1e37 if dtype == np.float32 else 1e150
        W, b = np.zeros((self.d, self.P), dtype), np.zeros(self.P)
        for k in range(self.P):
            for j in range(self.d):
                total = 0.0
                for e in range(E):
                    total += a[e] * self.w[e, j, k]
                W[j, k] = clipped(total, largest)
            b[k] = self.constant() + self.offsets[k]
            for e in range(E):
                b[k] += a[e] * self.w[e, -1, k]
            for j in self.dense:
                b[k] = clipped(b[k] - float(W[j, k]) * self.mean(j), LARGEST_NUMBER)
        return W, b
