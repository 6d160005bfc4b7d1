"""Epochs of a blended rule on a state, by its twin: all arrays of the state, bit for bit."""

import math

import numpy as np
from blend_twin import Blend, E

from rosenblatt.engine.blend import records_of


def dense_row(rows, i, d):
    """Row i as numbers of all columns."""
    if hasattr(rows, "X"):
        return rows.X[i].tolist()
    here = slice(rows.indptr[i], rows.indptr[i + 1])
    x = np.zeros(d)
    x[rows.indices[here]] = rows.data[here]
    return x.tolist()


def records(state):
    """The records of a state, those of the features first, as in the twin."""
    records = records_of(state.own["blend.columns"])
    return [np.roll(array, -1, axis=0) for array in records]


def read(state, K, intercept):
    """The twin of what a state keeps, of so many weight vectors."""
    own, twin = state.own, Blend(len(state.W), 2 if K == 1 else K, intercept)
    weights, precisions, largest, present = records(state)
    twin.w[:] = weights[..., :K].transpose(1, 0, 2)
    twin.D[:] = precisions[..., :K].transpose(1, 0, 2)
    twin.M[:], twin.present[:] = largest[:-1], present[:-1]
    twin.sums[:] = own["blend.sums"]
    twin.rows, twin.total = own["blend.totals"].tolist()
    twin.dense = np.flatnonzero(twin.sums[:, 1]).tolist()
    if own["blend.lists"][0] >= 0:
        twin.dense = own["blend.dense"].ravel()[: own["blend.lists"][0]].tolist()
    terms = own["blend.terms"]
    twin.a[:], twin.L[:] = terms[: E + 1], terms[E + 1 :].reshape(E + 1, E + 1)
    twin.offsets[:] = own["blend.offsets"][: twin.P]
    return twin


def write(twin, state, seen):
    """Put the twin's numbers into a state; the weights, where the core writes them all."""
    own, K = state.own, twin.P
    weights, precisions, largest, present = records_of(own["blend.columns"])
    weights[..., :K] = np.roll(twin.w.transpose(1, 0, 2), 1, axis=0)
    precisions[..., :K] = np.roll(twin.D.transpose(1, 0, 2), 1, axis=0)
    largest[1:], present[1:] = twin.M, twin.present
    own["blend.sums"][:] = twin.sums
    own["blend.totals"][:] = twin.rows, twin.total
    own["blend.seen"].ravel()[:] = seen
    own["blend.dense"].ravel()[: len(twin.dense)] = twin.dense
    own["blend.terms"][:] = np.concatenate([twin.a, twin.L.ravel()])
    stale = 8 * twin.entries < twin.d
    own["blend.lists"][:] = len(twin.dense), stale
    if not stale:
        W, b = twin.weights(state.W.dtype.type)
        state.W[:, :K], state.b[:K] = W, b


def epoch(examples, order, state, spec, log=None):
    """:func:`rosenblatt.engine.linear.loops.epoch` of a blended rule."""
    K = 1 if spec.scheme is None else len(spec.class_weight)
    twin = read(state, K, spec.intercept)
    learns, blends = (part != 0.0 for part in spec.rule)
    seen = state.own["blend.seen"].ravel().copy()
    for i in order.tolist():
        x = dense_row(examples.rows, i, twin.d)
        label = int(examples.y[i] > 0.0) if spec.scheme is None else int(examples.y[i])
        weight = (1.0 if spec.scheme is None else spec.class_weight[label]) * examples.weight[i]
        learned = learns and weight > 0.0
        scores = twin.learn(x, label, weight, learns, blends)
        for j in twin.dense:
            seen[j] = 0 if not learned else twin.rows if x[j] != 0.0 else seen[j]
        _count(state, spec, scores, label, weight, learned, twin.offsets.tolist())
    write(twin, state, seen)
    return -1


def _count(state, spec, scores, label, weight, learned, offsets):
    """Loss, mistake, error and update of a row, and the time."""
    column = 0 if spec.scheme is None else label
    if spec.scheme is None:
        y = 1.0 if label else -1.0
        loss = spec.rule.loss(scores[0], y)
        score = scores[0] + offsets[0]
        wrong = not (y * score > 0.0 or (score == 0.0 and spec.tie == y))
    else:
        most, total = max(scores), 0.0
        for score in scores:
            total += math.exp(score - most)
        loss = math.log(total) - (scores[label] - most)
        moved = [score + offset for score, offset in zip(scores, offsets, strict=True)]
        own = moved[label]
        wrong = any(s > own or (s == own and k < label) for k, s in enumerate(moved))
    state.losses[column] += weight * loss
    state.errors[0] += wrong
    state.mistakes[column] += wrong
    state.updates[column] += learned
    state.area[: len(scores)] += state.scale[: len(scores)]
    state.t[0] += 1
