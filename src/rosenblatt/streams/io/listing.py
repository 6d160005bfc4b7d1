"""Folders and patterns at URLs, as a file system lists them: an object store in few requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rosenblatt.streams.core.access import Access
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.io.folders import Entry, is_hidden
from rosenblatt.streams.io.lines import read_error
from rosenblatt.streams.io.remote import filesystem_of, os_errors, version_of_info

_answers: ContextVar[dict[tuple[object, ...], Any] | None] = ContextVar("answers", default=None)


@contextmanager
def one_listing() -> Iterator[None]:
    """List each folder and pattern at a URL once, however many steps of a run ask for it.

    One step finds the format, the next reads the first rows, and another cuts files into shards.

    Examples
    --------
    >>> with one_listing():
    ...     entries_at("memory://*.svm", Access(), is_pattern=True)
    []
    """
    token = _answers.set({} if (before := _answers.get()) is None else before)
    try:
        yield
    finally:
        _answers.reset(token)


def entries_at(url: str, access: Access, is_pattern: bool) -> list[Entry]:
    """Return the files and folders that a URL stands for, of a pattern in sorted order.

    Raises
    ------
    DataError
        There is nothing at the address, it cannot be read, or fsspec, or a package it needs, is
        missing.
    """
    if not is_pattern:
        entry = _entry(url, _ask("info", url, access, lambda fs, path: fs.info(path)))
        # a key of an object store may be a file, and a folder, too
        is_folder = entry.is_folder or (url.endswith("/") and bool(files_at(url, access)))
        return [Entry(url, is_folder=True) if is_folder else entry]
    infos = _ask("glob", url, access, _matches)
    filesystem, pattern = filesystem_of(url, access)
    address = url.rstrip("/")
    begin = address.removesuffix(pattern)  # a server, which no path has: sftp://ann@example.org
    name_of = filesystem.unstrip_protocol if begin == address else begin.__add__
    return sorted(_entry(name_of(path), info) for path, info in infos.items())


def _matches(filesystem: Any, pattern: str) -> dict[str, Any]:
    """Return what a pattern matches: the file of this very name alone, if there is one."""
    if filesystem.isfile(pattern):
        return {pattern: filesystem.info(pattern)}
    infos: dict[str, Any] = filesystem.glob(pattern, detail=True)
    return infos


def files_at(folder: str, access: Access) -> list[Entry]:
    """Return the files of a folder at a URL, as :func:`rosenblatt.streams.io.folders.files_below`.

    Raises
    ------
    DataError
        As :func:`entries_at`.
    """
    infos = _ask("find", folder, access, lambda fs, path: fs.find(path, detail=True))
    _, root = filesystem_of(folder, access)
    skipped = len(root.rstrip("/")) + 1
    entries = []
    for name, info in infos.items():
        below = name[skipped:]
        if below and not (below.endswith("/") or any(map(is_hidden, below.split("/")))):
            entries.append(_entry(f"{folder.rstrip('/')}/{below}", info))
    return sorted(entry for entry in entries if not entry.is_folder)


def _entry(url: str, info: dict[str, Any]) -> Entry:
    if "::" in url:  # a name of the server's, which fsspec would take apart
        raise DataError(
            url, "has :: in its name, which stands for a chain of addresses: rename it."
        )
    if info.get("type") == "directory":
        return Entry(url, is_folder=True)
    version = version_of_info(info)
    return Entry(url, version.size, version)


def _ask(
    question: str, url: str, access: Access, ask: Callable[[Any, str], dict[str, Any]]
) -> dict[str, Any]:
    """Return what a file system answers now, or has answered in this run."""
    answers = _answers.get()
    try:
        with os_errors("no list of files", access):
            filesystem, path = filesystem_of(url, access)
            # not the file system itself: fsspec makes another one in each thread
            key = question, type(filesystem), str(filesystem.storage_options), path
            answer: dict[str, Any] | None = (answers or {}).get(key)
            if answer is None:
                filesystem.invalidate_cache()
                answer = ask(filesystem, path)
                if answers is not None:
                    answers[key] = answer
            return answer
    except OSError as error:
        raise read_error(url, 1, error) from error
