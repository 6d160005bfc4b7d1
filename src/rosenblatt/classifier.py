"""What every linear classifier does with labels: their names, their weights, their late arrival."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets

from rosenblatt import schemes, state
from rosenblatt.checks import check_parameters
from rosenblatt.learner import LinearLearner
from rosenblatt.training import Problem

Array = NDArray[Any]


class LinearClassifier(ClassifierMixin, SparseCoefMixin, LinearLearner):
    """What the classifiers share: labels, their weights, and labels that appear late."""

    classes_: Array

    # Defaults of the parameters that not every classifier has.
    early_stopping: bool = False
    validation_fraction: float = 0.1
    class_weight: Any = None
    multi_class: str = "ovr"

    @property
    def mistakes_(self) -> int:
        """Mistakes made while learning, over all weight vectors and all examples seen.

        One against the rest counts wrong signs, vector by vector; joint classes count wrong
        arg max.
        """
        self._fitted("mistakes_")
        return int(self._state.mistakes.sum())

    @property
    def errors_(self) -> int:
        """Examples whose class was predicted wrong when they were met, before they were learned."""
        self._fitted("errors_")
        return int(self._state.errors[0])

    @property
    def coef_(self) -> Any:
        """Weights, shape (1, d) for two classes, (K, d) for more."""
        return self._weights()

    @coef_.setter
    def coef_(self, value: Any) -> None:
        now = self._weights()
        same = not sp.issparse(value) and not sp.issparse(now) and np.array_equal(value, now)
        if self._output() == "last" and not sp.issparse(value) and not same:
            self._state.W[:, : self._columns()] = np.atleast_2d(value).T
            self._state.scale[:] = 1.0
        self._coef = value

    @property
    def intercept_(self) -> Array:
        """Intercepts, shape (1,) for two classes, (K,) for more."""
        return self._intercepts()

    @intercept_.setter
    def intercept_(self, value: Any) -> None:
        self._fitted("intercept_")
        self._state.b[: self._columns()] = value

    def _columns(self) -> int:
        K = len(self.classes_)
        return K if K > 2 else 1

    # --- prediction ------------------------------------------------------------------------------

    def decision_function(self, X: ArrayLike) -> Array:
        """Scores ⟨w, x⟩ + b.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        scores : ndarray of shape (n,) for two classes, (n, K) for more
            Two classes: the score of ``classes_[1]``.
        """
        scores = self._scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: ArrayLike) -> Array:
        """Labels with the highest score; ``tie`` says what a score of exactly zero is.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        labels : ndarray of shape (n,)
        """
        scores = self.decision_function(X)
        labels: Array = self.classes_.take(self._winners(scores))
        return labels

    def _winners(self, scores: Array) -> Array:
        if scores.ndim == 1:
            positive = scores >= 0 if self._tie() == 1 else scores > 0
            return (positive & (len(self.classes_) > 1)).astype(np.int64)
        return np.asarray(np.argmax(scores, axis=1))

    # --- training --------------------------------------------------------------------------------

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from (X, y), epoch after epoch.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            float32 stays float32; everything else becomes float64.
        y : array of shape (n,)
            At least two different labels.
        coef_init, intercept_init : arrays of shape (1, d) or (K, d), and (1,) or (K,), optional
            Where to start.
        sample_weight : array of shape (n,), optional
            Each example's step is multiplied by its weight.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Bad parameters, labels or numbers, or weights that run out of range.
        """
        check_parameters(self)
        rows, labels = self._validated(X, y, reset=True)
        check_classification_targets(labels)
        weight = self._weighted(sample_weight, rows)
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class. A classifier needs "
                "examples of at least two."
            )
        if self.warm_start and "_state" in vars(self) and list(classes) != list(self.classes_):
            raise ValueError(
                f"warm_start goes on with the classes {self.classes_}, but y has {classes}."
            )
        columns = len(classes) if len(classes) > 2 else 1
        start = self._start(rows, columns)
        _set_init(start, columns, coef_init, intercept_init)
        held_out = self._held_out(codes, weight)
        problem = self._classification(rows, codes, weight, classes, held_out, self.max_iter)
        judges: dict[str, Any] = {}
        if held_out is not None:
            judges["validate"] = _Accuracy(rows[held_out], problem, held_out)
        if self._output() == "pocket":
            learned = slice(None) if held_out is None else ~held_out
            judges["judge"] = _Errors(
                rows[learned], codes[learned], weight[learned], columns, self._winners
            )
        plan = self._plan(problem, **judges)
        self.classes_ = classes
        self._open = True
        self._train(problem, plan, start)
        return self

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from one more batch, walked once.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,)
        classes : array, optional
            All labels there will ever be, in the first call or in none. Without it a label may be
            new at any time: it is learned from its first example on.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Bad parameters, labels or numbers, or a label outside of ``classes``.
        """
        first = "_state" not in vars(self)
        check_parameters(self)
        if self.early_stopping:
            raise ValueError("early_stopping should be False with partial_fit.")
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' is not supported for partial_fit: the classes' shares are "
                "not known yet. Use compute_class_weight('balanced', ...) on a sample and pass "
                "class_weight a dict."
            )
        X, y = self._validated(X, y, reset=first)
        if y.dtype.kind not in "biuU":
            check_classification_targets(y)
        weight = self._weighted(sample_weight, X)
        if first:
            self._open = classes is None
            self._expand_to(X, np.unique(y)[:0] if classes is None else np.unique(classes))
        elif classes is not None and list(np.unique(classes)) != list(self.classes_):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                f"{self.classes_!r}"
            )
        before = self.mistakes_
        self._learn(X, y, weight)
        self.n_iter_ = 1
        self.converged_ = self.mistakes_ == before
        return self

    def _learn(self, X: Any, y: Array, weight: Array) -> None:
        """Walk a batch once, stopping at every label's first appearance to make room for it."""
        order = self._order(len(y))
        new = self._unknown(y)
        if new and not self._open:
            raise ValueError(
                f"y has the label {new[0]!r}, which is none of the classes "
                f"{self.classes_.tolist()}. "
                "Leave out `classes` in the first call to learn labels as they appear."
            )
        if not new:
            self._walk_stretch(X, y, weight, order)
            return
        firsts = {int(np.argmax(y[order] == label)): label for label in new}
        cuts = sorted({0, len(y), *firsts, *(place + 1 for place in firsts)})
        for start, stop in pairwise(cuts):
            errors = self.errors_
            if start in firsts:
                self._add_class(firsts[start])
            self._walk_stretch(X, y, weight, order[start:stop])
            if start in firsts:  # nobody predicts a label never seen
                self._state.errors[0] = errors + 1

    def _unknown(self, y: Array) -> list[Any]:
        """The labels in y that are no classes yet."""
        known = self.classes_
        if len(known) and known.dtype == y.dtype:  # the usual case, cheaply
            nearest = known[np.searchsorted(known, y).clip(max=len(known) - 1)]
            if (nearest == y).all():
                return []
        return list(np.setdiff1d(y, known).tolist())

    def _walk_stretch(self, X: Any, y: Array, weight: Array, order: Array) -> None:
        if len(self.classes_) < 2:
            state.idled(self._state, len(order))
            return
        codes = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        self._walk_once(self._classification(X, codes, weight, self.classes_), order)

    def _expand_to(self, X: Any, classes: Array) -> None:
        self.classes_ = classes
        self._state = self._empty(X, self._columns())
        self._coef = None

    def _add_class(self, label: Any) -> None:
        known = self.classes_
        if len(known) and (known.dtype.kind in "OUS") != isinstance(label, str | bytes):
            raise ValueError(
                f"y has labels of mixed types: {label!r} now, {known[0]!r} before. Use one type."
            )
        position = int(np.searchsorted(known, label))
        if len(known) >= 2:
            self._state = state.with_column(self._state, self._columns(), position)
            self._coef = None
        self.classes_ = np.sort(np.append(known, np.asarray([label])))

    def _classification(
        self,
        X: Any,
        codes: Array,
        weight: Array,
        classes: Array,
        held_out: Array | None = None,
        epochs: int = 1,
    ) -> Problem:
        """Two classes: one vector and signs. More: the classes' numbers and a scheme."""
        by_class = np.ones(len(classes), X.dtype)
        if self.class_weight is not None:
            by_class = compute_class_weight(
                self.class_weight, classes=classes, y=classes[codes]
            ).astype(X.dtype)
        if len(classes) == 2:
            return self._problem(X, 2.0 * codes - 1.0, by_class[codes] * weight, held_out=held_out)
        scheme = schemes.by_name(self.multi_class)
        codes = codes.astype(np.int64, copy=False)
        by_class = by_class.astype(np.float64)
        return self._problem(X, codes, weight, scheme, by_class, held_out, epochs)

    def _held_out(self, codes: Array, weight: Array) -> Array | None:
        """The rows to stop by, where early stopping wants some."""
        if not self.early_stopping:
            return None
        splitter = StratifiedShuffleSplit(
            test_size=self.validation_fraction,
            random_state=self.random_state,
        )
        _, chosen = next(splitter.split(np.zeros((len(codes), 1)), codes))
        if not weight[chosen].any():
            raise ValueError(
                "The sample weights for validation set are all zero, consider using a different "
                "random state."
            )
        held_out = np.zeros(len(codes), dtype=np.bool_)
        held_out[chosen] = True
        return held_out


def _set_init(start: state.State, columns: int, coef: Any, intercept: Any) -> None:
    d = start.W.shape[0]
    if coef is not None:
        coef = np.asarray(coef, dtype=start.W.dtype)
        if coef.shape not in ({(d,), (1, d)} if columns == 1 else {(columns, d)}):
            raise ValueError(
                f"coef_init has shape {coef.shape}, but the data asks for {(columns, d)}: "
                "it does not match dataset."
            )
        start.W[:, :columns] = np.atleast_2d(coef).T
        start.scale[:] = 1.0
    if intercept is not None:
        intercept = np.asarray(intercept, dtype=np.float64)
        if intercept.shape not in ({(), (1,)} if columns == 1 else {(columns,)}):
            raise ValueError(
                f"intercept_init has shape {intercept.shape}, but the data asks for {(columns,)}: "
                "it does not match dataset."
            )
        start.b[:columns] = intercept


class _Accuracy:
    """Accuracy of each weight vector on its own two-class problem (joint: of the arg max)."""

    def __init__(self, X: Any, problem: Problem, index: Array) -> None:
        self.X, self.problem = X, problem
        self.y, self.weight = problem.y[index], problem.weight[index]

    def __call__(self, W: Array, b: Array) -> Array:
        columns = self.problem.columns
        scores = safe_sparse_dot(self.X, W[:, :columns], dense_output=True) + b[:columns]
        if self.problem.one_criterion:
            right = (np.argmax(scores, axis=1) == self.y)[:, None]
        elif columns == 1:
            right = (scores > 0) == (self.y > 0)[:, None]
        else:
            right = (scores > 0) == (self.y[:, None] == np.arange(columns))
        return np.average(right, axis=0, weights=self.weight)


class _Errors:
    """Weight of the rows that predict would get wrong."""

    def __init__(self, X: Any, codes: Array, weight: Array, columns: int, winners: Any) -> None:
        self.X, self.codes, self.weight = X, codes, weight
        self.columns, self.winners = columns, winners

    def __call__(self, W: Array, b: Array) -> float:
        scores = safe_sparse_dot(self.X, W[:, : self.columns], dense_output=True)
        scores = scores + b[: self.columns]
        won = self.winners(scores.ravel() if self.columns == 1 else scores)
        return float(self.weight[won != self.codes].sum())
