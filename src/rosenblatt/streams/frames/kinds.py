"""Kinds of the columns of a table in memory."""

from __future__ import annotations

import warnings
from typing import Any

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import FEATURE_KINDS, FIRST_ROWS, ReadOptions
from rosenblatt.streams.features.ids import could_count
from rosenblatt.streams.features.inference import Inference
from rosenblatt.streams.features.schema import (
    check_skipped_columns,
    columns_of_kind,
    infer_kind,
    resolve_kinds,
)
from rosenblatt.streams.frames.cells import ColumnName, NumberCells, OtherCells
from rosenblatt.streams.frames.tables import SOURCE, Table


def table_kinds(table: Table, options: ReadOptions) -> dict[str, str]:
    """Decide the kind of every column, and warn of columns of ids, which are left out.

    Columns of numbers, true and false are numbers, and so are those without a word; dates and times
    are such. Words are dates, texts or categories, which the first rows decide, or, where all cells
    of the table are text, what
    :func:`rosenblatt.streams.features.schema.infer_kind` says.

    Raises
    ------
    DataError
        A column of the schema does not exist, a column holds other values, there are no features,
        or ``text`` is set, and there are no texts.

    Examples
    --------
    >>> from rosenblatt.streams.frames.rows import rows_of
    >>> rows = rows_of([{"x": "1.5", "kind": "oak"}])
    >>> table_kinds(rows, ReadOptions(labelled=False))
    {'x': 'number', 'kind': 'category'}
    """
    imputer = options.new_imputer()
    missing = ("",) if imputer is None else imputer.spellings
    first: dict[str, list[str]] = {}
    inference = Inference(options, missing)

    def infer(name: str) -> str:
        cells = table.cells(name)
        if isinstance(cells, OtherCells):
            if (kind := cells.kind) is None:
                raise cells.fault(
                    ColumnName(SOURCE, name), "numbers, words, dates, or true and false"
                )
            return kind
        if isinstance(cells, NumberCells):
            if not (table.is_named and could_count(name)):
                return "number"
            return inference.kind_of(name, cells.first_words(FIRST_ROWS), "number")
        if cells.is_category:
            return "category"
        codes = cells.codes[:FIRST_ROWS].tolist()
        first[name] = words = [cells.distinct[code] for code in codes]
        kind = infer_kind(words, missing)
        is_typed = not table.is_text and any(word not in missing for word in cells.distinct)
        return inference.kind_of(name, words, "category" if kind == "number" and is_typed else kind)

    kinds = resolve_kinds(SOURCE, None, table.names, options, infer)
    check_skipped_columns(SOURCE, options.schema, table.names)
    kinds, _ = inference.decide(kinds, first)
    if options.text and not columns_of_kind(kinds, "text"):
        problem = "no column is read as text: schema={'COLUMN': 'text'} names one, or leave out"
        raise DataError(SOURCE, f"text={options.text!r}: {problem} text.")
    for name in (name for name in inference.ids if kinds[name] == "skip"):
        warnings.warn(inference.id_remark(name, in_python=True), UserWarning, stacklevel=6)
    return kinds


def kinds_of_notes(notes: Notes, names: Any) -> dict[str, str]:
    """Return the kinds of all columns of a model's training data; of a data set, its numbers."""
    schema = notes.get("schema")
    kinds = dict.fromkeys(names or (), "number") if schema is None else dict(schema)
    if not columns_of_kind(kinds, *FEATURE_KINDS):
        raise ValueError("the notes name no columns: they are not those of a table.")
    return kinds
