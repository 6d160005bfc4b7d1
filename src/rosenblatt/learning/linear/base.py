"""The base of linear learners: weights and intercepts over the features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, TypeGuard

import numpy as np

from rosenblatt.engine import state
from rosenblatt.engine.matrices import as_compact_rows, as_rows
from rosenblatt.engine.multiclass import Scheme, UpdateSpec
from rosenblatt.engine.rows import CSR, Rows
from rosenblatt.engine.scoring import products, state_scores
from rosenblatt.learning.base import BaseLearner, attributes_without_locks
from rosenblatt.learning.dual import StepRecorder
from rosenblatt.learning.linear.passes import StreamPass
from rosenblatt.learning.problem import FitRun, LinearProblem
from rosenblatt.learning.scaling import Scaling
from rosenblatt.theory import penalties
from rosenblatt.theory.rule_kinds import (
    AnyRule,
    check_features,
    chooses_row,
    share_numbers,
    traits_of,
)
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import is_library_class
from rosenblatt.utils.column_names import column_names
from rosenblatt.utils.labels import as_labels
from rosenblatt.utils.matrices import FLOATS, all_finite, is_sparse
from rosenblatt.utils.words import count


class OutOfRangeError(ValueError):
    """Weights that left the floating-point range, at a row, and the advice of smaller steps.

    Attributes
    ----------
    predicted : list
        The labels predicted of the rows before, where each row was predicted and then learned.
    """

    def __init__(self, smaller_steps: str, row: str = "") -> None:
        super().__init__(
            f"The weights left the floating-point range{row}: this model cannot be used any more. "
            f"Start again with scaled features{smaller_steps}."
        )
        self.predicted: list[Any] = []


class LinearLearner(BaseLearner):
    """Weights and intercepts over the features."""

    _coef: Any = None  # the weights to predict with; None: computed from the state when needed
    _scaling: Scaling | None = None  # of the features, where the state's weights are of scaled ones
    _confident_rule: type | None = None  # the rule whose numbers for each weight the state has

    _stream_pass: StreamPass | None = None  # in which its rows are learned, of several with "auto"
    _centred_columns: Sequence[int] | Array = ()  # of sparse rows, with scale=True

    # Defaults of parameters that not every linear learner has.
    penalty: str | None = None
    alpha: float = 0.0
    l1_ratio: float = 0.0
    scale: bool = False

    def _penalty(self) -> penalties.Penalty:
        if self.penalty is None:
            return penalties.NO_PENALTY
        return penalties.by_name(self.penalty, self.alpha, self.l1_ratio, self.eta0)

    def _unpenalised(self) -> bool:
        return self.penalty is None

    # --- weights and scores ----------------------------------------------------------------------

    def _weights(self) -> Matrix:
        """Return the weights to predict with, shape (columns, d), a new copy after every step."""
        self._check_fitted("coef_")
        coef = self._coef
        if coef is None:
            coef = self._computed_weights().copy()
            coef.flags.writeable = False  # an edit in place would have no effect
            self._coef = coef
        return coef

    def _computed_weights(self) -> Array:
        """Return the weights that follow from the state, of features in raw units."""
        W, _ = state.weights(self._state, self.output)
        coef = W[:, : self._n_vectors()].T
        return coef if self._scaling is None else self._scaling.raw_weights(coef)

    def _intercepts(self) -> Array:
        """Return the intercepts to predict with, shape (columns,)."""
        self._check_fitted("intercept_")
        columns = self._n_vectors()
        b = state.intercepts(self._state, self.output)[:columns]
        if self._scaling is None:
            result = b.astype(np.float64 if columns == 1 else self._state.W.dtype)
        else:
            result = self._scaling.raw_intercepts(b, self._weights())
        result.flags.writeable = False
        return result

    def _scores(self, X: Matrix) -> Array:
        """Return X w + b, shape (n, columns), summed in a stated order: see :func:`products`."""
        rows = self._rows_to_score(X)
        return products(rows, self._score_weights(), self._n_vectors()) + self._intercepts()

    def _state_scores(self, X: Matrix) -> Array:
        """Return the scores by the state, as of single rows that are learned: same bits as they."""
        rows, average = self._rows_to_score(X), self.output == "average"
        return state_scores(rows, self._state, self._n_vectors(), average=average)

    def _rows_to_score(self, X: Matrix) -> Rows:
        self._require_fitted()
        if not self._is_valid_X(X):
            X = self._validate(X, reset=False, dtype=[np.float64, np.float32])
        return as_rows(X)

    def _score_weights(self) -> Array:
        """Return the weights of ``coef_``, shape (d, at least columns); without a copy, if last."""
        edited = isinstance(self._coef, np.ndarray) and self._coef.flags.writeable  # in a file
        if self._scaling is None and self.output == "last" and not edited:
            return state.weights(self._state, "last")[0]
        coef = self._weights()
        return np.asarray((coef.toarray() if is_sparse(coef) else coef).T)

    def _norm(self) -> float:
        """Return ‖w‖, in raw units; without scaling, without a copy of the weights."""
        if self._scaling is not None:
            return state.frobenius_norm(self._computed_weights())
        return state.frobenius_norm(state.weights(self._state, self.output)[0])

    def _invalidate(self) -> None:
        self._coef = None

    def __getstate__(self) -> dict[str, object]:
        """Return the attributes of a pickle, without weights that follow from the state."""
        attributes = super().__getstate__()
        coef = attributes.get("_coef")
        if isinstance(coef, np.ndarray) and not coef.flags.writeable:
            attributes["_coef"] = None
        return attributes

    def _widen(self, d: int) -> Self:
        """Extend the weights to d features; new features start at weight zero."""
        if d > self._state.W.shape[0]:
            if self._dual is not None:
                self._dual.support.widen(d)
            check_features(self._rule(), d)
            self._resize(d)
            if self._scaling is not None:
                self._scaling = self._scaling.widened(d)
        return self

    def _truncated(self, d: int) -> Self:
        """Return a copy with the first d features."""
        learner = object.__new__(type(self))
        learner.__dict__ = attributes_without_locks(self)
        learner._resize(d)
        if self._scaling is not None:
            learner._scaling = self._scaling.truncated(d)
        return learner

    def _resize(self, d: int) -> None:
        """Take the first d features; new features start at weight zero."""
        self._state = state.resize_features(self._state, d)
        self.n_features_in_, self._coef = d, None

    # --- validation ------------------------------------------------------------------------------

    def _is_valid_X(self, X: Matrix) -> bool:
        """Return True if validation would return X itself: a row or a batch then skips its cost.

        The flags of a sparse matrix (sorted indices, no duplicates) are trusted here, and verified
        before the matrix is learned.
        """
        return (
            "feature_names_in_" not in vars(self)
            and _needs_no_conversion(X)
            and X.dtype == self._state.W.dtype
            and X.shape[1] == self.n_features_in_
        )

    def _validate_X_y(
        self, X: Matrix, y: ArrayLike, *, reset: bool, y_numeric: bool = False
    ) -> tuple[Matrix, Array]:
        """Return X as C-ordered or CSR float32 or float64, and y.

        Weights that training continues with keep their type: X takes it.
        """
        kept = self._state.W.dtype if self._is_fitted() else None
        if self._is_valid_y(y) and y.shape == getattr(X, "shape", ())[:1]:
            if not reset and self._is_valid_X(X):
                return X, y
            if reset and _needs_no_conversion(X) and (kept is None or kept == X.dtype):
                self.n_features_in_ = X.shape[1]
                vars(self).pop("feature_names_in_", None)
                return X, y
        dtype = FLOATS if kept is None else kept
        X, targets = self._validate(
            X, self._as_targets(y), reset=reset, dtype=dtype, y_numeric=y_numeric
        )
        return X, targets

    @staticmethod
    def _is_valid_y(y: object) -> TypeGuard[Array]:
        """Return True for integers, booleans and text, whose values need no check."""
        return type(y) is np.ndarray and y.dtype.kind in "biuU"

    @staticmethod
    def _as_targets(y: ArrayLike) -> Any:
        """Return what is to be learned, as an array that :meth:`_validate` takes."""
        return as_labels(y)

    # --- scaling ---------------------------------------------------------------------------------

    def _start_scaling(self, X: Matrix) -> Scaling | None:
        """Return the scaling that training starts with: of no rows, or of a warm start."""
        if not self._is_fitted():
            return Scaling.for_rows(X, self._centred_columns) if self.scale else None
        self._check_continued()
        return self._scaling

    def _scale_batch(self, X: Matrix, order: Array) -> Matrix:
        """Return the rows, each scaled by the rows up to it; continue the scaling with them."""
        self._check_continued()
        if self._scaling is None:
            return X
        self._scaling, scaled = self._scaling.learned(X, order)
        return scaled

    def _check_continued(self) -> None:
        """Refuse parameters that cannot change after training."""
        if bool(self.scale) != (self._scaling is not None):
            raise ValueError(
                f"scale={self.scale} was set after training with scale={not self.scale}, and the "
                "weights are of other units: start again with fit and warm_start=False."
            )
        rule, before = self._rule(), self._confident_rule
        if before and traits_of(type(rule)).keeps_numbers and not share_numbers(type(rule), before):
            raise ValueError(
                f"{type(rule).__name__} was set after training with {before.__name__}, whose "
                "number for each weight means something else: start again with fit and "
                "warm_start=False."
            )
        self._adapt_state()

    def _adapt_state(self) -> None:
        """Let the state have what the rule of now keeps, and nothing that only another needs."""
        self._state = state.for_rule(self._state, self._own_fields())

    # --- training --------------------------------------------------------------------------------

    def _start_state(self, X: Matrix, columns: int) -> state.State:
        """Return a copy of the last state for a warm start, else an empty state."""
        if not self._is_fitted():
            return self._empty_state(X, columns)
        last = self._state
        if last.W.shape != (X.shape[1], state.padded_columns(columns)):
            raise ValueError(
                f"warm_start continues with weights of shape {last.W.shape[::-1]}, but X has "
                f"{count(X.shape[1], 'feature')} and y needs {count(columns, 'weight vector')}."
            )
        return state.copy_state(last)

    def _empty_state(self, X: Matrix, columns: int) -> state.State:
        """Return the state before the first example; note the rule whose confidences it keeps."""
        rule, penalty = self._rule(), self._penalty()
        traits = traits_of(type(rule))
        if traits.full:
            check_features(rule, X.shape[1])
        self._confident_rule = type(rule) if traits.keeps_numbers else None
        return state.empty(
            X.shape[1],
            columns,
            X.dtype,
            self._own_fields(),
            average=self.output == "average",
            truncated=self.penalty is not None and penalty.truncation() != 0.0,
            pocket=self.output == "pocket",
        )

    def _linear_problem(
        self,
        X: Matrix,
        y: Array,
        weight: Array,
        scheme: Scheme | None = None,
        class_weight: Array | None = None,
        held_out: Array | None = None,
        epochs: int = 1,
        recorder: StepRecorder | None = None,
        offsets: Array | None = None,
    ) -> LinearProblem:
        columns = 1 if class_weight is None else len(class_weight)
        intercept = bool(self.fit_intercept)
        rule, penalty = self._rule(), self._penalty()
        traits = traits_of(type(rule))
        if not (traits.plain or self.penalty is None):
            raise ValueError(
                f"A penalty does not go with {type(rule).__name__}, which does more than to move w "
                "along a row: use penalty=None."
            )
        if traits.blended and self.output != "last":
            raise ValueError(
                f"output={self.output!r} does not go with rule={rule!r}, whose weights are a blend "
                "of learners already: use output='last'."
            )
        if not traits.plain and (weight < 0.0).any():
            raise ValueError(f"sample_weight must be at least 0 with rule={rule!r}.")
        calibrates = self._calibrates()
        if calibrates:
            self._check_calibrated(rule)
        # L1 truncates the weights of every stored feature of a row: zeros must stay stored.
        thin = scheme is not None and epochs > 1
        thin = thin and (self.penalty is None or penalty.truncation() == 0.0)
        rows = as_compact_rows(X) if thin else as_rows(X)
        if isinstance(rows, CSR) and not traits.ours:  # a method could write to the arrays of X
            rows = CSR(rows.data, rows.indices.copy(), rows.indptr.copy())
        return LinearProblem(
            rows=rows,
            features=X.shape[1],
            y=y,
            weight=weight.astype(np.float64, copy=False),
            held_out=held_out,
            spec=UpdateSpec(
                rule=rule,
                scheme=scheme,
                class_weight=np.ones(columns) if class_weight is None else class_weight,
                tie=self._tie(),
                intercept=intercept,
                bias_sqnorm=self.BIAS_SQNORM if intercept else 0.0,
                penalty=penalty,
                average=self.output == "average",
                pocket=self.output == "pocket",
                calibrates=self.output if calibrates else None,
            ),
            columns=columns,
            recorder=recorder,
            offsets=offsets,
        )

    def _check_calibrated(self, rule: AnyRule) -> None:
        """Refuse to calibrate scores that no example has before it is learned."""
        if self.output == "pocket":
            raise ValueError(
                "probabilities=True calibrates the scores of the last or the averaged weights, and "
                "those of the pocket are known at the end of an epoch: use output='average'."
            )
        if chooses_row(rule):
            raise ValueError(
                f"probabilities=True learns from examples as they come, and rule={rule!r} chooses "
                "those with the least score: use another rule."
            )

    def _learn_once(self, problem: LinearProblem, order: Array) -> None:
        """Learn the rows of ``order`` once, in place: the step of ``partial_fit``."""
        self._coef = None
        if problem.recorder is None and self._dual is not None:
            self._dual = None  # steps without a record: w is no sum of recorded rows any more
        before = dual = None
        if not is_library_class(type(problem.spec.rule)):
            before = state.copy_state(self._state)
            dual = self._dual and self._dual.copied()
        self._state.pocket_errors[:] = np.inf  # counted on other rows
        run = FitRun(self._state)
        try:
            if self._stream_pass is not None:
                problem = self._stream_pass.of_problem(problem)
            problem.run_epoch(order, run)
        except Exception:
            if before is not None:  # a rule of the user's may fail: its steps are undone
                for name, array in state.arrays_of(self._state).items():
                    array[...] = state.arrays_of(before)[name]
                self._dual = dual
                if dual is not None:
                    dual.drop_later_rows()
            raise
        self._check_in_range(problem, run.bad)

    def _check_in_range(self, problem: LinearProblem, bad: int) -> None:
        """Refuse weights, or averages, that are not finite after these rows were learned.

        ``bad`` is the row whose step made them so, negative if it is not known.
        """
        current, rows = self._state, problem.rows
        features: slice | Array = slice(None)
        # No other weight has changed; one weight out of order takes as long as eight in order.
        if isinstance(rows, CSR) and 8 * rows.indptr[-1] < current.W.shape[0]:
            features = rows.indices[: rows.indptr[-1]]
        W, b = current.W[features], current.b
        if current.U.shape[0] > 0:
            with np.errstate(over="ignore", invalid="ignore"):
                W, b = current.area * W - current.U[features], b - current.ub
        if not (np.isfinite(b).all() and np.isfinite(W).all()):
            raise OutOfRangeError(self._smaller_steps(), f" at row {bad}" if bad >= 0 else "")

    def _set_fitted(self, run: FitRun, fitted: dict[str, object]) -> None:
        super()._set_fitted(run, fitted)
        self._coef = None
        if self._dual is not None:
            self._dual.trim()
        if self.output == "last" and self._scaling is None:  # the training has checked them
            return
        values = self._intercepts(), self._weights()
        if not all(np.isfinite(array).all() for array in values):  # an average may overflow
            raise ValueError(
                "The average of the weights left the floating-point range. Scale the features "
                f"(StandardScaler, MinMaxScaler){self._smaller_steps()}."
            )


def _needs_no_conversion(X: Matrix) -> bool:
    """Return True for a finite matrix that a validation would return as it is."""
    dense = type(X) is np.ndarray and X.flags.c_contiguous
    return (
        (dense or (is_sparse(X) and X.format == "csr" and column_names(X) is None))
        and X.dtype in FLOATS
        and X.ndim == 2
        and 0 not in X.shape
        and all_finite(X if dense else X.data)
    )
