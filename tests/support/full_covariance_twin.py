"""Rules with a full covariance in plain NumPy: Σ is the inverse of a sum of squares."""

import numpy as np
from confidence_twins import Twin


class FullTwin(Twin):
    """K weight vectors over the features and a constant 1, with a precision matrix for each."""

    def __init__(self, d, K, rule):
        super().__init__(d, K, rule)
        self.precision = np.stack([np.eye(d + 1)] * K)

    def variance(self, k, x):
        return float(x @ np.linalg.solve(self.precision[k], x))

    def move(self, k, x, tau, beta):
        if tau == 0.0:
            return
        self.updates[k] += 1
        self.W[k] += tau * np.linalg.solve(self.precision[k], x)
        self.precision[k] += beta * np.outer(x, x)
