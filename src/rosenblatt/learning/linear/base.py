"""Learners that hold w itself: weights and intercepts over the features.

The estimators of :mod:`rosenblatt.learning.linear.estimators` and
:mod:`rosenblatt.learning.linear.regression` are these with parameters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.engine import multiclass, state
from rosenblatt.engine.jit import is_library_class
from rosenblatt.engine.loops import Options
from rosenblatt.engine.matrices import as_compact_rows, as_rows
from rosenblatt.engine.multiclass import Scheme
from rosenblatt.engine.steps import steps_from
from rosenblatt.learning.base import BaseLearner
from rosenblatt.learning.classifier import BaseClassifier, n_vectors
from rosenblatt.learning.dual import DualState, StepRecorder
from rosenblatt.learning.explain import DualAttributes
from rosenblatt.learning.params import check_parameters
from rosenblatt.learning.problem import FitRun, LinearProblem
from rosenblatt.learning.support import Support
from rosenblatt.learning.training import TrainingErrors, ValidationAccuracy
from rosenblatt.theory import penalties

Array = NDArray[Any]

OUT_OF_RANGE = (
    "The weights ran out of the floating-point range: this model is spoilt. Start again with "
    "scaled features or a smaller eta0."
)


class LinearLearner(BaseLearner):
    """Weights, intercepts and counters over a :class:`rosenblatt.engine.state.State`."""

    _coef: Any
    _dual: DualState | None = None  # steps are written down by some classifiers only

    def _penalty(self) -> penalties.Penalty:
        return penalties.NoPenalty()

    def _unpenalised(self) -> bool:
        return isinstance(self._penalty(), penalties.NoPenalty)

    # --- what was learned ------------------------------------------------------------------------

    def _weights(self) -> Any:
        """Weights to predict with, shape (columns, d), a fresh copy whenever they have moved."""
        self._check_fitted("coef_")
        if self._coef is None:
            W, _ = state.weights(self._state, self._output())
            self._coef = W[:, : self._n_vectors()].T.copy()
            self._coef.flags.writeable = False  # an edit in place would be lost
        return self._coef

    def _intercepts(self) -> Array:
        """Intercepts to predict with, shape (columns,)."""
        self._check_fitted("intercept_")
        columns = self._n_vectors()
        b = state.intercepts(self._state, self._output())
        result = b[:columns].astype(np.float64 if columns == 1 else self._state.W.dtype)
        result.flags.writeable = False
        return result

    def _scores(self, X: Any) -> Array:
        """X w + b, shape (n, columns)."""
        check_is_fitted(self)
        if self._is_valid_X(X):
            return np.asarray(X @ self._weights().T + self._intercepts())
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        scores = safe_sparse_dot(X, self._weights().T, dense_output=True) + self._intercepts()
        return np.asarray(scores)

    def _norm(self) -> float:
        """‖w‖, without the copy that ``coef_`` is."""
        return state.frobenius_norm(state.weights(self._state, self._output())[0])

    def _invalidate(self) -> None:
        self._coef = None

    # --- training --------------------------------------------------------------------------------

    def _set_fitted(self, run: FitRun, fitted: dict[str, Any]) -> None:
        super()._set_fitted(run, fitted)
        self._coef = None
        self._weights()  # predictions find them ready

    def _is_valid_X(self, X: Any) -> bool:
        """Whether X is what validation would make of it: a row or a batch then skips its cost.

        What a sparse matrix says of its structure is believed here, and looked at before it is
        learned from.
        """
        return (
            type(X) in (np.ndarray, sp.csr_array, sp.csr_matrix)
            and X.dtype == self._state.W.dtype
            and X.ndim == 2
            and X.shape[0] > 0
            and X.shape[1] == self.n_features_in_
            and (sp.issparse(X) or X.flags.c_contiguous)
            and "feature_names_in_" not in vars(self)
            and not sp.issparse(self._coef)
            and bool(np.isfinite(X.data if sp.issparse(X) else X).all())
        )

    def _validate_X_y(self, X: Any, y: Any, *, reset: bool, **options: Any) -> tuple[Any, Array]:
        """X as C-ordered or CSR float32 or float64, and y."""
        clean = not reset and self._is_valid_y(y) and self._is_valid_X(X)
        if clean and y.shape == X.shape[:1]:
            return X, y
        dtypes: Any = [np.float64, np.float32]
        if not reset:
            dtypes = self._state.W.dtype
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=dtypes, order="C", reset=reset, **options
        )
        return X, y

    def _start_state(self, X: Any, columns: int) -> state.State:
        """The state to go on from: the last one's copy in a warm start, else an empty one."""
        if self.warm_start and "_state" in vars(self):
            old = self._state
            if old.W.shape != (X.shape[1], state.padded_columns(columns)):
                raise ValueError(
                    f"warm_start goes on from weights of shape {old.W.shape[::-1]}, but X has "
                    f"{X.shape[1]} features and y asks for {columns} weight vectors."
                )
            return state.copy_state(old)
        return self._empty_state(X, columns)

    def _empty_state(self, X: Any, columns: int) -> state.State:
        penalty = self._penalty()
        return state.empty(
            X.shape[1],
            columns,
            X.dtype,
            average=self._output() == "average",
            truncated=penalty.truncation() != 0.0,
            pocket=self._output() == "pocket",
        )

    def _linear_problem(
        self,
        X: Any,
        y: Array,
        weight: Array,
        scheme: Scheme | None = None,
        class_weight: Array | None = None,
        held_out: Array | None = None,
        epochs: int = 1,
    ) -> LinearProblem:
        columns = 1 if class_weight is None else len(class_weight)
        intercept = bool(self.fit_intercept)
        rule, penalty = self._rule(), self._penalty()
        # L1 pulls at every weight that a row touches: there zeros count.
        thin = scheme is not None and epochs > 1 and penalty.truncation() == 0.0
        return LinearProblem(
            rows=as_compact_rows(X) if thin else as_rows(X),
            features=X.shape[1],
            y=y,
            weight=weight.astype(np.float64, copy=False),
            held_out=held_out,
            rule=rule,
            penalty=penalty,
            options=Options(
                tie=self._tie(),
                intercept=intercept,
                bias_sqnorm=self._bias_sqnorm() if intercept else 0.0,
                average=self._output() == "average",
                pocket=self._output() == "pocket",
            ),
            scheme=scheme,
            class_weight=np.ones(columns) if class_weight is None else class_weight,
            columns=columns,
        )

    def _learn_once(self, problem: LinearProblem, order: Array) -> None:
        """One epoch over ``order``, in place: the step of ``partial_fit``."""
        self._coef = None
        before = dual = None
        if not is_library_class(type(problem.rule)):
            before = state.copy_state(self._state)
            dual = self._dual and self._dual.copied()
        self._state.pocket_errors[:] = np.inf  # counted on other rows
        try:
            problem.learn_rows(order, self._state)
        except Exception:
            if before is not None:  # somebody's rule failed: its moves are taken back
                for now, then in zip(self._state, before, strict=True):
                    now[...] = then
                self._dual = dual and dual.rollback()
            raise
        self._check_in_range()

    def _check_in_range(self) -> None:
        """Refuse to go on with weights that are no numbers any more."""
        moved = self._state.b if self.fit_intercept else self._state.W
        if not np.isfinite(moved).all():
            raise ValueError(OUT_OF_RANGE)

    def _widen(self, d: int) -> Self:
        """Room for features that appear late; they start at weight zero."""
        if d > self._state.W.shape[0]:
            if self._dual is not None:
                self._dual.support.widen(d)
            self._state = state.extend_features(self._state, d)
            self._coef = None
            self.n_features_in_ = d
        return self


class LinearClassifier(SparseCoefMixin, DualAttributes, BaseClassifier, LinearLearner):
    """What the linear classifiers share."""

    # The defaults of parameters that not every one of them has.
    validation_fraction: float = 0.1
    expansion: bool = False

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
            columns = self._n_vectors()
            self._dual = None  # what was set is no sum of rows
            value = np.broadcast_to(np.atleast_2d(value), (columns, self.n_features_in_))
            state.set_weights(self._state, value.T, None)
            value = None
        self._coef = value

    @property
    def intercept_(self) -> Array:
        """Intercepts, shape (1,) for two classes, (K,) for more; set them as a whole."""
        return self._intercepts()

    @intercept_.setter
    def intercept_(self, value: Any) -> None:
        self._check_settable("intercept_")
        state.set_weights(self._state, None, np.broadcast_to(value, (self._n_vectors(),)))

    def _check_settable(self, name: str) -> None:
        self._check_fitted(name)
        if self.expansion:
            raise ValueError(f"{name} is a sum of rows with expansion=True: it cannot be set.")
        if self._output() != "last":
            raise ValueError(
                f"{name} follows from the whole run where output={self._output()!r}: "
                "it cannot be set. Use output='last', or coef_init and intercept_init in fit."
            )

    # --- the expansion ---------------------------------------------------------------------------

    def _validate_rows(self, X: Any) -> Any:
        return validate_data(
            self, X, accept_sparse="csr", dtype=self._state.W.dtype, order="C", reset=False
        )

    def _dual_coefficients(self) -> Array:
        dual, total = self._require_dual("dual_coef_"), int(self._state.t[0])
        log = steps_from(dual.steps)
        steps = log.tau * (1.0 - log.t / total) if self._output() == "average" else log.tau
        coefs = np.zeros((dual.size, self._n_vectors()))
        np.add.at(coefs, (log.slot, log.column), steps)
        return coefs

    def _kernel_products(self, x: Any) -> Array:
        rows = self._require_dual("explain").support.matrix()
        products = rows @ x.T
        return np.asarray(products.toarray() if sp.issparse(products) else products).ravel()

    def _feature_weights(self, x: Any, k: int) -> Array | None:
        coef = self._weights()
        return np.asarray((coef.toarray() if sp.issparse(coef) else coef)[k])

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
        with self._rollback_on_error():
            check_parameters(self)
            rows, labels = self._validate_X_y(X, y, reset=True)
            check_classification_targets(labels)
            weight = self._sample_weights(sample_weight, rows)
            self._fit(rows, labels, weight, coef_init, intercept_init)
        return self

    def _fit(self, X: Any, y: Array, weight: Array, coef_init: Any, intercept_init: Any) -> None:
        classes, codes = self._encode_labels(y)
        columns = n_vectors(classes)
        continuing = self.warm_start and "_state" in vars(self)
        start = self._start_state(X, columns)
        if self.expansion and not (coef_init is None and intercept_init is None):
            raise ValueError("expansion=True writes w as a sum of rows: it cannot start elsewhere.")
        state.set_weights(start, *_init_arrays(X.shape[1], columns, coef_init, intercept_init))
        held_out = self._validation_mask(codes, weight)
        problem = self._classification_problem(X, codes, weight, classes, held_out, self.max_iter)
        scorers: dict[str, Any] = {}
        if held_out is not None:
            scorers["validate"] = ValidationAccuracy(X[held_out], problem, held_out)
        if self._output() == "pocket":
            learned = slice(None) if held_out is None else ~held_out
            data = X[learned], codes[learned], weight[learned]
            scorers["judge"] = TrainingErrors(*data, columns, problem.options.tie)
        dual = self._recorded_dual(X, columns, fresh=not continuing)
        if dual is not None and continuing:
            dual = dual.copied()
            dual.support = dual.support.copied()
        problem = _recording(problem, dual, X, np.arange(len(y)))
        fitted = {"classes_": classes, "_open_classes": True, "_dual": dual}
        try:
            self._train(problem, self._fit_options(problem, **scorers), start, **fitted)
        finally:
            if dual is not None:
                dual.trim()

    def _init_classes(self, X: Any, classes: Array) -> None:
        super()._init_classes(X, classes)
        self._dual = self._recorded_dual(X, self._n_vectors(), fresh=True)

    def _insert_column(self, position: int) -> None:
        if self._dual is not None:
            self._dual.with_column(self._n_vectors(), position)
        super()._insert_column(position)

    def _learn_encoded(self, X: Any, codes: Array, weight: Array, order: Array, first: int) -> None:
        problem = self._classification_problem(X, codes, weight, self.classes_)
        dual = self._dual = self._recorded_dual(X, self._n_vectors(), fresh=False)
        self._learn_once(_recording(problem, dual, X, first + np.arange(len(codes))), order)

    def _recorded_dual(self, X: Any, columns: int, *, fresh: bool) -> DualState | None:
        """Where steps are written down, if they are."""
        if not self.expansion:
            return None
        for name, fine in (
            ("a penalty moves w, too: use penalty=None", self._unpenalised()),
            ("shards are averaged: use shards=1", self._shards() == 1),
            ("the pocket is an older w: use output='last'", self._output() != "pocket"),
        ):
            if not fine:
                raise ValueError(f"expansion=True writes w as a sum of rows, and {name}.")
        if fresh:
            return DualState(Support(X[:0]), state.padded_columns(columns), keep_steps=True)
        if self._dual is None:
            raise ValueError(
                "expansion=True was set after training without it, so its steps were not written "
                "down: start again with fit and warm_start=False."
            )
        return self._dual

    def _classification_problem(
        self,
        X: Any,
        codes: Array,
        weight: Array,
        classes: Array,
        held_out: Array | None = None,
        epochs: int = 1,
    ) -> LinearProblem:
        """Two classes: one vector and signs. More: the classes' numbers and a scheme."""
        by_class = self._class_weights(classes, codes).astype(X.dtype)
        if len(classes) == 2:
            return self._linear_problem(
                X, 2.0 * codes - 1.0, by_class[codes] * weight, held_out=held_out
            )
        scheme = multiclass.by_name(self.multi_class)
        self._check_classes(len(classes))
        codes = codes.astype(np.int64, copy=False)
        by_class = by_class.astype(np.float64)
        return self._linear_problem(X, codes, weight, scheme, by_class, held_out, epochs)

    def _validation_mask(self, codes: Array, weight: Array) -> Array | None:
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


def _recording(
    problem: LinearProblem, dual: DualState | None, X: Any, example_ids: Array
) -> LinearProblem:
    """The problem, with its steps written down."""
    return (
        problem if dual is None else replace(problem, recorder=StepRecorder(dual, X, example_ids))
    )


def _init_arrays(
    d: int, columns: int, coef: Any, intercept: Any
) -> tuple[Array | None, Array | None]:
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
