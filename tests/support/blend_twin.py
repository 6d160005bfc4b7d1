"""The rule "auto" as its docstring has it, a number at a time: the oracle of the core's loop."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rosenblatt.theory.rules.auto import (
    BLEND_FORGETS,
    DENSE,
    FORGETS,
    NOTHING,
    PRIORS,
    SPARSE,
)

E = len(PRIORS)


class Blend:
    """Three learners and their blend on d columns, of K classes (2: one score)."""

    def __init__(self, d: int, K: int) -> None:
        self.d, self.K, self.P = d, K, 1 if K == 2 else K
        self.w = np.zeros((E, d + 1, self.P))  # the intercept is the last
        self.D = np.zeros((E, d + 1, self.P))
        self.M, self.sums, self.present = np.zeros(d), np.zeros((d, 2)), np.zeros(d)
        self.rows = self.total = 0.0
        self.dense: list[int] = []
        self.a, self.L = np.zeros(E + 1), np.zeros((E + 1, E + 1))

    def coefficients(self) -> list[float]:
        return [1.0 / E + a for a in self.a[:E]]

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
                    self.sums[j] += self.rows * x[j], self.rows
                elif self.present[j] >= DENSE * self.total:
                    self.dense.append(j)
                    self.sums[j] = self.rows * x[j], self.rows
            self.add(row, j, x[j], learns)
        for j in list(self.dense):
            if x[j] == 0.0:
                if learns and self.present[j] < SPARSE * self.total:
                    self.dense.remove(j)
                else:
                    if learns:
                        self.sums[j, 1] += self.rows
                    self.add(row, j, 0.0, learns)
        return [*row, (-1, 1.0)]

    def add(self, row: list[tuple[int, float]], j: int, x: float, learns: bool) -> None:
        mean = self.sums[j, 0] / self.sums[j, 1] if j in self.dense else 0.0
        z = x - mean
        if abs(z) <= NOTHING * max(abs(x), abs(mean)):
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
        row = self.centred(x, learners and weight > 0.0)
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
            score = self.a[E] if self.K == 2 else 0.0
            for e in range(E):
                score += a[e] * s[e, k]
            scores.append(float(score))
        if blend and weight > 0.0:
            self.learn_blend(s, self.probabilities(scores), y, weight)
        if learners and weight > 0.0:
            for e in range(E):
                p = self.probabilities([float(score) for score in s[e]])
                for k in range(self.P):
                    label = 1.0 if (y == 1 if self.K == 2 else y == k) else 0.0
                    g, h = p[k] - label, p[k] * (1.0 - p[k])
                    bend, size = weight * h, abs(g)
                    if size > 0.5:
                        bend = weight * (size / (2.0 + math.log(size / max(1.0 - size, 1e-16))))
                    alpha = weight * g / (1.0 + bend * V[e, k])
                    for q, (j, z) in enumerate(row):
                        self.w[e, j, k] -= alpha * rates[q, e, k] * z
                        self.D[e, j, k] = (1.0 - FORGETS[e]) * self.D[e, j, k] + weight * h * (
                            z * z
                        )
        return scores

    def learn_blend(self, s: np.ndarray, p: list[float], y: int, weight: float) -> None:
        size = E + 1 if self.K == 2 else E
        F = [[1.0 if e == E else min(max(float(s[e, k]), -1e2), 1e2) for k in range(self.P)]
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
                self.L[a, b] = (1.0 - BLEND_FORGETS) * self.L[a, b] + weight * H[a, b]
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
            self.a[a] += step[a]

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """W of shape (d, P) and b, as the state has them."""
        a = self.coefficients()
        W, b = np.zeros((self.d, self.P)), np.zeros(self.P)
        for k in range(self.P):
            for j in range(self.d):
                for e in range(E):
                    W[j, k] += a[e] * self.w[e, j, k]
            b[k] = self.a[E] if self.K == 2 else 0.0
            for e in range(E):
                b[k] += a[e] * self.w[e, -1, k]
            for j in self.dense:
                b[k] -= W[j, k] * (self.sums[j, 0] / self.sums[j, 1])
        return W, b
