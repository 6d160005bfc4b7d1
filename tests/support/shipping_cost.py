"""Compare a service that ships with one that does not: processor time and rate of learning.

Run: python tests/support/shipping_cost.py [ROUNDS] [SECONDS]

The two alternate. Four clients learn single examples; then one sends lines of NDJSON.
"""

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from serving import Served
from takeovers import Load

LINES = 50_000


def processor_seconds(process):
    """Return the processor time that a process has taken."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(options, seconds):
    """Return microseconds of processor time for a single example, examples a second; of lines."""
    with tempfile.TemporaryDirectory() as folder:
        ship = ("--ship", f"{folder}/target") if options else ()
        with Served(Path(folder) / "store", *ship) as served:
            served.post("/v1/models", {"name": "m", "config": {"rule": "arow"}}, status=201)
            time.sleep(2)
            loads = [Load(served, f"c{i}", i) for i in range(4)]
            before, start = processor_seconds(served.process), time.perf_counter()
            end = threading.Timer(seconds, lambda: [setattr(load, "ends", True) for load in loads])
            end.start()
            for load in loads:
                load.start()
            for load in loads:
                load.join()
            count = sum(len(load.answers) for load in loads)
            single = processor_seconds(served.process) - before
            rate = count / (time.perf_counter() - start)
            row = {"features": {f"f{i}": i / 7 for i in range(20)}, "label": 1}
            body = (json.dumps(row) + "\n").encode() * LINES
            before, start = processor_seconds(served.process), time.perf_counter()
            kind = {"Content-Type": "application/x-ndjson"}
            assert served.raw("POST", "/v1/models/m/learn", body, kind)[0] == 200
            taken = time.perf_counter() - start
            time.sleep(2)  # in which the rest is sent
            lines = processor_seconds(served.process) - before
            return 1e6 * single / count, rate, 1e6 * lines / LINES, LINES / taken


def main(rounds=3, seconds=6):
    """Print the medians, and their ratios."""
    results = {False: [], True: []}
    for _ in range(rounds):
        for ships, values in results.items():
            values.append(measure(ships, seconds))
    names = (
        "µs of processor an example",
        "examples a second",
        "µs of processor a line",
        "lines a second",
    )
    columns = (zip(*results[ships], strict=True) for ships in (False, True))
    for name, *both in zip(names, *columns, strict=True):
        alone, shipped = map(statistics.median, both)
        print(
            f"{name}: alone {alone:,.1f}, with --ship {shipped:,.1f}, ratio {shipped / alone:.3f}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
