"""What every source of rows looks like: a stream of batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from rosenblatt.streams.core.bad_rows import BadRows, OnBadRow
from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.options import FEATURE_OPTIONS

COPIED_ATTRIBUTES = (
    "sparse",
    "labelled",
    "origin",
    "weight_column",
    "id_column",
    "left_out",
    *FEATURE_OPTIONS,
)
"""What a stream made of others has from them; ``index_base`` may be settled by reading."""


class Stream(ABC):
    """Batches of rows, in the order of the source, as often as the source allows.

    Iterating starts from the first row again. Standard input and pipes pass only once: the second
    iteration is a ``DataError``.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    format : str
        "svmlight", "vw", "csv", "tsv", "jsonl", "parquet", "arrow", "npy", "npz",
        "folder" or "sklearn".
    on_bad_row : {"stop", "skip"} or callable, default "stop"
        What becomes of rows that cannot be read.

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
    origin : str or None
        The format that rows of an Arrow file had before they were converted.
    bits : int or None
        Names, and n-grams of texts, are hashed to 2^bits columns; None where they are not.
    text : tuple of str
        The n-grams that texts are read as; empty where there are no texts.
    weight_column, id_column : str or None
        What holds the weights and the ids of the rows, where the source has them: a column, a key;
        in Vowpal Wabbit text ``importance`` and ``tag``.
    schema : dict or None
        The columns of a table with their kinds, but for the label; of JSON lines the keys that
        are no plain features.
    left_out : tuple of str
        The columns of a table that no name in the schema stands for, where others are left out.
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
    origin: str | None = None
    bits: int | None = None
    text: tuple[str, ...] = ()
    weight_column: str | None = None
    id_column: str | None = None
    schema: dict[str, str] | None = None
    left_out: tuple[str, ...] = ()
    interactions: tuple[str, ...] = ()

    def __init__(self, name: str, format: str, on_bad_row: OnBadRow = "stop") -> None:
        self.name = name
        self.format = format
        self._bad = BadRows(name, on_bad_row)

    @property
    def bad_rows(self) -> int:
        """How many rows the latest pass has left out so far, since they cannot be read."""
        return self._bad.count

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {self.format}, target {self.target!r}>"

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
        >>> noted = open_stream("sklearn:wine").noted()
        >>> noted["format"], noted["target"], noted["bits"]
        ('sklearn', 'target', None)
        """
        format = self.origin or self.format
        return {"format": format} | {name: getattr(self, name) for name in FEATURE_OPTIONS}

    def read(self) -> tuple[Any, Any]:
        """All rows as one matrix, and their labels: the first two of :meth:`batch`.

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
        batch = self.whole()
        return batch.X, batch.y

    def whole(self) -> Batch:
        r"""All rows as one batch, with their weights and ids.

        Returns
        -------
        Batch

        Raises
        ------
        DataError
            As iterating does.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from rosenblatt.streams import open_stream
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "two.vw")
        ...     _ = path.write_text("1 2.5 'a| x\n-1 'b| y\n")
        ...     rows = open_stream(path, tags=True).whole()
        >>> rows.y.tolist(), rows.weight.tolist(), rows.ids.tolist()
        ([1, -1], [2.5, 1.0], ['a', 'b'])
        """
        from rosenblatt.streams.core.batch import concat_batches

        return concat_batches(self)
