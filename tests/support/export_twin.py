"""Scores of raw rows from an exported JSON file alone: nothing of the library is used."""

import itertools
import math
import re
import unicodedata
from functools import cache

MAX_LETTERS = 1 << 19
TRUTHS = {"True": 1, "true": 1, "TRUE": 1, "False": 0, "false": 0, "FALSE": 0}


def predict(model, row):
    """Return the label, the scores of the weight vectors, and the probabilities or None."""
    entries = _entries(model, row)
    scores = [
        _sum(model, [w[k] * x for w, x in entries]) + b for k, b in enumerate(model["intercepts"])
    ]
    classes = model["classes"]
    if len(classes) == 2:
        (score,) = scores
        second = score >= 0 if model["zero_is_second"] else score > 0
        label = classes[second]
    else:
        label = classes[scores.index(max(scores))]
    return label, scores, _probabilities(model, scores)


def _sum(model, terms):
    """The sum in the library's order: see ``rosenblatt.exports.terms``."""
    if not model["sparse"] or len(model["intercepts"]) > 1:
        return _in_order(terms)
    whole = len(terms) - len(terms) % 4
    parts = [[terms[p] for p in range(i, whole, 4)] for i in range(4)]
    a, b, c, d = (_in_order(part) for part in (parts[0] + terms[whole:], *parts[1:]))
    return (a + b) + (c + d)


def _in_order(terms):
    total = 0.0
    for term in terms:
        total += term
    return total


def _probabilities(model, scores):
    kind = model["probabilities"]
    if kind is None:
        return None
    if kind == "logistic":
        return [math.exp(_log_expit(-scores[0])), math.exp(_log_expit(scores[0]))]
    logs = scores if kind == "softmax" else [_log_expit(s) for s in scores]
    shares = [math.exp(x - max(logs)) for x in logs]
    return [share / sum(shares) for share in shares]


def _log_expit(x):
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


# --- rows ----------------------------------------------------------------------------------------


def _entries(model, row):
    """The terms of a row: their weights and values, in the order of their columns."""
    if model["hashing"] is not None:
        return _hashed(model, row)
    terms = model["terms"]
    if model["rows"] == "objects":
        features = dict(_flat_features(model, row))
        return [(t["weights"], features[t["name"]]) for t in terms if t["name"] in features]
    cells = None if model["rows"] == "matrix" else _cells(model, row)
    entries = []
    for term in terms:
        factors = [_value(model, row, cells, factor) for factor in term["factors"]]
        if not model["sparse"] or all(factors):
            entries.append((term["weights"], math.prod(factors)))
    return entries


def _value(model, row, cells, factor):
    if "position" in factor:
        return float(row[factor["position"]])
    cell = cells[factor["column"]]
    if "value" in factor:
        return float(cell == factor["value"])
    if "missing" in factor:
        return float(cell is None)
    if cell is not None:
        return cell
    missing = model["missing"]
    assert missing["policy"] is not None, f"{factor['column']} is missing"
    return missing["means"].get(factor["column"], 0.0)


def _cells(model, row):
    """The cells of a table by column: a float, a word, or None where it is missing."""
    cells = {}
    for column in model["columns"]:
        name, kind = column["name"], column["kind"]
        cell = row[name].strip(" \t") if isinstance(row[name], str) else row[name]
        if cell is None or cell in model["missing"]["spellings"]:
            cells[name] = None
        elif kind == "number":
            number = float(TRUTHS.get(cell, cell))
            cells[name] = None if number in model["missing"]["numbers"] else number
        else:
            cells[name] = str(cell)
    return cells


# --- hashed names --------------------------------------------------------------------------------


def _hashed(model, row):
    hashing, names, texts = model["hashing"], [], [row]
    if model["rows"] == "table":
        names, texts = _table_names(model, _cells(model, row))
    elif model["rows"] == "objects":
        names, texts = _flat_features(model, row), _flat_texts(model, row)
    mask = (1 << hashing["bits"]) - 1
    hashes = [(murmur3(name.encode()), name, x) for name, x in names]
    totals = {}
    for h, x in [(h, x) for h, _, x in hashes] + _products(hashing["interactions"], hashes):
        column = abs(h) & mask
        totals[column] = totals.get(column, 0.0) + (x if h >= 0 else -x)
    for text in texts:
        for ngrams in hashing["texts"]:
            columns = {
                abs(murmur3(n.encode())) & 0x7FFFFFFF & mask for n in _ngrams(text, **ngrams)
            }
            for column in columns:
                totals[column] = totals.get(column, 0.0) + 1.0
    if texts:
        totals = {column: x for column, x in totals.items() if x}
    if "by_column" not in hashing:  # once for all rows
        hashing["by_column"] = {column: row for column, *row in hashing["weights"]}
    weights = hashing["by_column"]
    zeros = [0.0] * len(model["intercepts"])
    return [(weights.get(column, zeros), totals[column]) for column in sorted(totals)]


def _table_names(model, cells):
    """The names of a table's features with their values, and its texts."""
    missing, names, indicators, texts = model["missing"], [], [], []
    of_kind = {"number": [], "category": [], "text": []}
    for column in model["columns"]:
        of_kind[column["kind"]].append(column["name"])
    for name in of_kind["number"]:
        value = missing["means"].get(name, 0.0) if cells[name] is None else cells[name]
        names += [(name, value)] if value else []
        indicators += [f"{name} is missing"] if cells[name] is None else []
    for name in of_kind["category"]:
        if cells[name] is not None:
            names.append((f"{name}={cells[name]}", 1.0))
        elif missing["policy"] == "indicator":
            names.append((f"{name} is missing", 1.0))
    if missing["policy"] == "indicator":
        names += [(name, 1.0) for name in indicators]
    texts = [cells[name] or "" for name in of_kind["text"]]
    return names, texts


def _products(interactions, hashes):
    """The products of two or three features: all pairs come before those of three."""
    products = []
    for interaction in sorted(interactions, key=len):
        groups = sorted(interaction, key=interaction.index)
        members = [
            [i for i, (_, name, _) in enumerate(hashes) if _in_group(name, one)] for one in groups
        ]
        for chosen in itertools.product(*members):
            runs = [
                [i for i, group in zip(chosen, groups, strict=True) if group == one]
                for one in dict.fromkeys(groups)
            ]
            if any(run != sorted(run) for run in runs):
                continue  # another order of the same product
            mixed = 0
            for h in (h for run in runs for h in sorted(hashes[i][0] for i in run)):
                mixed = (mixed * 16777619 & 0xFFFFFFFF) ^ (h & 0xFFFFFFFF)
            value = math.prod(hashes[i][2] for i in chosen)
            if value:
                products.append((_signed(mixed), value))
    return products


def _in_group(name, group):
    return name == group or name.startswith((f"{group}=", f"{group}."))


@cache
def murmur3(data):
    """MurmurHash3_x86_32 with seed 0, signed."""
    h = 0
    for start in range(0, len(data), 4):
        block = data[start : start + 4]
        k = int.from_bytes(block, "little") * 0xCC9E2D51 & 0xFFFFFFFF
        k = ((k << 15 | k >> 17) & 0xFFFFFFFF) * 0x1B873593 & 0xFFFFFFFF
        h ^= k
        if len(block) == 4:
            h = ((h << 13 | h >> 19) & 0xFFFFFFFF) * 5 + 0xE6546B64 & 0xFFFFFFFF
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return _signed(h ^ h >> 16)


def _signed(h):
    return h - (1 << 32) if h >> 31 else h


def _ngrams(text, kind, least, largest):
    text = text[:MAX_LETTERS].encode(errors="replace").decode()
    text = unicodedata.normalize("NFKC", text).lower()[:MAX_LETTERS]
    sizes = range(least, largest + 1)
    if kind == "word":
        words = re.findall(r"\b\w\w+\b", text)
        return [" ".join(words[i : i + n]) for n in sizes for i in range(len(words) - n + 1)]
    if kind == "char":
        text = re.sub(r"\s\s+", " ", text)
        return [text[i : i + n] for n in sizes for i in range(len(text) - n + 1)]
    ngrams = []
    for word in text.split():
        padded = f" {word} "
        for n in sizes:
            ngrams += [padded[i : i + n] for i in range(max(1, len(padded) - n + 1))]
            if n >= len(padded):
                break
    return ngrams


# --- objects -------------------------------------------------------------------------------------


def _flat_features(model, row):
    """The features of an object, with the values that fill in missing numbers."""
    missing, features = model["missing"], []
    for name, value, _ in _flat(model, "", row):
        if value is None or value in missing["numbers"]:
            if missing["policy"] == "indicator":
                features.append((f"{name} is missing", 1.0))
            elif missing["policy"] == "mean" and name in missing["means"]:
                features.append((name, missing["means"][name]))
        else:
            features.append((name, float(value)))
    return features


def _flat(model, path, value):
    kinds = {column["name"]: column["kind"] for column in model["columns"]}
    spellings = model["missing"]["spellings"] if model["missing"]["policy"] else []
    kind = kinds.get(path, kinds.get("*"))
    if isinstance(value, dict) and kinds.get(path) != "skip":
        for key, inner in value.items():
            yield from _flat(model, f"{path}.{key}" if path else key, inner)
    elif kind in ("skip", "text"):
        return
    elif isinstance(value, list):
        words = [inner for inner in value if isinstance(inner, str)]
        for word in dict.fromkeys(words):
            yield f"{path}={word}", float(words.count(word)), False
        for k, inner in enumerate(value):
            if not isinstance(inner, str):
                yield from _flat(model, f"{path}.{k}", inner)
    elif value is None or (isinstance(value, str) and value.strip() in spellings):
        if model["missing"]["policy"]:
            yield path, None, True
    elif kind == "category" or (isinstance(value, str) and kind != "number"):
        yield f"{path}={value}", 1.0, False
    else:
        yield path, float(value), True


def _flat_texts(model, row):
    texts = []
    for column in model["columns"]:
        if column["kind"] == "text":
            value = row
            for key in column["name"].split("."):
                value = value.get(key) or ""
            texts.append("\n".join(value) if isinstance(value, list) else value)
    return texts
