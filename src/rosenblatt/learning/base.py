"""The base of every learner: ``fit`` in five steps, counters, and publication at once.

A learner is trained as a copy, whose attributes then replace those of the learner in one step:
after an error it is as it was, and other threads see it either before the fit or after it.

Threads may share a learner, which has two locks. ``learning`` is held by calls that learn or set
something, from their start to their end, so none undoes what another has learned. ``arrays`` is
held while arrays are changed in place (``partial_fit``), read for a prediction, or copied. A
``fit`` trains aside and changes no array that others see: predictions do not wait for it. Whoever
needs both takes ``learning`` first. A pickle, a clone and a copy have locks of their own.

No learner imports scikit-learn; :mod:`rosenblatt.estimators` makes estimators of them. The layers
of a learner, from the bottom:

========================== =========================================================
FitParameters              the parameters of a fit (:mod:`~.params`)
BaseLearner                ``fit``, counters, publication
BaseClassifier             labels, ``partial_fit``, prediction
DualClassifier             what w is as a sum of examples, if it is one (:mod:`~.explain`)
LinearLearner              weights over the features (:mod:`~.linear.base`)
LinearClassifier           linear classifiers (:mod:`~.linear.classifier`)
KernelClassifier           weights as a sum of examples (:mod:`~.kernel.classifier`)
========================== =========================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial, wraps
from threading import RLock
from typing import Any, Concatenate, NamedTuple, ParamSpec, Self, TypeVar

import numpy as np

from rosenblatt.engine import shuffle, state
from rosenblatt.learning.dual import DualState
from rosenblatt.learning.params import FitParameters, check_parameters
from rosenblatt.learning.problem import FitRun, FitSetup
from rosenblatt.learning.shards import ThreadedShards
from rosenblatt.learning.training import FitOptions, train
from rosenblatt.theory import calibration, rules
from rosenblatt.theory.declaration import Field
from rosenblatt.theory.rule_kinds import AnyRule, own_fields, smaller_steps, traits_of
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix
from rosenblatt.utils.checks import as_random_state, within_float64
from rosenblatt.utils.column_names import check_same_columns, column_names
from rosenblatt.utils.matrices import FLOATS, as_matrix, as_vector, check_finite
from rosenblatt.utils.words import count

P = ParamSpec("P")
T = TypeVar("T")
L = TypeVar("L", bound="BaseLearner")

quiet = partial(np.errstate, over="ignore", invalid="ignore")
"""Ignore overflows: weights and kernel values that are not finite are refused afterwards."""


class Locks(NamedTuple):
    """The two locks of one learner; a thread that holds one may take it again."""

    learning: RLock
    arrays: RLock


def locks_of(learner: object) -> Locks:
    """Return the locks of a learner, made when they are first needed.

    Examples
    --------
    >>> class Learner: pass
    >>> learner = Learner()
    >>> locks_of(learner) is locks_of(learner), locks_of(learner) is locks_of(Learner())
    (True, False)
    """
    attributes = vars(learner)
    locks: Locks | None = attributes.get("_locks")
    return attributes.setdefault("_locks", Locks(RLock(), RLock())) if locks is None else locks


@contextmanager
def changing(learner: object) -> Iterator[None]:
    """Hold both locks: nobody else learns, and nobody reads an array."""
    locks = locks_of(learner)
    with locks.learning, locks.arrays:
        yield


def attributes_without_locks(learner: object) -> dict[str, object]:
    """Return the attributes that a copy takes over."""
    return {name: value for name, value in vars(learner).items() if name != "_locks"}


def reading(method: Callable[Concatenate[L, P], T]) -> Callable[Concatenate[L, P], T]:
    """Decorate a method that reads arrays: of this moment, which later calls leave alone.

    The method gets a learner that shares the dictionary of attributes, so that what it computes
    and keeps is kept for all; a later fit sets another dictionary.
    """

    @wraps(method)
    def read(learner: L, /, *args: P.args, **options: P.kwargs) -> T:
        with learner._reading():
            view = object.__new__(type(learner))
            view.__dict__ = learner.__dict__
            return method(view, *args, **options)

    return read


class BaseLearner(FitParameters):
    """Training, counters and publication over a :class:`rosenblatt.engine.state.State`.

    Subclasses implement the hooks below.
    """

    OUTPUTS: tuple[str, ...] = ("last", "average", "pocket")
    BIAS_SQNORM = 1.0
    """What the intercept's constant feature, a 1, adds to ‖x‖²."""
    RATE = "eta0"
    """The parameter that sets the step size of a rule given by name."""

    rule: str | AnyRule
    eta0: float
    output: str
    tie: int = 0  # defaults of parameters that not every learner has
    shards: int = 1
    n_jobs: int | None = None
    probabilities: bool = False

    _state: state.State
    _dual: DualState | None = None  # where w is kept as a sum of examples
    n_features_in_: int
    feature_names_in_: Array

    # --- rule ------------------------------------------------------------------------------------

    def _rule(self) -> AnyRule:
        """Return the rule of the parameters, checked."""
        if not isinstance(self.rule, str):
            return rules.complete(self.rule)
        if isinstance(self.eta0, float | int) and isinstance(self.tie, float | int):
            return _rule_by_name(self.rule, self.eta0, self.tie)
        return rules.complete(rules.by_name(self.rule, self.eta0, self.tie))

    def _own_fields(self) -> dict[str, Field]:
        """Return what the state has besides the fields of every learner."""
        own = own_fields(type(self._rule()))
        return own | calibration.FIELDS if self._calibrates() else own

    def _calibrates(self) -> bool:
        """Return True if a calibration is learned with the model: a blend is calibrated without."""
        return self.probabilities and not traits_of(type(self._rule())).blended

    def _tie(self) -> float:
        """Return what a single score of zero means: that of a rule object has precedence."""
        return float(getattr(getattr(self, "rule", None), "tie", self.tie))

    def _smaller_steps(self) -> str:
        """Return the advice of smaller steps, for a message."""
        is_named = isinstance(getattr(self, "rule", ""), str)
        return smaller_steps(self._rule(), self.RATE if is_named else None)

    # --- hooks: data and weights -----------------------------------------------------------------

    def _validate_X_y(self, X: Matrix, y: ArrayLike, *, reset: bool) -> tuple[Matrix, Array]:
        """Return X and y as the loops take them; ``reset`` forgets the features' number."""
        raise NotImplementedError

    def _empty_state(self, X: Matrix, columns: int) -> state.State:
        """Return the state of an untrained learner."""
        raise NotImplementedError

    def _set_up(self, X: Matrix, y: Array, weight: Array, *inits: ArrayLike | None) -> FitSetup:
        """Return the problem of a fit, and the state to start from."""
        raise NotImplementedError

    def _learn_once(self, problem: Any, order: Array) -> None:
        """Learn the rows of ``order`` once, in place."""
        raise NotImplementedError

    def _scores(self, X: Matrix) -> Array:
        """Return the score of every weight vector on every row, shape (n, columns)."""
        raise NotImplementedError

    def _norm(self) -> float:
        """Return ‖w‖."""
        raise NotImplementedError

    def _n_vectors(self) -> int:
        """Return the number of weight vectors."""
        return 1

    def _unpenalised(self) -> bool:
        """Return True where no penalty moves w."""
        return True

    def _invalidate(self) -> None:
        """Drop values computed from the state."""

    def _scale_batch(self, X: Matrix, order: Array) -> Matrix:
        """Return the rows of a batch as they are learned, in ``order``."""
        return X

    # --- fitted attributes -----------------------------------------------------------------------

    @property
    def t_(self) -> float:
        """Examples learned so far, plus one (scikit-learn's count)."""
        self._check_fitted("t_")
        return float(self._state.t[0] + 1)

    @property
    def updates_(self) -> int:
        """Number of updates so far, over all weight vectors."""
        self._check_fitted("updates_")
        return sum(self._state.updates.tolist())  # of few numbers: NumPy takes longer

    def _is_fitted(self) -> bool:
        return "_state" in vars(self)

    def _check_fitted(self, name: str) -> None:
        if not self._is_fitted():
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted.")

    def _require_fitted(self) -> None:
        """Refuse to predict before the fit."""
        if not self._is_fitted():
            raise ValueError(f"This {type(self).__name__} is not fitted yet: call fit first.")

    # --- fit -------------------------------------------------------------------------------------

    def _fit(
        self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None, *inits: ArrayLike | None
    ) -> Self:
        """Train a copy, warn, and publish: every estimator's ``fit``."""
        with locks_of(self).learning:
            learner = self._copy()
            with quiet():
                run, X = learner._train(X, y, sample_weight, *inits)
            if run.interrupt is None:
                learner._warn(run, X)
            self.__dict__ = learner.__dict__
            if run.interrupt is not None:
                raise run.interrupt
        return self

    def _train(
        self, X: Matrix, y: Any, sample_weight: ArrayLike | None, *inits: ArrayLike | None
    ) -> tuple[FitRun, Matrix]:
        """Validate, set up the problem, and train; return the run, and the rows as validated."""
        check_parameters(self)
        if not self.warm_start:
            vars(self).pop("_state", None)
        X, y = self._validate_X_y(X, y, reset=True)
        weight = self._sample_weights(sample_weight, X)
        setup = self._set_up(X, y, weight, *inits)
        return self._run(setup), X

    def _run(self, setup: FitSetup, **order: Any) -> FitRun:
        """Run the epochs of a fit; ``order`` says where its shards are, if not in threads."""
        if not order:
            shards, n = self.shards, len(setup.problem.y)
            if shards > n:
                raise ValueError(f"shards must be at most the {count(n, 'row')}; got {shards}.")
            seeds = self._seeds(shards)
            if shards == 1:
                order["seed"] = None if seeds is None else seeds[0]
            else:
                threads = self._threads(shards)
                order["learn_shards"] = ThreadedShards(setup.problem, shards, seeds, threads)
        options = FitOptions(
            max_iter=self.max_iter,
            # The least overlap rises and falls: the fit must not end where it falls for a while.
            tol=None if setup.problem.chooses_row else self.tol,
            patience=self.n_iter_no_change,
            smaller_steps=self._smaller_steps,
            report=print_epoch if self.verbose else None,
            **order,
            **setup.scorers,
        )
        run = train(setup.problem, options, setup.start)
        self._set_fitted(run, setup.fitted)
        return run

    def _threads(self, shards: int) -> int:
        """Return the number of threads for these shards."""
        return shards if self.n_jobs == -1 else 1

    def _set_fitted(self, run: FitRun, fitted: dict[str, object]) -> None:
        """Set the fitted attributes, also of an interrupted run."""
        self.__dict__.update(fitted)
        self._state = run.state
        self.history_ = run.table()
        self.n_iter_ = len(run.history)
        self.converged_ = run.converged

    def _warn(self, run: FitRun, X: Matrix) -> None:
        """Warn of a fit that did not converge, or of columns of X: hook of the estimators."""

    # --- data ------------------------------------------------------------------------------------

    def _validate(
        self, X: Matrix, *y: ArrayLike, reset: bool, dtype: object = FLOATS, y_numeric: bool = False
    ) -> Any:
        """Return X as C-ordered or CSR floats, and y, if there is one, as a vector.

        ``reset`` sets the number of features, otherwise X must have as many.
        """
        name, names = type(self).__name__, column_names(X)
        if not reset:
            self._check_columns(names)
        X = as_matrix(X, dtype if isinstance(dtype, list | tuple) else (dtype,), name)
        if reset:
            self.n_features_in_ = X.shape[1]
            self._set_columns(names)
        elif X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {name} is expecting {self.n_features_in_} "
                "features as input."
            )
        if not y:
            return X
        vector = as_vector(y[0], X.shape[0])
        if y_numeric:
            vector = vector.astype(np.float64, copy=False)
            check_finite(vector, "y")
        return X, vector

    def _set_columns(self, names: tuple[str, ...] | None) -> None:
        """Take the names of the columns of a fit's matrix, or forget those of the last fit."""
        if names is None:
            vars(self).pop("feature_names_in_", None)
        else:
            self.feature_names_in_ = np.array(names, object)

    def _check_columns(self, names: tuple[str, ...] | None) -> None:
        """Refuse a matrix whose columns have other names than those of the model."""
        own = vars(self).get("feature_names_in_")
        if names is not None and own is not None:
            check_same_columns(names, own.tolist(), type(self).__name__)

    # --- order and weights of the rows -----------------------------------------------------------

    def _sample_weights(self, sample_weight: ArrayLike | None, X: Matrix) -> Array:
        if sample_weight is None:
            return np.ones(X.shape[0], X.dtype)
        return self._checked_sample_weights(sample_weight, X)

    def _checked_sample_weights(self, sample_weight: ArrayLike | None, X: Matrix) -> Array:
        with within_float64("sample_weight"):
            weight = np.asarray(sample_weight, X.dtype)
        if weight.shape not in ((), X.shape[:1]):
            raise ValueError(
                f"sample_weight.shape == {weight.shape}, expected {X.shape[:1]}: one weight a row."
            )
        check_finite(weight, "sample_weight")
        return np.array(np.broadcast_to(weight, X.shape[:1]))

    def _batch_weights(self, sample_weight: ArrayLike | None, X: Matrix) -> Array:
        """As :meth:`_sample_weights`, but all weights of a batch may be zero: no update then."""
        if sample_weight is not None:
            with within_float64("sample_weight"):
                weight = np.asarray(sample_weight, X.dtype)
            if weight.shape == X.shape[:1] and not weight.any():
                return weight
        return self._sample_weights(sample_weight, X)

    def _seeds(self, shards: int) -> list[int] | None:
        if not self.shuffle:
            return None
        if type(self.random_state) is int:
            return list(_seeds_of(self.random_state, shards))
        return shuffle.shard_seeds(as_random_state(self.random_state), shards)

    def _row_order(self, n: int) -> Array:
        """Return the order of the rows in one ``partial_fit``."""
        order = np.arange(n)
        if n > 1 or not isinstance(self.random_state, int):
            seeds = self._seeds(1)
            if seeds is not None:
                shuffle.shuffle(order, seeds[0])
        return order

    # --- publication -----------------------------------------------------------------------------

    def _copy(self) -> Self:
        """Return a learner with the same attributes, which can be set without changing this one."""
        learner = object.__new__(type(self))
        learner.__dict__ = self.__dict__.copy()
        return learner

    @contextmanager
    def _learning_copy(self) -> Iterator[Self]:
        """Yield a copy to learn a batch with, and publish its attributes unless the body fails.

        Its arrays are those of this learner. An interrupt keeps the steps so far.
        """
        with changing(self):
            learner = self._copy()
            try:
                with quiet():
                    yield learner
            except KeyboardInterrupt:
                self.__dict__ = learner.__dict__
                raise
            self.__dict__ = learner.__dict__

    def _reading(self) -> AbstractContextManager[object]:
        """Return what to hold while arrays are read that ``partial_fit`` changes in place."""
        return locks_of(self).arrays

    def __getstate__(self) -> dict[str, object]:
        """Return the attributes of a pickle or a copy, which shares no array that may change."""
        with locks_of(self).arrays:
            attributes = attributes_without_locks(self)
            if "_state" in attributes:
                attributes["_state"] = state.copy_state(self._state)
            if self._dual is not None:
                attributes["_dual"] = self._dual.copied(with_support=True)
        return attributes

    def __setstate__(self, attributes: dict[str, object]) -> None:
        """Take the attributes of a pickle, with copies of arrays that steps could not change.

        Those of memory maps are such: joblib gives its workers large arrays so, and Dask all.
        """
        self.__dict__.update(attributes)
        if "_state" in attributes and not _writable(*state.arrays_of(self._state).values()):
            self._state = state.copy_state(self._state)
        if self._dual is not None and not _writable(*self._dual.slots, *self._dual.steps):
            self._dual = self._dual.copied(with_support=True)

    def set_params(self, **params: object) -> Self:
        """Set parameters, between two calls that learn; they are checked when the model learns.

        Raises
        ------
        ValueError
            A name is no parameter.
        """
        with locks_of(self).learning:
            return super().set_params(**params)


def _writable(*arrays: Array) -> bool:
    return all(array.flags.writeable for array in arrays)


@lru_cache(1000)
def _rule_by_name(name: str, eta0: float, tie: float) -> AnyRule:
    """Return a rule of the library, checked: a call that learns one row asks for it three times."""
    return rules.complete(rules.by_name(name, eta0, tie))


@lru_cache(1000)
def _seeds_of(random_state: int, shards: int) -> tuple[int, ...]:
    """Return the shards' seeds; NumPy's generator takes longer to start than an epoch of iris."""
    return tuple(shuffle.shard_seeds(as_random_state(random_state), shards))


def print_epoch(row: tuple[float, ...]) -> None:
    """Print a row of the history."""
    epoch, mistakes, updates, errors, criterion, norm, seconds = row
    print(
        f"epoch {epoch}: {count(mistakes, 'mistake')}, {count(updates, 'update')}, "
        f"{count(errors, 'error')}, "
        f"criterion {criterion:.6g}, norm {norm:.6g}, {seconds:.3f} s"
    )
