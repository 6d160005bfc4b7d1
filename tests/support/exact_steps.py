"""The steps of rules of every kind on one row, in plain Python: see exact_loops."""

import numpy as np

from rosenblatt.theory.rule_kinds import (
    has_full_covariance,
    traits_of,
)

F = np.float64
LARGEST_SUM = LARGEST_NUMBER = 1e300
LEAST_SHARE, LEAST_VARIANCE = 1e-13, 1e-100


def clipped(value, largest):
    return -largest if value < -largest else largest if value > largest else value


def moved_weight(before, after, largest):
    step = after - before
    return (
        after
        if abs(step) <= largest
        else before
        if step != step
        else before + clipped(step, largest)
    )


def moved_number(before, after):
    return clipped(after if after == after else before, LARGEST_NUMBER)


def defined(value):
    return clipped(value, LARGEST_NUMBER) if value == value else 0.0


class Steps:
    """Steps, with what rules of their kind keep of the latest row of each column."""

    def __init__(self, state, spec, rows):
        self.state, self.rule, self.intercept, self.rows = state, spec.rule, spec.intercept, rows
        d, P = state.W.shape
        self.betas, self.factors, self.variances = np.zeros(P), np.ones(P), np.zeros(P)
        self.full = has_full_covariance(spec.rule)
        self.projections = np.zeros((P, d + 1 if self.full else 0))
        self.weightwise = traits_of(type(spec.rule)).weightwise
        self.names = [*spec.rule.numbers] if self.weightwise else []
        counts = getattr(spec.rule, "counts", {}) if self.weightwise else {}
        self.counts = [state.own[f"counts.{name}"] for name in counts]
        self.parts = np.ones(P)
        self.largest = 1e18 if state.W.dtype == np.float32 else 1e150

    def step(self, example, score, k, rival):
        """The step τ of column k, on a score that is a difference if there is a rival."""
        if traits_of(type(self.rule)).rescales:
            return self.rescaling_step(example, score, k, rival)
        if traits_of(type(self.rule)).confident:
            return self.confident_step(example, score, k, rival)
        if self.weightwise:
            return self.gradient(example, score, k, rival)
        seen = score, example.y, example.sqnorm
        if example.weight == 1.0:
            return self.rule.step(*seen)
        return self.rule.weighted_step(*seen, example.weight)

    # --- weightwise rules ------------------------------------------------------------------------

    def gradient(self, example, score, k, rival):
        seen = [score, example.y]
        if hasattr(self.rule, "rate"):
            variance = self.own_variance(example.i, k)
            seen.append(variance + self.own_variance(example.i, rival) if rival >= 0 else variance)
        if example.weight == 1.0:
            return defined(self.rule.gradient(*seen))
        return defined(self.rule.weighted_gradient(*seen, example.weight))

    def own_variance(self, i, k):
        total = F(0)
        for j, x in self.rows.entries(i):
            numbers = [self.state.own[f"numbers.{name}"][j, k] for name in self.names]
            total += F(x) * F(x) * self.rule.rate(*numbers) if x != 0.0 else F(0)
        numbers = [self.state.own[f"numbers.{name}.b"][k] for name in self.names]
        return total + self.rule.rate(*numbers) if self.intercept else total

    def touch(self, i, k):
        """The weights of column k before the score of row i; first what the column counts."""
        if self.counts:
            old = [array[k] for array in self.counts]
            new = self.rule.begin(*old)
            self.keep_counts(k, old, new if len(old) > 1 else [new])
        self.walk(i, k, "touch")

    def move(self, i, k, g):
        part = [self.parts[k]] if hasattr(self.rule, "part") else []
        self.walk(i, k, "move", g, *part)

    def keep_counts(self, k, old, new):
        for array, one, other in zip(self.counts, old, new, strict=True):
            array[k] = moved_number(one, F(other))

    def walk(self, i, k, method, *g):
        """Touch or move the weights of column k, and its intercept."""
        s = self.state
        counts = [array[k] for array in self.counts]
        for j, x in self.rows.entries(i):
            if x != 0.0:
                arrays = [s.own[f"numbers.{name}"] for name in self.names]
                before = F(s.W[j, k])
                seen = arrays, (j, k), counts, F(x), method, g, self.largest
                s.W[j, k], counts = self.walked(before, *seen)
                if len(s.U):
                    s.U[j, k] += s.area[k] * (F(s.W[j, k]) - before)
        self.keep_counts(k, [array[k] for array in self.counts], counts)
        if self.intercept:
            arrays = [s.own[f"numbers.{name}.b"] for name in self.names]
            before, counts = s.b[k], [array[k] for array in self.counts]
            s.b[k], counts = self.walked(before, arrays, k, counts, F(1), method, g, 1e150)
            self.keep_counts(k, [array[k] for array in self.counts], counts)
            s.ub[k] += F(s.t[0]) * (s.b[k] - before)

    def walked(self, w, arrays, at, counts, x, method, g, largest):
        old = [array[at] for array in arrays]
        after, *new = getattr(self.rule, method)(w, *old, *counts, x, *g)
        if method == "touch":
            new, counts = new[: len(old)], new[len(old) :]
        for array, one, other in zip(arrays, old, new, strict=True):
            array[at] = moved_number(one, F(other))
        return moved_weight(w, F(after), largest), counts

    def change(self, i, k, g):
        """By how much a whole step of column k changes the score of row i."""
        s, total = self.state, F(0)
        counts = [array[k] for array in self.counts]
        for j, x in self.rows.entries(i):
            if x != 0.0:
                numbers = [s.own[f"numbers.{name}"][j, k] for name in self.names]
                total += F(x) * self.whole_step(F(s.W[j, k]), numbers, counts, F(x), g)
        if self.intercept:
            numbers = [s.own[f"numbers.{name}.b"][k] for name in self.names]
            total += self.whole_step(s.b[k], numbers, counts, F(1), g, 1e150)
        return total

    def whole_step(self, w, numbers, counts, x, g, largest=None):
        after = F(self.rule.move(w, *numbers, *counts, x, g, F(1))[0])
        return moved_weight(w, after, largest or self.largest) - w

    def part(self, score, y, change):
        return min(max(defined(self.rule.part(score, y, change)), F(0)), F(1))

    # --- rules that rescale ----------------------------------------------------------------------

    def squared_norm(self, k):
        s = self.state
        if s.own["norms"][k] < 0.0:
            total = F(0)
            for j in range(len(s.W)):
                weight = F(s.W[j, k]) * s.scale[k]
                total += weight * weight
            s.own["norms"][k], s.own["norm_errors"][k] = total + s.b[k] * s.b[k], 0.0
        return s.own["norms"][k]

    def rescaling_step(self, example, score, k, rival):
        s = self.state
        norm, updates = self.squared_norm(k), s.updates[k]
        if rival >= 0:
            norm = sum((self.squared_norm(column) for column in range(len(s.own["norms"]))), F(0))
            updates = s.updates.sum() // 2
        seen = score, example.y, example.sqnorm, norm, s.t[0], updates
        if example.weight == 1.0:
            factor, tau = self.rule.rescale(*seen)
        else:
            factor, tau = self.rule.weighted_rescale(*seen, example.weight)
        self.factors[slice(None) if rival >= 0 else k] = factor
        return tau

    # --- rules with a confidence -----------------------------------------------------------------

    def confident_step(self, example, score, k, rival):
        variance = F(0)
        self.variances[[k, rival] if rival >= 0 else k] = -1.0
        if self.rule.needs_variance(score, example.y):
            variance = self.variance(example.i, k)
            if rival >= 0:
                variance += self.variance(example.i, rival)
        seen = score, example.y, variance
        if example.weight == 1.0:
            tau, beta = self.rule.step(*seen)
        else:
            tau, beta = self.rule.weighted_step(*seen, example.weight)
        self.betas[[k, rival] if rival >= 0 else k] = defined(beta)
        return defined(tau)

    def variance(self, i, k):
        s = self.state
        if self.full:
            return self.full_variance(i, k)
        total = F(0)
        for j, x in self.rows.entries(i):
            total += F(x) * F(x) * self.rule.rate(s.own["C"][j, k], s.own["C"][j, k])
        return total + self.rule.rate(s.own["cb"][k], s.own["cb"][k]) if self.intercept else total

    def full_variance(self, i, k):
        """xᵀΣx, with Σx in the projections; the intercept is the first coordinate."""
        p, size = self.projections[k], self.projections.shape[1]
        S = self.state.own["S"][:, k].reshape(size, size)
        x = [(0, F(self.intercept)), *((j + 1, F(x)) for j, x in self.rows.entries(i))]
        p[:] = 0.0
        for j, value in x:
            if value != 0.0:
                p += value * S[j]
        total, spread = x[0][1] * p[0], x[0][1] * S[0, 0]
        for j, value in x[1:]:
            total += value * p[j]
            spread += value * value * S[j, j]
        self.variances[k] = max(total, LEAST_SHARE * spread)
        return self.variances[k]

    def move_full(self, i, k, tau, largest):
        """Move column k by τ Σx, and shrink Σ; the step of the intercept."""
        s = self.state
        if self.variances[k] < 0.0:
            self.full_variance(i, k)
        p, size = self.projections[k], self.projections.shape[1]
        beta, variance = self.betas[k], self.variances[k]
        share = beta / (1.0 + beta * variance)
        if beta * variance > 1.0 / LEAST_SHARE:
            share = (1.0 - LEAST_SHARE) / variance
        if variance > LEAST_VARIANCE * (self.rows.sqnorm(i) + self.intercept):
            s.own["S"][:, k] -= (share * np.outer(p, p)).ravel()
        for j in range(size - 1):
            step = clipped(tau * p[j + 1], largest)
            s.W[j, k] = F(s.W[j, k]) + step
            if len(s.U):
                s.U[j, k] += s.area[k] * step
        return clipped(tau * p[0], largest)
