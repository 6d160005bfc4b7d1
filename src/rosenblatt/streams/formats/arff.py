"""ARFF, the tables of Weka, as a stream of batches."""

from __future__ import annotations

from itertools import chain, islice

from rosenblatt.engine.text.delimited import Layout, Parsed
from rosenblatt.streams.core.bad_rows import BadRows
from rosenblatt.streams.core.errors import NoRowsError
from rosenblatt.streams.core.options import FIRST_ROWS, ReadOptions
from rosenblatt.streams.features.inference import Inference
from rosenblatt.streams.features.schema import infer_kind
from rosenblatt.streams.formats.arff_rows import (
    Relation,
    as_csv,
    line_of_data,
    parse_arff,
    read_relation,
)
from rosenblatt.streams.formats.delimited import TableStream
from rosenblatt.streams.formats.records import Header, records_of_width
from rosenblatt.streams.io.files import File, Pipe, Source, Text
from rosenblatt.streams.io.lines import READ_ERRORS, LineBlock, line_blocks, read_error


class ArffStream(TableStream):
    r"""Rows of an ARFF table: as of CSV, with the kinds of columns that it declares.

    ``numeric``, ``real`` and ``integer`` are numbers, nominal values are categories, but true and
    false are the numbers 1 and 0, ``string`` is text, ``date`` a date; a column of ids is left out
    (:mod:`rosenblatt.streams.features.ids`). Rows may be sparse, ``{0 1.5, 3 oak}``: a column that
    is not there is 0, or the first of its values. ``?`` is a missing cell. Lines that begin with
    ``%`` are comments.

    Parameters
    ----------
    text : Text
        Options of CSV, without those of its layout. The column of labels is by default the first of
        ``target``, ``label``, ``class``, ``y`` that names one, in upper or lower case, else the
        last column. ``schema`` goes before what the file declares.

    Raises
    ------
    DataError
        The header cannot be read (:func:`rosenblatt.streams.formats.arff_rows.read_relation`), or
        as :class:`rosenblatt.streams.formats.delimited.TableStream`.

    Examples
    --------
    >>> from rosenblatt.streams.io.files import Pipe
    >>> header = b"@relation trees\n@attribute size real\n@attribute kind {oak, elm}\n@data\n"
    >>> source = Pipe("demo", iter([header + b"1.5,elm\n{1 oak}\n"]), 99)
    >>> stream = ArffStream(Text("arff", source, source.head(), ReadOptions()))
    >>> [(batch.X.tolist(), batch.y.tolist()) for batch in stream]
    [([[1.5], [0.0]], ['elm', 'oak'])]
    """

    has_declared_columns = True

    def __init__(self, text: Text) -> None:
        skips = text.options.on_bad_row != "stop"
        lead, source = _with_header(text.source, text.head, skips)
        if line_of_data(lead.text) is None:
            faults = [BadRows(source.name).bad_row(bad, lead.first_line) for bad in lead.bad]
            empty = NoRowsError(source.name, "no rows: found no line @data.")
            raise faults[0].error if faults else empty
        super().__init__(text._replace(source=source, head=lead))

    def _read_header(self, head: LineBlock, options: ReadOptions) -> Header:
        bad = [self._bad.bad_row(line, head.first_line) for line in head.bad]
        if bad and bad[0].number <= (line_of_data(head.text) or 0):
            raise bad[0].error
        self._relation: Relation = read_relation(self.name, head.text)
        names, lines = list(self._relation.kinds), self._relation.lines
        rows = as_csv(head.text, self._relation).decode().split("\n")[lines:]
        records = records_of_width(rows, len(names), ",", quoted=True)
        return Header(names, lines, lines, list(islice(records, FIRST_ROWS)))

    def _kind_of(self, name: str, cells: tuple[str, ...], inference: Inference) -> str:
        """Return the declared kind; a string is a category only to be left out as an id."""
        kind = self._relation.kinds[name]
        if kind != "string":
            return inference.kind_of(name, cells, kind)
        if infer_kind(cells, self._missing or ("",)) == "text":  # texts are no ids
            return inference.kind_of(name, cells, "text")
        inference.kind_of(name, cells, "category")
        return "category" if inference.is_id(name) else inference.kind_of(name, cells, "text")

    def _origin(self) -> str:
        return "of the lines @attribute"

    def _parse(self, text: bytes, layout: Layout) -> Parsed:
        return parse_arff(text, self._relation, layout)


def _with_header(source: Source, head: LineBlock, skips: bool) -> tuple[LineBlock, Source]:
    """Return the first lines with all of the header, which may be long, and the source."""
    if line_of_data(head.text) is not None:
        return head, source
    chunks, lead = source.chunks(), b""
    try:
        for text in (load() for load in chunks):
            lead += text
            if line_of_data(text) is not None:
                break
    except READ_ERRORS as error:
        raise read_error(source.name, lead.count(b"\n") + 1, error) from error
    block = next(line_blocks(source.name, [lead], skips))
    if isinstance(source, File):
        return block, source
    pipe = Pipe(source.name, chain([lead], (load() for load in chunks)), 1)
    pipe.prefetch_depth = source.prefetch_depth
    return block, pipe
