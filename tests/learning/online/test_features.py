"""Tables, texts and mappings as rows of features."""

import numpy as np
import pytest
import scipy.sparse as sp
from named_rows import encoded, same_bits

from rosenblatt import OnlinePerceptron
from rosenblatt.learning.online.features import words


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_table_is_its_rows(library):
    frame = pytest.importorskip(library).DataFrame
    table = {"size": [1.5, 2.0, -1.0], "new": [True, False, True], "colour": ["red", None, "blue"]}
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    labels = ["a", "b", "a"]
    X, names = encoded(rows)
    model = OnlinePerceptron().learn_many(frame(table), labels)
    same_bits(model, X, labels)
    assert model.feature_names_ == names == ["size", "new", "colour=red", "colour=blue"]
    assert model.predict_many(frame(table)).tolist() == model.predict_many(rows).tolist()


def test_a_text_is_the_set_of_its_words():
    assert words("É café, a CAFÉ 42!") == {"café": 1.0, "42": 1.0}
    model = OnlinePerceptron().learn_one("Free prize, free!", "spam").learn_one("lunch", "ham")
    X = sp.csr_array(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    same_bits(model, X, ["spam", "ham"])
    assert model.feature_names_ == ["free", "prize", "lunch"]
