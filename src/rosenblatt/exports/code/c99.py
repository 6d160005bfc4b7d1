"""The parts of a C99 file that scores rows: declarations, constants, and functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rosenblatt import __version__
from rosenblatt.exports.code.c_hashed import hashed_parts, scratch
from rosenblatt.exports.code.c_text import comment, field_names, literal, word
from rosenblatt.exports.code.numbered import (
    IS_MISSING,
    IS_NUMBER,
    check_size,
    numbered_terms,
    used_columns,
)
from rosenblatt.exports.code.sources import array_in_c, read_source
from rosenblatt.exports.terms import CannotExport, Plan

_MOST_COLUMNS = 1 << 16  # of 16 bytes each on the stack


def source_of(plan: Plan) -> str:
    """Return the file of a plan.

    Raises
    ------
    CannotExport
        C cannot express it.
    """
    check_size(plan)
    if plan.rows == "objects":
        raise CannotExport(
            "rows of JSON lines are objects of any keys, which no struct of C has: export it to "
            "JavaScript or JSON, or train it on a table."
        )
    if len(plan.columns) > _MOST_COLUMNS:
        raise CannotExport(
            f"it has {len(plan.columns):,} columns, and C has the cells of a row on its stack: at "
            f"most {_MOST_COLUMNS:,}."
        )
    for label in plan.classes:
        if "\0" in str(label):
            raise CannotExport(f"a text of C ends at the NUL in its label {label!r}.")
    fields = field_names(column.name for column in plan.columns)
    return "\n".join([*_introduction(plan), _declarations(plan, fields), *_parts(plan, fields)])


def _introduction(plan: Plan) -> Iterator[str]:
    yield f"/* A linear classifier of rosenblatt {__version__} in C99, without allocation."
    yield " *"
    yield " * Compile this file by itself, and declare its functions in other files by"
    yield " *"
    yield " *   #define MODEL_DECLARATIONS"
    yield ' *   #include "model.c"'
    yield " *"
    yield f" * model_predict({_arguments(plan)}) writes the scores, and returns the index of"
    yield " * the label in model_classes, or a negative number for what is no row. Texts are UTF-8."
    if len(plan.classes) == 2:
        yield " * The score is that of model_classes[1]."
    if plan.probabilities is not None:
        yield " * model_probabilities(scores, probabilities) writes one a class (link with -lm)."
    if plan.rows == "table":
        yield " * A number that is NaN, and a text that is NULL, are missing."
    if plan.hashing is not None:
        yield " * The scratch is memory of the caller's, such as a static one; what it holds before"
        yield " * does not matter. Each thread has its own."
    yield " * The scores have the bits of the library's, unless -ffast-math is given. */"
    yield ""


def _arguments(plan: Plan) -> str:
    first = {"table": "&row", "matrix": "row", "text": "text"}[plan.rows]
    return ", ".join([first, *(["&scratch"] if plan.hashing is not None else []), "scores"])


def _declarations(plan: Plan, fields: list[str]) -> str:
    counts = {"MODEL_CLASSES": len(plan.classes), "MODEL_SCORES": len(plan.weights)}
    first, structs = "const char *text", ""
    if plan.rows == "matrix":
        counts["MODEL_NUMBERS"] = plan.weights.shape[1]
        first = "const double row[MODEL_NUMBERS]"
    if plan.rows == "table":
        first, structs = "const struct model_row *row", _struct(plan, fields)
    faults = [
        "  MODEL_OK = 0",
        "  MODEL_BAD_NUMBER = -1 /* it is infinite, or missing and must not be */",
    ]
    scores = "double scores[MODEL_SCORES]"
    arguments = [first, scores]
    if plan.hashing is not None:
        structs += scratch(plan)
        arguments.insert(1, "struct model_scratch *scratch")
        faults[1] = faults[1].replace(" /*", ", /*")
        faults += ["  MODEL_NOT_UTF8 = -2,", "  MODEL_TEXT_TOO_LONG = -3"]
    faults[0] += ","
    prototypes = [f"int model_predict({', '.join(arguments)});"]
    if plan.probabilities is not None:
        prototypes.append(
            "void model_probabilities(const double scores[MODEL_SCORES], "
            "double probabilities[MODEL_CLASSES]);"
        )
    includes = ["<string.h>"] if _has_words(plan) or plan.hashing is not None else []
    includes += ["<math.h>"] if plan.probabilities is not None else []
    filled = {
        "CONSTANTS": f"enum {{ {', '.join(f'{name} = {n}' for name, n in counts.items())} }};",
        "FAULTS": "\n".join(faults),
        "STRUCTS": structs,
        "PROTOTYPES": "\n".join(prototypes),
        "INCLUDES": "\n".join(f"#include {name}" for name in includes),
    }
    return fill("c/declarations.c", filled)


def fill(name: str, texts: dict[str, str]) -> str:
    """Return a source with its marks replaced."""
    source = read_source(name)
    for mark, text in texts.items():
        source = source.replace(f"@{mark}@", text)
    return source


def _has_words(plan: Plan) -> bool:
    return any(column.kind != "number" for column in plan.columns)


def _struct(plan: Plan, fields: list[str]) -> str:
    types = {"number": "double ", "category": "const char *", "text": "const char *"}
    lines = [
        f"  {types[kind]}{field}; /* {comment(name)} */"
        for (name, kind), field in zip(plan.columns, fields, strict=True)
    ]
    return "\n".join(["struct model_row {", *lines, "};\n"])


# --- constants and functions ---------------------------------------------------------------------


def _parts(plan: Plan, fields: list[str]) -> Iterator[str]:
    labels = array_in_c("char *const", "model_classes", map(literal, map(str, plan.classes)))
    yield labels.removeprefix("static ")
    yield _numbers("INTERCEPTS", plan.intercepts.tolist())
    used = None if plan.hashing is None else (used_columns(plan) or [0])
    weights = plan.weights if used is None else plan.weights[:, used]
    yield _numbers("WEIGHTS", weights.T.ravel().tolist())
    yield f"enum {{ ZERO_IS_SECOND = {int(plan.zero_is_second)}, SPARSE = {int(plan.sparse)} }};\n"
    is_in_four = plan.sparse and len(plan.weights) == 1
    yield read_source("c/sum_in_four.c" if is_in_four else "c/sum_in_order.c")
    yield read_source("c/label.c")
    if plan.probabilities is not None:
        yield _probabilities(plan.probabilities)
    if plan.rows == "matrix":
        yield read_source("c/matrix.c")
    else:
        if plan.rows == "table":
            yield read_source("c/words.c")
        if _has_words(plan):
            spellings = map(word, sorted(plan.missing.spellings, key=str.encode))
            yield array_in_c("struct word", "SPELLINGS", spellings)
            yield read_source("c/word_search.c")
        if any(column.kind == "number" for column in plan.columns):
            yield _missing_number(plan)
        if used is not None:
            yield from hashed_parts(plan, fields, used)
        else:
            yield from _term_parts(plan, fields)
    yield "#endif /* MODEL_DECLARATIONS */\n"


def _numbers(name: str, numbers: Iterable[float]) -> str:
    return array_in_c("double", name, map(repr, numbers))


def _missing_number(plan: Plan) -> str:
    cases = "".join(f" || number == {number!r}" for number in plan.missing.numbers)
    return f"static int is_missing_number(double number) {{ return number != number{cases}; }}\n"


def _probabilities(kind: str) -> str:
    expit = (
        "static double log_expit(double x) {\n"
        "  return (x < 0.0 ? x : 0.0) - log1p(exp(x < 0.0 ? x : -x));\n}\n"
    )
    if kind == "logistic":
        body = (
            "  probabilities[0] = exp(log_expit(-scores[0]));\n"
            "  probabilities[1] = exp(log_expit(scores[0]));"
        )
        return fill("c/probabilities.c", {"LOG_EXPIT": expit, "BODY": body})
    log = "scores[k]" if kind == "softmax" else "log_expit(scores[k])"
    lines = [
        "  double largest = -HUGE_VAL, total = 0.0;",
        f"  for (int k = 0; k < MODEL_CLASSES; ++k) probabilities[k] = {log};",
        "  for (int k = 0; k < MODEL_CLASSES; ++k)",
        "    if (probabilities[k] > largest) largest = probabilities[k];",
        "  for (int k = 0; k < MODEL_CLASSES; ++k)",
        "    total += probabilities[k] = exp(probabilities[k] - largest);",
        "  for (int k = 0; k < MODEL_CLASSES; ++k) probabilities[k] /= total;",
    ]
    expit = "" if kind == "softmax" else expit
    return fill("c/probabilities.c", {"LOG_EXPIT": expit, "BODY": "\n".join(lines)})


def _term_parts(plan: Plan, fields: list[str]) -> Iterator[str]:
    values, terms = numbered_terms(plan)
    cells = []
    for j, ((name, kind), field) in enumerate(zip(plan.columns, fields, strict=True)):
        if kind == "number":
            cells.append(_number_cell(plan, j, name, field))
            continue
        code = "-1"
        if values[j]:
            yield array_in_c("struct word", f"VALUES_{j}", map(word, values[j]))
            code = f"index_of(VALUES_{j}, {len(values[j])}, word_of(row->{field}))"
        cells.append(
            f"  cells[{j}].number = 0.0;\n"
            f"  cells[{j}].code = is_missing_word(row->{field}) ? {IS_MISSING} : {code};"
        )
    starts, factors = [0], []
    for term in terms:
        factors += [f"{{{a}, {b}}}" for a, b in zip(term[::2], term[1::2], strict=True)]
        starts.append(len(factors))
    counts = f"COLUMNS = {len(plan.columns)}, TERM_COUNT = {len(terms)}, IS_NUMBER = {IS_NUMBER}"
    yield f"enum {{ {counts} }};\n"
    arrays = [
        array_in_c("long", "FACTORS", factors, "2"),
        array_in_c("unsigned long", "TERM_STARTS", map(str, starts)),
    ]
    yield fill("c/terms.c", {"CELLS": "\n".join(cells), "TERMS": "\n".join(arrays)})


def _number_cell(plan: Plan, j: int, name: str, field: str) -> str:
    policy, fill_in = plan.missing.policy, plan.missing.means.get(name, 0.0)
    missing = f"is_missing_number(row->{field})"
    lines = [f"  if (row->{field} - row->{field} != 0.0 && !{missing}) return 0;"]
    if policy is None:
        lines = [f"  if (row->{field} - row->{field} != 0.0 || {missing}) return 0;"]
    lines.append(f"  cells[{j}].number = {missing} ? {fill_in!r} : row->{field};")
    lines.append(f"  cells[{j}].code = {missing} ? {IS_MISSING} : {IS_NUMBER};")
    return "\n".join(lines)
