"""The records of a blended rule: what its learners keep of the intercept and of each feature.

Of two classes a record is a line of the cache, {w, w, w, M, D, D, D, Σ n}: the weights of the
learners, the largest ``|x − μ|``, their precisions, and the sum of the numbers of the rows in which
x is not 0. Of P columns it is EXPERTS · P weights, as many precisions, M, Σ n, and six zeros, so
that every record begins a line. The loop of the core has the formulas
(``src/core/arithmetic/blend.h``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from rosenblatt._core import linear
from rosenblatt.theory.rule_kinds import BLENDED, EXPERTS, OWN_FIELDS
from rosenblatt.theory.rules.auto import FORGETS
from rosenblatt.utils.arrays import Array

_FORGETS = np.array([share > 0.0 for share in FORGETS])
"""Which learners forget."""


class Records(NamedTuple):
    """Views of an array of records.

    Attributes
    ----------
    weights, precisions : ndarray of shape (rows, EXPERTS, P)
    largest, present : ndarray of shape (rows,)
        M and Σ n.
    """

    weights: Array
    precisions: Array
    largest: Array
    present: Array


def width(P: int) -> int:
    """Return the numbers of a record for P columns.

    Examples
    --------
    >>> width(1), width(8)
    (8, 56)
    """
    return 8 if P == 1 else 2 * EXPERTS * P + 8


def records_of(array: Array) -> Records:
    """Return the views of an array of records."""
    P = 1 if array.shape[1] == width(1) else (array.shape[1] - 8) // (2 * EXPERTS)
    slots = EXPERTS + 1 if P == 1 else EXPERTS * P
    shape = len(array), EXPERTS, P
    largest, present = (EXPERTS, slots + EXPERTS) if P == 1 else (2 * slots, 2 * slots + 1)
    return Records(
        array[:, : EXPERTS * P].reshape(shape),
        array[:, slots : slots + EXPERTS * P].reshape(shape),
        array[:, largest],
        array[:, present],
    )


def spreads(own: Mapping[str, Array]) -> Array | None:
    """Return the spread of each feature in a state, shape (d,): the root of the mean of z².

    A row counts by h = p (1 − p) of the learner that forgets nothing, so that rows near the border
    count most: its precision of a feature is Σ h z², and that of the intercept is Σ h. None without
    an intercept.
    """
    precisions = records_of(own["blend.columns"]).precisions[:, 0].sum(axis=1)
    return None if precisions[0] == 0.0 else np.sqrt(precisions[1:] / precisions[0])


def is_valid(array: Array) -> bool:
    """Return True for records that training can produce: of a file, which may lie."""
    _, *positive = records_of(array)
    return bool(np.isfinite(array).all()) and all((part >= 0.0).all() for part in positive)


def lies(own: Mapping[str, Array]) -> Iterator[str]:
    """Yield the names of arrays that training cannot produce: of a file, which may lie."""
    if BLENDED not in own:
        return
    if not is_valid(own["blend.columns"]):
        yield "blend.columns"
    for name in ("blend.sums", "blend.totals", "blend.terms", "blend.offsets"):
        if not np.isfinite(own[name]).all():
            yield name
    if (own["blend.totals"] >= 2.0**106).any() or own["blend.totals"][0] >= 2.0**53:
        yield "blend.totals"
    if (own["blend.sums"][:, 1] < 0.0).any():
        yield "blend.sums"
    size, dense = int(own[BLENDED][0]), own["blend.dense"].ravel()
    listed = dense[: max(0, size)]
    if size > len(dense) or ((listed < 0) | (listed >= len(dense))).any():
        yield BLENDED


def refresh(W: Array, b: Array, own: Mapping[str, Array]) -> None:
    """Write the weights of a state, which follow from a blend, where rows were learned since."""
    lists = own.get(BLENDED)
    if lists is not None and lists[1] != 0:
        arrays = tuple(array for name, array in own.items() if name in OWN_FIELDS["blended"])
        linear.BlendedWeights(W, b, arrays).refresh()


def set_offsets(own: Mapping[str, Array], offsets: Array) -> None:
    """Set what the weights of the classes add to the scores of a state."""
    current = own["blend.offsets"][: len(offsets)]
    if not np.array_equal(current, offsets):
        current[:] = offsets
        own[BLENDED][1] = -1  # the intercepts follow


def class_offsets(by_class: Array) -> Array:
    """Return what weights of the classes add to the scores: log w_k, of two classes log(w_1/w_0).

    That is what weights do to the log odds of a model that has learned enough, at once and exactly;
    a weight of 0 adds the log of the least number.

    Raises
    ------
    ValueError
        A weight is negative.

    Examples
    --------
    >>> class_offsets(np.array([1.0, 9.0])).round(2), class_offsets(np.ones(3))
    (array([2.2]), array([0., 0., 0.]))
    """
    if (by_class < 0.0).any():
        raise ValueError(f"class_weight must be at least 0 with rule='auto'; got {by_class.min()}.")
    logs = np.log(np.maximum(by_class.astype(np.float64), np.finfo(np.float64).tiny))
    return np.asarray(logs[1:] - logs[:1] if len(logs) == 2 else logs)


def insert_class(target: Array, array: Array, positions: list[int]) -> None:
    """Write records into those of one class more, whose columns of before are at ``positions``.

    The weights w of two classes become −w/2 and w/2, whose difference is w; both get the precision.
    """
    old, new = records_of(array), records_of(target)
    is_pair = old.weights.shape[2] == 1
    columns = [0, 0] if is_pair else list(range(len(positions)))
    factors = np.array([-0.5, 0.5]) if is_pair else 1.0
    learned = np.append(0, 1 + np.flatnonzero(old.present[1:]))  # all other records are zeros
    places = np.ix_(learned, np.arange(EXPERTS), np.array(positions))
    new.weights[places] = old.weights[learned][..., columns] * factors
    new.precisions[places] = old.precisions[learned][..., columns]
    new.largest[learned], new.present[learned] = old.largest[learned], old.present[learned]


def increment(before: Array, shard: Array, share: float) -> Array:
    """Return what a shard adds to a mixture: its share of what is averaged, and all of the sums."""
    added = np.asarray(shard - before)
    parts = records_of(added)
    parts.weights[:] *= share
    parts.precisions[:, _FORGETS] *= share
    return added


def mixed(before: Array, increments: Array, share: float, largest: Array) -> Array:
    """Return the mixture of shards: the mean of the weights, the largest M, all sums.

    A precision that forgets has no sum: what all shards have forgotten of it would be taken from it
    several times. It is averaged.
    """
    result = before.copy()
    old, added, new = records_of(before), records_of(increments), records_of(result)
    new.weights[:] = old.weights + added.weights / share
    averaged = np.where(_FORGETS, share, 1.0)[:, np.newaxis]
    new.precisions[:] = old.precisions + added.precisions / averaged
    new.present[:] = old.present + added.present
    new.largest[:] = records_of(largest).largest
    return result
