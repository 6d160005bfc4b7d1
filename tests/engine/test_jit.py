"""When a function is compiled, and what a plain call has in common with a compiled one."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from rosenblatt.engine import jit
from rosenblatt.engine.intrinsics import at


@pytest.fixture(autouse=True)
def limits(monkeypatch):
    """The limits of a program, in the place of those of the engine's tests."""
    monkeypatch.setattr(jit, "DISABLED", False)
    monkeypatch.setattr(jit, "CALL_LIMIT", 0.3)
    monkeypatch.setattr(jit, "TOTAL_LIMIT", 1.0)


def new(function=lambda array: array[0] + 1, **options):
    return jit.Compiled(function, cache=False, **options)


def is_compiled(function):
    return "dispatcher" in vars(function)


def test_small_work_is_plain_python_and_large_work_is_compiled():
    function = new()
    assert function(np.zeros(10)) == 1.0
    assert not is_compiled(function)
    assert function(np.zeros(10**6)) == 1.0
    assert is_compiled(function)


def test_many_small_calls_are_compiled_in_the_end(monkeypatch):
    function = new()
    monkeypatch.setattr(jit, "TOTAL_LIMIT", 0.001)
    calls = 0
    while not is_compiled(function) and calls < 10_000:
        function(np.zeros(3))
        calls += 1
    assert 1 < calls < 10_000


def test_the_estimate_of_the_work_decides():
    function = new(work=lambda array: 1e9)
    function(np.zeros(1))
    assert is_compiled(function)


def test_each_type_counts_by_itself():
    function = new()
    function(np.zeros(10**6))
    assert len(function.dispatcher.signatures) == 1
    function(np.zeros(1, np.float32))
    assert len(function.dispatcher.signatures) == 1, "float32 is small work"
    function(np.zeros(1))
    assert len(function.dispatcher.signatures) == 1
    function(np.zeros(10**6, np.float32))
    assert len(function.dispatcher.signatures) == 2


def test_an_entry_point_becomes_machine_code(monkeypatch):
    function = new()
    entry = jit.entry_point(function, (np.zeros(1),), 10)
    assert entry(np.ones(1)) == 2.0
    assert not is_compiled(function)
    monkeypatch.setattr(jit, "TOTAL_LIMIT", 0.0)
    assert entry(np.ones(1)) == 2.0
    assert is_compiled(function)
    again = jit.entry_point(function, (np.zeros(1),), 10)
    monkeypatch.setattr(jit, "TOTAL_LIMIT", 1.0)
    monkeypatch.setattr(function, "py_func", None)
    assert again(np.ones(1)) == 2.0, "what is compiled runs compiled"


@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_results_are_pythons_numbers(limit, monkeypatch):
    monkeypatch.setattr(jit, "CALL_LIMIT", limit)
    result = new(lambda array: (array[0], array[0] > 0.0, array.shape[0]))(np.ones(1))
    assert result == (1.0, True, 1)
    assert [type(part) for part in result] == [float, bool, int]


def test_plain_python_does_not_warn():
    assert new(lambda array: array[0] * array[0])(np.array([1e300])) == np.inf


RULE = """
from typing import NamedTuple

class Mine(NamedTuple):
    def step(self, score, y, sqnorm):
        return y if y * score <= 0.0 else 0.0
"""

PROGRAM = """
import sys
import numpy as np
from my_rule import Mine
from rosenblatt import Perceptron, rules

rng = np.random.default_rng(0)
X = rng.normal(size=(int(sys.argv[1]), 10))
rule = Mine() if sys.argv[2] == "own" else rules.Perceptron()
Perceptron(max_iter=1, tol=None, rule=rule).fit(X, X[:, 0] > 0).predict(X)
print("numba" in sys.modules)
"""


@pytest.fixture
def imports_numba(tmp_path):
    """Whether a program that learns so many rows by such a rule has imported numba in the end."""
    (tmp_path / "my_rule.py").write_text(RULE)
    (tmp_path / "program.py").write_text(PROGRAM)

    def run(rows, rule="own"):
        return subprocess.run(
            [sys.executable, str(tmp_path / "program.py"), str(rows), rule],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    return run


def test_numba_is_imported_for_large_work_of_an_own_rule_alone(imports_numba):
    assert imports_numba(100) == "False"
    assert imports_numba(100_000, "library's") == "False"
    assert imports_numba(100_000) == "True"


def test_machine_code_on_disk_is_loaded_earlier(imports_numba):
    assert imports_numba(6_000) == "False"
    assert imports_numba(50_000) == "True"
    assert imports_numba(6_000) == "True", "an epoch of 0.2 s is worth loading, but not compiling"
    assert imports_numba(50) == "False"


def test_ctrl_c_waits_for_the_end_of_a_plain_call():
    steps = []

    def interrupted(array):
        steps.append("begin")
        signal.raise_signal(signal.SIGINT)
        steps.append("end")

    with pytest.raises(KeyboardInterrupt):
        new(interrupted)(np.zeros(1))
    assert steps == ["begin", "end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_thread_runs_plain_python_too():
    results = []
    thread = threading.Thread(target=lambda: results.append(new()(np.zeros(1))))
    thread.start()
    thread.join()
    assert results == [1.0]


def test_a_function_that_cannot_be_compiled_may_stay_plain_python():
    function = jit.Compiled(lambda array: {len(array): 1}[1.5], cache=False)
    with pytest.raises(Exception, match="nopython"):
        function(np.zeros(10**6))

    def floor(array):
        return __import__("math").floor(array[0])

    function = jit.Compiled(floor, cache=False, fallback=True)
    with pytest.warns(RuntimeWarning, match="runs as plain Python"):
        assert function(np.zeros(10**6)) == 0
    assert function(np.zeros(10**6)) == 0, "it warns once"


def test_ctrl_c_is_not_lost_in_an_error():
    def failing(array):
        signal.raise_signal(signal.SIGINT)
        raise ValueError

    with pytest.raises(KeyboardInterrupt):
        new(failing)(np.zeros(1))


def test_threads_wait_for_the_compiler():
    function = new(lambda array: at(array, 0))
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(function(np.ones(10**6)))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [1.0] * 4


def test_long_compilations_are_logged(monkeypatch, caplog):
    monkeypatch.setattr(jit, "NOTICE_SECONDS", 0.0)
    new(lambda array: at(array, 0))(np.ones(10**6))
    assert any("compiling for some seconds: " in record.message for record in caplog.records)
    monkeypatch.setattr(jit, "NOTICE_SECONDS", 60.0)
    caplog.clear()
    new(lambda array: at(array, 0))(np.ones(10**6))
    assert not caplog.records


def test_the_clock_stands_still_while_something_is_compiled():
    start, began = jit.clock(), time.perf_counter()
    new(lambda array: at(array, 0))(np.ones(10**6))
    assert jit.clock() - start < time.perf_counter() - began
