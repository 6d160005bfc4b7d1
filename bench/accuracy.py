"""Our learners beside those of the field, on real sets: the runs of the two pages accuracy.md.

Run: python bench/accuracy.py [--write] [--groups one ten best] [NAME ...]. NAMEs choose sets;
--write keeps each set in docs/accuracy/field.json when it is done, and the pages are then those of
all kept runs. Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import sys
import warnings

from field import page, runs
from field.sections import tables
from field.sets import NAMES, SETS
from measure import machine


def main() -> None:
    parser = argparse.ArgumentParser(description="Our learners and the field's.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--write", action="store_true", help="keep the runs, write the pages")
    parser.add_argument("--groups", nargs="+", choices=list(runs.GROUPS), default=list(runs.GROUPS))
    given = parser.parse_args()
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"no set {', '.join(sorted(unknown))}: there are {', '.join(NAMES)}.")
    warnings.simplefilter("ignore")
    kept = runs.load() if given.write else {}
    for data in SETS:
        if given.names and data.name not in given.names:
            continue
        found = runs.measure(data, machine(), given.groups)
        if found is None:
            print(f"{data.name}: skipped, its data is absent.", file=sys.stderr)
            continue
        kept[data.name] = kept.get(data.name, {}) | found
        if given.write:
            runs.save(kept, NAMES)
    print("\n".join(tables.of_group(kept, group) for group in given.groups))
    if given.write:
        page.write()


if __name__ == "__main__":
    main()
