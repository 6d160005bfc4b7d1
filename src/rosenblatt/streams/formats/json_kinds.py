"""Kinds of the keys of JSON lines by the first objects: dates, and ids, which are left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.json.lines import Block
from rosenblatt.streams.core.batch import CSRArrays, csr, renumbered
from rosenblatt.streams.core.options import DATE_KINDS, WILDCARD, ReadOptions
from rosenblatt.streams.features.inference import Inference
from rosenblatt.streams.features.schema import infer_kind
from rosenblatt.streams.features.vocabulary import Vocabulary


class KeyKinds(NamedTuple):
    """Kinds of keys that are no plain features, and what is to be said about them.

    Parameters
    ----------
    kinds : dict
    remarks, in_python : tuple of str
        The same with options of the command, and of functions.
    """

    kinds: dict[str, str]
    remarks: tuple[str, ...] = ()
    in_python: tuple[str, ...] = ()


def infer_keys(
    rows: Iterable[Mapping[str, Any]],
    options: ReadOptions,
    reserved: Sequence[str | None],
    missing: Sequence[str],
) -> KeyKinds:
    """Infer which keys have dates, and which are ids and left out.

    Parameters
    ----------
    rows : iterable of dict
        The first objects. Keys of nested objects are joined with dots.
    options : ReadOptions
        Keys of the ``schema`` are not inferred, none with ``*`` or if ``settled``.
    reserved : sequence of str or None
        The keys of labels, weights and ids.
    missing : sequence of str
        Strings that do not count.

    Examples
    --------
    >>> rows = [{"id": 7 * k, "day": "2024-05-31", "x": 1.5} for k in range(20)]
    >>> infer_keys(rows, ReadOptions(), ["y"], []).kinds
    {'id': 'skip', 'day': 'date'}
    """
    schema = options.schema or {}
    if options.settled or WILDCARD in schema:
        return KeyKinds({})
    cells: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        for key, value in _leaves("", row):
            cells[key].append(value)
    inference, kinds = Inference(options, missing), {}
    for key, values in cells.items():
        if key in reserved or key in schema:
            kinds[key] = schema.get(key, "label")
            continue
        words, kind = [str(value) for value in values], "plain"
        if all(type(value) is int for value in values):
            kind = "number"
        elif all(isinstance(value, str) for value in values):
            kind = infer_kind(words, missing or ("",))
            kind = "category" if kind == "number" else kind
        is_inferred = kind in ("number", "category", *DATE_KINDS)
        kinds[key] = inference.kind_of(key, words, kind) if is_inferred else "number"
    kinds = inference.without_ids(kinds)
    special = {k: kind for k, kind in kinds.items() if kind in ("skip", *DATE_KINDS)}
    special = {key: kind for key, kind in special.items() if key not in schema}
    left_out = [key for key, kind in special.items() if kind == "skip"]
    remarks = (
        tuple(inference.id_remark(key, in_python=in_python) for key in left_out)
        for in_python in (False, True)
    )
    return KeyKinds(special, *remarks)


def _leaves(path: str, value: object) -> Iterator[tuple[str, Any]]:
    """Yield the values that are no objects and not null, with their keys; a list is one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}" if path else key, inner)
    elif value is not None:
        yield path, value


class WithoutKeys:
    r"""Rows that the core has parsed, without the features of some keys.

    Parameters
    ----------
    vocabulary : Vocabulary
        The columns of the other features; it grows.
    keys : sequence of str

    Examples
    --------
    >>> from rosenblatt.engine.json.lines import LineParser
    >>> vocabulary = Vocabulary()
    >>> rows = WithoutKeys(vocabulary, ["id"])
    >>> block = LineParser(None, False).parse(b'{"id": "a7", "x": 2}\n{"x": 3, "id": "b"}\n')
    >>> rows.of(block).tocsr().toarray().tolist(), vocabulary.names
    ([[2.0], [3.0]], ['x'])
    """

    def __init__(self, vocabulary: Vocabulary, keys: Sequence[str]) -> None:
        self._vocabulary, self._parsed = vocabulary, Vocabulary()
        self._keys = frozenset(keys)
        self._starts = tuple(f"{k}{mark}" for k in keys for mark in "=.")
        self._columns = np.empty(0, np.int32)  # of the parsed names; −1 for those left out

    def of(self, block: Block) -> CSRArrays:
        """Return the rows of a block."""
        data, indices, indptr = self._parsed.entries_of(block)
        new = [
            -1
            if name in self._keys or name.startswith(self._starts)
            else self._vocabulary.column_of(name)
            for name in self._parsed.names[len(self._columns) :]
        ]
        self._columns = np.concatenate([self._columns, np.array(new, np.int32)])
        rows = csr(data, indices, indptr, len(self._columns))
        return renumbered(rows, self._columns[indices], len(self._vocabulary.names))
