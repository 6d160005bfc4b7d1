"""Files cut into shards: text at ends of lines, Parquet and Arrow at row groups, or between files.

Of files at URLs the sizes and versions are asked first: text is cut where the server sends ranges.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

from rosenblatt.engine.shuffle import epoch_order
from rosenblatt.streams.core.access import Access, Version, shown
from rosenblatt.streams.core.format import DELIMITERS
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.formats.delimited import cell_separator
from rosenblatt.streams.io.lines import read_error
from rosenblatt.streams.io.paths import ByteRange, RowGroups, address_of, path_of
from rosenblatt.streams.io.positions import has_quotes, record_starts
from rosenblatt.streams.io.ranges import line_starts
from rosenblatt.streams.io.remote import CONNECTIONS, find_version, is_url
from rosenblatt.streams.registry import FORMATS
from rosenblatt.utils.words import count

_COLUMNAR = ("parquet", "arrow")

PIECES = 32
"""Pieces of which an interleaved shard is made: enough that shards of files in the order of their
classes have all classes alike, and few enough to be opened one after the other."""

Located = Mapping[str, tuple[Version, str]]
"""URLs with their versions, and why no ranges of them can be read; empty: they can."""


def locate(names: Sequence[str], access: Access) -> dict[str, tuple[Version, str]]:
    """Return the versions of the URLs among the sources, each asked once.

    An object store has listed some with their sizes, ``access.versions``: these are not asked for.

    Raises
    ------
    DataError
        A file cannot be read.
    """
    urls = [*dict.fromkeys(path for path in map(path_of, names) if is_url(path))]

    def find(url: str) -> tuple[Version, str]:
        version = access.versions.get(url)
        if version is not None and version.size is not None:
            return version, ""
        try:
            return find_version(url, access)
        except OSError as error:
            raise read_error(url, 1, error) from None

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        return dict(zip(urls, pool.map(find, urls), strict=True))


def known_versions(located: Located) -> dict[str, Version]:
    """Return the versions that the URLs must have; without a size where no ranges can be read.

    Such a file is read whole.
    """
    return {
        url: version._replace(size=None) if problem else version
        for url, (version, problem) in located.items()
    }


class CannotCutError(ValueError):
    """Files that cannot be cut into so many shards; the message says why."""


class _Extent(NamedTuple):
    """What of a file is cut: its bytes, or the sizes of its row groups; and why it cannot be."""

    path: str
    start: int
    stop: int
    problem: str = ""
    groups: Sequence[int] = ()

    @property
    def size(self) -> int:
        """Bytes; 1 where they are not known."""
        return sum(self.groups) or self.stop - self.start


def cut(
    names: Sequence[str],
    shards: int,
    format: str,
    options: ReadOptions | None = None,
    located: Located | None = None,
) -> list[tuple[str, ...]]:
    r"""Cut files into shards of about as many bytes: at line ends, row groups, or between files.

    A table with a double quote in its first megabyte, or with the option ``quotes``, is read once
    to be cut between records: a quoted cell may have line ends.

    Parameters
    ----------
    names : sequence of str
    shards : int
    format : str
    options : ReadOptions, optional
    located : mapping, optional
        :func:`locate` of the names; by default the servers are asked.

    Raises
    ------
    CannotCutError

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.svm")
    ...     _ = path.write_text("1 1:1\n" * 10)
    ...     parts = cut([str(path)], 2, "svmlight")
    >>> [name.rpartition("#")[2] for names in parts for name in names]
    ['bytes=0-30', 'bytes=30-60']
    """
    options = options or ReadOptions()
    located = locate(names, options.access) if located is None else located
    extents = [_extent_of(name, format, options, located) for name in names]
    parts = _cut(names, extents, shards, format, options, located)
    if not all(parts):
        raise CannotCutError(
            f"shards={shards}: {count(len(names), 'file')} cannot be cut into so many shards"
            f"{_problems(extents)}. Text as it is can be cut at the ends of lines, Parquet and "
            "Arrow files between row groups; compressed text is whole."
        )
    return parts


def _cut(
    names: Sequence[str],
    extents: Sequence[_Extent],
    shards: int,
    format: str,
    options: ReadOptions,
    located: Located,
) -> list[tuple[str, ...]]:
    """Return the parts of each shard; none where a line is longer than a shard."""
    total = sum(extent.size for extent in extents)
    limits = [total * k // shards for k in range(shards + 1)]
    parts: list[list[str]] = [[] for _ in range(shards)]
    begin = 0

    def shard_at(begin: int, end: int) -> int:
        return next(k for k in range(shards) if (begin + end) // 2 <= limits[k + 1])

    for name, extent in zip(names, extents, strict=True):
        end = begin + extent.size
        if len(extent.groups) > 1:
            ends = [begin, *accumulate(extent.groups, initial=begin)][1:]
            owners = [shard_at(start, stop) for start, stop in pairwise(ends)]
            for k in sorted({*owners}):
                first = owners.index(k)
                groups = extent.start + first, extent.start + first + owners.count(k)
                is_file = owners.count(k) == len(owners)
                parts[k].append(name if is_file else str(RowGroups(extent.path, *groups)))
        elif extent.problem or extent.groups:
            parts[shard_at(begin, end)].append(name)
        else:
            for k, part in _byte_ranges(name, extent, limits, begin, format, options, located):
                parts[k].append(part)
        begin = end
    return [tuple(part) for part in parts]


def deal(
    names: Sequence[str],
    shards: int,
    format: str,
    options: ReadOptions,
    located: Located | None = None,
) -> list[tuple[str, ...]]:
    r"""Cut files into small pieces, and deal them to the shards in turn.

    A shard has its pieces in an order that is drawn once, so that files in the order of their
    classes are not learned in it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.svm")
    ...     _ = path.write_text("1 1:1\n" * 64)
    ...     parts = deal([str(path)], 2, "svmlight", ReadOptions())
    >>> [name.rpartition("#")[2] for name in parts[1][:3]], len(parts[1])
    (['bytes=18-24', 'bytes=78-84', 'bytes=186-192'], 32)
    """
    located = locate(names, options.access) if located is None else located
    extents = [_extent_of(name, format, options, located) for name in names]
    total = sum(extent.size for extent in extents)
    pieces: list[tuple[str, ...]] = []
    for name, extent in zip(names, extents, strict=True):
        number = round(extent.size * shards * PIECES / max(total, 1))
        if number < 2 or extent.problem or len(extent.groups) == 1:
            pieces.append((name,))
        elif extent.groups:
            groups = range(extent.start, extent.stop)
            pieces += [(str(RowGroups(extent.path, k, k + 1)),) for k in groups]
        else:
            pieces += _cut([name], [extent], number, format, options, located)
    hands = [pieces[s::shards] for s in range(shards)]
    parts = [
        tuple(chain(*(hand[i] for i in epoch_order(len(hand), s, 1))))
        for s, hand in enumerate(hands)
    ]
    if len(pieces) < 2 * shards or not all(parts):
        raise ValueError(
            f"interleave: {count(len(names), 'file')} cannot be cut into enough pieces for "
            f"{count(shards, 'shard')}, two for each at least{_problems(extents)}. Text as it is "
            "can be cut at the ends of lines, Parquet and Arrow files between row groups: give "
            "fewer shards."
        )
    return parts


def _byte_ranges(
    name: str,
    extent: _Extent,
    limits: Sequence[int],
    begin: int,
    format: str,
    options: ReadOptions,
    located: Located,
) -> list[tuple[int, str]]:
    """Return the ranges of a text, each with the number of its shard."""
    end, shift, path = begin + extent.size, extent.start - begin, extent.path
    ends = [min(max(limit, begin), end) for limit in limits]
    inner = [limit + shift for limit in ends if begin < limit < end]
    access, starts = options.access, {}
    if inner and can_be_quoted(format, options) and (options.quotes or has_quotes(path, access)):
        separator = cell_separator(format, options)
        starts = dict(zip(inner, record_starts(path, inner, separator, access), strict=True))
    elif path in located:  # a range that ends at a line end takes one request
        version = located[path][0]
        starts = dict(zip(inner, line_starts(path, inner, access, version), strict=True))
    ends = [min(end, starts.get(at + shift, at + shift) - shift) for at in ends]
    ranges = []
    for k, (start, stop) in enumerate(pairwise(ends)):
        if start < stop:
            part = ByteRange(path, start + shift, stop + shift)
            is_file = (start, stop) == (begin, end) and path == name
            ranges.append((k, name if is_file else str(part)))
    return ranges


def _extent_of(name: str, format: str, options: ReadOptions, located: Located) -> _Extent:
    """Return what of a file, a range or row groups is cut, and why it cannot be."""
    path, part, _, packing, _ = address_of(name)
    version, problem = located.get(path, (None, ""))
    try:
        size = os.path.getsize(path) if version is None else version.size or 1
    except OSError:
        size, problem = 1, "its size is not known"
    if packing:
        problem = "compressed text is whole"
    elif not (FORMATS[format].cut_at_lines or format in _COLUMNAR):
        problem = f"{FORMATS[format].title} is whole"
    elif version is None and not os.path.isfile(path):
        problem = "only a file can be cut"
    if problem:
        return _Extent(path, 0, size, problem)
    if format in _COLUMNAR:
        from rosenblatt.streams.arrow.files import group_sizes

        groups = group_sizes(path, format, options.access)
        start, stop = (0, len(groups)) if part is None else (part.start, part.stop)
        if not groups:
            return _Extent(path, 0, size, "it has no row groups")
        return _Extent(path, start, stop, "", groups[start:stop])
    return _Extent(path, 0, size) if part is None else _Extent(path, part.start, part.stop)


def _problems(extents: Sequence[_Extent]) -> str:
    """Return why some files are whole, to end a sentence; empty if none is."""
    reasons = {extent.problem: extent.path for extent in extents if extent.problem}
    return "".join(f"; {shown(path)}: {problem}" for problem, path in reasons.items())


def can_be_quoted(format: str, options: ReadOptions) -> bool:
    """Return whether cells may be in quotes, and then have line ends."""
    return format in DELIMITERS and options.quotes is not False
