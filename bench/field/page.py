"""The pages docs/accuracy.md and bench/accuracy.md of the kept runs: docs/accuracy/*.json."""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import machine

from field.runs import FOLDER, KEPT, load
from field.sections import drift, tables, units, verdicts

PAGE = FOLDER.with_suffix(".md")
SETS = Path(__file__).resolve().parents[1] / "accuracy.md"
SUMMARY = """# Accuracy

How often our learners are right about rows that they have not seen, beside Vowpal Wabbit, river, scikit-learn and LIBLINEAR: on {count} sets and {streams} made streams, as they come, in one pass and in ten. `auto` is the rule without a choice, [the default](howto/rules.md): `Perceptron(rule="auto")` in one pass by `partial_fit`, `Classifier()` in ten.

{ranks}

## Where `auto` loses

{losses}
"""  # noqa: E501
FURTHER = """## Set by set

[All tables](../bench/accuracy.md): accuracy and log loss of each learner on each set, tuned learners, calibration, other units, the sets and the machine. [Averages, kernels and step sizes](../bench/averages.md) has other learners of ours. The data does not come with the project.
"""  # noqa: E501
INTRODUCTION = """# Accuracy, set by set

The tables behind [the summary](../docs/accuracy.md). `python bench/accuracy.py --write` measures the sets, `python bench/drift_learners.py --write` the streams, `python bench/units.py --write` the units; each writes both pages from `docs/accuracy/`. They need the data, which does not come with the project.
"""  # noqa: E501


def kept(name: str) -> dict[str, Any]:
    """Return the kept figures of a part; none where it was not measured."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def summary(runs: dict[str, Any], streams: dict[str, Any]) -> str:
    """Return the page of the documentation: ranks, where auto loses, and the streams."""
    lines = verdicts.of_field(runs) + verdicts.of_drift(streams)
    count, made = len(runs), len(streams.get("streams", ()))
    ranks, losses = verdicts.short(lines), verdicts.losses(lines)
    parts = [
        SUMMARY.format(count=count, streams=made, ranks=ranks, losses=losses),
        drift.section(streams),
        FURTHER,
    ]
    return "\n".join(part for part in parts if part)


def of(runs: dict[str, Any], streams: dict[str, Any], sets: dict[str, Any]) -> str:
    """Return the page of all tables of the sets and of the units."""
    parts = [
        INTRODUCTION,
        verdicts.section(verdicts.of_field(runs) + verdicts.of_drift(streams)),
        *tables.sections(runs),
        units.section(sets),
        tables.data(runs),
    ]
    return "\n".join(part for part in parts if part)


def write() -> None:
    """Write both pages of all kept figures."""
    runs, streams = load(KEPT), kept("drift")
    PAGE.write_text(summary(runs, streams), "utf-8")
    SETS.write_text(of(runs, streams, kept("units")), "utf-8")


def measure_part(name: str, what: str, measure: Callable[[], Any], description: str) -> None:
    """Run the command of a part: with --write the figures are kept, and the page is written."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--write", action="store_true", help="keep the figures, write the pages")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = {"machine": machine(), what: measure()}
    if given.write:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        write()
