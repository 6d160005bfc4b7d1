"""Conversion of the dual state of a model to the arrays of a model file and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.kernel import budgets
from rosenblatt.engine.kernel.budgets import BudgetState
from rosenblatt.engine.kernel.expansion import Slots
from rosenblatt.engine.matrices import as_rows
from rosenblatt.engine.rows import CSR
from rosenblatt.engine.steps import StepLog, steps_from
from rosenblatt.learning import interface
from rosenblatt.learning.dual import DualState
from rosenblatt.learning.support import Support
from rosenblatt.theory.budgets import by_name
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.matrices import is_sparse

ArraySpecs = dict[str, tuple[str, tuple[int, ...]]]  # name -> (dtype, shape)

STORAGES = ("dense", "csr_array", "csr_matrix", "numbers")
"""Storage types of the support rows; "numbers": row numbers of a precomputed kernel."""


def storage_of(dual: DualState | None) -> str | None:
    """Storage type of the support rows."""
    if dual is None:
        return None
    rows = dual.support.matrix()
    if is_sparse(rows):
        names = (base.__name__ for base in type(rows).__mro__)  # rows of tables have their own type
        return next(name for name in names if name in STORAGES)
    return "numbers" if rows.ndim == 1 else "dense"


def encode_dual(dual: DualState | None) -> dict[str, Array]:
    """Arrays of a dual state, by name in the file."""
    if dual is None:
        return {}
    tensors = {
        "slots.rows": dual.slots.rows[: dual.size],
        "slots.squares": dual.slots.squares,
    }
    for name in ("slot", "column", "tau", "t"):
        tensors[f"moves.{name}"] = getattr(steps_from(dual.steps), name)
    if dual.budget is not None:
        tensors |= {f"held.{name}": array for name, array in dual.budget._asdict().items()}
    rows = dual.support.matrix()
    if is_sparse(rows):
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
    """Types and shapes required of the arrays of a dual state, by name."""
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
        scheme = by_name(model.budget_scheme, model.budget_eta)
        empty = budgets.empty_budget_state(scheme, 1, P, 1)
        fixed = {"spent": (P,), "wrong": (P,), "random": (1,)}
        for name, array in empty._asdict().items():
            shape = fixed.get(name) or tuple(budget * n for n in array.shape)
            expected[f"held.{name}"] = array.dtype.name, {shape}
    return expected


def check_dual_values(model: Any, storage: str, tensors: dict[str, Array]) -> None:
    """Refuse values that training cannot produce, since the loops check no bounds."""
    S, t, columns = len(tensors["slots.rows"]), int(tensors["t"][0]), interface.n_vectors(model)
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
            raise ValueError(f"its array {name} has invalid values")


def _within(numbers: Array, stop: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < stop)


def _is_valid_csr(model: object, storage: str, tensors: dict[str, Array]) -> bool:
    starts = tensors["support.indptr"]
    if starts[0] != 0 or starts[-1] != len(tensors["support.data"]):
        return False
    try:
        rows = as_rows(_support_matrix(model, storage, tensors))
    except ValueError:
        return False
    # as_rows copies rows with unsorted or repeated indices instead of sharing their data, and
    # arrays without a single entry share nothing.
    return isinstance(rows, CSR) and (
        starts[-1] == 0 or np.shares_memory(rows.data, tensors["support.data"])
    )


def _support_matrix(model: Any, storage: str, tensors: dict[str, Array]) -> Matrix:
    if storage in ("dense", "numbers"):
        return tensors["support.rows"]
    parts = tuple(tensors[f"support.{name}"] for name in ("data", "indices", "indptr"))
    shape = len(parts[2]) - 1, model.n_features_in_
    import scipy.sparse as sp

    return getattr(sp, storage)(parts, shape=shape)


def decode_dual(model: Any, storage: str, tensors: dict[str, Array]) -> DualState:
    """Build a dual state from its arrays."""
    rows = _support_matrix(model, storage, tensors)
    support = Support(rows[:0], precomputed=storage == "numbers")
    S = len(tensors["slots.rows"])
    support.add(rows, np.arange(S), interface.kernel_norms(model, rows))
    keep_steps = not hasattr(model, "kernel") or model.output == "vote"
    dual = DualState(support, len(tensors["slots.squares"]), keep_steps)
    dual.slots = Slots(np.array([S]), tensors["slots.rows"], tensors["slots.squares"])
    steps = {name: tensors[f"moves.{name}"] for name in ("slot", "column", "tau", "t")}
    if keep_steps:
        dual.steps = StepLog(**steps, size=np.array([len(steps["tau"])]))
    if "held.entered" in tensors:
        dual.budget = BudgetState(**{name: tensors[f"held.{name}"] for name in BudgetState._fields})
    return dual
