"""JSON lines, an object a row, as a stream of sparse batches whose columns have names."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.streams.badrows import BadRow
from rosenblatt.streams.base import Batch, Stream
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.labels import Labels
from rosenblatt.streams.lines import Block, blocks
from rosenblatt.streams.names import TARGET_NAMES
from rosenblatt.streams.settings import Settings
from rosenblatt.streams.sources import Source


class Vocabulary:
    """Names of columns, in the order in which they appear.

    Attributes
    ----------
    names : list of str

    Examples
    --------
    >>> vocabulary = Vocabulary()
    >>> [vocabulary.place(name) for name in ("b", "a", "b")], vocabulary.names
    ([0, 1, 0], ['b', 'a'])
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, name: str) -> int:
        """The column of a name, a new one where it has none.

        Raises
        ------
        ValueError
            The name is no text: it has half of a pair of surrogates.
        """
        place = self._places.get(name)
        if place is None:
            name.encode()
            place = self._places[name] = len(self.names)
            self.names.append(name)
        return place


class JsonLinesStream(Stream):
    r"""Rows of JSON lines: an object a line, flattened, one of its keys the label.

    A number is a feature of its key's name, true is 1 and false 0; text is a feature ``key=text``
    of value 1; null is none. Objects within are flattened with dots, ``key.inner``; a list's
    entries are named by their place, ``key.0``, texts in it by themselves, ``key=text``, and
    counted. Columns are the names in order of their first appearance, so batches may widen. For
    the kind of the labels see :class:`rosenblatt.streams.labels.Labels`.

    Parameters
    ----------
    source : File or Pipe
    head : Block
        The first lines of the source.
    settings : Settings
        ``target`` is the key with the labels; None: the first of ``target``, ``label``, ``class``,
        ``y`` that is a key of the first object, in any case of letters. Not ``labelled``: the rows
        have no labels, and the key ``target`` is left out where there is one.
    vocabulary : Vocabulary
        The columns known before.

    Raises
    ------
    DataError
        The first line is no object, or has no key that could be the label.

    Examples
    --------
    >>> from rosenblatt.streams.sources import Pipe
    >>> text = b'{"y": 1, "n": 2.5, "in": {"a": true}}\n{"y": 2, "n": 1, "kind": "oak"}\n'
    >>> source = Pipe("demo", iter([text]), 99)
    >>> stream = JsonLinesStream(source, source.head(), Settings(), Vocabulary())
    >>> [(batch.X.toarray().tolist(), batch.y.tolist()) for batch in stream]
    [([[2.5, 1.0, 0.0], [1.0, 0.0, 1.0]], [1, 2])]
    >>> stream.feature_names
    ['n', 'in.a', 'kind=oak']
    """

    sparse = True

    def __init__(
        self,
        source: Source,
        head: Block,
        settings: Settings,
        vocabulary: Vocabulary,
    ) -> None:
        super().__init__(source.name, "jsonl", settings.on_bad_row)
        self.labelled, target = settings.labelled, settings.target
        self.vocabulary = vocabulary
        self.feature_names = vocabulary.names
        self._source = source
        self.target = target if target is not None or not self.labelled else self._guessed(head)

    def _guessed(self, head: Block) -> str:
        line, row = self._first(head)
        keys = {key.lower(): key for key in reversed(row)}
        for name in TARGET_NAMES:
            if name in keys:
                return keys[name]
        problem = (
            f"found none of the keys {', '.join(TARGET_NAMES)}: set target to the label's key."
        )
        raise DataError(self.name, line, None, problem)

    def _first(self, head: Block) -> tuple[int, dict[str, Any]]:
        """The first object that can be read, and its line."""
        faults = [self._bad.of(bad, head.first_line).error for bad in head.bad]
        for line, text in _lines(head):
            try:
                return line, _object(self.name, line, text)
            except DataError as error:
                faults.append(error)
                if not self._bad.skips:
                    break
        raise min(faults, key=_line_of, default=DataError(self.name, None, None, "no rows."))

    def __iter__(self) -> Iterator[Batch]:
        from scipy.sparse import csr_array

        labels = Labels(self.name, str(self.target))
        self._bad.begin()
        first_row = 0
        for block in blocks(self.name, self._source.texts(), self._bad.skips):
            rows = _Rows(self.vocabulary)
            words, lines = [], []
            faults = [self._bad.of(bad, block.first_line) for bad in block.bad]
            for line, text in _lines(block):
                try:
                    features, word = self._row(line, text, labels)
                except DataError as error:  # told behind the rows before it
                    faults.append(BadRow(error, text, line))
                    if self._bad.skips:
                        continue
                    break
                rows.add(features)
                words.append(word)
                lines.append(line)
            if lines:
                y = labels.read(words, lines) if self.labelled else None
                shape = (len(lines), len(self.vocabulary.names))
                yield Batch(csr_array(rows.arrays(), shape=shape), y, first_row)
                first_row += len(lines)
            for fault in sorted(faults, key=lambda bad: bad.number):
                self._bad.leave_out(fault)
        self._bad.end(first_row)

    def _row(self, line: int, text: str, labels: Labels) -> tuple[dict[str, float], str]:
        """The features of a line, and its label as text."""
        row = _object(self.name, line, text)
        label = None if self.target is None else row.pop(self.target, None)
        try:
            features = _features(self.name, line, row)
            word = self._word(line, label) if self.labelled else ""
        except RecursionError as error:
            raise DataError(self.name, line, None, _TOO_DEEP) from error
        if self.labelled:
            labels.check(word, line)
        return features, word

    def _word(self, line: int, label: Any) -> str:
        """A label as text, as tables have it."""
        if label is None:
            found = f"key {self.target!r}: found nothing, expected a label."
            raise DataError(self.name, line, None, found)
        if isinstance(label, str):
            if not _is_text(label):
                raise DataError(
                    self.name, line, None, f"found {label!r}, expected a label of text."
                )
            return label
        if isinstance(label, int | float):
            return str(label + 0)  # true is 1
        problem = f"key {self.target!r}: found {_told(label)}, expected a number or text."
        raise DataError(self.name, line, None, problem)


class _Rows:
    """Sparse rows as they grow."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._indices: list[int] = []
        self._values: list[float] = []
        self._starts = [0]

    def add(self, features: dict[str, float]) -> None:
        """One more row."""
        entries = {self._vocabulary.place(name): value for name, value in features.items()}
        for place in sorted(entries):
            self._indices.append(place)
            self._values.append(entries[place])
        self._starts.append(len(self._indices))

    def arrays(self) -> tuple[Any, Any, Any]:
        """Values, columns and starts."""
        return (
            np.array(self._values, np.float64),
            np.array(self._indices, np.int32),
            np.array(self._starts, np.int32),
        )


def _features(source: str, line: int, row: dict[str, Any]) -> dict[str, float]:
    """The features of an object by their names, each once and finite."""
    features: dict[str, float] = {}
    for name, value in _flat("", row):
        try:
            name.encode()
            number = float(value)
        except (UnicodeEncodeError, OverflowError) as error:
            found = f"found {_told(name)} with {_told(value)}"
            problem = f"{found}, expected text and a number that fits a float64 ({error})."
            raise DataError(source, line, None, problem) from error
        if name in features:
            raise DataError(source, line, None, f"found the feature {name!r} twice.")
        if not math.isfinite(number):
            problem = f"key {name!r}: found {number}, expected a number that fits a float64."
            raise DataError(source, line, None, problem)
        features[name] = number
    return features


def _flat(path: str, value: Any) -> Iterator[tuple[str, float]]:
    """The features of a value: their names, and numbers."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list):
        words = Counter(inner for inner in value if isinstance(inner, str))
        for word, count in words.items():
            yield f"{path}={word}", count
        for k, inner in enumerate(value):
            if not isinstance(inner, str):
                yield from _flat(f"{path}.{k}", inner)
    elif isinstance(value, str):
        yield f"{path}={value}", 1.0
    elif value is not None:
        yield path, value


_TOO_DEEP = "is nested too deeply: flatten it."


def _line_of(error: DataError) -> int:
    return error.line or 0


def _lines(block: Block) -> Iterator[tuple[int, str]]:
    """The lines of a text that are not blank, each with its number."""
    for line, text in enumerate(block.text.decode().split("\n"), block.first_line):
        if text.strip():
            yield line, text.removesuffix("\r")


def _object(source: str, line: int, text: str) -> dict[str, Any]:
    """The object of a line."""
    try:
        row = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        column = len(text[: error.pos].encode()) + 1
        problem = f"is not JSON: {error.msg}; expected an object a line, and the line whole."
        raise DataError(source, line, column, problem) from error
    except ValueError as error:
        raise DataError(source, line, None, f"{error}.") from error
    except RecursionError as error:
        raise DataError(source, line, None, _TOO_DEEP) from error
    if not isinstance(row, dict):
        problem = f"found {_told(row)}, expected an object, {{…}}, a line."
        raise DataError(source, line, None, problem)
    return row


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"found the key {key!r} twice in an object")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"found {text}, expected a finite number")


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_number)


def _is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in word


def _told(value: Any) -> str:
    text = ascii(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
