"""Alignment of the columns of new data with those of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData
from rosenblatt.streams.core.batch import as_scipy, csr, with_width
from rosenblatt.utils.arrays import Array, Matrix

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.models import LoadedModel
    from rosenblatt.streams import Stream

_MAX_NAMES = 10  # names in a message


class ColumnAligner:
    """Mapping of batches of a stream to rows with the columns of a model.

    Columns are matched by name if the model has names, else by position. Features unknown to the
    model are ignored, with a note. A model trained on a table needs all its columns; an
    OnlinePerceptron takes rows with any names.

    Parameters
    ----------
    loaded : LoadedModel
    stream : Stream
    quiet : bool, default=False
        Whether to print no notes.

    Raises
    ------
    BadData
        A column is missing, or columns without names differ in number.
    """

    def __init__(self, loaded: LoadedModel, stream: Stream, quiet: bool = False) -> None:
        self.width = int(loaded.model.n_features_in_)
        self.source, self._is_silent = stream.name, quiet
        self._order: Array | None = None  # of the columns of a table
        self._index: dict[str, int] = {}  # name -> column of the model, for rows with any names
        self._stream_names: list[str] | None = None  # the stream appends new ones
        self._model_columns = np.empty(0, np.int32)  # of each stream column; -1: unknown
        self._note_unknown_columns(list(stream.left_out))
        names = loaded.names
        if stream.feature_names is None:
            if names is not None:
                raise BadData(
                    f"{stream.name}: has columns without names, but the model matches its "
                    f"{self.width:,} by name ({fmt.listing(names, _MAX_NAMES)}): give a "
                    "table with these columns."
                )
        elif stream.sparse or (names is not None and loaded.saved is not loaded.model):
            if names is None:
                raise BadData(
                    f"{stream.name}: has features with names, but the model knows its "
                    f"{self.width:,} by index only: give it data in the format of its training "
                    "data."
                )
            self._index = {name: j for j, name in enumerate(names)}
            self._stream_names = stream.feature_names
        elif names is not None:
            self._order = self._order_by_name(names, stream.feature_names)
        else:
            self._check_width(len(stream.feature_names))

    def _check_width(self, width: int) -> None:
        if width != self.width:
            raise BadData(
                f"{self.source}: has {fmt.count(width, 'feature')}, but the model has "
                f"{self.width:,}, and no names to match them by."
            )

    def _order_by_name(self, model_names: list[str], stream_names: list[str]) -> Array | None:
        index = {name: j for j, name in enumerate(stream_names)}
        missing = [name for name in model_names if name not in index]
        if missing:
            raise BadData(
                f"{self.source}: lacks {fmt.count(len(missing), 'column')} of the model's "
                f"{len(model_names):,}: {fmt.listing(missing, _MAX_NAMES)}."
            )
        expected = set(model_names)
        self._note_unknown_columns([name for name in stream_names if name not in expected])
        if model_names == stream_names:
            return None
        return np.array([index[name] for name in model_names])

    def _note_unknown_columns(self, names: list[str]) -> None:
        if names and not self._is_silent:
            unknown = f"{fmt.count(len(names), 'column')} that the model does not know"
            terminal.note(f"{self.source}: ignored {unknown}: {fmt.listing(names, _MAX_NAMES)}.")

    def __call__(self, X: Matrix) -> Matrix:
        """Return the rows with the columns of the model."""
        if self._stream_names is not None:
            return self._map_names(X, self._stream_names)
        if isinstance(X, np.ndarray):
            if self._order is not None:
                return X[:, self._order]
            self._check_width(X.shape[1])
            return X
        self._note_unknown_features(X.shape[1] > self.width)
        return X if X.shape[1] == self.width else with_width(X, self.width)

    def _note_unknown_features(self, has_unknown: bool) -> None:
        if has_unknown and not self._is_silent:
            self._is_silent = True
            terminal.note(
                f"{self.source}: has features beyond the model's {self.width:,}; they are ignored, "
                "since the model has not learned them."
            )

    def _map_names(self, X: Matrix, stream_names: list[str]) -> Matrix:
        """Return sparse rows with the columns of the model that have the same names."""
        import scipy.sparse as sp

        X = sp.csr_array(as_scipy(X))
        new = stream_names[len(self._model_columns) : X.shape[1]]
        new_columns = np.array([self._index.get(name, -1) for name in new], np.int32)
        self._model_columns = np.concatenate([self._model_columns, new_columns])
        columns = self._model_columns[X.indices]
        in_model = columns >= 0
        starts = np.concatenate([[0], np.cumsum(in_model)])[X.indptr]
        rows = csr(X.data[in_model], columns[in_model], starts, len(self._index)).tocsr()
        rows.sort_indices()
        self._note_unknown_features(rows.nnz < X.nnz)
        return rows
