"""A C99 file that scores raw rows, without allocation and without any other file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.exports.format import ExportOptions, Format

if TYPE_CHECKING:
    from rosenblatt.exports.terms import Plan


def write(plan: Plan, options: ExportOptions) -> bytes:
    """Return the file: how to call it, its declarations, the model as constants, and functions.

    Raises
    ------
    CannotExport
        It has too many weights, columns or products of hashed names, rows of JSON lines, or a text
        that no literal of C holds.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.exports.plan import read_plan
    >>> plan = read_plan(Perceptron().fit([[0.0], [1.0]], ["no", "yes"]))
    >>> write(plan, ExportOptions()).decode().splitlines()[-1]
    '#endif /* MODEL_DECLARATIONS */'
    """
    from rosenblatt.exports.code.c99 import source_of

    return source_of(plan).encode()


FORMAT = Format(
    name="c",
    suffix=".c",
    title="a C99 file without dependency and without allocation",
    limits="dates, more than 4,194,304 weights, rows of JSON lines",
    write=write,
    rank=4,
)
