"""Kinds of columns by their first cells, ids among them, and what is said about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from rosenblatt.engine.text.crossing import split_interaction
from rosenblatt.streams.core.options import FEATURE_KINDS, ReadOptions
from rosenblatt.streams.features.ids import id_fault
from rosenblatt.streams.features.remarks import has_units, remark_on
from rosenblatt.streams.features.schema import (
    columns_of_kind,
    in_group,
    infer_kind,
    with_text_column,
)
from rosenblatt.utils.words import schema_option


class Inference:
    """The columns of one table whose kind no option decides.

    Parameters
    ----------
    options : ReadOptions
        With ``settled``, no column is left out as one of ids, and none has dates; nor is a column
        that ``interactions`` name one of ids. With ``text``, a column may become text.
    missing : sequence of str
        Cells that do not count.

    Attributes
    ----------
    ids : dict
        Columns of ids, and why.
    kinds : dict
        The kinds of columns as if they were none of ids.

    Examples
    --------
    >>> inference = Inference(ReadOptions(), [""])
    >>> columns = {"id": [str(7 * k) for k in range(20)], "x": ["1.5"] * 20}
    >>> kinds = {name: inference.kind_of(name, cells) for name, cells in columns.items()}
    >>> kinds, inference.without_ids(kinds)
    ({'id': 'number', 'x': 'number'}, {'id': 'skip', 'x': 'number'})
    >>> inference.remarks({"id": "skip", "x": "number"})
    ["column 'id': 20 of the first 20 cells differ, as ids do, so it is left out; to keep it: \
--schema id:number."]
    """

    def __init__(self, options: ReadOptions, missing: Sequence[str]) -> None:
        self._options, self._settled, self._missing = options, options.settled, missing
        self._crossed = [*chain.from_iterable(map(split_interaction, options.interactions))]
        self._cells: dict[str, Sequence[str]] = {}
        self.ids: dict[str, str] = {}
        self.kinds: dict[str, str] = {}

    def kind_of(self, name: str, cells: Sequence[str], kind: str | None = None) -> str:
        """Return the kind of a column as if it were none of ids.

        Parameters
        ----------
        name : str
        cells : sequence of str
            The first cells of the column.
        kind : str, optional
            The kind, where the type of the column tells it.
        """
        has_dates = not self._settled
        kind = kind or infer_kind(cells, self._missing or ("",), has_dates=has_dates)
        self._cells[name], self.kinds[name] = cells, kind
        is_chosen = self._settled or any(in_group(group, name) for group in self._crossed)
        if not is_chosen and not (kind == "category" and has_units(cells, self._missing)):
            fault = id_fault(name, kind, cells, self._missing)
            if fault is not None:
                self.ids[name] = fault
        return kind

    def is_id(self, name: str) -> bool:
        """Return whether a column has been recognised as one of ids."""
        return name in self.ids

    def id_remark(self, name: str, *, in_python: bool = False) -> str:
        """Return why a column of ids is left out, and the option that keeps it.

        Parameters
        ----------
        name : str
        in_python : bool, default False
            Whether the option is that of a function, not of the command.
        """
        kind = self.kinds[name]
        keep = f"schema={{{name!r}: {kind!r}}}" if in_python else schema_option(name, kind)
        return f"column {name!r}: {self.ids[name]}, so it is left out; to keep it: {keep}."

    def without_ids(self, kinds: dict[str, str]) -> dict[str, str]:
        """Return the kinds with columns of ids left out, unless no other column has features."""
        ids = [name for name in self.ids if kinds.get(name) == self.kinds[name]]
        others = set(columns_of_kind(kinds, *FEATURE_KINDS)).difference(ids)
        return kinds | dict.fromkeys(ids, "skip") if others else kinds

    def decide(
        self, kinds: dict[str, str], cells: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, str], str | None]:
        """Return the final kinds of all columns of a table, and a remark on the option ``text``.

        First a column becomes text, if the option asks for one; then columns of ids are left out.

        Parameters
        ----------
        kinds : dict
            All columns with their kinds.
        cells : mapping
            As for :func:`rosenblatt.streams.features.schema.with_text_column`.

        Examples
        --------
        >>> inference = Inference(ReadOptions(text=("word:1",)), [""])
        >>> cells = [f"hello {k}" for k in range(60)]
        >>> inference.kind_of("mail", cells), inference.is_id("mail")
        ('category', True)
        >>> inference.decide({"x": "number", "mail": "category"}, {"mail": cells})[0]
        {'x': 'number', 'mail': 'text'}
        """
        remark = None
        if self._options.text:
            kinds, remark = with_text_column(kinds, self._options, cells)
        return self.without_ids(kinds), remark

    def remarks(self, kinds: dict[str, str]) -> list[str]:
        """Return what is to be said about the columns, in their order.

        Parameters
        ----------
        kinds : dict
            All columns with their kinds.
        """
        remarks = []
        for name, kind in kinds.items():
            if name not in self._cells:
                continue
            if kind == "skip":
                remarks.append(self.id_remark(name))
            elif (remark := remark_on(name, kind, self._cells[name], self._missing)) is not None:
                remarks.append(remark)
        return remarks
