"""JSON lines, one object per row, as a stream of sparse batches of named columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.engine.json.lines import Block, LineParser
from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.engine.text.hashing import SparseRows
from rosenblatt.streams.core.bad_rows import BadRow
from rosenblatt.streams.core.batch import Batch, CSRArrays, csr
from rosenblatt.streams.core.errors import DataError, NoRowsError
from rosenblatt.streams.core.options import DATE_KINDS, DEFAULT_BITS, WILDCARD, ReadOptions
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.encoding import year_columns
from rosenblatt.streams.features.hashing_encoder import HashingEncoder
from rosenblatt.streams.features.labels import LabelReader, ids_or_none, weights_or_none
from rosenblatt.streams.features.ngrams import DEFAULT_NGRAMS
from rosenblatt.streams.features.partitions import Partition
from rosenblatt.streams.features.schema import TARGET_NAMES, column_of_kind, columns_of_kind
from rosenblatt.streams.features.vocabulary import Vocabulary
from rosenblatt.streams.formats.json_kinds import WithoutKeys, infer_keys
from rosenblatt.streams.formats.json_rows import (
    Row,
    RowParser,
    nonblank_lines,
    parse_object,
    text_keys,
)
from rosenblatt.streams.io.files import Text
from rosenblatt.streams.io.lines import LineBlock, line_blocks
from rosenblatt.utils.arrays import Matrix
from rosenblatt.utils.long_numbers import NONE, LongNumbers


class JsonLinesStream(Stream):
    r"""Rows of JSON lines: one object per line, flattened, with one key for the label.

    A number is a feature with its key's name, true is 1 and false 0; a string is a feature
    ``key=string`` of value 1; null is no feature, unless ``impute`` or ``missing`` fills it in.
    Nested objects are flattened with dots, ``key.inner``; entries of a list are named by index,
    ``key.0``, strings in a list by themselves, ``key=string``, and counted. Columns are created in
    the order in which names first appear, so later batches may be wider. For the type of the labels
    see :class:`rosenblatt.streams.features.labels.LabelReader`.

    With ``bits`` or texts, names are hashed to columns, as scikit-learn's ``FeatureHasher`` does,
    and the n-grams of the text keys share these columns
    (:class:`rosenblatt.streams.features.ngrams.NgramHasher`); texts in a list form one text.
    ``interactions`` are then hashed, too, and ``names`` records all names
    (:class:`rosenblatt.streams.features.encoding.HashingEncoder`).

    Parameters
    ----------
    text : Text
        Of its options, ``target`` is the key of the labels; None: the first of ``target``,
        ``label``, ``class``, ``y`` that is a key of the first object, in upper or lower case.
        Without ``labelled``, rows have no labels, and the key ``target`` is skipped if present.
        ``schema`` has the kinds of keys, ``{"mail.body": "text"}``; a number of the kind
        ``category`` is treated as a string. If ``text`` is set and the schema names no text, the
        texts are the keys whose strings in the first objects look like texts
        (:func:`rosenblatt.streams.features.schema.infer_kind`). Keys of dates, and of ids, which
        are left out, are inferred from the first objects, as in tables.

    Raises
    ------
    DataError
        The first line is not an object, or has no key for the label; no key has texts. After the
        last row: with ``bits``, no row has a key of an interaction, as in Vowpal Wabbit text.

    Examples
    --------
    >>> from rosenblatt.streams.core.options import ReadOptions
    >>> from rosenblatt.streams.io.files import Pipe
    >>> lines = b'{"y": 1, "n": 2.5, "in": {"a": true}}\n{"y": 2, "n": 1, "kind": "oak"}\n'
    >>> source = Pipe("demo", iter([lines]), 99)
    >>> stream = JsonLinesStream(Text("jsonl", source, source.head(), ReadOptions()))
    >>> [(batch.X.toarray().tolist(), batch.y.tolist()) for batch in stream]
    [([[2.5, 1.0, 0.0], [1.0, 0.0, 1.0]], [1, 2])]
    >>> stream.feature_names
    ['n', 'in.a', 'kind=oak']
    """

    def __init__(self, text: Text) -> None:
        format, source, head, options, vocabulary = text
        super().__init__(source.name, format, options.on_bad_row)
        self.sparse, self.labelled, self.imputer = True, options.labelled, options.new_imputer()
        self.partitions = options.partitions
        self.weight_column, self.id_column = (
            column_of_kind(options.schema, k) for k in ("weight", "id")
        )
        self.schema, self.text = options.schema, options.text
        self.vocabulary = vocabulary or Vocabulary()
        self._source, self._written = source, options.written
        self._must_have_groups = self.labelled and not (options.settled or options.is_part)
        first = self._first_objects(head)
        self._partition = self._partition_of(first, options._replace(imputer=self.imputer))
        dates = {k: v for k, v in self._partition.kinds.items() if v in DATE_KINDS}
        if dates and not options.settled:
            self.schema = dates | (self.schema or {})
        first = [(line, row | self._partition.cells()) for line, row in first]
        self.target = options.target or column_of_kind(options.schema, "label")
        if self.target is None and self.labelled:
            self.target = self._guess_target(*first[0])
        if self.text and not self._text_keys():
            self.schema = (self.schema or {}) | dict.fromkeys(self._guess_text_keys(first), "text")
        spellings = () if self.imputer is None else self.imputer.spellings
        reserved = (self.target, self.weight_column, self.id_column)
        objects = (row for _, row in first)
        keys = infer_keys(objects, options._replace(schema=self.schema), reserved, spellings)
        self.remarks_in_python = keys.in_python
        self.schema = (self.schema or {}) | keys.kinds or self.schema
        self.left_out, self.remarks = tuple(columns_of_kind(keys.kinds, "skip")), keys.remarks
        if self._text_keys():
            self.text = self.text or DEFAULT_NGRAMS
        skipped = columns_of_kind(self.schema or {}, "skip")
        self._without_keys = WithoutKeys(self.vocabulary, skipped) if skipped else None
        self._hasher: HashingEncoder | None = None
        if self.text or options.bits is not None:
            self.bits = options.bits or DEFAULT_BITS
            self.interactions, options = options.interactions, options._replace(text=self.text)
            self._hasher = HashingEncoder(self.name, options, self.bits, self._text_keys())
        self.feature_names = self.vocabulary.names if self.bits is None else None

    def _partition_of(
        self, first: list[tuple[int, dict[str, Any]]], options: ReadOptions
    ) -> Partition:
        """Return the keys that the path adds; refuse other values in the first objects."""
        keys = {key for _, row in first for key in row}
        partition = Partition.of(self.name, options, keys)
        for name in partition.shared:
            cells = [row[name] for _, row in first if name in row]
            partition.check_words(name, ["" if cell is None else str(cell) for cell in cells])
        return partition

    def _text_keys(self) -> list[str]:
        return columns_of_kind(self.schema or {}, "text")

    def _first_objects(self, head: LineBlock) -> list[tuple[int, dict[str, Any]]]:
        """Return the first objects, at least one, with their lines."""
        objects: list[tuple[int, dict[str, Any]]] = []
        faults = [self._bad.bad_row(bad, head.first_line).error for bad in head.bad]
        for line, text in nonblank_lines(head):
            try:
                objects.append((line, parse_object(self.name, line, text)))
            except DataError as error:
                faults.append(error)
                if not self._bad.skips:
                    break
        if not objects:
            empty = NoRowsError(self.name, "no rows.")
            raise min(faults, key=lambda fault: fault.line or 0, default=empty)
        return objects

    def _guess_target(self, line: int, row: dict[str, object]) -> str:
        keys = {key.lower(): key for key in reversed(row)}
        for name in TARGET_NAMES:
            if name in keys:
                return keys[name]
        problem = (
            f"found none of the keys {', '.join(TARGET_NAMES)}: set target to the label's key."
        )
        raise DataError(self.name, problem, line)

    def _guess_text_keys(self, first: list[tuple[int, dict[str, Any]]]) -> list[str]:
        keys = text_keys({k: v for k, v in row.items() if k != self.target} for _, row in first)
        if not keys:
            problem = (
                "found no texts of several words in the first objects: set schema to name the keys "
                "whose strings are texts."
            )
            raise DataError(self.name, problem)
        return keys

    def __iter__(self) -> Iterator[Batch]:
        missing = () if self.imputer is None else self.imputer.spellings
        labels = LabelReader(self.name, str(self.target), missing)
        other_keys = (self.weight_column, self.id_column)
        kinds = self.schema or {}
        parser = RowParser(
            self.name, self.target, *other_keys, kinds, self.labelled, missing, self._written
        )
        self._begin()
        first_row = 0
        core = self._core_parser()
        texts = (self._partition.with_keys(load()) for load in self._source.chunks())
        for block in line_blocks(self.name, texts, self._bad.skips):
            batch = None if core is None else self._core_batch(core, block, labels, first_row)
            if batch is not None:
                yield batch
                first_row += batch.rows.shape[0]
                continue
            rows: list[Row] = []
            lines: list[int] = []
            faults = [self._bad.bad_row(bad, block.first_line) for bad in block.bad]
            for line, text in nonblank_lines(block):
                try:
                    row = parser.parse(line, text)
                    if self.labelled:
                        labels.check(row.label, line)
                except DataError as error:  # reported after the rows before it
                    faults.append(BadRow(error, text, line))
                    if self._bad.skips:
                        continue
                    break
                rows.append(row)
                lines.append(line)
            for part, bad in self._bad.cut(lines, faults):
                if part.start < part.stop:
                    self._line_of = lines[part].__getitem__
                    yield self._batch(rows[part], lines[part], labels, first_row)
                    first_row += part.stop - part.start
                self._bad.report_all(bad)
        self._bad.end(first_row)
        if self._hasher is not None and self._must_have_groups:
            self._hasher.check_seen()

    def _core_parser(self) -> LineParser | None:
        """Return the parser of the core, which reads rows without weights and ids.

        Of kinds it knows none; keys that are left out are dropped behind it.
        """
        other_keys = (self.weight_column, self.id_column, self.imputer, self.bits)
        if any(key is not None for key in other_keys) or self._written:
            return None
        if any(key == WILDCARD or kind != "skip" for key, kind in (self.schema or {}).items()):
            return None
        if self.target is not None and ("." in self.target or "\0" in self.target):
            return None  # it may be in a nested object
        return LineParser(self.target, self.labelled)

    def _core_batch(
        self, core: LineParser, block: LineBlock, labels: LabelReader, first_row: int
    ) -> Batch | None:
        """Return the rows that the core reads; None if it leaves a line, or a label is refused."""
        parsed, y = None if block.bad else core.parse(block.text), None
        if parsed is None or not len(parsed):
            return None
        lines = list(range(block.first_line, block.first_line + len(parsed)))
        if self.labelled:
            words = [y if isinstance(y, str) else str(y + 0) for y in parsed.labels]  # true is 1
            if any(map(labels.problem, dict.fromkeys(words))):
                return None
            y = labels.read(words, lines)
        self._line_of = lines.__getitem__
        return Batch(self._of_block(parsed), y, first_row)

    def _of_block(self, parsed: Block) -> CSRArrays:
        if self._without_keys is not None:
            return self._without_keys.of(parsed)
        return csr(*self.vocabulary.entries_of(parsed), len(self.vocabulary.names))

    def _batch(
        self, rows: list[Row], lines: list[int], labels: LabelReader, first_row: int
    ) -> Batch:
        y = labels.read([row.label for row in rows], lines) if self.labelled else None
        parsed = rows
        if self.imputer is not None:
            fill = partial(self.imputer.fill_row, self.name)
            rows = [row._replace(features=fill(row.features, row.numbers)) for row in rows]
        weight = weights_or_none(np.array([row.weight for row in rows]))
        ids = ids_or_none([row.id for row in rows])
        X, long = self._matrix(rows, first_row), self._long(parsed, rows)
        computed = self.bits is not None or bool(year_columns(self.schema or {}))
        return Batch(X, y, first_row, weight, ids, long, computed=computed)

    def _long(self, parsed: list[Row], filled: list[Row]) -> LongNumbers:
        """Return the features that their float does not tell, in the columns of the filled rows."""
        if self.bits is not None:
            return NONE
        entries = [
            (i, self.vocabulary.column_of(name), *row.long[name])
            for i, row in enumerate(parsed)
            for name in row.long
            if filled[i].features.get(name) == row.features[name]  # else it was a missing cell
        ]
        if not entries:
            return NONE
        places, columns, digits, powers = zip(*entries, strict=True)
        return LongNumbers(
            np.array(places), np.array(columns), np.array([*digits, None])[:-1], np.array(powers)
        )

    def _matrix(self, rows: list[Row], first_row: int) -> Matrix:
        """Return the features of rows; if hashed, with the n-grams of their texts."""
        if self._hasher is None:
            columns, data, indptr = _sorted_entries(rows, self.vocabulary)
            return csr(data, columns, indptr, len(self.vocabulary.names))
        vocabulary = Vocabulary()
        entries = SparseRows(*_sorted_entries(rows, vocabulary))
        numbers = np.arange(len(rows), dtype=np.int32)
        texts = [CategoryColumn(numbers, [*c]) for c in zip(*(r.texts for r in rows), strict=True)]
        return self._hasher.rows(entries, vocabulary.names, first_row, texts)


def _sorted_entries(rows: list[Row], vocabulary: Vocabulary) -> tuple[Any, Any, Any]:
    """Return the columns, values and row starts of a CSR matrix with sorted columns."""
    columns: list[int] = []
    values: list[float] = []
    starts = [0]
    for row in rows:
        entries = {vocabulary.column_of(name): x for name, x in row.features.items()}
        columns += (row_columns := sorted(entries))
        values += [entries[column] for column in row_columns]
        starts.append(len(columns))
    return np.array(columns, np.int32), np.array(values, np.float64), np.array(starts)
