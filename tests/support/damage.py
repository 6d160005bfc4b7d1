"""Damaged texts of every format, and the check that streams read them as plain Python does.

Every line is read by plain Python, one at a time. A stream must give exactly those rows, wherever
the text is cut, packed or not; stop at the first line that plain Python refuses, or leave out all
such lines and no other. ``PYTHONPATH=tests/support python tests/support/damage.py SECONDS`` checks
for longer.
"""

import gzip
import json
import math
import random
import re
import sys
import tempfile
import time
from pathlib import Path

import vw_twin

from rosenblatt.streams import DataError, open_stream
from rosenblatt.streams.core.options import MAX_SPARSE_COLUMNS

NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
SVM_ROW = re.compile(rf"({NUMBER})(?:[ \t]+qid:[0-9]+)?((?:[ \t]+[0-9]+:{NUMBER})*)[ \t]*")
BITS = 18

# --- texts ---------------------------------------------------------------------------------------

NUMBERS = (
    *("0", "1", "-1", "+1", "2.5", ".5", "5.", "-0.0", "1e3", "1E-3", "1e308", "-1e308", "1e-400"),
    *("9007199254740993", "0.30000000000000004", "1" * 25, "123456789.123456789123456789"),
)
ODD = (
    *("nan", "inf", "-Infinity", "1e999", "1e", "0x10", "1_0", "١", "--1", "1.2.3", ".", "e5", "é"),
    *(
        "1:",
        ":1",
        "1:1:1",
        "2147483647:1",
        "2147483646:1",
        "-1:1",
        "qid:3",
        "qid:",
        "#",
        "|",
        "|a:",
    ),
    *(
        "a:1e308",
        "a:-1e308",
        "|b:1e9",
        "'tag",
        '"',
        "{",
        "}",
        "[",
        "null",
        "\\ud800",
        "\\u0000",
        ",",
    ),
    *("1" * 30, "x" * 70, "true", '"y"', '"y":', '"a": 1,', "\ufeff", "\x0b", "\x85", "\u2028"),
)
BYTES = b" \t:#+-.eE0159|'^\"{}[],\\naqif\r\n\0\x1c\x7f\x80\xc3\xa9\xff"


def svmlight(r):
    entries = [f"{r.randrange(40)}:{r.choice(NUMBERS)}" for _ in range(r.randrange(5))]
    query = [f"qid:{r.randrange(9)}"] if r.randrange(6) == 0 else []
    comment = ["# café"] if r.randrange(8) == 0 else []
    return r.choice([" ", "\t", "  "]).join([r.choice(NUMBERS), *query, *entries, *comment])


def vw(r):
    head = [r.choice(NUMBERS), *[r.choice(["2", "0.5", "'t"]) for _ in range(r.randrange(2))]]
    line = " ".join(head) + " "
    for _ in range(r.randrange(1, 3)):
        line += "|" + r.choice(["", "ns", "é:2", "n:0.5"]) + " "
        names = [r.choice("abcdé") * r.randrange(1, 12) for _ in range(r.randrange(4))]
        line += " ".join(n + r.choice(["", ":" + r.choice(NUMBERS)]) for n in names) + " "
    return line


def jsonl(r):
    def value(depth):
        kind = r.randrange(6 + 2 * (depth < 3))
        if kind > 5:
            inner = [value(depth + 1) for _ in range(r.randrange(3))]
            return inner if kind == 6 else {r.choice("abc."): part for part in inner}
        return [1, -2.5, True, None, "é b", 10**20][kind]

    row = {"y": r.choice(["p", "q", " s "])} | {r.choice("abcd"): value(0) for _ in range(3)}
    return json.dumps(row, ensure_ascii=bool(r.randrange(2)))


LINES = {"svmlight": svmlight, "vw": vw, "jsonl": jsonl}
FIRST = {"svmlight": b"1 1:1", "vw": b"1 | a", "jsonl": b'{"y": "p"}'}


def mutated(r, line):
    """A damaged line."""
    damage = r.randrange(5)
    at, stop = sorted((r.randrange(len(line) + 1), r.randrange(len(line) + 1)))
    if damage == 0:
        return line[:at] + line[min(stop, at + 3) :]
    if damage == 1:
        return line[:at] + bytes([r.choice(BYTES)]) + line[at:]
    if damage == 2:
        return line[:at] + r.choice(ODD).encode() + line[at:]
    if damage == 3:
        return line[:at]
    return line[:stop] + line[at:]


def text_of(r, format):
    """Lines of a format, about half of them damaged; the first is good."""
    lines = [FIRST[format]]
    for _ in range(r.randrange(12)):
        line = LINES[format](r).encode()
        for _ in range(r.choice([0, 0, 1, 1, 2, 5])):
            line = mutated(r, line)
        lines.append(line)
    return r.choice([b"\n", b"\n", b"\r\n"]).join(lines) + r.choice([b"", b"\n"])


# --- what plain Python reads ---------------------------------------------------------------------


def svmlight_row(line):
    row = line.decode().removesuffix("\r").partition("#")[0].strip(" \t")
    if not row:
        return None
    label, rest = SVM_ROW.fullmatch(row).groups()
    pairs = [token.split(":") for token in rest.split()]
    cells = {int(index): float(value) for index, value in pairs}
    refuse(len(cells) < len(pairs) or max(cells, default=0) > MAX_SPARSE_COLUMNS)
    return finite(float(label), cells)


def vw_row(line):
    rows = vw_twin.rows_of(line)
    return finite(rows[0].label, dict(rows[0].hashed(BITS))) if rows else None


def jsonl_row(line):
    text = line.decode()
    if not text.strip():
        return None
    row = json.loads(text, object_pairs_hook=distinct, parse_constant=refuse)
    refuse(not isinstance(row, dict))
    label = row.pop("y")
    refuse(not isinstance(label, str | int | float))
    word = label.strip() if isinstance(label, str) else str(label + 0)
    word.encode()
    refuse(not word or "\0" in word or re.fullmatch(r"[+-]?(nan|inf|infinity)", word, re.I))
    refuse(re.fullmatch(NUMBER, word) and not word.isdigit() and math.isinf(float(word)))
    cells: dict[str, float] = {}
    for name, value in flat("", row):
        name.encode()
        refuse(name in cells)
        cells[name] = float(value)
    return finite(word, cells)


def flat(name, value):
    match value:
        case None:
            return
        case dict():
            for key, inner in value.items():
                yield from flat(f"{name}.{key}" if name else key, inner)
        case list():
            words = [word for word in value if isinstance(word, str)]
            yield from ((f"{name}={word}", words.count(word)) for word in dict.fromkeys(words))
            for k, inner in enumerate(value):
                if not isinstance(inner, str):
                    yield from flat(f"{name}.{k}", inner)
        case str():
            yield f"{name}={value}", 1.0
        case _:
            yield name, value


def distinct(pairs):
    refuse(len(dict(pairs)) < len(pairs))
    return dict(pairs)


def refuse(wrong):
    if wrong:
        raise ValueError


def finite(label, cells):
    numbers = [*cells.values(), *([label] if isinstance(label, float) else [])]
    refuse(not all(map(math.isfinite, numbers)))
    return label + 0.0 if isinstance(label, float) else label, sorted(cells.items())


ROWS = {"svmlight": svmlight_row, "vw": vw_row, "jsonl": jsonl_row}
REFUSALS = (ValueError, AttributeError, KeyError, OverflowError, RecursionError)


def expected(format, text):
    """For every line with content its number, and its row, or None where it is bad."""
    rows = {}
    for number, line in enumerate(text.split(b"\n"), 1):
        try:
            refuse(b"\0" in line)
            line.decode()
            row = ROWS[format](line)
        except REFUSALS:
            rows[number] = None
        else:
            if row is not None:
                rows[number] = row
    return rows


# --- what must hold ------------------------------------------------------------------------------


def rows_of(stream):
    """Read a stream: its rows up to the first error, and that error or None."""
    rows = []
    try:
        for batch in stream:
            assert batch.first_row == len(rows)
            bounds, columns, data = batch.X.indptr.tolist(), batch.X.indices.tolist(), batch.X.data
            for k, label in enumerate(batch.y.tolist()):
                part = slice(bounds[k], bounds[k + 1])
                names = columns[part]
                if stream.feature_names is not None:
                    names = [stream.feature_names[j] for j in names]
                label = label if isinstance(label, str) else label + 0.0  # whole ones come as int
                rows.append((label, sorted(zip(names, data[part].tolist(), strict=True))))
    except DataError as error:
        return rows, error
    return rows, None


def check(r, format, text, folder):
    """Read a text in every way: the rows must be those of plain Python."""
    wanted = expected(format, text)
    packed = r.randrange(4) == 0
    path = Path(folder, "a.gz" if packed else "a")
    path.write_bytes(gzip.compress(text, 1) if packed else text)
    options = {"format": format, "batch_bytes": r.choice([1, 9, 60, 300, 1 << 20])}
    options |= {"svmlight": {"index_base": 0}, "jsonl": {"target": "y"}}.get(format, {})
    bad = []
    rows, error = rows_of(open_stream(path, on_bad_row=bad.append, **options))
    good = [row for row in wanted.values() if row is not None]
    assert repr(rows) == repr(good)
    assert error is None
    lines = text.split(b"\n")
    assert [row.number for row in bad] == [n for n, row in wanted.items() if row is None]
    for row in bad:
        line = lines[row.number - 1].removesuffix(b"\r")
        assert row.row.encode(errors="surrogateescape") == line
        assert row.error.line == row.number
    first = next((n for n, row in wanted.items() if row is None), None)
    rows, error = rows_of(open_stream(path, **options))
    assert repr(rows) == repr([row for n, row in wanted.items() if first is None or n < first])
    assert (None if error is None else error.line) == first


def run(seconds):
    """Check texts of every format in turn for so many seconds; return their number by format."""
    counts = dict.fromkeys(LINES, 0)
    with tempfile.TemporaryDirectory() as folder:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for format in LINES:
                seed = random.randrange(2**63)
                r = random.Random(seed)
                text = text_of(r, format)
                try:
                    check(r, format, text, folder)
                except BaseException:
                    print(f"{format}, seed {seed}: {text!r}", file=sys.stderr)
                    raise
                counts[format] += 1
    return counts


if __name__ == "__main__":
    print(run(float(sys.argv[1])))
