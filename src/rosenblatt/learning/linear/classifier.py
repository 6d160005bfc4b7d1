"""The base of linear classifiers: ``fit``, settable weights, and the recorded expansion."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.engine import blend, multiclass, state
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.scoring import products
from rosenblatt.engine.steps import steps_from
from rosenblatt.learning.base import changing, print_epoch, reading
from rosenblatt.learning.classifier import n_vectors
from rosenblatt.learning.dual import DualState, StepRecorder
from rosenblatt.learning.explain import DualClassifier
from rosenblatt.learning.linear.base import LinearLearner, OutOfRangeError
from rosenblatt.learning.linear.passes import PassOptions, learn_in_passes
from rosenblatt.learning.params import check_parameters
from rosenblatt.learning.probabilities import log_probabilities
from rosenblatt.learning.problem import FitRun, FitSetup, LinearProblem
from rosenblatt.learning.support import Support
from rosenblatt.learning.training import TrainingErrors, ValidationAccuracy
from rosenblatt.theory.rule_kinds import chooses_row, is_plain, traits_of
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import is_library_class, within_float64
from rosenblatt.utils.matrices import as_csr, check_finite, is_sparse


class LinearClassifier(DualClassifier, LinearLearner):
    """``fit``, weights that can be set, and w as a sum of rows (``expansion=True``)."""

    # Defaults of parameters that not every linear classifier has.
    validation_fraction: float = 0.1
    expansion: bool = False

    @property
    @reading
    def coef_(self) -> Matrix:
        """Weights, shape (1, d) for two classes, (K, d) for more; assign a whole array."""
        return self._weights()

    @coef_.setter
    def coef_(self, value: Any) -> None:
        sparse = is_sparse(value)
        value = as_csr(value) if sparse else value
        with within_float64("coef_"):
            coef = np.asarray(value.toarray() if sparse else value, np.float64)
        check_finite(coef, "coef_")
        with changing(self):
            self._coef = None
            if not np.array_equal(coef, self._weights()):
                self._check_settable("coef_")
                columns = self._n_vectors()
                self._dual = None  # weights set by hand are no sum of rows
                coef = np.broadcast_to(np.atleast_2d(coef), (columns, self.n_features_in_))
                self._adapt_state()
                state.set_weights(self._state, coef.T, None)
                self._forget_set_scores()
            self._coef = value.astype(self._state.W.dtype) if sparse else None

    @property
    @reading
    def intercept_(self) -> Array:
        """Intercepts, shape (1,) for two classes, (K,) for more; assign a whole array."""
        return self._intercepts()

    @intercept_.setter
    def intercept_(self, value: Any) -> None:
        with within_float64("intercept_"):
            value = np.asarray(value, np.float64)
        check_finite(value, "intercept_")
        with changing(self):
            self._check_settable("intercept_")
            self._adapt_state()
            state.set_weights(self._state, None, np.broadcast_to(value, (self._n_vectors(),)))
            self._forget_set_scores()

    def _check_settable(self, name: str) -> None:
        self._check_fitted(name)
        if self.expansion:
            raise ValueError(f"{name} is a sum of rows with expansion=True: it cannot be set.")
        if self._scaling is not None:
            raise ValueError(
                f"{name} is computed from weights of scaled features with scale=True: it cannot "
                "be set. Use coef_init and intercept_init in fit, which are in raw units."
            )
        if self.output != "last":
            raise ValueError(
                f"{name} is computed from all steps with output={self.output!r}: it cannot be "
                "set. Use output='last', or coef_init and intercept_init in fit."
            )

    # --- w as a sum of rows: hooks of DualClassifier ---------------------------------------------

    def _validate_rows(self, X: Matrix) -> Matrix:
        return self._validate(X, dtype=self._state.W.dtype, reset=False)

    def _dual_coefficients(self) -> Array:
        dual, total = self._require_dual("dual_coef_"), int(self._state.t[0])
        log = steps_from(dual.steps)
        steps = log.tau * (1.0 - log.t / total) if self.output == "average" else log.tau
        coefs = np.zeros((dual.size, self._n_vectors()))
        np.add.at(coefs, (log.slot, log.column), steps)
        return coefs

    def _kernel_products(self, x: Matrix) -> Array:
        rows = self._require_dual("explain").support.matrix()
        x = x.toarray() if is_sparse(x) else x
        return products(as_rows(rows), np.asarray(x).T, 1).ravel()

    def _feature_weights(self, x: Matrix, k: int) -> Array | None:
        coef = self._weights()
        return np.asarray((coef.toarray() if is_sparse(coef) else coef)[k])

    # --- fit -------------------------------------------------------------------------------------

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
            float32 stays float32; every other type becomes float64.
        y : array, list or Series of shape (n,)
            At least two different labels: text, whole numbers or booleans.
        coef_init, intercept_init : arrays of shape (1, d) or (K, d), and (1,) or (K,), optional
            Initial weights and intercepts.
        sample_weight : array of shape (n,), optional
            Each example's step is multiplied by its weight.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A parameter, a label or a number is not valid, or the weights leave the floating-point
            range.
        """
        return self._fit(X, y, sample_weight, coef_init, intercept_init)

    def _set_up(self, X: Matrix, y: Array, weight: Array, *inits: ArrayLike | None) -> FitSetup:
        classes, codes = self._encode_labels(y)
        columns = n_vectors(classes)
        scaling = self._start_scaling(X)
        start = self._start_state(X, columns)
        starts_elsewhere = any(init is not None for init in inits)
        if self.expansion and starts_elsewhere:
            raise ValueError("expansion=True writes w as a sum of rows: it cannot start elsewhere.")
        mask = self._validation_mask(codes, weight) if self.early_stopping else None
        init_weights = _init_arrays(X.shape[1], columns, *inits) if starts_elsewhere else inits
        if scaling is not None:
            parts = np.array_split(np.arange(X.shape[0]), self.shards)
            if mask is not None:
                parts = [part[~mask[part]] for part in parts]
            scaling = scaling.fitted_in_parts(X, parts)
            X, (W, b) = scaling.scaled(X), state.weights(start, "last")
            init_weights = scaling.scaled_init(W[:, :columns], b[:columns], *init_weights)
        if scaling is not None or starts_elsewhere:
            state.set_weights(start, *init_weights)
        dual = self._start_dual(X, columns) if self.expansion else None
        problem = self._problem(
            X, codes, weight, classes, dual, held_out=mask, epochs=self.max_iter
        )
        scorers: dict[str, object] = {}
        if mask is not None:
            scorers["val_score"] = ValidationAccuracy(X[mask], problem, mask)
        if self.output == "pocket":
            learned = slice(None) if mask is None else ~mask
            data = X[learned], codes[learned], weight[learned]
            scorers["train_errors"] = TrainingErrors(*data, problem)
        fitted = {"classes_": classes, "_open_classes": True, "_dual": dual, "_scaling": scaling}
        return FitSetup(problem, start, fitted, scorers)

    def _run(self, setup: FitSetup, **order: Any) -> FitRun:
        """Run the epochs of a fit; of a blended rule, passes that rows held back judge."""
        problem, blended = setup.problem, traits_of(type(self._rule())).blended
        in_shards = bool(order) or self.shards > 1
        if not (isinstance(problem, LinearProblem) and blended) or in_shards:
            return super()._run(setup, **order)
        seeds = self._seeds(1)
        options = PassOptions(
            max_iter=self.max_iter,
            tol=self.tol or 0.0,
            seed=None if seeds is None else seeds[0],
            report=print_epoch if self.verbose else None,
        )
        run = learn_in_passes(problem, options, setup.start)
        self._set_fitted(run, setup.fitted)
        return run

    # --- predict, then learn ---------------------------------------------------------------------

    @property
    def _can_predict_then_learn(self) -> bool:
        """True where :meth:`_predict_then_learn` can be used."""
        return (
            self._is_fitted()
            and len(self.classes_) > 1
            and self.output in ("last", "average")
            and not self.expansion
            and is_library_class(type(self._rule()))
        )

    def _predict_then_learn(
        self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None, first: int, lag: int
    ) -> tuple[list[Any], Array, Array | None]:
        """Predict the rows from ``first`` on, each before it is learned, in compiled code.

        After row i is predicted, row i + 1 − ``lag`` is learned, if there is one, as by
        ``partial_fit``, to the bit. No label may be new. Return the labels, the scores of every
        weight vector, and calibrated probabilities of the classes, if there are any.
        """
        check_parameters(self)
        self._check_partial_fit_params()
        self._check_continued()
        X, y = self._validate_X_y(X, y, reset=False)
        weight, predicted_rows = self._batch_weights(sample_weight, X), None
        if self._scaling is not None:
            self._scaling, predicted_X, X = self._scaling.learned_in_turn(X, first, lag)
            predicted_rows = as_rows(predicted_X)
        problem = self._problem(X, self._codes(y), weight, self.classes_)
        before, self._coef = self._counts(), None
        run, by_costs = FitRun(self._state), self._decides_by_costs()
        predicted, scores, logits = problem.predict_then_learn(run, first, lag, predicted_rows)
        log_odds = scores if logits is None else logits
        shaped = log_odds[:, 0] if log_odds.shape[1] == 1 else log_odds
        if by_costs:
            predicted = self._codes_by_costs(log_probabilities(shaped, 2, joint=True))
        try:
            self._check_in_range(problem, run.bad)
        except OutOfRangeError as error:
            error.predicted = self.classes_[predicted[: max(0, run.bad - first)]].tolist()
            raise
        self._end_batch(before)
        probabilities = None
        if logits is not None:
            probabilities = np.exp(log_probabilities(shaped, len(self.classes_), joint=True))
        return self.classes_[predicted].tolist(), scores, probabilities

    # --- the problem -----------------------------------------------------------------------------

    def _problem(
        self,
        X: Matrix,
        codes: Array,
        weight: Array,
        classes: Array,
        dual: DualState | None = None,
        first: int = 0,
        held_out: Array | None = None,
        epochs: int = 1,
    ) -> LinearProblem:
        """Return the problem: signs for two classes, else classes and a multi-class scheme."""
        by_class = self._class_weights(classes, codes).astype(X.dtype)
        options: dict[str, Any] = {"held_out": held_out, "epochs": epochs}
        if self.expansion:
            dual = self._check_expansion(dual)
            options["recorder"] = StepRecorder(dual, X, first + np.arange(len(codes)))
        blended = traits_of(type(self._rule())).blended
        if blended and self.fit_intercept:  # the intercepts take up the weights
            options["offsets"] = blend.class_offsets(by_class)
            by_class = np.ones_like(by_class)
        if len(classes) == 2:
            y = 2.0 * codes - 1.0
            return self._linear_problem(X, y, by_class[codes] * weight, **options)
        self._check_classes(len(classes))
        codes, by_class = codes.astype(np.int64, copy=False), by_class.astype(np.float64)
        scheme = multiclass.SCHEMES["joint" if blended else self.multi_class]  # all classes at once
        return self._linear_problem(X, codes, weight, scheme, by_class, **options)

    def _validation_mask(self, codes: Array, weight: Array) -> Array:
        """Return the rows held out for early stopping."""
        if chooses_row(self._rule()):
            raise ValueError(
                f"early_stopping compares epochs, and an epoch of rule={self._rule()!r} is one "
                "step, of a row chosen among all: use early_stopping=False."
            )
        chosen = self._draw_validation_rows(codes)
        if not weight[chosen].any():
            raise ValueError(
                "The sample weights for validation set are all zero, consider using a different "
                "random state."
            )
        mask = np.zeros(len(codes), dtype=np.bool_)
        mask[chosen] = True
        return mask

    def _draw_validation_rows(self, codes: Array) -> Array:
        """Return the numbers of the rows to hold out: hook of the estimators."""
        raise ValueError("early_stopping needs scikit-learn's split: use rosenblatt.Perceptron.")

    # --- the recorded expansion ------------------------------------------------------------------

    def _check_expansion(self, dual: DualState | None) -> DualState:
        """Return ``dual``; refuse ``expansion=True`` where w is no sum of recorded rows."""
        for reason, ok in (
            ("a penalty moves w, too: use penalty=None", self._unpenalised()),
            ("shards are averaged: use shards=1", self.shards == 1),
            ("the pocket is an older w: use output='last'", self.output != "pocket"),
            ("scale=True has other rows: scale them before, in a pipeline", not self.scale),
            ("this rule does more than to move w along a row", is_plain(self._rule())),
        ):
            if not ok:
                raise ValueError(f"expansion=True writes w as a sum of rows, and {reason}.")
        if dual is None:
            raise ValueError(
                "expansion=True was set after training without it, so earlier steps were not "
                "recorded: start again with fit and warm_start=False."
            )
        return dual

    def _start_dual(self, X: Matrix, columns: int) -> DualState | None:
        """Return a copy of the recorded expansion for a warm start, else an empty one."""
        if self._is_fitted():
            return self._dual and self._dual.copied(with_support=True)
        columns = state.padded_columns(columns)
        none = X.tocsr()[:0] if is_sparse(X) else X[:0]
        return self._check_expansion(DualState(Support(none), columns, keep_steps=True))

    def _init_classes(self, X: Matrix, classes: Array) -> None:
        self._scaling = self._start_scaling(X)
        self._dual = self._start_dual(X, n_vectors(classes)) if self.expansion else None
        super()._init_classes(X, classes)

    def _insert_column(self, position: int) -> None:
        if self._dual is not None:
            self._dual.insert_column(self._n_vectors(), position)
        super()._insert_column(position)


def _init_arrays(
    d: int, columns: int, coef: Any, intercept: Any
) -> tuple[Array | None, Array | None]:
    """Return coef_init and intercept_init as arrays of shapes (d, columns) and (columns,)."""
    arrays: list[Array | None] = []
    for name, value, needed, also in (
        ("coef_init", coef, (columns, d), (d,)),
        ("intercept_init", intercept, (columns,), ()),
    ):
        if value is not None:
            with within_float64(name):
                value = np.asarray(value, np.float64)
            check_finite(value, name)
            if value.shape != needed and not (columns == 1 and value.shape == also):
                raise ValueError(
                    f"{name} has shape {value.shape}, but the data needs {needed}: it does not "
                    "match dataset."
                )
            value = value.reshape(needed).T
        arrays.append(value)
    return arrays[0], arrays[1]
