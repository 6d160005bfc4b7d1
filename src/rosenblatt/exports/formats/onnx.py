"""ONNX: a graph of operators on float64, of opset 21 and ai.onnx.ml.

Each column of a table is an input of shape [rows, 1], float64 or text; a matrix is one input. The
operators for classifiers of ai.onnx.ml have float32 alone, so that rows near the boundary would get
other labels: numbers are multiplied by MatMul, and categories look up their weights by Gather.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rosenblatt import __version__
from rosenblatt.exports.format import ExportOptions, Format
from rosenblatt.exports.terms import CannotExport, Category, Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rosenblatt.exports.addends import Addend, Values

_OPSET, _ML_OPSET, _IR_VERSION = 21, 5, 10  # of onnx 1.16, which brought opset 21
_MOST_NUMBERS = 2**27  # of a table of weights: a file has less than 2 GB


def write(plan: Plan, options: ExportOptions) -> bytes:
    """Return the model, after ONNX's own check of it."""
    try:
        import onnx
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "ONNX is written by the package onnx, which is missing: pip install 'rosenblatt[onnx]'."
        ) from error
    from rosenblatt.exports.addends import require_cells

    require_cells(plan, "ONNX")
    if any(column.name == "" for column in plan.columns):
        raise CannotExport(
            "it has a column without a name, and each input of ONNX has one: name it."
        )
    if plan.weights.size > _MOST_NUMBERS:
        raise _too_large(plan.weights.size)
    helper = onnx.helper
    model = helper.make_model(
        _Graph(plan, onnx).build(),
        opset_imports=[
            helper.make_opsetid("", _OPSET),
            helper.make_opsetid("ai.onnx.ml", _ML_OPSET),
        ],
        producer_name="rosenblatt",
        producer_version=__version__,
        ir_version=_IR_VERSION,
    )
    onnx.checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _too_large(numbers: int) -> CannotExport:
    return CannotExport(
        f"it has too many names and classes: a table of {numbers:,} weights, and "
        f"{_MOST_NUMBERS:,} are the most in a file of ONNX"
    )


class _Graph:
    """The graph of a plan, built from the inputs to the label."""

    def __init__(self, plan: Plan, onnx: Any) -> None:
        import numpy as np

        self._plan, self._onnx, self._np = plan, onnx, np
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._taken = {column.name for column in plan.columns}
        self._codes: dict[int, tuple[str, int]] = {}
        self._numbers: dict[int, str] = {}
        self._values: dict[int, dict[str | None, int]] = {}

    def build(self) -> Any:
        """Return the graph."""
        types, plan = self._onnx.TensorProto, self._plan
        outputs = {name: self._free(name) for name in ("label", "scores", "probabilities")}
        if plan.rows == "matrix":
            self._input("X", types.DOUBLE, plan.weights.shape[1])
            total = self._node("MatMul", "X", self._constant(plan.weights.T))
        else:
            for column in plan.columns:
                is_number = column.kind == "number"
                self._input(column.name, types.DOUBLE if is_number else types.STRING, 1)
            total = self._sum_of_cells()
        scores = self._node("Add", total, self._constant(plan.intercepts))
        self._decide(scores, outputs["label"])
        kinds = [outputs["label"], outputs["scores"]]
        if len(plan.intercepts) == 1:
            self._node("Reshape", scores, self._constant([-1]), output=outputs["scores"])
        else:
            self._node("Identity", scores, output=outputs["scores"])
        if plan.probabilities is not None:
            self._share(scores, outputs["probabilities"])
            kinds.append(outputs["probabilities"])
        label_type = self._onnx.helper.np_dtype_to_tensor_dtype(self._classes().dtype)
        shapes: list[list[str | int]] = [["rows"], ["rows"], ["rows", len(plan.classes)]]
        if len(plan.intercepts) > 1:
            shapes[1] = ["rows", len(plan.classes)]
        element = [label_type, types.DOUBLE, types.DOUBLE]
        infos = [
            self._onnx.helper.make_tensor_value_info(name, element[k], shapes[k])
            for k, name in enumerate(kinds)
        ]
        return self._onnx.helper.make_graph(
            self._nodes, "rosenblatt", self._inputs, infos, self._constants
        )

    # --- names, constants, nodes -----------------------------------------------------------------

    def _free(self, name: str) -> str:
        """Return a name that is no other's."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _input(self, name: str, type: int, width: int) -> None:
        info = self._onnx.helper.make_tensor_value_info(name, type, ["rows", width])
        self._inputs.append(info)

    def _constant(self, values: Any) -> str:
        name = self._free(f"constant {len(self._constants)}")
        array = self._np.ascontiguousarray(values)
        if array.dtype.kind in "UO":
            array = array.astype(object)
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def _node(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or self._free(f"step {len(self._nodes)}")
        domain = "ai.onnx.ml" if operator == "LabelEncoder" else ""
        self._nodes.append(
            self._onnx.helper.make_node(operator, inputs, [output], domain=domain, **attributes)
        )
        return output

    # --- the sum ---------------------------------------------------------------------------------

    def _sum_of_cells(self) -> str:
        """Return Σ_j w_kj t_j, shape [rows, vectors]: of numbers, then of each group of cells."""
        from rosenblatt.exports.addends import addends

        every = addends(self._plan)
        plain = [addend for addend in every if not addend.cells]
        parts = []
        if plain:
            columns = [self._product(addend.numbers) for addend in plain]
            X = self._node("Concat", *columns, axis=1)
            parts.append(self._node("MatMul", X, self._constant([a.weights[()] for a in plain])))
        self._list_values()
        parts += [self._of_cells(addend) for addend in every if addend.cells]
        total = parts[0]
        for part in parts[1:]:
            total = self._node("Add", total, part)
        return total

    def _list_values(self) -> None:
        """Number the values of each category; after them come a missing cell, and all others."""
        for term in self._plan.terms:
            for factor in term.factors:
                if isinstance(factor, Category):
                    values = self._values.setdefault(factor.column, {})
                    values.setdefault(factor.value, len(values))

    def _product(self, columns: Sequence[int]) -> str:
        product = self._number(columns[0])
        for column in columns[1:]:
            product = self._node("Mul", product, self._number(column))
        return product

    def _of_cells(self, addend: Addend) -> str:
        """Return the weights that cells decide, times the numbers."""
        codes = [self._code(column) for column in addend.cells]
        sizes = [size for _, size in codes]
        rows = math.prod(sizes)
        if rows * len(self._plan.intercepts) > _MOST_NUMBERS:
            raise _too_large(rows * len(self._plan.intercepts))
        index, _ = codes[0]
        for code, size in codes[1:]:
            index = self._node("Mul", index, self._constant([size]))
            index = self._node("Add", index, code)
        table = self._np.zeros((rows, len(self._plan.intercepts)))
        for values, weights in addend.weights.items():
            table[self._row_of(addend.cells, values, sizes)] = weights
        flat = self._node("Reshape", index, self._constant([-1]))
        part = self._node("Gather", self._constant(table), flat, axis=0)
        if addend.numbers:
            part = self._node("Mul", part, self._product(addend.numbers))
        return part

    def _row_of(self, cells: Sequence[int], values: Values, sizes: Sequence[int]) -> int:
        """Return the row of a table for the values of some cells."""
        row = 0
        for column, value, size in zip(cells, values, sizes, strict=True):
            codes = self._values.get(column, {})
            if self._plan.columns[column].kind == "number":
                code = 1
            else:
                code = len(codes) if value is None else codes[value]
            row = row * size + code
        return row

    # --- cells -----------------------------------------------------------------------------------

    def _is_missing(self, column: int) -> str:
        """Return where a number is missing."""
        name = self._plan.columns[column].name
        missing = self._node("IsNaN", name)
        for number in self._plan.missing.numbers:
            equal = self._node("Equal", name, self._constant([number]))
            missing = self._node("Or", missing, equal)
        return missing

    def _number(self, column: int) -> str:
        """Return the numbers of a column, filled in where they are missing."""
        if column not in self._numbers:
            name, missing = self._plan.columns[column].name, self._plan.missing
            self._numbers[column] = name
            if missing.policy is not None:
                filled_in = self._constant([float(missing.means.get(name, 0.0))])
                where = self._is_missing(column)
                self._numbers[column] = self._node("Where", where, filled_in, name)
        return self._numbers[column]

    def _code(self, column: int) -> tuple[str, int]:
        """Return the codes of the values of a column, and their number."""
        if column not in self._codes:
            if self._plan.columns[column].kind == "number":
                to = self._onnx.TensorProto.INT64
                code = self._node("Cast", self._is_missing(column), to=to)
                self._codes[column] = code, 2
            else:
                values = self._values.setdefault(column, {})
                count = len(values)
                keys: dict[str | None, int] = dict(values)
                keys |= dict.fromkeys(self._plan.missing.spellings, count)
                code = self._node(
                    "LabelEncoder",
                    self._plan.columns[column].name,
                    keys_strings=list(keys),
                    values_int64s=list(keys.values()),
                    default_int64=count + 1,
                )
                self._codes[column] = code, count + 2
        return self._codes[column]

    # --- what follows from the scores ------------------------------------------------------------

    def _classes(self) -> Any:
        classes = self._np.array(self._plan.classes)
        return classes.astype(object) if classes.dtype.kind == "U" else classes

    def _decide(self, scores: str, output: str) -> None:
        """Write the label; where a score is no number, as a cell is missing, Gather fails."""
        types = self._onnx.TensorProto
        if len(self._plan.intercepts) == 1:
            zero, last = self._constant([0.0]), self._constant([-1])
            above = "GreaterOrEqual" if self._plan.zero_is_second else "Greater"
            is_second = self._node("Reshape", self._node(above, scores, zero), last)
            code = self._node("Cast", is_second, to=types.INT64)
            score = self._node("Reshape", scores, last)
        else:
            code = self._node("ArgMax", scores, axis=1, keepdims=0)
            score = self._node("ReduceSum", scores, self._constant([1]), keepdims=0)
        outside = self._constant(len(self._plan.classes))
        code = self._node("Where", self._node("IsNaN", score), outside, code)
        self._node("Gather", self._constant(self._classes()), code, output=output)

    def _share(self, scores: str, output: str) -> None:
        kind = self._plan.probabilities
        if kind == "logistic":
            first = self._node("Sigmoid", self._node("Neg", scores))
            self._node("Concat", first, self._node("Sigmoid", scores), axis=1, output=output)
            return
        if kind == "normalised":  # by log p = min(s, 0) − log(1 + exp(−|s|))
            small = self._node("Exp", self._node("Neg", self._node("Abs", scores)))
            log = self._node("Log", self._node("Add", small, self._constant([1.0])))
            least = self._node("Min", scores, self._constant([0.0]))
            scores = self._node("Sub", least, log)
        self._node("Softmax", scores, axis=1, output=output)


FORMAT = Format(
    name="onnx",
    suffix=".onnx",
    title="a graph of float64, opset 21 (needs rosenblatt[onnx])",
    limits="dates, texts, JSON lines and hashed names",
    write=write,
    rank=1,
)
