"""What every classifier does with labels: their names, their weights, their late arrival."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from rosenblatt.engine import state
from rosenblatt.engine.scoring import predict_codes
from rosenblatt.learning.base import BaseLearner
from rosenblatt.learning.params import check_parameters
from rosenblatt.theory import rules

Array = NDArray[Any]


class BaseClassifier(ClassifierMixin, BaseLearner):
    """What the classifiers share: labels, their weights, and labels that appear late."""

    classes_: Array

    # Defaults of the parameters that not every classifier has.
    early_stopping: bool = False
    class_weight: Any = None
    multi_class: str = "ovr"

    @property
    def mistakes_(self) -> int:
        """Mistakes made while learning, over all weight vectors and all examples seen.

        One against the rest counts wrong signs, vector by vector; joint classes count wrong
        arg max.
        """
        self._check_fitted("mistakes_")
        return int(self._state.mistakes.sum())

    @property
    def errors_(self) -> int:
        """Examples whose class was predicted wrong when they were met, before they were learned."""
        self._check_fitted("errors_")
        return int(self._state.errors[0])

    def _n_vectors(self) -> int:
        return n_vectors(self.classes_)

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
        codes = predict_codes(self.decision_function(X), self._tie())
        labels: Array = self.classes_.take(codes.clip(max=len(self.classes_) - 1))
        return labels

    # --- training --------------------------------------------------------------------------------

    def _encode_labels(self, y: Array) -> tuple[Array, Array]:
        """The classes of a fit, and the number of each label's."""
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
        return classes, codes

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
        with self._rollback_on_error():
            check_parameters(self)
            self._check_partial_fit_params()
            first = "_state" not in vars(self)
            rows, labels = self._validate_X_y(X, y, reset=first)
            if labels.dtype.kind not in "biuU":
                check_classification_targets(labels)
            weight = self._batch_weights(sample_weight, rows)
            if first:
                self._open_classes = classes is None
                self._init_classes(rows, labels[:0] if classes is None else np.unique(classes))
            elif classes is not None and list(np.unique(classes)) != list(self.classes_):
                raise ValueError(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                    f"{self.classes_!r}"
                )
            before = self.mistakes_, self.updates_
            self._learn_batch(rows, labels, weight)
            self.n_iter_ = 1
            self.converged_ = before == (self.mistakes_, self.updates_) and self._unpenalised()
        return self

    def _check_partial_fit_params(self) -> None:
        """Refuse parameters that need all rows at once."""
        if self.early_stopping:
            raise ValueError("early_stopping should be False with partial_fit.")
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' is not supported for partial_fit: the classes' shares are "
                "not known yet. Use compute_class_weight('balanced', ...) on a sample and pass "
                "class_weight a dict."
            )

    def _learn_batch(self, X: Any, y: Array, weight: Array) -> None:
        """Walk a batch once, stopping at every label's first appearance to make room for it."""
        order, first = self._row_order(len(y)), int(self._state.t[0])
        new = self._new_labels(y)
        if new and not self._open_classes:
            raise ValueError(
                f"y has the label {new[0]!r}, which is none of the classes "
                f"{self.classes_.tolist()}. "
                "Leave out `classes` in the first call to learn labels as they appear."
            )
        self._check_classes(len(self.classes_) + len(new))
        if not new:
            self._learn_segment(X, y, weight, order, first)
            return
        firsts = {int(np.argmax(y[order] == label)): label for label in new}
        cuts = sorted({0, len(y), *firsts, *(position + 1 for position in firsts)})
        for start, stop in pairwise(cuts):
            errors = self.errors_
            if start in firsts:
                self._add_class(firsts[start])
            self._learn_segment(X, y, weight, order[start:stop], first)
            if start in firsts:  # nobody predicts a label never seen
                self._state.errors[0] = errors + 1

    def _check_classes(self, count: int) -> None:
        """Refuse parameters that do not go with so many classes."""
        if self.multi_class == "joint" and self._tie() != 0 and count > 2:
            raise ValueError(
                "tie says what the sign of a single score of zero is; joint classes have an arg "
                "max, where a tie is a mistake: use tie=0."
            )

    def _new_labels(self, y: Array) -> list[Any]:
        """The labels in y that are no classes yet."""
        classes = self.classes_
        if len(classes) and classes.dtype == y.dtype:  # the usual case, cheaply
            nearest = classes[np.searchsorted(classes, y).clip(max=len(classes) - 1)]
            if (nearest == y).all():
                return []
        return list(np.setdiff1d(y, classes).tolist())

    def _learn_segment(self, X: Any, y: Array, weight: Array, order: Array, first: int) -> None:
        if len(self.classes_) < 2:
            state.skip_examples(self._state, len(order))
            return
        codes = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        self._learn_encoded(X, codes, weight, order, first)

    def _learn_encoded(self, X: Any, codes: Array, weight: Array, order: Array, first: int) -> None:
        """Learn the rows of ``order``, once each; the first row of X is example ``first``."""
        raise NotImplementedError

    def _init_classes(self, X: Any, classes: Array) -> None:
        self.classes_ = classes
        self._state = self._empty_state(X, self._n_vectors())
        self._invalidate()

    def _add_class(self, label: Any) -> None:
        classes = self.classes_
        if len(classes) and label_kind(classes[0].item()) is not label_kind(label):
            raise ValueError(
                f"y has labels of mixed types: {label!r} now, {classes[0]!r} before. Use one type."
            )
        position = int(np.searchsorted(classes, label))
        if len(classes) >= 2:
            self._insert_column(position)
        self.classes_ = np.sort(np.append(classes, np.asarray([label])))

    def _insert_column(self, position: int) -> None:
        """One more weight vector, all zero."""
        self._state = state.insert_column(self._state, self._n_vectors(), position)
        self._invalidate()

    def _class_weights(self, classes: Array, codes: Array) -> Array:
        if self.class_weight is None:
            return np.ones(len(classes))
        class_weight = self.class_weight
        if isinstance(class_weight, dict) and "_state" in vars(self) and self._open_classes:
            class_weight = {
                label: class_weight.get(label, 1.0) for label in classes.tolist()
            }  # others come
        by_class = compute_class_weight(class_weight, classes=classes, y=classes[codes])
        if not np.isfinite(by_class).all():
            raise ValueError(f"class_weight must be finite; got {self.class_weight!r}.")
        return np.asarray(by_class)


class RuleParams:
    """What the parameters ``rule``, ``eta0``, ``tie`` and ``output`` mean."""

    rule: Any
    eta0: float
    tie: int
    output: str

    def _rule(self) -> rules.Rule:
        if isinstance(self.rule, str):
            return rules.complete(rules.by_name(self.rule, self.eta0, self.tie))
        return rules.complete(self.rule)

    def _output(self) -> str:
        return self.output

    def _tie(self) -> float:
        return float(getattr(self.rule, "tie", self.tie))


def n_vectors(classes: Array) -> int:
    """How many weight vectors classes ask for: two of them one.

    Examples
    --------
    >>> n_vectors(np.array(["ham", "spam"])), n_vectors(np.arange(3))
    (1, 3)
    """
    return len(classes) if len(classes) > 2 else 1


def label_kind(label: Any) -> type:
    """Text, truth or number: labels of one model are of one kind.

    Examples
    --------
    >>> label_kind("spam"), label_kind(True), label_kind(3)
    (<class 'str'>, <class 'bool'>, <class 'object'>)
    """
    kinds: tuple[type, ...] = (str, bool, object)
    return next(kind for kind in kinds if isinstance(label, kind))
