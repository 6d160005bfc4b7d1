"""A Perceptron that grows: names and labels appear, and one row is learned as fast as it can be.

What river asks of a classifier, without river.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from rosenblatt.engine import state
from rosenblatt.engine.jit import entry_point, is_library_class
from rosenblatt.engine.rows import CSR
from rosenblatt.engine.scoring import RowScorer, all_finite
from rosenblatt.engine.steps import next_capacity
from rosenblatt.learning.linear.estimators import Perceptron
from rosenblatt.learning.online.encoder import FeatureEncoder
from rosenblatt.learning.params import check_parameters
from rosenblatt.streams.core.batch import csr

Array = NDArray[Any]


class _FastPath(NamedTuple):
    """One row at a time, while the state's arrays and the classes stay."""

    names: dict[Hashable, int]
    capacity: int
    learn: Callable[[CSR, float], None] | None  # not with a rule of somebody's own: it may fail
    is_finite: Callable[[], bool]
    scorer: RowScorer


class OnlineBase(BaseEstimator):
    """The learner inside an :class:`rosenblatt.OnlinePerceptron`, and the numbers of its names.

    The learner has weights for more features than there are names, twice as many whenever it
    grows, so a new name costs no copy of all weights.
    """

    OUTPUTS = ("last", "average")

    fit_intercept: bool
    output: str
    max_features: int | None

    def __init__(self) -> None:
        self._encoder: FeatureEncoder | None = (
            None  # none where the features are an array's columns
        )
        self._model: Perceptron | None = None
        self._labels: list[Any] = []
        self._targets: dict[Any, float] = {}  # the labels, as the loops take them
        self._quick: _FastPath | None = None

    def __getstate__(self) -> dict[str, Any]:
        return dict(super().__getstate__()) | {"_quick": None}

    def _fitted(self) -> Perceptron:
        assert self._model is not None
        return self._model

    def _learn(self, X: Any, labels: Array) -> None:
        """Learn a batch; all that has learned before goes on."""
        if self._model is None:
            check_parameters(self)
            params = self.get_params(deep=False)
            del params["max_features"]
            model = Perceptron(**params, shuffle=False)
            model._rule()  # of a name that there is
            self._model = model
        self._quick = None
        self._adopt(self._model.partial_fit(X, labels))

    def _adopt(self, model: Perceptron) -> None:
        self._model = model
        self._labels = model.classes_.tolist()
        targets = (-1.0, 1.0) if len(self._labels) == 2 else range(len(self._labels))
        self._targets = dict(zip(self._labels, targets, strict=True))

    def _inner_model(self) -> Perceptron:
        """The learner inside, without the room for names to come."""
        learner = Perceptron(shuffle=False) if self._model is None else copy.copy(self._model)
        if self._labels and self._encoder is not None:
            learner.n_features_in_ = max(1, len(self._encoder.vocabulary))
            learner._state = state.truncate_features(learner._state, learner.n_features_in_)
            learner._invalidate()
        return learner

    def _target(self, label: Any) -> float | None:
        try:
            return self._targets.get(label)
        except TypeError:  # it cannot be hashed
            return None

    def _get_encoder(self) -> FeatureEncoder:
        """The names and their numbers."""
        if self._encoder is None:
            if self._labels:
                raise TypeError(
                    "This model has learned from arrays, whose columns have no names: give it "
                    "arrays, or make another model for dicts and texts."
                )
            check_parameters(self)
            self._encoder = FeatureEncoder(self.max_features)
        return self._encoder

    def _check_unnamed(self, X: Any) -> Any:
        """An array, where the model learns from arrays."""
        if self._encoder is not None:
            raise TypeError(
                "This model has learned from names, and an array's columns have none: give it "
                "dicts, texts or tables, or make another model for arrays."
            )
        return X

    def _to_matrix(self, rows: Any, *, add_names: bool) -> Any:
        if isinstance(rows, list):
            return self._csr(*self._get_encoder().rows(rows, add_names=add_names))
        return self._check_unnamed(rows)

    def _csr(self, data: Array, indices: Array, ends: Array) -> Any:
        """Rows over the features that there is room for."""
        return csr(data, indices, ends, self._capacity())

    def _capacity(self) -> int:
        """How many features there are weights for: at least as many as names."""
        needed = len(self._get_encoder().vocabulary)
        if not self._labels:
            return next_capacity(32, needed)
        model = self._fitted()
        if needed > model.n_features_in_:
            model._widen(next_capacity(model.n_features_in_, needed))
            self._quick = None
        return model.n_features_in_

    def _fast_path(self, row: CSR) -> _FastPath | None:
        """What takes one row at a time, where there are two labels to choose from."""
        fast = self._quick
        if fast is not None and len(fast.names) <= fast.capacity:
            return fast
        if len(self._labels) < 2:
            return None
        X, model = self._csr(*csr_arrays(row)), self._fitted()
        problem = model._classification_problem(
            X, np.zeros(1, np.int64), np.ones(1), model.classes_
        )
        problem, learned, tie = replace(problem, rows=row), model._state, problem.options.tie
        checked = learned.b if self.fit_intercept else learned.losses
        arguments = checked, len(checked)
        self._quick = _FastPath(
            self._get_encoder().vocabulary,
            len(learned.W),
            problem.row_learner(learned) if is_library_class(type(problem.rule)) else None,
            partial(entry_point(all_finite, arguments), *arguments),
            RowScorer(row, learned, problem.columns, average=self.output == "average", tie=tie),
        )
        return self._quick


def csr_arrays(row: CSR) -> tuple[Array, Array, Array]:
    """The arrays of a CSR matrix of the one row, copied."""
    end = row.indptr[1]
    return row.data[:end].copy(), row.indices[:end].astype(np.int32), row.indptr.copy()


class RiverProtocol(BaseEstimator):
    """The part of river's protocol that is not learning.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> OnlinePerceptron().clone({"output": "average"})
    OnlinePerceptron(output='average')
    """

    _supervised = True
    _multiclass = True
    _is_stochastic = False

    def predict_proba_one(self, x: Any) -> NoReturn:
        """Refuse: a perceptron's scores are no probabilities.

        Raises
        ------
        NotImplementedError
            As river's classifiers without probabilities do.
        """
        raise NotImplementedError("A perceptron's scores are no probabilities: use score_one.")

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """A model of the same parameters that has learned nothing.

        Parameters
        ----------
        new_params : dict, optional
            Parameters to change.
        include_attributes : bool, default=False
            Whether to keep what was learned.
        """
        fresh: Self = copy.deepcopy(self) if include_attributes else clone(self)
        fresh.set_params(**(new_params or {}))
        return fresh

    def _get_params(self) -> dict[str, Any]:
        params: dict[str, Any] = self.get_params(deep=False)
        return params


def register_with_river(cls: type) -> None:
    """Let river, where it is loaded, count a class among its classifiers: it asks isinstance.

    Our side imports nothing of it.
    """
    base = sys.modules.get("river.base")
    if base is not None:
        base.Classifier.register(cls)
