"""FeatureEncoder: a row is encoded the same whatever came before, in single rows and in batches."""

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from named_rows import encoded, one_by_one, same_bits
from profiles import thorough

from rosenblatt import OnlinePerceptron
from rosenblatt.learning.online.features import FeatureEncoder

NAMES = [f"f{j}" for j in range(9)]
LARGE_INTEGERS = [2**53 + 1, 2**62 + 2**8 + 1, -(2**63), 2**63, 3**60]  # some of them beyond int64
NUMBERS = st.one_of(
    st.floats(-8, 8, width=16), st.integers(-3, 3), st.booleans(), st.sampled_from(LARGE_INTEGERS)
)
VALUES = st.one_of(NUMBERS, st.sampled_from(["red", "blue"]), st.none())
ROWS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=9)


@given(st.lists(st.tuples(ROWS, st.booleans()), max_size=30), st.sampled_from([None, 1, 4]))
@thorough(200)
def test_a_row_is_encoded_the_same_whatever_came_before(stream, limit):
    encoder, batch = FeatureEncoder(limit), FeatureEncoder(limit)
    for given_row, learned in stream:
        row = encoder.row(given_row, add_names=learned).arrays()
        fresh = FeatureEncoder(limit, batch.vocabulary)
        wanted = fresh.row(given_row, add_names=learned).arrays()
        many = batch.rows([given_row], add_names=learned)
        for mine, theirs, together in zip(row, wanted, many, strict=True):
            np.testing.assert_array_equal(mine, theirs)
            np.testing.assert_array_equal(mine, together)
        assert encoder.vocabulary == fresh.vocabulary == batch.vocabulary
        assert encoder.ignored == batch.ignored


def test_a_row_changed_in_place_is_encoded_anew():
    model = one_by_one(OnlinePerceptron(), [{"a": 1.0}, {"b": 1.0}], ["x", "y"])
    row = {"a": 3.0, "b": 1.0}
    before = model.score_one(row)
    row["b"] = 2.0
    assert model.score_one(row) != before
    assert model.score_one(row) == model.score_one({"b": 2.0, "a": 3.0})


def test_a_number_changed_in_place_is_read_anew():
    model = one_by_one(OnlinePerceptron(), [{"a": 1.0}, {"b": 1.0}], ["x", "y"])
    number = np.array(3.0)
    before = model.score_one({"b": number})
    number[()] = 5.0
    assert model.score_one({"b": number}) == model.score_one({"b": 5.0}) != before


@pytest.mark.parametrize("integers", [True, False])
def test_integers_have_the_bits_of_floats(integers):
    encoder = FeatureEncoder(None)
    for number in LARGE_INTEGERS:
        row = encoder.row({"a": number, "b": 1 if integers else 0.5}, add_names=True)
        assert row.arrays()[0][0] == float(number)


def test_an_array_of_no_dimension_after_integers():
    encoder = FeatureEncoder(None)
    for value in (1, np.array(2.5), np.float32(0.5), np.int8(3), np.array(4), 2):
        data, _, _ = encoder.row({"a": value}, add_names=True).arrays()
        assert data[0] == float(value)


def test_names_that_were_unknown_are_looked_up_after_they_were_learned():
    row = {"a": 1.0, "new": 2.0}
    encoder = FeatureEncoder(None, ["a"])
    assert len(encoder.row(row, add_names=False).arrays()[0]) == 1
    encoder.rows([{"new": 1}], add_names=True)
    for _ in range(2):
        assert len(encoder.row(row, add_names=False).arrays()[0]) == 2


def test_values_beyond_the_limit_are_counted_each_time_they_are_learned():
    encoder = FeatureEncoder(1)
    for _ in range(3):
        encoder.row({"a": 1, "b": 2}, add_names=True)
        encoder.row({"a": 1, "b": 2}, add_names=False)
    encoder.rows([{"a": 1, "b": 2, "c": 3}], add_names=True)
    assert (encoder.vocabulary, encoder.ignored) == ({"a": 0}, 5)


def test_a_text_is_read_once_and_another_anew():
    encoder = FeatureEncoder(None)
    for text, indices in (("one two", [0, 1]), ("two three", [1, 2]), ("one two", [0, 1])):
        for add_names in (True, False):
            row = encoder.row(text, add_names=add_names)
            assert row.arrays()[1].tolist() == indices


@pytest.mark.parametrize("kind", [Counter, OrderedDict, lambda row: defaultdict(float, row)])
def test_any_mapping_is_a_row_and_is_not_changed(kind):
    model = one_by_one(OnlinePerceptron(), [{"a": 1}, {"b": 1}] * 3, ["x", "y"] * 3)
    for row in ({"a": 1, "b": 2}, {"a": 1, "c": 2}, {"c": 1}):  # as many names, but different ones
        special = kind(row)
        assert model.score_one(special) == model.score_one(row)
        assert dict(special) == row


def test_a_wide_row_after_narrow_ones(rng):
    model = OnlinePerceptron()
    rows = [{"a": 1.0}, {str(j): float(j) for j in range(200)}, {"a": 2.0, "7": 1.0}] * 3
    labels = ["x", "y", "x"] * 3
    X, _ = encoded(rows)
    same_bits(one_by_one(model, rows, labels), X, labels)
