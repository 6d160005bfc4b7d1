"""All benchmarks, as one page. Run: python bench/run.py [--write] (writes docs/benchmarks.md)."""

from __future__ import annotations

import sys
from pathlib import Path

import epochs
import one_row
import start
from measure import machine

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


def main() -> None:
    parts = [module.main() for module in (epochs, one_row, start)]
    page = (
        "# Benchmarks\n\n"
        "`make bench` prints this page; `python bench/run.py --write` writes it. Ours and the "
        "peers run alternately in one process, several rounds, medians. The machine is shared and "
        "noisy: trust the ratios, and those only of a run with no other work beside it (another "
        "process on the same memory has cost ours a factor of 2.5, being nearest to its limit).\n\n"
        f"Machine: {machine()}.\n\n" + "\n".join(parts)
    )
    print(page)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page)


if __name__ == "__main__":
    main()
