"""JSON: the plan of a model as data, for a program that scores rows itself.

``model.schema.json`` beside this folder is the JSON Schema of such a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rosenblatt import __version__
from rosenblatt.exports.format import ExportOptions, Format
from rosenblatt.exports.terms import Category, Factor, IsMissing, Plan

if TYPE_CHECKING:
    from rosenblatt.utils.arrays import Array

VERSION = 1
"""Version of the form of the file: it grows where a program for the one before would be wrong."""


def data_of(plan: Plan) -> dict[str, object]:
    """Return the plan as values of JSON.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.exports.plan import plan_of
    >>> data = data_of(plan_of(Perceptron().fit([[0.0], [1.0]], ["no", "yes"]), {}, ["links"]))
    >>> data["columns"], data["terms"][0]["factors"], data["classes"]
    ([{'name': 'links', 'kind': 'number'}], [{'column': 'links'}], ['no', 'yes'])
    """
    hashing = None if plan.hashing is None else _hashing(plan)
    return {
        "format": "rosenblatt-model",
        "version": VERSION,
        "rosenblatt": __version__,
        "rows": plan.rows,
        "columns": [column._asdict() for column in plan.columns],
        "missing": plan.missing._asdict(),
        "sparse": plan.sparse,
        "terms": [] if hashing else list(_terms(plan)),
        "hashing": hashing,
        "intercepts": plan.intercepts.tolist(),
        "classes": list(plan.classes),
        "zero_is_second": plan.zero_is_second,
        "probabilities": plan.probabilities,
    }


def _terms(plan: Plan) -> Iterator[dict[str, object]]:
    weights = plan.weights.T.tolist()
    if plan.rows == "matrix":
        for j, row in enumerate(weights):
            name = str(j + plan.index_base)
            yield {"name": name, "factors": [{"position": j}], "weights": row}
        return
    for term, row in zip(plan.terms, weights, strict=False):
        factors = [_factor(plan, factor) for factor in term.factors]
        yield {"name": term.name, "factors": factors, "weights": row}


def _factor(plan: Plan, factor: Factor) -> dict[str, object]:
    column: dict[str, object] = {"column": plan.columns[factor.column].name}
    if isinstance(factor, Category):
        return column | {"value": factor.value}
    return column | {"missing": True} if isinstance(factor, IsMissing) else column


def _hashing(plan: Plan) -> dict[str, object]:
    assert plan.hashing is not None
    bits, texts, interactions = plan.hashing
    return {
        "bits": bits,
        "texts": [ngrams._asdict() for ngrams in texts],
        "interactions": interactions,
        "weights": _used(plan.weights),
    }


def _used(weights: Array) -> list[list[float]]:
    """Return the columns with a weight that is not zero: the index, then each weight."""
    columns = enumerate(weights.T.tolist())
    return [[j, *row] for j, row in columns if any(row)]


def write(plan: Plan, options: ExportOptions) -> bytes:
    """Return the file: one key a line, one term a line.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.exports.plan import read_plan
    >>> plan = read_plan(Perceptron().fit([[0.0], [1.0]], [0, 1]))
    >>> write(plan, ExportOptions()).decode().splitlines()[:3]
    ['{', '"format": "rosenblatt-model",', '"version": 1,']
    """
    data = data_of(plan)
    lines = [f"{json.dumps(name)}: {_text(value)}" for name, value in data.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _text(value: object) -> str:
    """Return a value; a list of objects with one of them a line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(map(_dumped, value)) + "\n]"
    return _dumped(value)


def _dumped(value: object) -> str:
    return json.dumps(value, allow_nan=False)


FORMAT = Format(
    name="json",
    suffix=".json",
    title="the plan of the model as data, with a JSON Schema",
    limits="dates",
    write=write,
    rank=5,
)
