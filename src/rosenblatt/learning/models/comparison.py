"""Comparison of two models: parameters, labels, features, counts and weights."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.learning import interface
from rosenblatt.learning.kernel.learners import KernelPerceptron
from rosenblatt.learning.models.header import edited_coef, model_tensors
from rosenblatt.learning.models.online_names import learner_and_names
from rosenblatt.utils.arrays import Array
from rosenblatt.utils.matrices import is_sparse

Norms = tuple[float, float, float]


class Sets(NamedTuple):
    """Comparison of two collections.

    Attributes
    ----------
    kept : int
        Number of items in both.
    added, lost : list
        Items of the second alone, and items of the first alone.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.models import compare
    >>> one, two = (Perceptron().fit([[0], [1]], y) for y in (["a", "b"], ["a", "c"]))
    >>> compare(one, two).labels
    Sets(kept=1, added=['c'], lost=['b'])
    """

    kept: int
    added: list[Any]
    lost: list[Any]


class Weight(NamedTuple):
    """One weight in both models.

    Attributes
    ----------
    label : Any
        Label of its weight vector.
    feature : str or int
        Name or column of the feature.
    before, after : float
        0 in a model without the feature.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.models import compare
    >>> one, two = (Perceptron(eta0=eta).fit([[0], [1]], [0, 1]) for eta in (1, 2))
    >>> compare(one, two).most_moved(1)
    [Weight(label=1, feature=0, before=2.0, after=4.0)]
    """

    label: Any
    feature: str | int
    before: float
    after: float


class Moved(NamedTuple):
    """One weight vector in both models, without the intercept.

    Attributes
    ----------
    label : Any
        Label of the vector; None for a regressor.
    norm : (float, float)
        ‖w‖ in the first model and in the second.
    intercept : (float, float)
    distance : float
        ‖w₂ − w₁‖; a missing feature has weight 0.
    angle : float
        Angle between the two in degrees; NaN if one is zero.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.models import compare
    >>> one, two = (Perceptron(eta0=eta).fit([[0], [1]], [0, 1]) for eta in (1, 2))
    >>> compare(one, two).vectors[0].norm
    (2.0, 4.0)
    """

    label: Any
    norm: tuple[float, float]
    intercept: tuple[float, float]
    distance: float
    angle: float


@dataclass(frozen=True)
class Comparison:
    """Changes from one model to another, computed by :func:`compare`.

    Attributes
    ----------
    equal : bool
        Whether the models are the same: class, parameters, labels, names, and every bit of the
        weights, sums and counters.
    kinds : (str, str)
        Class names of the models.
    params : dict of str to (before, after)
        Shared parameters with different values.
    labels : Sets
        Empty for regressors.
    features : Sets
        By name, or by column if one of the models has no names.
    rows : Sets or None
        Support rows of two kernel models, as their numbers among the examples.
    counts : dict of str to (before, after)
        ``examples``, ``updates`` and, for classifiers, ``mistakes`` and ``errors``.
    vectors : list of Moved
        One for each shared label; for the second label alone if both have the same two.
    why : str
        Reason why there are no ``vectors``, or an empty string.
    weights : dict of label to (before, after)
        Weights of ``vectors``, as arrays over ``names``. Empty for kernel models.
    names : sequence of str or int
        Features of the first model, then those of the second alone.
    named : (bool, bool)
        Whether each model has names of features.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.models import compare
    >>> one, two = (Perceptron(eta0=eta).fit([[0], [1]], [0, 1]) for eta in (1, 2))
    >>> found = compare(one, two)
    >>> found.equal, found.params
    (False, {'eta0': (1, 2)})
    """

    equal: bool
    kinds: tuple[str, str]
    params: dict[str, tuple[Any, Any]]
    labels: Sets
    features: Sets
    rows: Sets | None
    counts: dict[str, tuple[int, int]]
    vectors: list[Moved]
    why: str
    weights: dict[Any, tuple[Array, Array]]
    names: Any
    named: tuple[bool, bool]

    def most_moved(self, top: int) -> list[Weight]:
        """Return the ``top`` weights with the largest changes over all vectors, largest first.

        Parameters
        ----------
        top : int ≥ 0

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> before = Perceptron(shuffle=False).partial_fit([[0.0, 1.0], [3.0, 0.0]], [0, 1])
        >>> after = Perceptron(shuffle=False).partial_fit([[0.0, 1.0], [4.0, 0.0]], [0, 1])
        >>> compare(before, after).most_moved(1)
        [Weight(label=1, feature=0, before=3.0, after=4.0)]
        """
        candidates = []
        for label, (before, after) in self.weights.items():
            change = np.abs(after - before)
            for j in np.argsort(-change, kind="stable")[:top].tolist():
                if change[j] > 0.0:
                    weight = Weight(label, self.names[j], float(before[j]), float(after[j]))
                    candidates.append(weight)
        return sorted(candidates, key=lambda weight: -abs(weight.after - weight.before))[:top]


def compare(before: Any, after: Any) -> Comparison:
    """Compare two models.

    Weights are compared feature by feature, by name if both models have names, otherwise by column.
    Kernel models are compared in the feature space of their kernel, if they share it.

    Parameters
    ----------
    before, after : fitted classifiers or regressors of this library
        The classes may differ; ``why`` gives the reason if the weights cannot be compared.

    Returns
    -------
    Comparison

    Raises
    ------
    AttributeError
        A model is not fitted.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> before = Perceptron(shuffle=False).partial_fit([[1.0], [2.0]], ["no", "yes"])
    >>> after = Perceptron(shuffle=False).partial_fit([[1.0], [2.0], [-3.0]], ["no", "yes", "yes"])
    >>> changes = compare(before, after)
    >>> changes.equal, changes.counts["examples"], changes.vectors[0].norm
    (False, (2, 3), (2.0, 1.0))
    >>> compare(before, before).equal
    True
    """
    kinds = type(before).__name__, type(after).__name__
    params = _param_changes(before.get_params(False), after.get_params(False))
    (a, a_names), (b, b_names) = learner_and_names(before), learner_and_names(after)
    alignment = _FeatureAlignment(a_names, b_names, a.n_features_in_, b.n_features_in_)
    labels = _labels(a), _labels(b)
    rows, weights, vectors = None, {}, []
    why = _incomparable_reason(a, b, alignment)
    if not why and isinstance(a, KernelPerceptron):
        rows, vectors = _compare_rows(a, b), _vector_changes(a, b, _kernel_norms(a, b))
    elif not why:
        weights = {
            label: alignment.align(*pair)
            for label, pair in _pair_by_label(a, b, _weights(a), _weights(b)).items()
        }
        vectors = _vector_changes(a, b, {label: _norms(*pair) for label, pair in weights.items()})
    same = kinds[0] == kinds[1] and not params and a_names == b_names and _same_state(a, b)
    return Comparison(
        equal=same,
        kinds=kinds,
        params=params,
        labels=_compare_sets(*labels),
        features=alignment.sets,
        rows=rows,
        counts=_counts(a, b),
        vectors=vectors,
        why=why,
        weights=weights,
        names=alignment.names,
        named=(a_names is not None, b_names is not None),
    )


def _param_changes(
    before: dict[str, object], after: dict[str, object]
) -> dict[str, tuple[Any, Any]]:
    """Items of both records with different values."""
    shared = (name for name in before if name in after)
    pairs = {name: (before[name], after[name]) for name in shared}
    return {name: pair for name, pair in pairs.items() if repr(pair[0]) != repr(pair[1])}


def _compare_sets(before: Iterable[Any], after: Iterable[Any]) -> Sets:
    first, second = dict.fromkeys(before), dict.fromkeys(after)
    added = [item for item in second if item not in first]
    lost = [item for item in first if item not in second]
    return Sets(len(first) - len(lost), added, lost)


def _labels(model: object) -> list[Any]:
    return list(model.classes_.tolist()) if hasattr(model, "classes_") else []


def _counts(a: Any, b: Any) -> dict[str, tuple[int, int]]:
    counts = {"examples": (int(a.t_ - 1), int(b.t_ - 1)), "updates": (a.updates_, b.updates_)}
    for name in ("mistakes", "errors"):
        if hasattr(a, f"{name}_") and hasattr(b, f"{name}_"):
            counts[name] = getattr(a, f"{name}_"), getattr(b, f"{name}_")
    return counts


def _same_state(a: Any, b: Any) -> bool:
    """Return whether two models are equal to the bit, apart from the times in their history."""
    first, second = (model_tensors(model) | edited_coef(model) for model in (a, b))
    names = {name for name in first.keys() | second.keys() if not name.startswith("history_")}
    return _labels(a) == _labels(b) and all(
        name in first and name in second and np.array_equal(first[name], second[name], True)
        for name in names
    )


def _incomparable_reason(a: Any, b: Any, alignment: _FeatureAlignment) -> str:
    """Reason why the weights of two models cannot be compared, or an empty string."""
    kernels = [isinstance(model, KernelPerceptron) for model in (a, b)]
    if not any(kernels):
        if hasattr(a, "classes_") != hasattr(b, "classes_"):
            return "one predicts labels, the other numbers"
        return ""
    if not all(kernels):
        return "one has weights of features, the other is a sum of rows"
    sources = [interface.kernel_formula(model) for model in (a, b)]
    if None in sources:
        return "a precomputed kernel is not in the model"
    if sources[0] != sources[1]:
        return "their kernels differ"
    if alignment.sets.added or alignment.sets.lost:
        return "their rows have different features"
    return ""


# --- linear models -------------------------------------------------------------------------------


class _FeatureAlignment:
    """Union of the features of two models."""

    def __init__(
        self, before: list[str] | None, after: list[str] | None, n_before: int, n_after: int
    ) -> None:
        if before is None or after is None:
            n_features = max(n_before, n_after)
            complete = (names for names in (before, after) if names and len(names) == n_features)
            self.names: Any = next(complete, range(n_features))
            self._places = np.arange(n_before), np.arange(n_after)
            added, lost = list(self.names[n_before:]), list(self.names[n_after:n_before])
            self.sets = Sets(min(n_before, n_after), added, lost)
        else:
            self.sets = _compare_sets(before, after)
            self.names = [*before, *self.sets.added]
            index = {name: j for j, name in enumerate(self.names)}
            places = np.array([index[name] for name in after], np.int64)
            self._places = np.arange(len(before)), places

    def align(self, u: Array, v: Array) -> tuple[Array, Array]:
        """Return a vector of each model over all features; one that the model lacks has 0."""
        first, second = np.zeros((2, len(self.names)))
        # A model without any name has one weight, which nothing has moved.
        first[self._places[0]], second[self._places[1]] = u, v
        return first, second


def _weights(model: Any) -> Array:
    """Weights that predict, shape (vectors, d)."""
    coef = model.coef_.toarray() if is_sparse(model.coef_) else model.coef_
    return np.atleast_2d(np.asarray(coef, np.float64))


def _pair_by_label(a: object, b: object, first: Array, second: Array) -> dict[Any, tuple[Any, Any]]:
    """Pair two arrays, with one row per weight vector, by the labels that both models have."""
    signed = [_by_label(_labels(model), values) for model, values in ((a, first), (b, second))]
    both = [label for label in signed[0] if label in signed[1]]
    if len(both) == 2 and len(first) == len(second) == 1:
        both = both[1:]  # the first label has the same weights with opposite sign
    return {label: (signed[0][label], signed[1][label]) for label in both}


def _by_label(labels: list[Any], values: Array) -> dict[Any, Any]:
    """Row of each label; two labels share one row, with opposite signs."""
    if len(labels) == 2:
        return {labels[0]: -values[0], labels[1]: values[0]}
    return dict(zip(labels or [None], values, strict=True))


def _norms(u: Array, v: Array) -> Norms:
    """‖u‖, ‖v‖ and ‖v − u‖."""
    return float(np.linalg.norm(u)), float(np.linalg.norm(v)), float(np.linalg.norm(v - u))


def _vector_changes(a: Any, b: Any, norms: dict[Any, Norms]) -> list[Moved]:
    intercepts = _pair_by_label(a, b, np.atleast_1d(a.intercept_), np.atleast_1d(b.intercept_))
    return [
        Moved(
            label,
            (first, second),
            (float(intercepts[label][0]), float(intercepts[label][1])),
            distance,
            _angle(first, second, distance),
        )
        for label, (first, second, distance) in norms.items()
    ]


def _angle(a: float, b: float, c: float) -> float:
    """Angle in degrees between the sides a and b of a triangle with third side c.

    Computed from the half angle, since the arccos is inaccurate for small angles.

    Examples
    --------
    >>> round(_angle(3.0, 4.0, 5.0), 9), _angle(2.0, 2.0, 0.0), _angle(0.0, 1.0, 1.0)
    (90.0, 0.0, nan)
    """
    if min(a, b) == 0.0:
        return math.nan
    square = (c - (a - b)) * (c + (a - b)) / (4.0 * a * b)
    return math.degrees(2.0 * math.asin(math.sqrt(min(1.0, max(0.0, square)))))


# --- kernel models -------------------------------------------------------------------------------


def _compare_rows(a: Any, b: Any) -> Sets:
    """Compare the support rows by content, whatever their example numbers."""
    left, right = (interface.support(model) for model in (a, b))
    keys = [
        left.keys(left.as_stored(rows), np.arange(rows.shape[0]))
        for rows in (left.matrix(), right.matrix())
    ]
    sets = _compare_sets(*keys)
    numbers = [
        dict(zip(key, model.support_.tolist(), strict=True))
        for key, model in zip(keys, (a, b), strict=True)
    ]
    added, lost = [numbers[1][k] for k in sets.added], [numbers[0][k] for k in sets.lost]
    return Sets(sets.kept, added, lost)


def _kernel_norms(a: Any, b: Any) -> dict[Any, Norms]:
    """As :func:`_norms`, from inner products in the kernel's feature space."""
    products = interface.weight_products
    own, cross, other = products(a, a), products(a, b), products(b, b)
    norms = {}
    for label, (p, q) in _pair_by_label(a, b, np.eye(len(own)), np.eye(len(other))).items():
        first, product, second = p @ own @ p, p @ cross @ q, q @ other @ q
        squares = first, second, first - 2.0 * product + second
        u, v, distance = (math.sqrt(max(0.0, square)) for square in squares)
        norms[label] = u, v, distance
    return norms
