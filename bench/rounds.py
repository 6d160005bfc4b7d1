"""Rounds on two workers of this machine: against one process, in memory, and after a kill.

Run: python bench/rounds.py [--gigabytes 1 2 4]. Rows are made on the workers, so that any number of
bytes can be learned.
"""

from __future__ import annotations

import argparse
import logging
import os
import resource
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster
from made import zipf_rows
from markdown import figure, pretty, table
from measure import machine

from rosenblatt import Perceptron
from rosenblatt.dask import DaskPerceptron
from rosenblatt.streams import open_stream
from rosenblatt.streams.core.batch import with_width

SETTING: dict[str, Any] = {"tol": None, "shuffle": False}
WORKERS, REPEATS = 2, 5
BATCH = 32_000_000
"""Bytes of a batch of rows that a worker makes."""
FEATURES = 1000
KILLED_SHARDS = 32


@contextmanager
def cluster() -> Iterator[Any]:
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.ERROR}
    with LocalCluster(n_workers=WORKERS, **options) as local, Client(local) as client:
        yield client


def against_one_process(rows: int) -> str:
    """Return an epoch of a file that fits, on two workers and in one process, in turn."""
    from sklearn.datasets import dump_svmlight_file

    X, y = zipf_rows(rows)
    with tempfile.TemporaryDirectory() as folder, cluster() as client:
        path = str(Path(folder, "rows.svm"))
        dump_svmlight_file(X, y, path, zero_based=False)
        size, seconds = os.path.getsize(path), ([], [])
        known = {"classes": [0.0, 1.0], "n_features": X.shape[1]}
        model = DaskPerceptron(shards=WORKERS, max_iter=3, **SETTING)
        model.fit(path, **known, client=client)  # the workers load the library
        for _ in range(REPEATS):
            model.fit(path, **known, client=client)
            seconds[0].append(float(np.median(model.history_["seconds"])))
            start = time.perf_counter()
            here = Perceptron(max_iter=1, **SETTING)
            for batch in open_stream(path):
                wide = with_width(batch.X.tocsr(), X.shape[1])
                here.partial_fit(wide, batch.y, classes=[0.0, 1.0])
            seconds[1].append(time.perf_counter() - start)
    two, one = (float(np.median(times)) for times in seconds)
    cells = [f"{size / 1e6:,.0f} MB", pretty(one), pretty(two), figure(two / one)]
    return table(["file", "one process", "two workers", "ratio"], [cells])


def make_batch(seed: int, marks: str) -> tuple[Any, Any]:
    """Make rows on a worker; leave a mark of it."""
    with open(marks, "ab") as file:
        file.write(b".")
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((BATCH // (8 * FEATURES), FEATURES))
    return X, (X[:, 0] > 0).astype(np.int64)


def fit_made(client: Any, shards: int, marks: str, epochs: int) -> None:
    make = dask.delayed(make_batch, pure=False)
    batches = [make(seed, marks) for seed in range(shards)]
    known = {"classes": [0, 1], "n_features": FEATURES}
    DaskPerceptron(max_iter=epochs, **SETTING).fit(batches, **known, client=client)


def peak(client: Any) -> float:
    """Return the largest memory that a worker has had, in bytes."""
    sizes = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return 1024.0 * max(sizes.values())


def memory(gigabytes: list[float]) -> str:
    """Return the peaks of fresh workers that learn so many bytes, made on the fly."""
    rows = []
    for size in gigabytes:
        with tempfile.TemporaryDirectory() as folder, cluster() as client:
            shards = round(size * 1e9 / BATCH)
            start = time.perf_counter()
            fit_made(client, shards, str(Path(folder, "marks")), 1)
            seconds = time.perf_counter() - start
            rows.append(
                [f"{size:g} GB", f"{shards:,}", pretty(seconds), f"{peak(client) / 1e6:,.0f} MB"]
            )
    return table(["rows made", "shards", "time", "most memory of a worker"], rows)


def after_a_kill() -> str:
    """Return how many batches are made again when a worker is killed in the middle of a round.

    They are the one that it was in, and one that was made ahead.
    """
    with tempfile.TemporaryDirectory() as folder, cluster() as client:
        marks = Path(folder, "marks")
        marks.touch()
        victim = next(iter(client.run(os.getpid).values()))

        def kill() -> None:
            while marks.stat().st_size < KILLED_SHARDS // 2:
                time.sleep(0.005)
            os.kill(victim, signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        fit_made(client, KILLED_SHARDS, str(marks), 1)
        thread.join()
        again = marks.stat().st_size - KILLED_SHARDS
    return table(["shards", "made again"], [[str(KILLED_SHARDS), str(again)]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[1.0, 2.0, 4.0])
    parser.add_argument("--rows", type=int, default=300_000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{machine()}\n")
    print(against_one_process(options.rows))
    print(memory(options.gigabytes))
    print(after_a_kill())


if __name__ == "__main__":
    main()
