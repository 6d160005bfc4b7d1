"""Rounds in joblib's processes and threads: the bits of Dask, and workers that die."""

import os
from operator import add
from pathlib import Path

import pytest
from cluster_bits import assert_same_bits
from joblib import Parallel

from rosenblatt import Perceptron
from rosenblatt.cluster.executors.calls import task
from rosenblatt.cluster.executors.on_joblib import JoblibExecutor
from rosenblatt.dask import DaskPerceptron
from rosenblatt.streams import DataError, open_stream


@pytest.fixture
def processes():
    with Parallel(n_jobs=2) as parallel:
        yield parallel


@pytest.mark.parametrize("shuffle", [True, False])
def test_files_give_the_bits_of_shards(processes, folder, shuffle):
    sources = str(folder / "*.svm")
    model = DaskPerceptron(max_iter=2, tol=None, shuffle=shuffle, output="average")
    model.fit(sources, client=processes)
    expected = Perceptron(shards=3, max_iter=2, tol=None, shuffle=shuffle, output="average")
    assert_same_bits(model, expected.fit(*open_stream(sources).read()))


def test_threads_score_as_here(folder, digits):
    sources, threads = str(folder / "*.svm"), Parallel(n_jobs=2, backend="threading")
    model = DaskPerceptron(max_iter=2, tol=None).fit(sources, client=threads)
    score = model.score(sources, client=threads)
    assert score == pytest.approx(model.to_local().score(*digits), abs=1e-12)


def test_calls_that_need_others_run_after_them_and_each_once(processes):
    executor = JoblibExecutor(processes)
    twice = task(add, 1, 2)
    total = task(add, task(add, twice, twice), task(add, task(abs, -4), 5))
    assert executor.compute([total, twice]) == [15, 3]
    several = executor.compute([task(os.getpid), task(os.getpid)])
    assert os.getpid() not in several
    assert executor.compute([task(os.getpid)]) == [os.getpid()]


def test_what_is_kept_is_a_file_that_goes_with_the_executor(processes):
    executor = JoblibExecutor(processes)
    kept = executor.keep([task(add, 1, 2), task(abs, 3)])
    assert executor.compute([task(max, one, 0) for one in kept]) == [3, 3]
    folder = Path(executor.folder)
    assert len(list(folder.iterdir())) == 2
    del executor
    assert not folder.exists()


def test_a_torn_file_is_named_with_its_line(processes, folder, tmp_path):
    torn = tmp_path / "torn.svm"
    torn.write_text("1 1:1\n0 2:1\n" * 99 + "1 1:")
    with pytest.raises(DataError, match=r"torn\.svm:199:\d+: found") as caught:
        DaskPerceptron(max_iter=2).fit([folder / "part-0.svm", torn], client=processes)
    assert caught.value.line == 199


def test_a_process_that_dies_is_an_error_that_names_shards(processes):
    executor = JoblibExecutor(processes)
    with pytest.raises(RuntimeError, match=r"a worker process died\. .* must fit .*, shards=k"):
        executor.compute([task(os._exit, 1), task(os._exit, 1)])
    assert executor.compute([task(abs, 1), task(abs, 2)]) == [1, 2]
