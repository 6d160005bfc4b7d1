"""Texts in C: literals, names of fields, and comments that nothing ends early."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from rosenblatt.exports.terms import CannotExport

_MOST_BYTES = 4095  # of a literal, in C99

# Words that no field may be: of C and C++, and macros that compilers define in lower case.
_TAKEN = frozenset(
    """
    alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char class
    compl complex concept const constexpr continue decltype default delete do double else
    enum errno explicit export extern false far float for friend goto i386 if imaginary
    inline int linux long mutable namespace near new noexcept not not_eq null nullptr
    operator or or_eq private protected public register requires restrict return short
    signed sizeof sparc static stderr stdin stdout struct sun switch template this
    thread_local throw true try typedef typeid typename typeof union unix unsigned using
    virtual void volatile vax wchar_t while xor xor_eq
    """.split()  # noqa: SIM905
)


def literal(text: str) -> str:
    r"""Return a literal of the UTF-8 of a text; all but letters, digits and blanks is octal.

    Raises
    ------
    CannotExport
        It is longer than C99 allows.

    Examples
    --------
    >>> print(literal('a "b"?'))
    "a \042b\042\077"
    """
    raw = text.encode()
    if len(raw) > _MOST_BYTES:
        raise CannotExport(
            f"the text {text[:20]!r}… has {len(raw):,} bytes, and a literal of C99 has at most "
            f"{_MOST_BYTES:,}."
        )
    return '"' + "".join(map(_octal, raw)) + '"'


def _octal(byte: int) -> str:
    letter = chr(byte)
    return letter if byte < 128 and (letter.isalnum() or letter in " _.,=-") else f"\\{byte:03o}"


def word(text: str) -> str:
    r"""Return an initialiser of ``struct word``.

    Examples
    --------
    >>> print(word("a\0b"))
    {"a\000b", 3}
    """
    return f"{{{literal(text)}, {len(text.encode())}}}"


def comment(text: str) -> str:
    r"""Return a text in quotes that does not end, or begin, a comment.

    Examples
    --------
    >>> print(comment("a */ b"))
    "a *\u002f b"
    """
    shown = json.dumps(text if len(text) <= 60 else f"{text[:59]}…")
    return shown.replace("/", "\\u002f").replace("?", "\\u003f")


def field_names(names: Iterable[str]) -> list[str]:
    """Return a distinct name of a field for each column.

    Examples
    --------
    >>> field_names(["petal length", "Petal-Length", "int", "2nd", "größe", ""])
    ['petal_length', 'petal_length_2', 'int_', 'c_2nd', 'gr_e', 'c']
    """
    last: dict[str, int] = {}  # of each name that is taken, the last number behind it
    for name in names:
        field = re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")[:60].rstrip("_")
        if not field or field[0].isdigit():
            field = f"c_{field}".rstrip("_")
        if field in _TAKEN:
            field += "_"
        distinct = field
        while distinct in last:
            last[field] += 1
            distinct = f"{field}_{last[field]}"
        last[distinct] = 1
    return list(last)
