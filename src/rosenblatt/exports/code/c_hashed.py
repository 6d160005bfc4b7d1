"""The parts of a C99 file for hashed names and texts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rosenblatt.exports.code.c_text import word
from rosenblatt.exports.code.numbered import ordered_products
from rosenblatt.exports.code.sources import array_in_c, read_source, texts_in_c
from rosenblatt.exports.terms import CannotExport, Column, Hashing, Plan
from rosenblatt.streams.features.schema import in_group

_MOST_PRODUCTS = 1 << 22


def scratch(plan: Plan) -> str:
    """Return the declaration of the memory that a prediction works in."""
    hashing = _hashing(plan)
    features, pairs = _most_entries(plan)
    texts = 1 if plan.rows == "text" else len(plan.texts)
    sizes = [_most_ngrams(*spec) for spec in hashing.texts] if texts else []
    parts = [str(features + pairs), *(f"{texts} * {size}" for size in sizes)]
    lines = [
        "struct model_entry {",
        "  uint64_t key; /* the column, and below it the place in the row */",
        "  double value;",
        "};\n",
        "struct model_feature {",
        "  uint32_t hash;",
        "  int group;",
        "  double value;",
        "};\n",
        "struct model_scratch {",
        "  size_t count, used, feature_count;",
        f"  struct model_feature features[{max(1, features)}];",
        f"  struct model_entry entries[{' + '.join(parts)}];",
        *(
            ["  uint32_t letters[MODEL_MAX_LETTERS + 2], lowered[MODEL_MAX_LETTERS];"]
            if texts
            else []
        ),
        "};\n",
    ]
    return (read_source("c/scratch.c") + "\n" if texts else "") + "\n".join(lines)


def _hashing(plan: Plan) -> Hashing:
    assert plan.hashing is not None
    return plan.hashing


def _most_ngrams(kind: str, least: int, largest: int) -> str:
    """Return the most n-grams of a text of MODEL_MAX_LETTERS letters.

    A word has two letters at least and something before the next; a word of one letter with its
    blanks has three.
    """
    sizes = largest - least + 1
    counts = {
        "word": f"{sizes} * (MODEL_MAX_LETTERS / 3 + 1)",
        "char": f"{sizes} * MODEL_MAX_LETTERS",
        "char_wb": f"{sizes} * (2 * MODEL_MAX_LETTERS + 2)",
    }
    return f"({counts[kind]})"


def _most_entries(plan: Plan) -> tuple[int, int]:
    """Return the most features of a row, and the most products of them."""
    features = [column for column in plan.columns if column.kind != "text"]
    products = 0
    for groups in ordered_products(_hashing(plan)):
        sizes = [sum(_may_be_in(column, group) for column in features) for group in groups]
        products += math.prod(sizes)
    if products > _MOST_PRODUCTS:
        raise CannotExport(
            f"a row may have {products:,} products of hashed names, and C reserves memory for all "
            f"of them: at most {_MOST_PRODUCTS:,}. Export it to JavaScript or JSON."
        )
    return len(features), products


def _may_be_in(column: Column, group: str) -> bool:
    """Return whether a feature of a column may be of a group."""
    begins = (f"{column.name}=", f"{column.name} is missing")
    return in_group(column.name, group) or group.startswith(begins)


def hashed_parts(plan: Plan, fields: list[str], used: list[int]) -> Iterator[str]:
    """Yield constants and functions: of hashing, of names, of texts, and the prediction."""
    hashing = _hashing(plan)
    has_texts = plan.rows == "text" or bool(plan.texts)
    yield array_in_c("uint32_t", "USED", map(str, used))
    yield f"enum {{ BITS = {hashing.bits}, HAS_TEXTS = {int(bool(plan.texts))} }};\n"
    yield read_source("c/hashing.c")
    if len(plan.texts) < len(plan.columns):
        yield read_source("c/names.c").replace("@GROUPS@", _groups(hashing))
    if has_texts:
        yield texts_in_c(hashing.texts)
    yield read_source("c/hashed_sum.c")
    if plan.rows == "text":
        yield read_source("c/text.c")
    else:
        lines = [*_features(plan, fields), *_text_lines(plan, fields)]
        yield read_source("c/hashed_table.c").replace("@FEATURES@", "\n".join(lines))


def _groups(hashing: Hashing) -> str:
    products = ordered_products(hashing)
    groups = [*dict.fromkeys(group for product in products for group in product)]
    indices = [[*map(groups.index, product), -1][:3] for product in products]
    rows = [f"{{{', '.join(map(str, three))}}}" for three in indices]
    return "\n".join(
        [
            array_in_c("struct word", "GROUPS", map(word, groups or [""])),
            array_in_c("int", "PRODUCTS", rows or ["{0, 0, -1}"], "3"),
            f"enum {{ GROUP_COUNT = {len(groups)}, PRODUCT_COUNT = {len(products)} }};",
        ]
    )


def _features(plan: Plan, fields: list[str]) -> Iterator[str]:
    """Yield the lines that add the features of the cells, in the order of the library."""
    policy, nothing = plan.missing.policy, '(struct word){"", 0}'
    has_indicators = policy == "indicator"
    columns = [*zip(plan.columns, fields, strict=True)]
    for (name, kind), field in columns:
        if kind != "number":
            continue
        cell, missing = f"row->{field}", f"is_missing_number(row->{field})"
        fault = f"{cell} - {cell} != 0.0 && !{missing}"
        if policy is None:
            fault = f"{cell} - {cell} != 0.0 || {missing}"
        yield f"  if ({fault}) return MODEL_BAD_NUMBER;"
        filled = f"{missing} ? {plan.missing.means.get(name, 0.0)!r} : {cell}"
        yield f"  if (({filled}) != 0.0)"
        yield f"    add_feature(scratch, (struct word){word(name)}, {nothing}, {filled});"
    for (name, kind), field in columns:
        if kind == "category":
            yield f"  if (!is_missing_word(row->{field}))"
            prefix = f"(struct word){word(f'{name}=')}"
            yield f"    add_feature(scratch, {prefix}, word_of(row->{field}), 1.0);"
            if has_indicators:
                yield "  else"
                indicator = f"(struct word){word(f'{name} is missing')}"
                yield f"    add_feature(scratch, {indicator}, {nothing}, 1.0);"
    for (name, kind), field in columns:
        if kind == "number" and has_indicators:
            yield f"  if (is_missing_number(row->{field}))"
            indicator = f"(struct word){word(f'{name} is missing')}"
            yield f"    add_feature(scratch, {indicator}, {nothing}, 1.0);"
    if len(plan.texts) < len(plan.columns):
        yield "  if (!add_features(scratch)) return MODEL_BAD_NUMBER;"


def _text_lines(plan: Plan, fields: list[str]) -> Iterator[str]:
    """Yield the lines that add the n-grams of the texts."""
    if not plan.texts:
        return
    yield "  int fault;"
    yield "  struct word text;"
    for (_, kind), field in zip(plan.columns, fields, strict=True):
        if kind == "text":
            yield f"  if (!is_missing_word(row->{field})) {{"
            yield f"    text = word_of(row->{field});"
            yield "    fault = add_text(scratch, text.bytes, text.length);"
            yield "    if (fault != MODEL_OK) return fault;"
            yield "  }"
