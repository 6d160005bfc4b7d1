"""Tables of other programs and of papers, measured again: the page bench/tables.md.

Run: python bench/run_tables.py [--write] [NAME ...]. NAMEs choose tables, without them all but the
long ones; --write writes their parts of the page and their pictures, each when it is done, and
leaves the others.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
import warnings
from importlib import import_module

from measure import machine
from tables.page import LONG, NAMES, PAGE, PICTURES, SHORT, page_of, parts_of, signed


def main() -> None:
    parser = argparse.ArgumentParser(description="Published tables, measured again.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument(
        "--write", action="store_true", help=f"write these parts of bench/{PAGE.name}"
    )
    given = parser.parse_args()
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"no table {', '.join(sorted(unknown))}: there are {', '.join(NAMES)}.")
    warnings.simplefilter("ignore")
    for name in given.names or SHORT:
        measure(name, write=given.write)
    if not given.names:
        print(f"Not run, since they take long: {', '.join(LONG)}.", file=sys.stderr)


def measure(name: str, *, write: bool) -> None:
    """Run one table, print its part of the page, and write it."""
    start = time.perf_counter()
    script = import_module(f"tables.{name}")
    text = script.main()
    print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    if not text:
        print(f"{name}: skipped, its data is absent.", file=sys.stderr)
        return
    part = signed(name, text, str(datetime.date.today()), machine())
    print(part, end="\n\n")
    if write:
        parts = parts_of(PAGE.read_text("utf-8"))
        PAGE.write_text(page_of(parts | {name: part}), encoding="utf-8")
        if hasattr(script, "draw"):
            script.draw(part, PICTURES)


if __name__ == "__main__":
    main()
