"""How much memory and disk the service takes, by the size of its models.

Run: python bench/sizes.py [--write]; --write writes docs/howto/sizing.md. Three minutes.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from markdown import table
from measure import machine
from served import ask, post

PAGE = Path(__file__).resolve().parents[1] / "docs" / "howto" / "sizing.md"
START, END = "<!-- sizes -->\n", "<!-- end of sizes -->\n"
ROWS, PRESENT = 20_000, 50
MODELS = [
    ({}, 1_000, 2),
    ({}, 100_000, 2),
    ({}, 100_000, 10),
    ({"rule": "pa1"}, 100_000, 2),
    ({"rule": "pa1"}, 100_000, 10),
    ({"rule": "pa1", "output": "average"}, 100_000, 10),
]
NDJSON = "application/x-ndjson"


def examples(names: int, labels: int) -> bytes:
    """Return rows of 50 of so many names, which come all, as lines of NDJSON."""
    rng = np.random.default_rng(0)
    every = np.arange(ROWS * PRESENT) % names
    rows = rng.permutation(every).reshape(ROWS, PRESENT)
    return b"\n".join(
        json.dumps(
            {"label": f"label-{i % labels}", "features": {f"name-{j:06}": 1.5 for j in row}}
        ).encode()
        for i, row in enumerate(rows.tolist())
    )


@contextmanager
def served(store: Path) -> Iterator[tuple[int, int]]:
    """Start a service, and yield its port and its process."""
    command = [sys.executable, "-m", "rosenblatt", "serve", "--port", "0", "--store", str(store)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline().rpartition(":")[2]), process.pid
    finally:
        process.terminate()
        process.communicate()


def memory(process: int) -> int:
    """Return the bytes that a process has in memory."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def sizes(folder: Path, config: dict[str, str], names: int, labels: int) -> list[str]:
    """Return a row of the table: a model as it is after its rows, and its next start."""
    store = folder / f"{len(list(folder.iterdir()))}"
    with served(store) as (port, process):
        before = memory(process)
        post(port, "/v1/models", json.dumps({"name": "m", "config": config}).encode())
        post(port, "/v1/models/m/learn", examples(names, labels), NDJSON)
        time.sleep(2.0)  # the service counts its bytes each second
        log = float(
            re.findall(r'bytes{part="log"} (\S+)', ask(port, "GET", "/metrics").decode())[0]
        )
        size = len(ask(port, "GET", "/v1/models/m/file"))
    start = time.perf_counter()
    with served(store) as (port, process):
        seconds = time.perf_counter() - start
        grown = memory(process) - before
    rule = ", ".join(config.values()) or "auto"
    return [
        f"`{rule}`",
        f"{names:,}",
        str(labels),
        f"{grown / 1e6:.0f} MB",
        f"{size / 1e6:.1f} MB",
        f"{log / ROWS:,.0f}",
        f"{seconds:.1f} s",
    ]


def page(folder: Path) -> str:
    """Return the part of the page."""
    with served(folder / "empty") as (_, process):
        empty = memory(process)
    rows = [sizes(folder, *model) for model in MODELS]
    head = ["rule", "names", "labels", "memory", "model file", "log, bytes a row", "next start"]
    today = datetime.date.today()
    return f"""`python bench/sizes.py --write`, {today}: {machine()}.

A service without a model takes {empty / 1e6:.0f} MB of memory. Beyond it, after {ROWS:,} rows
of {PRESENT} named numbers:

{table(head, rows)}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"write the table in {PAGE.name}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as folder:
        text = page(Path(folder))
    print(text)
    if options.write:
        content = PAGE.read_text(encoding="utf-8")
        before, after = content.partition(START)[0], content.partition(END)[2]
        PAGE.write_text(f"{before}{START}{text}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
