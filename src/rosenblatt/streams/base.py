"""What every source of rows looks like: a stream of batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

from rosenblatt.streams.settings import UNDERSTOOD


class Batch(NamedTuple):
    """Some rows, with their labels, as they follow each other in the source.

    Parameters
    ----------
    X : csr_array or C-ordered array of shape (rows, features), float64
        Sparse from svmlight text, JSON lines and pairs of lists: as many columns as the stream so
        far needs, so batches may widen but never shrink. Sparse from Vowpal Wabbit text, 2^bits
        columns. Dense from tables.
    y : array of shape (rows,), or None
        Labels: int64, float64 or text. None where the stream is not ``labelled``.
    first_row : int
        How many rows of the stream come before.
    weight : float64 array of shape (rows,), or None
        How much each row counts; None where all count the same.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> batch = next(iter(open_stream("sklearn:iris")))
    >>> batch.X.shape, str(batch.y[0]), batch.first_row
    ((150, 4), 'setosa', 0)
    """

    X: Any
    y: Any
    first_row: int
    weight: Any = None


class Stream(ABC):
    """Batches of rows, in the order of the source, as often as the source allows.

    Iterating starts from the first row again. Standard input and pipes pass only once: the second
    iteration is a ``DataError``.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    format : str
        "svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "npy", "npz" or "sklearn".

    Attributes
    ----------
    sparse : bool
        Whether ``X`` is sparse.
    labelled : bool
        Whether batches have labels.
    feature_names : list of str, or None
        Names of the columns of ``X``, where the source has names. In JSON lines those so far.
    target : str or None
        The name of the column with the labels, where it has one.
    index_base : int or None
        The index of the first column in svmlight text, 0 or 1, also where it was converted. None
        in other formats, and as long as it is not known: before the first batch was read.
    bits : int or None
        Names are hashed to 2^bits columns in Vowpal Wabbit text. None in other formats.
    interactions : tuple of str
        The namespaces, or columns, whose pairs are features: ``"a*b"``.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream = open_stream("sklearn:wine")
    >>> stream.format, stream.sparse, stream.target, len(stream.feature_names)
    ('sklearn', False, 'target', 13)
    >>> sum(len(batch.y) for batch in stream)
    178
    """

    sparse: bool = False
    labelled: bool = True
    feature_names: list[str] | None = None
    target: str | None = None
    index_base: int | None = None
    bits: int | None = None
    interactions: tuple[str, ...] = ()

    def __init__(self, name: str, format: str) -> None:
        self.name = name
        self.format = format

    @abstractmethod
    def __iter__(self) -> Iterator[Batch]: ...

    def noted(self) -> dict[str, Any]:
        """How the rows are understood, as other data must be for a model that learned from them.

        Returns
        -------
        dict
            Values of JSON, under the names of :func:`rosenblatt.streams.open_stream`.

        Examples
        --------
        >>> from rosenblatt.streams import open_stream
        >>> open_stream("sklearn:wine").noted()["target"]
        'target'
        """
        return {"format": self.format} | {name: getattr(self, name) for name in UNDERSTOOD}

    def read(self) -> tuple[Any, Any]:
        """All rows as one matrix, and their labels. Weights are left out: batches have them.

        Returns
        -------
        X : csr_array or array of shape (n, d), float64
        y : array of shape (n,), or None where the stream is not ``labelled``

        Raises
        ------
        DataError
            As iterating does.

        Examples
        --------
        >>> from rosenblatt.streams import open_stream
        >>> X, y = open_stream("sklearn:wine").read()
        >>> X.shape, y.shape
        ((178, 13), (178,))
        """
        from rosenblatt.streams.holding import gathered

        X, y, _ = gathered(self)
        return X, y
