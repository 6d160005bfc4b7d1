"""Base class of all sources of rows: a stream of batches, and the description of its rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from rosenblatt.streams.core.access import shown
from rosenblatt.streams.core.bad_rows import BadRows, OnBadRow
from rosenblatt.streams.core.batch import Batch, concat_batches
from rosenblatt.streams.core.missing import Imputer
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import FEATURE_OPTIONS, LAYOUT_OPTIONS, MISSING_OPTIONS

_NOTED_IF_SET = (*LAYOUT_OPTIONS, "keep", "ignore", "partitions")


@dataclass(eq=False, repr=False)
class StreamInfo:
    """Description of a stream's rows; :class:`Stream` documents the fields."""

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
    keep: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    separator: str | None = None
    decimal: str | None = None
    quotes: bool | None = None
    header: bool | None = None
    column_names: tuple[str, ...] = ()
    imputer: Imputer | None = None
    remarks: tuple[str, ...] = ()
    partitions: dict[str, str] | None = None


class Stream(StreamInfo, ABC):
    """Batches of rows, in the order of the source, as often as the source allows.

    Each iteration starts from the first row again. Standard input and pipes can be read only once:
    the second iteration is a ``DataError``.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    format : str
        The name of one of the ``rosenblatt.streams.registry.FORMATS``: "csv", "sklearn", …
    on_bad_row : {"stop", "skip"} or callable, default "stop"
        The policy for rows that cannot be read.
    info : StreamInfo, optional
        The attributes below.

    Attributes
    ----------
    sparse : bool
        Whether ``X`` is sparse.
    labelled : bool
        Whether batches have labels.
    feature_names : list of str, or None
        Names of the columns of ``X``, where the source has names; in JSON lines those so far.
    target : str or None
        The name of the column of labels, where it has one.
    index_base : int or None
        The index of the first column in svmlight text, 0 or 1, also after conversion to Arrow. None
        in other formats, and before the first batch has shown it.
    origin : str or None
        The format that rows of an Arrow file had before conversion.
    bits : int or None
        Names, and n-grams of texts, are hashed to 2^bits columns; None where nothing is hashed.
    text : tuple of str
        The n-grams that texts are read as; empty where there are no texts.
    weight_column, id_column : str or None
        The column or key with the weights and with the ids of the rows; in Vowpal Wabbit text
        ``importance`` and ``tag``.
    schema : dict or None
        The columns of a table and their kinds, without the label; of JSON lines the keys that
        are no plain features.
    left_out : tuple of str
        Columns of a table that are skipped although the schema does not name them.
    interactions : tuple of str
        The namespaces, or columns, whose products are features: ``"a*b"``, ``"a*b*c"``.
    keep, ignore : tuple of str
        The namespaces of Vowpal Wabbit text whose features alone are read, all if there is none;
        and those whose features are not.
    separator : str or None
        The separator of a table that is neither a comma in CSV nor a tab in TSV.
    decimal : str or None
        The mark before the decimals of a table's numbers; None: a point.
    quotes : bool or None
        False for a table whose quotes are characters like any other.
    header : bool or None
        False for a table without a header line.
    column_names : tuple of str
        The columns of a table without a header line.
    imputer : Imputer or None
        The replacement of the missing cells of a table.
    remarks : tuple of str
        Columns of a table that are probably not read as meant, one sentence each.
    partitions : dict or None
        The columns in the paths of files, ``day=2026-11-01/``, and their kinds.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream = open_stream("sklearn:wine")
    >>> stream.format, stream.sparse, stream.target, len(stream.feature_names)
    ('sklearn', False, 'target', 13)
    >>> sum(len(batch.y) for batch in stream)
    178
    """

    def __init__(
        self, name: str, format: str, on_bad_row: OnBadRow = "stop", info: StreamInfo | None = None
    ) -> None:
        if info is not None:  # else the defaults, or what a subclass says
            super().__init__(**vars(info))
        self.name = name
        self.format = format
        self._bad = BadRows(name, on_bad_row)
        self._line_of: Callable[[int], int] | None = None  # the line of a row of the latest batch
        self._first_tally: Any = None  # of the imputer, before the first row

    @property
    def info(self) -> StreamInfo:
        """The description of the rows, as known so far."""
        return StreamInfo(**{field.name: getattr(self, field.name) for field in fields(StreamInfo)})

    def location(self, row: int) -> tuple[str, int | None]:
        """Return the file and the line of a row of the latest batch; None for an unknown line.

        Parameters
        ----------
        row : int
            Its index in the batch.
        """
        return self.name, None if self._line_of is None else self._line_of(row)

    @property
    def bad_rows(self) -> int:
        """Number of rows that the latest pass has skipped so far, as they cannot be read."""
        return self._bad.count

    def __repr__(self) -> str:
        kind, name = type(self).__name__, shown(self.name)
        return f"<{kind} {name!r}: {self.format}, target {self.target!r}>"

    @abstractmethod
    def __iter__(self) -> Iterator[Batch]: ...

    def _begin(self) -> None:
        """Begin another pass over the source."""
        self._bad.begin()
        if self.imputer is not None:
            self._first_tally = self.imputer.begin(self._first_tally)

    def noted(self) -> Notes:
        """Return the options that decide the features; a model notes them, to read new data alike.

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
        noted: dict[str, object] = {"format": self.origin or self.format}
        for name in FEATURE_OPTIONS:
            if name not in MISSING_OPTIONS:
                value = getattr(self, name)
                if name not in _NOTED_IF_SET or value not in (None, ()):
                    noted[name] = value
        if self.imputer is not None:
            noted |= self.imputer.noted()
        return cast("Notes", noted)

    def read(self) -> tuple[Any, Any]:
        """Read all rows into one matrix: the first two fields of :meth:`whole`.

        Returns
        -------
        X : csr_array or array of shape (n, d), float64
            With ``columns``, a tuple of the names of its columns, where the stream has names;
            ``X[rows]`` has them, too. A model whose columns have names refuses other ones.
        y : array of shape (n,), or None where the stream is not ``labelled``

        Examples
        --------
        >>> from rosenblatt.streams import open_stream
        >>> X, y = open_stream("sklearn:wine").read()
        >>> X.shape, y.shape, X[:9].columns[0]
        ((178, 13), (178,), 'alcohol')
        """
        batch = self.whole()
        return batch.X, batch.y

    def whole(self) -> Batch:
        r"""Read all rows into one batch, with their weights and ids.

        Returns
        -------
        Batch
            ``X`` as of :meth:`read`.

        Raises
        ------
        DataError
            A row cannot be read, as when iterating.

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
        rows = concat_batches(self)
        if self.feature_names is None:
            return rows
        from rosenblatt.streams.core.named import with_columns  # needs SciPy

        return rows.replace(X=with_columns(rows.X, self.feature_names[: rows.X.shape[1]]))


class StreamView(Stream):
    """Rows of another stream, changed batch by batch.

    Parameters
    ----------
    stream : Stream
    **changes
        Attributes of the description that differ.
    """

    def __init__(self, stream: Stream, **changes: Any) -> None:
        super().__init__(stream.name, stream.format, info=replace(stream.info, **changes))
        self._stream = stream

    @property
    def bad_rows(self) -> int:
        """Number of skipped rows of the stream below."""
        return self._stream.bad_rows
