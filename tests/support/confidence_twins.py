"""NumPy twins of the loops of rules with a confidence: variances instead of sums, no tricks."""

import numpy as np

from rosenblatt import rules


class Twin:
    """K weight vectors over the features and a constant 1, with a variance for each weight.

    AdaGrad and the second-order perceptron have sums of squares in the place of variances.
    """

    def __init__(self, d, K, rule):
        self.rule, self.sop = rule, isinstance(rule, rules.SOP)
        self.sums = self.sop or isinstance(rule, rules.AdaGrad | rules.AdaGradLogistic)
        self.W = np.zeros((K, d + 1))
        self.spread = np.zeros((K, d + 1)) if self.sums else np.ones((K, d + 1))
        self.updates, self.history = np.zeros(K, int), []

    def variance(self, k, x):
        return 0.0 if self.sums else float(self.spread[k] @ (x * x))

    def move(self, k, x, tau, beta):
        if tau == 0.0:
            return
        self.updates[k] += 1
        if self.sop:
            v = self.W[k] * (self.rule.a + self.spread[k]) + tau * x
            self.spread[k] += beta * x * x
            self.W[k] = v / (self.rule.a + self.spread[k])
        elif isinstance(self.rule, rules.NAROW):
            v = self.W[k] / self.spread[k] + tau * x
            self.spread[k] = 1 / (1 / self.spread[k] + beta * x * x)
            self.W[k] = v * self.spread[k]
        elif self.sums:
            self.spread[k] += beta * x * x
            rate = np.divide(1, np.sqrt(self.spread[k]), where=self.spread[k] > 0, out=0 * x)
            self.W[k] += tau * x * rate
        else:
            self.W[k] += tau * self.spread[k] * x
            self.spread[k] = 1 / (1 / self.spread[k] + beta * x * x)

    def learn(self, X, labels, weight, order, *, joint=False):
        """Learn rows; two classes have labels −1 and +1 and K = 1."""
        for i in order:
            x, label = np.append(X[i], 1.0), labels[i]
            scores = self.W @ x
            if joint:
                rival = max((k for k in range(len(scores)) if k != label), key=lambda k: scores[k])
                variance = self.variance(label, x) + self.variance(rival, x)
                difference = scores[label] - scores[rival]
                tau, beta = self.rule.weighted_step(difference, 1.0, variance, weight[i])
                self.move(label, x, tau, beta)
                self.move(rival, x, -tau, beta)
            else:
                signs = (
                    [label]
                    if len(scores) == 1
                    else np.where(np.arange(len(scores)) == label, 1, -1)
                )
                for k, y in enumerate(signs):
                    variance = self.variance(k, x)
                    step = self.rule.weighted_step(scores[k], float(y), variance, weight[i])
                    self.move(k, x, *step)
            self.history.append(self.W.copy())
        return self
