"""Labels of classifiers: their encoding, their weights, and classes that appear late."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

import numpy as np

from rosenblatt.engine import state
from rosenblatt.engine.scoring import predict_codes
from rosenblatt.learning.base import BaseLearner, reading
from rosenblatt.learning.decisions.deciding import Decisions
from rosenblatt.learning.params import ClassWeight, check_parameters
from rosenblatt.learning.probabilities import ProbabilityMethod, is_joint, log_probabilities
from rosenblatt.theory import calibration
from rosenblatt.theory.rule_kinds import always_moves, chooses_row
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.labels import as_labels, distinct_labels, label_kind


class BaseClassifier(Decisions, BaseLearner):
    """Prediction of labels, and ``partial_fit`` with classes that appear late.

    Subclasses implement :meth:`_problem` besides the hooks of
    :class:`rosenblatt.learning.base.BaseLearner`.
    """

    classes_: Array
    _open_classes: bool  # new labels may appear in partial_fit

    # Defaults of parameters that not every classifier has.
    early_stopping: bool = False
    class_weight: ClassWeight = None
    multi_class: str = "ovr"

    @property
    def mistakes_(self) -> int:
        """Number of mistakes so far, over all weight vectors.

        One-vs-rest counts wrong signs, for each weight vector; a joint model counts wrong arg max.
        """
        self._check_fitted("mistakes_")
        return sum(self._state.mistakes.tolist())  # of few numbers: NumPy takes longer

    @property
    def errors_(self) -> int:
        """Number of examples whose class was predicted wrong just before they were learned."""
        self._check_fitted("errors_")
        return int(self._state.errors[0])

    def _n_vectors(self) -> int:
        return n_vectors(self.classes_)

    # --- prediction ------------------------------------------------------------------------------

    @reading
    def decision_function(self, X: ArrayLike) -> Array:
        """Return the scores ⟨w, x⟩ + b.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        scores : ndarray of shape (n,) for two classes, (n, K) for more
            For two classes, the score of ``classes_[1]``.
        """
        scores = self._scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    @reading
    def predict(self, X: ArrayLike) -> Array:
        """Return the labels with the highest score; ``tie`` decides a score of exactly zero.

        After :meth:`set_costs`, those of the least expected cost.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        labels : ndarray of shape (n,)
        """
        return self._labels_of(self.decision_function(X))

    def _labels_of(self, scores: Array) -> Array:
        """Return the labels with the highest score, or of the least expected cost."""
        if self._decides_by_costs():
            return np.asarray(self.classes_[self._codes_by_costs(self._log_probabilities(scores))])
        codes = predict_codes(scores, self._tie())
        labels: Array = self.classes_.take(codes.clip(max=len(self.classes_) - 1))
        return labels

    @ProbabilityMethod
    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes.

        With ``probabilities=True``, by a calibration learned with the model: 1/(1 + exp(−(a s/r +
        b))) of the score s for ``classes_[1]``; of more classes the softmax of a_k s_k/r_k + b_k;
        see :mod:`rosenblatt.theory.calibration`. :meth:`predict` goes by the scores alone: its
        label need not be the most probable one.

        Without it, only with the rules "logistic", "adagrad_logistic", "auto", "coin", "ftrl",
        "kt", "nag", "scinol" and "scinol1", whose scores are log odds, and not for votes. Two
        classes: 1/(1 + exp(−score)) for
        ``classes_[1]``. More classes, one-vs-rest: the same for each class, divided by their sum;
        joint: exp(s_k)/Σ exp(s_j) of the scores s.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        probabilities : ndarray of shape (n, K)
            Columns as in ``classes_``; each row has the sum 1.

        Raises
        ------
        AttributeError
            Without ``probabilities=True``: the rule is another one, or ``output="vote"``.
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    @ProbabilityMethod
    @reading
    def predict_log_proba(self, X: ArrayLike) -> Array:
        """Return the logarithms of :meth:`predict_proba`, precise for the smallest ones, too.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        log_probabilities : ndarray of shape (n, K)
        """
        return self._log_probabilities(self.decision_function(X))

    def _log_probabilities(self, scores: Array) -> Array:
        """Return the logarithms of the probabilities, from scores of ``decision_function``."""
        classes, joint = len(self.classes_), is_joint(self)
        if self._calibrates() and classes > 1:
            self._check_calibration()
            scores, joint = calibration.logits(scores, self._state.own), True
        return log_probabilities(scores, classes, joint=joint)

    def _check_calibration(self) -> None:
        """Refuse probabilities=True that was set after training without it."""
        if "calibration.count" not in self._state.own:
            raise ValueError(
                "probabilities=True was set after training without it, so no calibration was "
                "learned: learn more examples, or start again with fit."
            )

    # --- training --------------------------------------------------------------------------------

    def _check_labels(self, y: Array) -> None:
        """Refuse labels that are no classes."""
        if y.dtype.kind not in "biufUO":
            raise ValueError(f"Unknown label type: y is an array of {y.dtype}.")

    def _encode_labels(self, y: Array) -> tuple[Array, Array]:
        """Return the classes of a fit, and each label as an index into them."""
        self._check_labels(y)
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class. A classifier needs "
                "examples of at least two."
            )
        if self._is_fitted() and list(classes) != list(self.classes_):
            raise ValueError(
                f"warm_start continues with the classes {self.classes_}, but y has {classes}."
            )
        return classes, codes

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn the rows of one more batch, each once.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array, list or Series of shape (n,)
            Text, whole numbers or booleans, as in :meth:`fit`.
        classes : array, optional
            All labels that will ever occur, in the first call or in no call. Without it a new label
            may appear at any time: it is learned from its first example on.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A parameter, a label or a number is not valid, or a label is not in ``classes``.
        """
        with self._learning_copy() as learner:
            learner._partial_fit(X, y, classes, sample_weight)
        return self

    def _partial_fit(
        self, X: Matrix, y: ArrayLike, classes: Any, sample_weight: ArrayLike | None
    ) -> None:
        check_parameters(self)
        self._check_partial_fit_params()
        first = not self._is_fitted()
        rows, labels = self._validate_X_y(X, y, reset=first)
        if labels.dtype.kind not in "biufUO":
            self._check_labels(labels)
        weight = self._batch_weights(sample_weight, rows)
        distinct = None
        if type(classes) is list and not first and classes == self.classes_.tolist():
            classes = None  # most calls repeat the list
        elif classes is not None:
            distinct = np.unique(as_labels(classes, "classes"))
        if first:
            self._open_classes = classes is None
            self._init_classes(rows, labels[:0] if distinct is None else distinct)
        elif distinct is not None and list(distinct) != list(self.classes_):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                f"{self.classes_!r}"
            )
        before = self._counts()
        self._learn_batch(rows, labels, weight)
        self._end_batch(before)

    def _counts(self) -> tuple[int, int]:
        return self.mistakes_, self.updates_

    def _end_batch(self, before: tuple[int, int]) -> None:
        """Set the attributes that a batch changes besides the state."""
        self.n_iter_ = 1
        settled = self._unpenalised() and not always_moves(self._rule())
        self.converged_ = before == self._counts() and settled

    def _check_partial_fit_params(self) -> None:
        """Refuse parameters that need all rows at the same time."""
        if self.early_stopping:
            raise ValueError("early_stopping should be False with partial_fit.")
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' is not supported for partial_fit: the classes' shares are "
                "not known yet. Use compute_class_weight('balanced', ...) on a sample and pass "
                "class_weight a dict."
            )

    def _learn_batch(self, X: Matrix, y: Array, weight: Array) -> None:
        """Learn the rows of a batch once; add a class at the first example of every new label."""
        order, first = self._row_order(len(y)), int(self._state.t[0])
        new = self._new_labels(y)
        if new and not self._open_classes:
            raise ValueError(
                f"y has the label {new[0]!r}, which is none of the classes "
                f"{self.classes_.tolist()}. "
                "Leave out `classes` in the first call to learn labels as they appear."
            )
        self._check_classes(len(self.classes_) + len(new))
        X = self._scale_batch(X, order)
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
            if start in firsts:  # a label cannot be predicted before its first example
                self._state.errors[0] = errors + 1

    def _check_classes(self, count: int) -> None:
        """Refuse parameters that do not fit the number of classes."""
        if self._costs is not None:
            self._check_costs(count)
        if self.multi_class != "joint" or count <= 2:
            return
        if self._tie() != 0:
            raise ValueError(
                "tie is the sign of a single score of zero; multi_class='joint' takes the arg max, "
                "where a tie is a mistake: use tie=0."
            )
        if chooses_row(self._rule()):
            raise ValueError(
                f"rule={self._rule()!r} chooses a row for each weight vector, and a joint model "
                "has one score of them all: use multi_class='ovr'."
            )

    def _new_labels(self, y: Array) -> list[Any]:
        """Return the labels of y that are not in ``classes_``, in order."""
        classes = self.classes_
        if len(classes) and classes.dtype == y.dtype:  # usually y has no new label
            nearest = classes[np.searchsorted(classes, y).clip(max=len(classes) - 1)]
            if (nearest == y).all():
                return []
        if len({label_kind(labels[0]) is str for labels in (classes, y) if len(labels)}) > 1:
            return distinct_labels(y)  # text and numbers cannot be sorted together
        old = set(classes.tolist())
        return [label for label in distinct_labels(y) if label not in old]

    def _learn_segment(self, X: Matrix, y: Array, weight: Array, order: Array, first: int) -> None:
        """Learn the rows of ``order``, which bring no new class; row 0 is example ``first``."""
        if len(self.classes_) < 2:
            state.skip_examples(self._state, len(order))
            return
        problem = self._problem(X, self._codes(y), weight, self.classes_, self._dual, first)
        self._learn_once(problem, order)

    def _codes(self, y: Array) -> Array:
        """Return each label as an index into ``classes_``."""
        classes = self.classes_
        if y.dtype != classes.dtype and {y.dtype.kind, classes.dtype.kind} == {"i", "u"}:
            y = y.astype(classes.dtype)  # NumPy would compare them as floats
        codes: Array = np.searchsorted(classes, y).clip(max=len(classes) - 1)
        return codes

    def _problem(
        self,
        X: Matrix,
        codes: Array,
        weight: Array,
        classes: Array,
        dual: Any,
        first: int = 0,
    ) -> Any:
        """Return the problem of learning these rows; row 0 is example ``first``."""
        raise NotImplementedError

    def _init_classes(self, X: Matrix, classes: Array) -> None:
        """Start untrained, with these classes."""
        self.classes_ = classes
        self._state = self._empty_state(X, self._n_vectors())
        self._invalidate()

    def _add_class(self, label: Any) -> None:
        classes = self.classes_
        if len(classes) and label_kind(classes[0]) is not label_kind(label):
            now, before = (np.asarray(one).item() for one in (label, classes[0]))
            raise ValueError(
                f"y has labels of mixed types: {now!r} now, {before!r} before. Use one type."
            )
        position = int(np.searchsorted(classes, label))
        if len(classes) >= 2:
            self._insert_column(position)
        labels = np.append(classes, np.asarray([label]))
        if labels.dtype.kind == "f":  # signed and unsigned whole numbers, which NumPy rounds
            labels = as_labels([*classes.tolist(), label])
        self.classes_ = np.sort(labels)

    def _insert_column(self, position: int) -> None:
        """Insert a weight vector of zeros."""
        self._state = state.insert_column(self._state, self._n_vectors(), position)
        self._invalidate()

    def _class_weights(self, classes: Array, codes: Array) -> Array:
        if self.class_weight is None:
            return np.ones(len(classes))
        class_weight = self.class_weight
        if isinstance(class_weight, dict) and self._is_fitted() and self._open_classes:
            # A class of the dict may appear later.
            class_weight = {label: class_weight.get(label, 1.0) for label in classes.tolist()}
        if isinstance(class_weight, str):  # "balanced"
            return np.asarray(len(codes) / (len(classes) * np.bincount(codes).astype(np.float64)))
        return _weights_of(class_weight, classes.tolist())


def _weights_of(class_weight: dict[Any, float], labels: list[Any]) -> Array:
    """Return the weight of each label; labels that the dict leaves out have 1."""
    missing = [label for label in labels if label not in class_weight]
    if missing and len(labels) - len(missing) != len(class_weight):
        unknown = [label for label in class_weight if label not in labels]
        raise ValueError(
            f"The classes, {missing}, are not in class_weight, and {unknown} are no classes."
        )
    weights = np.array([class_weight.get(label, 1.0) for label in labels], np.float64)
    if not np.isfinite(weights).all():
        raise ValueError(f"class_weight must be finite; got {class_weight!r}.")
    return weights


def n_vectors(classes: Array) -> int:
    """Return the number of weight vectors: one for two classes, else one per class.

    Examples
    --------
    >>> n_vectors(np.array(["ham", "spam"])), n_vectors(np.arange(3))
    (1, 3)
    """
    return len(classes) if len(classes) > 2 else 1
