"""Counts, labels, lists of them and options as words of a sentence."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence

CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
"""Control characters, line ends, and changes of the direction of writing."""

_MAX_CELL = 40  # letters that a message shows of a cell
_ESCAPED = re.compile(r"[^ -~]|['\\]")  # between $' and '
_WORD = re.compile(r'\s*"([^"]*(?:""[^"]*)*)"([^,]*),|([^,]*),')  # quoted, the rest; or plain


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


def missing_option(cell: str) -> str:
    """Return the option that reads such a cell as a missing one; a long cell is not written.

    Examples
    --------
    >>> missing_option("none."), missing_option("not known"), missing_option(100 * "a")
    ("--missing 'none.'", "--missing 'not known'", '--missing WORD')
    """
    if len(cell) > _MAX_CELL:
        return "--missing WORD"
    value = option_value([cell])
    return f"--missing '{value}'" if value == cell else f"--missing {value}"  # a full stop follows


def option_value(words: Sequence[str]) -> str:
    """Write words as one value of an option, with commas between them, as a shell takes it.

    Examples
    --------
    >>> option_value(["size:skip"]), option_value(["size (mm):skip"])
    ('size:skip', "'size (mm):skip'")
    >>> print(option_value(["size, net:skip", "size:skip"]))
    '"size, net:skip",size:skip'
    """
    return shell_words([",".join(map(_quoted, words))])


def _quoted(word: str) -> str:
    """Return a word in double quotes, if it has a comma, or would be read as another without."""
    is_plain = word == word.strip() and word[:1] != '"' and "," not in word
    return word if is_plain else '"' + word.replace('"', '""') + '"'


def option_words(text: str) -> list[str]:
    """Split the value of an option at its commas; what is in double quotes may contain some.

    Other quotes than those at the start of a word are letters, and so are those that never close.

    Examples
    --------
    >>> option_words('"size, net:skip", "a,b":skip, 5" pipe')
    ['size, net:skip', 'a,b:skip', '5" pipe']
    """
    return [
        plain.strip() or quoted.replace('""', '"') + rest.strip()
        for quoted, rest, plain in _WORD.findall(f"{text},")
    ]


def shell_words(words: Sequence[str]) -> str:
    r"""Return words as a shell reads them; control characters are escaped, as bash and zsh do.

    Examples
    --------
    >>> print(shell_words(["train", "my mail's.csv", "a\x1bb"]))
    train 'my mail'"'"'s.csv' $'a\x1bb'
    """
    return " ".join(map(_shell_word, words))


def file_word(path: str) -> str:
    """Return a path as an argument, which no dash makes an option; a dash alone is no file.

    Examples
    --------
    >>> file_word("a.csv"), file_word("-a.csv"), file_word("-")
    ('a.csv', './-a.csv', '-')
    """
    return f"./{path}" if path.startswith("-") and path != "-" else path


def _shell_word(word: str) -> str:
    """Return a word as :func:`shell_words` does."""

    def escaped(match: re.Match[str]) -> str:
        char = match[0]
        return f"\\{char}" if char in "'\\" else "".join(f"\\x{b:02x}" for b in os.fsencode(char))

    return f"$'{_ESCAPED.sub(escaped, word)}'" if CONTROLS.search(word) else shlex.quote(word)
