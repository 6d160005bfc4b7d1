"""Cold, warm and steady start: an empty cache, a filled cache, and no start at all.

Run: python bench/start.py
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Part, machine, pretty, seconds, table

COMMANDS = {
    "rosenblatt --help": ["--help"],
    "rosenblatt train sklearn:digits": ["train", "sklearn:digits", "--model", "{}/m", "-q"],
    "rosenblatt demo": ["demo", "--folder", "{}"],
}


def run(arguments: list[str], folder: str, cache: str) -> float:
    command = [sys.executable, "-m", "rosenblatt", *(a.format(folder) for a in arguments)]
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    return seconds(
        lambda: subprocess.run(command, env=environment, check=True, capture_output=True)
    )


def main() -> Part:
    rows = []
    for name, arguments in COMMANDS.items():
        with tempfile.TemporaryDirectory() as folder:
            cache = str(Path(folder) / "cache")
            cold = run(arguments, folder, cache)
            warm = statistics.median(run(arguments, folder, cache) for _ in range(5))
        rows.append([f"`{name}`", pretty(cold), pretty(warm)])
    title = "### Start-up: cold (nothing compiled yet) and warm"
    return Part(f"{title}\n\n{table(['', 'cold', 'warm'], rows)}", [])


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
