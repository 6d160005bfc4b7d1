"""Calls in processes, or threads, of joblib: on this machine, or where its backend is."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import weakref
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

from rosenblatt.cluster.executors.calls import MEMORY_ADVICE, Call, Executor


class JoblibExecutor(Executor):
    """The workers of a ``joblib.Parallel``.

    They keep nothing between calls: what is kept lies in files of a temporary folder, which
    workers map into their memory.
    """

    def __init__(self, parallel: Any) -> None:
        self.parallel = parallel
        self.folder = tempfile.mkdtemp(prefix="rosenblatt-")
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def wait(self) -> None:
        """Return at once: workers begin with the first calls, and are of this version."""

    def workers(self) -> int:
        """Return the number of processes, or threads."""
        return int(joblib.effective_n_jobs(self.parallel.n_jobs))

    def keep(self, calls: Sequence[Call]) -> list[Any]:
        """Run calls, and return the files of their results."""
        paths = [os.path.join(self.folder, uuid.uuid4().hex) for _ in calls]
        return self.compute(
            [
                Call(_save, (path, call.function, *call.arguments), call.key)
                for path, call in zip(paths, calls, strict=True)
            ]
        )

    def results(self, calls: Sequence[Call]) -> Generator[tuple[int, Any]]:
        """Yield the results of calls, which are run level by level: first what the others need.

        A level of one call is run in this process.

        Raises
        ------
        RuntimeError
            A worker died.
        """
        results: dict[Call, Any] = {}
        for level in _levels(calls):
            jobs = [(call.function, call.replaced(results.__getitem__)) for call in level]
            if len(jobs) == 1:
                values = [_run(*jobs[0])]
            else:
                try:
                    values = self.parallel(joblib.delayed(_run)(*job) for job in jobs)
                except TerminatedWorkerError as error:
                    raise RuntimeError(f"a worker process died. {MEMORY_ADVICE}") from error
            results.update(zip(level, values, strict=True))
        yield from enumerate(results[call] for call in calls)


class _SavedResult(NamedTuple):
    """The file of a result that is kept."""

    path: str

    def load(self) -> Any:
        return joblib.load(self.path, mmap_mode="r")


def _save(path: str, function: Callable[..., Any], *arguments: object) -> _SavedResult:
    joblib.dump(function(*arguments), path)
    return _SavedResult(path)


def _run(function: Callable[..., Any], arguments: list[Any]) -> Any:
    """Call a function; arguments that are kept in files are loaded first."""
    return function(*(one.load() if isinstance(one, _SavedResult) else one for one in arguments))


def _levels(calls: Sequence[Call]) -> list[list[Call]]:
    """Return calls and those that they need, each level after those of which it needs any."""
    depths: dict[Call, int] = {}

    def depth(call: Call) -> int:
        if call not in depths:
            depths[call] = 1 + max(map(depth, call.needed()), default=-1)
        return depths[call]

    levels: list[list[Call]] = [[] for _ in range(1 + max(map(depth, calls)))]
    for call, level in depths.items():
        levels[level].append(call)
    return levels
