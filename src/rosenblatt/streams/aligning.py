"""Alignment of the columns of a stream with those of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rosenblatt.streams.core.access import shown
from rosenblatt.streams.core.batch import Batch, as_scipy, renumbered, with_width
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.stream import Stream, StreamView
from rosenblatt.streams.multiple import aligned_labels
from rosenblatt.utils.arrays import Array, Matrix
from rosenblatt.utils.long_numbers import NONE
from rosenblatt.utils.words import count, listing

_MAX_NAMES = 10  # names in a message


class ColumnAligner:
    """Mapping of rows of a stream to rows with the columns of a model.

    Columns are matched by name if the model has names, else by position. Features unknown to the
    model are ignored, and reported. A table needs all columns of the model, unless ``any_names``;
    sparse rows may lack any: an absent feature is 0.

    Parameters
    ----------
    stream : Stream
    names : list of str, or None
        The columns of the model, if they have names.
    width : int, optional
        Their number; without names, and without it, the rows stay as they are.
    any_names : bool, default False
        Whether a table, too, may lack columns of the model, as rows of an ``OnlinePerceptron`` may.
    grows : bool, default False
        Whether the model learns the rows: names in sparse rows that it does not know get columns
        after its own, in the order in which they appear, and columns without names may be more.
    report : callable, optional
        Function of a sentence about columns that are ignored.

    Raises
    ------
    DataError
        A column is missing, or columns without names differ in number.

    Attributes
    ----------
    names : list of str, or None
        The columns of the model; with ``grows``, the new ones so far, too.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream = open_stream("sklearn:wine")
    >>> columns = ColumnAligner(stream, ["hue", "alcohol"])
    >>> columns(next(iter(stream)).X)[0].tolist()
    [1.04, 14.23]
    """

    def __init__(
        self,
        stream: Stream,
        names: list[str] | None,
        width: int | None = None,
        *,
        any_names: bool = False,
        grows: bool = False,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self.names = None if names is None else list(names)
        self.width = len(names) if width is None and names is not None else width
        self.source, self._report = shown(stream.name), report
        self._order: Array | None = None  # of the columns of a table
        self._index: dict[str, int] = {}  # name -> column of the model, for rows with any names
        self._stream_names: list[str] | None = None  # the stream appends new ones
        self._model_columns = np.empty(0, np.int32)  # of each stream column; -1: unknown
        self._grows = grows and stream.sparse
        self._note_unknown_columns(list(stream.left_out))
        if stream.feature_names is None:
            if names is not None:
                problem = "has columns without names, but the model matches its"
                of_model = f"{len(names):,} by name ({listing(names, _MAX_NAMES)})"
                raise self._error(f"{problem} {of_model}: give a table with these columns.")
        elif stream.sparse or (names is not None and any_names):
            if names is None:
                number = "" if self.width is None else f" {self.width:,}"
                raise self._error(
                    f"has features with names, but the model knows its{number} by index only: "
                    "give it data in the format of its training data."
                )
            self._index = {name: j for j, name in enumerate(names)}
            self._stream_names = stream.feature_names
        elif names is not None:
            self._order = self._order_by_name(names, stream.feature_names)
        else:
            self._check_width(len(stream.feature_names))

    @property
    def gives_sparse(self) -> bool:
        """Whether dense rows become sparse, since any of their columns may be absent."""
        return self._stream_names is not None

    def _error(self, problem: str) -> DataError:
        return DataError(self.source, problem)

    def _check_width(self, width: int) -> None:
        if self.width is not None and width != self.width:
            model = f"the model has {self.width:,}, and no names to match them by."
            raise self._error(f"has {count(width, 'feature')}, but {model}")

    def _order_by_name(self, model_names: list[str], stream_names: list[str]) -> Array | None:
        index = {name: j for j, name in enumerate(stream_names)}
        missing = [name for name in model_names if name not in index]
        if missing:
            lacks = f"lacks {count(len(missing), 'column')} of the model's {len(model_names):,}"
            raise self._error(f"{lacks}: {listing(missing, _MAX_NAMES)}.")
        expected = set(model_names)
        self._note_unknown_columns([name for name in stream_names if name not in expected])
        if model_names == stream_names:
            return None
        return np.array([index[name] for name in model_names])

    def _note_unknown_columns(self, names: list[str]) -> None:
        if names and self._report is not None:
            unknown = f"{count(len(names), 'column')} that the model does not know"
            self._report(f"{self.source}: ignored {unknown}: {listing(names, _MAX_NAMES)}.")

    def __call__(self, X: Matrix) -> Matrix:
        """Return the rows with the columns of the model."""
        if self._stream_names is not None:
            return self._map_names(X, self._stream_names)
        if isinstance(X, np.ndarray):
            if self._order is not None:
                return X[:, self._order]
            self._check_width(X.shape[1])
            return X
        if self.width is None or X.shape[1] == self.width or self._grows:
            return X
        self._note_unknown_features(X.shape[1] > self.width)
        return with_width(X, self.width)

    def _note_unknown_features(self, has_unknown: bool) -> None:
        if has_unknown and self._report is not None:
            self._report(
                f"{self.source}: has features beyond the model's {self.width:,}; they are ignored, "
                "since the model has not learned them."
            )
            self._report = None  # once

    def _map_names(self, X: Matrix, stream_names: list[str]) -> Matrix:
        """Return sparse rows with the columns of the model that have the same names."""
        import scipy.sparse as sp

        X = sp.csr_array(as_scipy(X))
        new = stream_names[len(self._model_columns) : X.shape[1]]
        if self._grows and self.names is not None:
            unknown = [name for name in new if name not in self._index]
            self.names += unknown
            self._index |= {name: len(self._index) + j for j, name in enumerate(unknown)}
        new_columns = np.array([self._index.get(name, -1) for name in new], np.int32)
        self._model_columns = np.concatenate([self._model_columns, new_columns])
        rows = renumbered(X, self._model_columns[X.indices], len(self._index)).tocsr()
        rows.sort_indices()
        self._note_unknown_features(rows.nnz < X.nnz)
        return rows


class AlignedStream(StreamView):
    """Rows of a stream with the columns of a model, in the order of the model.

    Parameters
    ----------
    stream : Stream
    columns : ColumnAligner
        Of this stream.
    labels : str, default ""
        The kind of the dtype of the model's labels: those of the rows get it, or a wider one.

    Raises
    ------
    DataError
        Iterating raises it for a label that is a number where the model's are text, or text where
        they are numbers.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream = open_stream("sklearn:wine")
    >>> rows = AlignedStream(stream, ColumnAligner(stream, ["hue", "alcohol"]))
    >>> rows.read()[0][0].tolist(), rows.feature_names
    ([1.04, 14.23], ['hue', 'alcohol'])
    """

    def __init__(self, stream: Stream, columns: ColumnAligner, labels: str = "") -> None:
        sparse = stream.sparse or columns.gives_sparse
        super().__init__(stream, feature_names=columns.names, sparse=sparse)
        self._columns, self._labels = columns, labels

    def __iter__(self) -> Iterator[Batch]:
        kind = self._labels
        for batch in self._stream:
            self.index_base = self._stream.index_base
            X, y = self._columns(batch.rows), batch.y
            if kind and y is not None:
                y = aligned_labels(y, kind, self.location(0)[0], "of the model")
                kind = y.dtype.kind
            if X is not batch.rows:  # long numbers name columns of the stream
                batch = batch.replace(X=X, long=NONE, computed=True)
            yield batch if y is batch.y else batch.replace(y=y)

    def noted(self) -> Notes:
        """Return the options that decide the features, as the stream below notes them."""
        return self._stream.noted()

    def location(self, row: int) -> tuple[str, int | None]:
        """Return the file and the line of a row of the latest batch; None for an unknown line."""
        return self._stream.location(row)
