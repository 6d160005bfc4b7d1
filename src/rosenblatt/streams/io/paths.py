"""Expansion of the patterns of a source into paths."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.io.remote import glob_urls, is_url

PathLike = str | os.PathLike[str]


def expand_paths(source: PathLike | Sequence[PathLike]) -> list[str]:
    """Expand the patterns of a source into paths, in the order of their rows.

    Parameters
    ----------
    source : str, path, or sequence of them
        A name with ``*``, ``?`` or ``[``, unless such a file exists, is a pattern: it stands for
        all files that match, in sorted order; ``**`` matches folders at any depth. Web addresses
        are not patterns.

    Raises
    ------
    DataError
        Nothing matches a pattern, or the sequence is empty.

    Examples
    --------
    >>> expand_paths(["b.svm", "a.svm"]), expand_paths("-")
    (['b.svm', 'a.svm'], ['-'])
    """
    names = [source] if isinstance(source, str | os.PathLike) else source
    expanded = [path for name in names for path in _expand(os.fspath(name))]
    if not expanded:
        raise DataError("[]", "no files: name one or more.")
    return expanded


def _expand(name: str) -> list[str]:
    if not any(mark in name for mark in "*?[") or os.path.exists(name):
        return [name]
    from glob import glob

    matches = glob_urls(name) if is_url(name) else sorted(glob(name, recursive=True))
    if not matches:
        raise DataError(name, "no file matches this pattern.")
    return matches
