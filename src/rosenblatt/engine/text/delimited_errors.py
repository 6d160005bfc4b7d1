"""Explanations of cells that are no numbers, for :mod:`rosenblatt.engine.text.delimited`."""

from __future__ import annotations

import re

from rosenblatt.engine.text.scanning import quote_token

UNREADABLE = "found a field that cannot be read ({}): "
CHECK_QUOTES = "check its quotes; --no-quotes reads them as any other character."

_FILL = "--impute mean (or zero, indicator) fills in missing cells"
_REASONS = (
    (r"|\?|na|n/a|null|none", f"expected a number: fill it in, or leave the row out; {_FILL}."),
    (
        r"[+-]?(nan|inf|infinity)",
        f"expected a finite number: fill it in, or leave the row out; {_FILL}.",
    ),
    (r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", "expected a number that fits a float64."),
    (
        r"[+-]?[0-9]+([.,][0-9]+)+",
        "expected a number{hint} remove the separators of thousands, or read the column as "
        "categories: --schema {name}:category.",
    ),
    (
        r".*",
        "expected a number: encode the column as numbers, or tell what it holds: "
        "--schema {name}:category; if the cell is missing: --missing {word}.",
    ),
)

_SWAPPED = str.maketrans(",.", ".,")


def explain_number(content: bytes, name: str, mark: str = ".", is_free: bool = False) -> str:
    """Return what is wrong with a cell of a column of numbers, and what to do.

    Parameters
    ----------
    content : bytes
        The cell.
    name : str
        The column.
    mark : {".", ","}, default "."
        The mark before decimals.
    is_free : bool, default False
        Whether the comma could be that mark: it does not separate columns.

    Examples
    --------
    >>> explain_number(b"1e999", "size")
    "column 'size': found '1e999', expected a number that fits a float64."
    """
    word = content.decode("utf-8", "backslashreplace").lower()
    if mark == ",":
        word, hint = word.translate(_SWAPPED), " with a comma before its decimals:"
    else:
        hint = "; --decimal ',' reads a comma before decimals; else" if is_free else ":"
    reason = next(
        message for pattern, message in _REASONS if re.fullmatch(pattern, word, re.DOTALL)
    )
    token = quote_token(content)
    problem = f"column {name!r}: found {token if content else 'nothing'}"
    return f"{problem}, {reason.format(name=name, word=token, hint=hint)}"
