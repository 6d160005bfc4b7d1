"""A cluster of two real processes on loopback, for all tests of this folder."""

import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context
from forked import PRELOADED as OF_SERVICES
from profiles import is_thorough
from sklearn.datasets import load_digits

K = 3
"""Shards of the digits in these tests."""


PRELOADED = ["rosenblatt.estimators", "rosenblatt.cluster.tasks", "rosenblatt.engine.linear.loops"]
PRELOADED += ["rosenblatt.streams.arrow.reader", "dask.array", "dask.dataframe", "distributed"]
"""Modules that a new worker process has at once: tests kill or start twenty of them."""

dask.config.set({
    "distributed.worker.multiprocessing-method": "forkserver",
    # Clocks and profiles of idle processes would take as much time as the tests.
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "5s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
})  # fmt: skip
get_mp_context().set_forkserver_preload([*PRELOADED, *OF_SERVICES])  # one process for both


_running = ExitStack()


@cache
def _start(processes):
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": processes}
    return _running.enter_context(LocalCluster(n_workers=2, **options))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem):
    """End the clusters with this folder's tests: idle, they would take time of those of others."""
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        _running.close()
        _start.cache_clear()


@pytest.fixture
def cluster():
    return _start(processes=True)


@pytest.fixture
def processes(cluster):
    """The client of the cluster."""
    cluster.scale(2)
    deadline = time.monotonic() + 60.0
    while len(cluster.scheduler.workers) != 2:  # workers of the test before may still leave
        assert time.monotonic() < deadline
        time.sleep(0.02)
    with Client(cluster) as client:
        client.wait_for_workers(2)
        yield client


@pytest.fixture
def client(request):
    """The client of a cluster of two threads, for half the time of one of processes.

    By night it is that of the cluster.
    """
    if is_thorough():
        yield request.getfixturevalue("processes")
    else:
        with Client(_start(processes=False)) as client:
            yield client


@pytest.fixture(scope="session")
def digits():
    return load_digits(return_X_y=True)


@pytest.fixture(scope="session")
def parts(digits):
    """The rows of each shard, as ``Perceptron(shards=K)`` cuts them."""
    return np.array_split(np.arange(len(digits[1])), K)


@pytest.fixture(scope="session")
def lines(digits):
    """The digits as svmlight text; every row names the last column."""
    return [
        f"{label} " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(x) if v or j == 63) + "\n"
        for x, label in zip(*digits, strict=True)
    ]


@pytest.fixture(scope="session")
def folder(tmp_path_factory, lines, parts):
    """A file for each shard."""
    folder = tmp_path_factory.mktemp("digits")
    for s, part in enumerate(parts):
        (folder / f"part-{s}.svm").write_text("".join(lines[i] for i in part))
    return folder


@pytest.fixture(scope="session")
def table():
    """Rows of three numbers, and their labels."""
    x = np.random.default_rng(0).integers(0, 9, (60, 3))
    kinds = np.where(x[:, 0] > x[:, 1], "spam", "ham")
    return pd.DataFrame(x, columns=["a", "b", "c"]).assign(kind=kinds)
