"""An expansion's memory as arrays, and back: the part of a model file that holds its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.engine.kernel import budgets
from rosenblatt.engine.kernel.budgets import Held
from rosenblatt.engine.kernel.expansion import Slots
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.rows import CSR
from rosenblatt.engine.steps import Moves, since
from rosenblatt.learning.dual import Memory
from rosenblatt.learning.support import Support

Array = NDArray[Any]
Kinds = dict[str, tuple[str, tuple[int, ...]]]  # the type and shape of every array

FORMS = ("dense", "csr_array", "csr_matrix", "numbers")
"""What the rows of an expansion may be stored as."""


def form_of(memory: Memory | None) -> str | None:
    """What its rows are stored as."""
    if memory is None:
        return None
    rows = memory.support.matrix()
    if sp.issparse(rows):
        return type(rows).__name__
    return "numbers" if rows.ndim == 1 else "dense"


def memory_tensors(memory: Memory | None) -> dict[str, Array]:
    """Its arrays, by name."""
    if memory is None:
        return {}
    tensors = {
        "slots.rows": memory.slots.rows[: memory.size],
        "slots.squares": memory.slots.squares,
    }
    for name in ("slot", "column", "tau", "t"):
        tensors[f"moves.{name}"] = getattr(since(memory.moves), name)
    if memory.held is not None:
        tensors |= {f"held.{name}": array for name, array in memory.held._asdict().items()}
    rows = memory.support.matrix()
    if sp.issparse(rows):
        tensors |= {
            "support.data": rows.data,
            "support.indices": rows.indices.astype(np.int64),
            "support.indptr": rows.indptr.astype(np.int64),
        }
    else:
        tensors["support.rows"] = rows
    return {name: np.ascontiguousarray(array) for name, array in tensors.items()}


def memory_kinds(
    model: Any, form: str, dtype: str, kinds: Kinds
) -> dict[str, tuple[str, set[Any]]]:
    """The types and shapes that the arrays of a memory must have, by name."""
    d, P = model.n_features_in_, kinds["W"][1][1]
    S = kinds.get("slots.rows", ("", (0,)))[1][:1]
    M = kinds.get("moves.slot", ("", (0,)))[1][:1]
    right: dict[str, tuple[str, set[Any]]] = {
        "slots.rows": ("int64", {S}),
        "slots.squares": ("float64", {(P,)}),
        **{f"moves.{name}": ("int64", {M}) for name in ("slot", "column", "t")},
        "moves.tau": ("float64", {M}),
    }
    if form == "dense":
        right["support.rows"] = dtype, {(*S, d)}
    elif form == "numbers":
        right["support.rows"] = "int64", {S}
    else:
        held = kinds.get("support.data", ("", (0,)))[1][:1]
        right["support.data"] = dtype, {held}
        right["support.indices"] = "int64", {held}
        right["support.indptr"] = "int64", {(S[0] + 1,) if S else ()}
    budget = getattr(model, "budget", None)
    if budget is not None:
        empty = budgets.nothing_held(budgets.by_name(model.budget_scheme), 1, P, 1)
        fixed = {"spent": (P,), "wrong": (P,), "random": (1,)}
        for name, array in empty._asdict().items():
            shape = fixed.get(name) or tuple(budget * n for n in array.shape)
            right[f"held.{name}"] = array.dtype.name, {shape}
    return right


def check_memory(model: Any, form: str, tensors: dict[str, Array]) -> None:
    """Refuse a memory that no training leaves behind: the loops check no bounds."""
    S, t, columns = len(tensors["slots.rows"]), int(tensors["t"][0]), model._columns()
    right = {
        "slots.rows": _within(tensors["slots.rows"], max(1, t)),
        "moves.slot": _within(tensors["moves.slot"], S),
        "moves.column": _within(tensors["moves.column"], columns),
        "moves.t": _within(tensors["moves.t"], t) and not (np.diff(tensors["moves.t"]) < 0).any(),
        "moves.tau": bool(np.isfinite(tensors["moves.tau"]).all()),
    }
    if form == "numbers":
        right["support.rows"] = _within(tensors["support.rows"], model.n_features_in_)
    elif form == "dense":
        right["support.rows"] = bool(np.isfinite(tensors["support.rows"]).all())
    else:
        right["support.data"] = bool(np.isfinite(tensors["support.data"]).all())
        right["support.indices"] = _is_whole(model, form, tensors)
    if "held.entered" in tensors:
        right["slots.rows"] = right["slots.rows"] and len(tensors["held.entered"]) >= S
        right["held.random"] = _within(tensors["held.random"] - 1, 2**32 - 1)
    for name, fine in right.items():
        if not fine:
            raise ValueError(f"its array {name} has values that cannot be")


def _within(numbers: Array, stop: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < stop)


def _is_whole(model: Any, form: str, tensors: dict[str, Array]) -> bool:
    starts = tensors["support.indptr"]
    if starts[0] != 0 or starts[-1] != len(tensors["support.data"]):
        return False
    try:
        kept = as_rows(_matrix(model, form, tensors))
    except ValueError:
        return False
    # One that is not in order, or has a feature twice, was mended: it is no other's data.
    return isinstance(kept, CSR) and np.shares_memory(kept.data, tensors["support.data"])


def _matrix(model: Any, form: str, tensors: dict[str, Array]) -> Any:
    if form in ("dense", "numbers"):
        return tensors["support.rows"]
    parts = tuple(tensors[f"support.{name}"] for name in ("data", "indices", "indptr"))
    shape = len(parts[2]) - 1, model.n_features_in_
    return getattr(sp, form)(parts, shape=shape)


def revived_memory(model: Any, form: str, tensors: dict[str, Array]) -> Memory:
    """The memory that the arrays make."""
    rows = _matrix(model, form, tensors)
    support = Support(rows[:0], numbered=form == "numbers")
    S = len(tensors["slots.rows"])
    gram = model._gram() if hasattr(model, "_gram") else None
    sizes = np.zeros(S) if gram is None else gram.sizes(rows)
    support.add(rows, np.arange(S), sizes)
    keeps = gram is None or model.output == "vote"
    memory = Memory(support, len(tensors["slots.squares"]), keeps)
    memory.slots = Slots(np.array([S]), tensors["slots.rows"], tensors["slots.squares"])
    steps = {name: tensors[f"moves.{name}"] for name in ("slot", "column", "tau", "t")}
    if keeps:
        memory.moves = Moves(**steps, made=np.array([len(steps["tau"])]))
    if "held.entered" in tensors:
        memory.held = Held(**{name: tensors[f"held.{name}"] for name in Held._fields})
    return memory
