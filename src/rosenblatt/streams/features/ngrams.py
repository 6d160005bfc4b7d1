"""Hashed n-grams of texts: words and letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.streams.core.batch import csr
from rosenblatt.streams.core.options import parse_ngram_spec
from rosenblatt.streams.features.tokens import ANALYSERS
from rosenblatt.utils.arrays import NDArray

if TYPE_CHECKING:
    from rosenblatt.streams.core.hashed_names import HashedNames


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
    >>> rows.shape, rows.sum(axis=1).tolist()  # win, prize, win win, win prize
    ((3, 262144), [4.0, 1.0, 0.0])
    """

    def __init__(self, specs: Sequence[str], bits: int, names: HashedNames | None = None) -> None:
        self._bits, self._names = bits, names
        self._specs = [parse_ngram_spec(spec) for spec in specs]

    def rows(self, texts: list[str]) -> Any:
        """Hash the n-grams of each text into a row.

        Parameters
        ----------
        texts : list of str

        Returns
        -------
        csr_array of shape (len(texts), 2**bits), float64
        """
        import scipy.sparse as sp

        parts = [
            sum(self._hash_texts(*spec, group) for spec in self._specs)
            for group in _groups([normalise(text) for text in texts])
        ]
        if not parts:
            return sp.csr_array((0, 1 << self._bits))
        return sp.csr_array(sp.vstack(parts, "csr"))

    def _hash_texts(self, kind: str, sizes: tuple[int, int], texts: list[str]) -> Any:
        """Return the rows of a group of texts for one spec."""
        from rosenblatt.engine.text.hashed_rows import SparseRows, sort_and_sum

        hashes = [self._hash_ngrams(ANALYSERS[kind](text, *sizes)) for text in texts]
        columns, indptr = np.concatenate(hashes), np.cumsum([0, *map(len, hashes)])
        rows = sort_and_sum(SparseRows(columns, np.ones(len(columns)), indptr), self._bits)
        rows.data.fill(1.0)
        return csr(rows.data, rows.columns, rows.indptr, 1 << self._bits).tocsr()

    def _hash_ngrams(self, ngrams: list[str]) -> NDArray[np.int32]:
        """Return the hashes without their signs, modulo 2^31, which leaves the columns the same."""
        from rosenblatt.engine.text.murmur import murmur3_many

        signed = murmur3_many([ngram.encode() for ngram in ngrams])
        hashes = (np.abs(signed.astype(np.int64)) & 0x7FFFFFFF).astype(np.int32)
        if self._names is not None:
            self._names.note(hashes, ngrams, self._bits)
        return hashes


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
