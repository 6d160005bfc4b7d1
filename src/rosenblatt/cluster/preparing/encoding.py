"""How rows of all shards become numbers: columns by name, means of missing cells, and scales.

Each shard finds its part of them in the pass that looks for labels, and these are joined in the
order of the shards. The columns are those of one pass over all rows, in its order. Then every shard
reads its rows alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.cluster.sources import Shards
from rosenblatt.learning.scaling import Scaling
from rosenblatt.streams.aligning import ColumnAligner
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.encoding import number_columns
from rosenblatt.utils.arrays import Matrix

Totals = Mapping[str, tuple[int, float]]
"""The count and the sum of the numbers of columns."""


class Encoding(NamedTuple):
    """What a shard, or all together, say on how rows become numbers.

    Attributes
    ----------
    columns : tuple of str
        The names that got columns as they appeared.
    totals : dict
        The count and the sum of the numbers of each column with missing cells.
    scaling : Scaling or None
        The moments of the columns, where rows are scaled.
    """

    columns: tuple[str, ...]
    totals: Totals
    scaling: Scaling | None


NO_ENCODING = Encoding((), {}, None)
"""Of rows that are numbers already."""


class Encoder:
    """What the rows of a shard say on how they become numbers, as they are read.

    Parameters
    ----------
    scale : bool
        Whether moments of the columns are needed.
    centred : sequence of int
        Columns of sparse rows that are centred; of rows of a stream, the stream says it.
    """

    def __init__(self, *, scale: bool, centred: Sequence[int] = ()) -> None:
        self.scale, self._centred = scale, centred
        self._scaling: Scaling | None = None
        self._streams: list[Stream] = []
        self._aligner: ColumnAligner | None = None

    def add(self, X: Matrix, stream: Stream | None = None) -> None:
        """Add rows, and the stream that they are from, if there is one."""
        if stream is not None and (not self._streams or stream is not self._streams[-1]):
            if _grows(stream):
                before = None if self._aligner is None else self._aligner.names
                self._aligner = ColumnAligner(stream, before or [], grows=True)
            self._streams.append(stream)
        if self._aligner is not None:
            X = self._aligner(X)
        if self.scale:
            if self._scaling is None:
                centred = self._centred if stream is None else number_columns(stream)
                self._scaling = Scaling.for_rows(X, centred)
            self._scaling = self._scaling.widened(X.shape[1]).fitted(X)

    def encoding(self) -> Encoding:
        """Return what the rows so far say."""
        names = () if self._aligner is None else tuple(self._aligner.names or ())
        return Encoding(names, _sums([_totals(stream) for stream in self._streams]), self._scaling)


def join_encodings(encodings: Sequence[Encoding]) -> Encoding:
    """Return what all shards together say.

    Examples
    --------
    >>> first, second = Encoding(("a", "b"), {"n": (1, 2.0)}, None), Encoding(("c",), {}, None)
    >>> join_encodings([first, second])
    Encoding(columns=('a', 'b', 'c'), totals={'n': (1, 2.0)}, scaling=None)
    """
    columns = dict.fromkeys(name for one in encodings for name in one.columns)
    places = {name: j for j, name in enumerate(columns)}
    scaling: Scaling | None = None
    for one in encodings:
        if one.scaling is not None:
            alone = one.scaling
            if places:
                own = np.array([places[name] for name in one.columns])
                alone = alone.placed(own, len(places))
            scaling = alone if scaling is None else _joined(scaling, alone)
    return Encoding(tuple(places), _sums([one.totals for one in encodings]), scaling)


def encoded(shards: Shards, encoding: Encoding) -> Shards:
    """Return shards of files whose rows are read alike: with these columns and means."""
    noted = Notes(**(shards.noted or {}))
    if shards.lacks_means:
        means = {name: total / max(count, 1) for name, (count, total) in encoding.totals.items()}
        noted |= {"means": means, "totals": encoding.totals}
        rows = [one._replace(options=one.options._replace(means=means)) for one in shards.rows]
        shards = shards._replace(rows=rows)
    if shards.grows:
        columns = encoding.columns
        rows = [one._replace(columns=columns) for one in shards.rows]
        shards = shards._replace(rows=rows, feature_names=columns, features=len(columns))
    return shards._replace(noted=noted)


def grown(shards: Shards) -> Shards:
    """Return shards of new files with columns for new names, where names get them at all."""
    if not shards.are_files or shards.rows[0].columns is None:
        return shards
    rows = [one._replace(columns=None) for one in shards.rows]
    return shards._replace(rows=rows, feature_names=None, features=None, grows=True)


def _grows(stream: Stream) -> bool:
    """Return whether names of a stream get columns as they appear."""
    return stream.sparse and stream.bits is None and stream.feature_names is not None


def _totals(stream: Stream) -> Totals:
    """Return the count and the sum of the numbers of the columns of a stream."""
    totals: Totals = {} if stream.imputer is None else stream.imputer.noted().get("totals", {})
    return totals


def _sums(totals: Sequence[Totals]) -> Totals:
    """Return sums of counts and of sums, each rounded once."""
    names = dict.fromkeys(name for one in totals for name in one)
    parts = {name: [one[name] for one in totals if name in one] for name in names}
    return {
        name: (sum(count for count, _ in pairs), math.fsum(total for _, total in pairs))
        for name, pairs in parts.items()
    }


def _joined(first: Scaling, second: Scaling) -> Scaling:
    """Return the scaling of both; svmlight rows of one shard may be narrower."""
    d = max(len(one.moments.mean) for one in (first, second))
    return first.widened(d).joined(second.widened(d))
