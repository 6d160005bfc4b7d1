"""Names of sources: expansion of their patterns, and what a name tells of its source."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.format import PACKINGS
from rosenblatt.streams.io.ranges import RANGE_MARK, ByteRange, byte_range

PathLike = str | os.PathLike[str]


class Address(NamedTuple):
    """What a name tells of its source.

    Parameters
    ----------
    path : str
        The path of the file, or its URL.
    part : ByteRange or None
        The part of the file that is read; None: all of it.
    is_url : bool
    packing : str
        The suffix of the compression, ``.gz``, ``.xz``, ``.bz2`` or ``.zst``; else empty.
    suffix : str
        The suffix before it, in lower case.
    """

    path: str
    part: ByteRange | None
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
    part = byte_range(name) if RANGE_MARK in name else None
    path = name if part is None else part.path
    is_web = path.startswith(("http://", "https://"))
    file = Path(urlsplit(path).path if is_web else path)
    packing = file.suffix.lower()
    if packing in PACKINGS:
        file = Path(file.stem)
    else:
        packing = ""
    return Address(path, part, "://" in path, packing, file.suffix.lower())


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
    expanded: list[str] = []
    for name in [os.fspath(one) for one in names]:
        is_pattern = any(mark in name for mark in "*?[") and not os.path.exists(name)
        expanded += _matches(name) if is_pattern else [name]
    if not expanded:
        raise DataError("[]", "no files: name one or more.")
    return expanded


def _matches(pattern: str) -> list[str]:
    if "://" in pattern:
        from rosenblatt.streams.io.remote import glob_urls

        matches = glob_urls(pattern)
    else:
        from glob import glob

        matches = sorted(glob(pattern, recursive=True))
    if not matches:
        raise DataError(pattern, "no file matches this pattern.")
    return matches
