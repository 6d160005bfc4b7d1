"""N-grams of words and of letters, as scikit-learn's vectorizers cut them."""

from __future__ import annotations

import re

_WORD = re.compile(r"\b\w\w+\b")
_BLANKS = re.compile(r"\s\s+")


def word_ngrams(text: str, least: int, largest: int) -> list[str]:
    """Return the sequences of ``least`` to ``largest`` words of two letters or digits at least.

    Examples
    --------
    >>> word_ngrams("win a free prize", 1, 2)
    ['win', 'free', 'prize', 'win free', 'free prize']
    """
    words = _WORD.findall(text)
    return [
        " ".join(words[i : i + n])
        for n in range(least, min(largest, len(words)) + 1)
        for i in range(len(words) - n + 1)
    ]


def char_ngrams(text: str, least: int, largest: int) -> list[str]:
    """Return the sequences of ``least`` to ``largest`` letters; several blanks count as one.

    Examples
    --------
    >>> char_ngrams("a  be", 2, 3)
    ['a ', ' b', 'be', 'a b', ' be']
    """
    letters = _BLANKS.sub(" ", text)
    return [
        letters[i : i + n]
        for n in range(least, min(largest, len(letters)) + 1)
        for i in range(len(letters) - n + 1)
    ]


def char_wb_ngrams(text: str, least: int, largest: int) -> list[str]:
    """Return the sequences of letters within words, each word with a blank at both ends.

    A word that is shorter than the shortest sequence counts once, whole.

    Examples
    --------
    >>> char_wb_ngrams("to be", 3, 5)
    [' to', 'to ', ' to ', ' be', 'be ', ' be ']
    """
    ngrams = []
    for word in text.split():
        padded = f" {word} "
        for n in range(least, largest + 1):
            ngrams += [padded[i : i + n] for i in range(max(1, len(padded) - n + 1))]
            if n >= len(padded):
                break
    return ngrams


ANALYSERS = {"word": word_ngrams, "char": char_ngrams, "char_wb": char_wb_ngrams}
"""The function of each kind of n-gram."""
