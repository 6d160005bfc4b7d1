"""The state of a learner: one record of arrays.

This record, and nothing else, is saved, resumed, mixed and copied. The loops change its arrays in
place.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._core import matrices as core
from rosenblatt.utils.arrays import Array

LANES = 8
"""Classes that the core's loops move together: weights of several are padded to a multiple."""

CACHE_LINE = 64
"""Bytes in a cache line."""

UNKNOWN = -1.0
"""A squared norm that is to be computed."""


class State(NamedTuple):
    """The state of a linear learner of K classes on d features.

    Two classes share one weight vector, P = 1 column. More classes have K columns, padded with
    zeros to a multiple P of :data:`LANES`: all weights of a feature
    are contiguous. The field names are names of arrays in a model file.

    Attributes
    ----------
    W : ndarray of shape (d, P), float32 or float64
        The weights are ``W * scale``.
    b : ndarray of shape (P,), float64
        The intercepts.
    scale : ndarray of shape (P,), float64
        Factor of the weights; the L2 penalty shrinks it instead of all weights.
    U : ndarray of shape (d, P) or (0, P), float64
        The lazy sum of the average: the averaged weights are ``(area * W - U) / t``.
    ub : ndarray of shape (P,), float64
        The same for the intercepts: ``b - ub / t``.
    area : ndarray of shape (P,), float64
        Σ scale over the examples.
    Q : ndarray of shape (d, P) or (0, P)
        L1 penalty applied to each weight so far.
    owed : ndarray of shape (P,), float64
        Cumulative L1 penalty so far.
    C : ndarray of shape (d, P) or (0, P), float64
        What a rule with a confidence has added up for each weight, see
        :class:`rosenblatt.theory.rule_kinds.ConfidenceRule`.
    cb : ndarray of shape (P,), float64
        The same for the intercepts.
    S : ndarray of shape ((d + 1)², P) or (0, P), float64
        Σ of a rule with a full covariance, row after row; the intercept is the first feature.
    norms : ndarray of shape (P,), float64
        ‖w‖² of each weight vector with its intercept, for a
        :class:`rosenblatt.theory.rule_kinds.RescalingRule`; :data:`UNKNOWN` if a rule of another
        kind learned, it became inexact, or the weights were set or mixed.
    norm_errors : ndarray of shape (P,), float64
        Bounds of the rounding errors of ``norms``.
    t : ndarray of shape (1,), int64
        Number of examples learned.
    errors : ndarray of shape (1,), int64
        Number of examples whose class was predicted wrong before they were learned.
    mistakes, updates : ndarray of shape (P,), int64
        By column: wrong signs (one-vs-rest) or wrong arg max (joint), and updates.
    losses : ndarray of shape (P,), float64
        Sum of the rule's losses since it was last reset.
    active : ndarray of shape (P,), bool
        Columns that learn; padding is never active.
    run : ndarray of shape (2,), int64
        Consecutive right predictions: the current run, and the longest since the last reset.
    champion_W, champion_b : ndarray of shapes (d, P) or (0, P), and (P,)
        The pocket's candidate: the weights of the longest run, multiplied by ``scale``.
    pocket_W, pocket_b : ndarray of the same shapes
        The weights with the fewest training errors of those counted.
    pocket_errors : ndarray of shape (1,), float64
        Their (weighted) number of errors; infinite before the first count.
    """

    W: Array
    b: Array
    scale: Array
    U: Array
    ub: Array
    area: Array
    Q: Array
    owed: Array
    C: Array
    cb: Array
    S: Array
    norms: Array
    norm_errors: Array
    t: Array
    errors: Array
    mistakes: Array
    updates: Array
    losses: Array
    active: Array
    run: Array
    champion_W: Array
    champion_b: Array
    pocket_W: Array
    pocket_b: Array
    pocket_errors: Array


class Field(NamedTuple):
    """How a field of the state is stored, and what becomes of it.

    Attributes
    ----------
    shape : {"weights", "squares", "columns", "one", "two"}
        (d, P), ((d + 1)², P), (P,), (1,) or (2,).
    dtype : str
        A type of NumPy, or "weights" for that of the weights.
    kept : str or None
        The option of :func:`empty` that it belongs to, without which weights have no rows.
    initial : float
        Its value before the first example; of squares, that of their diagonal.
    two_classes : {"mirrored", "copied", "counted", "fresh"}
        What becomes of it where the weight vector w of two classes becomes −w and w: its sign
        follows w, both get it, the second gets it, or it starts anew.
    mixture : {"mean", "sum", "first", "longest run", "weights"}
        Its value in a mixture of shards (:func:`rosenblatt.engine.mixing.mix_shards`): the mean,
        the sum of the increments, that before the shards, that of the shard with the longest run,
        or of the weights: their mean, and sums that follow from it.
    minimum : float
        Its least value; a value below it, or NaN, is no state.
    """

    shape: str
    dtype: str = "float64"
    kept: str | None = None
    initial: float = 0.0
    two_classes: str = "copied"
    mixture: str = "mean"
    minimum: float = -math.inf


FIELDS = {
    "W": Field("weights", "weights", two_classes="mirrored", mixture="weights"),
    "b": Field("columns", two_classes="mirrored"),
    "scale": Field("columns", initial=1.0, mixture="weights", minimum=5e-324),
    "U": Field("weights", kept="average", two_classes="mirrored", mixture="weights"),
    "ub": Field("columns", two_classes="mirrored", mixture="weights"),
    "area": Field("columns", mixture="sum"),
    "Q": Field("weights", "weights", kept="truncated", two_classes="mirrored"),
    "owed": Field("columns"),
    "C": Field("weights", kept="confidence", minimum=0.0),
    "cb": Field("columns", kept="confidence", minimum=0.0),
    "S": Field("squares", kept="full", initial=1.0),
    "norms": Field(
        "columns",
        kept="rescaling",
        initial=UNKNOWN,
        two_classes="fresh",
        mixture="weights",
        minimum=UNKNOWN,
    ),
    "norm_errors": Field("columns", kept="rescaling", two_classes="fresh", minimum=0.0),
    "t": Field("one", "int64", mixture="sum", minimum=0),
    "errors": Field("one", "int64", mixture="sum", minimum=0),
    "mistakes": Field("columns", "int64", two_classes="counted", mixture="sum", minimum=0),
    "updates": Field("columns", "int64", two_classes="counted", mixture="sum", minimum=0),
    "losses": Field("columns", two_classes="counted", mixture="sum"),
    "active": Field("columns", "bool", two_classes="fresh", mixture="first"),
    "run": Field("two", "int64", mixture="longest run", minimum=0),
    "champion_W": Field(
        "weights", "weights", "pocket", two_classes="mirrored", mixture="longest run"
    ),
    "champion_b": Field("columns", two_classes="mirrored", mixture="longest run"),
    "pocket_W": Field("weights", "weights", "pocket", two_classes="fresh", mixture="first"),
    "pocket_b": Field("columns", two_classes="fresh", mixture="first"),
    "pocket_errors": Field(
        "one", initial=math.inf, two_classes="fresh", mixture="first", minimum=0
    ),
}
"""The fields of :class:`State`: a new one is a line here, and one there."""


def empty(d: int, columns: int, dtype: Any = np.float64, **kept: bool) -> State:
    """Return the state of a learner before the first example.

    Parameters
    ----------
    d : int
        Number of features.
    columns : int
        1 for two classes, else the number K of classes.
    dtype : float32 or float64, default=float64
        Type of the weights.
    average, truncated, pocket, confidence, full, rescaling : bool, default=False
        Whether to keep the average, the L1 penalty, the pocket, confidences, full covariances, and
        squared norms, which have a place in any case.

    Examples
    --------
    >>> empty(4, 10).W.shape
    (4, 16)
    """
    P = padded_columns(columns)
    arrays = {}
    for name, field in FIELDS.items():
        kind = np.dtype(dtype if field.dtype == "weights" else field.dtype)
        if field.shape in ("weights", "squares"):
            is_kept = field.kept is None or kept.get(field.kept)
            arrays[name] = aligned_zeros((rows_of(name, d) if is_kept else 0, P), kind)
            if field.shape == "squares":
                arrays[name][:: d + 2] = field.initial
        else:
            size = {"columns": P, "one": 1, "two": 2}[field.shape]
            arrays[name] = np.full(size, field.initial, kind)
    arrays["active"][:columns] = True
    return State(**arrays)


def rows_of(name: str, d: int) -> int:
    """Return the number of rows of an array of weights, or of squares, on d features.

    Examples
    --------
    >>> rows_of("W", 4), rows_of("S", 4)
    (4, 25)
    """
    return (d + 1) ** 2 if FIELDS[name].shape == "squares" else d


def kept_options(state: State) -> dict[str, bool]:
    """Return the options of :func:`empty` that a state was made with.

    Examples
    --------
    >>> kept_options(empty(2, 1, pocket=True))["pocket"]
    True
    """
    return {
        field.kept: len(getattr(state, name)) > 0
        for name, field in FIELDS.items()
        if field.kept is not None and field.shape in ("weights", "squares")
    }


def aligned_zeros(shape: tuple[int, ...], dtype: Any) -> Array:
    """Return zeros aligned to a cache line, so that no vector of lanes crosses two lines.

    Examples
    --------
    >>> aligned_zeros((3, 8), "f4").ctypes.data % 64
    0
    """
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    buffer = np.zeros(size + CACHE_LINE, np.uint8)
    start = -buffer.ctypes.data % CACHE_LINE
    zeros: Array = buffer[start : start + size].view(dtype).reshape(shape)
    return zeros


def padded_columns(columns: int) -> int:
    """Return the number of columns to store for ``columns`` weight vectors.

    Examples
    --------
    >>> padded_columns(1), padded_columns(3), padded_columns(20)
    (1, 8, 24)
    """
    return 1 if columns == 1 else -(-columns // LANES) * LANES


def set_weights(state: State, coef: Array | None, intercept: Array | None) -> None:
    """Set the weights (d, K) or intercepts (K,) in place; sums over past examples are unchanged."""
    if coef is not None or intercept is not None:
        state.norms[:] = UNKNOWN
    if coef is not None:
        columns = coef.shape[1]
        if state.U.shape[0] > 0:
            state.U[:] -= state.area * state.W
            state.area[:] = state.t
        state.W[:] *= state.scale.astype(state.W.dtype)
        state.scale[:] = 1.0
        state.W[:, :columns] = coef
        if state.U.shape[0] > 0:
            state.U[:] += state.area * state.W
    if intercept is not None:
        columns = len(intercept)
        state.ub[:columns] += state.t * (intercept - state.b[:columns])
        state.b[:columns] = intercept


def frobenius_norm(W: Array) -> float:
    """Return ‖W‖, summed in float64: NaN if a weight is not finite, infinite if only the sum is.

    The order of the sum is the same on every machine. BLAS is not used: its threads spin for
    milliseconds after the call, on the cores that shards and readers need.

    Examples
    --------
    >>> frobenius_norm(np.array([[3.0], [4.0]]))
    5.0
    """
    return core.norm(np.ascontiguousarray(W))


def copy_state(state: State) -> State:
    """Return a copy that shares no memory with ``state``."""
    return State(*(aligned_copy(array) for array in state))


def aligned_copy(array: Array) -> Array:
    """Return a copy of an array of a state, aligned as by :func:`aligned_zeros`."""
    if array.ndim < 2:
        return array.copy()
    result = aligned_zeros(array.shape, array.dtype)
    result[:] = array
    return result


def weights(state: State, output: str) -> tuple[Array, Array]:
    """Return the weights and intercepts of an output.

    Parameters
    ----------
    state : State
    output : {"last", "average", "pocket"}
        "last": the weights after the last example. "average": their mean over all examples, which
        weights each vector by its survival (Freund and Schapire 1999, Collins 2002; lecture row
        L3.7). "pocket": those with the fewest training errors of those counted (after Gallant 1990;
        L4.7); if errors were not counted, the champion (his pocket without ratchet).

    Returns
    -------
    W : ndarray of shape (d, P)
    b : ndarray of shape (P,)

    Raises
    ------
    ValueError
        The state does not maintain this output.
    """
    records = {"average": state.U, "pocket": state.pocket_W}
    if output in records and records[output].shape[0] != state.W.shape[0]:
        raise ValueError(f"The {output} was not kept while learning: fit with output={output!r}.")
    source, b = _source(state, output), intercepts(state, output)
    if source == "average":
        W = (state.area * state.W.astype(np.float64) - state.U) / state.t[0]
        return W.astype(state.W.dtype), b
    if source == "pocket":
        return state.pocket_W, b
    if source == "champion":
        return state.champion_W, b
    if (state.scale == 1.0).all():
        return state.W, b
    return (state.W * state.scale).astype(state.W.dtype), b


def intercepts(state: State, output: str) -> Array:
    """Return the intercepts of :func:`weights`, shape (P,), without computing its weights."""
    if _source(state, output) == "average":
        averaged: Array = state.b - state.ub / state.t[0]
        return averaged
    return {"pocket": state.pocket_b, "champion": state.champion_b}.get(
        _source(state, output), state.b
    )


def _source(state: State, output: str) -> str:
    """Return the source of an output: there may be no average yet, or no pocket."""
    if output == "average" and state.t[0] > 0:
        return "average"
    if output == "pocket" and np.isfinite(state.pocket_errors[0]):
        return "pocket"
    if output == "pocket" and state.run[1] >= state.run[0]:
        return "champion"
    return "last"


def resize_features(state: State, d: int) -> State:
    """Return ``state`` with ``d`` features: the first of its own, or all and new ones of weight 0.

    Examples
    --------
    >>> resize_features(empty(2, 1), 5).W.shape
    (5, 1)
    """
    resized = {}
    for name, array in state._asdict().items():
        if array.ndim == 2 and array.shape[0] > 0 and FIELDS[name].shape == "squares":
            resized[name] = _resize_squares(array, len(state.W) + 1, d + 1, FIELDS[name].initial)
        elif array.ndim == 2 and array.shape[0] > 0:
            resized[name] = aligned_zeros((d, array.shape[1]), array.dtype)
            resized[name][: array.shape[0]] = array[:d]
    return state._replace(**resized)


def _resize_squares(array: Array, before: int, size: int, diagonal: float) -> Array:
    """Return matrices of shape (before, before), one a column, cut or extended to size × size."""
    common, P = min(before, size), array.shape[1]
    result = aligned_zeros((size * size, P), array.dtype)
    result[:: size + 1] = diagonal
    squares = array.reshape(before, before, P)
    result.reshape(size, size, P)[:common, :common] = squares[:common, :common]
    return result


def insert_column(state: State, columns: int, position: int) -> State:
    """Return ``state`` with one more weight vector, all zero, inserted at ``position``.

    Parameters
    ----------
    state : State
    columns : int
        Number of weight vectors in it. One (two classes) becomes −w and w first.
    position : int

    Examples
    --------
    >>> insert_column(empty(4, 1), 1, 2).W.shape
    (4, 8)
    """
    old = list(range(columns))
    signs = np.ones(columns)
    if columns == 1:
        old, signs = [0, 0], np.array([-1.0, 1.0])
    positions = [k if k < position else k + 1 for k in range(len(old))]
    wider = empty(state.W.shape[0], len(old) + 1, state.W.dtype, **kept_options(state))
    for name, array in state._asdict().items():
        target, field = getattr(wider, name), FIELDS[name]
        if field.two_classes == "fresh":
            continue
        if field.shape in ("one", "two"):
            target[:] = array
        elif field.two_classes == "mirrored":
            target[..., positions] = array[..., old] * signs.astype(array.dtype)
        elif field.two_classes == "copied":
            target[..., positions] = array[..., old]
        else:
            target[positions[-columns:]] = array[:columns]  # two classes have one counter
    wider.area[position] = state.t[0]
    return wider


def skip_examples(state: State, n: int) -> None:
    """Count ``n`` examples without learning them, in place: with one class none can be an error."""
    state.t[:] += n
    state.area[:] += n * state.scale
