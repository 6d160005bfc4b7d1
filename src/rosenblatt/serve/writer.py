"""The one writer of the store: requests that wait at the same time share a commit."""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import apsw

from rosenblatt.serve.errors import BudgetError, StoreError, explain
from rosenblatt.serve.store.database import BUSY_MS, Database
from rosenblatt.serve.store.journal import count_commit
from rosenblatt.serve.store.layout import log_bytes
from rosenblatt.serve.store.tables import save_answers, save_predictions

MAX_EXAMPLES = 2000
"""Examples of one commit, but for a work that has more."""
MAX_ROWS = 1000
"""Predictions that are written with one commit."""
MAX_BYTES = 2**22
"""Bytes of them, but for the last one: a commit needs twice as much of the disk for a while."""
MAX_DEFERRED = 2**26
"""Bytes of predictions that wait for a commit; while the disk refuses, the oldest are dropped."""
ROW_BYTES = 300
"""Bytes of a row in memory, besides its content."""
TURN_SECONDS = 0.002
"""Time after which a commit that is being filled lets others have their turn."""
FLUSH_SECONDS = 0.5
"""Longest time that a prediction waits for a commit."""
RESERVE = 10**9
"""Bytes of the disk that predictions leave free, or a tenth of it if that is less."""
REMEDIES = 10
"""Part of the log's budget that rollbacks may take besides: one per tenth of it."""

T = TypeVar("T")
PredictionRow = tuple[int, int, float, bytes]
AnswerRow = tuple[bytes, int, str]


class Deferred(Generic[T]):
    """Rows that wait for a commit; the oldest go where they are too many bytes.

    Attributes
    ----------
    added, gone : int
        Rows that were added, and those of them that wait no more.
    """

    def __init__(self) -> None:
        self._rows: deque[tuple[T, int]] = deque()
        self._bytes = self.added = self.gone = 0

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: T, size: int) -> None:
        """Add a row of some bytes."""
        self.added += 1
        self._rows.append((row, size + ROW_BYTES))
        self._bytes += size + ROW_BYTES
        while self._bytes > MAX_DEFERRED:
            self._drop_first()

    def first_rows(self) -> list[T]:
        """Return the rows of the next commit."""
        rows, size = list[T](), 0
        for row, own in self._rows:
            if len(rows) == MAX_ROWS or size >= MAX_BYTES:
                break
            rows.append(row)
            size += own
        return rows

    def drop_until(self, count: int) -> None:
        """Drop rows, until so many of those that were added are gone: they are on the disk."""
        while self.gone < count:
            self._drop_first()

    def _drop_first(self) -> None:
        self._bytes -= self._rows.popleft()[1]
        self.gone += 1


class Work(Protocol):
    """What a request writes, and what it does then.

    Attributes
    ----------
    size : int
        Number of examples.
    is_long : bool
        Whether it is written in the other thread: in few calls, for each needs Python's lock.
    """

    size: int
    is_long: bool

    def write(self, connection: apsw.Connection) -> Iterator[None]:
        """Write, in the transaction of several works; yield where others may have their turn."""

    def finish(self, error: Exception | None) -> Iterator[None]:
        """Go on, once the transaction is on the disk, or failed; yield as :meth:`write`."""


class Disk(NamedTuple):
    """Bytes of a disk, and those of them that this user may still write."""

    size: int
    free: int


class Commit(NamedTuple):
    """Facts of a commit."""

    works: int
    seconds: float
    error: str | None


class Writer:
    """Group commit: the works of all requests that came during a commit are the next one.

    Few rows are written in the loop's thread, which is quick: they go to memory. The commit waits
    for the disk in another thread, and so do works that are long or have many rows.

    Parameters
    ----------
    database : Database
        Its connection that writes is used by the writer alone.
    report : callable
        Called with each :class:`Commit`.
    log_bytes : int, optional
        Budget of all logs.

    Attributes
    ----------
    clock : Clock
        The time by which ages count.
    has_room : bool
        Whether the disk has room for predictions; else they wait in memory.
    disk : Disk or None
        Room of the disk, as of the last commit or half second; None if it cannot be told.
    emptyings : int
        How often the journal was to be emptied: something was erased.
    """

    def __init__(
        self, database: Database, report: Callable[[Commit], object], log_bytes: int | None = None
    ) -> None:
        self._connection, self._file, self._report = database.writer, database.file, report
        self._journal, self._log_bytes = database.journal, log_bytes
        self._connection.set_busy_timeout(0)  # the loop's thread waits for nobody
        self.clock = database.clock
        self.has_room = True
        self.disk: Disk | None = None
        self._barriers = self._changes = self.emptyings = 0
        self._loop = asyncio.get_running_loop()
        self._works: deque[Work] = deque()
        self._predictions, self._answers = Deferred[PredictionRow](), Deferred[AnswerRow]()
        self._failed = self._stopped = False
        # Of those who wait for an empty journal: from the start, as the last process may have died.
        self._emptied: list[asyncio.Future[None]] = [self._loop.create_future()]
        self._between: deque[tuple[Callable[[apsw.Connection], Any], asyncio.Future[Any]]] = deque()
        self._wake = asyncio.Event()
        self._disk = ThreadPoolExecutor(1, "disk")
        self._on_disk = partial(self._loop.run_in_executor, self._disk)
        self._task = asyncio.create_task(self._run())
        self._flusher = asyncio.create_task(self._flush())

    def submit(self, work: Work) -> None:
        """Write a work with the next commit, and finish it then."""
        self._works.append(work)
        self._wake.set()

    def keep_prediction(self, row: PredictionRow) -> None:
        """Write a prediction with some commit soon."""
        self._predictions.add(row, len(row[-1]))

    def keep_answer(self, row: AnswerRow) -> None:
        """Write the answer to a request with a key with some commit soon."""
        self._answers.add(row, len(row[0]))

    async def do(self, write: Callable[[apsw.Connection], T]) -> T:
        """Return the result of a function that writes, once it and what came before is on the disk.

        Raises
        ------
        StoreError, RefusedError
            Nothing was written.
        """
        work = _Call(write, self._loop.create_future())
        self.submit(work)
        result: T = await work.future
        return result

    async def barrier(self) -> None:
        """Wait until all works that were submitted before are finished, and what waited, too.

        Raises
        ------
        StoreError
            The disk refuses.
        """
        self._barriers += 1
        try:
            await self._write_waiting()
        finally:
            self._barriers -= 1

    def budget_error(
        self, connection: apsw.Connection, added: int = 1, *, is_remedy: bool = False
    ) -> BudgetError | None:
        """Return the error of a log that has no room for so many bytes; None if it has.

        A remedy, such as a rollback, may take a tenth of the budget besides.
        """
        if self._log_bytes is None:
            return None
        more = self._log_bytes // REMEDIES if is_remedy else 0
        if log_bytes(connection) + added <= self._log_bytes + more:
            return None
        return BudgetError(
            f"the log has reached its budget of {self._log_bytes:,} bytes: nothing was changed, "
            "and nothing is deleted. Give --log-bytes more, or let old examples go "
            "(--keep-examples)."
        )

    def empty_journal(self) -> asyncio.Future[None]:
        """Move all commits from the journal to the database, so that old content is overwritten.

        The result is done then. That waits for those who read the store, such as a backup.
        """
        emptied: asyncio.Future[None] = self._loop.create_future()
        self._emptied.append(emptied)
        self.emptyings += 1
        self._commit_soon()
        return emptied

    async def between_commits(self, call: Callable[[apsw.Connection], T]) -> T:
        """Return the result of a function that is called while no transaction is open.

        Raises
        ------
        asyncio.CancelledError
            The writer has ended.
        """
        future: asyncio.Future[T] = self._loop.create_future()
        self._between.append((call, future))
        self._commit_soon()
        if self._stopped:
            future.cancel()
        return await future

    def _commit_soon(self) -> None:
        """Take care that a commit comes, whether there is work or not."""
        nobody = self._loop.create_future()
        nobody.cancel()
        self.submit(_Call(do_nothing, nobody))

    async def stop(self) -> None:
        """Write what waits, and end."""
        self._flusher.cancel()
        with suppress(StoreError):
            await self._write_waiting()
        self._stopped = True
        self._wake.set()
        await self._task
        self._disk.shutdown()
        for emptied in self._emptied:  # the last connection empties it
            emptied.cancel()
        for _, waiting in self._between:
            waiting.cancel()

    async def _flush(self) -> None:
        """Write what waits for a commit; after a failure, see whether the disk has room again."""
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            await self._on_disk(self._look_for_room)
            waits = self._answers or (self._predictions and self._takes_predictions)
            if waits or self._failed or self._emptied:
                with suppress(Exception):  # whatever failed: the next time is due all the same
                    await self._write_waiting()

    async def _write_waiting(self) -> None:
        """Write what waits, but no predictions where the disk has no room for them."""
        predictions, answers = self._predictions, self._answers
        last_prediction, last_answer = predictions.added, answers.added
        await self.do(do_nothing)
        while answers.gone < last_answer or (
            predictions.gone < last_prediction and self._takes_predictions
        ):
            await self.do(do_nothing)

    @property
    def _takes_predictions(self) -> bool:
        """Whether predictions are written: at a barrier also where the disk has too little room."""
        return self.has_room or self._barriers > 0

    def _look_for_room(self) -> None:
        """Look whether the disk has more free space than predictions must leave."""
        try:
            disk = os.statvfs(self._file.parent)
        except OSError:  # such as a folder that was moved: what is committed is committed
            self.disk, self.has_room = None, False
            return
        self.disk = Disk(disk.f_blocks * disk.f_frsize, disk.f_bavail * disk.f_frsize)
        self.has_room = self.disk.free > min(RESERVE, self.disk.size / 10)

    async def _run(self) -> None:
        while not self._stopped:
            await self._wake.wait()
            self._wake.clear()
            finished: asyncio.Future[None] | None = None  # the works of the commit before
            while self._works:
                works = [self._works.popleft()]
                size = works[0].size
                while self._works and size + self._works[0].size <= MAX_EXAMPLES:
                    works.append(self._works.popleft())
                    size += works[-1].size
                if finished is not None and any(isinstance(work, _Call) for work in works):
                    await finished  # a function may read what they learn
                start = time.perf_counter()
                error = await self._commit(works)
                self._failed = error is not None
                if finished is not None:
                    await finished
                finished = asyncio.ensure_future(self._finish(works, error, start))
                if self._emptied and error is None:  # after the answers, which need not wait
                    await finished
                    await self._try_to_empty_journal()
                await self._call_between()
            if finished is not None:
                await finished

    async def _finish(self, works: list[Work], error: Exception | None, start: float) -> None:
        """Finish works in their order, while the next commit waits for the disk."""
        await _take((step for work in works for step in work.finish(error)), time.perf_counter())
        message = None if error is None else str(error)
        self._report(Commit(len(works), time.perf_counter() - start, message))

    async def _commit(self, works: list[Work]) -> Exception | None:
        """Write works in one transaction; return the error if nothing was written."""
        write = self._connection
        predictions = self._predictions.first_rows() if self._takes_predictions else []
        answers = self._answers.first_rows()
        ends = self._predictions.gone + len(predictions), self._answers.gone + len(answers)
        try:
            try:
                write.execute("BEGIN IMMEDIATE")
            except apsw.BusyError:
                await self._on_disk(self._wait_and_begin)
            try:
                self._changes, turn = write.total_changes(), time.perf_counter()
                for work in works:
                    steps = work.write(write)
                    if work.is_long:
                        await self._on_disk(partial(_exhaust, steps))
                    else:
                        turn = await _take(steps, turn)
                if predictions:
                    save_predictions(write, predictions)
                if answers:
                    save_answers(write, answers)
                await self._on_disk(self._end)
            except BaseException:
                if write.in_transaction:
                    write.execute("ROLLBACK")
                raise
        except Exception as error:
            fault = explain(error) if isinstance(error, apsw.Error) else None
            return error if fault is None else StoreError(f"{self._file}: {fault}")
        self._predictions.drop_until(ends[0])
        self._answers.drop_until(ends[1])
        return None

    def _wait_and_begin(self) -> None:
        """Begin a transaction once no other program locks the store."""
        self._connection.set_busy_timeout(BUSY_MS)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        finally:
            self._connection.set_busy_timeout(0)

    def _end(self) -> None:
        if self._connection.total_changes() != self._changes:  # else nothing was written
            count_commit(self._connection)
        self._connection.execute("COMMIT")
        self._look_for_room()

    async def _call_between(self) -> None:
        while self._between:
            call, future = self._between.popleft()
            try:
                result = await self._on_disk(partial(call, self._connection))
            except Exception as error:
                if not future.done():
                    future.set_exception(error)
            else:
                if not future.done():
                    future.set_result(result)

    async def _try_to_empty_journal(self) -> None:
        """Empty the journal; if that fails, it is tried again after a later commit."""
        waiting, self._emptied = self._emptied, []
        try:
            await self._on_disk(self._journal.empty_journal)
        except (apsw.Error, OSError):  # somebody reads an older state, or the disk fails
            self._emptied = waiting + self._emptied
            return
        for emptied in waiting:
            if not emptied.done():
                emptied.set_result(None)


_OF_ALL = (
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.FullError,
    apsw.IOError,
    apsw.NotADBError,
    apsw.ReadOnlyError,
)
"""Faults of the disk or the database, which are those of all works of a commit."""


def do_nothing(connection: apsw.Connection) -> None:
    """Write nothing: :meth:`Writer.do` waits for the works before."""


def _exhaust(steps: Iterator[None]) -> None:
    """Take all steps at once."""
    deque(steps, maxlen=0)


async def _take(steps: Iterable[None], since: float) -> float:
    """Take steps, and let others have their turn every few milliseconds; return the last time."""
    for _ in steps:
        if time.perf_counter() - since > TURN_SECONDS:
            await asyncio.sleep(0)
            since = time.perf_counter()
    return since


class _Call:
    """A function that writes, as a work."""

    size = 1

    def __init__(
        self, call: Callable[[apsw.Connection], object], future: asyncio.Future[Any]
    ) -> None:
        self._call, self.future = call, future
        self.is_long = call is not do_nothing
        self._result: object = None
        self._refusal: Exception | None = None

    def write(self, connection: apsw.Connection) -> Iterator[None]:
        try:
            with connection:  # a savepoint: what is refused takes nothing else with it
                self._result = self._call(connection)
        except _OF_ALL:
            raise
        except Exception as refusal:
            if not connection.in_transaction:  # SQLite has rolled back all works
                raise
            self._refusal = refusal
        yield

    def finish(self, error: Exception | None) -> Iterator[None]:
        if self.future.cancelled():
            return
        if reason := error or self._refusal:
            self.future.set_exception(reason)
        else:
            self.future.set_result(self._result)
        yield
