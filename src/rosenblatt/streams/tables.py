"""CSV and TSV text with a header line as a stream of dense batches."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.base import Batch, Stream
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.labels import NOT_FINITE, NUMBER, Labels
from rosenblatt.streams.lines import Block, blocks
from rosenblatt.streams.names import check_distinct, target_place
from rosenblatt.streams.settings import Settings
from rosenblatt.streams.sources import Source

Record = tuple[int, list[str]]
"""The line where a row begins, and its fields."""

DELIMITERS = {"csv": ",", "tsv": "\t"}


class TableStream(Stream):
    r"""Rows of a table: one column with labels, numbers in all others.

    The first line names the columns. Blank lines, and blanks around names, numbers and labels, do
    not count. For the kind of the labels see :class:`rosenblatt.streams.labels.Labels`.

    Parameters
    ----------
    source : File or Pipe
    format : str
        "csv" or "tsv".
    head : Block
        The first lines of the source.
    settings : Settings
        ``target`` is the column with the labels; None: the first of ``target``, ``label``,
        ``class``, ``y`` that names a column, in any case of letters, else the last column. Not
        ``labelled``: the rows have no labels, and the column ``target`` is left out where there is
        one. ``X`` of a batch has at most ``batch_bytes``.

    Raises
    ------
    DataError
        The header has unnamed or repeated columns, or numbers, or no column ``target``.

    Examples
    --------
    >>> from rosenblatt.streams.sources import Pipe
    >>> text = b"height,kind\n1.5,oak\n2,elm\n"
    >>> source = Pipe("demo", iter([text]), 99)
    >>> stream = TableStream(source, "csv", source.head(), Settings())
    >>> [(batch.X.tolist(), batch.y.tolist()) for batch in stream]
    [([[1.5], [2.0]], ['oak', 'elm'])]
    """

    def __init__(
        self,
        source: Source,
        format: str,
        head: Block,
        settings: Settings,
    ) -> None:
        super().__init__(source.name, format)
        self.labelled, target = settings.labelled, settings.target
        self._source = source
        self._delimiter = DELIMITERS[format]
        names = read_header(self.name, head, self._delimiter)
        self._fields = len(names)
        wanted = self.labelled or target in names
        self._place = target_place(self.name, 1, names, target) if wanted else None
        if self._place is not None:
            self.target = names.pop(self._place)
        if not names:
            guess = next((mark for mark in ";|\t," if mark in str(self.target)), None)
            hint = f" Is {guess!r} the separator? Commas (csv) and tabs (tsv) are read."
            problem = "found a single column in the header, expected features and a label."
            raise DataError(self.name, 1, None, problem + (hint if guess else ""))
        self._features = self.feature_names = names
        self._rows = max(1, settings.batch_bytes // (8 * len(names)))

    def __iter__(self) -> Iterator[Batch]:
        labels = Labels(self.name, str(self.target))
        first_row = 0
        for group in _groups(self._rows_of_text(), self._rows):
            X, y = self._batch(group, labels)
            yield Batch(X, y, first_row)
            first_row += len(group)
        if first_row == 0:
            raise DataError(self.name, None, None, "no rows: found a header only.")

    def _rows_of_text(self) -> Iterator[Record]:
        """The records after the header, each with all its fields."""
        records = _records(self.name, blocks(self.name, self._source.texts()), self._delimiter)
        next(records, None)  # the header
        for line, fields in records:
            if len(fields) != self._fields:
                found = f"found {len(fields)} fields, expected the {self._fields} of the header"
                raise DataError(self.name, line, None, f"{found}.")
            yield line, fields

    def _batch(self, group: list[Record], labels: Labels) -> tuple[NDArray[np.float64], object]:
        y = None
        if self._place is not None:
            words = [fields.pop(self._place) for _, fields in group]
            if self.labelled:
                y = labels.read(words, [line for line, _ in group])
        return self._numbers(group), y

    def _numbers(self, group: list[Record]) -> NDArray[np.float64]:
        """The cells as numbers, exactly as Python's ``float`` reads them."""
        cells = list(chain.from_iterable(fields for _, fields in group))
        text = "".join(cells)
        if "_" in text or not text.isascii():  # float takes 1_000 and other scripts' digits
            self._check(group)
        try:
            X = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            self._check(group)
            raise
        if not np.isfinite(X).all():
            self._check(group)
        return X.reshape(len(group), -1)

    def _check(self, group: list[Record]) -> None:
        """Raise the error of the first cell that is no finite number."""
        for line, fields in group:
            for name, cell in zip(self._features, fields, strict=True):
                problem = _cell_problem(cell.strip())
                if problem is not None:
                    raise DataError(self.name, line, None, f"column {name!r}: {problem}")


def read_header(name: str, head: Block, delimiter: str) -> list[str]:
    r"""The names of the columns, from the first lines of a table.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    head : Block
    delimiter : str

    Raises
    ------
    DataError
        A column has no name or that of another, or the first line looks like a row of data: it
        has numbers that do not just count the columns from 0 or 1.

    Examples
    --------
    >>> read_header("a.csv", Block(1, b'x1,"x 2",y\n1,2,3\n'), ",")
    ['x1', 'x 2', 'y']
    """
    line, fields = next(_records(name, [head], delimiter), (1, []))
    names = [field.strip() for field in fields]
    if not names:
        raise DataError(name, None, None, "no rows.")
    if "" in names:
        problem = f"column {names.index('') + 1} of the header has no name: name or remove it."
        raise DataError(name, line, None, problem)
    numbers = [column for column in names if NUMBER.fullmatch(column)]
    counted = [str(k) for k in range(len(numbers) + 1)]
    if numbers and numbers not in (counted[:-1], counted[1:]):
        problem = f"found the number {numbers[0]!r}, expected a header line with names of columns."
        raise DataError(name, line, None, problem)
    check_distinct(name, line, names)
    return names


def _records(name: str, blocks: Iterable[Block], delimiter: str) -> Iterator[Record]:
    reader = csv.reader(_text_lines(blocks), delimiter=delimiter, strict=True)
    line = 1
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            problem = f"found a field that cannot be read ({error}): check its quotes."
            raise DataError(name, line, None, problem) from None
        if fields is None:
            return
        if fields:
            yield line, fields
        line = reader.line_num + 1


def _text_lines(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        yield from io.StringIO(block.text.decode(), newline="\n")


def _groups(records: Iterator[Record], rows: int) -> Iterator[list[Record]]:
    """The records in lists; where reading them fails, those before come out first."""
    group: list[Record] = []
    try:
        for record in records:
            group.append(record)
            if len(group) == rows:
                yield group
                group = []
    except DataError:
        if group:
            yield group
        raise
    if group:
        yield group


def _cell_problem(cell: str) -> str | None:
    """What is wrong with the cell of a feature; None for a finite number."""
    if not cell:
        return "found nothing, expected a number: fill it in, or leave the row out."
    found = f"found {cell if len(cell) <= 40 else cell[:37] + '...'!r}"
    if NOT_FINITE.fullmatch(cell):
        return f"{found}, expected a finite number: fill it in, or leave the row out."
    if not NUMBER.fullmatch(cell):
        return f"{found}, expected a number: encode the column as numbers, or leave it out."
    if math.isinf(float(cell)):
        return f"{found}, expected a number that fits a float64."
    return None
