"""Runs of the parsers, of hashing and of streams for :mod:`digests`, with all their errors."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from digest_data import integers, named_rows

from rosenblatt.engine.text import categories, delimited, svmlight, vowpal_wabbit
from rosenblatt.engine.text.hashing import (
    RowError,
    SparseRows,
    add_pairs,
    encode_interactions,
    insert_hashes,
    murmur3_many,
    new_hashes,
    sort_and_sum,
)
from rosenblatt.engine.text.scanning import TextError, complete_records
from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.hashed_names import HashedNames

Parts = tuple[str, Callable[[], Any], tuple[str, ...]]

NUMBERS = (
    *("0", "1", "-1", "+1", "2.5", ".5", "5.", "-0.0", "1e3", "1E-3", "17", "0.25", "-3.75e2"),
    *("1e308", "1e-400", "4.9e-324", "9007199254740993", "0.30000000000000004", "1" * 25),
    *("123456789.123456789123456789", "6929495644600919.5", "2.2250738585072011e-308"),
    *("0.1000000000000000055511151231257827021181583404541015625", "00012", "1e22", "8.5e22"),
    *("1234567890123456789", "12345678901234567890", "0.000001", "314159265358979e-14"),
)
WRONG = (
    *("nan", "inf", "-Infinity", "1e999", "1e", "0x10", "1_0", "١", "--1", "1.2.3", ".", "e5"),
    *("1:", ":1", "1:1:1", "2147483647:1", "-1:1", "qid:3", "qid:", "#", "|", "|a:", "a:1e308"),
    *("|b:1e9", "'tag", '"', ",", "", "1,5", "?", "NA", "x" * 70, "\x0b", "\x85", "1;2", "3:x"),
)
SPACES = (" ", " ", " ", "\t", "  ")
ENDS = ("\n", "\n", "\n", "\r\n", "\n\n")
NAMES = ("a", "bc", "wort", "a longer name".replace(" ", "_"), "é", "naïve", "x" * 30, "7", "q-1")
BYTES = b" \t:#+-.eE0159|'^\"{}[],\\naqif\r\n\0\x1c\x7f\x80\xc3\xa9\xff"


class Choices:
    """Choices by the integers of a generator."""

    def __init__(self, seed: int) -> None:
        self._numbers = iter(integers(seed, (20_000,), 1 << 30).tolist())

    def below(self, n: int) -> int:
        """Return a number below n."""
        return next(self._numbers) % n

    def of(self, items: Any) -> Any:
        """Return one of the items."""
        return items[self.below(len(items))]


# --- texts ---------------------------------------------------------------------------------------


def _svmlight(c: Choices) -> str:
    first = 0
    line = c.of(NUMBERS) + ("" if c.below(9) else f"{c.of(SPACES)}qid:{c.below(99)}")
    for _ in range(c.below(7)):
        first = c.below(60) if c.below(12) == 0 else first + 1 + c.below(9)
        line += f"{c.of(SPACES)}{first}:{c.of(NUMBERS)}"
    return line + ("" if c.below(8) else " # ein Kommentar: é")


def _vw(c: Choices) -> str:
    head = [c.of(NUMBERS), *(["0.5", "2"][c.below(2)] for _ in range(c.below(2)))]
    line = " ".join(head) + (" 'tag " if c.below(4) == 0 else " ")
    for _ in range(1 + c.below(3)):
        space = c.of(("", "a", "bc", "ns:0.5", "é:2"))
        line += (
            f"|{space}"
            + "".join(
                f"{c.of(SPACES)}{c.of(NAMES)}{c.below(9)}"
                + ("" if c.below(3) else ":" + c.of(NUMBERS))
                for _ in range(c.below(6))
            )
            + " "
        )
    return line


def _record(c: Choices) -> str:
    words = ('"oak, old"', "elm", '"a ""quote"""', "", " ash ", "é", '"two\nlines"')
    cells = [c.of(NUMBERS), c.of(words), f" {c.of(NUMBERS)} ", c.of(words), '"1.5"']
    return ",".join(cells)


def _text(c: Choices, line: Callable[[Choices], str], faults: bool) -> bytes:
    """Return lines; with faults, some tokens are wrong, or some bytes."""
    text = "".join(line(c) + c.of(ENDS) for _ in range(1 + c.below(12)))
    if faults and c.below(2):
        at = c.below(len(text))
        text = text[:at] + c.of(WRONG) + text[at + c.below(4) :]
    raw = bytearray(text.encode())
    if faults:
        for _ in range(c.below(3)):
            raw[c.below(len(raw))] = c.of(BYTES)
    return bytes(raw if c.below(3) else raw.rstrip())


def caught(compute: Callable[[], Any]) -> Any:
    """Return the result, or the error with its place."""
    try:
        return compute()
    except TextError as error:
        return "error", error.line, error.column, error.message, error.lines
    except RowError as error:
        return "row", error.row, error.reason
    except (DataError, ValueError) as error:
        return type(error).__name__, str(error)


# --- parsers -------------------------------------------------------------------------------------


def _svmlight_run(seed: int, faults: bool, **options: Any) -> Any:
    c = Choices(seed)
    texts = [_text(c, _svmlight, faults) for _ in range(25)]
    if options.get("labelled") is False:
        texts = [b"\n".join(line.partition(b" ")[2] for line in t.split(b"\n")) for t in texts]
    return [caught(partial(svmlight.parse, text, 3, **options)) for text in texts]


def _vw_run(seed: int, faults: bool, crossed: tuple[str, ...], names: bool, **options: Any) -> Any:
    c, found = Choices(seed), []
    for _ in range(20):
        text, bits = _text(c, _vw, faults), 1 + c.below(20)
        table = np.zeros(2 << bits, np.int32) if names else None
        pairs = encode_interactions(crossed)
        parse = partial(vowpal_wabbit.parse, text, bits, interactions=pairs, table=table, **options)
        found.append(caught(parse))
        if names and not isinstance(found[-1][0], str):
            for fresh in found[-1].new_hashes:
                insert_hashes(table, bits, fresh.hashes, np.zeros(len(fresh.hashes), np.bool_))
            found.append(caught(parse).new_hashes)
    return found


def _delimited_run(seed: int, faults: bool, kind: str) -> Any:
    c, found = Choices(seed), []
    names, numbers, words = ["x", "kind", "z", "label", "q"], ["z", "x"], ["kind", "label"]
    marks: dict[str, Any] = {"missing": ("NA", "?", "")} if kind == "missing" else {}
    separator = {"comma": ";", "tabs": "\t"}.get(kind, ",")
    marks |= {"decimal_comma": kind == "comma", "quoted": kind != "no quotes"}
    layout = delimited.make_layout(names, numbers, words, "label", separator, **marks)
    layout = layout._replace(written=kind == "written")
    for _ in range(20):
        text = _text(c, _record, faults)
        if kind == "comma":
            text = text.translate(bytes.maketrans(b",.", b";,"))
        elif kind == "tabs":
            text = text.replace(b",", b"\t")
        elif kind == "no quotes":
            text = text.replace(b'"oak, old"', b'"oak').replace(b'"1.5"', b"1.5")
        elif kind == "missing":
            text = text.replace(b"17", b"NA").replace(b" 2.5 ", b"")
        found.append(caught(partial(delimited.parse, text, layout)))
        for size in (1, 7, len(text) // 2):
            found.append(complete_records(text[:size], separator, bool(c.below(2))))
    return found


def _parsers() -> Iterator[tuple[str, Callable[[], Any]]]:
    for faults in (False, True):
        for seed in range(4):
            tail = f"{'faults' if faults else 'right'}/{seed}"
            for name, options in {
                "labelled": {},
                "unlabelled": {"labelled": False},
                "largest": {"largest": 40},
                "written": {"written": True},
            }.items():
                yield f"svmlight/{name}/{tail}", partial(_svmlight_run, seed, faults, **options)
            for name, crossed, names, given in (
                ("plain", (), False, {}),
                ("tags", (), False, {"tagged": True, "labelled": False}),
                ("names", (), True, {}),
                ("written", (), False, {"written": True}),
                ("pairs", ("a*bc", "a*a", "*é"), False, {"written": True}),
                ("pairs and names", ("a*bc", "bc*bc"), True, {}),
            ):
                run = partial(_vw_run, seed, faults, crossed, names, **given)
                yield f"vw/{name}/{tail}", run
            for kind in ("comma", "tabs", "no quotes", "missing", "written", "plain"):
                yield f"delimited/{kind}/{tail}", partial(_delimited_run, seed, faults, kind)


# --- hashing, sorting, pairs ---------------------------------------------------------------------


def _hashed(seed: int) -> Any:
    c = Choices(seed)
    names = [bytes(c.of(BYTES) for _ in range(c.below(20))) for _ in range(60)]
    hashes, sizes = murmur3_many(names), integers(seed, (30,), 70)
    entries = int(sizes.sum())
    indptr = np.append(0, np.cumsum(sizes))
    rows = SparseRows(
        hashes[integers(seed + 1, (entries,), 60)],
        (integers(seed + 2, (entries,), 99) - 49) / 7.0,
        indptr,
    )
    groups = integers(seed + 3, (entries,), 4).astype(np.int16) - 1
    found: list[Any] = [hashes]
    for bits in (1, 3, 7, 18, 30):
        table = np.zeros(2 << min(bits, 18), np.int32)
        for crossed in ((), ("a*b",), ("a*a", "b*c", "c*a")):
            pairs = encode_interactions(crossed)
            copy = SparseRows(*(array.copy() for array in rows))
            if crossed and bits <= 18:
                inside = np.where(groups < len(pairs.ends), groups, -1).astype(np.int16)
                copy, fresh = add_pairs(copy, inside, pairs, bits, table)
                found.append(fresh)
            found.append(sort_and_sum(copy, bits))
        if bits <= 18:
            found.append(new_hashes(hashes, table, bits))
            new = np.zeros(len(hashes), np.bool_)
            insert_hashes(table, bits, hashes, new)
            found += [table, new, new_hashes(hashes, table, bits)]
    huge = SparseRows(hashes[:2], np.array([1e300, 1e10]), np.array([0, 2]))
    one = np.array([0, 0], np.int16)
    found.append(caught(lambda: add_pairs(huge, one, encode_interactions(["a*a"]), 9)))
    many = SparseRows(np.zeros(6000, np.int32), np.ones(6000), np.array([0, 0, 6000]))
    none = np.zeros(6000, np.int16)
    found.append(caught(lambda: add_pairs(many, none, encode_interactions(["a*a"]), 9)))
    return found


def _categories(seed: int) -> Any:
    c = Choices(seed)
    text = np.frombuffer(bytes(c.of(b"ab,\xc3\xa9\xff") for _ in range(500)), np.uint8)
    begins = integers(seed, (200,), 490)
    column = categories.encode_categories(text, begins, begins + integers(seed + 1, (200,), 6))
    n_words = len(column.words)
    numbers = (integers(seed + 2, (200, 3), 5) - 2) / 4.0
    columns = categories.ColumnMap(
        np.arange(3, dtype=np.int32),
        3 + np.arange(2 * n_words, dtype=np.int32)[::-1].copy(),
        integers(seed + 3, (2 * n_words,), 3) / 2.0,
        np.array([0, n_words]),
    )
    codes = np.stack([column.codes, column.codes[::-1]])
    return column, categories.assemble_rows(numbers, codes, columns)


# --- streams -------------------------------------------------------------------------------------


def _json_lines(c: Choices) -> str:
    row: dict[str, Any] = {"y": c.below(3)}
    for _ in range(c.below(6)):
        value = c.of((0.5, 3, -2, "rot", True, None, [1, "x", {"z": 2}], {"in": {"x": 1}}, 1e300))
        row[c.of(NAMES)] = value
    return json.dumps(row, ensure_ascii=bool(c.below(2)))


STREAMED = {"svmlight": _svmlight, "vw": _vw, "jsonl": _json_lines}


def _streamed(kind: str, seed: int, faults: bool, **options: Any) -> Any:
    c, found = Choices(seed), []
    line = STREAMED.get(kind, _record)
    for _ in range(6):
        text = _text(c, line, faults)
        if kind == "csv":
            text = b"x,kind,z,label,q\n" + text
        found.append(caught(partial(_read, text, kind, **options)))
    return found


def _read(text: bytes, kind: str, **options: Any) -> Any:
    names = HashedNames() if options.get("bits") else None
    with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(text))):
        stream = open_stream("-", format=kind, names=names, **options)
        batches = [(batch.X, batch.y, batch.weight, batch.ids, batch.first_row) for batch in stream]
    recorded = None if names is None else sorted(names.of(range(64)).items())
    return batches, stream.feature_names, recorded


def _streams() -> Iterator[tuple[str, Callable[[], Any]]]:
    for faults in (False, True):
        for seed in range(2):
            tail = f"{'faults' if faults else 'right'}/{seed}"
            for kind, options in (
                ("svmlight", {}),
                ("svmlight", {"bits": 5}),
                ("vw", {"bits": 6, "tags": True}),
                ("vw", {"bits": 6, "interactions": ["a*bc"]}),
                ("csv", {"target": "label"}),
                ("csv", {"target": "label", "bits": 6, "interactions": ["kind*x"]}),
                ("jsonl", {"target": "y"}),
                ("jsonl", {"target": "y", "bits": 6, "interactions": ["a*bc"]}),
                ("jsonl", {"target": "y", "impute": "mean"}),
            ):
                name = "-".join([kind, *options])
                yield f"stream/{name}/{tail}", partial(_streamed, kind, seed, faults, **options)


def runs() -> Iterator[Parts]:
    """Yield names, functions and needs."""
    for name, compute in [*_parsers(), *_streams()]:
        yield name, compute, ()
    for seed in range(4):
        yield f"hashed rows/{seed}", partial(_hashed, seed), ()
        yield f"categories/{seed}", partial(_categories, seed), ()
    for seed in range(2):
        rows = named_rows(seed)
        text = "\n".join(json.dumps({"y": 1} | {str(k): v for k, v in row.items()}) for row in rows)
        yield f"stream/names/{seed}", partial(_read, text.encode(), "jsonl", target="y"), ()
