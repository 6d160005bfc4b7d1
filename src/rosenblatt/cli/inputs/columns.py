"""Columns of new data in the order of a model's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData
from rosenblatt.streams.core.batch import with_width

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.models import LoadedModel
    from rosenblatt.streams import Stream


_MAX_NAMES = 10  # names in a message


class ColumnAligner:
    """Turns batches of a stream into rows that a model takes.

    Columns with names are found by name where the model knows names, all others by position.
    Features that the model has never seen weigh nothing; a note says that they are there. A table
    must have all columns of a model that learned from a table; one that took names as they came
    takes rows of any.

    Parameters
    ----------
    loaded : Loaded
    stream : Stream
    quiet : bool, default=False
        Whether to keep the notes back.

    Raises
    ------
    BadData
        A column is missing, or there are more or fewer than the model has where nothing but their
        number could tell which is which.
    """

    def __init__(self, loaded: LoadedModel, stream: Stream, quiet: bool = False) -> None:
        self.width = int(loaded.model.n_features_in_)
        self.source, self._is_silent = stream.name, quiet
        self._order: Any = None
        self._names: _NameMap | None = None
        self._note_unknown_columns(list(stream.left_out))
        if stream.feature_names is None:
            if loaded.names is not None:
                raise BadData(
                    f"{stream.name}: has columns without names, but the model finds its "
                    f"{self.width:,} by name ({fmt.listing(loaded.names, _MAX_NAMES)}): give a "
                    "table with these columns."
                )
            return
        if stream.sparse or loaded.accepts_any_names:
            self._names = self._map_names(loaded.names, stream.feature_names)
        elif loaded.names is not None:
            self._order = self._order_by_name(loaded.names, stream.feature_names)
        else:
            self._check_width(len(stream.feature_names))

    def _map_names(self, model_names: list[str] | None, stream_names: list[str]) -> _NameMap:
        if model_names is None:
            raise BadData(
                f"{self.source}: has features with names, but the model knows its {self.width:,} "
                "by their places only: give it data of the kind that it has learned from."
            )
        return _NameMap(model_names, stream_names)

    def _check_width(self, width: int) -> None:
        if width != self.width:
            raise BadData(
                f"{self.source}: has {fmt.count(width, 'feature')}, but the model has "
                f"{self.width:,}, and no names to find them by."
            )

    def _order_by_name(self, model_names: list[str], stream_names: list[str]) -> Any:
        index = {name: j for j, name in enumerate(stream_names)}
        missing = [name for name in model_names if name not in index]
        if missing:
            raise BadData(
                f"{self.source}: lacks {fmt.count(len(missing), 'column')} of the model's "
                f"{len(model_names):,}: {fmt.listing(missing, _MAX_NAMES)}."
            )
        expected = set(model_names)
        self._note_unknown_columns([name for name in stream_names if name not in expected])
        return (
            None if model_names == stream_names else np.array([index[name] for name in model_names])
        )

    def _note_unknown_columns(self, names: list[str]) -> None:
        if names and not self._is_silent:
            unknown = f"{fmt.count(len(names), 'column')} that the model does not know"
            terminal.note(f"{self.source}: left out {unknown}: {fmt.listing(names, _MAX_NAMES)}.")

    def __call__(self, X: Any) -> Any:
        """Rows as the model takes them."""
        if self._names is not None:
            rows = sp.csr_array(X)
            aligned = self._names.align(rows)
            self._note_unknown_features(aligned.nnz < rows.nnz)
            return aligned
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
                f"{self.source}: has features beyond the model's {self.width:,}; the model has "
                "never seen them, so they weigh nothing."
            )


class _NameMap:
    """Columns found by name where rows have some of the names, and more of them may come.

    Parameters
    ----------
    model_names : list of str
        The model's.
    stream_names : list of str
        The stream's, which grows.
    """

    def __init__(self, model_names: list[str], stream_names: list[str]) -> None:
        self._index = {name: j for j, name in enumerate(model_names)}
        self._stream_names = stream_names
        self._model_columns = np.empty(
            0, np.int32
        )  # for each column of the stream; -1 where unknown

    def align(self, X: Any) -> Any:
        """The rows with the model's columns."""
        new = self._stream_names[len(self._model_columns) : X.shape[1]]
        new_columns = np.array([self._index.get(name, -1) for name in new], np.int32)
        self._model_columns = np.concatenate([self._model_columns, new_columns])
        columns = self._model_columns[X.indices]
        is_known = columns >= 0
        starts = np.concatenate([[0], np.cumsum(is_known)])[X.indptr]
        shape = (X.shape[0], len(self._index))
        rows = sp.csr_array((X.data[is_known], columns[is_known], starts), shape=shape)
        rows.sort_indices()
        return rows
