"""Rounds on a Ray cluster, where Ray is installed: the bits of Dask, errors, lost workers."""

import os
import sys
from pathlib import Path

import pytest
from cluster_bits import assert_same_bits

from rosenblatt import Perceptron
from rosenblatt.cluster.executors.calls import task
from rosenblatt.cluster.executors.on_ray import RayExecutor
from rosenblatt.dask import DaskPerceptron
from rosenblatt.streams import DataError, open_stream

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    paths = {"PYTHONPATH": ":".join(filter(None, sys.path))}  # workers import this file
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "error"}
    ray.init(num_cpus=2, runtime_env={"env_vars": paths}, **quiet)
    yield
    ray.shutdown()


def add(*values):
    return sum(values)


def die_once(path):
    """Kill this process in the first call."""
    if not Path(path).exists():
        Path(path).touch()
        os._exit(1)
    return 7


@pytest.mark.parametrize("shuffle", [True, False])
def test_files_give_the_bits_of_shards(folder, shuffle):
    sources = str(folder / "*.svm")
    model = DaskPerceptron(max_iter=3, tol=None, shuffle=shuffle).fit(sources, client=ray)
    X, y = open_stream(sources).read()
    assert_same_bits(model, Perceptron(shards=3, max_iter=3, tol=None, shuffle=shuffle).fit(X, y))
    score = model.score(sources, client=ray)
    assert score == pytest.approx(model.to_local().score(X, y), abs=1e-12)


def test_a_call_of_a_lost_worker_runs_again(tmp_path):
    executor = RayExecutor(ray)
    (kept,) = executor.keep([task(die_once, str(tmp_path / "died"))])
    three = task(add, 1, 2)
    assert executor.compute([task(add, kept, three), three]) == [10, 3]
    assert (tmp_path / "died").exists()


def test_a_torn_file_is_named_with_its_line(folder, tmp_path):
    torn = tmp_path / "torn.svm"
    torn.write_text("1 1:1\n0 2:1\n" * 99 + "1 1:")
    with pytest.raises(DataError, match=r"torn\.svm:199:\d+: found") as caught:
        DaskPerceptron(max_iter=2).fit([folder / "part-0.svm", torn], client=ray)
    assert caught.value.line == 199
