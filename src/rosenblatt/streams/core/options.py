"""How a source is to be read: what the reader, the command and a model's notes all speak of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.streams.core.bad_rows import OnBadRow

if TYPE_CHECKING:
    from rosenblatt.streams.core.hashed_names import HashedNames


_SPEC = re.compile(r"(word|char|char_wb):([1-9])(?:-([1-9]))?")


def parsed(spec: str) -> tuple[str, tuple[int, int]]:
    """The kind of n-grams that a spec asks for, and their least and largest n.

    Raises
    ------
    ValueError
        There is no such spec.

    Examples
    --------
    >>> parsed("char:3-5"), parsed("word:1")
    (('char', (3, 5)), ('word', (1, 1)))
    """
    found = _SPEC.fullmatch(spec)
    if found is not None:
        least, largest = int(found[2]), int(found[3] or found[2])
        if least <= largest:
            return found[1], (least, largest)
    raise ValueError(
        "text must be word:N, char:N or char_wb:N with N from 1 to 9, or a range such as 1-2; "
        f"got {spec!r}."
    )


FORMATS = {
    "svmlight": ("svmlight text", ("index_base",)),
    "vw": ("Vowpal Wabbit text", ("bits", "interactions")),
    "csv": ("a table", ("target", "schema", "bits", "text", "interactions")),
    "tsv": ("a table", ("target", "schema", "bits", "text", "interactions")),
    "jsonl": ("JSON lines", ("target", "schema", "bits", "text", "interactions")),
    "parquet": ("Parquet", ("target", "schema", "bits", "text", "interactions")),
    "arrow": ("Arrow", ("target", "schema", "bits", "text", "interactions")),
    "npy": ("an array", ("target",)),
    "npz": ("X and y", ()),
    "folder": ("a folder of texts", ("bits", "text")),
    "sklearn": ("a data set of scikit-learn", ("interactions",)),
}
"""Every format: what messages call it, and which settings say how its rows are to be understood."""

NAMED = tuple(name for name in FORMATS if name != "sklearn")
"""The formats that a source can be said to have."""

UNDERSTOOD = tuple(dict.fromkeys(name for _, taken in FORMATS.values() for name in taken))
"""The settings by which a row is understood: those that new data must share."""

FEATURES = ("number", "category", "text")
KINDS = (*FEATURES, "label", "id", "weight", "skip")
"""Every kind of a table's column; the first three are features."""

OTHERS = "*"
"""In a schema: all columns that it does not name."""

BATCH_BYTES = 1 << 22

MOST_BITS = 30
"""The most: the number of hashed columns still fits 32 bits."""

BITS = 18
"""Bits of a hashed column by default, as in Vowpal Wabbit."""


class Settings(NamedTuple):
    """What :func:`rosenblatt.streams.open_stream` is told, under the same names.

    Examples
    --------
    >>> Settings(bits=20).check()
    >>> Settings(bits=20).check_format("npy")
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

    def check(self) -> None:
        """Refuse values that there are not.

        Raises
        ------
        ValueError
        """
        if self.format is not None and self.format not in NAMED:
            raise ValueError(f"format must be one of {', '.join(NAMED)}; got {self.format!r}.")
        if self.index_base not in (None, 0, 1):
            raise ValueError(f"index_base must be 0, 1 or None; got {self.index_base!r}.")
        if self.bits is not None and not 1 <= self.bits <= MOST_BITS:
            raise ValueError(f"bits must be 1 to {MOST_BITS}; got {self.bits!r}.")
        for spec in self.text:
            parsed(spec)
        if self.batch_bytes < 1:
            raise ValueError(f"batch_bytes must be 1 or more; got {self.batch_bytes!r}.")
        for interaction in self.interactions:
            if interaction.count("*") != 1:
                found = f"got {interaction!r}"
                raise ValueError(f"interactions must be two names with '*' between; {found}.")
        if not (callable(self.on_bad_row) or self.on_bad_row in ("stop", "skip")):
            told = f"got {self.on_bad_row!r}"
            raise ValueError(f"on_bad_row must be 'stop', 'skip' or a callable; {told}.")
        self._check_schema()

    def _check_schema(self) -> None:
        schema = self.schema or {}
        kinds = list(schema.values())
        if self.target is not None and "label" in kinds and schema.get(self.target) != "label":
            raise ValueError(f"schema: its label is not the target, {self.target!r}.")
        if schema.get(OTHERS, "skip") not in (*FEATURES, "skip"):
            problem = f"of the kind {schema[OTHERS]} there is one column: name it, not {OTHERS}."
            raise ValueError(f"schema: {problem}")
        for kind in kinds:
            if kind not in KINDS:
                known = ", ".join(KINDS)
                raise ValueError(f"schema: a kind must be one of {known}; got {kind!r}.")
        for kind in ("label", "id", "weight"):
            if kinds.count(kind) > 1:
                raise ValueError(f"schema: found {kinds.count(kind)} columns of the kind {kind}.")

    def check_format(self, format: str) -> None:
        """Refuse settings that say nothing of a format.

        Raises
        ------
        ValueError
        """
        kind, taken = FORMATS[format]
        for name in UNDERSTOOD:
            value = getattr(self, name)
            if value not in (None, ()) and name not in taken:
                raise ValueError(f"{name} does not go with {kind}; got {value!r}.")

    def settled(self, format: str, found: dict[str, Any]) -> Settings:
        """These settings, with what one source of a format was ``found`` to have."""
        taken = {name: found[name] for name in FORMATS[format][1]}
        return self._replace(format=format if format in NAMED else None, **taken)
