"""An ES module that scores raw rows, in a browser and in Node, without any other file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt import __version__
from rosenblatt.exports.format import ExportOptions, Format

if TYPE_CHECKING:
    from rosenblatt.exports.terms import Plan


def write(plan: Plan, options: ExportOptions) -> bytes:
    """Return the module: the model as constants, and the functions that score a row.

    Raises
    ------
    CannotExport
        It has too many weights, or interactions of three hashed names.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.exports.plan import read_plan
    >>> plan = read_plan(Perceptron().fit([[0.0], [1.0]], ["no", "yes"]))
    >>> write(plan, ExportOptions()).decode().splitlines()[-1]
    '}'
    """
    from rosenblatt.exports.code.numbered import check_size, numbered_terms, used_columns
    from rosenblatt.exports.code.sources import read_source, texts_in_js

    check_size(plan)
    hashing = plan.hashing
    constants: dict[str, str] = {
        "INTERCEPTS": _numbers(plan.intercepts.tolist()),
        "PROBABILITIES": _literal(plan.probabilities),
        "ZERO_IS_SECOND": _literal(plan.zero_is_second),
        "FOUR_PARTS": _literal(plan.sparse and len(plan.weights) == 1),
    }
    parts = ["score.js"]
    if plan.rows in ("table", "objects"):
        parts.append("cells.js")
        constants |= _of_missing(plan)
    if plan.rows == "table":
        parts.append("table.js")
        constants["COLUMNS"] = _lines(map(_literal, map(list, plan.columns)))
    if plan.rows == "objects":
        parts.append("objects.js")
        constants["KINDS"] = f"new Map({_literal(_kinds(plan))})"
    weights = plan.weights
    if hashing is not None:
        used = used_columns(plan)
        weights = weights[:, used]
        constants["BITS"] = _literal(hashing.bits)
        constants["INTERACTIONS"] = _literal(hashing.interactions)
        constants["NGRAMS"] = _literal([list(spec) for spec in hashing.texts])
        constants["INDEX_OF"] = _index(map(str, used))
        parts += ["hashing.js", "names.js"]
        parts.append({"table": "hashed_table.js", "text": "text.js"}.get(plan.rows, "hashed_objects.js"))
    elif plan.rows == "objects":
        constants["INDEX_OF"] = _index(_literal(term.name) for term in plan.terms)
        parts.append("objects_terms.js")
    else:
        constants["SPARSE"] = _literal(plan.sparse)
    if hashing is None and plan.rows == "matrix":
        constants["WIDTH"] = str(plan.weights.shape[1])
        parts.append("matrix.js")
    if hashing is None and plan.rows == "table":
        values, terms = numbered_terms(plan)
        texts = [f"new Map({_literal([[v, i] for i, v in enumerate(each)])})" for each in values]
        constants["VALUES"] = _lines(texts)
        constants["TERMS"] = _lines(map(_literal, terms))
        parts.append("terms.js")
    constants["WEIGHTS"] = _numbers(weights.T.ravel().tolist())
    lines = [
        *_introduction(plan),
        "",
        f"export const classes = {_labels(plan.classes)};",
        *(f"const {name} = {text};" for name, text in constants.items()),
        "",
        *(read_source(part) for part in parts),
    ]
    if hashing is not None and hashing.texts:
        lines.append(texts_in_js())
    return "\n".join([*lines, read_source("predict.js")]).encode()


# --- literals ------------------------------------------------------------------------------------


def _literal(value: Any) -> str:
    """Return a value of JSON in ASCII, which neither ends a script nor a line."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def _lines(entries: Iterable[str]) -> str:
    return "[\n" + "".join(f"  {entry},\n" for entry in entries) + "]"


def _numbers(numbers: list[float]) -> str:
    from rosenblatt.exports.code.sources import wrap_entries

    whole = (int(x) if x.is_integer() and abs(x) < 2**53 and str(x) != "-0.0" else x for x in numbers)
    return "[\n" + wrap_entries(map(str, whole)) + "\n]"


def _index(keys: Iterable[str]) -> str:
    """Return a Map of the place of each key."""
    from rosenblatt.exports.code.sources import wrap_entries

    return "new Map([\n" + wrap_entries(keys) + "\n].map((key, index) => [key, index]))"


def _labels(classes: tuple[Any, ...]) -> str:
    return _lines(map(_label, classes))


def _label(label: Any) -> str:
    is_long = isinstance(label, int) and abs(label) > 2**53
    return f"{label}n" if is_long else _literal(label)


# --- parts of the module -------------------------------------------------------------------------


def _of_missing(plan: Plan) -> dict[str, str]:
    policy, spellings, numbers, means = plan.missing
    return {
        "POLICY": _literal(policy),
        "SPELLINGS": f"new Set({_literal(spellings)})",
        "MISSING_NUMBERS": f"new Set({_literal(numbers)})",
        "MEANS": f"new Map({_literal([*means.items()])})",
    }


def _kinds(plan: Plan) -> list[list[str]]:
    """Return the kinds of keys; those of the label, the weight and the id are skipped."""
    kinds = dict(plan.columns)
    others = sorted(plan.all_columns - kinds.keys())
    return [*map(list, kinds.items()), *([name, "skip"] for name in others)]


def _introduction(plan: Plan) -> Iterator[str]:
    yield f"// A linear classifier of rosenblatt {__version__} as an ES module, for browsers and Node."
    yield "//"
    yield '//   import { classes, predict } from "./model.js";'
    yield f"//   predict({_example(plan)});"
    yield "//"
    several = "scores, in the order of classes" if len(plan.classes) > 2 else "score, for classes[1]"
    chances = ", probabilities, in the order of classes" if plan.probabilities else ""
    yield f"// It returns an object: label, {several}{chances}."
    if plan.rows == "table":
        yield "// A cell is a number, a text or a boolean. null, undefined, NaN and absent cells are"
        yield "// missing; columns that the model does not know are ignored."


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
    limits="more than 4,194,304 weights",
    write=write,
    rank=3,
)
