"""JSON lines, an object a row, as a stream of sparse batches whose columns have names."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from rosenblatt.streams.base import Batch, Stream
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.grams import DEFAULT, Grams
from rosenblatt.streams.hashed import hashed
from rosenblatt.streams.labels import Labels
from rosenblatt.streams.lines import Block, blocks
from rosenblatt.streams.names import TARGET_NAMES
from rosenblatt.streams.settings import BITS, Settings
from rosenblatt.streams.sources import Source
from rosenblatt.streams.textkeys import text_keys


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

    With ``bits`` or texts, names are hashed to columns, as scikit-learn's ``FeatureHasher`` does,
    and the strings of the text keys are read as n-grams in the same columns
    (:class:`rosenblatt.streams.grams.Grams`); texts in a list are one text.

    Parameters
    ----------
    source : File or Pipe
    head : Block
        The first lines of the source.
    settings : Settings
        ``target`` is the key with the labels; None: the first of ``target``, ``label``, ``class``,
        ``y`` that is a key of the first object, in any case of letters. Not ``labelled``: the rows
        have no labels, and the key ``target`` is left out where there is one. ``schema`` names the
        text keys, ``{"mail.body": "text"}``; where it names none and there are specs in ``text``,
        they are the keys whose strings, in the first objects, mostly have three words or more.
    vocabulary : Vocabulary
        The columns known before.

    Raises
    ------
    DataError
        The first line is no object, or has no key that could be the label; no key has texts.

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
        super().__init__(source.name, "jsonl")
        self.labelled, target = settings.labelled, settings.target
        self.vocabulary = vocabulary
        self.feature_names = vocabulary.names
        self._source = source
        first = next(_objects(self.name, head), None)
        if first is None:
            raise DataError(self.name, None, None, "no rows.")
        self.target = target if target is not None or not self.labelled else self._guessed(*first)
        self.schema, self.text = settings.schema, settings.text
        if self.text and not self._text_keys():
            self.schema = (self.schema or {}) | dict.fromkeys(self._guessed_texts(head), "text")
        if self._text_keys():
            self.text = self.text or DEFAULT
        if self.text or settings.bits is not None:
            self.bits, self.feature_names = settings.bits or BITS, None

    def _text_keys(self) -> list[str]:
        return [key for key, kind in (self.schema or {}).items() if kind == "text"]

    def _guessed_texts(self, head: Block) -> list[str]:
        rows = []
        with suppress(DataError):  # raised in its turn, behind the rows before it
            for _, row in _objects(self.name, head):
                row.pop(str(self.target), None)
                rows.append(row)
        keys = text_keys(rows)
        if not keys:
            problem = (
                "found no texts of several words in the first objects: set schema to name the keys "
                "whose strings are texts."
            )
            raise DataError(self.name, None, None, problem)
        return keys

    def _guessed(self, line: int, row: dict[str, Any]) -> str:
        keys = {key.lower(): key for key in reversed(row)}
        for name in TARGET_NAMES:
            if name in keys:
                return keys[name]
        problem = (
            f"found none of the keys {', '.join(TARGET_NAMES)}: set target to the label's key."
        )
        raise DataError(self.name, line, None, problem)

    def __iter__(self) -> Iterator[Batch]:
        from scipy.sparse import csr_array

        labels = Labels(self.name, str(self.target))
        first_row = 0
        grams = Grams(self.text, self.bits or BITS)
        for block in blocks(self.name, self._source.texts()):
            vocabulary = self.vocabulary if self.bits is None else Vocabulary()
            rows = _Rows(self.name, vocabulary, self._text_keys())
            words, lines = [], []
            fault: DataError | None = None
            try:
                for line, row in _objects(self.name, block):
                    label = None if self.target is None else row.pop(self.target, None)
                    rows.add(line, row)
                    if self.labelled:
                        words.append(self._word(line, label))
                    lines.append(line)
            except DataError as error:  # raised behind the rows before it
                fault = error
            if lines:
                y = labels.read(words, lines) if self.labelled else None
                shape = (len(lines), len(vocabulary.names))
                X = csr_array(rows.arrays(len(lines)), shape=shape)
                if self.bits is not None:
                    X = hashed(X, vocabulary.names, self.bits)
                    X = sum((grams.rows(texts[: len(lines)]) for texts in rows.texts.values()), X)
                yield Batch(X, y, first_row)
                first_row += len(lines)
            if fault is not None:
                raise fault

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

    def __init__(self, source: str, vocabulary: Vocabulary, text_keys: list[str]) -> None:
        self._source, self._vocabulary = source, vocabulary
        self.texts: dict[str, list[str]] = {key: [] for key in text_keys}
        self._indices: list[int] = []
        self._values: list[float] = []
        self._starts = [0]

    def add(self, line: int, row: dict[str, Any]) -> None:
        """One more row."""
        entries: dict[int, float] = {}
        texts: dict[str, list[str]] = {key: [] for key in self.texts}
        for name, value in _flat("", row, texts):
            try:
                place, number = self._vocabulary.place(name), float(value)
            except (UnicodeEncodeError, OverflowError) as error:
                found = f"found {_told(name)} with {_told(value)}"
                problem = f"{found}, expected text and a number that fits a float64 ({error})."
                raise DataError(self._source, line, None, problem) from error
            if place in entries:
                raise DataError(self._source, line, None, f"found the feature {name!r} twice.")
            if not math.isfinite(number):
                problem = f"key {name!r}: found {number}, expected a number that fits a float64."
                raise DataError(self._source, line, None, problem)
            entries[place] = number
        for place in sorted(entries):
            self._indices.append(place)
            self._values.append(entries[place])
        self._starts.append(len(self._indices))
        for key, parts in texts.items():
            self.texts[key].append("\n".join(parts))

    def arrays(self, rows: int) -> tuple[Any, Any, Any]:
        """Values, columns and starts of the first rows."""
        starts = np.array(self._starts[: rows + 1], np.int32)
        stop = starts[-1]
        return (
            np.array(self._values[:stop], np.float64),
            np.array(self._indices[:stop], np.int32),
            starts,
        )


def _flat(path: str, value: Any, texts: dict[str, list[str]]) -> Iterator[tuple[str, float]]:
    """The features of a value: their names, and numbers; strings of the keys of texts go there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{path}.{key}" if path else key, inner, texts)
    elif isinstance(value, list):
        strings = [inner for inner in value if isinstance(inner, str)]
        if path in texts:
            texts[path] += strings
        else:
            for word, count in Counter(strings).items():
                yield f"{path}={word}", count
        for k, inner in enumerate(value):
            if not isinstance(inner, str):
                yield from _flat(f"{path}.{k}", inner, texts)
    elif isinstance(value, str) and path in texts:
        texts[path].append(value)
    elif isinstance(value, str):
        yield f"{path}={value}", 1.0
    elif value is not None:
        yield path, value


def _objects(source: str, block: Block) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a text, each with its line."""
    for k, text in enumerate(block.text.decode().split("\n")):
        if not text.strip():
            continue
        line = block.first_line + k
        try:
            row = _DECODER.decode(text)
        except json.JSONDecodeError as error:
            column = len(text[: error.pos].encode()) + 1
            problem = f"is not JSON: {error.msg}; expected an object a line, and the line whole."
            raise DataError(source, line, column, problem) from error
        except ValueError as error:
            raise DataError(source, line, None, f"{error}.") from error
        except RecursionError as error:
            raise DataError(source, line, None, "is nested too deeply: flatten it.") from error
        if not isinstance(row, dict):
            problem = f"found {_told(row)}, expected an object, {{…}}, a line."
            raise DataError(source, line, None, problem)
        yield line, row


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
