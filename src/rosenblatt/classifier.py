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
from sklearn.utils.multiclass import check_classification_targets

from rosenblatt import schemes, state
from rosenblatt.checks import check_parameters
from rosenblatt.judging import Accuracy, Errors, winners
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
        """Weights, shape (1, d) for two classes, (K, d) for more; set them as a whole."""
        return self._weights()

    @coef_.setter
    def coef_(self, value: Any) -> None:
        if not sp.issparse(value):
            self._coef = None
            if np.array_equal(value, self._weights()):
                return
            self._check_settable("coef_")
            columns = self._columns()
            value = np.broadcast_to(np.atleast_2d(value), (columns, self.n_features_in_))
            state.placed(self._state, value.T, None)
            value = None
        self._coef = value

    @property
    def intercept_(self) -> Array:
        """Intercepts, shape (1,) for two classes, (K,) for more; set them as a whole."""
        return self._intercepts()

    @intercept_.setter
    def intercept_(self, value: Any) -> None:
        self._check_settable("intercept_")
        state.placed(self._state, None, np.broadcast_to(value, (self._columns(),)))

    def _check_settable(self, name: str) -> None:
        self._fitted(name)
        if self._output() != "last":
            raise ValueError(
                f"{name} follows from the whole run where output={self._output()!r}: "
                "it cannot be set. Use output='last', or coef_init and intercept_init in fit."
            )

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
        won = winners(self.decision_function(X), self._tie())
        labels: Array = self.classes_.take(won.clip(max=len(self.classes_) - 1))
        return labels

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
        with self._all_or_nothing():
            check_parameters(self)
            rows, labels = self._validated(X, y, reset=True)
            check_classification_targets(labels)
            weight = self._weighted(sample_weight, rows)
            self._fit(rows, labels, weight, coef_init, intercept_init)
        return self

    def _fit(self, X: Any, y: Array, weight: Array, coef_init: Any, intercept_init: Any) -> None:
        classes, codes = np.unique(y, return_inverse=True)
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
        start = self._start(X, columns)
        state.placed(start, *_inits(X.shape[1], columns, coef_init, intercept_init))
        held_out = self._held_out(codes, weight)
        problem = self._classification(X, codes, weight, classes, held_out, self.max_iter)
        judges: dict[str, Any] = {}
        if held_out is not None:
            judges["validate"] = Accuracy(X[held_out], problem, held_out)
        if self._output() == "pocket":
            learned = slice(None) if held_out is None else ~held_out
            data = X[learned], codes[learned], weight[learned]
            judges["judge"] = Errors(*data, columns, problem.options.tie)
        self._train(problem, self._plan(problem, **judges), start, classes_=classes, _open=True)

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
        with self._all_or_nothing():
            check_parameters(self)
            self._check_batchwise()
            first = "_state" not in vars(self)
            rows, labels = self._validated(X, y, reset=first)
            if labels.dtype.kind not in "biuU":
                check_classification_targets(labels)
            weight = self._weighted_batch(sample_weight, rows)
            if first:
                self._open = classes is None
                self._expand_to(rows, labels[:0] if classes is None else np.unique(classes))
            elif classes is not None and list(np.unique(classes)) != list(self.classes_):
                raise ValueError(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                    f"{self.classes_!r}"
                )
            before = self.mistakes_, self.updates_
            self._learn(rows, labels, weight)
            self.n_iter_ = 1
            self.converged_ = before == (self.mistakes_, self.updates_) and self._is_free()
        return self

    def _check_batchwise(self) -> None:
        """Refuse parameters that need all rows at once."""
        if self.early_stopping:
            raise ValueError("early_stopping should be False with partial_fit.")
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' is not supported for partial_fit: the classes' shares are "
                "not known yet. Use compute_class_weight('balanced', ...) on a sample and pass "
                "class_weight a dict."
            )

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
        if len(known) and _kind(known[0].item()) is not _kind(label):
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
        by_class = self._class_weights(classes, codes).astype(X.dtype)
        if len(classes) == 2:
            return self._problem(X, 2.0 * codes - 1.0, by_class[codes] * weight, held_out=held_out)
        scheme = schemes.by_name(self.multi_class)
        if self.multi_class == "joint" and self._tie() != 0:
            raise ValueError(
                "tie says what the sign of a single score of zero is; joint classes have an arg "
                "max, where a tie is a mistake: use tie=0."
            )
        codes = codes.astype(np.int64, copy=False)
        by_class = by_class.astype(np.float64)
        return self._problem(X, codes, weight, scheme, by_class, held_out, epochs)

    def _class_weights(self, classes: Array, codes: Array) -> Array:
        if self.class_weight is None:
            return np.ones(len(classes))
        wanted = self.class_weight
        if isinstance(wanted, dict) and "_state" in vars(self) and self._open:
            wanted = {label: wanted.get(label, 1.0) for label in classes.tolist()}  # others come
        by_class = compute_class_weight(wanted, classes=classes, y=classes[codes])
        if not np.isfinite(by_class).all():
            raise ValueError(f"class_weight must be finite; got {self.class_weight!r}.")
        return np.asarray(by_class)

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


def _kind(label: Any) -> type:
    """Text, truth or number: labels of one model are of one kind."""
    return next(kind for kind in (str, bool, object) if isinstance(label, kind))


def _inits(d: int, columns: int, coef: Any, intercept: Any) -> tuple[Array | None, Array | None]:
    """coef_init and intercept_init as arrays of shapes (d, columns) and (columns,)."""
    if coef is not None:
        coef = np.asarray(coef, dtype=np.float64)
        if coef.shape not in ({(d,), (1, d)} if columns == 1 else {(columns, d)}):
            raise ValueError(
                f"coef_init has shape {coef.shape}, but the data asks for {(columns, d)}: "
                "it does not match dataset."
            )
        coef = np.atleast_2d(coef).T
    if intercept is not None:
        intercept = np.asarray(intercept, dtype=np.float64)
        if intercept.shape not in ({(), (1,)} if columns == 1 else {(columns,)}):
            raise ValueError(
                f"intercept_init has shape {intercept.shape}, but the data asks for "
                f"{(columns,)}: it does not match dataset."
            )
        intercept = np.atleast_1d(intercept)
    return coef, intercept
