"""Base of online learners: the inner Perceptron, and the compiled path of single rows."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import takewhile
from threading import RLock
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.engine import blend
from rosenblatt.engine.scoring import RowScorer, predict_codes
from rosenblatt.engine.serving.examples import Block
from rosenblatt.engine.state import weights as state_weights
from rosenblatt.engine.steps import next_capacity
from rosenblatt.engine.text.named_rows import INFINITE, Encoder, Path
from rosenblatt.learning import interface
from rosenblatt.learning.linear.base import OutOfRangeError
from rosenblatt.learning.linear.learners import Perceptron
from rosenblatt.learning.online.features import (
    FeatureEncoder,
    Features,
    as_label_array,
    as_weight_array,
    has_names,
)
from rosenblatt.learning.params import LinearParameters, Parameters, check_parameters
from rosenblatt.streams.core.batch import csr
from rosenblatt.theory import rules
from rosenblatt.theory.rule_kinds import MAX_FEATURES, chooses_row, has_full_covariance
from rosenblatt.utils.arrays import Array, Matrix


class _FastPath(NamedTuple):
    """Compiled path for single rows; valid until the state's arrays or the classes change."""

    vocabulary: dict[Hashable, int]
    capacity: int  # features with weights
    dicts: Path  # encodes a dict and predicts or learns it in one call
    learn: Callable[[Encoder, float, float], bool] | None  # None for a rule that the core lacks
    class_weights: dict[float, float] | None  # of each target, where they scale an example's weight
    scorer: RowScorer


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineBase(LinearParameters, Parameters):
    """Inner :class:`rosenblatt.Perceptron` of an online model, and the index of each feature name.

    The weights of the inner model are allocated for more features than there are names, and
    doubled when names run out of room, so a new name does not copy all weights.
    """

    OUTPUTS = ("last", "average")

    fit_intercept: bool = True
    max_features: int | None = None

    def __post_init__(self) -> None:
        self._encoder: FeatureEncoder | None = None  # None for arrays, whose columns have no names
        self._model: Perceptron | None = None
        self._labels: list[Any] = []
        self._targets: dict[Any, float] = {}  # label -> the loops' target
        self._cached_path: _FastPath | None = None
        self._weights_changed = False  # since the inner model last computed coef_
        self._lock = RLock()  # rows are encoded in arrays that the next call overwrites

    def __getstate__(self) -> dict[str, object]:
        with self._lock:  # what another thread learns later is no part of the copy
            state = self.__dict__ | {"_cached_path": None, "_weights_changed": True}
            del state["_lock"]
            return copy.deepcopy(state)

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._lock = RLock()

    def set_params(self, **params: object) -> Self:
        """Set parameters, also for what is learned from now on, but ``max_features``.

        They are checked when the model learns.

        Parameters
        ----------
        **params
            New values by their names.

        Raises
        ------
        ValueError
            A name is no parameter.
        """
        with self._lock:
            super().set_params(**params)
            if self._model is not None:
                shared = {name: params[name] for name in params if name != "max_features"}
                self._model.set_params(**shared)
                self._cached_path, self._weights_changed = None, True
        return self

    def _fitted(self) -> Perceptron:
        """Return the inner model; coef_ is computed anew after single rows were learned."""
        assert self._model is not None
        if self._weights_changed:
            interface.invalidate(self._model)
            self._weights_changed = False
        return self._model

    def _learn(self, X: Matrix, labels: Array, weight: Array | None) -> None:
        """Learn a batch, and create the inner model if there is none."""
        model = self._model
        if model is None:
            check_parameters(self)
            names = (field.name for field in fields(self) if field.name != "max_features")
            model = Perceptron(**{name: getattr(self, name) for name in names}, shuffle=False)
        check_rule(model)  # refuses an unknown name before anything is learned, too
        self._cached_path = None
        self._adopt(model.partial_fit(X, labels, sample_weight=weight))

    def _adopt(self, model: Perceptron) -> None:
        """Take a fitted inner model."""
        self._model = model
        self._labels = model.classes_.tolist()
        targets = (-1.0, 1.0) if len(self._labels) == 2 else range(len(self._labels))
        self._targets = dict(zip(self._labels, targets, strict=True))

    def _target(self, label: object) -> float | None:
        try:
            return self._targets.get(label)
        except TypeError:  # not hashable
            return None

    def _get_encoder(self) -> FeatureEncoder:
        """Encoder of the feature names, created at the first row with names."""
        if self._encoder is None:
            if self._labels:
                raise TypeError(
                    "This model was trained on arrays, whose columns have no names: pass arrays, "
                    "or use another model for dicts and texts."
                )
            check_parameters(self)
            self._encoder = FeatureEncoder(names_limit(self))
        return self._encoder

    @contextmanager
    def _adding_names(self) -> Iterator[None]:
        """Forget what the body has added and left out, if it fails and no weight has moved."""
        encoder = self._encoder
        before = (0, 0) if encoder is None else (len(encoder.vocabulary), encoder.ignored)
        try:
            yield
        except OutOfRangeError:
            raise
        except Exception:
            if encoder is None:
                self._encoder = None
            else:
                encoder.go_back(*before)
                self._cached_path = None
            raise

    def _check_unnamed(self, X: Matrix) -> Matrix:
        """Return an array, or refuse it in a model of named features."""
        if self._encoder is not None:
            raise TypeError(
                "This model was trained on feature names, and an array's columns have none: pass "
                "dicts, texts or tables, or use another model for arrays."
            )
        return X

    def _to_matrix(self, rows: Matrix, *, add_names: bool) -> Matrix:
        if isinstance(rows, list):
            return self._csr(*self._get_encoder().rows(rows, add_names=add_names))
        return self._check_unnamed(rows)

    def _csr(self, data: Array, indices: Array, ends: Array) -> Matrix:
        """Sparse rows as wide as the allocated weights."""
        return csr(data, indices, ends, self._capacity())

    def _capacity(self) -> int:
        """Number of allocated features, at least the number of names; grows where needed."""
        encoder = self._get_encoder()
        needed = len(encoder.vocabulary)
        largest = math.inf if encoder.limit is None else max(encoder.limit, needed)
        if not self._labels:
            return int(min(next_capacity(32, needed), largest))
        model = self._fitted()
        if needed > model.n_features_in_:
            capacity = next_capacity(model.n_features_in_, needed)
            interface.widen(model, int(min(capacity, largest)))
            self._cached_path = None
        return model.n_features_in_

    def _fast_path(self, row: Encoder) -> _FastPath | None:
        """Compiled single-row path; None while the model has fewer than two classes."""
        fast = self._cached_path
        if fast is not None and len(fast.vocabulary) <= fast.capacity:
            return fast
        if len(self._labels) < 2:
            return None
        X, model = self._csr(*row.arrays()), self._fitted()
        check_rule(model)
        problem = interface.row_problem(model, X)
        learned, tie = interface.learned(model).state, problem.spec.tie
        learner = problem.row_learner(learned)
        average = self.output == "average"
        scorer = RowScorer(learned, problem.columns, average=average, tie=tie)
        self._cached_path = _FastPath(
            vocabulary=self._get_encoder().vocabulary,
            capacity=len(learned.W),
            dicts=Path(row, scorer.core, learner),
            learn=None if learner is None else learner.row,
            class_weights=self._class_weights(),
            scorer=scorer,
        )
        return self._cached_path

    def _learn_row(
        self, row: Encoder, y: object, target: float | None, w: float, *, predict: bool
    ) -> Any:
        """Learn an encoded row; first predict its label, if wanted."""
        fast, predicted = self._fast_path(row), None
        if predict and self._labels:
            predicted = self._labels[0 if fast is None else self._code(fast.scorer, row)]
        if fast is None or fast.learn is None or target is None:
            self._learn(self._csr(*row.arrays()), as_label_array([y]), as_weight_array(w, 1))
            return predicted
        self._weights_changed = True
        if fast.class_weights is not None:
            w *= fast.class_weights[target]
        if not fast.learn(row, target, w):
            raise self._out_of_range()
        return predicted

    def _code(self, scorer: RowScorer, row: Encoder) -> int:
        """Return the code of the label that is predicted of a row."""
        return self._decided(scorer.predict(row), scorer.latest)

    def _decided(self, code: int, scores: Array) -> int:
        """Return the code of a row by costs, where there are any, else this one."""
        if len(self._labels) != 2 or not interface.has_costs(self._model):
            return code
        predicted = interface.labels_of_scores(self._fitted(), np.array(scores))
        return self._labels.index(predicted.tolist()[0])

    def _out_of_range(self) -> OutOfRangeError:
        return OutOfRangeError(interface.smaller_steps(self._fitted()), " at this row")

    def _class_weights(self) -> dict[float, float] | None:
        """Return each target's weight for two classes; the loops themselves weigh more classes."""
        model = self._fitted()
        blended = interface.is_blended(model)  # whose intercept takes them up
        if model.class_weight is None or len(self._labels) > 2 or blended:
            return None
        by_class = interface.class_weights(model).tolist()
        return dict(zip(self._targets.values(), by_class, strict=True))

    def _row_scores(self, x: Features | Array) -> Array:
        """Return the score of every weight vector."""
        if not has_names(x):
            X = self._check_unnamed(np.asarray(x)[np.newaxis])
            return np.asarray(interface.state_scores(self._fitted(), X)[0])
        row = self._get_encoder().row(x, add_names=False)
        fast = self._fast_path(row)
        return np.zeros(1) if fast is None else fast.scorer.scores(row)

    def _predict_with_scores(self, x: Features | Array) -> tuple[Any, dict[Any, float]]:
        if not self._labels:
            return None, {}
        with self._lock:
            labels, fast = self._labels, None
            if has_names(x):
                row = self._get_encoder().row(x, add_names=False)
                fast = self._fast_path(row)
            if fast is not None:
                code, scores = self._code(fast.scorer, row), fast.scorer.latest
            else:
                scores, tie = self._row_scores(x), interface.tie(self._fitted())
                rows = scores if len(labels) < 3 else scores[np.newaxis]
                code = int(predict_codes(rows, tie)[0]) if len(labels) > 1 else 0
                code = self._decided(code, scores)
            values = by_label(scores.tolist(), len(labels))
        return labels[code], dict(zip(labels, values, strict=True))

    def _inner_model(self) -> Perceptron:
        inner = Perceptron(shuffle=False) if self._model is None else copy.deepcopy(self._model)
        if self._labels and self._encoder is not None:
            inner = interface.truncated(inner, max(1, len(self._encoder.vocabulary)))
        return inner

    def _dense_width(self) -> int | None:
        if self._encoder is not None or not self._labels:
            return None
        return self._fitted().n_features_in_

    def _weights_at(self, columns: Array) -> Array:
        with self._lock:
            state = interface.learned(self._fitted()).state
            blend.refresh(state.W, state.b, state.own)
            part = state._replace(W=state.W[columns], own={})
            if len(state.U):  # an average is kept
                part = part._replace(U=state.U[columns])
            return state_weights(part, self.output)[0]

    def _score_rows(self, X: Array) -> Array:
        with self._lock:
            if len(self._labels) < 2:
                return np.zeros((len(X), len(self._labels)))
            scores = interface.state_scores(self._fitted(), X)
        return np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores

    # --- examples that the core has parsed -------------------------------------------------------

    def _predict_then_learn_rows(
        self, block: Block, start: int, stop: int, predicted: list[Any]
    ) -> None:
        labels, weights = block.labels[start:stop], block.weights(start, stop)
        with self._lock:
            while (i := len(predicted)) < stop - start:
                codes = self._learn_run(block, start + i, labels[i:], weights[i:])
                fault = codes.pop() if codes and codes[-1] < 0 else 0
                predicted += [self._labels[code] for code in codes]
                if fault == INFINITE:
                    raise self._out_of_range()
                if codes and not fault:
                    continue
                i = len(predicted)
                encoder = self._encoder or self._get_encoder()
                with self._adding_names():
                    if not fault:  # else it is encoded, and the weights have to grow
                        encoder.row_of(block, start + i, add_names=True)
                    label, row = labels[i], encoder.latest
                    target = self._target(label)
                    predicted.append(self._learn_row(row, label, target, weights[i], predict=True))

    def _learn_run(
        self, block: Block, start: int, labels: list[Any], weights: list[float]
    ) -> list[int]:
        """Learn rows in one call of the core, up to one whose label is new; return their codes."""
        fast = self._cached_path
        if fast is None or fast.learn is None or interface.has_costs(self._model):
            return []
        targets = map(self._targets.get, labels)
        y: list[Any] = list(takewhile(lambda target: target is not None, targets))
        if not y:
            return []
        if fast.class_weights is not None:
            by_class = fast.class_weights
            weights = [w * by_class[target] for w, target in zip(weights, y, strict=False)]
        self._weights_changed = True
        return fast.dicts.learn_rows(block, start, y, weights[: len(y)])


def predict_then_learn_rows(
    model: OnlineBase, block: Block, start: int, stop: int, predicted: list[Any]
) -> None:
    """Predict rows of a block and learn each then, as ``predict_then_learn`` does, in order.

    Parameters
    ----------
    model : OnlinePerceptron
    block : Block
        Its weights are finite numbers ≥ 0.
    start, stop : int
        The rows from ``start`` to before ``stop``.
    predicted : list
        Gets the label that was predicted of each row that was learned; where one is refused, those
        before it were learned, and none after it.

    Raises
    ------
    TypeError, ValueError, OutOfRangeError
        As in ``learn_one``.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> from rosenblatt.engine.serving.examples import ExampleParser
    >>> lines = [b'{"features": {"a": 2}, "label": 1}', b'{"features": {"b": 1}, "label": 0}'] * 2
    >>> block, _ = ExampleParser(9, 9, 1e30).parse(lines)
    >>> model, predicted = OnlinePerceptron(), []
    >>> predict_then_learn_rows(model, block, 0, 4, predicted)
    >>> predicted, model.predict_one({"b": 1})
    ([None, 1, 0, 0], 0)
    """
    model._predict_then_learn_rows(block, start, stop, predicted)


def check_rule(model: Perceptron) -> None:
    """Refuse a rule that chooses its row among all."""
    if chooses_row(interface.rule(model)):
        raise ValueError(
            f"rule={model.rule!r} chooses its row among all, and rows come one by one here: use "
            "rosenblatt.Perceptron and fit."
        )


def names_limit(model: OnlineBase) -> int | None:
    """Return the largest number of names: ``max_features``, less for a rule with a covariance."""
    rule, limit = model.rule, model.max_features
    if isinstance(rule, str):
        rule = rules.by_name(rule, 1.0, 0.0)
    if not has_full_covariance(rule):
        return limit
    return MAX_FEATURES if limit is None else min(limit, MAX_FEATURES)


def lock_of(model: OnlineBase) -> RLock:
    """Return the lock that a thread holds while it learns or predicts a row."""
    return model._lock


def inner_model(model: OnlineBase) -> Perceptron:
    """Return a copy of the inner model of an online model, with exactly one weight per name."""
    return model._inner_model()


def vocabulary(model: OnlineBase) -> dict[Hashable, int] | None:
    """Return the index of each feature name of an online model; None for a model of arrays."""
    encoder = model._encoder
    return None if encoder is None else encoder.vocabulary


def array_bytes(model: OnlineBase) -> int:
    """Return the bytes of the arrays of an online model, and of its rule."""
    if model._model is None or not model._labels:
        return 0
    state = interface.learned(model._model).state
    return sum(getattr(part, "nbytes", 0) for part in (*state, *state.own.values()))


def dense_width(model: OnlineBase) -> int | None:
    """Return the number of columns of an online model of arrays; None for one with names."""
    return model._dense_width()


def weight_vectors(model: OnlineBase) -> Array:
    """Return the weights that predict: a row for each label, or one row for two labels."""
    return np.asarray(model._fitted().coef_)


def weights_at(model: OnlineBase, columns: Array) -> Array:
    """Return the weights that predict, of some columns: shape (columns, K), or (columns, 1).

    Unlike :func:`weight_vectors` it computes no others, of which there may be millions.
    """
    return model._weights_at(columns)


def by_label(scores: list[float], labels: int) -> list[float]:
    """Return the score of each label from those of a row; two labels share one weight vector."""
    return [-scores[0], scores[0]] if labels == 2 else scores


def score_rows(model: OnlineBase, X: Array) -> Array:
    """Return the score of every label on the rows of an array, shape (n, K)."""
    return model._score_rows(X)


def restore(model: OnlineBase, inner: Perceptron, encoder: FeatureEncoder | None) -> None:
    """Set the trained inner model and the names of an untrained online model."""
    model._encoder = encoder
    model._adopt(inner)
