"""Folders of tables, as Dask, Spark and pandas write them: the files that have the rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rosenblatt.streams.core.errors import DataError
from rosenblatt.utils.words import count


class FoundFile(NamedTuple):
    """A file of a folder, and its size in bytes."""

    path: str
    size: int


def is_folder(name: str) -> bool:
    """Return whether a name is that of a folder on a disk.

    Examples
    --------
    >>> is_folder("."), is_folder("sklearn:iris")
    (True, False)
    """
    return os.path.isdir(name)


def files_below(folder: str) -> list[FoundFile]:
    """Return the files of a folder, at any depth, in the order of their paths.

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


def _walk(folder: str, above: set[str]) -> Iterator[FoundFile]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if is_hidden(entry.name):
                    continue
                if not entry.is_dir():
                    size = entry.stat().st_size if entry.is_file() else 0  # 0: a link to nothing
                    yield FoundFile(entry.path, size)
                    continue
                real = os.path.realpath(entry.path)
                if real not in above:
                    yield from _walk(entry.path, above | {real})
    except OSError as error:
        raise DataError(folder, f"cannot be read: {error.strerror}.") from error


def is_hidden(name: str) -> bool:
    """Return whether a file or folder of a folder has no rows, by its name.

    Examples
    --------
    >>> [is_hidden(name) for name in ("_SUCCESS", ".part-0.crc", "_day=1", "part-0.csv")]
    [True, True, False, False]
    """
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def tables_below(folder: str, is_table: Callable[[str], bool]) -> list[str] | None:
    r"""Return the tables of a folder, in the order of their paths; None for a folder of texts.

    Empty files are left out. If all tables lie in the folder itself and other files in folders of
    it, the folder is one of texts.

    Parameters
    ----------
    folder : str
    is_table : callable
        ``is_table(path)`` tells whether a file is one.

    Raises
    ------
    DataError
        Tables and other files lie beside each other, or all tables are empty.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("_SUCCESS", "part-1.csv", "part-0.csv"):
    ...         _ = pathlib.Path(folder, name).write_text("x,y\n1,2\n")
    ...     paths = tables_below(folder, lambda path: path.endswith(".csv"))
    ...     [os.path.basename(path) for path in paths]
    ['part-0.csv', 'part-1.csv']
    """
    tables, others = [], []
    for file in files_below(folder):
        (tables if is_table(file.path) else others).append(file)
    if not tables:
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
    filled = [file.path for file in tables if file.size]
    if not filled:
        raise DataError(folder, f"no rows: {count(len(tables), 'table')}, and nothing in them.")
    return filled


def _is_in(path: str, folder: str) -> bool:
    """Return whether a file lies in the folder itself, not in one below."""
    return os.sep not in _below(path, folder)


def _below(path: str, folder: str) -> str:
    return os.path.relpath(path, folder)
