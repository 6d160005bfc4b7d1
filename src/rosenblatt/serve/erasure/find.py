"""A search for a value in a store that nobody serves: rows, names, labels, and bytes of each file.

A value is a text, a number, or a row as JSON. Tables are read as the service reads them, so that no
spelling of JSON and no order of names hides it. Then all bytes of the folder are searched, with
free pages, the journal and what else lies there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import apsw
import msgspec

from rosenblatt.learning.online.features import words
from rosenblatt.serve.encoded.files import file_of, of_snapshot
from rosenblatt.serve.erasure.spellings import (
    Spellings,
    free_pages,
    pages_with,
    spellings_of_number,
    spellings_of_row,
    spellings_of_text,
)
from rosenblatt.serve.errors import StoreError, explained
from rosenblatt.serve.history import state_at
from rosenblatt.serve.live import LiveModel
from rosenblatt.serve.schema import Features
from rosenblatt.serve.store import tables
from rosenblatt.serve.store.check import not_served
from rosenblatt.serve.store.database import FILE
from rosenblatt.serve.store.journal import read_unchanged, wal_of
from rosenblatt.serve.store.layout import FORMAT
from rosenblatt.serve.store.log import FILES, Kind, Log, decode_config, decode_row
from rosenblatt.serve.store.search import as_number, is_in, parts_of

SHORTEST = 4
"""Bytes of a value that is searched among all bytes: a shorter one stands somewhere by chance."""
ONE_PAGE = 2_500
"""Bytes of a row with names that certainly stands on one page of 4,096, with a label of up to 1,000
bytes and the record's other columns: only there its names are found in any order."""
SHOWN = 10
"""Pages that are listed."""
_row_decoder = msgspec.json.Decoder(dict[str, float | bool | str | None] | list[float])


class Findings(NamedTuple):
    """Where a value is in a store, and where nobody could tell."""

    places: list[str]
    blind: list[str]


class _Sought(NamedTuple):
    """A value in its readings: text without case, number, row; and the bytes that spell it."""

    text: str
    number: float | None
    row: object | None
    spellings: Spellings

    def is_in(self, parts: Iterable[object]) -> bool:
        """Return whether the text stands in one of some parts, or one of them is the number."""
        return is_in(parts, self.text, self.number)


def find_value(folder: str | os.PathLike[str], value: bytes) -> Findings:
    """Return where in a store a value is, and change no byte of it.

    Case does not count in texts. A model is named, too, whose feature names have every word of the
    value: it may have learned them from other texts.

    Raises
    ------
    StoreError
        There is no store, a service has it, it is of an older layout, or is damaged.
    """
    folder, sought, findings = Path(folder), _readings(value), Findings([], [])
    with not_served(folder):
        file = folder / FILE
        with explained(file), closing(read_unchanged(file)) as connection:
            if connection.pragma("user_version") != FORMAT:
                raise StoreError(f"{file}: of an older layout: a start of the service mends it.")
            _search_tables(connection, sought, findings)
        _search_files(folder, sought, findings)
    return findings


def _readings(value: bytes) -> _Sought:
    """Return a value as what it may be."""
    text = value.decode("utf-8", "replace")
    try:
        row = _row_decoder.decode(value)
    except msgspec.DecodeError:
        if text[:1] == '"':
            with suppress(ValueError):
                text = str(json.loads(text))
    else:
        spellings = spellings_of_row(value, row)
        return _Sought(text.casefold(), None, tables.as_read(row), spellings)
    if (number := as_number(text)) is None:
        spellings = spellings_of_text(value, text)
    else:
        spellings = spellings_of_number(text, number)
    return _Sought(text.casefold(), number, None, spellings)


# --- tables ----------------------------------------------------------------------------------


def _search_tables(connection: apsw.Connection, sought: _Sought, findings: Findings) -> None:
    places = findings.places
    for stored in tables.read_models(connection):
        log = Log(connection, stored.number, stored.name)
        model = f"model {stored.name!r}"
        if sought.is_in([stored.name, *_texts(stored.config)]):
            places.append(f"table models, {model}: its name or configuration")
        for name, config in tables.read_shadows(connection, stored.number).items():
            if sought.is_in([name, *_texts(config)]):
                places.append(f"table shadows, {model}: the shadow {name!r}")
        _search_log(log, sought, findings, f"table log, {model}")
        for version in tables.snapshot_versions(connection, stored.number):
            snapshot = tables.newest_snapshot(connection, stored.number, version)
            if snapshot is None or snapshot.version != version:
                raise StoreError(f"the snapshot of {model} at version {version} is damaged.")
            where = f"table snapshots, {model}, version {version}"
            live = of_snapshot(snapshot)
            _search_model(live, sought, findings, where)
            if version == log.bounds()[0] > 1:
                _note_blind(live, findings, where)
            if sought.is_in(_texts(json.loads(snapshot.progress))):
                places.append(f"{where}: its counts")
        live = state_at(log, log.bounds()[1], stored.config)
        _search_model(live, sought, findings, f"{model} as it is now")
    for number, data in connection.execute("SELECT id, features FROM predictions"):
        if _has(sought, tables.decode_features(data)):
            places.append(f"table predictions, p{number}")
    for (key,) in connection.execute("SELECT key FROM keys"):
        if sought.is_in([key]):
            places.append(f"table keys, key {key!r}")


def _search_log(log: Log, sought: _Sought, findings: Findings, where: str) -> None:
    for record in log.read(log.bounds()[0] - 1):
        at = f"{where}, version {record.version}"
        if record.kind == Kind.EXAMPLE:
            features, label, _ = decode_row(record.body)
            if _has(sought, features) or sought.is_in([label]):
                findings.places.append(at)
        elif record.kind in FILES:
            live = file_of(record)
            _search_model(live, sought, findings, at)
            _note_blind(live, findings, at)
        elif record.kind == Kind.PROMOTION and sought.is_in(_texts(decode_config(record.body))):
            findings.places.append(at)


def _search_model(live: LiveModel, sought: _Sought, findings: Findings, where: str) -> None:
    """Look at names, labels and parameters of a model."""
    names, rows = live.names(), msgspec.to_builtins(live.rows())
    parts = [*map(str, names or ()), *live.model.classes_, *_texts(live.config), *_texts(rows)]
    if sought.is_in(parts):
        findings.places.append(where)
    elif (parted := words(sought.text)) and all(word in (names or ()) for word in parted):
        findings.places.append(f"{where}: all its words are names")


def _note_blind(live: LiveModel, findings: Findings, where: str) -> None:
    """Note a model that the service did not train, if its columns have no names."""
    if live.names() is None:
        findings.blind.append(f"{where}: its columns have no names; they may be hashes of names")


def _has(sought: _Sought, features: Features) -> bool:
    """Return whether a row is the one sought, or has the value in it."""
    if sought.row is not None and tables.as_read(features) == sought.row:
        return True
    named = features.items() if isinstance(features, dict) else ()
    pairs = [f"{name}={value}" for name, value in named if isinstance(value, str)]
    return sought.is_in([*parts_of(features), *pairs])


def _texts(value: object) -> Iterator[object]:
    """Yield the names and values of JSON, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    else:
        yield value


# --- bytes -----------------------------------------------------------------------------------


def _search_files(folder: Path, sought: _Sought, findings: Findings) -> None:
    """Search all bytes of a folder for the spellings of a value."""
    exact, folded, parts = sought.spellings
    long = Spellings(
        [spelling for spelling in exact if len(spelling) >= SHORTEST],
        [spelling for spelling in folded if len(spelling) >= SHORTEST],
        parts if sum(min(map(len, part)) for part in parts) >= SHORTEST else [],
    )
    if len(long.exact) < len(exact) or len(long.folded) < len(folded):
        findings.blind.append(
            f"free pages and the journal: a form of the value has less than {SHORTEST} bytes"
        )
    if len(parts) > 1 and sum(len(part[0]) for part in parts) > ONE_PAGE:
        findings.blind.append(
            "free pages and the journal: a row of this length may lie on several pages, and is "
            "found there only with its names in this order"
        )
    file = folder / FILE
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path == file:
            free = free_pages(file)
            pages = pages_with(file, long)
            _list(findings, path, [f"{page}{' (free)' * (page in free)}" for page in pages])
        elif path == wal_of(file):
            frames = pages_with(path, long, is_journal=True)
            _list(findings, path, [f"{frame} of the journal" for frame in frames])
        elif long.are_in(path.read_bytes()):
            findings.places.append(str(path))


def _list(findings: Findings, path: Path, pages: list[str]) -> None:
    findings.places.extend(f"{path}: page {page}" for page in pages[:SHOWN])
    if len(pages) > SHOWN:
        findings.places.append(f"{path}: {len(pages) - SHOWN:,} more pages")
