"""Runs of the benchmarks, kept by date in bench/runs/, and bench/figures.md, made of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from markdown import percent, table
from ratios import Finding, Ratio

BENCH = Path(__file__).resolve().parent
PAGE, FOLDER = BENCH / "figures.md", BENCH / "runs"
SHOWN = 3  # runs, in the summary
PARTS = (
    "epochs",
    "one_row",
    "online",
    "text",
    "sources",
    "encoding",
    "passes",
    "held_out",
    "calibration",
    "default_pass",
    "certify",
    "kernels",
    "shards",
    "memory",
    "start",
    "dragging",
    "spam",
)
OWN = "\n## A separate command\n"
INTRODUCTION = """\
`make bench` measures all of this in about forty minutes (and writes files of up to 5 GB to \
the temporary folder). `python bench/run.py --write` also keeps the figures by date in \
`bench/runs/`, and writes this page and the figures of the README and the documentation; \
`python bench/run.py --write NAME ...` does so for some parts of today's run.

Both sides run alternately in one process, with single-threaded BLAS, until the ratio of every \
line is known to ± 10 %, or for 15 seconds (but three rounds at least). A figure is the median of \
the ratios of the rounds; in brackets is its interval of 95 %, by bootstrap over the rounds. \
The interval is that of one run on one machine; other columns show how runs differ. Another \
process that uses the memory slows rosenblatt, which is nearest to the limit of the memory, by up \
to a factor of 2.5: nothing else should run."""
LEGEND = """\
"≥ 3.5" wants the time of the peer, divided by ours, to be at least 3.5; "≤ 2" wants our time, \
divided by that of a yardstick, to be at most 2. A line is reached if its whole interval is, at no \
loss of accuracy. **Below 1** marks the lines where the interval goes below 1: there the peer may \
be faster. The last column is about the last run with that line."""


class Kept(NamedTuple):
    """What one script measured on one day."""

    machine: str
    seconds: int
    lines: list[Finding]
    text: str


Runs = dict[str, dict[str, Kept]]  # by date, the last one last; by the name of the script


# --- files ---------------------------------------------------------------------------------------


def load(folder: Path = FOLDER) -> Runs:
    """Return all runs."""
    runs: Runs = {}
    for path in sorted(folder.glob("*.json")):
        parts = json.loads(path.read_text("utf-8")).items()
        runs[path.stem] = {
            name: Kept(
                part["machine"],
                part["seconds"],
                [as_finding(line) for line in part["lines"]],
                "\n".join(part["text"]),
            )
            for name, part in parts
        }
    return runs


def save(date: str, parts: dict[str, Kept], folder: Path = FOLDER) -> None:
    """Write the file of a run."""
    run = {
        name: part._asdict()
        | {"lines": [as_dict(line) for line in part.lines], "text": part.text.split("\n")}
        for name, part in parts.items()
    }
    folder.mkdir(exist_ok=True)
    text = json.dumps(run, indent=1, ensure_ascii=False)
    (folder / f"{date}.json").write_text(text + "\n", "utf-8")


def as_dict(line: Finding) -> dict[str, Any]:
    """Return what differs from the defaults, numbers with four digits."""
    *numbers, rounds = line.ratio
    ratio = [*(float(f"{number:.4g}") for number in numbers), rounds]
    defaults = Finding._field_defaults
    kept = {k: v for k, v in line._asdict().items() if k not in defaults or v != defaults[k]}
    return kept | {"ratio": ratio}


def as_finding(line: dict[str, Any]) -> Finding:
    finding = Finding(**line)
    accuracy = finding.accuracy and (finding.accuracy[0], finding.accuracy[1])
    return finding._replace(ratio=Ratio(*finding.ratio), accuracy=accuracy)


# --- the page ------------------------------------------------------------------------------------


def page(runs: Runs) -> str:
    """Return the page; the table of the separate command is that of the present page."""
    last = {name: date for name in PARTS for date in runs if name in runs[date]}
    _, heading, own = PAGE.read_text("utf-8").partition(OWN)
    return "\n".join(
        [
            f"# All figures of the benchmarks\n\n{INTRODUCTION}\n",
            f"## Summary\n\n{LEGEND}\n\n{summary(runs)}",
            f"## Runs\n\n{''.join(machines(runs))}",
            "## All tables\n",
            *(f"{headed(name, date)}{runs[date][name].text}" for name, date in last.items()),
        ]
    ) + (heading + own)


def headed(name: str, date: str) -> str:
    return f"`python bench/{name}.py`, {date}:\n\n"


def machines(runs: Runs) -> Iterator[str]:
    """Yield a line for each run and machine: its parts, with the time that they took."""
    for date in [*runs][-SHOWN:]:
        for machine in dict.fromkeys(part.machine for part in runs[date].values()):
            times = [
                f"{name}{f' ({part.seconds} s)' if part.seconds else ''}"
                for name, part in runs[date].items()
                if part.machine == machine
            ]
            yield f"- {date}, {', '.join(times)}: {machine}.\n"


def summary(runs: Runs) -> str:
    """Return the table of all lines of the last runs, a column for each run."""
    shown = {
        date: {line.key: line for part in runs[date].values() for line in part.lines}
        for date in [*runs][-SHOWN:]
    }
    last, rows = lines(runs), []
    for line in last:
        cells = [
            str(found[line.key].ratio) if line.key in found else "" for found in shown.values()
        ]
        rows.append([line.work, line.peer, wanted(line), *cells, verdict(line)])
    aims = [line for line in last if line.wanted is not None]
    text = table(["work", "against", "wanted", *shown, "last run"], rows)
    return f"{sum(line.is_reached for line in aims)} of {len(aims)} aims are reached.\n\n{text}"


def lines(runs: Runs) -> list[Finding]:
    """Return the last figure of every line of the last runs, part by part."""
    found: dict[tuple[str, str], Finding] = {}
    for name in PARTS:
        for date in [*runs][: -SHOWN - 1 : -1]:
            for line in runs[date][name].lines if name in runs[date] else ():
                found.setdefault(line.key, line)
    return [*found.values()]


def wanted(line: Finding) -> str:
    return "" if line.wanted is None else f"{'≤' if line.at_most else '≥'} {line.wanted:g}"


def verdict(line: Finding) -> str:
    """Return whether the line is where it is wanted, and what else is to be said."""
    words = ["**below 1**"] if line.is_behind else []
    if line.wanted is not None:
        words.append("reached" if line.is_reached else "short")
    if line.accuracy is not None:
        ours, theirs = map(percent, line.accuracy)
        words.append(f"{'**less accurate**: ' * line.is_less_accurate}{ours} right to {theirs}")
    return "; ".join([*words, *[line.remark] * bool(line.remark)])
