"""
A part-of-speech tagger
=======================
Run: python examples/applications/tagger.py TRAIN.conllu TEST.conllu (or .conllu.xz). A greedy
averaged perceptron (Collins 2002) predicts the tag of a word from the word, its neighbours and the
two tags before it; all first words of sentences are tagged at once, then all second ones.
"""  # noqa: D205, D400

from __future__ import annotations

import lzma
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from rosenblatt import Perceptron

Sentence = Sequence[str]
PAD = "\n"  # the words before and after a sentence


def read(path: str) -> tuple[list[Sentence], list[Sentence]]:
    """Return the sentences of a CoNLL-U file, and their universal tags."""
    opened = lzma.open if Path(path).suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        blocks = file.read().strip().split("\n\n")
    tokens = [[line.split("\t") for line in block.split("\n")] for block in blocks]
    words = [[t[1] for t in sentence if t[0].isdigit()] for sentence in tokens]
    return words, [[t[3] for t in sentence if t[0].isdigit()] for sentence in tokens]


def shape(word: str) -> str:
    """Return the kinds of the first character of a word and of the last two."""
    ends = word[0] + word[-2:]
    return "".join("X" if c.isupper() else "x" if c.islower() else c for c in ends)


VIEWS = (str.lower, lambda w: w[-3:], lambda w: w[-2:], lambda w: w[:2], shape)
AT = ((0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, -1), (1, -1), (0, -2), (0, 1), (1, 1), (0, 2))
"""Each feature of the words: the number of a view, and how far from the word."""


class Tagger:
    """A greedy tagger, whose features are columns 0, 1, … of a sparse matrix."""

    def fit(self, sentences: list[Sentence], tags: list[Sentence], epochs: int = 5) -> Tagger:
        """Learn the tags; from the second epoch on, the tags before a word are predicted ones."""
        self.tags = sorted({*chain(*tags)})
        index = {tag: k for k, tag in enumerate(self.tags)}
        gold = np.array([index[tag] for tag in chain(*tags)])
        words = sorted({*chain(*sentences), PAD})
        self.codes = [{v: i for i, v in enumerate(sorted(set(map(f, words))))} for f in VIEWS]
        model = Perceptron(output="average", multi_class="joint", shuffle=False)
        rng, history, text = np.random.default_rng(0), gold, self._columns(sentences)
        for epoch in range(epochs):
            if epoch > 0:
                history = self._decode(sentences, text)
            columns = np.column_stack([text, self._tag_columns(text, *_before(sentences, history))])
            order = rng.permutation(len(gold))
            X = self._matrix(columns[order])
            model.partial_fit(X, gold[order], classes=np.arange(len(self.tags)))
            self.weights = np.ascontiguousarray(model.coef_.T)
            self.bias = model.intercept_
        return self

    def predict(self, sentences: list[Sentence]) -> list[list[str]]:
        """Return the tags of sentences."""
        found = iter(self._decode(sentences, self._columns(sentences)))
        return [[self.tags[next(found)] for _ in sentence] for sentence in sentences]

    def _columns(self, sentences: list[Sentence]) -> np.ndarray:
        """Return the columns of the features of the words, one row for each word.

        The last column of each feature is that of values that training did not have.
        """
        padded = [PAD, PAD, *chain.from_iterable((*s, PAD, PAD) for s in sentences)]
        number = {word: i for i, word in enumerate(dict.fromkeys(padded))}
        ids = np.array([number[word] for word in padded])
        inside = np.flatnonzero(ids != number[PAD])
        views = [
            np.array([codes.get(f(word), len(codes)) for word in number])
            for f, codes in zip(VIEWS, self.codes, strict=True)
        ]
        sizes = [len(self.codes[view]) + 1 for view, _ in AT]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        self.first_tag_column = int(starts[-1])
        features = [views[view][ids[inside + by]] for view, by in AT]
        return np.column_stack(features) + starts[:-1]

    def _tag_columns(self, text: np.ndarray, one: np.ndarray, two: np.ndarray) -> np.ndarray:
        """Return the columns of the features of the tags one and two words before."""
        K = len(self.tags) + 1
        first = self.first_tag_column
        pair = first + K + one * K + two
        word = first + K + K * K + one * (len(self.codes[0]) + 1) + text[:, 0]
        return np.column_stack([first + one, pair, word])

    def _matrix(self, columns: np.ndarray) -> sp.csr_array:
        n, entries = columns.shape
        K = len(self.tags) + 1
        width = self.first_tag_column + K + K * K + K * (len(self.codes[0]) + 1)
        parts = np.ones(columns.size), columns.ravel(), np.arange(n + 1) * entries
        return sp.csr_array(parts, shape=(n, width))

    def _decode(self, sentences: list[Sentence], text: np.ndarray) -> np.ndarray:
        """Tag all first words, then all second ones, and so on."""
        lengths = np.array([len(sentence) for sentence in sentences])
        starts = np.cumsum(lengths) - lengths
        fixed, K = self._scores(text), len(self.tags)
        found = np.full(lengths.sum(), K)
        one = two = np.full(len(sentences), K)
        for position in range(lengths.max(initial=0)):
            alive = np.flatnonzero(lengths > position)
            words = starts[alive] + position
            columns = self._tag_columns(text[words], one[alive], two[alive])
            tags = (fixed[words] + self._scores(columns)).argmax(axis=1)
            two, one = one, one.copy()
            one[alive] = found[words] = tags
        return found

    def _scores(self, columns: np.ndarray) -> np.ndarray:
        """Return the sums of the weights in these columns; the intercept counts in the words'."""
        total = self.bias if columns.shape[1] == len(AT) else 0.0
        return sum((self.weights[column] for column in columns.T), total)


def _before(sentences: list[Sentence], tags: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the tags one and two words before each word; their number before a sentence."""
    position = np.concatenate([np.arange(len(sentence)) for sentence in sentences])
    for back in (1, 2):
        yield np.where(position >= back, np.roll(tags, back), tags.max() + 1)


if __name__ == "__main__":
    (train, gold), (test, wanted) = map(read, sys.argv[1:3])
    start = time.perf_counter()
    tagger = Tagger().fit(train, gold)
    learned = time.perf_counter()
    found = tagger.predict(test)
    tagged = time.perf_counter()
    right = [a == b for a, b in zip(chain(*found), chain(*wanted), strict=True)]
    print(
        f"trained in {learned - start:.1f} s, tagged {len(right) / (tagged - learned):,.0f} words/s"
    )
    print(f"{100 * np.mean(right):.2f} % of {len(right):,} words right")
