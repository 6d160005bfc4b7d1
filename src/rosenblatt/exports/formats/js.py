"""An ES module that scores raw rows, in a browser and in Node, without any other file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt import __version__
from rosenblatt.exports.format import ExportOptions, Format
from rosenblatt.exports.terms import Category

if TYPE_CHECKING:
    from rosenblatt.exports.terms import Plan


def write(plan: Plan, options: ExportOptions) -> bytes:
    """Return the module: the model as constants, and the functions that score a row.

    Raises
    ------
    CannotExport
        It has too many weights, or products of more than three hashed names.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.exports.plan import read_plan
    >>> plan = read_plan(Perceptron().fit([[0.0], [1.0]], ["no", "yes"]))
    >>> write(plan, ExportOptions()).decode().splitlines()[-1]
    '}'
    """
    from rosenblatt.exports.code.numbered import check_size
    from rosenblatt.exports.code.sources import read_source, texts_in_js

    check_size(plan)
    constants, parts = _cells(plan)
    weights, more, part = _hashed(plan) if plan.hashing is not None else _terms(plan)
    constants |= more | {
        "WEIGHTS": _numbers(weights),
        "INTERCEPTS": _numbers(plan.intercepts.tolist()),
        "PROBABILITIES": _literal(plan.probabilities),
        "ZERO_IS_SECOND": _literal(plan.zero_is_second),
        "FOUR_PARTS": _literal(plan.sparse and len(plan.weights) == 1),
    }
    lines = [
        *_introduction(plan),
        "",
        f"export const classes = {_labels(plan.classes)};",
        *(f"const {name} = {text};" for name, text in constants.items()),
        "",
        *(read_source(f"js/{name}.js") for name in ("score", *parts, *part)),
        texts_in_js() if plan.hashing is not None and plan.hashing.texts else "",
        read_source("js/predict.js"),
    ]
    return "\n".join(lines).encode()


# --- literals ------------------------------------------------------------------------------------


def _literal(value: object) -> str:
    """Return a value of JSON in ASCII, which neither ends a script nor a line."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def _lines(entries: Iterable[str]) -> str:
    return "[\n" + "".join(f"  {entry},\n" for entry in entries) + "]"


def _numbers(numbers: list[float]) -> str:
    from rosenblatt.exports.code.sources import wrap_entries

    spelled = (
        int(x) if x.is_integer() and abs(x) < 2**53 and str(x) != "-0.0" else x for x in numbers
    )
    return "[\n" + wrap_entries(map(str, spelled)) + "\n]"


def _index(keys: Iterable[str]) -> str:
    """Return a Map of the place of each key."""
    from rosenblatt.exports.code.sources import wrap_entries

    return "new Map([\n" + wrap_entries(keys) + "\n].map((key, index) => [key, index]))"


def _labels(classes: tuple[Any, ...]) -> str:
    return _lines(map(_label, classes))


def _label(label: object) -> str:
    is_long = isinstance(label, int) and abs(label) > 2**53
    return f"{label}n" if is_long else _literal(label)


# --- parts of the module -------------------------------------------------------------------------


def _cells(plan: Plan) -> tuple[dict[str, str], list[str]]:
    """Return the constants and the sources of reading cells."""
    if plan.rows not in ("table", "objects"):
        return {}, []
    policy, spellings, numbers, means = plan.missing
    constants = {
        "POLICY": _literal(policy),
        "SPELLINGS": f"new Set({_literal(spellings)})",
        "MISSING_NUMBERS": f"new Set({_literal(numbers)})",
        "MEANS": f"new Map({_literal([*means.items()])})",
    }
    if plan.rows == "table":
        columns = _lines(map(_literal, map(list, plan.columns)))
        return constants | {"COLUMNS": columns}, ["cells", "table"]
    return constants | {"KINDS": f"new Map({_literal(_kinds(plan))})"}, ["cells", "objects"]


def _hashed(plan: Plan) -> tuple[list[float], dict[str, str], list[str]]:
    """Return the weights, the constants and the sources of hashed names and texts."""
    from rosenblatt.exports.code.numbered import ordered_products, used_columns

    assert plan.hashing is not None
    used = used_columns(plan)
    constants = {
        "BITS": _literal(plan.hashing.bits),
        "INTERACTIONS": _literal(ordered_products(plan.hashing)),
        "NGRAMS": _literal([list(spec) for spec in plan.hashing.texts]),
        "INDEX_OF": _index(map(str, used)),
    }
    parts = {"table": "hashed_table", "objects": "hashed_objects", "text": "text"}
    weights = plan.weights[:, used].T.ravel().tolist()
    return weights, constants, ["hashing", "names", parts[plan.rows]]


def _terms(plan: Plan) -> tuple[list[float], dict[str, str], list[str]]:
    """Return the weights, the constants and the sources of terms."""
    from rosenblatt.exports.code.numbered import numbered_terms

    weights = plan.weights.T.ravel().tolist()
    if plan.rows == "objects":
        names = _index(_literal(term.name) for term in plan.terms)
        return weights, {"INDEX_OF": names}, ["objects_terms"]
    constants = {"SPARSE": _literal(plan.sparse)}
    if plan.rows == "matrix":
        return weights, constants | {"WIDTH": str(plan.weights.shape[1])}, ["matrix"]
    values, terms = numbered_terms(plan)
    texts = map(_literal, _values(plan, values))
    constants["VALUES"] = _lines(f"new Map({text})" for text in texts)
    constants["TERMS"] = _lines(map(_literal, terms))
    return weights, constants, ["terms"]


def _values(plan: Plan, ordered: list[list[str]]) -> list[list[tuple[str, int]]]:
    """Return the words of each column and their codes, in the order of the training."""
    codes = [{value: code for code, value in enumerate(each)} for each in ordered]
    values: list[dict[str, int]] = [{} for _ in plan.columns]
    for factor in (factor for term in plan.terms for factor in term.factors):
        if isinstance(factor, Category):
            values[factor.column][factor.value] = codes[factor.column][factor.value]
    return [[*each.items()] for each in values]


def _kinds(plan: Plan) -> list[list[str]]:
    """Return the kinds of keys; those of the label, the weight and the id are skipped."""
    kinds = dict(plan.columns)
    others = sorted(plan.all_columns - kinds.keys())
    return [*map(list, kinds.items()), *([name, "skip"] for name in others)]


def _introduction(plan: Plan) -> Iterator[str]:
    yield f"// A linear classifier of rosenblatt {__version__}, as an ES module."
    yield "//"
    yield '//   import { classes, predict } from "./model.js";'
    yield f"//   predict({_example(plan)});"
    yield "//"
    yield '// Node takes .js where package.json has "type": "module"; else name the file .mjs.'
    several = (
        "scores, in the order of classes" if len(plan.classes) > 2 else "score, for classes[1]"
    )
    chances = ", probabilities, in the order of classes" if plan.probabilities else ""
    yield f"// It returns an object: label, {several}{chances}."
    if plan.rows == "table":
        yield "// A cell is a number, a text or a boolean. null, undefined, NaN and absent cells"
        yield "// are missing; columns that the model does not know are ignored."
        if plan.hashing is None:
            yield "// A number or a boolean as category is the one of its value: 1 is 1.0, too."
    if plan.rows == "objects":
        yield "// A whole number as category is spelled without a point, as JSON has it."


def _example(plan: Plan) -> str:
    if plan.rows == "text":
        return '"a text"'
    if plan.rows == "matrix":
        return f"[ {plan.weights.shape[1]} numbers ]"
    if plan.rows == "objects":
        return "{ an object like those of the training data }"
    kinds = {"number": "1.5", "category": '"a word"', "text": '"a text"'}
    shown = [f"{_literal(name)}: {kinds[kind]}" for name, kind in plan.columns[:4]]
    return "{ " + ", ".join(shown + ["..."] * (len(plan.columns) > 4)) + " }"


FORMAT = Format(
    name="js",
    suffix=".js",
    title="an ES module for browsers and Node, without dependency",
    limits="dates, more than 4,194,304 weights",
    write=write,
    rank=3,
)
