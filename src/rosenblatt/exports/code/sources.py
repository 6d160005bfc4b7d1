"""Files of source text that programs begin with, with the tables that they need filled in."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, chain
from pathlib import Path

from rosenblatt.exports.code.unicode import VERSION, gaps_of, unicode_tables

_FOLDER = Path(__file__).parent
_LINE = 98


def read_source(name: str) -> str:
    """Return a file of this folder.

    Examples
    --------
    >>> read_source("js/hashing.js").splitlines()[2]
    '// MurmurHash3_x86_32 with seed 0 of bytes, signed.'
    """
    return (_FOLDER / name).read_text("utf-8")


def texts_in_js() -> str:
    """Return what an ES module needs to cut texts into hashed n-grams, after ``hashing.js``."""
    tables = unicode_tables()
    source = read_source("js/texts.js").replace("@VERSION@", VERSION)
    for name in ("unassigned", "word", "blank", "cased", "case_ignored"):
        source = source.replace(f"@{name.upper()}@", gaps_of(getattr(tables, name)))
    return source


def texts_in_c(specs: Iterable[tuple[str, int, int]]) -> str:
    """Return what C needs to cut texts into hashed n-grams, after ``hashing.c``.

    Parameters
    ----------
    specs : iterable of (str, int, int)
        Each kind of n-gram with its least and its largest number of parts.
    """
    kinds = {"word": "w", "char": "c", "char_wb": "b"}
    entries = ", ".join(f"{{'{kinds[kind]}', {least}, {most}}}" for kind, least, most in specs)
    source = read_source("c/texts.c").replace("@VERSION@", VERSION)
    return source.replace("@SPECS@", entries).replace("@TABLES@", _tables_in_c())


def _tables_in_c() -> str:
    tables = unicode_tables()
    marks = sorted((a, b, mark) for mark, ranges in tables.marks.items() for a, b in ranges)
    bounds: dict[int, int] = {}
    for start, stop, mark in marks:
        bounds |= {start: mark, stop: 0}
    starts = [*accumulate(map(len, tables.parts.values()), initial=0)]
    pairs = [f"{{{a}, {b}, {both}}}" for (a, b), both in sorted(tables.pairs.items())]
    arrays = [
        *(
            array_in_c("uint32_t", name.upper(), chain.from_iterable(getattr(tables, name)))
            for name in ("word", "blank", "cased", "case_ignored")
        ),
        array_in_c("uint32_t", "MARKS", bounds),
        array_in_c("uint8_t", "MARK_CLASSES", bounds.values()),
        array_in_c("uint32_t", "WHOLES", tables.parts),
        array_in_c("uint16_t", "PART_STARTS", starts),
        array_in_c("uint32_t", "PARTS", chain.from_iterable(tables.parts.values())),
        array_in_c("uint32_t", "PAIRS", pairs, "3"),
        array_in_c("uint32_t", "UPPER", tables.lower),
        array_in_c("uint32_t", "LOWER", (codes[0] for codes in tables.lower.values())),
    ]
    return "\n".join(arrays)


def array_in_c(type: str, name: str, entries: Iterable[object], width: str = "") -> str:
    """Return the definition of a constant array, in lines of at most 100 letters.

    ``width`` is that of the rows of a matrix.

    Examples
    --------
    >>> print(array_in_c("double", "WEIGHTS", [0.5, -2.0]))
    static const double WEIGHTS[] = {
      0.5, -2.0
    };
    """
    lines = wrap_entries(map(str, entries))
    rows = f"[{width}]" if width else ""
    return f"static const {type} {name}[]{rows} = {{\n{lines}\n}};"


def wrap_entries(entries: Iterable[str]) -> str:
    """Return entries with commas between, in indented lines of at most 100 letters."""
    lines, line = [], ""
    for entry in entries:
        if line and len(line) + len(entry) > _LINE:
            lines.append(line)
            line = ""
        line += f" {entry}," if line else f"  {entry},"
    lines.append(line)
    return "\n".join(lines).removesuffix(",")
