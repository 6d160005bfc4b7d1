"""The state of a learner: one record of arrays.

This record, and nothing else, is saved, resumed, mixed and copied. The loops change its arrays in
place. It has what every learner has, and what the rule declares
(:func:`rosenblatt.theory.rule_kinds.own_fields`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt._core import matrices as core
from rosenblatt.engine import blend
from rosenblatt.theory.declaration import Field
from rosenblatt.theory.rule_kinds import BLENDED
from rosenblatt.utils.arrays import Array

LANES = 8
"""Classes that the core's loops move together: weights of several are padded to a multiple."""

CACHE_LINE = 64
"""Bytes in a cache line."""


class State(NamedTuple):
    """The state of a linear learner of K classes on d features.

    Two classes share one weight vector, P = 1 column. More have K columns and zeros up to P, a
    multiple of :data:`LANES`: a feature's weights are contiguous. Model files use these names.

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
    own : dict of str to ndarray
        What the rule keeps, by the names that it declares.
    declared : dict of str to Field
        What it declares of them.
    """

    W: Array
    b: Array
    scale: Array
    U: Array
    ub: Array
    area: Array
    Q: Array
    owed: Array
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
    own: dict[str, Array]
    declared: dict[str, Field]


FIELDS = {
    "W": Field("weights", "weights", two_classes="mirrored", mixture="weights"),
    "b": Field("columns", two_classes="mirrored"),
    "scale": Field("columns", initial=1.0, mixture="weights", minimum=5e-324),
    "U": Field("weights", kept="average", two_classes="mirrored", mixture="weights"),
    "ub": Field("columns", two_classes="mirrored", mixture="weights"),
    "area": Field("columns", mixture="sum"),
    "Q": Field("weights", "weights", kept="truncated", two_classes="mirrored"),
    "owed": Field("columns"),
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
"""The fields that every :class:`State` has: a new one is a line here, and one there."""


def empty(
    d: int,
    columns: int,
    dtype: object = np.float64,
    own: Mapping[str, Field] | None = None,
    **kept: bool,
) -> State:
    """Return the state of a learner before the first example.

    Parameters
    ----------
    d : int
        Number of features.
    columns : int
        1 for two classes, else the number K of classes.
    dtype : float32 or float64, default=float64
        Type of the weights.
    own : dict of str to Field, optional
        What the rule declares.
    average, truncated, pocket : bool, default=False
        Whether to keep the average, the L1 penalty and the pocket.

    Examples
    --------
    >>> empty(4, 10).W.shape
    (4, 16)
    """
    P, declared = padded_columns(columns), dict(own or {})
    arrays = {
        name: _first_values(field, d, P, dtype, field.kept is None or kept.get(field.kept, False))
        for name, field in FIELDS.items()
    }
    arrays["active"][:columns] = True
    own_arrays = {name: _first_values(field, d, P, dtype) for name, field in declared.items()}
    return State(**arrays, own=own_arrays, declared=declared)


def _first_values(field: Field, d: int, P: int, dtype: Any, is_kept: bool = True) -> Array:
    """Return an array before the first example; weights that are not kept have no rows."""
    kind = np.dtype(dtype if field.dtype == "weights" else field.dtype)
    if size := {"columns": P, "numbers": field.depth, "one": 1, "two": 2}.get(field.shape):
        return np.full(size, field.initial, kind)
    columns = field.depth if field.shape == "features" else P
    if field.shape == "records":
        columns = blend.width(P)
    array = aligned_zeros((rows_of(field, d) if is_kept else 0, columns), kind)
    if field.shape == "squares":
        array[:: d + 2] = field.initial
    elif field.initial:
        array[:] = field.initial
    return array


def rows_of(field: Field, d: int) -> int:
    """Return the number of rows of an array of weights, or of squares, on d features.

    Examples
    --------
    >>> [rows_of(Field(shape), 4) for shape in ("weights", "squares", "records")]
    [4, 25, 5]
    """
    return {"squares": (d + 1) ** 2, "records": d + 1}.get(field.shape, d)


def fields_of(state: State) -> dict[str, Field]:
    """Return what there is to know of each array of a state, by its name, as in a model file.

    Examples
    --------
    >>> len(fields_of(empty(2, 1, own={"sums": Field()}))) - len(FIELDS)
    1
    """
    return FIELDS | state.declared


def arrays_of(state: State) -> dict[str, Array]:
    """Return the arrays of a state by their names.

    Examples
    --------
    >>> arrays_of(empty(2, 1, own={"sums": Field(initial=1.0)}))["sums"].tolist()
    [[1.0], [1.0]]
    """
    return {name: getattr(state, name) for name in FIELDS} | state.own


def from_arrays(arrays: Mapping[str, Array], declared: Mapping[str, Field]) -> State:
    """Return the state of arrays by their names, with what a rule declares of its own."""
    own = {name: arrays[name] for name in declared}
    return State(**{name: arrays[name] for name in FIELDS}, own=own, declared=dict(declared))


def for_rule(state: State, own: Mapping[str, Field]) -> State:
    """Return the state with the arrays that follow from the weights, of this rule and no other.

    Numbers of another rule that the weights follow from go, too, since this rule moves the weights.
    Arrays that the state lacks otherwise cannot be known: a rule that needs them is refused.

    Parameters
    ----------
    state : State
        Its arrays are those of the result.
    own : dict of str to Field
        What the rule declares.

    Examples
    --------
    >>> norms = {"norms": Field("columns", two_classes="fresh")}
    >>> with_norms = for_rule(empty(2, 1), norms)
    >>> [*with_norms.own], [*for_rule(with_norms, {}).own]
    (['norms'], [])
    """
    if own.keys() == state.declared.keys():
        return state
    kept = {
        name: field
        for name, field in state.declared.items()
        if name in own or not (field.alone or field.two_classes == "fresh")
    }
    new = {
        name: field
        for name, field in own.items()
        if name not in kept and field.two_classes == "fresh"
    }
    if not new and len(kept) == len(state.declared):
        return state
    blend.refresh(state.W, state.b, state.own)  # from what may go
    d, P = state.W.shape
    first = {name: _first_values(field, d, P, state.W.dtype) for name, field in new.items()}
    return from_arrays(arrays_of(state) | first, kept | new)


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
        if field.kept is not None
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
    """Set the weights (d, K) or intercepts (K,) in place; sums over past examples are unchanged.

    Raises
    ------
    ValueError
        The weights follow from numbers of the rule.
    """
    if any(field.alone for field in state.declared.values()):
        changes = coef is not None and (state.W[:, : coef.shape[1]] != coef).any()
        if changes or (intercept is not None and (state.b[: len(intercept)] != intercept).any()):
            raise ValueError(
                "With this rule the weights follow from other numbers that it keeps, so they "
                "cannot be set: leave out coef_init, intercept_init, and warm_start with "
                "scale=True, and do not assign coef_ or intercept_."
            )
    for name, field in state.declared.items():
        if field.mixture == "fresh" and (coef is not None or intercept is not None):
            state.own[name][:] = field.initial
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
    copies = {name: aligned_copy(array) for name, array in arrays_of(state).items()}
    return from_arrays(copies, state.declared)


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
    blend.refresh(state.W, state.b, state.own)
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
    blend.refresh(state.W, state.b, state.own)
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
    """Return ``state`` with ``d`` features: the first of its own, or all and new ones.

    Weights of new features are 0, and all else is what it is before the first example.

    Examples
    --------
    >>> resize_features(empty(2, 1), 5).W.shape
    (5, 1)
    """
    arrays, fields = arrays_of(state), fields_of(state)
    for name, array in arrays.items():
        if array.ndim < 2 or len(array) == 0:
            continue
        P, field = state.W.shape[1], fields[name]
        result = arrays[name] = _first_values(field, d, P, array.dtype)
        if field.shape == "squares":
            before, size, common = len(state.W) + 1, d + 1, min(len(state.W), d) + 1
            squares = array.reshape(before, before, P)
            result.reshape(size, size, P)[:common, :common] = squares[:common, :common]
        else:
            result[: len(array)] = array[: len(result)]
    return from_arrays(arrays, state.declared)


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
    d, dtype = len(state.W), state.W.dtype
    wider = empty(d, len(old) + 1, dtype, state.declared, **kept_options(state))
    targets, fields = arrays_of(wider), fields_of(wider)
    for name, array in arrays_of(state).items():
        target, field = targets[name], fields[name]
        if field.two_classes == "fresh":
            continue
        if field.shape in ("one", "two", "numbers", "features"):
            target[:] = array
            continue
        if field.two_classes == "records":
            blend.insert_class(target, array, positions)
        elif field.two_classes == "mirrored":
            target[..., positions] = array[..., old] * signs.astype(array.dtype)
        elif field.two_classes == "copied":
            target[..., positions] = array[..., old]
        else:
            target[positions[-columns:]] = array[:columns]  # two classes have one counter
    wider.area[position] = state.t[0]
    if BLENDED in wider.own:
        wider.own[BLENDED][1] = -1
    return wider


def skip_examples(state: State, n: int) -> None:
    """Count ``n`` examples without learning them, in place: with one class none can be an error."""
    state.t[:] += n
    state.area[:] += n * state.scale
