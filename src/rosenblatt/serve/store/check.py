"""A store that nobody serves, verified: journal, pages, tables, checksums, chains, snapshots."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from rosenblatt.serve.encoded.files import of_snapshot, read_file
from rosenblatt.serve.errors import RefusedError, StoreError, explained
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.database import FILE, LOCK
from rosenblatt.serve.store.journal import head_of, judge, read_unchanged, wal_of
from rosenblatt.serve.store.layout import FORMAT
from rosenblatt.serve.store.log import Kind, Log, decode_config, decode_row, decode_version
from rosenblatt.serve.store.pages import damaged_pages, has_checksums, header_fault
from rosenblatt.serve.store.tables import decode_answer, decode_features

SHOWN = 10
"""Pages, and faults of the structure, that are listed."""
READERS: dict[int, Callable[[bytes], object]] = {
    Kind.EXAMPLE: decode_row,
    Kind.ROLLBACK: decode_version,
    Kind.FILE: LiveModel.from_file,
    Kind.ENCODED_FILE: read_file,
    Kind.ERASURE: decode_version,
    Kind.PROMOTION: decode_config,
}
"""What reads the body of a record, by its kind; other records have none."""


class CheckedModel(NamedTuple):
    """A model of a store: its versions, and the head of its log at the last one."""

    name: str
    first: int
    last: int
    head: str


class Report(NamedTuple):
    """What a store has, and what is damaged, with its file, table or version."""

    models: list[CheckedModel]
    faults: list[str]


def check_store(folder: str | os.PathLike[str]) -> Report:
    """Verify a store, and change no byte of it.

    Raises
    ------
    StoreError
        There is no store, a service has it, or it is of another layout.
    """
    file = Path(folder) / FILE
    with not_served(Path(folder)):
        report = Report([], [])
        _check_files(file, report.faults)
        if file.exists() and file.stat().st_size and header_fault(file) is None:
            is_checked = has_checksums(file)  # to close the file later would take SQLite's lock
            with explained(file):
                connection = read_unchanged(file)
            with closing(connection):
                _check_tables(connection, file, report, is_checked)
    return report


@contextmanager
def not_served(folder: Path) -> Iterator[None]:
    """Keep a service from starting on a store.

    Raises
    ------
    StoreError
        There is no store, or a service has it.
    """
    locks: list[int] = []
    try:
        for path in (folder, folder / LOCK):
            with suppress(FileNotFoundError, NotADirectoryError):
                locks.append(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        if not locks or (not (folder / FILE).exists() and not head_of(folder / FILE).exists()):
            raise StoreError(f"{folder}: no store of a service.")
        for lock in locks:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise StoreError(f"{folder}: a service has this store. Stop it first.") from error
    finally:
        for lock in locks:
            os.close(lock)


def _check_files(file: Path, faults: list[str]) -> None:
    """Look at the files, before SQLite does."""
    verdict = judge(file)
    if verdict.fault is not None:
        rest = f"; {FILE} has all of it, and a start drops it" if verdict.is_moved else ""
        faults.append(verdict.fault + rest)
    if verdict.is_head_damaged:
        faults.append(f"{head_of(file)}: damaged; a start writes it anew")
    if not file.exists() or not file.stat().st_size:
        return
    if verdict.is_head_missing:
        dropped = f"; a start drops {verdict.torn:,} bytes of it" if verdict.torn else ""
        faults.append(
            f"{head_of(file)}: missing; without it nothing tells whether {wal_of(file)} has all "
            f"that was acknowledged{dropped}"
        )
    if fault := header_fault(file):
        faults.append(f"{file}: {fault}")
    elif has_checksums(file):
        pages = damaged_pages(file)
        faults += [f"{file}: page {page} has a wrong checksum" for page in pages[:SHOWN]]
        if len(pages) > SHOWN:
            faults.append(f"{file}: {len(pages) - SHOWN:,} more pages have wrong checksums")


def _check_tables(
    connection: apsw.Connection, file: Path, report: Report, is_checked: bool
) -> None:
    """Read everything as a service would, and more."""
    faults = report.faults
    with _finding(faults, f"{file}: its tables"):
        layout = connection.pragma("user_version")
        if layout != FORMAT or not is_checked:
            faults.append(
                f"{file}: of layout {layout}, and not {FORMAT}: of another version of rosenblatt, "
                "or its header is damaged"
            )
            return
        with _finding(faults, f"{file}: its structure"):  # no row is hidden from an index or table
            for (text,) in connection.execute(f"PRAGMA integrity_check({SHOWN})"):
                if text != "ok":
                    faults.append(f"{file}: {' '.join(text.splitlines())}")
        for number, name in list(connection.execute("SELECT id, name FROM models ORDER BY id")):
            if not name.startswith(tables.PURGED):
                _check_model(connection, number, name, report)
        with _finding(faults, "table models"):
            tables.read_models(connection)
        with _finding(faults, "table keys"):
            for key, answer in connection.execute("SELECT key, answer FROM keys"):
                with _finding(faults, f"table keys, key {key!r}"):
                    if answer is not None:
                        decode_answer(answer)
        with _finding(faults, "table predictions"):
            for number, features in connection.execute("SELECT id, features FROM predictions"):
                with _finding(faults, f"table predictions, p{number}"):
                    decode_features(features)


def _check_model(connection: apsw.Connection, number: int, name: str, report: Report) -> None:
    """Read the log, the snapshots and the shadows of a model."""
    log, faults = Log(connection, number, name), report.faults
    with _finding(faults, f"table log, model {name!r}"):
        first, last = log.bounds()
        report.models.append(CheckedModel(name, first, last, log.head(last)))
        log.check_chain()
        for record in log.read(first - 1, last):
            with _finding(faults, f"table log, model {name!r}, version {record.version}"):
                if record.kind in READERS:
                    READERS[record.kind](record.body)
    with _finding(faults, f"table snapshots, model {name!r}"):
        for version in tables.snapshot_versions(connection, number):
            with _finding(faults, f"table snapshots, model {name!r}, version {version}"):
                snapshot = tables.newest_snapshot(connection, number, version)
                if snapshot is None or snapshot.version != version:
                    raise ValueError("its checksum is wrong")
                of_snapshot(snapshot)
    with _finding(faults, f"table shadows, model {name!r}"):
        tables.read_shadows(connection, number)


@contextmanager
def _finding(faults: list[str], what: str) -> Iterator[None]:
    """Note what cannot be read, and go on with the next."""
    try:
        yield
    except apsw.BusyError as error:
        raise StoreError(
            f"{what}: a replica or a backup reads this store. Stop it first."
        ) from error
    except StoreError as error:
        faults.append(str(error).partition(". ")[0])
    except (apsw.Error, ValueError, TypeError, KeyError, RefusedError) as error:
        faults.append(f"{what}: {error}")
