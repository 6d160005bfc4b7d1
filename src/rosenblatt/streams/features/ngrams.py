"""Texts become rows: hashed n-grams of words and of letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.core.options import parse_ngram_spec

if TYPE_CHECKING:
    from rosenblatt.streams.core.hashed_names import HashedNames


DEFAULT_NGRAMS = ("word:1-2",)
"""Where a text is to be read and nobody said how: its words, and its pairs of words."""

MAX_LETTERS = 1 << 19
"""What a text has beyond so many letters does not count: memory stays bounded."""
_GROUP_LETTERS = 1 << 18  # letters: their grams take a hundred times their memory for a moment


class NgramHasher:
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
    names : HashedNames, optional
        Takes the n-grams as they are met; they count with no sign.

    Raises
    ------
    ValueError
        A spec that there is not.

    Examples
    --------
    >>> rows = NgramHasher(["word:1-2"], bits=18).rows(["Win, win a prize!", "prize", "?"])
    >>> rows.shape, rows.sum(axis=1).tolist()  # win, prize, win win, win prize
    ((3, 262144), [4.0, 1.0, 0.0])
    """

    def __init__(self, specs: Sequence[str], bits: int, names: HashedNames | None = None) -> None:
        if specs:
            from sklearn.feature_extraction.text import HashingVectorizer

        self._bits, self._names = bits, names
        self._analysers = [
            HashingVectorizer(
                analyzer=kind, ngram_range=sizes, preprocessor=normalise
            ).build_analyzer()
            for kind, sizes in map(parse_ngram_spec, specs)
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

        parts = [
            sum(self._hash_texts(analyser, group) for analyser in self._analysers)
            for group in _groups(texts)
        ]
        if not parts:
            return sp.csr_array((0, 1 << self._bits))
        return sp.csr_array(sp.vstack(parts, "csr"))

    def _hash_texts(self, analyser: Callable[[str], list[str]], texts: list[str]) -> Any:
        """The rows of some texts."""
        from rosenblatt.engine.text.hashed_rows import SparseRows, sort_and_sum
        from rosenblatt.streams.core.batch import csr

        hashes = [self._hash_ngrams(analyser(text)) for text in texts]
        columns, indptr = np.concatenate(hashes), np.cumsum([0, *map(len, hashes)])
        rows = sort_and_sum(SparseRows(columns, np.ones(len(columns)), indptr), self._bits)
        rows.data.fill(1.0)
        return csr(rows.data, rows.columns, rows.indptr, 1 << self._bits)

    def _hash_ngrams(self, grams: list[str]) -> NDArray[np.int32]:
        """The hashes without their signs, modulo 2^31: the columns are the same."""
        from rosenblatt.engine.text.murmur import murmur3_many

        signed = murmur3_many([gram.encode() for gram in grams])
        hashes = (np.abs(signed.astype(np.int64)) & 0x7FFFFFFF).astype(np.int32)
        if self._names is not None:
            self._names.note(hashes, grams, self._bits)
        return hashes


def normalise(text: str) -> str:
    """A text as its n-grams are taken from: NFKC, in lower case, its first letters.

    Half of a pair of surrogates, which is no letter, becomes a question mark.

    Examples
    --------
    >>> normalise("ＦＲＥＥ ﬁre")
    'free fire'
    """
    prefix = text[:MAX_LETTERS].encode(errors="replace").decode()
    return unicodedata.normalize("NFKC", prefix).lower()[:MAX_LETTERS]


def _groups(texts: list[str]) -> Iterator[list[str]]:
    """The texts, some at a time."""
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
