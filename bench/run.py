"""All benchmarks, as one page.

Run: python bench/run.py [--write] [NAME ...]. NAMEs choose parts; --write, for all of them only,
writes docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path

from measure import Finding, Part, joined, machine, table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
PARTS = (
    "epochs",
    "one_row",
    "online",
    "text",
    "sources",
    "passes",
    "held_out",
    "certify",
    "kernels",
    "shards",
    "memory",
    "start",
    "spam",
)
INTRODUCTION = (
    "`make bench` prints this page in about twenty minutes (and writes files of up to 5 GB to "
    "the temporary folder); `python bench/run.py --write` writes it. rosenblatt and the peers "
    "run alternately in one process, in several rounds; the tables have the medians. Each group "
    "of tables has a process of its own, and BLAS runs single-threaded. The machine is shared "
    "and noisy: trust the ratios, and only those of a run without other work on the machine "
    "(another process that uses the memory slowed rosenblatt, which is nearest to the limit of "
    "the memory, by a factor of 2.5)."
)
OWN = "\n## Separate commands\n"


def part(name: str) -> Part:
    """Run one script."""
    measured: Part = import_module(name).main()
    return measured


def in_a_process(name: str) -> Part | None:
    """Run one script in a process of its own; None if it fails."""
    start = time.perf_counter()
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as pool:
        try:
            return pool.submit(part, name).result()
        except Exception:
            traceback.print_exc()
            return None
        finally:
            print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


def summary(findings: list[Finding]) -> str:
    rows = [[f.work, f.peer, f.wanted, f.measured] for f in findings]
    return table(["work", "against", "aim", "measured"], rows)


def own() -> str:
    """Return the last section of the page: tables of separate commands, kept as they are."""
    _, heading, tables = PAGE.read_text().partition(OWN)
    return heading + tables


def main() -> None:
    parser = argparse.ArgumentParser(description="All benchmarks, as one page.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    given = parser.parse_args()
    if unknown := set(given.names) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}.")
    if given.write and given.names:
        parser.error("--write writes the whole page: give no names with it.")
    parts = {name: in_a_process(name) for name in given.names or PARTS}
    whole = joined([done for done in parts.values() if done is not None])
    page = (
        f"# Benchmarks\n\n{INTRODUCTION}\n\nMachine: {machine()}.\n\n"
        f"## Summary\n\n{summary(whole.findings)}\n## All tables\n\n{whole.text}{own()}"
    )
    print(page)
    if failed := [name for name, done in parts.items() if done is None]:
        sys.exit(f"failed: {', '.join(failed)}; nothing is written.")
    if given.write:
        PAGE.write_text(page)


if __name__ == "__main__":
    main()
