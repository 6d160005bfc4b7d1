"""Texts become rows: hashed n-grams of words and of letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

DEFAULT = ("word:1-2",)
"""Where a text is to be read and nobody said how: its words, and its pairs of words."""

MOST_LETTERS = 1 << 19
"""What a text has beyond so many letters does not count: memory stays bounded."""

_SPEC = re.compile(r"(word|char|char_wb):([1-9])(?:-([1-9]))?")
_AT_A_TIME = 1 << 18  # letters: their grams take a hundred times their memory for a moment


class Grams:
    r"""Hashed n-grams of texts, those of scikit-learn's ``HashingVectorizer``.

    A text is normalised first, by Unicode's form NFKC, and brought to lower case. Like a category,
    each n-gram that it has is a feature of the value 1, hashed to one of 2^bits columns: how often
    it occurs does not count, nor how long the text is (``binary=True, norm=None``). A learner that
    moves along whole rows should not move ten times as far for a word that is shouted ten times;
    on mail and on SMS it is wrong about half as often as on counts of norm one. Several specs share
    the columns, and their rows are added up. Only the first 2^19 letters of a text count.

    Parameters
    ----------
    specs : sequence of str
        Each is ``word:N``, ``char:N`` or ``char_wb:N``, where N is a number, or a range such as
        ``1-2``, from 1 to 9: sequences of so many words, of two letters at least; of letters; of
        letters within words.
    bits : int
        From 1 to 30.

    Raises
    ------
    ValueError
        A spec that there is not.

    Examples
    --------
    >>> rows = Grams(["word:1-2"], bits=18).rows(["Win, win a prize!", "prize", "?"])
    >>> rows.shape, rows.sum(axis=1).tolist()  # win, prize, win win, win prize
    ((3, 262144), [4.0, 1.0, 0.0])
    """

    def __init__(self, specs: Sequence[str], bits: int) -> None:
        if specs:
            from sklearn.feature_extraction.text import HashingVectorizer

        self._width = 1 << bits
        self._vectorisers = [
            HashingVectorizer(
                analyzer=kind,
                ngram_range=sizes,
                n_features=self._width,
                preprocessor=normalised,
                binary=True,
                norm=None,
            )
            for kind, sizes in map(parsed, specs)
        ]

    def rows(self, texts: list[str]) -> Any:
        """A row for every text.

        Parameters
        ----------
        texts : list of str

        Returns
        -------
        csr_array of shape (len(texts), 2**bits), float64
        """
        import scipy.sparse as sp

        parts = [sum(v.transform(some) for v in self._vectorisers) for some in _groups(texts)]
        if not parts:
            return sp.csr_array((0, self._width))
        return sp.csr_array(sp.vstack(parts, "csr"))


def normalised(text: str) -> str:
    """A text as its n-grams are taken from: NFKC, in lower case, its first letters.

    Half of a pair of surrogates, which is no letter, becomes a question mark.

    Examples
    --------
    >>> normalised("ＦＲＥＥ ﬁre")
    'free fire'
    """
    whole = text[:MOST_LETTERS].encode(errors="replace").decode()
    return unicodedata.normalize("NFKC", whole).lower()[:MOST_LETTERS]


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


def _groups(texts: list[str]) -> Iterator[list[str]]:
    """The texts, some at a time."""
    group: list[str] = []
    letters = 0
    for text in texts:
        group.append(text)
        letters += len(text)
        if letters >= _AT_A_TIME:
            yield group
            group, letters = [], 0
    if group:
        yield group
