"""What changed between two models: parameters, labels, features, counts and weights."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.engine import state
from rosenblatt.learning.kernel import prediction
from rosenblatt.learning.kernel.estimators import KernelPerceptron
from rosenblatt.learning.models.header import edited_coef, model_tensors
from rosenblatt.learning.models.online_names import learner_and_names
from rosenblatt.learning.support import KernelRows

Array = NDArray[Any]
Norms = tuple[float, float, float]


class Sets(NamedTuple):
    """What two collections share, and what each has alone.

    Attributes
    ----------
    kept : int
        How many are in both.
    added, lost : list
        What only the second has, and what only the first has.
    """

    kept: int
    added: list[Any]
    lost: list[Any]


class Weight(NamedTuple):
    """One weight in both models.

    Attributes
    ----------
    label : Any
        The label that its vector speaks for.
    feature : str or int
        Its name, or its column.
    before, after : float
        0 where a model does not know the feature.
    """

    label: Any
    feature: str | int
    before: float
    after: float


class Moved(NamedTuple):
    """One weight vector in both models; the intercept stands apart.

    Attributes
    ----------
    label : Any
        The label that it speaks for; None of a regressor.
    norm : (float, float)
        ‖w‖ in the first model and in the second.
    intercept : (float, float)
    distance : float
        ‖w₂ − w₁‖; a feature that a model does not know weighs 0 in it.
    angle : float
        Between the two, in degrees; NaN where one is zero.
    """

    label: Any
    norm: tuple[float, float]
    intercept: tuple[float, float]
    distance: float
    angle: float


@dataclass(frozen=True)
class Comparison:
    """What changed from one model to another. :func:`compare` makes it.

    Attributes
    ----------
    equal : bool
        Whether nothing changed: same class, parameters, labels and names, and every weight, sum and
        counter the same to the last bit.
    kinds : (str, str)
        The names of their classes.
    params : dict of str to (before, after)
        Parameters that both have, with different values.
    labels : Sets
        Empty for regressors.
    features : Sets
        By name or, where one of the models has no names, by column.
    rows : Sets or None
        The rows that two kernel models are sums of, as their numbers among the examples.
    counts : dict of str to (before, after)
        ``examples``, ``updates`` and, of classifiers, ``mistakes`` and ``errors``.
    vectors : list of Moved
        For each label that both know; where both know the same two, for the second.
    why : str
        Why there are no ``vectors``; else empty.
    weights : dict of label to (before, after)
        The weights behind ``vectors``, arrays over ``names``. Empty for kernel models.
    names : sequence of str or int
        Features of the first model, then those that only the second has.
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

    def most_moved(self, top: int) -> list[Weight]:
        """The ``top`` weights that changed most, over all vectors, the largest change first.

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
    """What changed from one model to another.

    Weights are compared feature by feature, by name where both models have names, else by column.
    Kernel models are compared in the space of their kernel, if it is the same one.

    Parameters
    ----------
    before, after : fitted classifiers or regressors of this library
        Of any two classes; what cannot be compared is left out, and ``why`` tells the reason.

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
    >>> found = compare(before, after)
    >>> found.equal, found.counts["examples"], found.vectors[0].norm
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
            label: (alignment.align_first(u), alignment.align_second(v))
            for label, (u, v) in _pair_by_label(a, b, _weights(a), _weights(b)).items()
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
    )


def _param_changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What two records have both, with different values."""
    shared = (name for name in before if name in after)
    pairs = {name: (before[name], after[name]) for name in shared}
    return {name: pair for name, pair in pairs.items() if repr(pair[0]) != repr(pair[1])}


def _compare_sets(before: Iterable[Any], after: Iterable[Any]) -> Sets:
    first, second = dict.fromkeys(before), dict.fromkeys(after)
    added = [item for item in second if item not in first]
    lost = [item for item in first if item not in second]
    return Sets(len(first) - len(lost), added, lost)


def _labels(model: Any) -> list[Any]:
    return list(model.classes_.tolist()) if hasattr(model, "classes_") else []


def _counts(a: Any, b: Any) -> dict[str, tuple[int, int]]:
    counts = {"examples": (int(a.t_ - 1), int(b.t_ - 1)), "updates": (a.updates_, b.updates_)}
    for name in ("mistakes", "errors"):
        if hasattr(a, f"{name}_") and hasattr(b, f"{name}_"):
            counts[name] = getattr(a, f"{name}_"), getattr(b, f"{name}_")
    return counts


def _same_state(a: Any, b: Any) -> bool:
    """Whether two learners go on alike: how long their epochs took does not matter."""
    first, second = (model_tensors(model) | edited_coef(model) for model in (a, b))
    names = {name for name in first.keys() | second.keys() if not name.startswith("history_")}
    return _labels(a) == _labels(b) and all(
        name in first and name in second and np.array_equal(first[name], second[name], True)
        for name in names
    )


def _incomparable_reason(a: Any, b: Any, alignment: _FeatureAlignment) -> str:
    """Why the weights of two learners say nothing of each other; empty where they do."""
    kernels = [isinstance(model, KernelPerceptron) for model in (a, b)]
    if not any(kernels):
        if hasattr(a, "classes_") != hasattr(b, "classes_"):
            return "one predicts labels, the other numbers"
        return ""
    if not all(kernels):
        return "one has weights of features, the other is a sum of rows"
    sources = [getattr(model._kernel_function(), "kernel", None) for model in (a, b)]
    if None in sources:
        return "a precomputed kernel is not in the model"
    if sources[0] != sources[1]:
        return "their kernels differ"
    if alignment.sets.added or alignment.sets.lost:
        return "their rows have different features"
    return ""


# --- weights of features -------------------------------------------------------------------------


class _FeatureAlignment:
    """The features of two models, side by side."""

    def __init__(
        self, before: list[str] | None, after: list[str] | None, n_before: int, n_after: int
    ) -> None:
        if before is None or after is None:
            n_features = max(n_before, n_after)
            complete = (names for names in (before, after) if names and len(names) == n_features)
            self.names: Any = next(complete, range(n_features))
            self._indices = np.arange(n_after)
            added, lost = list(self.names[n_before:]), list(self.names[n_after:n_before])
            self.sets = Sets(min(n_before, n_after), added, lost)
        else:
            self.sets = _compare_sets(before, after)
            self.names = [*before, *self.sets.added]
            index = {name: j for j, name in enumerate(self.names)}
            self._indices = np.array([index[name] for name in after], np.int64)

    def align_first(self, w: Array) -> Array:
        """A vector of the first model, over all features."""
        return np.append(w, np.zeros(len(self.names) - len(w)))

    def align_second(self, w: Array) -> Array:
        """A vector of the second model, over all features."""
        aligned = np.zeros(len(self.names))
        aligned[self._indices] = w
        return aligned


def _weights(model: Any) -> Array:
    """The weights to predict with, shape (columns, d)."""
    coef = model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_
    return np.atleast_2d(np.asarray(coef, np.float64))


def _pair_by_label(a: Any, b: Any, first: Array, second: Array) -> dict[Any, tuple[Any, Any]]:
    """Of two arrays with a line for every weight vector, the lines of each label in both."""
    signed = [_by_label(_labels(model), values) for model, values in ((a, first), (b, second))]
    both = [label for label in signed[0] if label in signed[1]]
    if len(both) == 2 and len(first) == len(second) == 1:
        both = both[1:]  # the other has the same weights with the other sign
    return {label: (signed[0][label], signed[1][label]) for label in both}


def _by_label(labels: list[Any], values: Array) -> dict[Any, Any]:
    """The line of each label; two labels share one, with opposite signs."""
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
    """The angle between the sides a and b of a triangle whose third is c, in degrees.

    By the half angle: the arccos would lose small ones.

    Examples
    --------
    >>> round(_angle(3.0, 4.0, 5.0), 9), _angle(2.0, 2.0, 0.0), _angle(0.0, 1.0, 1.0)
    (90.0, 0.0, nan)
    """
    if min(a, b) == 0.0:
        return math.nan
    square = (c - (a - b)) * (c + (a - b)) / (4.0 * a * b)
    return math.degrees(2.0 * math.asin(math.sqrt(min(1.0, max(0.0, square)))))


# --- sums of rows --------------------------------------------------------------------------------


def _compare_rows(a: Any, b: Any) -> Sets:
    """The rows of two sums: equal ones are one, wherever they stood."""
    left, right = a._dual.support, b._dual.support
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
    """As :func:`_norms`, by inner products in the space of the kernel."""
    own, cross, other = _weight_products(a, a), _weight_products(a, b), _weight_products(b, b)
    norms = {}
    for label, (p, q) in _pair_by_label(
        a, b, np.eye(a._n_vectors()), np.eye(b._n_vectors())
    ).items():
        first, product, second = p @ own @ p, p @ cross @ q, q @ other @ q
        squares = first, second, first - 2.0 * product + second
        u, v, distance = (math.sqrt(max(0.0, square)) for square in squares)
        norms[label] = u, v, distance
    return norms


def _weight_products(a: Any, b: Any) -> Array:
    """⟨w, w'⟩ of every weight vector of one kernel model with every one of another."""
    gram, rows = (
        b._kernel_function(),
        b._dual.support.as_stored(a._dual.support.matrix()).astype(b._dtype),
    )
    W, _ = state.weights(b._state, b._state_output())
    if rows.shape[0] == 0 or b._dual.size == 0:
        return np.zeros((a._n_vectors(), b._n_vectors()))
    sums = prediction.decision_scores(gram, b._dual, W, KernelRows(rows, gram.norms(rows)))
    return np.asarray(a._dual_coefficients().T @ sums[:, : b._n_vectors()], np.float64)
