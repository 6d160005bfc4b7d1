"""Tables of other programs and of papers, measured again: the page docs/tables.md.

Run: python bench/run_tables.py [--write] [NAME ...]. NAMEs choose tables; --write, for all of them
only, writes the page.
"""

from __future__ import annotations

import argparse
import warnings
from importlib import import_module
from pathlib import Path

from measure import machine

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tables.md"
NAMES = ("sol", "libol", "one_pass", "newsgroups", "tagging", "which_rule")
INTRODUCTION = """# Published tables

Tables of other programs, measured again with the rules of this one: what was published, the mean \
here ± its standard deviation over permutations of the rows, and whether the two agree. `make \
tables` prints this page, `python bench/run_tables.py --write` writes it. It needs the data, which \
does not come with the project. Li and Long's table, and Freund and Schapire's, are with the \
[benchmarks](benchmarks.md)."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Published tables, measured again.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    given = parser.parse_args()
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"no table {', '.join(sorted(unknown))}: there are {', '.join(NAMES)}.")
    if given.write and given.names:
        parser.error("--write is for all tables.")
    warnings.simplefilter("ignore")
    parts = [import_module(f"tables.{name}").main() for name in given.names or NAMES]
    page = "\n\n".join([INTRODUCTION, f"Machine: {machine()}.", *parts]).rstrip() + "\n"
    print(page)
    if given.write:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
