"""Inputs that OnlinePerceptron refuses, with their messages."""

import copy
import pickle
from typing import NamedTuple

import numpy as np
import pytest
from named_rows import encoded, one_by_one, same_bits

from rosenblatt import OnlinePerceptron, Perceptron
from rosenblatt.learning.online.estimator import predict_then_learn

BAD_ROWS = [
    ({"a": float("nan")}, ValueError, "feature 'a' is nan: use finite"),
    ({"a": 1.0, "b": float("-inf")}, ValueError, "feature 'b' is -inf"),
    ({"a": 10**400}, ValueError, "feature 'a' is too large"),
    ({"a": [1]}, TypeError, "feature 'a' is .1., of type list: rows are flat, .* 'a.0'"),
    ({"a": {"b": 1}}, TypeError, "feature 'a' is .*, of type dict: rows are flat, .* 'a.b'"),
    ({"a": np.ones(2)}, TypeError, "feature 'a' is array.*, of type ndarray: rows are flat"),
    ({"a": {1}}, TypeError, "feature 'a' is .1., of type set: use a number, a bool, a string"),
    ({"a": b"1"}, TypeError, "feature 'a' is b'1', of type bytes"),
    ({"a": 1j}, TypeError, "feature 'a' is 1j"),
]


@pytest.mark.parametrize(("row", "error", "message"), BAD_ROWS)
def test_a_bad_value_is_refused_with_its_feature_and_not_learned(row, error, message):
    good = [{"a": 1.0, "b": 2.0}, {"b": 1.0}, {"a": 3.0, "b": 0.5}]
    labels = ["x", "y", "x"]
    model = one_by_one(OnlinePerceptron(), good, labels)
    before = pickle.dumps(model)
    with pytest.raises(error, match=message):
        model.learn_one(row, "x")
    with pytest.raises(error, match=message):
        model.predict_one(row)
    with pytest.raises(error, match=message):
        model.score_one(row)
    with pytest.raises(error, match=f"row 1: .*{message}"):
        model.learn_many([good[0], row, good[1]], labels)
    with pytest.raises(error, match=f"row 1: .*{message}"):
        model.predict_many([good[0], row])
    assert pickle.dumps(model) == before
    model.learn_many(good, labels)
    X, _ = encoded(good * 2)
    same_bits(model, X, labels * 2)


@pytest.mark.parametrize("label", [None, 1.5, float("nan"), ["x"], ("x",), b"x", object()])
def test_a_bad_label_is_refused(label):
    model = one_by_one(OnlinePerceptron(), [{"a": 1}, {"b": 1}], [0, 1])
    with pytest.raises(TypeError, match=r"a label must be a string, .*; got .* leave the example"):
        model.learn_one({"a": 1, "new": 1}, label)
    with pytest.raises(TypeError, match="a label must be a string, a bool or an integer; got"):
        model.learn_many([{"a": 1}], [label])
    assert model.t_ == 3


@pytest.mark.parametrize("w", [-1.0, float("nan"), float("inf"), "2", None, [1.0]])
def test_a_bad_weight_of_one_example_is_refused(w):
    model = one_by_one(OnlinePerceptron(), [{"a": 1}, {"b": 1}], ["x", "y"])
    with pytest.raises(ValueError, match=r"w must be a number in \[0, inf\); got"):
        model.learn_one({"new": 1}, "x", w)
    assert (model.t_, model.feature_names_) == (3, ["a", "b"])


@pytest.mark.parametrize(
    ("w", "message"),
    [
        ([1.0], "one for each of the 2 examples; got .1.0."),
        ("2", "one for each of the 2 examples"),
        ([1.0, None], "one for each of the 2 examples"),
        ([1.0, -2.0], "w must be finite numbers ≥ 0"),
        (float("nan"), "w must be finite numbers ≥ 0; got nan"),
    ],
)
def test_bad_weights_of_many_examples_are_refused(w, message):
    model = OnlinePerceptron()
    with pytest.raises(ValueError, match=message):
        model.learn_many([{"a": 1}, {"b": 1}], ["x", "y"], w)
    assert model.classes_ == []


def test_class_weight_balanced_is_refused_with_what_to_do_and_can_be_changed():
    model = OnlinePerceptron(class_weight="balanced")
    with pytest.raises(ValueError, match="pass class_weight a dict"):
        model.learn_one({"a": 1}, "x")
    assert model.set_params(class_weight={"x": 2.0}).learn_one({"a": 1}, "x").classes_ == ["x"]


def test_a_rule_that_chooses_its_row_among_all_is_refused():
    says = "rule='minover' chooses its row among all, and rows come one by one here: use .*fit"
    model = OnlinePerceptron(rule="minover")
    with pytest.raises(ValueError, match=says):
        model.learn_one({"a": 1}, "x")
    with pytest.raises(ValueError, match=says):
        model.learn_many([{"a": 1}, {"b": 1}], ["x", "y"])
    model = one_by_one(OnlinePerceptron(), [{"a": 1}, {"b": 1}], ["x", "y"])
    model.set_params(rule="minover")
    with pytest.raises(ValueError, match=says):
        model.learn_one({"a": 1}, "x")
    assert model.t_ == 3


def test_labels_of_several_kinds_are_refused():
    model = one_by_one(OnlinePerceptron(), [{"a": 1}, {"b": 1}], ["x", "y"])
    with pytest.raises(ValueError, match="mixed types"):
        model.learn_one({"a": 1}, 3)
    with pytest.raises(ValueError, match=r"mixed types: 'x' and 1\. Use one type"):
        model.learn_many([{"a": 1}] * 2, ["x", 1])
    with pytest.raises(ValueError, match="mixed types"):
        OnlinePerceptron().learn_many([{"a": 1}] * 2, [True, 1])
    assert model.classes_ == ["x", "y"]


@pytest.mark.parametrize("labels", [[2**63, -1], [2**64 - 1, 0]])
def test_labels_that_numpy_would_round_are_refused(labels):
    with pytest.raises(ValueError, match="beyond 64 bits: write its labels as text"):
        OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], labels)
    wide = [2**64 - 1, 2**63]
    assert OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}], wide).classes_ == wide[::-1]


def test_rows_and_labels_must_have_the_same_length():
    model = OnlinePerceptron()
    with pytest.raises(ValueError, match=r"X has 2 rows, but y has 1 label\."):
        model.learn_many([{"a": 1}, {"a": 2}], ["x"])
    with pytest.raises(ValueError, match="X has 2 rows, but y has 3 labels"):
        model.learn_many(np.zeros((2, 2)), [1, 2, 3])
    assert model.learn_many([], []).t_ == 1.0


def test_a_single_row_as_a_batch_is_refused():
    for row in ({"a": 1}, "a text"):
        with pytest.raises(TypeError, match="X is a single row: pass a list of rows"):
            OnlinePerceptron().learn_many(row, ["x"])


def test_names_and_arrays_do_not_mix():
    named = one_by_one(OnlinePerceptron(), [{"a": 1}, {"b": 1}], ["x", "y"])
    array = OnlinePerceptron().learn_many(np.eye(2), ["x", "y"])
    for use in (
        lambda: named.learn_one(np.ones(2), "x"),
        lambda: named.predict_one(np.ones(2)),
        lambda: named.score_one(np.ones(2)),
        lambda: named.learn_many(np.eye(2), ["x", "y"]),
        lambda: named.predict_many(np.eye(2)),
    ):
        with pytest.raises(TypeError, match="trained on feature names"):
            use()
    for use in (
        lambda: array.learn_one({"a": 1}, "x"),
        lambda: array.predict_one("a text"),
        lambda: array.score_one({"a": 1}),
        lambda: array.learn_many([{"a": 1}], ["x"]),
        lambda: array.predict_many([{"a": 1}]),
    ):
        with pytest.raises(TypeError, match="trained on arrays"):
            use()
    with pytest.raises(TypeError, match="row 1: a row must be a dict"):
        named.learn_many([{"a": 1}, 5], ["x", "y"])
    with pytest.raises(ValueError, match="3 features"):
        array.learn_one(np.ones(3), "x")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"output": "pocket"}, "output must be one of 'last', 'average'"),
        ({"max_features": 0}, "max_features must be a whole number"),
        ({"rule": "percptron"}, "percptron"),
        ({"tie": 2}, "tie must be one of"),
        ({"eta0": 0}, "eta0 must be"),
        ({"multi_class": "both"}, "multi_class must be one of"),
        ({"penalty": "l3"}, "penalty must be one of"),
        ({"alpha": -1.0}, "alpha must be"),
        ({"l1_ratio": 2.0}, "l1_ratio must be"),
        ({"class_weight": 3}, "class_weight must be a dict"),
    ],
)
def test_bad_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        OnlinePerceptron(**params).learn_one({"a": 1}, "x")
    with pytest.raises(ValueError, match=message):
        OnlinePerceptron(**params).learn_many(np.eye(2), ["x", "y"])


def test_overflow_is_detected_in_single_rows():
    model = OnlinePerceptron(rule="lms", eta0=1e200)
    model.learn_one({"a": 1.0}, 0).learn_one({"a": -1.0}, 1)
    with pytest.raises(ValueError, match="left the floating-point range"):
        one_by_one(model, [{"a": 1e100}] * 4, [0] * 4)


class Lazy(NamedTuple):
    margin: float = 0.25

    def step(self, score, y, sqnorm):
        return y if y * score <= self.margin else 0.0

    def loss(self, score, y):
        return 0.0


def test_a_users_own_rule(rng):
    rows = [{name: float(rng.normal()) for name in "abcd"} for _ in range(30)]
    labels = rng.integers(2, size=30).tolist()
    X, _ = encoded(rows)
    model = one_by_one(OnlinePerceptron(rule=Lazy()), rows, labels)
    same_bits(model, X, labels, rule=Lazy())
    twin = Perceptron(shuffle=False, rule=Lazy()).partial_fit(X, labels)
    assert [model.predict_one(row) for row in rows] == twin.predict(X).tolist()


@pytest.mark.parametrize("rule", ["perceptron", "arow"])
def test_a_score_beyond_the_range_does_not_end_a_model_whose_weights_are_finite(rule):
    """w·x may overflow where no weight does: a row alone is learned as in a list."""
    one, many = OnlinePerceptron(rule=rule), OnlinePerceptron(rule=rule)
    for row, label in (({}, 1), ({}, 0), ({"a": 1e200}, 0), ({"a": 1e200}, 1), ({"b": 1.0}, 0)):
        one.learn_one(row, label)
        many.learn_many([row], [label])
        assert one.score_one({"b": 1.0}) == many.score_one({"b": 1.0})


@pytest.mark.parametrize("label", [3, None, 1.5, ["x"]])
@pytest.mark.parametrize("many", [False, True])
def test_a_row_that_is_refused_for_its_label_adds_no_names(label, many):
    model = OnlinePerceptron()
    for i in range(4):
        model.learn_one({"a": 1.0, "b": float(i)}, "xy"[i % 2])
    scores = model.score_one({"a": 2.0, "b": 1.0})
    with pytest.raises((TypeError, ValueError)):
        model.learn_many([{"new": 1.0}], [label]) if many else model.learn_one({"new": 1.0}, label)
    assert model.feature_names_ == ["a", "b"]
    assert model.score_one({"a": 2.0, "b": 1.0}) == scores
    model.learn_one({"later": 1.0}, "x")
    assert model.feature_names_ == ["a", "b", "later"]


@pytest.mark.parametrize("predict", [False, True])
def test_a_row_that_was_refused_is_learned_when_its_label_is_right(predict):
    """The slots of the last row are kept: those of the refused one are slots of no name."""
    model, other, row = OnlinePerceptron(), OnlinePerceptron(), {"new": 1.0, "a": 2.0}
    for one in (model, other):
        for i in range(4):
            one.learn_one({"a": 1.0, "b": float(i)}, "xy"[i % 2])
    learn = predict_then_learn if predict else OnlinePerceptron.learn_one
    with pytest.raises(ValueError, match="mixed types"):
        learn(model, row, 3)
    for one in (model, other):
        learn(one, row, "x"), learn(one, row, "y"), learn(one, {"later": 1.0}, "x")
    assert model.feature_names_ == other.feature_names_ == ["a", "b", "new", "later"]
    assert model.weights_of("x") == other.weights_of("x")


@pytest.mark.parametrize("many", [False, True])
def test_a_row_that_is_refused_for_its_label_counts_no_value_as_left_out(many):
    model = OnlinePerceptron(max_features=1).learn_one({"a": 1.0, "b": 1.0}, "x")
    for _ in range(2):
        with pytest.raises(ValueError, match="mixed types"):
            model.learn_many([{"c": 1.0}], [3]) if many else model.learn_one({"c": 1.0}, 3)
    assert model.ignored_ == 1
    model.learn_one({"c": 1.0, "d": 1.0}, "y")
    assert model.ignored_ == copy.deepcopy(model).ignored_ == 3


def test_a_first_row_that_is_refused_leaves_no_kind_of_rows():
    model = OnlinePerceptron()
    with pytest.raises(TypeError):
        model.learn_one({"a": 1.0}, None)
    assert model.learn_one([1.0, 2.0], "x").predict_one([1.0, 2.0]) == "x"
