"""The form of the raw rows that a model takes, and why it does not take one."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

from rosenblatt.engine.text.delimited import SPELLINGS
from rosenblatt.serve import schema
from rosenblatt.serve.schema import Features
from rosenblatt.streams.core.notes import Notes
from rosenblatt.streams.core.options import NO_FEATURES, WILDCARD
from rosenblatt.streams.features.labels import NUMBER
from rosenblatt.streams.features.schema import in_group

TABLE, OBJECTS, TEXT = "table", "objects", "text"
MAX_PRODUCTS = 100_000
"""Features that the interactions of a row with any keys make."""
_LISTED = 10  # columns in a message


class RowForm(NamedTuple):
    """The form of a model's rows.

    Attributes
    ----------
    rows : str
        "table": every column of ``columns``. "objects": any keys. "text": a text alone.
    columns : dict
        The columns of features, or the keys whose kinds are fixed, with their kinds.
    missing : tuple of str
        Spellings of a missing cell, besides null; empty where missing cells are not filled in.
    interactions : tuple of str

    Examples
    --------
    >>> form = RowForm.of_notes({"format": "csv", "schema": {"age": "number", "y": "label"}})
    >>> form.check({"age": "old"})
    Traceback (most recent call last):
        ...
    ValueError: column 'age' takes a number; got the text 'old'.
    """

    rows: str
    columns: Mapping[str, str]
    missing: tuple[str, ...]
    interactions: tuple[str, ...]

    @classmethod
    def of_notes(cls, notes: Notes) -> RowForm:
        """Return the form that the notes of a model file describe."""
        format, kinds = notes.get("format"), notes.get("schema") or {}
        rows = {"jsonl": OBJECTS, "folder": TEXT}.get(str(format), TABLE)
        columns = {name: kind for name, kind in kinds.items() if kind not in NO_FEATURES}
        spelled = notes.get("impute") is not None or notes.get("missing")
        missing = (*SPELLINGS, *(notes.get("missing") or ())) if spelled else ()
        return cls(rows, columns, missing, tuple(notes.get("interactions") or ()))

    @property
    def texts(self) -> list[str]:
        """The columns of texts."""
        return [name for name, kind in self.columns.items() if kind == "text"]

    @property
    def is_read_to_be_checked(self) -> bool:
        """Whether only the reader tells if it takes a row.

        Products of any names may have the name of another feature, and a word may be no date.
        """
        are_products = self.rows == OBJECTS and bool(self.interactions)
        return are_products or not set(self.columns.values()) <= {"number", "category", "text"}

    @property
    def takes_text(self) -> bool:
        """Whether a row may be a text alone: the only column is one of texts."""
        is_only = len(self.columns) == 1 or self.rows == OBJECTS
        return self.rows == TEXT or (is_only and len(self.texts) == 1)

    def describe(self) -> str:
        """Return what a row is, for messages."""
        if self.rows == TEXT:
            return "a text"
        names = list(self.columns)
        shown = ", ".join(f"{name!r:.80}" for name in names[:_LISTED])
        more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
        kind = "an object with the columns" if self.rows == TABLE else "an object of names"
        listed = f"{kind} {shown}{more}" if self.rows == TABLE else kind
        return f"{listed}, or a text" if self.takes_text else listed

    # --- limits ----------------------------------------------------------------------------------

    def check_size(self, features: Features) -> None:
        """Refuse a row that is over a limit: texts may be longer than words.

        Raises
        ------
        ValueError
            With the limit.
        """
        if not isinstance(features, dict):
            schema.check_features(features)
            return
        texts = {name: features[name] for name in self.texts if name in features}
        for name, text in texts.items():
            if isinstance(text, str) and len(text) > schema.MAX_TEXT:
                raise ValueError(
                    f"column {name!r:.80} may have {schema.MAX_TEXT:,} characters; got "
                    f"{len(text):,}."
                )
        schema.check_features(features | dict.fromkeys(texts))

    # --- the form --------------------------------------------------------------------------------

    def check(self, features: Features) -> None:
        """Refuse a row that has another form.

        Raises
        ------
        ValueError
            With the column.
        """
        if isinstance(features, dict) and self.rows != TEXT:
            self._check_columns(features)
        elif not (isinstance(features, str) and self.takes_text):
            got = {dict: "an object", list: "a list"}.get(type(features), "a text")
            raise ValueError(f"a row of this model is {self.describe()}; got {got}.")

    def _check_columns(self, row: dict[str, Any]) -> None:
        if self.rows == TABLE:
            lacking = [name for name in self.columns if name not in row]
            if lacking:
                shown = ", ".join(f"{name!r:.80}" for name in lacking[:_LISTED])
                more = f" and {len(lacking) - _LISTED:,} more" if len(lacking) > _LISTED else ""
                noun = "column" if len(lacking) == 1 else "columns"
                raise ValueError(
                    f"the row lacks the {noun} {shown}{more}: a missing cell is null, and its "
                    "column is there."
                )
        for name, cell in row.items() if self.rows == OBJECTS else self.columns.items():
            if self.rows == OBJECTS:
                kind = self.columns.get(name, self.columns.get(WILDCARD, ""))
            else:
                kind, cell = cell, row[name]
            if fault := self._fault(kind, cell):
                raise ValueError(f"column {name!r:.80} {fault}")
        if self.rows == OBJECTS and self.interactions:
            self._check_products(row)

    def _check_products(self, row: dict[str, Any]) -> None:
        products = sum(
            prod(sum(in_group(name, group) for name in row) for group in interaction.split("*"))
            for interaction in self.interactions
        )
        if products > MAX_PRODUCTS:
            raise ValueError(
                f"the interactions of a row may make {MAX_PRODUCTS:,} features; got {products:,}."
            )

    def _fault(self, kind: str, cell: object) -> str | None:
        """Return why a column does not take a cell; None if it does."""
        if kind == "number":
            if cell is None and not self.missing and self.rows == TABLE:
                return (
                    "takes a number; got null, and the model fills in no missing cells: train it "
                    "with --impute."
                )
            if isinstance(cell, str) and cell.strip() not in self.missing:
                is_number = NUMBER.fullmatch(cell.strip().replace(",", "."))
                hint = ", and a number of JSON has a point and no quotes" if is_number else ""
                return f"takes a number; got the text {cell!r:.80}{hint}."
        elif kind == "text" and not (cell is None or isinstance(cell, str)):
            return f"takes a text; got {cell!r:.80}."
        return None

    def plain(self, features: Features) -> dict[str, Any] | str:
        """Return a row that fits as the reader takes it.

        Numbers are numbers, texts are texts, and columns that are no features are left out.

        Examples
        --------
        >>> notes = {"format": "csv", "schema": {"age": "number"}, "impute": "mean"}
        >>> RowForm.of_notes(notes).plain({"age": "NA", "id": 7.0})
        {'age': None}
        """
        if not isinstance(features, dict):
            assert isinstance(features, str)
            return features
        if self.rows == OBJECTS:
            categories = [name for name, kind in self.columns.items() if kind == "category"]
            return features | {
                name: int(features[name])  # type: ignore[arg-type]  # a whole number is one
                for name in categories
                if type(features.get(name)) is float and float(features[name]).is_integer()  # type: ignore[arg-type]
            }
        row: dict[str, Any] = {name: features[name] for name in self.columns}
        for name, kind in self.columns.items():
            cell = row[name]
            if kind == "number" and cell is not None:
                row[name] = None if isinstance(cell, str) else float(cell)
            elif kind == "text":
                row[name] = cell or ""
        return row
