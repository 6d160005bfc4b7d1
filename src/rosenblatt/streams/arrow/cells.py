"""Conversion of one Arrow column to numbers, words, labels, weights or ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import compute, types

from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.streams.core.batch import first_occurrences, row_of
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.missing import FILL_IN
from rosenblatt.streams.features.dates import date_fault, parse_date
from rosenblatt.streams.features.labels import EXPECTED_WEIGHT, ids_or_none, weights_or_none
from rosenblatt.streams.frames.cells import BLANKS
from rosenblatt.utils.arrays import Array, NDArray

LISTS = ("list", "large_list")
TEXTS = ("string", "large_string", "string_view")
NUMBERS = ("integer", "floating", "decimal", "boolean")
CATEGORIES = (*TEXTS, "integer", "boolean")
DATES = ("date", "timestamp", "time")
"""Names of types of cells."""


def is_any(type: pa.DataType, names: Sequence[str], in_dictionary: Sequence[str] = ()) -> bool:
    """Return whether cells have one of some types, or are a dictionary of one of others.

    Examples
    --------
    >>> import pyarrow as pa
    >>> is_any(pa.int8(), NUMBERS), is_any(pa.dictionary(pa.int8(), pa.string()), TEXTS)
    (True, False)
    """
    if types.is_dictionary(type):
        type, names = type.value_type, in_dictionary
    return any(getattr(types, f"is_{name}")(type) for name in names)


class Column(NamedTuple):
    """Column of a record batch, with its source and first row for error messages."""

    source: str
    name: str
    array: pa.Array
    first_row: int

    def error(self, row: int, problem: str) -> DataError:
        """Return the error of a row, counted from 0 in the batch."""
        location = f"column {self.name!r}, row {self.first_row + row:,} (from 0)"
        return DataError(self.source, f"{location}: {problem}")

    def check_null(self) -> None:
        """Raise the error of the first null, if there is one."""
        if self.array.null_count:
            row = int(np.argmax(self.array.is_null().to_numpy(zero_copy_only=False)))
            raise self.error(row, f"found null: fill it in, or leave the row out; {FILL_IN}.")

    def numbers(self, has_missing: bool = False) -> Array:
        """Return one number per row; with ``has_missing``, NaN for null."""
        array = _without_decimals(self.array)
        if not has_missing:
            self.check_null()
        elif array.null_count:
            array = array.cast(pa.int8()) if pa.types.is_boolean(array.type) else array
            array = array.cast(pa.float64(), safe=False)
        numbers: Array = array.to_numpy(zero_copy_only=False)
        return numbers

    def entries(self) -> tuple[Array, Array]:
        """Return the offsets of the lists, as ``indptr`` of a CSR matrix, and their entries."""
        self.check_null()
        offsets = self.array.offsets.to_numpy()
        flat = self.array.values.slice(offsets[0], offsets[-1] - offsets[0])
        indptr = offsets - offsets[0] if offsets[0] else offsets
        if flat.null_count:
            entry = int(np.argmax(flat.is_null().to_numpy(zero_copy_only=False)))
            problem = "found null in the list: fill it in, or leave it out."
            raise self.error(row_of(indptr, entry), problem)
        return indptr, _without_decimals(flat).to_numpy(zero_copy_only=False)

    def weights(self) -> NDArray[np.float64] | None:
        """Return one weight per row; None if all are 1."""
        weights = self.numbers().astype(np.float64, copy=False)
        good = np.isfinite(weights) & (weights >= 0)
        if not good.all():
            row = int(np.argmin(good))
            raise self.error(row, f"found {weights[row]}, {EXPECTED_WEIGHT}")
        return weights_or_none(weights)

    def ids(self) -> NDArray[np.object_] | None:
        """Return one id per row, empty for null; None if no row has one."""
        return ids_or_none(["" if cell is None else cell for cell in self._python(self.array)])

    def words(self) -> CategoryColumn:
        """Return one word per row, empty for null, encoded in the order of first appearance."""
        encoded = _as_words(self.array).dictionary_encode()
        null_code = len(encoded.dictionary)
        codes = encoded.indices.cast(pa.int32()).fill_null(null_code).to_numpy()
        first = first_occurrences(codes, null_code + 1)
        used = np.flatnonzero(first < len(codes))
        used = used[np.argsort(first[used])]
        code_of = np.empty(null_code + 1, np.int32)
        code_of[used] = np.arange(len(used))
        words = self._python(encoded.dictionary.take(pa.array(used, mask=used == null_code)))
        return CategoryColumn(
            code_of[codes], ["" if word is None else str(word).strip(BLANKS) for word in words]
        )

    def _python(self, array: pa.Array) -> list[Any]:
        """Return cells as values of Python."""
        try:
            values: list[Any] = array.to_pylist()
        except OverflowError as error:
            problem = f"column {self.name!r}: found a date outside the years 1 to 9999"
            fix = "correct it, or leave the column out, by the kind skip."
            raise DataError(self.source, f"{problem}: {fix}") from error
        return values

    def check_dates(self, kind: str, missing: Sequence[str] = ()) -> None:
        """Raise the error of the first cell that is no date of a kind, and not missing."""
        codes, words = self.words()
        for code, word in enumerate(words):
            if word not in missing and parse_date(word, kind) is None:
                row = int(np.argmax(codes == code))
                raise DataError(
                    self.source,
                    f"row {self.first_row + row:,} (from 0): {date_fault(self.name, word, kind)}",
                )

    def labels(self, missing: Sequence[str] = ()) -> Array:
        """Return one label per row: int64, float64 or text.

        Parameters
        ----------
        missing : sequence of str, default none
            Spellings of a missing cell, which are no labels.
        """
        labels = self._any_labels()
        words = [word for word in missing if word]
        if words and (is_missing := np.isin(labels.astype(str), words)).any():
            row = int(np.argmax(is_missing))
            raise self.error(row, f"found {labels[row].item()!r}, expected a label.")
        return labels

    def _any_labels(self) -> Array:
        self.check_null()
        array = self.array
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
            self._replace(array=array).check_null()
        if is_any(array.type, TEXTS):
            return self._text(array)
        if pa.types.is_decimal(array.type) and array.type.scale > 0:
            array = _without_decimals(array)
        if pa.types.is_floating(array.type):
            labels = np.asarray(array.to_numpy(), np.float64)
            if not np.isfinite(labels).all():
                row = int(np.argmin(np.isfinite(labels)))
                raise self.error(row, f"found {labels[row]}, expected a label.")
            return labels
        try:
            integers: Array = array.cast(pa.int64()).to_numpy()
        except pa.ArrowInvalid as error:
            problem = f"column {self.name!r}: a label is too large for 64 bits ({error})."
            raise DataError(self.source, problem) from error
        return integers

    def _text(self, array: pa.Array) -> Array:
        encoded = _without_views(array).dictionary_encode()
        words, codes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
        for code, word in enumerate(words):
            if not word.strip() or "\0" in word:
                problem = f"found {word!r}, expected a label."
                raise self.error(int(np.argmax(codes == code)), problem)
        labels: Array = np.array(words)[codes]
        return labels


def _without_decimals(array: pa.Array) -> pa.Array:
    """Return decimals as the nearest float64, other arrays as they are."""
    is_decimal = pa.types.is_decimal(array.type)
    return array.cast(pa.string()).cast(pa.float64()) if is_decimal else array


def _as_words(array: pa.Array) -> pa.Array:
    """Return cells whose values Python spells as words: of timestamps the clock of their zone."""
    if pa.types.is_timestamp(array.type):
        if array.type.tz is not None:
            array = compute.local_timestamp(array)
        return array.cast(pa.timestamp("us"), safe=False)
    if pa.types.is_time(array.type):
        return array.cast(pa.time64("us"), safe=False)
    return _without_views(array)


def _without_views(array: pa.Array) -> pa.Array:
    """Return an array for ``dictionary_encode``, which does not support string views."""
    return array.cast(pa.large_string()) if pa.types.is_string_view(array.type) else array
