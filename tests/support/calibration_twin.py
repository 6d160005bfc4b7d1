"""The calibration in plain Python, one number after the other: the bits of the compiled core."""

import math

from rosenblatt.theory.calibration import LARGEST_COUNT, PRIOR, PRIOR_SLOPE, is_used

LARGEST_NUMBER = 1e300


def calibrate(epoch, i, scores):
    """Learn the scores of row i of an ``exact_loops`` epoch, before the row is learned."""
    s, spec, K = epoch.state, epoch.spec, epoch.K
    label, weight, t = epoch.examples.y[i], epoch.examples.weight[i], int(s.t[0])
    if spec.scheme is not None:
        weight = epoch.rounded(spec.class_weight[label] * weight)
    if not (is_used(t) and weight > 0.0):
        return
    if spec.calibrates == "average" and t > 0:
        dots = [(epoch.rows.dot(i, s.W, k), epoch.rows.dot(i, s.U, k)) for k in range(K)]
        averaged = [(s.area[k] * dots[k][0] - dots[k][1]) / t for k in range(K)]
        scores = [averaged[k] + s.b[k] - s.ub[k] / t for k in range(K)]
    learn(s.own, scores, int(label > 0) if spec.scheme is None else int(label))


def learn(own, scores, label):
    """Learn the scores of one example; of two classes one score, and the label 1 or 0."""
    K = len(scores)
    count, size, aa, ab, bb, a, b = (own[f"calibration.{name}"] for name in NAMES)
    prior = PRIOR * 5.0 / (float(count[0]) + 4.0)
    count[0] = min(count[0] + 1, LARGEST_COUNT)
    share = 5.0 / (float(count[0]) + 4.0)
    u, z = [0.0] * K, [0.0] * K
    for k in range(K):
        score = 0.0 if math.isnan(scores[k]) else float(scores[k])
        score = max(-LARGEST_NUMBER, min(LARGEST_NUMBER, score))
        size[k] += share * (abs(score) - size[k])
        u[k] = score / float(size[k]) if size[k] > 0.0 else 0.0
        A, B, C = float(aa[k]) + prior, float(ab[k]), float(bb[k]) + prior
        g, h = float(a[k]) + prior * PRIOR_SLOPE, float(b[k])
        det = A * C - B * B
        z[k] = (C * g - B * h) / det * u[k] + (A * h - B * g) / det
    if K > 1:
        powers = [math.exp(one - max(z)) for one in z]
        total = 0.0
        for power in powers:
            total += power
        probabilities = [power / total for power in powers]
    else:
        probabilities = [sigmoid(z[0])]
    for k, p in enumerate(probabilities):
        residual = (float(k == label) if K > 1 else float(label)) - p
        curvature = abs(residual) * max(abs(residual), 1.0 - abs(residual))
        target = curvature * z[k] + residual
        aa[k] += share * (curvature * u[k] * u[k] - aa[k])
        ab[k] += share * (curvature * u[k] - ab[k])
        bb[k] += share * (curvature - bb[k])
        a[k] += share * (target * u[k] - a[k])
        b[k] += share * (target - b[k])


NAMES = "count", "size", "aa", "ab", "bb", "a", "b"


def sigmoid(z):
    if z > 0.0:
        return 1.0 / (1.0 + math.exp(-z))
    return math.exp(z) / (1.0 + math.exp(z))
