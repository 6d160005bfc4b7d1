"""OnlinePerceptron: rows of named features, with new names and new labels at any time."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any, Self

import numpy as np

from rosenblatt.engine.text.named_rows import BEYOND, INFINITE
from rosenblatt.learning import interface
from rosenblatt.learning.online.base import OnlineBase, array_bytes, by_label
from rosenblatt.learning.online.features import (
    Features,
    as_label_array,
    as_weight_array,
    has_names,
    like_table,
    named_rows_or_array,
)
from rosenblatt.learning.online.river import RiverClassifier, RiverProtocol
from rosenblatt.learning.probabilities import log_probabilities
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import check_number
from rosenblatt.utils.words import count

Label = str | bool | int


class OnlinePerceptron(RiverProtocol, OnlineBase, RiverClassifier):
    """Online perceptron on rows of named features, one at a time or in batches.

    The weights equal those of ``Perceptron(shuffle=False)`` on the same rows, with the features
    numbered in the order of first appearance: to the last bit, for single rows and for batches. New
    names and new labels may appear at any time, and the time for a row is proportional to its own
    number of values.

    A row is a dict, a text, or a row of an array. In a dict a value is a number, a bool, a string
    (the string "red" under the name "colour" is the feature "colour=red" with value 1) or None for
    a missing value. A text is the set of its words in lower case. The columns of arrays have no
    names, and their number is fixed. One model takes rows with names or arrays, not both.

    Threads may share a model: a lock lets one of them learn or predict at a time.

    Where river is installed, the class is one of ``river.base.MiniBatchClassifier``: it works as
    the last step of river's pipelines, in its ensembles and drift wrappers, with its metrics, and
    with its mini-batches of DataFrames.

    Parameters
    ----------
    rule : str or NamedTuple, default="perceptron"
        As in :class:`rosenblatt.Perceptron`.
    output : {"last", "average"}, default="last"
        Weights that predict: those after the last example, or the average over all examples.
    multi_class : {"ovr", "joint"}, default="ovr"
        One-vs-rest, or a single multi-class model with one arg max.
    tie : {0, -1, 1}, default=0
        Meaning of a score of exactly zero, see :class:`rosenblatt.Perceptron`.
    penalty : {None, "l2", "l1", "elasticnet"}, default=None
    alpha : float ≥ 0, default=1e-4
        Strength of the penalty.
    l1_ratio : float in [0, 1], default=0.15
        Share of L1 in "elasticnet".
    fit_intercept : bool, default=True
    eta0 : float > 0, default=1.0
        Learning rate, for a rule given by name.
    class_weight : dict of labels to numbers, or None, default=None
        Factors of the examples' weights; a label that is not in the dict has 1.
    probabilities : bool, default=False
        Learn calibrated probabilities, see :class:`rosenblatt.Perceptron`.
    max_features : int ≥ 1 or None, default=None
        Maximal number of feature names, to bound memory: later names are ignored and counted in
        ``ignored_``. No weight is ever dropped, so the result equals that of the first names alone.
        Without effect on arrays.

    Attributes
    ----------
    classes_ : list
        Labels learned so far, sorted.
    feature_names_ : list
        Feature names in the order of first appearance; the column numbers of arrays.
    ignored_ : int
        Number of values left out of learned rows because of ``max_features``.
    mistakes_, updates_, errors_, t_
        As in :class:`rosenblatt.Perceptron`; ``t_`` is 1 before the first example.

    References
    ----------
    Rosenblatt 1958; lecture rows L2.7, L3.5.

    Examples
    --------
    >>> model = OnlinePerceptron()
    >>> for text, label in [("win a free prize", "spam"), ("lunch at noon?", "ham")] * 3:
    ...     model = model.learn_one(text, label)
    >>> model.predict_one("a free lunch prize"), model.classes_
    ('spam', ['ham', 'spam'])
    >>> model.learn_one({"colour": "red", "size": 3.5, "new": True}, "thing").classes_
    ['ham', 'spam', 'thing']
    """

    # --- one row ---------------------------------------------------------------------------------

    def learn_one(self, x: Features | Array, y: Label, w: float = 1.0) -> Self:
        """Learn one example.

        Parameters
        ----------
        x : dict, str, or array of shape (d,)
        y : str, bool or int
            All labels of a model are of one kind.
        w : float ≥ 0, default=1.0
            Weight of the example: its step is multiplied by it.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            Features or a label of an unsupported type.
        ValueError
            Bad parameters, a number that is not finite, or weights that overflow.
        """
        self._learn_one(x, y, w, predict=False)
        return self

    def _learn_one(self, x: Features | Array, y: Label, w: float, *, predict: bool) -> Any:
        """Learn one example; first predict its label, if wanted. The row is encoded once."""
        if w != 1.0:
            check_number(w, "w", 0)
        if type(x) is not dict and not has_names(x):
            predicted = self.predict_one(x) if predict else None
            self.learn_many(np.asarray(x)[np.newaxis], [y], w)
            return predicted
        with self._lock:
            target, fast = self._target(y), self._cached_path
            if predict and interface.has_costs(self._model):
                fast = None
            if type(x) is not dict or target is None or fast is None or fast.learn is None:
                with self._adding_names():
                    row = (self._encoder or self._get_encoder()).row(x, add_names=True)
                    return self._learn_row(row, y, target, w, predict=predict)
            self._weights_changed = True
            weight = w if fast.class_weights is None else w * fast.class_weights[target]
            code = fast.dicts.learn(x, target, weight, predict)
            if code >= 0:
                return self._labels[code] if predict else None
            if code == INFINITE:
                raise self._out_of_range()
            row = self._get_encoder().latest
            return self._learn_row(row, y, target, w, predict=predict)

    def predict_one(self, x: Features | Array) -> Any:
        """Predict the label of one row; None before the first example.

        Parameters
        ----------
        x : dict, str, or array of shape (d,)
            Unknown names are ignored.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`learn_one`.
        """
        if not self._labels:
            return None
        if type(x) is not dict and not has_names(x):
            return self.predict_many(np.asarray(x)[np.newaxis]).tolist()[0]
        if interface.has_costs(self._model):
            return self._predict_with_scores(x)[0]
        with self._lock:
            fast, code = self._cached_path, BEYOND
            if fast is not None and type(x) is dict:
                code = fast.dicts.predict(x)
            if code == BEYOND:
                row = (self._encoder or self._get_encoder()).row(x, add_names=False)
                fast = self._fast_path(row)
                code = 0 if fast is None else fast.scorer.predict(row)
            return self._labels[code]

    def score_one(self, x: Features | Array) -> dict[Any, float]:
        """Score ⟨w, x⟩ + b of every label.

        Two labels share one weight vector, and their scores differ in sign alone.

        Parameters
        ----------
        x : dict, str, or array of shape (d,)

        Raises
        ------
        TypeError, ValueError
            As in :meth:`learn_one`.

        Examples
        --------
        >>> model = OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], ["left", "right"])
        >>> model.score_one({"b": 2})
        {'left': -3.0, 'right': 3.0}
        """
        if not self._labels:
            return {}
        with self._lock:
            scores, labels = self._row_scores(x).tolist(), self._labels
        return dict(zip(labels, by_label(scores, len(labels)), strict=True))

    def predict_proba_one(self, x: Features | Array) -> dict[Any, float]:
        """Predict the probability of every label so far; empty before the first example.

        With ``probabilities=True`` they are calibrated, as those of
        :meth:`rosenblatt.Perceptron.predict_proba`. Without it, for the rules named there: of two
        labels the sigmoid 1/(1 + exp(−score)); of more the same of each label, divided by their
        sum, or with ``multi_class="joint"`` the softmax of the scores.

        The scores of the other rules are no log odds. The same formulas turn them into numbers
        that have the order of the scores, as ``ROCAUC`` and ensembles need it, and the sum 1, but
        are not calibrated.

        Parameters
        ----------
        x : dict, str, or array of shape (d,)

        Raises
        ------
        TypeError, ValueError
            As in :meth:`learn_one`.

        Examples
        --------
        >>> model = OnlinePerceptron(rule="logistic")
        >>> model = model.learn_many([{"a": 1}, {"b": 1}], ["left", "right"])
        >>> model.predict_proba_one({"b": 2})
        {'left': 0.18..., 'right': 0.81...}
        """
        if not self._labels:
            return {}
        with self._lock:
            probabilities = self._probabilities(self._row_scores(x)[np.newaxis])
            return dict(zip(self._labels, probabilities[0].tolist(), strict=True))

    def _probabilities(self, scores: Array) -> Array:
        """Return the probabilities of every label, from the scores of every weight vector."""
        classes = len(self._labels)
        if classes < 2:
            return np.exp(log_probabilities(scores, classes, joint=False))
        return interface.probabilities_of_scores(
            self._fitted(), scores[:, 0] if classes < 3 else scores
        )

    # --- many rows -------------------------------------------------------------------------------

    def learn_many(self, X: Matrix, y: ArrayLike, w: ArrayLike = 1.0) -> Self:
        """Learn many examples in order: equal to calls of :meth:`learn_one`, but faster.

        Parameters
        ----------
        X : list of dicts or texts, pandas or polars table, array or sparse matrix of shape (n, d)
            The columns of a table are its features.
        y : sequence of n labels
        w : float ≥ 0, or sequence of n such numbers, default=1.0
            Weights of the examples.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            As in :meth:`learn_one`; an error in a dict names its row. All rows are checked before
            the first is learned.
        """
        rows, labels = named_rows_or_array(X), as_label_array(y)
        if len(labels) != _n_rows(rows):
            raise ValueError(
                f"X has {count(_n_rows(rows), 'row')}, but y has {count(len(labels), 'label')}."
            )
        weight = as_weight_array(w, len(labels))
        if len(labels):
            with self._lock, self._adding_names():
                self._learn(self._to_matrix(rows, add_names=True), labels, weight)
        return self

    def predict_many(self, X: Matrix) -> Array:
        """Predict the labels of many rows, shape (n,); None before the first example.

        Parameters
        ----------
        X : as in :meth:`learn_many`

        Raises
        ------
        TypeError, ValueError
            As in :meth:`learn_many`.
        """
        rows = named_rows_or_array(X)
        if not (self._labels and _n_rows(rows)):
            return np.full(_n_rows(rows), None)
        with self._lock:
            return interface.state_labels(self._fitted(), self._to_matrix(rows, add_names=False))

    def predict_proba_many(self, X: Matrix) -> Matrix:
        """Predict the probabilities of many rows, those of :meth:`predict_proba_one`.

        Parameters
        ----------
        X : as in :meth:`learn_many`

        Returns
        -------
        DataFrame, or array of shape (n, K)
            A table for a table, of the same library, with a column for each label (in polars its
            text) and the index of X; else an array. The columns are in the order of ``classes_``;
            before the first example there are none.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`learn_many`.

        Examples
        --------
        >>> import pandas as pd
        >>> model = OnlinePerceptron(rule="logistic")
        >>> model = model.learn_many([{"a": 1}, {"b": 1}], ["left", "right"])
        >>> model.predict_proba_many(pd.DataFrame({"a": [0, 1], "b": [2, 0]})).round(2)
           left  right
        0  0.18   0.82
        1  0.38   0.62
        """
        rows = named_rows_or_array(X)
        with self._lock:
            labels = self._labels
            probabilities = np.zeros((_n_rows(rows), len(labels)))
            if probabilities.size:
                scores = np.zeros((len(probabilities), 1))
                if len(labels) > 1:
                    matrix = self._to_matrix(rows, add_names=False)
                    scores = interface.state_scores(self._fitted(), matrix)
                probabilities = self._probabilities(scores)
        return like_table(X, probabilities, labels)

    # --- fitted attributes -----------------------------------------------------------------------

    @property
    def classes_(self) -> list[Any]:
        """Labels learned so far, sorted."""
        return list(self._labels)

    @property
    def feature_names_(self) -> list[Hashable]:
        """Feature names in the order of first appearance; the column numbers of arrays."""
        if self._encoder is not None:
            return list(self._encoder.vocabulary)
        return list(range(self._fitted().n_features_in_)) if self._labels else []

    @property
    def ignored_(self) -> int:
        """Number of values left out of learned rows because of ``max_features``."""
        return 0 if self._encoder is None else self._encoder.ignored

    @property
    def mistakes_(self) -> int:
        """Number of mistakes, as in :class:`rosenblatt.Perceptron`."""
        with self._lock:
            return self._fitted().mistakes_ if self._labels else 0

    @property
    def updates_(self) -> int:
        """Number of updates of a weight vector."""
        with self._lock:
            return self._fitted().updates_ if self._labels else 0

    @property
    def errors_(self) -> int:
        """Number of examples that were predicted wrong before they were learned."""
        with self._lock:
            return self._fitted().errors_ if self._labels else 0

    @property
    def t_(self) -> float:
        """Number of examples learned, plus one."""
        with self._lock:
            return self._fitted().t_ if self._labels else 1.0

    def weights_of(self, label: Label) -> dict[Hashable, float]:
        """Weight of every feature for a label, largest first.

        Raises
        ------
        ValueError
            An unknown label.

        Examples
        --------
        >>> model = OnlinePerceptron().learn_many([{"a": 1}, {"b": 2}], ["left", "right"])
        >>> model.weights_of("right")
        {'b': 2.0, 'a': 0.0}
        """
        with self._lock:
            target = self._target(label)
            if target is None:
                raise ValueError(f"{label!r} is not one of the labels {self._labels!r:.200}.")
            names = self.feature_names_
            weights = np.zeros(len(names))
            if len(self._labels) > 1:
                vectors = self._fitted().coef_
                weights = vectors[int(target)] if len(vectors) > 1 else target * vectors[0]
        order = np.argsort(-weights[: len(names)], kind="stable")
        return {names[j]: float(weights[j]) for j in order}

    # --- river's protocol --------------------------------------------------------------------

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes of the weights, names and labels."""
        names = {} if self._encoder is None else self._encoder.vocabulary
        objects = [names, self._targets, *names, *self._targets]
        return array_bytes(self) + sum(map(sys.getsizeof, objects))


def predict_with_scores(model: OnlinePerceptron, x: Any) -> tuple[Any, dict[Any, float]]:
    """Return the prediction of a row, and its scores: ``predict_one`` and ``score_one`` as one.

    Examples
    --------
    >>> model = OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], ["left", "right"])
    >>> predict_with_scores(model, {"b": 2})
    ('right', {'left': -3.0, 'right': 3.0})
    """
    return model._predict_with_scores(x)


def calibrated_probabilities(
    model: OnlinePerceptron, scores: dict[Any, float]
) -> dict[Any, float] | None:
    """Return the probabilities of a row's labels, by its scores; None where they are not honest.

    They are with ``probabilities=True``, and with the rule "auto".

    Examples
    --------
    >>> model = OnlinePerceptron(probabilities=True)
    >>> model = model.learn_many([{"a": 1}, {"b": 1}], ["left", "right"])
    >>> shares = calibrated_probabilities(model, model.score_one({"b": 2}))
    >>> shares == model.predict_proba_one({"b": 2})
    True
    """
    if len(scores) < 2 or not (model.probabilities or interface.is_blended(model._model)):
        return None
    values = [*scores.values()]
    shares = model._probabilities(np.array([values[1:] if len(values) == 2 else values]))
    return dict(zip(scores, shares[0].tolist(), strict=True))


def predict_then_learn(model: OnlinePerceptron, x: Any, y: Label, w: float = 1.0) -> Any:
    """Return the prediction of a row, and learn it then: ``predict_one`` and ``learn_one`` as one.

    Names that are new have no weight, so they change no prediction.

    Examples
    --------
    >>> model = OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], ["left", "right"])
    >>> predict_then_learn(model, {"a": 2, "c": 1}, "left"), model.predict_one({"a": 2, "c": 1})
    ('right', 'left')
    """
    return model._learn_one(x, y, w, predict=True)


def _n_rows(rows: Matrix) -> int:
    return len(rows) if isinstance(rows, list) else int(rows.shape[0])
