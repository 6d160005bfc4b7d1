"""Hashed n-grams of texts: words and letters, cut as scikit-learn's vectorizers do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

from rosenblatt.engine.text.hashing import SparseRows, murmur3_many, sort_and_sum
from rosenblatt.streams.core.batch import CSRArrays, csr, row_starts, stack_rows
from rosenblatt.streams.core.hashed_names import HashedNames
from rosenblatt.streams.core.options import parse_ngram_spec
from rosenblatt.utils.arrays import NDArray

DEFAULT_NGRAMS = ("word:1-2",)
"""The default for texts: words, and pairs of words."""

MAX_LETTERS = 1 << 19
"""Longer texts are cut, to bound the memory."""

_GROUP_LETTERS = 1 << 18  # hashed at a time: n-grams take a hundred times the memory of letters


class NgramHasher:
    r"""Hashed n-grams of texts, as from scikit-learn's ``HashingVectorizer``.

    A text is normalised to Unicode's form NFKC and lower case. Each distinct n-gram, like a
    category, is a feature of value 1, hashed to one of 2^bits columns; neither its count nor the
    length of the text matters (``binary=True, norm=None``). Updates add whole rows to the weights,
    so a word repeated ten times should not change them ten times as much: on mail and on SMS the
    error is about half of that with counts of norm one. Several specs share the columns, and their
    rows are added. Only the first 2^19 letters of a text count.

    Parameters
    ----------
    specs : sequence of str
        Each is ``word:N``, ``char:N`` or ``char_wb:N``, where N is a number from 1 to 9 or a range
        such as ``1-2``: sequences of N words, each of two letters at least; of N letters; of N
        letters within words.
    bits : int
        From 1 to 30.
    names : HashedNames, optional
        Records the n-grams; their hashes have no sign.

    Raises
    ------
    ValueError
        A spec is malformed.

    Examples
    --------
    >>> rows = NgramHasher(["word:1-2"], bits=18).rows(["Win, win a prize!", "prize", "?"])
    >>> rows.shape, np.diff(rows.indptr).tolist()  # win, prize, win win, win prize
    ((3, 262144), [4, 1, 0])
    """

    def __init__(self, specs: Sequence[str], bits: int, names: HashedNames | None = None) -> None:
        self._bits, self._names = bits, names
        self._specs = [parse_ngram_spec(spec) for spec in specs]

    def rows(self, texts: list[str]) -> CSRArrays:
        """Hash the n-grams of each text into a row.

        Parameters
        ----------
        texts : list of str

        Returns
        -------
        CSRArrays of shape (len(texts), 2**bits), float64
        """
        groups = [*_groups([normalise(text) for text in texts])] or [[]]
        return stack_rows(
            [
                add_rows([self._hash_texts(*spec, group) for spec in self._specs], self._bits)
                for group in groups
            ]
        )

    def _hash_texts(self, kind: str, sizes: tuple[int, int], texts: list[str]) -> CSRArrays:
        """Return the rows of a group of texts for one spec."""
        hashes = [self._hash_ngrams(ANALYSERS[kind](text, *sizes)) for text in texts]
        columns = np.concatenate([np.empty(0, np.int32), *hashes])
        indptr = np.cumsum([0, *map(len, hashes)])
        rows = sort_and_sum(SparseRows(columns, np.ones(len(columns)), indptr), self._bits)
        rows.data.fill(1.0)
        return csr(rows.data, rows.columns, rows.indptr, 1 << self._bits)

    def _hash_ngrams(self, ngrams: list[str]) -> NDArray[np.int32]:
        """Return the hashes without their signs, modulo 2^31, which leaves the columns the same."""
        signed = murmur3_many([ngram.encode() for ngram in ngrams])
        hashes = (np.abs(signed.astype(np.int64)) & 0x7FFFFFFF).astype(np.int32)
        if self._names is not None:
            self._names.note(hashes, ngrams, self._bits)
        return hashes


def add_rows(parts: Sequence[CSRArrays], bits: int) -> CSRArrays:
    """Return the sum of matrices of 2^bits columns; entries that add up to 0 are left out.

    Examples
    --------
    >>> X = csr(np.array([1.0, -1.0]), np.array([0, 1], np.int32), np.array([0, 1, 2]), 2)
    >>> Y = csr(np.ones(2), np.array([1, 1], np.int32), np.array([0, 1, 2]), 2)
    >>> total = add_rows([X, Y], 1)
    >>> total.data.tolist(), total.indices.tolist(), total.indptr.tolist()
    ([1.0, 1.0], [0, 1], [0, 2, 2])
    """
    if len(parts) == 1:
        return parts[0]
    sizes = [np.diff(X.indptr) for X in parts]
    order = np.argsort(
        np.concatenate([np.repeat(np.arange(len(size)), size) for size in sizes]), kind="stable"
    )
    all_rows = SparseRows(
        np.concatenate([X.indices for X in parts])[order],
        np.concatenate([X.data for X in parts])[order],
        row_starts(np.sum(sizes, axis=0)),
    )
    columns, data, indptr = sort_and_sum(all_rows, bits)
    kept = data != 0.0
    return csr(data[kept], columns[kept], row_starts(kept)[indptr], 1 << bits)


def normalise(text: str) -> str:
    """Normalise a text to NFKC and lower case, and cut it after 2^19 letters.

    An unpaired surrogate becomes a question mark.

    Examples
    --------
    >>> normalise("ＦＲＥＥ ﬁre")
    'free fire'
    """
    prefix = text[:MAX_LETTERS].encode(errors="replace").decode()
    return unicodedata.normalize("NFKC", prefix).lower()[:MAX_LETTERS]


def _groups(texts: list[str]) -> Iterator[list[str]]:
    """Cut the texts into groups of a bounded number of letters."""
    group: list[str] = []
    letters = 0
    for text in texts:
        group.append(text)
        letters += len(text)
        if letters >= _GROUP_LETTERS:
            yield group
            group, letters = [], 0
    if group:
        yield group


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
