"""Folders of tables, as Dask, Spark and pandas write them: the files that have the rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rosenblatt.streams.core.access import Version
from rosenblatt.streams.core.errors import DataError
from rosenblatt.utils.words import count


class Entry(NamedTuple):
    """A file, or a folder; of a file its size in bytes, and at a URL its version.

    None stands for what is not known.
    """

    path: str
    size: int | None = None
    version: Version | None = None
    is_folder: bool = False


def files_below(folder: str) -> list[Entry]:
    """Return the files of a folder on a disk, at any depth, in the order of their paths.

    Names that begin with a dot or a low line are left out, as of ``_SUCCESS``, ``_metadata`` and
    ``.part-0.crc``, but for folders of a column, ``_key=value``. Links are followed, unless they
    lead to a folder above.

    Parameters
    ----------
    folder : str

    Raises
    ------
    DataError
        A folder cannot be read.
    """
    return sorted(_walk(folder, {os.path.realpath(folder)}))


def _walk(folder: str, above: set[str]) -> Iterator[Entry]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if is_hidden(entry.name):
                    continue
                if not entry.is_dir():
                    size = entry.stat().st_size if entry.is_file() else 0  # 0: a link to nothing
                    yield Entry(entry.path, size)
                    continue
                real = os.path.realpath(entry.path)
                if real not in above:
                    yield from _walk(entry.path, above | {real})
    except OSError as error:
        raise DataError(folder, f"cannot be read: {error.strerror}.") from error


def is_hidden(name: str) -> bool:
    """Return whether a file or folder of a folder has no rows, by its name.

    Hadoop marks the folders of an object store by empty files, ``day=1_$folder$``.

    Examples
    --------
    >>> [is_hidden(name) for name in ("_SUCCESS", ".part-0.crc", "_day=1", "part-0.csv")]
    [True, True, False, False]
    """
    is_mark = name.endswith("_$folder$")
    return is_mark or name.startswith(".") or (name.startswith("_") and "=" not in name)


def tables_of(
    folder: str, files: Sequence[Entry], kinds: Sequence[Callable[[str], bool]]
) -> list[Entry] | None:
    r"""Return the tables among the files of a folder; None for a folder of texts.

    Empty files are left out. If all tables lie in the folder itself and other files in folders of
    it, the folder is one of texts.

    Parameters
    ----------
    folder : str
    files : sequence of Entry
    kinds : sequence of callable
        ``is_table(path)`` tells whether a file is a table, by its path below the folder. The first
        one that is true of a file decides for all.

    Raises
    ------
    DataError
        Tables and other files lie beside each other, or all tables are empty.

    Examples
    --------
    >>> files = [Entry(f"pq/part-{k}.csv", size) for k, size in enumerate([12, 0, 7])]
    >>> [file.path for file in tables_of("pq", files, [lambda path: path.endswith(".csv")])]
    ['pq/part-0.csv', 'pq/part-2.csv']
    """
    for is_table in kinds:
        tables: list[Entry] = []
        others: list[Entry] = []
        for file in files:
            (tables if is_table(_below(file.path, folder)) else others).append(file)
        if tables:
            break
    else:
        return None
    if others:
        if all(_is_in(file.path, folder) for file in tables) and not all(
            _is_in(file.path, folder) for file in others
        ):
            return None
        both = f"has {count(len(tables), 'table')}, such as {_below(tables[0].path, folder)}, and "
        both += f"{count(len(others), 'other file')}, such as {_below(others[0].path, folder)}"
        raise DataError(
            folder,
            f"{both}: take these away, or set format: with folder all files are texts, with "
            "another format all are tables of it.",
        )
    filled = [file for file in tables if file.size != 0]
    if not filled:
        raise DataError(folder, f"no rows: {count(len(tables), 'table')}, and nothing in them.")
    return filled


def _is_in(path: str, folder: str) -> bool:
    """Return whether a file lies in the folder itself, not in one below."""
    return "/" not in _below(path, folder)


def _below(path: str, folder: str) -> str:
    """Return the path of a file below a folder, both on a disk or both at URLs."""
    return path[len(folder) :].lstrip("/" + os.sep).replace(os.sep, "/")
