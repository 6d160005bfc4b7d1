"""The page docs/accuracy.md of the kept runs: docs/accuracy/*.json."""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from typing import Any

from measure import machine

from field.runs import FOLDER, KEPT, load
from field.sections import drift, tables, units, verdicts

PAGE = FOLDER.with_suffix(".md")
INTRODUCTION = """# Accuracy

{losses}

This page compares our learners with those of Vowpal Wabbit, river, scikit-learn and LIBLINEAR on rows that they have not seen: as they come, in one pass and in ten, and tuned. `auto` is the rule without a choice, [the default](howto/rules.md) of the command: `Perceptron(rule="auto")` in one pass by `partial_fit`, `Classifier()` in ten. [Averages, kernels and step sizes](averages.md) has other learners of ours, and [the benchmarks](benchmarks.md) are about speed.

`python bench/accuracy.py --write` measures the sets, `python bench/drift_learners.py --write` the streams, `python bench/units.py --write` the units; each writes its part of this page from `docs/accuracy/`. They need the data, which does not come with the project.
"""  # noqa: E501


def kept(name: str) -> dict[str, Any]:
    """Return the kept figures of a part; none where it was not measured."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def of(runs: dict[str, Any], streams: dict[str, Any], sets: dict[str, Any]) -> str:
    """Return the page of the runs of the sets, of the streams and of the units."""
    lines = verdicts.of_field(runs) + verdicts.of_drift(streams)
    parts = [
        INTRODUCTION.format(losses=verdicts.losses(lines)),
        verdicts.section(lines),
        *tables.sections(runs),
        drift.section(streams),
        units.section(sets),
        tables.data(runs),
    ]
    return "\n".join(part for part in parts if part)


def write() -> None:
    """Write the page of all kept figures."""
    PAGE.write_text(of(load(KEPT), kept("drift"), kept("units")), "utf-8")


def measure_part(name: str, what: str, measure: Callable[[], Any], description: str) -> None:
    """Run the command of a part: with --write the figures are kept, and the page is written."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--write", action="store_true", help=f"keep the figures, write {PAGE}")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = {"machine": machine(), what: measure()}
    if given.write:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        write()
