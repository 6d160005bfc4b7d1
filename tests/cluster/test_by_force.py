"""Killed workers, schedulers and clients; workers that leave and join; torn and odd shards."""

import contextlib
import os
import signal
import time

import dask
import dask.array as da
import numpy as np
import pytest
from cluster_bits import assert_same_bits
from cluster_processes import (
    Killer,
    deadly_batch,
    fit_and_die,
    guarded_batch,
    process,
    scheduler,
    worker,
)
from distributed import Client, LocalCluster
from profiles import scaled
from sklearn.base import clone

from rosenblatt import Perceptron
from rosenblatt.cluster.executors.calls import task
from rosenblatt.cluster.executors.on_dask import DaskExecutor
from rosenblatt.dask import DaskPerceptron
from rosenblatt.streams import DataError

ROUNDS = scaled(20)
FIXED = {"tol": None, "shuffle": False}


@pytest.fixture
def client(processes):
    return processes


def test_a_worker_killed_in_each_round_changes_no_bit(
    cluster, client, digits, parts, tmp_path, monkeypatch
):
    X, y = digits
    cluster.scale(4)  # some work while others start again
    client.wait_for_workers(4)
    monkeypatch.setattr(
        cluster.scheduler, "allowed_failures", ROUNDS
    )  # one batch may meet all kills
    make, killer = dask.delayed(guarded_batch, pure=False), Killer(tmp_path)
    batches = [make(X[part], y[part], str(tmp_path)) for part in parts[:3]]

    def order_next(row, examples):
        if row[0] < ROUNDS:
            killer.order()

    killer.start()
    killer.order()
    try:
        model = DaskPerceptron(max_iter=ROUNDS, **FIXED)
        model.fit(batches, classes=range(10), n_features=64, report=order_next)
    finally:
        killer.stop()
        cluster.scale(2)
    assert killer.killed == ROUNDS
    n = sum(map(len, parts[:3]))
    expected = Perceptron(max_iter=ROUNDS, shards=3, **FIXED).fit(X[:n], y[:n])
    assert_same_bits(model, expected)


def test_a_killed_worker_costs_the_shard_that_it_was_in(
    cluster, client, digits, tmp_path, monkeypatch
):
    X, y = digits
    # a worker that had batches in advance would make more of them before it learns the first
    monkeypatch.setattr(cluster.scheduler, "WORKER_SATURATION", 1.0)
    make, parts = dask.delayed(deadly_batch, pure=False), np.array_split(np.arange(len(y)), 24)
    batches = [make(X[part], y[part], str(tmp_path), s, 15) for s, part in enumerate(parts)]
    known = {"classes": range(10), "n_features": 64}
    model = DaskPerceptron(max_iter=1, **FIXED).fit(batches, **known)
    made = (tmp_path / "made").read_bytes()
    assert (tmp_path / "died").exists()
    assert 24 < len(made) <= 24 + 2  # and the batch before, if it was made and not yet learned
    assert_same_bits(model, Perceptron(max_iter=1, shards=24, **FIXED).fit(X, y))


def test_a_shard_that_kills_its_workers_is_an_error_that_names_shards():
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(**options) as small,
        Client(small) as small_client,
    ):
        batch = dask.delayed(os._exit, pure=False)(1)
        with pytest.raises(RuntimeError, match=r"workers died .* must fit .*, shards=k"):
            DaskPerceptron(max_iter=1).fit([batch])
        calls = [task(os._exit, 1), task(time.sleep, 5.0, key="other")]
        with pytest.raises(RuntimeError, match="workers died") as kept:
            DaskExecutor(small_client).compute(calls)
        assert "other" not in small_client.futures, kept  # it is cancelled


def test_workers_that_leave_and_join_change_no_bit(cluster, client, digits, caplog):
    X, y = digits
    workers = []

    def change(row, examples):
        if row[0] == 2:
            cluster.scale(3)
            client.wait_for_workers(3)
        if row[0] == 4:
            client.retire_workers([min(cluster.scheduler.workers)])
        workers.append(len(cluster.scheduler.workers))

    rows, labels = da.from_array(X, chunks=(400, 64)), da.from_array(y, chunks=400)
    model = DaskPerceptron(max_iter=6, shards=5, tol=None).fit(rows, labels, report=change)
    cluster.scale(2)
    assert {2, 3} <= set(workers)
    (said,) = [one.message for one in caplog.records if one.name.startswith("rosenblatt")]
    assert "was lost, or has left: what it had is computed again" in said
    assert_same_bits(model, Perceptron(max_iter=6, shards=5, tol=None).fit(X, y))


def test_workers_gone_for_good_are_said_and_waited_for(cluster, client, monkeypatch):
    monkeypatch.setattr("rosenblatt.cluster.clients.ABSENCE_SECONDS", 1)
    said = []

    def start_some(sentence):
        said.append(sentence)
        cluster.scale(2)

    cluster.scale(0)
    while client.nthreads():
        time.sleep(0.02)
    assert DaskExecutor(client, start_some).compute([task(abs, -3)]) == [3]
    assert said == ["no worker for 1 seconds; waiting for one: dask worker ADDRESS starts one."]


def test_a_fit_resumes_where_its_client_was_killed(cluster, client, folder, tmp_path):
    path, sources = tmp_path / "fit.checkpoint", str(folder / "*.svm")
    with process(fit_and_die, cluster.scheduler_address, sources, path) as child:
        child.join(60)
        assert child.exitcode == -signal.SIGKILL
    model = DaskPerceptron(max_iter=6, tol=None)
    epochs = []
    model.fit(sources, checkpoint=path, report=lambda row, examples: epochs.append(row[0]))
    assert epochs[0] == 3  # its report came before the checkpoint
    whole = clone(model).fit(sources)
    assert_same_bits(model, whole)
    with pytest.warns(UserWarning, match="has ended, so nothing is learned"):
        finished = clone(model).fit(sources, checkpoint=path, report=pytest.fail)
    assert_same_bits(finished, whole)


def test_a_fit_resumes_on_another_cluster_when_the_scheduler_was_killed(client, folder, tmp_path):
    path, file, sources = tmp_path / "fit.checkpoint", tmp_path / "scheduler", str(folder / "*.svm")
    model = DaskPerceptron(max_iter=5, tol=None, output="average")
    with scheduler(file) as head:
        while not file.exists():
            pass
        other = Client(scheduler_file=str(file), timeout=5, set_as_default=False)
        with other, worker(other.scheduler.address):
            other.wait_for_workers(1)

            def kill(row, examples):
                if row[0] == 3:
                    head.kill()

            with pytest.raises(ConnectionError, match="the scheduler was lost"):
                model.fit(sources, checkpoint=path, client=other, report=kill)
    model.fit(sources, checkpoint=path)
    assert_same_bits(model, clone(model).fit(sources))


def test_a_torn_file_is_named_with_its_line(client, folder, tmp_path):
    text = (folder / "part-1.svm").read_text()
    torn = tmp_path / "torn.svm"
    torn.write_text(text[: text.index("\n", 20_000) - 2] + ":")
    line = torn.read_text().count("\n") + 1
    for shuffle in (True, False):
        with pytest.raises(DataError, match=rf"torn\.svm:{line}:\d+: found") as caught:
            DaskPerceptron(max_iter=2, shuffle=shuffle).fit([folder / "part-0.svm", torn])
        assert (caught.value.source, caught.value.line) == (str(torn), line)
    assert client.submit(sum, [1, 2]).result(10) == 3  # nothing hangs


def test_an_empty_shard_takes_no_part(client, folder, tmp_path):
    files = sorted(folder.glob("*.svm"))
    (tmp_path / "empty.svm").touch()
    model = DaskPerceptron(max_iter=3, **FIXED)
    with_empty = clone(model).fit([*files[:2], tmp_path / "empty.svm", *files[2:]])
    assert with_empty.coef_.tobytes() == model.fit(files).coef_.tobytes()
    kept = DaskPerceptron(max_iter=3, tol=None).fit([*files, tmp_path / "empty.svm"])
    assert kept.t_ == model.t_
    with pytest.raises(DataError, match="no rows in any of the files"):
        DaskPerceptron().fit([tmp_path / "empty.svm"] * 2)


def test_a_shard_of_one_class_is_learned(client, digits):
    X, y = digits
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = DaskPerceptron(max_iter=3, shards=10, tol=None)
    with pytest.warns(UserWarning, match="10 of 10 shards differ"):
        model.fit(da.from_array(X), da.from_array(y))
    assert_same_bits(model, Perceptron(max_iter=3, shards=10, tol=None).fit(X, y))
    with pytest.raises(ValueError, match="got 1 class"):
        DaskPerceptron().fit(da.from_array(X[:50]), da.from_array(y[:50]))


def test_labels_of_mixed_types_are_refused(client, tmp_path):
    (tmp_path / "a.csv").write_text("x,kind\n1,2\n2,3\n")
    (tmp_path / "b.csv").write_text("x,kind\n1,two\n2,three\n")
    with pytest.raises(ValueError, match="mixed types"):
        DaskPerceptron().fit([tmp_path / "a.csv", tmp_path / "b.csv"])


@pytest.fixture
def other_version(tmp_path):
    """A folder where a process finds another version."""
    other = tmp_path / "rosenblatt-0.0.1.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: rosenblatt\nVersion: 0.0.1\n")
    return str(tmp_path)


OTHER_VERSION = r"the worker tcp://\S+ has rosenblatt 0\.0\.1, and this process "


def test_workers_of_another_version_are_refused(client, folder, other_version):
    with worker(client.scheduler.address, other_version):
        client.wait_for_workers(3)
        with pytest.raises(RuntimeError, match=OTHER_VERSION):
            DaskPerceptron().fit(str(folder / "*.svm"))


def test_a_worker_of_another_version_that_comes_late_is_refused(client, folder, other_version):
    with contextlib.ExitStack() as late:

        def join(row, examples):
            if row[0] == 1:
                late.enter_context(worker(client.scheduler.address, other_version))
                client.wait_for_workers(3)

        model = DaskPerceptron(max_iter=30, shards=12, **FIXED)
        with pytest.raises(RuntimeError, match=OTHER_VERSION):
            model.fit(str(folder / "*.svm"), report=join)
