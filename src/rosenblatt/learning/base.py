"""The machine inside every estimator: it validates, trains, and publishes what was learned.

The estimators are this machine with parameters: each says which rule and scheme its parameters
mean. :mod:`rosenblatt.learning.linear.base` has what holds the weights themselves,
:mod:`rosenblatt.learning.kernel.estimators` what holds them as a sum of examples.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight

from rosenblatt.engine import shuffle, state
from rosenblatt.learning.problem import FitRun, Problem
from rosenblatt.learning.training import FitOptions, train
from rosenblatt.theory import rules

Array = NDArray[Any]


class BaseLearner(BaseEstimator):
    """Counters over a :class:`rosenblatt.engine.state.State`.

    Subclasses have the parameters ``fit_intercept, max_iter, tol, shuffle, verbose, random_state,
    n_iter_no_change, warm_start``, and say by the methods below what else they mean.
    """

    OUTPUTS = ("last", "average", "pocket")

    _state: state.State

    # --- what an estimator's parameters mean ---------------------------------------------------

    def _rule(self) -> rules.Rule:
        raise NotImplementedError

    def _output(self) -> str:
        return "last"

    def _tie(self) -> float:
        return 0.0

    def _bias_sqnorm(self) -> float:
        """What the intercept's coordinate, a 1, adds to ‖x‖²."""
        return 1.0

    def _shards(self) -> int:
        return 1

    def _n_vectors(self) -> int:
        """How many weight vectors there are."""
        return 1

    def _unpenalised(self) -> bool:
        """Whether no penalty moves the weights."""
        return True

    # --- what the weights are is a subclass's business -------------------------------------------

    def _scores(self, X: Any) -> Array:
        """The score of every weight vector on every row, shape (n, columns)."""
        raise NotImplementedError

    def _norm(self) -> float:
        """‖w‖."""
        raise NotImplementedError

    def _invalidate(self) -> None:
        """Forget what was derived from the state."""

    def _validate_X_y(self, X: Any, y: Any, *, reset: bool, **options: Any) -> tuple[Any, Array]:
        """X and y as the loops take them."""
        raise NotImplementedError

    def _empty_state(self, X: Any, columns: int) -> state.State:
        """The state of a learner that has seen nothing."""
        raise NotImplementedError

    # --- what was learned ------------------------------------------------------------------------

    @property
    def t_(self) -> float:
        """Examples seen, plus one (scikit-learn's count)."""
        self._check_fitted("t_")
        return float(self._state.t[0] + 1)

    @property
    def updates_(self) -> int:
        """How often a weight vector moved."""
        self._check_fitted("updates_")
        return int(self._state.updates.sum())

    def _check_fitted(self, name: str) -> None:
        if "_state" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted.")

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # --- training --------------------------------------------------------------------------------

    @staticmethod
    def _is_valid_y(y: Any) -> bool:
        """Whether y needs no look at its values: whole numbers, bools or text."""
        return type(y) is np.ndarray and y.dtype.kind in "biuU"

    def _sample_weights(self, sample_weight: Any, X: Any) -> Array:
        if sample_weight is None:
            return np.ones(X.shape[0], X.dtype)
        return np.asarray(_check_sample_weight(sample_weight, X, dtype=X.dtype))

    def _batch_weights(self, sample_weight: Any, X: Any) -> Array:
        """As :meth:`_weighted`, but a batch may weigh nothing: then nothing moves."""
        if sample_weight is not None:
            weight = np.asarray(sample_weight, X.dtype)
            if weight.shape == X.shape[:1] and not weight.any():
                return weight
        return self._sample_weights(sample_weight, X)

    def _seeds(self, shards: int) -> list[int] | None:
        if not self.shuffle:
            return None
        return shuffle.shard_seeds(check_random_state(self.random_state), shards)

    def _fit_options(self, problem: Problem, **scorers: Any) -> FitOptions:
        shards = self._shards()
        if shards > len(problem.y):
            raise ValueError(f"shards must be at most the {len(problem.y)} rows; got {shards}.")
        return FitOptions(
            max_iter=self.max_iter,
            tol=self.tol,
            patience=self.n_iter_no_change,
            seeds=self._seeds(shards),
            shards=shards,
            threads=min(effective_n_jobs(getattr(self, "n_jobs", None)), shards),
            report=_print_epoch if self.verbose else _no_report,
            **scorers,
        )

    def _train(
        self, problem: Problem, options: FitOptions, start: state.State, **fitted: Any
    ) -> None:
        """Run all epochs, then publish; an interrupted run is published too, a failed one not."""
        run = FitRun(start)
        try:
            train(problem, options, run)
        except KeyboardInterrupt:
            self._set_fitted(run, fitted)
            raise
        self._set_fitted(run, fitted)
        if self.tol is not None and self.n_iter_ == self.max_iter and not run.converged:
            warnings.warn(
                f"The fit stopped at max_iter={self.max_iter} epochs before the criterion settled. "
                "Raise max_iter, or set tol=None to ask for exactly that many.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _set_fitted(self, run: FitRun, fitted: dict[str, Any]) -> None:
        self.__dict__.update(fitted)
        self._state = run.state
        self.history_ = run.table()
        self.n_iter_ = len(run.history)
        self.converged_ = run.converged

    @contextmanager
    def _rollback_on_error(self) -> Iterator[None]:
        """Put the attributes back as they were where the work on them fails."""
        before = self.__dict__.copy()
        try:
            yield
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _row_order(self, n: int) -> Array:
        """The rows' order in one ``partial_fit``."""
        order = np.arange(n)
        if n > 1 or not isinstance(self.random_state, int):
            seeds = self._seeds(1)
            if seeds is not None:
                shuffle.shuffle(order, seeds[0])
        return order


def _no_report(row: tuple[Any, ...]) -> None:
    pass


def _print_epoch(row: tuple[Any, ...]) -> None:
    epoch, mistakes, updates, errors, criterion, norm, seconds = row
    print(
        f"epoch {epoch}: {mistakes} mistakes, {updates} updates, {errors} errors, "
        f"criterion {criterion:.6g}, norm {norm:.6g}, {seconds:.3f} s"
    )
