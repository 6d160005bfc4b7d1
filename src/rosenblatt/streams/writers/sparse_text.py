"""Lines of svmlight and of Vowpal Wabbit text, formatted column by column with pyarrow.

Every number is the shortest decimal that reads back as the same float64.
"""

from __future__ import annotations

import os
import re
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.streams.core.batch import Batch
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.writers.output import compressed
from rosenblatt.utils.arrays import Array, Matrix, NDArray
from rosenblatt.utils.atomic import atomic_write
from rosenblatt.utils.words import option_value, schema_option

_SHOWN_LABELS = 20  # in an error message
_LARGEST_LABEL = 2**53  # a larger whole number may read back as its neighbour
_RESERVED = re.compile(r"[ \t\r\n:|%]")  # in names and tags of Vowpal Wabbit text


class SvmlightLines:
    r"""Formatter of batches as svmlight text.

    Indices count as in the source if it is svmlight text, else from 1. Ids are left out.

    Parameters
    ----------
    stream : Stream

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> from rosenblatt.streams.writers.output import NumberedStream
    >>> stream = NumberedStream(open_stream("sklearn:breast_cancer"), ["malignant", "benign"])
    >>> bytes(SvmlightLines(stream)(next(iter(stream))))[:26]
    b'-1 1:17.99 2:10.38 3:122.8'
    """

    title = "svmlight text"

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def __call__(self, batch: Batch) -> memoryview:
        """Return the lines of a batch.

        Raises
        ------
        DataError
            The labels are text, or a row has a weight.
        """
        if batch.weight is not None:
            raise DataError(
                self._stream.name, _no_weights(self._stream, batch.first_row, batch.weight)
            )
        X = _sparse(batch.X)
        indices = _indices(self._stream, X)
        entries = pc.binary_join_element_wise(" ", indices, ":", _as_text(X.data), "")
        return _lines(_labels(self._stream, batch, self.title), X, entries)


class VowpalWabbitLines:
    r"""Formatter of batches as Vowpal Wabbit text.

    A line is the label, the weight if a row of the batch has one, the id as a tag, a bar and the
    features, all in the namespace without a name; the value 1 is left out. In names and ids,
    blanks, tabs, ends of lines, ``:``, ``|`` and ``%`` are written as ``%`` and two hexadecimal
    digits. A feature without a name, or with a hashed one, is named by its index, as in
    :class:`SvmlightLines`.

    Parameters
    ----------
    stream : Stream

    Raises
    ------
    DataError
        The stream is Vowpal Wabbit text: its names are not in the rows.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> from rosenblatt.streams.writers.output import NumberedStream
    >>> stream = NumberedStream(open_stream("sklearn:breast_cancer"), ["malignant", "benign"])
    >>> bytes(VowpalWabbitLines(stream)(next(iter(stream))))[:46]
    b'-1 | mean%20radius:17.99 mean%20texture:10.38 '
    """

    title = "Vowpal Wabbit text"

    def __init__(self, stream: Stream) -> None:
        if stream.format == "vw":
            problem = "is Vowpal Wabbit text already, and its names would be lost: copy the file."
            raise DataError(stream.name, problem)
        self._stream = stream
        self._names: list[str] = []  # escaped

    def __call__(self, batch: Batch) -> memoryview:
        """Return the lines of a batch.

        Raises
        ------
        DataError
            The labels are text.
        """
        X = _sparse(batch.X)
        heads = [_labels(self._stream, batch, self.title)]
        if batch.weight is not None:
            heads.append(_as_text(batch.weight))
        tags = np.array(["|"], object) if batch.ids is None else _tags(batch.ids)
        heads.append(pa.array(np.broadcast_to(tags, len(batch.y)).tolist()))
        values = pa.array(X.data)
        suffixes = pc.if_else(
            pc.equal(values, 1.0), "", pc.binary_join_element_wise(":", _as_text(values), "")
        )
        entries = pc.binary_join_element_wise(" ", self._features(X), suffixes, "")
        return _lines(pc.binary_join_element_wise(*heads, " "), X, entries)

    def _features(self, X: Matrix) -> pa.StringArray:
        """Return the name of each entry."""
        names = self._stream.feature_names
        if names is None:
            return _indices(self._stream, X)
        if "" in names:
            problem = f"column {names.index('') + 1} has an empty name: give it one."
            raise DataError(self._stream.name, problem)
        self._names += map(escape, names[len(self._names) :])
        return pa.array(self._names, pa.string()).take(pa.array(X.indices))


def write_lines(
    stream: Stream, path: str | os.PathLike[str], lines: type[SvmlightLines | VowpalWabbitLines]
) -> int:
    """Write the rows as text, a line each.

    Parameters
    ----------
    stream : Stream
    path : str or path
    lines : class
        Its instances, made of a stream, return the text of a batch; ``title`` is their kind.
    """
    as_lines, batches, rows = lines(stream), iter(stream), 0
    first = next(batches)  # a stream without rows is a DataError
    head = as_lines(first)  # labels that are text are refused before any file is made
    with atomic_write(path, lines.title) as file, compressed(path, file) as text:
        text.write(head)
        rows += len(first.y)
        for batch in batches:
            text.write(as_lines(batch))
            rows += len(batch.y)
    return rows


write_svmlight = partial(write_lines, lines=SvmlightLines)
"""Write the rows of a stream as svmlight text."""

write_vowpal_wabbit = partial(write_lines, lines=VowpalWabbitLines)
"""Write the rows of a stream as Vowpal Wabbit text."""


def escape(name: str) -> str:
    """Return a name without the characters that Vowpal Wabbit text reserves.

    Examples
    --------
    >>> escape("petal length (cm)"), escape("a:b|100%")
    ('petal%20length%20(cm)', 'a%3Ab%7C100%25')
    """
    return _RESERVED.sub(lambda match: f"%{ord(match[0]):02X}", name)


def _tags(ids: Array) -> NDArray[np.object_]:
    return np.array([f"'{escape(str(id))}|" if id != "" else "|" for id in ids.tolist()], object)


def _sparse(X: Matrix) -> Matrix:
    if hasattr(X, "indptr"):
        return X
    import scipy.sparse as sp

    return sp.csr_array(X)


def _indices(stream: Stream, X: Matrix) -> pa.StringArray:
    """Return the index of each entry: as in svmlight text, else from 1."""
    base = 1 if stream.index_base is None else stream.index_base
    return _as_text(X.indices.astype(np.int64) + base)


def _as_text(numbers: object) -> pa.StringArray:
    return pa.array(numbers).cast(pa.string())


def _labels(stream: Stream, batch: Batch, title: str) -> pa.StringArray:
    if batch.y.dtype.kind in "if":
        beyond = np.abs(batch.y) > _LARGEST_LABEL
        if batch.y.dtype.kind == "i" and beyond.any():
            raise DataError(
                stream.name,
                f"has the label {batch.y[beyond][0]}, and the labels of {title} are read as "
                "floats, which hold all whole numbers up to 2^53: write CSV or Parquet (.parquet).",
            )
        return _as_text(batch.y)
    labels = sorted(map(str, set(batch.y.tolist())))
    option = f"--labels {option_value(labels[:_SHOWN_LABELS])}"
    if len(labels) > _SHOWN_LABELS:
        option += ",…"
    problem = f"its labels are text, and {title} has numbers: {option} numbers them in this order."
    raise DataError(stream.name, problem)


def _no_weights(stream: Stream, first_row: int, weight: Array) -> str:
    row = int(np.argmax(weight != 1.0))
    problem = f"row {first_row + row:,} (from 0) has the weight {weight[row]:g}, and"
    remedy = "write Parquet (.parquet)"
    if stream.format != "vw":
        remedy = "write Vowpal Wabbit text, CSV or Parquet"
    if stream.schema is not None and stream.weight_column is not None:
        skip = schema_option(stream.weight_column, "skip")
        remedy += f", or leave the weights out: {skip}"
    return f"{problem} svmlight text has no weights: {remedy}."


def _lines(heads: pa.StringArray, X: Matrix, entries: pa.StringArray) -> memoryview:
    """Join the entries of each row after its head; return the text of all rows."""
    lists = pa.ListArray.from_arrays(pa.array(X.indptr, pa.int32()), entries)
    lines = pc.binary_join_element_wise(heads, pc.binary_join(lists, ""), "\n", "")
    offsets, letters = lines.buffers()[1:]
    size = int(np.frombuffer(offsets, np.int32)[len(lines)])
    return memoryview(letters)[:size]
