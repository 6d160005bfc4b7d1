"""Names of sources: patterns, byte ranges, and what a name tells of its source.

``PATH#bytes=A-B`` is the lines that start at the bytes A to B − 1 of a file, and
``PATH#row_groups=A-B`` its row groups A to B − 1, of an Arrow file its record batches.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from rosenblatt.streams.core.access import NO_ACCESS, Access, Version
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.format import PACKINGS
from rosenblatt.streams.io.folders import Entry, files_below, tables_of
from rosenblatt.streams.io.remote import CONNECTIONS, is_http, is_url
from rosenblatt.streams.registry import FORMATS, SUFFIXES

PathLike = str | os.PathLike[str]

_RANGE = re.compile(r"(.+)#bytes=([0-9]{1,18})-([0-9]{1,18})", re.DOTALL)
RANGE_MARK = "#bytes="
"""What stands between a path and its byte range."""

_GROUPS = re.compile(r"(.+)#row_groups=([0-9]{1,9})-([0-9]{1,9})", re.DOTALL)
GROUPS_MARK = "#row_groups="
"""What stands between a path and its row groups."""


class ByteRange(NamedTuple):
    """A file, the first byte of a range in it, and the byte after the last.

    Examples
    --------
    >>> str(ByteRange("mail.svm", 100, 200))
    'mail.svm#bytes=100-200'
    """

    path: str
    start: int
    stop: int

    def __str__(self) -> str:
        return f"{self.path}{RANGE_MARK}{self.start}-{self.stop}"


class RowGroups(NamedTuple):
    """A Parquet or Arrow file, its first row group of some, and the one after the last.

    Examples
    --------
    >>> str(RowGroups("mail.parquet", 0, 3))
    'mail.parquet#row_groups=0-3'
    """

    path: str
    start: int
    stop: int

    def __str__(self) -> str:
        return f"{self.path}{GROUPS_MARK}{self.start}-{self.stop}"


def row_groups(name: str) -> RowGroups | None:
    """Return the row groups that a name stands for; None for the name of a file.

    Raises
    ------
    DataError
        They are malformed, or none.

    Examples
    --------
    >>> row_groups("mail.parquet#row_groups=1-2")
    RowGroups(path='mail.parquet', start=1, stop=2)
    """
    if GROUPS_MARK not in name or os.path.exists(name):
        return None
    match = _GROUPS.fullmatch(name)
    if match is None or int(match[2]) >= int(match[3]):
        expected = "#row_groups=A-B with numbers A < B"
        raise DataError(name, f"is no row groups of a file: expected {expected}.")
    return RowGroups(match[1], int(match[2]), int(match[3]))


def byte_range(name: str) -> ByteRange | None:
    """Return the range that a name stands for; None for the name of a file.

    Raises
    ------
    DataError
        The range is malformed, or ends before it starts.

    Examples
    --------
    >>> byte_range("mail.svm#bytes=100-200")
    ByteRange(path='mail.svm', start=100, stop=200)
    >>> byte_range("mail.svm")
    """
    if RANGE_MARK not in name or os.path.exists(name):
        return None
    match = _RANGE.fullmatch(name)
    if match is None or int(match[2]) > int(match[3]):
        expected = "#bytes=A-B with numbers A <= B"
        raise DataError(name, f"is no byte range of a file: expected {expected}.")
    return ByteRange(match[1], int(match[2]), int(match[3]))


def path_of(name: str) -> str:
    """Return the path of the file that a name, perhaps with a range, stands for.

    Examples
    --------
    >>> path_of("mail.svm#bytes=0-9")
    'mail.svm'
    """
    part = byte_range(name) or row_groups(name)
    return name if part is None else part.path


class Address(NamedTuple):
    """What a name tells of its source.

    Parameters
    ----------
    path : str
        The path of the file, or its URL.
    part : ByteRange, RowGroups or None
        The part of the file that is read; None: all of it.
    is_url : bool
    packing : str
        The suffix of the compression, ``.gz``, ``.xz``, ``.bz2`` or ``.zst``; else empty.
    suffix : str
        The suffix before it, in lower case.
    """

    path: str
    part: ByteRange | RowGroups | None
    is_url: bool
    packing: str
    suffix: str


def address_of(name: str) -> Address:
    """Return what a name tells of its source. A web address has no suffix after ``?`` and ``#``.

    Raises
    ------
    DataError
        The name has a byte range that is malformed, or ends before it starts.

    Examples
    --------
    >>> address_of("a.SVM.gz").suffix, address_of("a.SVM.gz").packing
    ('.svm', '.gz')
    >>> address_of("https://example.org/mail.svm?key=a.b").suffix
    '.svm'
    """
    part = byte_range(name) or row_groups(name)
    path = name if part is None else part.path
    file = Path(urlsplit(path).path if is_http(path) else path)
    packing = file.suffix.lower()
    if packing in PACKINGS:
        file = Path(file.stem)
    else:
        packing = ""
    return Address(path, part, is_url(path), packing, file.suffix.lower())


class ListedFile(NamedTuple):
    """A file of a source, the folder that stands for it, and the version of a URL.

    The folder is empty if the file is named itself, and the version None if nobody has asked.
    """

    name: str
    folder: str = ""
    version: Version | None = None


def expand_paths(
    source: PathLike | Sequence[PathLike],
    access: Access = NO_ACCESS,
    *,
    format: str | None = None,
) -> list[str]:
    """Return the paths of :func:`list_files`.

    Examples
    --------
    >>> expand_paths(["b.svm", "a.svm"]), expand_paths("-")
    (['b.svm', 'a.svm'], ['-'])
    """
    return [file.name for file in list_files(source, access, format=format)]


def list_files(
    source: PathLike | Sequence[PathLike],
    access: Access = NO_ACCESS,
    *,
    format: str | None = None,
) -> list[ListedFile]:
    """Expand the patterns and folders of a source into files, in the order of their rows.

    Parameters
    ----------
    source : str, path, or sequence of them
        A name with ``*``, ``?`` or ``[``, unless such a file exists, is a pattern: it stands for
        all files that match, in sorted order; ``**`` matches folders at any depth. Web addresses
        are not patterns. A folder of tables stands for its files
        (:func:`rosenblatt.streams.io.folders.tables_of`); one of texts for itself.
    access : Access
        How URLs are read. Those with a known version are files.
    format : str, optional
        The format of the files, as the user says it.

    Raises
    ------
    DataError
        Nothing matches a pattern, a folder has tables and other files, a folder at a URL has no
        tables or is at a web server, or the sequence is empty.

    Examples
    --------
    >>> list_files("a.svm")
    [ListedFile(name='a.svm', folder='', version=None)]
    """
    sources = [source] if isinstance(source, str | os.PathLike) else source
    names = [os.fspath(one) for one in sources]
    if len(names) < 2 or not any(map(is_url, names)):
        listed = [_files_of(name, access, format) for name in names]
    else:
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            jobs = [
                pool.submit(copy_context().run, _files_of, one, access, format) for one in names
            ]
            listed = [job.result() for job in jobs]
    files = [file for one in listed for file in one]
    if not files:
        raise DataError("[]", "no files: name one or more.")
    return files


def _files_of(name: str, access: Access, format: str | None) -> list[ListedFile]:
    """Return the files of a name."""
    files: dict[str, ListedFile] = {}  # a pattern may match a folder, and files in it
    for entry in _entries(name, access, format):
        tables = _tables_of(entry, access, format)
        folder = "" if tables is None else entry.path
        for file in [entry] if tables is None else tables:
            key = file.path if is_url(name) else os.path.normpath(file.path)
            files.setdefault(key, ListedFile(file.path, folder, file.version))
    return [*files.values()]


def _entries(name: str, access: Access, format: str | None) -> list[Entry]:
    """Return the files and folders that a name stands for."""
    path = path_of(name)
    is_pattern = any(mark in name for mark in "*?[")
    if is_http(path):
        if path.endswith("/") and format is None:
            problem = "a web server does not list the files of a folder: name them one by one"
            raise DataError(name, f"{problem}, or set format if it is the address of rows.")
        return [Entry(name)]
    if not is_url(name):
        if not is_pattern or os.path.exists(path):
            return [Entry(name, is_folder=os.path.isdir(name))]
        from glob import glob

        matches = sorted(glob(name, recursive=True))
        entries = [Entry(match, is_folder=os.path.isdir(match)) for match in matches]
    elif path != name or path in access.versions or "::" in name:
        return [Entry(name, version=access.versions.get(path))]
    else:
        from rosenblatt.streams.io.listing import entries_at

        entries = entries_at(name, access, is_pattern)
    if not entries:
        raise DataError(name, "no file matches this pattern.")
    return entries


def _tables_of(entry: Entry, access: Access, format: str | None) -> list[Entry] | None:
    """Return the tables of a folder; None for a file, and for a folder of texts."""
    if not entry.is_folder or (format is not None and FORMATS[format].has_folders):
        return None
    kinds = [_is_table, _is_json] if format is None else [lambda path: True]
    if not is_url(entry.path):
        return tables_of(entry.path, files_below(entry.path), kinds)
    from rosenblatt.streams.io.listing import files_at

    tables = tables_of(entry.path, files_at(entry.path, access), kinds)
    if tables is None:
        problem = "no tables: found no file with the suffix of one"
        raise DataError(entry.path, f"{problem}. Folders of texts are read from a disk.")
    return tables


def _is_table(path: str) -> bool:
    """Return whether a file is a table, by its suffix."""
    format = SUFFIXES.get(_suffix(path))
    return format is not None and not FORMATS[format].has_folders


def _is_json(path: str) -> bool:
    """Return whether a file may be a table of JSON lines, by its path below a folder of them.

    Spark names them ``.json``, as others name texts. In a folder that is no ``key=value`` they are
    texts, and the folder is their label.

    Examples
    --------
    >>> [_is_json(path) for path in ("a.json.gz", "day=1/a.json", "spam/a.json")]
    [True, True, False]
    """
    return _suffix(path) == ".json" and all("=" in folder for folder in path.split("/")[:-1])


def _suffix(path: str) -> str:
    return address_of(os.path.basename(path)).suffix


def is_single_pass(source: PathLike | Sequence[PathLike]) -> bool:
    """Return whether a source can be read only once: standard input, or a named pipe.

    Examples
    --------
    >>> is_single_pass("-"), is_single_pass("mail.svm")
    (True, False)
    """
    if not isinstance(source, str | os.PathLike):
        return any(map(is_single_pass, source))
    name = os.fspath(source)
    try:
        mode = 0 if name == "-" else os.stat(name).st_mode
    except OSError:
        return False
    return name == "-" or stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)
