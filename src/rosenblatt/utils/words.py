"""Counts, labels, lists of them and options as words of a sentence."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

_WORD = re.compile(r'(?:^|,)\s*(?:"((?:[^"]|"")*)")?([^,]*)')  # what is quoted, and the rest


def count(number: float, word: str = "") -> str:
    """Format a number with its noun, in the plural unless the number is 1.

    Examples
    --------
    >>> count(1797, "example"), count(1, "pass"), count(2, "pass")
    ('1,797 examples', '1 pass', '2 passes')
    """
    if word and number != 1:
        word += "es" if word.endswith("s") else "s"
    digits = f"{number:,}" if isinstance(number, int) else f"{number:,.0f}"
    return f"{digits} {word}".rstrip()


def label(value: object) -> str:
    """Format a label; integral numbers have no decimal point.

    Examples
    --------
    >>> label(1.0), label(-1), label("spam"), label(0.5)
    ('1', '-1', 'spam', '0.5')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def listing(values: Sequence[object], most: int = 12) -> str:
    """Format the first values of a sequence, and the length if there are more.

    Examples
    --------
    >>> listing(["a", "b", "c"]), listing(list(range(30)), most=3)
    ('a, b, c', '0, 1, 2, … (30)')
    """
    shown = ", ".join(label(value) for value in values[:most])
    return shown if len(values) <= most else f"{shown}, … ({len(values):,})"


def schema_option(column: str, kind: str) -> str:
    """Return the option that sets the kind of a column, as a shell takes it.

    Examples
    --------
    >>> schema_option("zip", "category"), schema_option("price (EUR)", "skip")
    ('--schema zip:category', "--schema 'price (EUR):skip'")
    """
    return f"--schema {option_value([f'{column}:{kind}'])}"


def option_value(words: Sequence[str]) -> str:
    """Write words as one value of an option, with commas between them, as a shell takes it.

    Examples
    --------
    >>> option_value(["size:skip"]), option_value(["size (mm):skip"])
    ('size:skip', "'size (mm):skip'")
    >>> print(option_value(["size, net:skip", "size:skip"]))
    '"size, net:skip",size:skip'
    """
    quoted = [
        '"{}"'.format(word.replace('"', '""')) if "," in word or word.startswith('"') else word
        for word in words
    ]
    return shlex.quote(",".join(quoted))


def option_words(text: str) -> list[str]:
    """Split the value of an option at its commas; a word in double quotes may contain some.

    Examples
    --------
    >>> option_words('"size, net:skip", size:skip')
    ['size, net:skip', 'size:skip']
    """
    return [((word[1] or "").replace('""', '"') + word[2]).strip() for word in _WORD.finditer(text)]
