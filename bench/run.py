"""All benchmarks, as one page.

Run: python bench/run.py [--write] [NAME ...]. NAMEs choose parts; --write keeps them as today's
run, and writes bench/figures.md and the tables of the README and of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import datetime
import multiprocessing
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module

import kept
import quoted
from measure import Part, machine


def part(name: str) -> Part:
    """Run one script."""
    measured: Part = import_module(name).main()
    return measured


def in_a_process(name: str) -> kept.Kept | None:
    """Run one script in a process of its own; None if it fails."""
    start = time.perf_counter()
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as pool:
        try:
            done = pool.submit(part, name).result()
        except Exception:
            traceback.print_exc()
            return None
    passed = round(time.perf_counter() - start)
    print(f"{name}: {passed} s", file=sys.stderr)
    return kept.Kept(machine(), passed, done.findings, done.text)


def main() -> None:
    parser = argparse.ArgumentParser(description="All benchmarks, as one page.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(kept.PARTS))
    parser.add_argument("--write", action="store_true", help="keep the figures, write the pages")
    given = parser.parse_args()
    if unknown := set(given.names) - set(kept.PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}: there are {', '.join(kept.PARTS)}.")
    today, measured = str(datetime.date.today()), {}
    for name in given.names or kept.PARTS:
        done = in_a_process(name)
        if done is None:
            continue
        measured[name] = done
        if given.write:  # after each part: a later one may be interrupted
            kept.save(today, kept.load().get(today, {}) | measured)
            quoted.write(kept.load())
    print(kept.page({today: measured}))
    if failed := set(given.names or kept.PARTS) - set(measured):
        sys.exit(f"failed: {', '.join(sorted(failed))}.")


if __name__ == "__main__":
    main()
