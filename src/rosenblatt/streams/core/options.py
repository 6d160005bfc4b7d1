"""Options of reading a source, shared by the readers, the command and the notes in models."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.streams.core.access import Access, StorageOptions, Version
from rosenblatt.streams.core.bad_rows import OnBadRow
from rosenblatt.streams.core.format import LAYOUT_OPTIONS as LAYOUT_OPTIONS
from rosenblatt.streams.core.format import MISSING_OPTIONS as MISSING_OPTIONS
from rosenblatt.streams.core.missing import POLICIES, Imputer
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.registry import FORMAT_NAMES, FORMATS

if TYPE_CHECKING:
    from rosenblatt.streams.core.hashed_names import HashedNames


_NGRAM_SPEC = re.compile(r"(word|char|char_wb):([1-9])(?:-([1-9]))?")

_NO_WORD = re.compile('["\\r\\n]|^\\s|\\s\\Z')  # no spelling of a missing cell
_NO_NAMESPACE = re.compile(r"[\s:|]")
_SEPARATOR = re.compile(r"[\t !#$%&'()*,/:;<=>?@\[\\\]^_`{|}~]")


CACHE_VARIABLE = "ROSENBLATT_CACHE"
"""Environment variable of the budget of the cache of files at URLs."""

_UNITS = {letter: 1000**power for power, letter in enumerate(("", "K", "M", "G", "T"))}


def parse_bytes(text: str) -> int:
    """Return the bytes of a size, 500kB, 20GB or 1.5TB, also 20G or 0; units are powers of 1000.

    Raises
    ------
    ValueError
        The text is no size.

    Examples
    --------
    >>> parse_bytes("20GB"), parse_bytes("1.5k"), parse_bytes("10")
    (20000000000, 1500, 10)
    """
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)([KMGT]?)B?", text.strip().upper())
    if match is None:
        raise ValueError(f"{text!r} is no size: write 0, 500kB, 250MB, 20GB or 2TB.")
    return int(Decimal(match[1]) * _UNITS[match[2]])


def cache_of_environment() -> int:
    """Return the budget of the cache that the environment has, in bytes; 0 without one.

    Raises
    ------
    ValueError
        The variable is no size; the message names it.
    """
    try:
        return parse_bytes(os.environ.get(CACHE_VARIABLE, "0"))
    except ValueError as error:
        raise ValueError(f"{CACHE_VARIABLE}: {error}") from error


def parse_ngram_spec(spec: str) -> tuple[str, tuple[int, int]]:
    """Return the kind of n-grams of a spec, with the least and largest n.

    Raises
    ------
    ValueError
        The spec is malformed.

    Examples
    --------
    >>> parse_ngram_spec("char:3-5"), parse_ngram_spec("word:1")
    (('char', (3, 5)), ('word', (1, 1)))
    """
    match = _NGRAM_SPEC.fullmatch(spec)
    if match is not None:
        least, largest = int(match[2]), int(match[3] or match[2])
        if least <= largest:
            return match[1], (least, largest)
    raise ValueError(
        "text must be word:N, char:N or char_wb:N with N from 1 to 9, or a range such as 1-2; "
        f"got {spec!r}."
    )


FEATURE_OPTIONS = (
    "index_base",
    "bits",
    "interactions",
    "target",
    "schema",
    "text",
    "keep",
    "ignore",
    *MISSING_OPTIONS,
    *LAYOUT_OPTIONS,
    "partitions",
)
"""The options that decide the features of a row: new data for a model must share them."""

DATE_KINDS = ("date", "date-dmy", "date-mdy", "time")
"""Dates, whose year is first or whose order is clear; with the day or the month first; times."""

FEATURE_KINDS = ("number", "category", "text", *DATE_KINDS)
NO_FEATURES = ("label", "id", "weight", "skip")
"""The kinds of columns that are no features."""

COLUMN_KINDS = (*FEATURE_KINDS, *NO_FEATURES)
"""The kinds of a table's columns, those that are features first."""

WORD_KINDS = ("category", "text", *DATE_KINDS)
"""Features whose cells a reader passes on as words."""

WILDCARD = "*"
"""In a schema: every column that the schema does not name."""

FIRST_ROWS = 1000
"""Rows from which the kinds of columns are inferred."""

BATCH_BYTES = 1 << 22

MAX_GROWTH = 64
"""How many times as long as their text rows with interactions are taken to be."""

MAX_BITS = 30
"""With more, the number of hashed columns would not fit 32 bits."""

MAX_SPARSE_COLUMNS = 2**27
"""Largest number of columns of sparse rows that are not hashed: a single index can be anything, and
the weights of so many features already take 1 GiB for each class."""

DEFAULT_BITS = 18
"""Hashed columns number 2^18 by default, as in Vowpal Wabbit."""


class ReadOptions(NamedTuple):
    """The options of :func:`rosenblatt.streams.open_stream`, under the same names.

    Examples
    --------
    >>> ReadOptions(bits=20).validate()
    >>> ReadOptions(bits=20).check_format("npy")
    Traceback (most recent call last):
    ValueError: bits does not go with an array; got 20.
    """

    format: str | None = None
    target: str | None = None
    index_base: int | None = None
    bits: int | None = None
    labelled: bool = True
    tags: bool = False
    batch_bytes: int = BATCH_BYTES
    text: tuple[str, ...] = ()
    schema: dict[str, str] | None = None
    interactions: tuple[str, ...] = ()
    names: HashedNames | None = None
    on_bad_row: OnBadRow = "stop"
    separator: str | None = None
    header: bool | None = None
    column_names: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    impute: str | None = None
    means: dict[str, float] | None = None
    missing_category: bool = False  # a missing category is one: "column is missing"
    imputer: Imputer | None = None  # of the file before, in a stream of several
    decimal: str | None = None
    quotes: bool | None = None
    written: bool = False  # batches have the numbers that their floats do not tell
    keep: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    is_part: bool = False  # other files may have the groups of interactions that this one lacks
    storage_options: Mapping[str, Any] | None = None
    cache_bytes: int | None = None
    cache_folder: str | None = None  # where the cache of a worker is
    versions: Mapping[str, Version] | None = None  # of URLs, as they were listed
    settled: bool = False  # another stream has decided which columns are ids, which keys are dates
    partitions: dict[str, str] | None = None  # columns in the paths of files, and their kinds

    def validate(self) -> None:
        """Refuse values out of range.

        Raises
        ------
        ValueError
        """
        names = [name.strip() for name in self.column_names]
        policy, separator = self.on_bad_row, self.separator
        is_policy = callable(policy) or policy in ("stop", "skip")
        is_separator = separator is None or _SEPARATOR.fullmatch(separator)
        are_names = "" not in names and len(set(names)) == len(names)
        formats, policies = (f"one of {', '.join(n)}" for n in (FORMAT_NAMES, POLICIES))
        character = "one character such as ';', '|', a tab or a blank"
        words = "words without quotes, and without blanks around them"
        checks: list[tuple[str, object, object, str]] = [
            ("format", self.format, self.format in (None, *FORMAT_NAMES), formats),
            ("index_base", self.index_base, self.index_base in (None, 0, 1), "0, 1 or None"),
            ("bits", self.bits, self.bits in (None, *range(1, MAX_BITS + 1)), f"1 to {MAX_BITS}"),
            ("batch_bytes", self.batch_bytes, self.batch_bytes >= 1, "1 or more"),
            ("cache_bytes", self.cache_bytes, (self.cache_bytes or 0) >= 0, "0 or more"),
            ("on_bad_row", policy, is_policy, "'stop', 'skip' or a callable"),
            ("separator", separator, is_separator, character),
            ("decimal", self.decimal, self.decimal in (None, ".", ","), "'.' or ','"),
            ("column_names", ",".join(self.column_names), are_names, "distinct, and not empty"),
            ("impute", self.impute, self.impute in (None, *POLICIES), policies),
            *(
                ("interactions", w, w.count("*") in (1, 2), "two or three names with '*' between")
                for w in self.interactions
            ),
            *(
                (option, w, not _NO_NAMESPACE.search(w), "a namespace, without blanks, ':' and '|'")
                for option in ("keep", "ignore")
                for w in getattr(self, option)
            ),
            *(("missing", w, not _NO_WORD.search(w), words) for w in self.missing),
        ]
        for name, value, is_fine, expected in checks:
            if not is_fine:
                raise ValueError(f"{name} must be {expected}; got {value!r}.")
        if names and self.header:
            problem = "column_names does not go with a header line: the header has the names"
            raise ValueError(f"{problem}; got {','.join(names)!r}.")
        if not isinstance(self.storage_options, Mapping | None):
            raise TypeError("storage_options must be a mapping of names to values.")
        for spec in self.text:
            parse_ngram_spec(spec)
        if self.schema:
            self._check_schema(self.schema)

    @property
    def access(self) -> Access:
        """How files at URLs are read; the environment has the budget that is not given."""
        budget = self.cache_bytes
        if budget is None:
            budget = cache_of_environment()
        storage = StorageOptions(self.storage_options or {})
        return Access(storage, budget, self.cache_folder, self.versions or {})

    @property
    def has_header(self) -> bool:
        """Whether the first line of a table names the columns."""
        return self.header is not False and not self.column_names

    def new_imputer(self) -> Imputer | None:
        """Return the imputer of a table: that of the file before, or a new one; None for none."""
        if self.imputer is not None or (self.impute is None and not self.missing):
            return self.imputer
        return Imputer(self.impute or "mean", self.missing, self.means, self.missing_category)

    def _check_schema(self, schema: object) -> None:
        if not isinstance(schema, Mapping):
            expected = "a mapping of columns to kinds, such as {'id': 'skip'}"
            raise TypeError(f"schema must be {expected}; got {schema!r:.80}.")
        kinds = list(schema.values())
        if self.target is not None and "label" in kinds and schema.get(self.target) != "label":
            raise ValueError(f"schema: its label is not the target, {self.target!r}.")
        if schema.get(WILDCARD, "skip") not in (*FEATURE_KINDS, "skip"):
            problem = f"only one column can have the kind {schema[WILDCARD]}"
            raise ValueError(f"schema: {problem}: name it instead of {WILDCARD}.")
        for kind in kinds:
            if kind not in COLUMN_KINDS:
                expected = ", ".join(COLUMN_KINDS)
                raise ValueError(f"schema: a kind must be one of {expected}; got {kind!r}.")
        for kind in ("label", "id", "weight"):
            if kinds.count(kind) > 1:
                raise ValueError(f"schema: found {kinds.count(kind)} columns of the kind {kind}.")

    def check_format(self, format: str) -> None:
        """Refuse feature options that a format does not accept.

        Raises
        ------
        ValueError
        """
        accepted, title = FORMATS[format].options, FORMATS[format].title
        if self.partitions and "partitions" not in accepted:
            names = f"the column {', '.join(self.partitions)} in the paths does not go with {title}"
            raise ValueError(f"{names}: name the files by a pattern, such as 'FOLDER/**/part-*'.")
        for name in FEATURE_OPTIONS:
            value = getattr(self, name)
            if value not in (None, ()) and name not in accepted:
                raise ValueError(f"{name} does not go with {title}; got {value!r}.")

    def resolved(self, format: str, noted: Notes) -> ReadOptions:
        """Fix the format and the feature options to those of a stream that is open.

        Parameters
        ----------
        format : str
        noted : dict
            :meth:`rosenblatt.streams.Stream.noted`.
        """
        names = (name for name in FORMATS[format].options if name in noted)
        values: dict[str, Any] = {name: noted.get(name) for name in names}
        format_or_none = format if format in FORMAT_NAMES else None
        return self._replace(format=format_or_none, settled=True, **values)

    def completed(
        self,
        noted: Notes,
        format: str | None,
        layout: tuple[str, ...] = LAYOUT_OPTIONS,
    ) -> ReadOptions:
        """Complete the options for new data of a model by those of its training data.

        Parameters
        ----------
        noted : dict
            Notes of the model, :meth:`rosenblatt.streams.Stream.noted`.
        format : str or None
            Format of the new data, if it is known. Options that do not go with it are not taken.
        layout : tuple of str
            Options of the layout of text that data of the same format share.
        """
        if format != noted.get("format") or self.header:
            layout = ()
        if self.separator is not None and self.separator == noted.get("decimal"):
            layout = tuple(name for name in layout if name != "decimal")
        options = () if format is None else FORMATS[format].options
        accepted = [name for name in options if name in layout or name not in LAYOUT_OPTIONS]
        values = {
            name: noted_option(noted, name)
            for name in accepted
            if name in noted and getattr(self, name) in (None, ())
        }
        schema = noted.get("schema")
        if "schema" in accepted and schema is not None:
            # the noted schema of a table is complete; JSON lines may have further keys
            others = {} if noted.get("format") == "jsonl" else {WILDCARD: "skip"}
            values["schema"] = schema | others | (self.schema or {})
        return self._replace(settled=True, **values)


def noted_option(noted: Mapping[str, Any], name: str) -> Any:
    """Return an option of the notes of a model; lists of JSON become tuples."""
    value = noted.get(name)
    return tuple(value or ()) if ReadOptions._field_defaults[name] == () else value
