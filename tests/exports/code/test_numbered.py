"""Terms in numbers: values in the order of their bytes, and codes of factors."""

import numpy as np

from rosenblatt import Perceptron
from rosenblatt.exports.code.numbered import numbered_terms, used_columns
from rosenblatt.exports.plan import plan_of


def test_values_have_the_order_of_their_bytes():
    names = ["c=é", "c=z", "c=a\0", "c=a", "c=\U0001f600", "c=\uffff", "n", "n is missing"]
    model = Perceptron().fit(np.eye(len(names)), np.arange(len(names)) % 2)
    notes = {"format": "csv", "schema": {"n": "number", "c": "category"}, "impute": "indicator"}
    values, terms = numbered_terms(plan_of(model, notes, names))
    assert values == [[], ["a", "a\0", "z", "é", "\uffff", "\U0001f600"]]
    assert terms == [[1, 3], [1, 2], [1, 1], [1, 0], [1, 5], [1, 4], [0, -3], [0, -2]]


def test_columns_without_weights_are_left_out():
    model = Perceptron().fit(np.eye(8), np.arange(8) % 4)
    model.coef_ = np.eye(4, 8)[:, ::-1]
    plan = plan_of(model, {"format": "csv", "bits": 3, "schema": {"a": "number"}}, None)
    assert used_columns(plan) == [4, 5, 6, 7]
