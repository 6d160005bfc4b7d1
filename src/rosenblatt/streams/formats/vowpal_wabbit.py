"""Vowpal Wabbit text as a stream of sparse batches."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import partial
from itertools import chain

from rosenblatt.engine.text.crossing import split_interaction
from rosenblatt.engine.text.hashing import encode_interactions
from rosenblatt.engine.text.scanning import TextError
from rosenblatt.engine.text.vowpal_wabbit import parse
from rosenblatt.streams.core.batch import Batch, csr
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import DEFAULT_BITS, MAX_GROWTH, ReadOptions
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.labels import NumericLabels, weights_or_none
from rosenblatt.streams.io.files import File, Source, Text
from rosenblatt.streams.io.parsing import parse_ahead

_SAMPLE_BYTES = 1 << 13
_MIN_GROWTH = 8  # the first rows may have fewer pairs than the others


class VwStream(Stream):
    r"""Rows of Vowpal Wabbit text, with hashed features.

    :mod:`rosenblatt.engine.text.vowpal_wabbit` documents the grammar and the hashing of names.
    Labels are int64 while all labels of the stream so far are integers, float64 from the first
    batch with others on. A batch has weights unless all importances are 1, and ids if ``tags`` is
    set and a row has a tag.

    Parameters
    ----------
    text : Text
        With its options, names are hashed to 2^bits columns, default 2^18. Without ``labelled``,
        labels are optional and ignored. ``interactions`` cross namespaces, by their full names,
        and ``keep`` and ``ignore`` say whose features count; ``names`` records the names.

    Raises
    ------
    DataError
        After the last row: no row has features in a namespace that an option names, and the rows
        have labels, are all of the source, and are no new data of a model.

    Examples
    --------
    >>> from rosenblatt.streams.io.files import Pipe
    >>> source = Pipe("demo", iter([b"1 2 |words spam offer\n-1 |words hello\n"]), 99)
    >>> stream = VwStream(Text("vw", source, source.head(), ReadOptions(bits=4)))
    >>> [(batch.X.shape, batch.y, batch.weight) for batch in stream]
    [((2, 16), array([ 1, -1]), array([2., 1.]))]
    """

    def __init__(self, text: Text) -> None:
        options = text.options
        super().__init__(text.source.name, text.format, options.on_bad_row)
        self.sparse, self.labelled = True, options.labelled
        self.interactions, self.weight_column = options.interactions, "importance"
        self.id_column = "tag" if options.tags else None
        self.bits: int = DEFAULT_BITS if options.bits is None else options.bits
        self.keep, self.ignore = options.keep, options.ignore
        self._groups = encode_interactions(options.interactions, options.keep, options.ignore)
        crossed = chain.from_iterable(map(split_interaction, options.interactions))
        names = dict.fromkeys([*crossed, *options.keep, *options.ignore])
        is_complete = options.labelled and not (options.settled or options.is_part)
        self._required = list(names) if is_complete else []
        self._first_names = namespaces_of(text.head.text)
        self._source = fit_chunks(text.source, text.head.text, options)
        self._names, self._written = options.names, options.written

    def __iter__(self) -> Iterator[Batch]:
        first_row = 0
        labels = NumericLabels()
        names = self._names
        table = None if names is None else names.known(self.bits)
        seen: set[int] = set()
        read = partial(
            parse,
            bits=self.bits,
            labelled=self.labelled,
            tagged=self.id_column is not None,
            interactions=self._groups,
            table=table,
            written=self._written,
            seen=seen,
        )
        for parsed, *_ in parse_ahead(self._source, read, self._bad):
            if names is not None:
                names.add(*parsed.new_hashes)
            columns, data, indptr = parsed.rows
            X = csr(data, columns, indptr, 1 << self.bits)
            y = labels.convert(parsed.labels) if self.labelled else None
            weight = weights_or_none(parsed.weights)
            yield Batch(X, y, first_row, weight, parsed.tags, computed=parsed.computed)
            first_row += X.shape[0]
        self._bad.end(first_row)
        for group, name in enumerate(self._required):
            if group not in seen:
                raise DataError(self.name, unknown_namespace(name, self._first_names))


_NAMESPACE = re.compile(rb"\|([^\s|:]*)")


def namespaces_of(text: bytes) -> list[str]:
    r"""Return the namespaces of Vowpal Wabbit text, in the order of their appearance.

    Examples
    --------
    >>> namespaces_of(b"1 |user a |ad:2 b\n-1 | c\n")
    ['user', 'ad', '']
    """
    names = (match[1].decode(errors="replace") for match in _NAMESPACE.finditer(text))
    return list(dict.fromkeys(names))


def unknown_namespace(name: str, names: list[str]) -> str:
    """Return the message for a namespace that no row has.

    Parameters
    ----------
    name : str
    names : list of str
        The namespaces of the first rows.

    Examples
    --------
    >>> unknown_namespace("usr", ["user", "ad"])
    "no row has features in the namespace 'usr'; the first rows have 'user', 'ad'. Did you mean \
'user'?"
    """
    listed = ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "")
    close = difflib.get_close_matches(name, names, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"no row has features in the namespace {name!r}; the first rows have {listed}.{hint}"


def fit_chunks(source: Source, head: bytes, options: ReadOptions) -> Source:
    """Return a file cut into larger chunks, where its first rows have few pairs.

    A batch costs about a millisecond, however few rows it has.

    Parameters
    ----------
    source : File or Pipe
        Of chunks of ``options.batch_bytes // MAX_GROWTH``, if there are interactions.
    head : bytes
        Its first lines.
    options : ReadOptions
    """
    if not (options.interactions and isinstance(source, File) and len(head) > _SAMPLE_BYTES):
        return source
    text = head[: head.rfind(b"\n", 0, _SAMPLE_BYTES) + 1]
    if not text:  # a line this long has many pairs
        return source
    try:
        interactions = encode_interactions(options.interactions)
        columns, data, _ = parse(text, DEFAULT_BITS, False, interactions=interactions).rows
    except TextError:
        return source
    growth = (columns.nbytes + data.nbytes) // len(text)
    size = options.batch_bytes // min(max(growth, _MIN_GROWTH), MAX_GROWTH)
    return source.resized(size)
