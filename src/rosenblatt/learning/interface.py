"""The internal interface of the learners.

Model files, comparison, evaluation, :class:`rosenblatt.OnlinePerceptron` and the command need more
of a learner than its public attributes. These functions are the only access to it; outside of this
module and the learners themselves no private member of a learner is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np

from rosenblatt.engine import blend
from rosenblatt.engine.shuffle import epoch_order
from rosenblatt.engine.state import State
from rosenblatt.learning.base import BaseLearner, changing
from rosenblatt.learning.classifier import BaseClassifier
from rosenblatt.learning.decisions.costs import Costs
from rosenblatt.learning.decisions.sets import KeptScores
from rosenblatt.learning.dual import DualState
from rosenblatt.learning.linear.base import LinearLearner
from rosenblatt.learning.linear.classifier import LinearClassifier
from rosenblatt.learning.linear.passes import StreamPass
from rosenblatt.learning.params import check_parameters
from rosenblatt.learning.problem import LinearProblem
from rosenblatt.learning.scaling import Scaling
from rosenblatt.learning.support import KernelRows, Support
from rosenblatt.theory.declaration import Field
from rosenblatt.theory.rule_kinds import EXPERTS, TERMS, traits_of
from rosenblatt.utils.arrays import Array, ArrayLike, Matrix

if TYPE_CHECKING:  # a linear model starts without the kernel learner
    from rosenblatt.learning.kernel.classifier import KernelClassifier

M = TypeVar("M", bound=LinearClassifier)


class Learned(NamedTuple):
    """The result of training.

    Attributes
    ----------
    state : State
    dual : DualState or None
        Support rows and steps, for a kernel and for ``expansion=True``.
    coef : array, sparse matrix or None
        ``coef_`` as it was assigned or last read; None if it follows from the state.
    open_classes : bool or None
        True if ``partial_fit`` accepts new labels.
    dtype : dtype or None
        The dtype of a kernel model's rows.
    scaling : Scaling or None
        Moments of the features, with ``scale=True``.
    """

    state: State
    dual: DualState | None = None
    coef: Any = None
    open_classes: bool | None = None
    dtype: Any = None
    scaling: Scaling | None = None


def learned(model: BaseLearner) -> Learned:
    """Return the result of a model's training; the arrays are not copied."""
    attributes = vars(model)
    names = ("dual", "coef", "open_classes", "dtype", "scaling")
    return Learned(model._state, *(attributes.get(f"_{name}") for name in names))


def restore(model: object, learned: Learned) -> None:
    """Set the result of training on an untrained model with the same parameters."""
    results: dict[str, object] = {"_state": learned.state}
    if isinstance(model, LinearLearner):
        results |= {"_coef": learned.coef, "_scaling": learned.scaling}
    if learned.open_classes is not None:  # a classifier
        results |= {"_open_classes": learned.open_classes, "_dual": learned.dual}
    vars(model).update(results)


def restore_kernel(model: KernelClassifier, gamma: float, dtype: Any) -> None:
    """Set the kernel of a trained model: its γ, the dtype of its rows, and its parameters."""
    model._set_kernel(gamma, np.dtype(dtype))


def is_fitted(model: BaseLearner) -> bool:
    """Return True if the model has learned at least one batch."""
    return model._is_fitted()


def require_fitted(model: BaseLearner) -> None:
    """Raise the error of a model that is not fitted."""
    model._require_fitted()


def check_hooks(model: object) -> None:
    """Raise the error of a parameter that is refused only when it is used."""
    for hook in ("_rule", "_penalty", "_kernel_function"):
        if hasattr(model, hook):
            getattr(model, hook)()


def empty_state(model: BaseLearner, d: int, dtype: object) -> State:
    """Return the state of the untrained model, with d features."""
    return model._empty_state(np.empty((0, d), dtype), n_vectors(model))


def support(model: KernelClassifier) -> Support:
    """Return the store of a kernel model's support rows."""
    dual: DualState | None = learned(model).dual
    assert dual is not None
    return dual.support


def support_size(model: BaseLearner) -> int | None:
    """Return the number of support rows; None for a model that is no sum of rows."""
    dual = learned(model).dual
    return None if dual is None else dual.size


def centre_columns(model: LinearLearner, columns: Sequence[int]) -> None:
    """Name columns of sparse rows that ``scale=True`` centres, before a model's first row."""
    model._centred_columns = columns


def rule(model: BaseLearner) -> Any:
    """Return the rule object of the parameters, a NamedTuple."""
    return model._rule()


def kernel_values(model: KernelClassifier, A: Matrix, B: Matrix) -> Array:
    """Return the kernel values of rows of shape (n, d) and (m, d), float64, shape (n, m)."""
    function, dtype = model._kernel_function(), learned(model).dtype
    left, right = (
        KernelRows(rows, function.norms(rows)) for rows in (A.astype(dtype), B.astype(dtype))
    )
    return function.values(left, right).astype(np.float64)


def epoch_orders(model: Any, y: Array) -> list[Array]:
    """Return the rows that each epoch of a fit learned in order; of a linear one without shards."""
    seeds = model._seeds(1)
    seed = None if seeds is None else seeds[0]
    held_out: Sequence[int] | Array = ()
    if getattr(model, "early_stopping", False):
        held_out = model._draw_validation_rows(np.searchsorted(model.classes_, y))
    orders = [epoch_order(len(y), seed, epoch + 1) for epoch in range(model.n_iter_)]
    return [order[~np.isin(order, held_out)] for order in orders]


def own_fields(model: BaseLearner) -> dict[str, Field]:
    """Return what the state has besides the fields of every learner: of the rule, for one."""
    return model._own_fields()


def smaller_steps(model: BaseLearner) -> str:
    """Return the advice of smaller steps, for a message; "" for a rule without a step size."""
    return model._smaller_steps()


def tie(model: BaseLearner) -> float:
    """Return what a single score of zero means: +1 the second class, else the first."""
    return model._tie()


def n_vectors(model: BaseLearner) -> int:
    """Return the number of weight vectors."""
    return model._n_vectors()


def norm(model: BaseLearner) -> float:
    """Return ‖w‖ over all weight vectors, in the feature space of a kernel."""
    return model._norm()


def vector_norms(model: Any) -> Array:
    """Return ‖w‖ of every weight vector, shape (columns,)."""
    dual = learned(model).dual
    if dual is not None and hasattr(model, "kernel"):
        squares = dual.slots.squares[: n_vectors(model)]
        return np.asarray(np.sqrt(np.maximum(0.0, squares)))
    return np.asarray(np.linalg.norm(np.atleast_2d(model.coef_), axis=1))


def spreads(model: BaseLearner) -> Array | None:
    """Return the divisor of each column, shape (d,), of a model with ``scale=True``; else None."""
    scaling = learned(model).scaling
    return None if scaling is None else scaling.spreads()


class Spreads(NamedTuple):
    """Factors by which the weights of columns in different units become comparable.

    Attributes
    ----------
    name : str
    values : ndarray of shape (d,)
    """

    name: str
    values: Array


def comparable_spreads(model: BaseLearner) -> Spreads | None:
    """Return the spread of each column in one measure; None where the model does not know it.

    A model with ``scale=True`` does, and a blended one with an intercept.
    """
    state, scaling = learned(model).state, learned(model).scaling
    if scaling is None:
        values = blend.spreads(state.own) if is_blended(model) else None
        return None if values is None else Spreads("spread of the column near the border", values)
    deviations = scaling.standard_deviations()
    if deviations is None:
        return Spreads("root mean square of the column's nonzero values", scaling.spreads())
    return Spreads("standard deviation of the column", deviations)


def weights(model: LinearLearner) -> Array:
    """Return the weights to predict with, computed from the state, shape (columns, d)."""
    return model._computed_weights()


def state_scores(model: LinearLearner, X: Matrix) -> Array:
    """Return the score of every weight vector on every row, shape (n, columns).

    By the state, with the bits of single rows between steps of learning.
    """
    return model._state_scores(X)


def state_labels(model: LinearClassifier, X: Matrix) -> Array:
    """Return the labels with the highest of these scores."""
    scores = state_scores(model, X)
    return labels_of_scores(model, scores.ravel() if scores.shape[1] == 1 else scores)


def labels_of_scores(model: BaseClassifier, scores: Array) -> Array:
    """Return the labels that ``predict`` returns for rows whose ``decision_function`` is this."""
    return model._labels_of(scores)


def probabilities_of_scores(model: BaseClassifier, scores: Array) -> Array:
    """Return what ``predict_proba`` returns for rows whose ``decision_function`` is this."""
    return np.asarray(np.exp(model._log_probabilities(scores)))


def is_calibrated(model: BaseLearner) -> bool:
    """Return True if the model's probabilities are those of a calibration learned with it."""
    return bool(getattr(model, "probabilities", False))


def has_costs(model: BaseClassifier | None) -> bool:
    """Return True if costs decide which label is predicted."""
    return model is not None and model._costs is not None


def take_decisions(model: BaseClassifier, other: BaseClassifier) -> None:
    """Have a model decide as another one with the same state does: by its costs and sets."""
    model._costs, model._set_scores = other._costs, other._set_scores


def restore_costs(model: BaseClassifier, costs: Costs) -> None:
    """Set the costs of a model of a file, whose labels are not known yet."""
    model._costs = costs


def restore_set_scores(model: BaseClassifier, scores: Array) -> None:
    """Set the scores of held-out rows of a model as it is now."""
    model._set_scores = KeptScores(int(model._state.t[0]), scores)


def sets_of_scores(model: BaseClassifier, scores: Array, coverage: float) -> Array:
    """Return what ``predict_set`` returns for rows whose ``decision_function`` is this."""
    return model._sets_of(scores, coverage)


def label_scores(model: BaseClassifier, X: Matrix, y: Array) -> Array:
    """Return 1 − p(label) of each row: 1 for a label that is no class."""
    return model._label_scores(X, y, refuse_new=False)


def kernel_formula(model: KernelClassifier) -> Any:
    """Return the kernel object, a dataclass; None for a precomputed kernel or a callable."""
    return getattr(model._kernel_function(), "kernel", None)


def kernel_norms(model: Any, rows: Matrix) -> Array:
    """Return the norms that the kernel needs of rows; zeros for a linear model."""
    if not hasattr(model, "kernel"):
        return np.zeros(rows.shape[0])
    norms: Array = model._kernel_function().norms(rows)
    return norms


def weight_products(a: KernelClassifier, b: KernelClassifier) -> Array:
    """Return ⟨w, w'⟩ of every weight vector of ``a`` with every one of ``b``."""
    return a._weight_products(b)


def widen(model: Any, d: int) -> None:
    """Extend a model to d features; new features start at weight zero."""
    model._widen(d)


def invalidate(model: BaseLearner) -> None:
    """Drop what a model computed from its state, after a change of the state in place."""
    model._invalidate()


def truncated(model: M, d: int) -> M:
    """Return a copy of the model with its first d features."""
    return model._truncated(d)


def row_problem(model: LinearClassifier, X: Matrix) -> LinearProblem:
    """Return the problem of learning single rows like that of X."""
    check_parameters(model)
    model._check_continued()
    return model._problem(X, np.zeros(1, np.int64), np.ones(1), model.classes_)


def class_weights(model: LinearClassifier) -> Array:
    """Return the weight of every class, shape (K,): of ``class_weight``, or ones."""
    return model._class_weights(model.classes_, np.arange(len(model.classes_)))


def is_blended(model: object) -> bool:
    """Return True if the model's rule is a blend of learners."""
    return isinstance(model, LinearLearner) and traits_of(type(model._rule())).blended


class Blend(NamedTuple):
    """How a blended rule weighs its learners.

    Attributes
    ----------
    weights : list of float
        Of the score of each learner, in the order of :class:`rosenblatt.rules.Auto`.
    constant : float
        Added to their sum, of two classes.
    centred : int
        Number of columns that are centred.
    """

    weights: list[float]
    constant: float
    centred: int


def blend_of(model: object) -> Blend | None:
    """Return how a fitted model weighs its learners; None where it is no blend."""
    if not is_blended(model):
        return None
    own = learned(cast(LinearLearner, model)).state.own
    terms = own["blend.terms"].ravel()[:TERMS].tolist()
    dense = own["blend.sums"][:, 1] > 0.0
    return Blend([1.0 / EXPERTS + a for a in terms[:EXPERTS]], terms[EXPERTS], int(dense.sum()))


@contextmanager
def in_pass(model: object, stream_pass: StreamPass | None) -> Iterator[None]:
    """Have a blended model learn the rows of the body as those of one of several passes."""
    if stream_pass is None:
        yield
        return
    assert isinstance(model, LinearLearner)
    model._stream_pass = stream_pass
    try:
        yield
    finally:
        del model._stream_pass


def can_predict_then_learn(model: object) -> bool:
    """Return True if :func:`predict_then_learn` can be used."""
    return isinstance(model, LinearClassifier) and model._can_predict_then_learn


def predict_then_learn(
    model: LinearClassifier,
    X: Matrix,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    first: int,
    lag: int,
) -> tuple[list[Any], Array, Array | None]:
    """Predict the rows from ``first`` on, each before it is learned; no label may be new.

    Returns
    -------
    labels : list
    scores : ndarray of shape (n, columns)
        The score of every weight vector.
    probabilities : ndarray of shape (n, K) or None
        With ``probabilities=True``, by the calibration of that moment.
    """
    with changing(model):
        return model._predict_then_learn(X, y, sample_weight, first, lag)


def new_labels(model: BaseClassifier, y: Array) -> list[Any]:
    """Return the labels of y that are no classes of the model yet."""
    return model._new_labels(y)
