"""Columns of new data in the order of a model's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.cli.display import console, text
from rosenblatt.cli.display.errors import BadData
from rosenblatt.streams.core.batch import as_wide

if TYPE_CHECKING:
    from rosenblatt.cli.inputs.models import Loaded
    from rosenblatt.streams import Stream


_SHOWN = 10  # names in a message


class Columns:
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

    def __init__(self, loaded: Loaded, stream: Stream, quiet: bool = False) -> None:
        self.width = int(loaded.model.n_features_in_)
        self.source, self._noted = stream.name, quiet
        self._order: Any = None
        self._names: _Names | None = None
        self._tell_unknown(list(stream.left_out))
        if stream.feature_names is None:
            if loaded.names is not None:
                raise BadData(
                    f"{stream.name}: has columns without names, but the model finds its "
                    f"{self.width:,} by name ({text.listing(loaded.names, _SHOWN)}): give a "
                    "table with these columns."
                )
            return
        if stream.sparse or loaded.growing:
            self._names = self._growing(loaded.names, stream.feature_names)
        elif loaded.names is not None:
            self._order = self._by_name(loaded.names, stream.feature_names)
        else:
            self._check_width(len(stream.feature_names))

    def _growing(self, wanted: list[str] | None, found: list[str]) -> _Names:
        if wanted is None:
            raise BadData(
                f"{self.source}: has features with names, but the model knows its {self.width:,} "
                "by their places only: give it data of the kind that it has learned from."
            )
        return _Names(wanted, found)

    def _check_width(self, found: int) -> None:
        if found != self.width:
            raise BadData(
                f"{self.source}: has {text.count(found, 'feature')}, but the model has "
                f"{self.width:,}, and no names to find them by."
            )

    def _by_name(self, wanted: list[str], found: list[str]) -> Any:
        place = {name: j for j, name in enumerate(found)}
        missing = [name for name in wanted if name not in place]
        if missing:
            raise BadData(
                f"{self.source}: lacks {text.count(len(missing), 'column')} of the model's "
                f"{len(wanted):,}: {text.listing(missing, _SHOWN)}."
            )
        known = set(wanted)
        self._tell_unknown([name for name in found if name not in known])
        return None if wanted == found else np.array([place[name] for name in wanted])

    def _tell_unknown(self, names: list[str]) -> None:
        if names and not self._noted:
            left = f"{text.count(len(names), 'column')} that the model does not know"
            console.note(f"{self.source}: left out {left}: {text.listing(names, _SHOWN)}.")

    def __call__(self, X: Any) -> Any:
        """Rows as the model takes them."""
        if self._names is not None:
            found = sp.csr_array(X)
            known = self._names.of(found)
            self._tell_beyond(known.nnz < found.nnz)
            return known
        if isinstance(X, np.ndarray):
            if self._order is not None:
                return X[:, self._order]
            self._check_width(X.shape[1])
            return X
        self._tell_beyond(X.shape[1] > self.width)
        return X if X.shape[1] == self.width else as_wide(X, self.width)

    def _tell_beyond(self, beyond: bool) -> None:
        if beyond and not self._noted:
            self._noted = True
            console.note(
                f"{self.source}: has features beyond the model's {self.width:,}; the model has "
                "never seen them, so they weigh nothing."
            )


class _Names:
    """Columns found by name where rows have some of the names, and more of them may come.

    Parameters
    ----------
    wanted : list of str
        The model's.
    found : list of str
        The stream's, which grows.
    """

    def __init__(self, wanted: list[str], found: list[str]) -> None:
        self._place = {name: j for j, name in enumerate(wanted)}
        self._found = found
        self._places = np.empty(0, np.int32)  # for each column of the stream; -1 where unknown

    def of(self, X: Any) -> Any:
        """The rows with the model's columns."""
        new = self._found[len(self._places) : X.shape[1]]
        places = np.array([self._place.get(name, -1) for name in new], np.int32)
        self._places = np.concatenate([self._places, places])
        columns = self._places[X.indices]
        known = columns >= 0
        starts = np.concatenate([[0], np.cumsum(known)])[X.indptr]
        shape = (X.shape[0], len(self._place))
        rows = sp.csr_array((X.data[known], columns[known], starts), shape=shape)
        rows.sort_indices()
        return rows
