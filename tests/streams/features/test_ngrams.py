"""Hashed n-grams of texts."""

import re
import unicodedata
from itertools import chain

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from profiles import thorough
from scipy.sparse import csr_array
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils import murmurhash3_32

from rosenblatt.engine.text.hashing import SparseRows
from rosenblatt.streams import open_stream
from rosenblatt.streams.core.options import ReadOptions, parse_ngram_spec
from rosenblatt.streams.features.hashing_encoder import HashingEncoder
from rosenblatt.streams.features.ngrams import ANALYSERS, MAX_LETTERS, NgramHasher, normalise
from rosenblatt.streams.formats.json_rows import text_keys

TEXTS = ["Win a PRIZE, win!", "see you at noon", "", "naïve café", "a b c", "x" * 40]


def same(X, Y):
    """Whether two sparse matrices are the same to the bit."""
    assert X.shape == Y.shape
    assert X.has_sorted_indices
    X, Y = X.copy(), Y.copy()
    for rows in (X, Y):
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return all(np.array_equal(getattr(X, k), getattr(Y, k)) for k in ("indptr", "indices", "data"))


@pytest.mark.parametrize("bits", [1, 8, 18])
@pytest.mark.parametrize(
    ("spec", "kind", "sizes"),
    [
        ("word:1", "word", (1, 1)),
        ("word:1-2", "word", (1, 2)),
        ("word:2-3", "word", (2, 3)),
        ("char:3-5", "char", (3, 5)),
        ("char_wb:3-5", "char_wb", (3, 5)),
    ],
)
def test_one_spec_is_scikit_learns_vectoriser(spec, kind, sizes, bits):
    theirs = HashingVectorizer(
        analyzer=kind, ngram_range=sizes, n_features=2**bits, binary=True, norm=None
    )
    assert same(NgramHasher([spec], bits).rows(TEXTS).tocsr(), theirs.transform(TEXTS))


def twin(text, sizes, bits):
    """The columns of a row of words, each a one, in a few lines of Python."""
    words = re.findall(r"\b\w\w+\b", unicodedata.normalize("NFKC", text).lower())
    grams = {" ".join(words[k : k + n]) for n in sizes for k in range(len(words) - n + 1)}
    return sorted({abs(murmurhash3_32(gram)) % 2**bits for gram in grams})


@thorough(100)
@given(st.lists(st.text("ab ﬁÀ.\n0", max_size=20), max_size=5), st.integers(1, 20))
def test_ngrams_of_words_match_the_twin(texts, bits):
    rows = NgramHasher(["word:1-2"], bits).rows(texts).tocsr()
    assert rows.shape == (len(texts), 2**bits)
    assert [row.tolist() for row in np.split(rows.indices, rows.indptr[1:-1])][: len(texts)] == [
        twin(text, (1, 2), bits) for text in texts
    ]
    assert set(rows.data.tolist()) <= {1.0}


@settings(deadline=None)
@given(st.text(st.characters()))  # halves of surrogates, too
@example("\ud800 \udfff")
def test_any_text_has_a_row_of_ones(text):
    row = NgramHasher(["char:1-3"], 30).rows([text]).tocsr()
    assert set(row.data.tolist()) <= {1.0}
    assert (row.nnz == 0) == (normalise(text) == "")


def test_rows_of_several_specs_are_added():
    apart = [NgramHasher([spec], 12).rows(TEXTS).tocsr() for spec in ("word:1-2", "char:3-5")]
    assert same(NgramHasher(["word:1-2", "char:3-5"], 12).rows(TEXTS).tocsr(), apart[0] + apart[1])


def test_unicode_is_normalised():
    ways = ["CAFÉ ﬁre", "Cafe\u0301 fire", "ｃａｆé ﬁRE"]
    rows = NgramHasher(["word:1", "char:2"], 18).rows(ways).tocsr()
    assert same(rows[[0]], rows[[1]])
    assert same(rows[[0]], rows[[2]])


def test_rows_do_not_depend_on_the_batches():
    texts = [f"text {k} " * 9000 for k in range(12)]
    grams = NgramHasher(["word:1-2"], 10)
    together = grams.rows(texts).tocsr()
    assert all(same(together[[k]], grams.rows([text]).tocsr()) for k, text in enumerate(texts))


def test_long_texts_are_cut():
    grams = NgramHasher(["word:1"], 18)
    start = ("word " * MAX_LETTERS)[:MAX_LETTERS]
    assert same(grams.rows([start + " beyond" * 99]).tocsr(), grams.rows([start]).tocsr())
    assert len(normalise("ﷺ" * (MAX_LETTERS // 9))) == MAX_LETTERS  # each is eighteen letters


def test_malformed_specs_are_refused():
    assert parse_ngram_spec("char_wb:2-9") == ("char_wb", (2, 9))
    for spec in ("word", "word:", "word:0", "word:2-1", "word:1-10", "words:1", "word:1 ", ""):
        with pytest.raises(ValueError, match=r"^text must be word:N.*; got '" + spec):
            parse_ngram_spec(spec)
        with pytest.raises(ValueError, match="text must be"):
            open_stream("none.jsonl", text=["word:1", spec])


# --- names, hashed -------------------------------------------------------------------------------


names = st.text("abc=.é", max_size=3)


@settings(deadline=None)
@given(st.lists(st.dictionaries(names, st.integers(-9, 9), max_size=4), max_size=4), st.data())
def test_names_are_hashed_as_in_scikit_learn(rows, data):
    bits = data.draw(st.integers(1, 30))
    every = sorted({name for row in rows for name in row})
    places = [[every.index(name) for name in row] for row in rows]
    entries = SparseRows(
        np.array(list(chain(*places)), np.int32),
        np.array([float(x) for row in rows for x in row.values()]),
        np.cumsum([0, *map(len, rows)]),
    )
    theirs = FeatureHasher(2**bits, input_type="dict").transform(rows or [{}])[: len(rows)]
    assert same(
        HashingEncoder("demo", ReadOptions(), bits).rows(entries, every, 0).tocsr(),
        csr_array(theirs),
    )


def test_text_keys():
    rows = [
        {
            "a": "one two three",
            "b": "one two",
            "c": 3,
            "d": ["x y", "one two three four"],
            "e": None,
        },
        {"a": "four five six seven", "b": "one two", "in": [{"f": "one two three"}]},
        {"b": "x"},
    ]
    assert text_keys(rows) == ["a", "d", "in.0.f"]
    assert text_keys([]) == []


ANY_TEXTS = st.text(st.sampled_from("abcß_1 \t\n\u00a0-!é人"), max_size=30) | st.text(max_size=30)


@pytest.mark.parametrize("kind", ANALYSERS)
@thorough(200)
@given(text=ANY_TEXTS, least=st.integers(1, 5), more=st.integers(0, 4))
def test_ngrams_equal_scikit_learns(kind, text, least, more):
    sizes = least, least + more
    vectorizer = HashingVectorizer(analyzer=kind, ngram_range=sizes, preprocessor=str)
    assert ANALYSERS[kind](text, *sizes) == vectorizer.build_analyzer()(text)
