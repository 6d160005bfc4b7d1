"""The linear loops in plain Python, one number after the other: the bits of the compiled core.

The methods of the rule's own class are called, so a run by the core's struct of a rule is compared
with the formulas in ``theory/``, too. Numbers are NumPy's: a division by zero is infinite.
"""

import math
from types import SimpleNamespace

import numpy as np
from calibration_twin import calibrate
from exact_steps import LARGEST_SUM, Steps, clipped, defined

from rosenblatt.engine.multiclass import Joint
from rosenblatt.engine.rows import Dense
from rosenblatt.theory.penalties import NoPenalty
from rosenblatt.theory.rule_kinds import traits_of

F = np.float64


class Rows:
    """Rows of either kind as pairs of column and value, with the sums in the core's order."""

    def __init__(self, rows):
        self.rows, self.dense = rows, isinstance(rows, Dense)

    def entries(self, i):
        if self.dense:
            return list(enumerate(self.rows.X[i]))
        here = slice(self.rows.indptr[i], self.rows.indptr[i + 1])
        return list(zip(self.rows.indices[here].tolist(), self.rows.data[here], strict=True))

    def sqnorm(self, i):
        return sum((F(x) * F(x) for _, x in self.entries(i)), F(0))

    def dot(self, i, W, k):
        """From left to right; of sparse rows and one weight vector in four partial sums."""
        products = [F(W[j, k] * W.dtype.type(x)) for j, x in self.entries(i)]
        if self.dense or W.shape[1] > 1:
            return sum(products, F(0))
        whole = len(products) // 4 * 4
        a, b, c, e = (sum(products[start:whole:4], F(0)) for start in range(4))
        return (sum(products[whole:], a) + b) + (c + e)

    def axpy(self, i, steps, W):
        """Add steps[k] x to every column that moves: of several, eight at a time."""
        for first in range(0, W.shape[1], 8):
            here = slice(first, first + 8)
            if W.shape[1] > 1 and not steps[here].any():
                continue
            for j, x in self.entries(i):
                if not self.dense or W.shape[1] == 1 or x != 0.0:
                    W[j, here] = W[j, here].astype(F) + F(x) * steps[here]


def epoch(examples, order, state, spec, log=None):
    """:func:`rosenblatt.engine.linear.loops.epoch`."""
    with np.errstate(all="ignore"):
        return _Epoch(examples, state, spec, log).learn(order)


class _Epoch:
    def __init__(self, examples, state, spec, log):
        self.rows, self.examples = Rows(examples.rows), examples
        self.state, self.spec, self.log = state, spec, log
        self.single = state.W.dtype == np.float32
        self.K = 1 if spec.scheme is None else len(spec.class_weight)
        self.penalty = None if isinstance(spec.penalty, NoPenalty) else spec.penalty
        self.steps = Steps(state, spec, self.rows)
        self.bad = -1

    def rounded(self, value):
        return F(self.state.W.dtype.type(value))

    def learn(self, order):
        s, spec = self.state, self.spec
        for i in order.tolist():
            self.learn_row(i)
        if self.bad >= 0:
            return self.bad
        totals = s.b[: self.K] if spec.intercept else s.losses[: self.K]
        last = [self.rows.dot(order[-1], s.W, k) for k in range(self.K)] if len(order) else [0.0]
        return -1 if math.isfinite(sum(0.0 * x for x in [*totals, *last])) else -2

    def learn_row(self, i):
        s, spec, K = self.state, self.spec, self.K
        if hasattr(spec.rule, "touch"):
            for k in self.touched(i):
                self.steps.touch(i, k)
        scores = [self.rounded(self.rows.dot(i, s.W, k) * s.scale[k]) + s.b[k] for k in range(K)]
        if spec.calibrates is not None:
            calibrate(self, i, scores)
        sqnorm = self.rows.sqnorm(i) + spec.bias_sqnorm
        taus, wrong = self.compute_steps(i, scores, sqnorm)
        s.errors[0] += wrong
        if spec.pocket:
            self.count_streak(wrong)
        for k in range(K):
            if self.penalty is not None and s.active[k]:
                decay = self.rounded(self.penalty.decay())
                s.scale[k] = self.rounded(s.scale[k] * decay)
                if s.scale[k] < (1e-6 if self.single else 1e-9):
                    self.fold(k, s.scale[k])
            if traits_of(type(spec.rule)).rescales and s.active[k]:
                self.rescale(k, self.steps.factors[k], taus[k], scores[k], sqnorm)
        if self.steps.weightwise:
            self.find_parts(i, scores, taus)
            for k in np.flatnonzero(taus):
                s.updates[k] += 1
                self.steps.move(i, k, taus[k])
        elif traits_of(type(spec.rule)).confident:
            self.move_confident(i, taus)
        elif taus.any():
            self.move(i, taus)
        if self.penalty is not None and self.penalty.truncation() != 0.0:
            for k in range(K):
                if s.active[k]:
                    s.owed[k] += self.penalty.truncation()
                    self.truncate(i, k)
        s.area[:K] += s.scale[:K]
        s.t[0] += 1

    def touched(self, i):
        """The columns that see the row before its score: those that learn it, with a weight."""
        label, weight = self.examples.y[i], self.examples.weight[i]
        if self.spec.scheme is None:
            return [0] if weight != 0.0 else []
        own = self.rounded(self.spec.class_weight[label] * weight)
        others = own if isinstance(self.spec.scheme, Joint) else weight
        weights = [own if k == label else others for k in range(self.K)]
        return [k for k in range(self.K) if self.state.active[k] and weights[k] != 0.0]

    # --- the steps of one row --------------------------------------------------------------------

    def compute_steps(self, i, scores, sqnorm):
        """The steps of all columns, and whether the row is an error; count losses and mistakes."""
        s, spec, K = self.state, self.spec, self.K
        label, weight = self.examples.y[i], self.examples.weight[i]
        taus = np.zeros(s.W.shape[1])
        if spec.scheme is None:
            example = SimpleNamespace(i=i, y=label, sqnorm=sqnorm, weight=weight)
            taus[0] = self.steps.step(example, scores[0], 0, -1)
            wrong = self.count(0, scores[0], label, spec.tie)
            return taus, wrong
        own = scores[label]
        beaten = (x > own or (x == own and k < label) for k, x in enumerate(scores))
        wrong = own != own or any(beaten)
        own_weight = self.rounded(spec.class_weight[label] * weight)
        if isinstance(spec.scheme, Joint):
            rivals = [k for k in range(K) if s.active[k] and k != label]
            rival = max(rivals, key=lambda k: scores[k])
            score = own - scores[rival]
            if getattr(spec.rule, "softmax", False):
                return self.softmax_steps(scores, label, score, own_weight), wrong
            example = SimpleNamespace(i=i, y=F(1), sqnorm=2.0 * sqnorm, weight=own_weight)
            tau = self.steps.step(example, score, label, rival)
            taus[label], taus[rival] = tau, -tau
            self.count(label, score, F(1), 0.0)
            return taus, wrong
        for k in range(K):
            y = F(1) if k == label else F(-1)
            factor = own_weight if k == label else weight
            example = SimpleNamespace(i=i, y=y, sqnorm=sqnorm, weight=factor)
            tau = self.steps.step(example, scores[k], k, -1)
            if s.active[k]:
                taus[k] = tau
                self.count(k, scores[k], y, spec.tie)
        return taus, wrong

    def softmax_steps(self, scores, label, score, weight):
        """The derivatives of the loss of the softmax by the scores of the active classes."""
        s = self.state
        seen = [k for k in range(self.K) if s.active[k] or k == label]
        gradients, loss = softmax_gradients([scores[k] for k in seen], seen.index(label))
        taus = np.zeros(s.W.shape[1])
        taus[seen] = [defined(F(g) * weight) for g in gradients]
        s.losses[label] += loss
        s.mistakes[label] += not score > 0.0
        return taus

    def find_parts(self, i, scores, taus):
        """The parts of their steps that the columns take, whose rule takes parts."""
        spec, steps, label = self.spec, self.steps, self.examples.y[i]
        moved = [int(k) for k in np.flatnonzero(taus)]
        joint = isinstance(spec.scheme, Joint)
        steps.parts[:] = 1.0
        if not hasattr(spec.rule, "part") or (joint and spec.rule.softmax):
            return
        changes = {k: steps.change(i, k, taus[k]) for k in moved}
        if joint and moved:
            (rival,) = {*moved} - {label}
            score, change = scores[label] - scores[rival], changes[label] - changes[rival]
            steps.parts[moved] = steps.part(score, F(1), change)
        elif not joint:
            for k in moved:
                y = label if spec.scheme is None else F(1) if k == label else F(-1)
                steps.parts[k] = steps.part(scores[k], y, changes[k])

    def count(self, k, score, y, tie):
        """Count loss and mistake of column k; whether it is one."""
        wrong = not (y * score > 0.0 or (score == 0.0 and tie == y))
        self.state.losses[k] += self.spec.rule.loss(score, y)
        self.state.mistakes[k] += wrong
        return wrong

    def count_streak(self, wrong):
        s = self.state
        if not wrong:
            s.run[0] += 1
            return
        if s.run[0] > s.run[1]:
            s.run[1] = s.run[0]
            s.champion_b[:] = s.b
            for k in range(s.W.shape[1]):
                s.champion_W[:, k] = s.W[:, k] * s.scale[k]
        s.run[0] = 0

    # --- what moves the weights ------------------------------------------------------------------

    def move(self, i, taus):
        s, K = self.state, self.K
        steps = np.zeros(len(taus))
        for k in np.flatnonzero(taus):
            steps[k] = self.rounded(self.rounded(taus[k]) / s.scale[k])
            s.updates[k] += 1
            if self.log is not None:
                n = self.log.size[0]
                for name, value in {"slot": i, "column": k, "tau": steps[k], "t": s.t[0]}.items():
                    getattr(self.log, name)[n] = value
                self.log.size[0] += 1
        self.rows.axpy(i, steps, s.W)
        columns = [j for j, _ in self.rows.entries(i)]
        for k in np.flatnonzero(taus):
            far = 1e25 if self.single else 1e290
            norm = s.own["norms"][k] if "norms" in s.own else -1.0
            near = abs(taus[k]) * (1.0 + self.rows.sqnorm(i)) < far and norm < far
            finite = np.isfinite(s.W[columns, k]).all() and np.isfinite(taus[k])
            self.bad = i if self.bad < 0 and not near and not finite else self.bad
        if self.spec.average:
            self.rows.axpy(i, s.area * steps, s.U)
        for k in range(K):
            tau = taus[k] if self.spec.intercept else 0.0
            s.b[k] += tau
            if self.spec.average or K == 1:
                s.ub[k] += s.t[0] * tau

    def move_confident(self, i, taus):
        s, largest = self.state, 1e18 if self.single else 1e150
        for k in np.flatnonzero(taus):
            tau, beta = taus[k], self.steps.betas[k]
            s.updates[k] += 1
            if self.steps.full:
                step = self.steps.move_full(i, k, tau, largest)
            else:
                step = 0.0
                for j, x in self.rows.entries(i):
                    before, w, x = s.own["C"][j, k], F(s.W[j, k]), F(x)
                    s.own["C"][j, k] = after = min(before + beta * x * x, LARGEST_SUM)
                    change = self.confident_step(w, x, tau, before, after, largest)
                    s.W[j, k] = w + change
                    if len(s.U):
                        s.U[j, k] += s.area[k] * change
                if self.spec.intercept:
                    before = s.own["cb"][k]
                    s.own["cb"][k] = after = min(before + beta, LARGEST_SUM)
                    step = self.confident_step(s.b[k], F(1), tau, before, after, largest)
            if self.spec.intercept or self.K > 1:
                s.b[k] += step
                if self.spec.average or self.K == 1:
                    s.ub[k] += s.t[0] * step

    def confident_step(self, w, x, tau, before, after, largest):
        rule = self.spec.rule
        move = (rule.shrinkage(before, after) - 1.0) * w + tau * x * rule.rate(before, after)
        return clipped(move, largest)

    # --- scales, penalties -----------------------------------------------------------------------

    def fold(self, k, scale):
        s = self.state
        if len(s.U):
            s.U[:, k] -= s.area[k] * s.W[:, k]
        s.W[:, k] = s.W[:, k] * scale
        s.scale[k], s.area[k] = 1.0, 0.0

    def rescale(self, k, factor, tau, score, sqnorm):
        s = self.state
        if factor == 1.0 and tau == 0.0:
            return
        before, added = factor * factor * s.own["norms"][k], tau * (tau * sqnorm)
        norm = before + 2.0 * factor * tau * score + added
        rounding, tolerance = (5e-7, 1e-2) if self.single else (1e-15, 1e-6)
        error = factor * factor * s.own["norm_errors"][k] + rounding * (before + added)
        s.own["norm_errors"][k] = error
        s.own["norms"][k] = norm if error <= tolerance * norm else -1.0
        if factor == 1.0:
            return
        b = s.b[k]
        s.b[k] = factor * b
        s.ub[k] += s.t[0] * (s.b[k] - b)
        s.scale[k] = scale = self.rounded(s.scale[k] * factor)
        smallest = 1e-6 if self.single else 1e-9
        if not smallest <= scale <= 1.0 / smallest:
            self.fold(k, scale)

    def truncate(self, i, k):
        s, total = self.state, self.state.owed[k]
        for j, _ in self.rows.entries(i):
            z, scale, Q = F(s.W[j, k]), s.scale[k], s.Q[j, k]
            if scale * z > 0.0:
                s.W[j, k] = max(0.0, z - (total + Q) / scale)
            elif scale * z < 0.0:
                s.W[j, k] = min(0.0, z + (total - Q) / scale)
            change = F(s.W[j, k]) - z
            s.Q[j, k] += scale * change
            if len(s.U):
                s.U[j, k] += s.area[k] * change


def softmax_gradients(scores, label):
    """Return the derivatives of −log p_label by the scores, and this loss.

    p_k = exp(s_k)/Σ exp(s_j), and the derivatives are p_k, for the label p_label − 1 = −Σ p_k over
    all others: Bishop 2006, section 4.3.4. For two classes, they are those of
    ``logistic_gradient`` at the difference of the scores.
    """
    most = max(scores)
    gradients = [0.0 if k == label else math.exp(s - most) for k, s in enumerate(scores)]
    rest = sum(gradients)
    total = rest + math.exp(scores[label] - most)
    gradients[label] = -rest
    return [g / total for g in gradients], math.log(total) + (most - scores[label])
