"""An expansion's memory as arrays, and back: the part of a model file that holds its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.engine.kernel import budgets
from rosenblatt.engine.kernel.budgets import BudgetState
from rosenblatt.engine.kernel.expansion import Slots
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.rows import CSR
from rosenblatt.engine.steps import StepLog, steps_from
from rosenblatt.learning.dual import DualState
from rosenblatt.learning.support import Support

Array = NDArray[Any]
ArraySpecs = dict[str, tuple[str, tuple[int, ...]]]  # the type and shape of every array

STORAGES = ("dense", "csr_array", "csr_matrix", "numbers")
"""What the rows of an expansion may be stored as."""


def storage_of(dual: DualState | None) -> str | None:
    """What its rows are stored as."""
    if dual is None:
        return None
    rows = dual.support.matrix()
    if sp.issparse(rows):
        return type(rows).__name__
    return "numbers" if rows.ndim == 1 else "dense"


def encode_dual(dual: DualState | None) -> dict[str, Array]:
    """Its arrays, by name."""
    if dual is None:
        return {}
    tensors = {
        "slots.rows": dual.slots.rows[: dual.size],
        "slots.squares": dual.slots.squares,
    }
    for name in ("slot", "column", "tau", "t"):
        tensors[f"moves.{name}"] = getattr(steps_from(dual.steps), name)
    if dual.held is not None:
        tensors |= {f"held.{name}": array for name, array in dual.held._asdict().items()}
    rows = dual.support.matrix()
    if sp.issparse(rows):
        tensors |= {
            "support.data": rows.data,
            "support.indices": rows.indices.astype(np.int64),
            "support.indptr": rows.indptr.astype(np.int64),
        }
    else:
        tensors["support.rows"] = rows
    return {name: np.ascontiguousarray(array) for name, array in tensors.items()}


def dual_specs(
    model: Any, storage: str, dtype: str, specs: ArraySpecs
) -> dict[str, tuple[str, set[Any]]]:
    """The types and shapes that the arrays of a memory must have, by name."""
    d, P = model.n_features_in_, specs["W"][1][1]
    S = specs.get("slots.rows", ("", (0,)))[1][:1]
    M = specs.get("moves.slot", ("", (0,)))[1][:1]
    expected: dict[str, tuple[str, set[Any]]] = {
        "slots.rows": ("int64", {S}),
        "slots.squares": ("float64", {(P,)}),
        **{f"moves.{name}": ("int64", {M}) for name in ("slot", "column", "t")},
        "moves.tau": ("float64", {M}),
    }
    if storage == "dense":
        expected["support.rows"] = dtype, {(*S, d)}
    elif storage == "numbers":
        expected["support.rows"] = "int64", {S}
    else:
        nonzeros = specs.get("support.data", ("", (0,)))[1][:1]
        expected["support.data"] = dtype, {nonzeros}
        expected["support.indices"] = "int64", {nonzeros}
        expected["support.indptr"] = "int64", {(S[0] + 1,) if S else ()}
    budget = getattr(model, "budget", None)
    if budget is not None:
        empty = budgets.empty_budget_state(budgets.by_name(model.budget_scheme), 1, P, 1)
        fixed = {"spent": (P,), "wrong": (P,), "random": (1,)}
        for name, array in empty._asdict().items():
            shape = fixed.get(name) or tuple(budget * n for n in array.shape)
            expected[f"held.{name}"] = array.dtype.name, {shape}
    return expected


def check_dual_values(model: Any, storage: str, tensors: dict[str, Array]) -> None:
    """Refuse a memory that no training leaves behind: the loops check no bounds."""
    S, t, columns = len(tensors["slots.rows"]), int(tensors["t"][0]), model._n_vectors()
    valid = {
        "slots.rows": _within(tensors["slots.rows"], max(1, t)),
        "moves.slot": _within(tensors["moves.slot"], S),
        "moves.column": _within(tensors["moves.column"], columns),
        "moves.t": _within(tensors["moves.t"], t) and not (np.diff(tensors["moves.t"]) < 0).any(),
        "moves.tau": bool(np.isfinite(tensors["moves.tau"]).all()),
    }
    if storage == "numbers":
        valid["support.rows"] = _within(tensors["support.rows"], model.n_features_in_)
    elif storage == "dense":
        valid["support.rows"] = bool(np.isfinite(tensors["support.rows"]).all())
    else:
        valid["support.data"] = bool(np.isfinite(tensors["support.data"]).all())
        valid["support.indices"] = _is_valid_csr(model, storage, tensors)
    if "held.entered" in tensors:
        valid["slots.rows"] = valid["slots.rows"] and len(tensors["held.entered"]) >= S
        valid["held.random"] = _within(tensors["held.random"] - 1, 2**32 - 1)
    for name, ok in valid.items():
        if not ok:
            raise ValueError(f"its array {name} has values that cannot be")


def _within(numbers: Array, stop: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < stop)


def _is_valid_csr(model: Any, storage: str, tensors: dict[str, Array]) -> bool:
    starts = tensors["support.indptr"]
    if starts[0] != 0 or starts[-1] != len(tensors["support.data"]):
        return False
    try:
        rows = as_rows(_support_matrix(model, storage, tensors))
    except ValueError:
        return False
    # One that is not in order, or has a feature twice, was mended: it is no other's data.
    return isinstance(rows, CSR) and np.shares_memory(rows.data, tensors["support.data"])


def _support_matrix(model: Any, storage: str, tensors: dict[str, Array]) -> Any:
    if storage in ("dense", "numbers"):
        return tensors["support.rows"]
    parts = tuple(tensors[f"support.{name}"] for name in ("data", "indices", "indptr"))
    shape = len(parts[2]) - 1, model.n_features_in_
    return getattr(sp, storage)(parts, shape=shape)


def decode_dual(model: Any, storage: str, tensors: dict[str, Array]) -> DualState:
    """The memory that the arrays make."""
    rows = _support_matrix(model, storage, tensors)
    support = Support(rows[:0], precomputed=storage == "numbers")
    S = len(tensors["slots.rows"])
    gram = model._kernel_function() if hasattr(model, "_kernel_function") else None
    sizes = np.zeros(S) if gram is None else gram.norms(rows)
    support.add(rows, np.arange(S), sizes)
    keep_steps = gram is None or model.output == "vote"
    dual = DualState(support, len(tensors["slots.squares"]), keep_steps)
    dual.slots = Slots(np.array([S]), tensors["slots.rows"], tensors["slots.squares"])
    steps = {name: tensors[f"moves.{name}"] for name in ("slot", "column", "tau", "t")}
    if keep_steps:
        dual.steps = StepLog(**steps, size=np.array([len(steps["tau"])]))
    if "held.entered" in tensors:
        dual.held = BudgetState(**{name: tensors[f"held.{name}"] for name in BudgetState._fields})
    return dual
