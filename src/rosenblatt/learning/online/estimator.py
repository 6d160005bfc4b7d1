"""The perceptron on a stream of named features: new names and new labels at any time."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learning.linear.base import OUT_OF_RANGE
from rosenblatt.learning.online.base import (
    OnlineBase,
    RiverProtocol,
    csr_arrays,
    register_with_river,
)
from rosenblatt.learning.online.features import (
    Features,
    as_label_array,
    has_names,
    named_rows_or_array,
)

Array = NDArray[Any]
Label = str | bool | int


class OnlinePerceptron(RiverProtocol, OnlineBase):
    """The perceptron on a stream: rows of names and values, one at a time or many.

    The weights are those of ``Perceptron(shuffle=False)`` on the same rows, their features numbered
    in the order in which their names were first learned: to the last bit, whether the rows come one
    at a time or in batches. Names and labels never seen are learned on the spot, and a row costs
    time in proportion to its own values.

    A row is a dict of name → number, bool, string (the string "red" under the name "colour" is the
    feature "colour=red", with the value 1) or None (absent); or a text, the set of its words in
    lower case; or a row of an array, whose columns have no names and whose width stays. One model
    learns from names or from arrays.

    It follows river's protocol: it may stand at the end of a pipeline of river's and goes into
    ``river.evaluate.progressive_val_score``, where river was imported before it was made.

    Parameters
    ----------
    rule : str or NamedTuple, default="perceptron"
        As in :class:`rosenblatt.Perceptron`.
    output : {"last", "average"}, default="last"
        What predicts: the weights after the last example, or the average of all.
    multi_class : {"ovr", "joint"}, default="ovr"
        Each class against the rest, or one arg max.
    tie : {0, -1, 1}, default=0
        What a score of exactly zero is, see :class:`rosenblatt.Perceptron`.
    fit_intercept : bool, default=True
    eta0 : float > 0, default=1.0
        Learning rate of a rule given by name.
    max_features : int ≥ 1 or None, default=None
        A limit to memory: the first so many names are kept, and later ones are left out and
        counted in ``ignored_``. No weight that was learned is ever dropped, so the result is that
        of the kept features alone. Names do not come from arrays, where it has no meaning.

    Attributes
    ----------
    classes_ : list
        The labels learned so far, sorted.
    feature_names_ : list
        The names learned so far, in the order of their appearance; of arrays, the columns' numbers.
    ignored_ : int
        Values left out of the rows learned, beyond ``max_features``.
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

    def __init__(
        self,
        *,
        rule: Any = "perceptron",
        output: str = "last",
        multi_class: str = "ovr",
        tie: int = 0,
        fit_intercept: bool = True,
        eta0: float = 1.0,
        max_features: int | None = None,
    ) -> None:
        self.rule = rule
        self.output = output
        self.multi_class = multi_class
        self.tie = tie
        self.fit_intercept = fit_intercept
        self.eta0 = eta0
        self.max_features = max_features
        super().__init__()
        register_with_river(OnlinePerceptron)

    # --- one row ---------------------------------------------------------------------------------

    def learn_one(self, x: Features | Array, y: Label) -> Self:
        """Learn one example.

        Parameters
        ----------
        x : dict, str, or array of shape (d,)
        y : str, bool or int
            Labels of one model are of one kind.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            Features or a label of a type that cannot be learned.
        ValueError
            Bad parameters, a number that is not finite, or weights that run out of range.
        """
        if not has_names(x):
            return self.learn_many(np.asarray(x)[np.newaxis], [y])
        target = self._target(y)
        encoder = self._encoder or self._get_encoder()
        row = encoder.row(x, add_names=True)
        fast = self._fast_path(row)
        if fast is None or fast.learn is None or target is None:
            self._learn(self._csr(*csr_arrays(row)), as_label_array([y]))
            return self
        fast.learn(row, target)
        if not fast.is_finite():
            raise ValueError(OUT_OF_RANGE)
        return self

    def predict_one(self, x: Features | Array) -> Any:
        """The label with the highest score; None before the first example.

        Parameters
        ----------
        x : dict, str, or array of shape (d,)
            Names never learned count nothing.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`learn_one`.
        """
        if not self._labels:
            return None
        if not has_names(x):
            return self.predict_many(np.asarray(x)[np.newaxis]).tolist()[0]
        encoder = self._encoder or self._get_encoder()
        row = encoder.row(x, add_names=False)
        fast = self._fast_path(row)
        return self._labels[0 if fast is None else fast.scorer.predict(row)]

    def score_one(self, x: Features | Array) -> dict[Any, float]:
        """The score ⟨w, x⟩ + b of every label learned so far.

        Two labels share one weight vector: their scores are each other's negative.

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
        if has_names(x):
            row = self._get_encoder().row(x, add_names=False)
            fast = self._fast_path(row)
            scores = np.zeros(1) if fast is None else fast.scorer.scores(row)
        else:
            scores = self._fitted()._scores(self._check_unnamed(np.asarray(x)[np.newaxis]))[0]
        if len(self._labels) == 2:
            scores = np.append(-scores, scores)
        return dict(zip(self._labels, scores.tolist(), strict=True))

    # --- many rows -------------------------------------------------------------------------------

    def learn_many(self, X: Any, y: Any) -> Self:
        """Learn many examples, one after the other: as so many :meth:`learn_one`, but faster.

        Parameters
        ----------
        X : list of dicts or texts, pandas or polars table, array or sparse matrix of shape (n, d)
            The names of a table's columns are those of its features.
        y : sequence of n labels

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            As in :meth:`learn_one`; an error in a dict names its row. What is wrong is found before
            the first row is learned.
        """
        rows, labels = named_rows_or_array(X), as_label_array(y)
        if len(labels) != _n_rows(rows):
            raise ValueError(f"X has {_n_rows(rows)} rows, but y has {len(labels)} labels.")
        if len(labels):
            self._learn(self._to_matrix(rows, add_names=True), labels)
        return self

    def predict_many(self, X: Any) -> Array:
        """The labels with the highest scores, shape (n,); None before the first example.

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
        return self._fitted().predict(self._to_matrix(rows, add_names=False))

    # --- what was learned ------------------------------------------------------------------------

    @property
    def classes_(self) -> list[Any]:
        """The labels learned so far, sorted."""
        return list(self._labels)

    @property
    def feature_names_(self) -> list[Hashable]:
        """The names learned so far, in the order of their appearance; or the columns' numbers."""
        if self._encoder is not None:
            return list(self._encoder.vocabulary)
        return list(range(self._fitted().n_features_in_)) if self._labels else []

    @property
    def ignored_(self) -> int:
        """Values left out of the rows learned, beyond ``max_features``."""
        return 0 if self._encoder is None else self._encoder.ignored

    @property
    def mistakes_(self) -> int:
        """As in :class:`rosenblatt.Perceptron`."""
        return self._fitted().mistakes_ if self._labels else 0

    @property
    def updates_(self) -> int:
        """How often a weight vector moved."""
        return self._fitted().updates_ if self._labels else 0

    @property
    def errors_(self) -> int:
        """Examples whose label was predicted wrong when they were met, before they were learned."""
        return self._fitted().errors_ if self._labels else 0

    @property
    def t_(self) -> float:
        """Examples seen, plus one."""
        return self._fitted().t_ if self._labels else 1.0

    def weights_of(self, label: Label) -> dict[Hashable, float]:
        """The weight of every feature for a label, the largest first.

        Raises
        ------
        ValueError
            A label that was never learned.

        Examples
        --------
        >>> model = OnlinePerceptron().learn_many([{"a": 1}, {"b": 2}], ["left", "right"])
        >>> model.weights_of("right")
        {'b': 2.0, 'a': 0.0}
        """
        target = self._target(label)
        if target is None:
            raise ValueError(f"{label!r} is none of the labels {self._labels!r:.200}.")
        names = self.feature_names_
        weights = np.zeros(len(names))
        if len(self._labels) > 1:
            vectors = self._fitted().coef_
            weights = vectors[int(target)] if len(vectors) > 1 else target * vectors[0]
        order = np.argsort(-weights[: len(names)], kind="stable")
        return {names[j]: float(weights[j]) for j in order}

    # --- for river ---------------------------------------------------------------------------

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes of the weights, the names and the labels."""
        arrays = self._fitted()._state if self._labels else ()
        names = {} if self._encoder is None else self._encoder.vocabulary
        objects = [names, self._targets, *names, *self._targets]
        return sum(array.nbytes for array in arrays) + sum(map(sys.getsizeof, objects))


def _n_rows(rows: Any) -> int:
    return len(rows) if isinstance(rows, list) else int(rows.shape[0])
