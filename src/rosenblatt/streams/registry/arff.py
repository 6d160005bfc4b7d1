"""ARFF, the tables of Weka: the columns are declared before the rows."""

from __future__ import annotations

import re

from rosenblatt.streams.core.format import TABLE_OPTIONS, Format, late


def begins(line: bytes, rows: list[bytes]) -> bool:
    """Return whether the first line that is no comment names the relation.

    Examples
    --------
    >>> begins(b"% a comment", [b"@RELATION iris"]), begins(b"a,b", [b"a,b"])
    (True, False)
    """
    return bool(rows) and re.match(rb"@relation\s", rows[0], re.IGNORECASE) is not None


FORMATS = (
    Format(
        name="arff",
        title="an ARFF table",
        contents="ARFF, tables of Weka: the kinds of columns are declared",
        page="arff",
        options=TABLE_OPTIONS,
        rank=35,
        suffixes=(".arff",),
        begins=begins,
        open_lines=late("formats.arff", "ArffStream"),
    ),
)
