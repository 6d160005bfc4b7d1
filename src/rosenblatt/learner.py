"""The machine inside every linear estimator: it validates, trains, and shows what was learned.

The estimators of :mod:`rosenblatt.linear` are this machine with parameters: each says which rule,
penalty and scheme its parameters mean, nothing more.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rosenblatt import orders, penalties, rules, state
from rosenblatt.jit import is_ours
from rosenblatt.loops import Options
from rosenblatt.matrices import as_rows, thinned
from rosenblatt.schemes import Scheme
from rosenblatt.training import Plan, Problem, Run, train

Array = NDArray[Any]


class LinearLearner(BaseEstimator):
    """Weights, intercepts and counters over a :class:`rosenblatt.state.State`.

    Subclasses have the parameters ``fit_intercept, max_iter, tol, shuffle, verbose, random_state,
    n_iter_no_change, warm_start``, and say by the methods below what else they mean.
    """

    _state: state.State
    _coef: Any

    # --- what an estimator's parameters mean ---------------------------------------------------

    def _rule(self) -> rules.Rule:
        raise NotImplementedError

    def _penalty(self) -> penalties.Penalty:
        return penalties.NoPenalty()

    def _output(self) -> str:
        return "last"

    def _tie(self) -> float:
        return 0.0

    def _norm_of_one(self) -> float:
        """What the intercept's coordinate, a 1, adds to ‖x‖²."""
        return 1.0

    def _shards(self) -> int:
        return 1

    def _columns(self) -> int:
        """How many weight vectors there are."""
        return 1

    def _is_free(self) -> bool:
        """Whether no penalty moves the weights."""
        return isinstance(self._penalty(), penalties.NoPenalty)

    # --- what was learned ------------------------------------------------------------------------

    def _weights(self) -> Any:
        """Weights to predict with, shape (columns, d), a fresh copy whenever they have moved."""
        self._fitted("coef_")
        if self._coef is None:
            W, _ = state.weights(self._state, self._output())
            self._coef = W[:, : self._columns()].T.copy()
            self._coef.flags.writeable = False  # an edit in place would be lost
        return self._coef

    def _intercepts(self) -> Array:
        """Intercepts to predict with, shape (columns,)."""
        self._fitted("intercept_")
        columns = self._columns()
        b = state.intercepts(self._state, self._output())
        result = b[:columns].astype(np.float64 if columns == 1 else self._state.W.dtype)
        result.flags.writeable = False
        return result

    @property
    def t_(self) -> float:
        """Examples seen, plus one (scikit-learn's count)."""
        self._fitted("t_")
        return float(self._state.t[0] + 1)

    @property
    def updates_(self) -> int:
        """How often a weight vector moved."""
        self._fitted("updates_")
        return int(self._state.updates.sum())

    def _fitted(self, name: str) -> None:
        if "_state" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted.")

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _scores(self, X: Any) -> Array:
        """X w + b, shape (n, columns)."""
        check_is_fitted(self)
        if self._is_clean(X):
            return np.asarray(X @ self._weights().T + self._intercepts())
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        scores = safe_sparse_dot(X, self._weights().T, dense_output=True) + self._intercepts()
        return np.asarray(scores)

    # --- training --------------------------------------------------------------------------------

    def _is_clean(self, X: Any) -> bool:
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

    @staticmethod
    def _is_clean_label(y: Any) -> bool:
        """Whether y needs no look at its values: whole numbers, bools or text."""
        return type(y) is np.ndarray and y.dtype.kind in "biuU"

    def _validated(self, X: Any, y: Any, *, reset: bool, **options: Any) -> tuple[Any, Array]:
        """X as C-ordered or CSR float32 or float64, and y."""
        clean = not reset and self._is_clean_label(y) and self._is_clean(X)
        if clean and y.shape == X.shape[:1]:
            return X, y
        dtypes: Any = [np.float64, np.float32]
        if not reset:
            dtypes = self._state.W.dtype
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=dtypes, order="C", reset=reset, **options
        )
        return X, y

    def _weighted(self, sample_weight: Any, X: Any) -> Array:
        if sample_weight is None:
            return np.ones(X.shape[0], X.dtype)
        return np.asarray(_check_sample_weight(sample_weight, X, dtype=X.dtype))

    def _weighted_batch(self, sample_weight: Any, X: Any) -> Array:
        """As :meth:`_weighted`, but a batch may weigh nothing: then nothing moves."""
        if sample_weight is not None:
            weight = np.asarray(sample_weight, X.dtype)
            if weight.shape == X.shape[:1] and not weight.any():
                return weight
        return self._weighted(sample_weight, X)

    def _start(self, X: Any, columns: int) -> state.State:
        """The state to go on from: the last one's copy in a warm start, else an empty one."""
        if self.warm_start and "_state" in vars(self):
            old = self._state
            if old.W.shape != (X.shape[1], state.padded(columns)):
                raise ValueError(
                    f"warm_start goes on from weights of shape {old.W.shape[::-1]}, but X has "
                    f"{X.shape[1]} features and y asks for {columns} weight vectors."
                )
            return state.copied(old)
        return self._empty(X, columns)

    def _empty(self, X: Any, columns: int) -> state.State:
        penalty = self._penalty()
        return state.empty(
            X.shape[1],
            columns,
            X.dtype,
            average=self._output() == "average",
            truncated=penalty.truncation() != 0.0,
            pocket=self._output() == "pocket",
        )

    def _problem(
        self,
        X: Any,
        y: Array,
        weight: Array,
        scheme: Scheme | None = None,
        class_weight: Array | None = None,
        held_out: Array | None = None,
        epochs: int = 1,
    ) -> Problem:
        columns = 1 if class_weight is None else len(class_weight)
        intercept = bool(self.fit_intercept)
        rule, penalty = self._rule(), self._penalty()
        # L1 pulls at every weight that a row touches: there zeros count.
        worth_it = scheme is not None and epochs > 1 and penalty.truncation() == 0.0
        return Problem(
            rows=thinned(X) if worth_it else as_rows(X),
            features=X.shape[1],
            y=y,
            weight=weight.astype(np.float64, copy=False),
            held_out=held_out,
            rule=rule,
            penalty=penalty,
            options=Options(
                tie=self._tie(),
                intercept=intercept,
                one=self._norm_of_one() if intercept else 0.0,
                average=self._output() == "average",
                pocket=self._output() == "pocket",
            ),
            scheme=scheme,
            class_weight=np.ones(columns) if class_weight is None else class_weight,
            columns=columns,
        )

    def _seeds(self, shards: int) -> list[int] | None:
        if not self.shuffle:
            return None
        return orders.seeds(check_random_state(self.random_state), shards)

    def _plan(self, problem: Problem, **judges: Any) -> Plan:
        shards = self._shards()
        if shards > len(problem.y):
            raise ValueError(f"shards must be at most the {len(problem.y)} rows; got {shards}.")
        return Plan(
            max_iter=self.max_iter,
            tol=self.tol,
            patience=self.n_iter_no_change,
            seeds=self._seeds(shards),
            shards=shards,
            threads=min(effective_n_jobs(getattr(self, "n_jobs", None)), shards),
            report=_print_epoch if self.verbose else _quiet,
            **judges,
        )

    def _train(self, problem: Problem, plan: Plan, start: state.State, **fitted: Any) -> None:
        """Run all epochs, then publish; an interrupted run is published too, a failed one not."""
        run = Run(start)
        try:
            train(problem, plan, run)
        except KeyboardInterrupt:
            self._publish(run, fitted)
            raise
        self._publish(run, fitted)
        if self.tol is not None and self.n_iter_ == self.max_iter and not run.converged:
            warnings.warn(
                f"The fit stopped at max_iter={self.max_iter} epochs before the criterion settled. "
                "Raise max_iter, or set tol=None to ask for exactly that many.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _publish(self, run: Run, fitted: dict[str, Any]) -> None:
        self.__dict__.update(fitted)
        self._state = run.state
        self._coef = None
        self._weights()  # predictions find them ready
        self.history_ = run.table()
        self.n_iter_ = len(run.history)
        self.converged_ = run.converged

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Put the attributes back as they were where the work on them fails."""
        before = self.__dict__.copy()
        try:
            yield
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _walk_once(self, problem: Problem, order: Array) -> None:
        """One epoch over ``order``, in place: the step of ``partial_fit``."""
        self._coef = None
        before = None if is_ours(type(problem.rule)) else state.copied(self._state)
        self._state.pocket_errors[:] = np.inf  # counted on other rows
        try:
            problem.walk(order, self._state)
        except Exception:
            if before is not None:  # somebody's rule failed: its moves are taken back
                for now, then in zip(self._state, before, strict=True):
                    now[...] = then
            raise
        moved = self._state.b if self.fit_intercept else self._state.W
        if not np.isfinite(moved).all():
            raise ValueError(
                "The weights ran out of the floating-point range: this model is spoilt. Start "
                "again with scaled features or a smaller eta0."
            )

    def _order(self, n: int) -> Array:
        """The rows' order in one ``partial_fit``."""
        order = np.arange(n)
        if n > 1 or not isinstance(self.random_state, int):
            seeds = self._seeds(1)
            if seeds is not None:
                orders.shuffle(order, seeds[0])
        return order

    def _widen(self, d: int) -> Self:
        """Room for features that appear late; they start at weight zero."""
        if d > self._state.W.shape[0]:
            self._state = state.widened(self._state, d)
            self._coef = None
            self.n_features_in_ = d
        return self


def _quiet(row: tuple[Any, ...]) -> None:
    pass


def _print_epoch(row: tuple[Any, ...]) -> None:
    epoch, mistakes, updates, errors, criterion, norm, seconds = row
    print(
        f"epoch {epoch}: {mistakes} mistakes, {updates} updates, {errors} errors, "
        f"criterion {criterion:.6g}, norm {norm:.6g}, {seconds:.3f} s"
    )
