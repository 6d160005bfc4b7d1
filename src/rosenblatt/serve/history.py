"""A model as it was at a version: its log, replayed from a snapshot or from the start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from rosenblatt.serve.encoded.files import file_of, of_snapshot, untrained
from rosenblatt.serve.errors import RefusedError, StoreError
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.rows import PlainRows
from rosenblatt.serve.schema import Config
from rosenblatt.serve.store.log import (
    FILES,
    Kind,
    Log,
    Record,
    decode_config,
    decode_row,
    decode_version,
)
from rosenblatt.serve.store.tables import newest_snapshot

if TYPE_CHECKING:
    from rosenblatt.learning.online.encoded import HowRead

AT_ONCE = 500
"""Records that are read before they are learned, at most."""
BYTES_AT_ONCE = 1_000_000
"""Bytes of records after which they are learned: rows in memory are many times as large."""
Report = Callable[[int, bool], object]
"""Called with each version that is learned, and whether its label was predicted."""


def state_at(log: Log, version: int, config: Config, *, other_config: bool = False) -> LiveModel:
    """Return a model at a version: to the last bit what it was then, but for erased examples.

    Parameters
    ----------
    log : Log
    version : int
    config : dict
        Configuration of the model.
    other_config : bool, default=False
        Whether the configuration is not that of the model: snapshots, model files and promotions do
        not count, and it begins anew at the latter two.

    Raises
    ------
    RefusedError
        The version is not in the log.
    StoreError
        The log is damaged.
    """
    first, last = log.bounds()
    first -= first == 1  # the model before its first record
    if not first <= version <= last:
        raise RefusedError(
            404, f"version {version} is not kept: the versions are {first} to {last}."
        )
    live, segments = _segments(log, version, config, other_config)
    return _replay_segments(live, log, segments)


def last_state(log: Log, config: Config, report: Report) -> LiveModel:
    """Return :func:`state_at` of the last version; check the records that it does not replay, too.

    Raises
    ------
    StoreError
        The log is damaged.
    """
    live, segments = _segments(log, log.bounds()[1], config, other_config=False)
    for _ in log.read(log.bounds()[0] - 1, segments[0][0]):
        pass
    return _replay_segments(live, log, segments, report)


def _replay_segments(
    live: LiveModel,
    log: Log,
    segments: list[tuple[int, int]],
    report: Report = lambda version, was_right: None,
) -> LiveModel:
    for start, end in reversed(segments):
        replay(live, log, start, end, report)
    live.version = segments[0][1]
    return live


def replay(
    live: LiveModel,
    log: Log,
    after: int,
    last: int,
    report: Report = lambda version, was_right: None,
) -> None:
    """Learn the examples of a log with versions above ``after``, up to ``last``."""
    for run in _runs(log.read(after, last)):
        if run[0].kind == Kind.EXAMPLE:
            # What is refused was so when it was learned first: it changed nothing.
            rows = PlainRows([decode_row(record.body) for record in run])
            outcomes = live.learn_rows(rows, 0, len(run), run[0].version)
            for record, outcome in zip(run, outcomes, strict=True):
                report(record.version, outcome is True)
        live.version = run[-1].version


def _runs(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Yield records that follow each other, all of them examples or none, few bytes at once."""
    run: list[Record] = []
    size = 0
    for record in records:
        is_alike = not run or (record.kind == Kind.EXAMPLE) == (run[0].kind == Kind.EXAMPLE)
        if not is_alike or len(run) == AT_ONCE or size > BYTES_AT_ONCE:
            yield run
            run, size = [], 0
        run.append(record)
        size += len(record.body)
    if run:
        yield run


def _segments(
    log: Log, version: int, config: Config, other_config: bool
) -> tuple[LiveModel, list[tuple[int, int]]]:
    """Return the model to start from, and the ranges of versions to replay, the last one first.

    A rollback leads back to an earlier version, whose own history counts from there. A promoted
    shadow is trained again, without what has been erased since.
    """
    segments = []
    while True:
        snapshot = None if other_config else newest_snapshot(log.connection, log.model, version)
        base = log.bounds()[0] - 1 if snapshot is None else snapshot.version
        if snapshot is None and base > 0 and not other_config:
            raise StoreError(
                f"the log of the model {log.name!r} begins at version {base + 1}, and the snapshot "
                "of that version is damaged. Restore the store from a backup."
            )
        reset = log.last_reset(base, version)
        if reset is None:
            segments.append((base, version))
            if snapshot is None:
                return untrained(config, how_read(log, version) if other_config else None), segments
            return of_snapshot(snapshot), segments
        segments.append((reset.version, version))
        if reset.kind == Kind.ROLLBACK:
            version = decode_version(reset.body)
        elif other_config:
            return untrained(config, how_read(log, reset.version)), segments
        elif reset.kind == Kind.PROMOTION:
            promoted = decode_config(reset.body)
            shadow = _segments(log, reset.version - 1, promoted, other_config=True)
            return _replay_segments(shadow[0], log, shadow[1]).promoted(), segments
        else:
            return file_of(reset), segments


def how_read(log: Log, version: int) -> HowRead | None:
    """Return how the rows of a model are read at a version; None of names and numbers alone."""
    first = log.bounds()[0]
    while (reset := log.last_reset(first - 1, version)) is not None:
        if reset.kind in FILES:
            return file_of(reset).how
        version = decode_version(reset.body) if reset.kind == Kind.ROLLBACK else reset.version - 1
    snapshot = None if first == 1 else newest_snapshot(log.connection, log.model, first)
    return None if snapshot is None else of_snapshot(snapshot).how
