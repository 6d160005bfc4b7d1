"""Time and memory of the command ``train`` on files of gigabytes.

The file is made of one block of rows, over and over in a new order, and grows between the runs.
Run: python bench/memory.py
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from made import svmlight_file, zipf_rows
from markdown import pretty, table
from measure import Part, absent, machine
from ratios import Finding, exactly

GIGABYTES = (1.25, 2.5, 5.0)
ROWS = 60_000  # of the block
PEAK = 400  # megabytes, wanted
FREE = 8e9  # bytes

# A process that has memory of its own hands its peak on to its children: this one has none.
CHILD = """
import os, sys, time
start = time.perf_counter()
child = os.posix_spawn(sys.executable, [sys.executable, *sys.argv[1:]], os.environ)
_, status, usage = os.wait4(child, 0)
assert status == 0, status
print(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def train(path: Path, model: Path) -> tuple[float, float, float]:
    """Return wall seconds, CPU seconds, and the peak memory in megabytes, of one process."""
    command = [
        *("-m", "rosenblatt", "train", str(path), "-m", str(model)),
        *("--rule", "perceptron", "-q"),
    ]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *command], check=True, capture_output=True, text=True
    )
    clock, cores, peak = map(float, done.stdout.split())
    unit = 1 if sys.platform == "darwin" else 1024
    return clock, cores, peak * unit / 1e6


def grow(path: Path, block: list[bytes], size: float, mixed: random.Random) -> None:
    """Append the block's rows in new orders until the file has that size, and wait for the disk."""
    with path.open("ab") as file:
        while file.tell() < size:
            mixed.shuffle(block)
            file.write(b"".join(block))
        file.flush()
        os.fsync(file.fileno())


def measure(folder: Path) -> Part:
    block_path, path, model = folder / "block.svm", folder / "rows.svm", folder / "model.rosenblatt"
    svmlight_file(block_path, *zipf_rows(ROWS))
    block = block_path.read_bytes().splitlines(keepends=True)
    train(block_path, model)  # in the caches
    mixed, rows = random.Random(0), []
    sizes, clocks, peaks = [], [], []
    for gigabytes in GIGABYTES:
        grow(path, block, 1e9 * gigabytes, mixed)
        size = path.stat().st_size / 1e9
        clock, cores, peak = train(path, model)
        sizes, clocks, peaks = [*sizes, size], [*clocks, clock], [*peaks, peak]
        line = [f"{size:.2f} GB", pretty(clock), pretty(cores), f"{1000 * size / clock:,.0f}"]
        rows.append([*line, f"{peak:,.0f} MB"])
    header = ["a file of", "time", "time of the cores", "MB/s", "peak memory"]
    title = "`rosenblatt train FILE --rule perceptron -q`: time and memory by the size of the file"
    notes = "Start-up included. The file was just written, so it is in the page cache if it fits."
    more = [
        f"{(after - before) / (large - small):.1f} s"
        for (before, after), (small, large) in zip(pairwise(clocks), pairwise(sizes), strict=True)
    ]
    work = f"peak memory of `train` on a file of {GIGABYTES[-1]:.0f} GB"
    remark = f"{max(peaks):,.0f} MB; each further GB takes {', then '.join(more)}"
    memory = exactly(max(peaks) / PEAK)
    finding = Finding(work, f"{PEAK} MB", memory, 1.0, at_most=True, remark=remark)
    return Part(f"### {title}\n\n{notes}\n\n{table(header, rows)}", [finding])


def main() -> Part:
    title = "Time and memory by the size of the file"
    if not hasattr(os, "wait4"):
        return absent(title, "this system does not tell a process's peak memory")
    with tempfile.TemporaryDirectory() as folder:
        free = shutil.disk_usage(folder).free
        if free < FREE:
            return absent(title, f"{free / 1e9:.1f} GB free where 8 are needed")
        return measure(Path(folder))


if __name__ == "__main__":
    print(machine(), "\n")
    print(main().text)
