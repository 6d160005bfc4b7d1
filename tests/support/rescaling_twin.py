"""A NumPy twin of the loops of rules that rescale the weights: whole vectors, norms summed anew."""

import numpy as np


class RescalingTwin:
    """K weight vectors over the features and a constant 1; the joint scheme has one of all."""

    def __init__(self, d, K, rule):
        self.rule, self.W = rule, np.zeros((K, d + 1))
        self.updates, self.history, self.t = np.zeros(K, int), [], 0

    def moved(self, w, z, y, updates, weight):
        """The vector w after an example z of label y, and whether z was added to it."""
        norms = float(z @ z), float(w @ w)
        seen = float(w @ z), y, *norms, self.t, updates, weight
        factor, tau = self.rule.weighted_rescale(*seen)
        return factor * w + tau * z, tau != 0.0

    def learn(self, X, labels, weight, order, *, joint=False):
        """Learn rows; two classes have labels −1 and +1 and K = 1."""
        K = len(self.W)
        for i in order:
            x, label = np.append(X[i], 1.0), labels[i]
            if joint:
                scores = self.W @ x
                rival = max((k for k in range(K) if k != label), key=lambda k: scores[k])
                z = np.zeros_like(self.W)
                z[label], z[rival] = x, -x
                updates = int(self.updates.sum()) // 2
                w, added = self.moved(self.W.ravel(), z.ravel(), 1.0, updates, weight[i])
                self.W = w.reshape(self.W.shape)
                self.updates[[label, rival]] += added
            else:
                for k in range(K):
                    y = float(label) if K == 1 else (1.0 if k == label else -1.0)
                    own = int(self.updates[k])
                    self.W[k], added = self.moved(self.W[k], x, y, own, weight[i])
                    self.updates[k] += added
            self.t += 1
            self.history.append(self.W.copy())
        return self
