"""N-grams equal those of scikit-learn's vectorizers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer

from rosenblatt.streams.features.tokens import ANALYSERS

TEXTS = st.text(st.sampled_from("abcß_1 \t\n\u00a0-!é人"), max_size=30) | st.text(max_size=30)


@pytest.mark.parametrize("kind", ANALYSERS)
@settings(max_examples=200, deadline=None)
@given(text=TEXTS, least=st.integers(1, 5), more=st.integers(0, 4))
def test_ngrams_equal_scikit_learns(kind, text, least, more):
    sizes = least, least + more
    vectorizer = HashingVectorizer(analyzer=kind, ngram_range=sizes, preprocessor=str)
    assert ANALYSERS[kind](text, *sizes) == vectorizer.build_analyzer()(text)
