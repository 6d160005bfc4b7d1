"""Parser of one JSON line: features by name, texts, label, weight and id."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import DATE_KINDS, WILDCARD
from rosenblatt.streams.features.dates import YEARS, DateError, date_fault, parse_date
from rosenblatt.streams.features.labels import EXPECTED_WEIGHT, is_encodable, is_weight
from rosenblatt.streams.features.schema import columns_of_kind, infer_kind
from rosenblatt.streams.io.lines import LineBlock
from rosenblatt.utils.long_numbers import MOST_DIGITS, split_decimal, tells

Cell = tuple[str, Any, bool]
"""Name of a feature, its value, and whether it stands for a number, not for a word."""

_MISSING = math.nan  # the value of a missing cell


class Row(NamedTuple):
    """One row of JSON lines.

    Parameters
    ----------
    features : dict
        Numbers by name.
    texts : list of str
        The text of each text key.
    label : str
        As text; empty if labels are not read.
    weight : float
    id : str or int
        Empty if the row has none.
    numbers : tuple of str
        The features that stand for numbers, NaN where the cell is missing; empty if missing cells
        are no features.
    long : dict
        Digits and power of ten of the numbers that their float does not tell, by name, where they
        are asked for.
    """

    features: dict[str, float]
    texts: list[str]
    label: str
    weight: float
    id: str | int
    numbers: tuple[str, ...] = ()
    long: Mapping[str, tuple[int, int]] = MappingProxyType({})


class RowParser(NamedTuple):
    """Parser of the JSON lines of one source.

    Parameters
    ----------
    source : str
        The source as error messages name it.
    target, weight, id : str or None
    kinds : dict
        Kinds of keys: ``"text"``, ``"category"``, ``"number"``, ``"skip"``, and those of dates.
        Keys of nested objects are joined with dots; ``*`` stands for all other keys.
    labelled : bool
        False: labels and weights are optional and ignored.
    missing : sequence of str, default none
        Spellings of a missing cell, beside null. With any, a missing cell is a number, NaN.
    written : bool, default False
        Whether rows have their ``long`` numbers.

    Examples
    --------
    >>> parser = RowParser("demo", "y", None, None, {"mail.body": "text"}, True)
    >>> row = parser.parse(1, '{"y": 1, "n": 2.5, "mail": {"body": "Hello you", "new": true}}')
    >>> row.features, row.texts, row.label
    ({'n': 2.5, 'mail.new': 1.0}, ['Hello you'], '1')
    """

    source: str
    target: str | None
    weight: str | None
    id: str | None
    kinds: dict[str, str]
    labelled: bool
    missing: Sequence[str] = ()
    written: bool = False

    def parse(self, line: int, text: str) -> Row:
        """Parse a line.

        Raises
        ------
        DataError
            The line is not an object, or a value is invalid.
        """
        decoder = _WRITTEN_DECODER if self.written else _DECODER
        value = parse_object(self.source, line, text, decoder)
        long: dict[str, tuple[int, int]] = {}
        label, weight, id = (
            None if key is None else _pop_path(value, key)
            for key in (self.target, self.weight, self.id)
        )
        texts: dict[str, list[str]] = {key: [] for key in columns_of_kind(self.kinds, "text")}
        try:
            features, numbers = self._features(line, self._cells("", value, texts), long)
            return Row(
                features,
                ["\n".join(parts) for parts in texts.values()],
                self._label(line, label) if self.labelled else "",
                self._weight(line, weight) if self.labelled else 1.0,
                self._id(line, id),
                tuple(numbers) if self.missing else (),
                long,
            )
        except RecursionError as error:
            raise DataError(self.source, TOO_DEEP, line) from error
        except DateError as error:
            problem = date_fault(*error.args).replace("column", "key", 1)
            raise DataError(self.source, problem, line) from error

    def _features(
        self, line: int, cells: Iterable[Cell], long: dict[str, tuple[int, int]]
    ) -> tuple[dict[str, float], list[str]]:
        """Return the features by name, and the names of numbers, NaN where they are missing.

        Numbers that their float does not tell are added to ``long``. Duplicates and numbers that
        are not finite are refused.
        """
        features: dict[str, float] = {}
        numbers: list[str] = []
        for name, value, is_number in cells:
            if isinstance(value, str):
                problem = f"key {name!r}: found {_shorten(value)}, expected a number by the schema."
                raise DataError(self.source, problem, line)
            try:
                name.encode()
                number = float(value)
            except (UnicodeEncodeError, OverflowError) as error:
                entry = f"found {_shorten(name)} with {_shorten(value)}"
                problem = f"{entry}, expected text and a number that fits a float64 ({error})."
                raise DataError(self.source, problem, line) from error
            if name in features:
                raise DataError(self.source, f"found the feature {name!r} twice.", line)
            if not math.isfinite(number) and value is not _MISSING:
                problem = f"key {name!r}: found {number}, expected a number that fits a float64."
                raise DataError(self.source, problem, line)
            features[name] = number
            if isinstance(value, _LongFloat):
                long[name] = split_decimal(value.text)
            elif self.written and isinstance(value, int) and abs(value) >= 10**MOST_DIGITS:
                long[name] = value, 0
            if is_number:
                numbers.append(name)
        return features, numbers

    def _cells(self, path: str, value: object, texts: dict[str, list[str]]) -> Iterator[Cell]:
        """Yield the features of a value; append strings of text keys to ``texts``."""
        if isinstance(value, dict) and self.kinds.get(path) != "skip":
            for key, inner in value.items():
                yield from self._cells(f"{path}.{key}" if path else key, inner, texts)
            return
        kind = self.kinds.get(path, self.kinds.get(WILDCARD))
        if kind == "skip":
            return
        if self._is_missing(value, kind):
            if self.missing and kind != "text":
                is_date = kind in DATE_KINDS and kind != "time"
                yield f"{path}.{YEARS}" if is_date else path, _MISSING, True
        elif kind in DATE_KINDS and not isinstance(value, list):
            yield from self._date_cells(path, str(value), kind)
        elif isinstance(value, list):
            yield from self._list_cells(path, value, kind, texts)
        elif isinstance(value, str) and kind == "text":
            texts[path if path in texts else WILDCARD].append(value)
        elif kind == "category" or (isinstance(value, str) and kind != "number"):
            yield f"{path}={value}", 1.0, False
        else:
            yield path, value, True

    def _date_cells(self, path: str, word: str, kind: str) -> Iterator[Cell]:
        moment = parse_date(word, kind)
        if moment is None:
            raise DateError(path, word, kind)
        if moment.years is not None:
            yield f"{path}.{YEARS}", moment.years, True
        for part, value in moment.parts:
            yield f"{path}.{part}={value}", 1.0, False

    def _list_cells(
        self, path: str, values: list[Any], kind: str | None, texts: dict[str, list[str]]
    ) -> Iterator[Cell]:
        words = [inner for inner in values if isinstance(inner, str)]
        if kind == "text":
            texts[path if path in texts else WILDCARD] += words
        else:
            for word, count in Counter(words).items():
                yield f"{path}={word}", count, False
        for k, inner in enumerate(values):
            if not isinstance(inner, str):
                yield from self._cells(f"{path}.{k}", inner, texts)

    def _is_missing(self, value: object, kind: str | None) -> bool:
        """Return whether a cell is null or, if cells may be missing, one of their spellings."""
        if value is None:
            return True
        is_cell = kind in ("category", *DATE_KINDS) and not isinstance(value, list)
        is_word = isinstance(value, str) or is_cell
        return bool(self.missing) and is_word and str(value).strip() in self.missing

    def _label(self, line: int, label: object) -> str:
        """Return the label as text, in the form of a table's cells."""
        if label is None:
            problem = f"key {self.target!r}: found nothing, expected a label."
            raise DataError(self.source, problem, line)
        if isinstance(label, str):
            if not is_encodable(label):
                raise DataError(self.source, f"found {label!r}, expected a label of text.", line)
            return label
        if isinstance(label, int | float):
            return str(label + 0)  # true is 1
        problem = f"key {self.target!r}: found {_shorten(label)}, expected a number or text."
        raise DataError(self.source, problem, line)

    def _weight(self, line: int, weight: Any) -> float:
        """Return the sample weight."""
        if self.weight is None:
            return 1.0
        if not is_weight(weight):
            shown = "nothing" if weight is None else _shorten(weight)
            problem = f"key {self.weight!r}: found {shown}, {EXPECTED_WEIGHT}"
            raise DataError(self.source, problem, line)
        return float(weight)

    def _id(self, line: int, id: object) -> str | int:
        """Return the row's id, empty if it has none."""
        if id is None:
            return ""
        if isinstance(id, str | int) and not isinstance(id, bool) and is_encodable(str(id)):
            return id
        problem = f"key {self.id!r}: found {_shorten(id)}"
        raise DataError(self.source, f"{problem}, expected an id: text or a whole number.", line)


def nonblank_lines(block: LineBlock) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers."""
    for line, text in enumerate(block.text.decode().split("\n"), block.first_line):
        if text.strip():
            yield line, text.removesuffix("\r")


class _LongFloat(float):
    """A float that does not tell the text that it was read from."""

    text: str


def _parse_written(text: str) -> float:
    value = float(text)
    if tells(text, value):
        return value
    long = _LongFloat(value)
    long.text = text
    return long


def parse_object(
    source: str, line: int, text: str, decoder: json.JSONDecoder | None = None
) -> dict[str, Any]:
    """Parse the object of a line.

    Raises
    ------
    DataError
        The line is not an object.
    """
    try:
        value = (decoder or _DECODER).decode(text)
    except json.JSONDecodeError as error:
        column = len(text[: error.pos].encode()) + 1
        problem = f"is not JSON: {error.msg}; expected one complete object per line."
        raise DataError(source, problem, line, column) from error
    except ValueError as error:
        problem = _too_long(text) or f"{error}."
        raise DataError(source, problem, line) from error
    except RecursionError as error:
        raise DataError(source, TOO_DEEP, line) from error
    if not isinstance(value, dict):
        hint = " An array is split by jq -c '.[]'." if isinstance(value, list) else ""
        problem = f"found {_shorten(value)}, expected one object, {{…}}, per line.{hint}"
        raise DataError(source, problem, line)
    return value


_LONG_INTEGER = re.compile("[0-9]{4301,}")  # longer than Python reads whole numbers


def _too_long(text: str) -> str | None:
    """Return the problem of a whole number with more digits than Python reads, or None."""
    match = _LONG_INTEGER.search(text)
    if match is None:
        return None
    digits = f"found a whole number of {len(match[0]):,} digits"
    return f"{digits}, expected a number that fits a float64, or text in quotes."


def _pop_path(row: dict[str, Any], key: str) -> Any:
    """Remove and return the value of a key, which may be in a nested object."""
    if key in row:
        return row.pop(key)
    outer, dot, rest = key.partition(".")
    inner = row.get(outer)
    return _pop_path(inner, rest) if dot and isinstance(inner, dict) else None


def text_keys(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return the keys whose strings look like texts.

    Parameters
    ----------
    rows : iterable of dict
        Keys of nested objects are joined with dots, like the names of features.

    Examples
    --------
    >>> text_keys([{"mail": {"body": "Win a prize!", "folder": "in box"}}, {"kind": "spam"}])
    ['mail.body']
    """
    strings_of: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        for key, string in _strings("", row):
            strings_of[key].append(string)
    return [key for key, strings in strings_of.items() if infer_kind(strings) == "text"]


def _strings(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield the strings of a value, with their keys."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield from _strings(path if isinstance(inner, str) else f"{path}.{k}", inner)


TOO_DEEP = "is nested too deeply: flatten it."


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"found the key {key!r} twice in an object")
    return value


def _refuse_constant(text: str) -> float:
    raise ValueError(f"found {text}, expected a finite number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
_WRITTEN_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_keys,
    parse_constant=_refuse_constant,
    parse_float=_parse_written,
)


def _shorten(value: object) -> str:
    text = ascii(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
