"""OnlinePerceptron: names and labels as they come, and the bits of Perceptron on encoded rows."""

import copy
import json
import math
import pickle
from itertools import pairwise, product

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from named_rows import encoded, one_by_one, same_bits
from profiles import share, thorough
from safetensors import safe_open
from safetensors.numpy import save as serialized
from sklearn.base import clone

from rosenblatt import OnlinePerceptron, Perceptron, load, rules, save
from rosenblatt.engine.state import arrays_of
from rosenblatt.learning.models import files
from rosenblatt.models import ModelError, describe

NAMES = [f"f{j}" for j in range(9)]
NUMBERS = st.one_of(st.floats(-8, 8, width=16), st.integers(-3, 3), st.booleans())
VALUES = st.one_of(NUMBERS, st.sampled_from(["red", "blue"]), st.none())
ROWS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=9)
LABELS = ["ham", "spam", "eggs"]
STREAMS = st.lists(st.tuples(ROWS, st.sampled_from(LABELS)), min_size=1, max_size=25)


@given(
    stream=STREAMS,
    output=st.sampled_from(["last", "average"]),
    multi_class=st.sampled_from(["ovr", "joint"]),
    cuts=st.lists(st.integers(0, 25), max_size=4),
    ask=st.booleans(),
)
@thorough(75)
def test_single_rows_and_batches_have_the_bits_of_perceptron(
    stream, output, multi_class, cuts, ask
):
    rows, labels = map(list, zip(*stream, strict=True))
    X, names = encoded(rows)
    params = {"output": output, "multi_class": multi_class}
    single, chunked = OnlinePerceptron(**params), OnlinePerceptron(**params)
    for row, label in stream:
        if ask:
            single.predict_one(row)
        single.learn_one(row, label)
    ends = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    for start, stop in pairwise(ends):
        chunked.learn_many(rows[start:stop], labels[start:stop])
        if ask:
            chunked.predict_many(rows)
    for model in (single, chunked):
        same_bits(model, X, labels, **params)
        assert model.feature_names_ == names


TIES = [(0, True), (1, False), (-1, True)]


@pytest.mark.parametrize(
    ("rule", "tie", "intercept", "classes"),
    [
        (rule, *tie, classes)
        for turn, rule in enumerate(sorted(set(rules.NAMES) - {"minover"}))
        for tie, classes in share(product(TIES, [2, 3]), 6, turn)
    ],
)
def test_every_rule_has_the_bits_of_perceptron(rng, rule, tie, classes, intercept):
    rows = [
        {str(j): float(x) for j, x in zip(rng.permutation(30)[:6], rng.normal(size=6), strict=True)}
        for _ in range(60)
    ]
    labels = rng.integers(classes, size=60).tolist()
    params = {"rule": rule, "tie": tie, "fit_intercept": intercept, "eta0": 0.1}
    X, _ = encoded(rows)
    model = one_by_one(OnlinePerceptron(**params), rows, labels)
    same_bits(model, X, labels, **params)
    twin = Perceptron(shuffle=False, **params).partial_fit(X, labels)
    assert [model.predict_one(row) for row in rows] == twin.predict(X).tolist()
    assert model.predict_many(rows).tolist() == twin.predict(X).tolist()


PENALTIES = [None, "l2", "l1", "elasticnet"]


@pytest.mark.parametrize(
    ("penalty", "classes", "multi_class", "class_weight"),
    [
        (penalty, *labels, weight)
        for turn, penalty in enumerate(PENALTIES)
        for labels, weight in share(
            product([(2, "ovr"), (3, "ovr"), (3, "joint")], [None, {0: 0.5, 2: 3.0}]), 5, turn
        )
    ],
)
def test_weights_and_penalties_have_the_bits_of_perceptron(
    rng, penalty, classes, multi_class, class_weight
):
    rows = [
        {str(j): float(x) for j, x in zip(rng.permutation(20)[:4], rng.normal(size=4), strict=True)}
        for _ in range(60)
    ]
    labels = [0, 1, *rng.integers(classes, size=58).tolist()]
    weights = rng.choice([0.0, 0.3, 1.0, 2.0], size=60)
    params = {"penalty": penalty, "alpha": 0.01, "l1_ratio": 0.4, "class_weight": class_weight}
    params |= {"multi_class": multi_class, "output": "average", "rule": "pa1"}
    X, _ = encoded(rows)
    single, batches = OnlinePerceptron(**params), OnlinePerceptron(**params)
    for row, label, w in zip(rows, labels, weights.tolist(), strict=True):
        single.predict_one(row)
        single.learn_one(row, label, w)
    batches.learn_many(rows[:20], labels[:20], weights[:20])
    batches.learn_many(rows[20:], labels[20:], w=weights[20:].tolist())
    for model in (single, batches):
        same_bits(model, X, labels, weights, **params)
    plain = one_by_one(OnlinePerceptron(**params), rows, labels)
    same_bits(plain, X, labels, **params)


def test_one_weight_for_all_rows():
    rows, labels = [{"a": 1.0}, {"b": 1.0}, {"a": 2.0, "b": 1.0}], ["x", "y", "y"]
    X, _ = encoded(rows)
    model = OnlinePerceptron(rule="lms").learn_many(rows, labels, w=0.25)
    same_bits(model, X, labels, np.full(3, 0.25), rule="lms")
    arrays = OnlinePerceptron(rule="lms").learn_many(X, labels, w=0.25)
    same_bits(arrays, X, labels, np.full(3, 0.25), rule="lms")


def test_arrays_have_the_bits_of_perceptron(rng):
    X, y = rng.normal(size=(80, 5)), rng.integers(3, size=80)
    model = OnlinePerceptron().learn_many(X[:50], y[:50])
    for x, label in zip(X[50:], y[50:].tolist(), strict=True):
        model.learn_one(x, label)
    same_bits(model, X, y)
    twin = Perceptron(shuffle=False).partial_fit(X, y)
    assert model.predict_many(X).tolist() == twin.predict(X).tolist()
    assert [model.predict_one(x) for x in X] == twin.predict(X).tolist()
    scores = twin.decision_function(X[:1])[0]
    assert model.score_one(X[0]) == pytest.approx(dict(enumerate(scores)))
    assert model.feature_names_ == [0, 1, 2, 3, 4]
    sparse = OnlinePerceptron().learn_many(sp.csr_array(X), y)
    same_bits(sparse, sp.csr_array(X), y)


# --- before, first, late -------------------------------------------------------------------------


def test_predictions_before_and_after_the_first_label():
    model = OnlinePerceptron()
    row = {"a": 1}
    assert model.predict_one(row) is None
    assert model.score_one(row) == {}
    assert model.predict_many([row, row]).tolist() == [None, None]
    assert (model.classes_, model.feature_names_, model.t_) == ([], [], 1.0)
    model.learn_one(row, "only")
    assert model.predict_one({"b": 1}) == "only"
    assert model.score_one(row) == {"only": 0.0}
    assert model.predict_many([row]).tolist() == ["only"]
    assert model.weights_of("only") == {"a": 0.0}


def test_labels_keep_their_type():
    for labels in ([True, False], [3, 7], ["x", "y"]):
        model = one_by_one(OnlinePerceptron(), [{"a": 1}, {"b": 1}] * 2, labels * 2)
        for row, label in ({"a": 1}, labels[0]), ({"b": 1}, labels[1]):
            assert model.predict_one(row) == label
            assert type(model.predict_one(row)) is type(label)


def test_scores_of_two_and_of_many(rng):
    rows = [{name: float(rng.normal()) for name in "abcd"} for _ in range(30)]
    for labels in (["n", "p"] * 15, ["n", "p", "q"] * 10):
        for output in ("last", "average"):
            model = one_by_one(OnlinePerceptron(output=output, rule="pa1"), rows, labels)
            X, _ = encoded(rows)
            twin = Perceptron(shuffle=False, output=output, rule="pa1").partial_fit(X, labels)
            scores = twin.decision_function(X[[4]])[0]
            if len(set(labels)) == 2:
                scores = [-scores, scores]
            wanted = dict(zip(twin.classes_.tolist(), scores, strict=True))
            assert model.score_one(rows[4]) == pytest.approx(wanted)
            for label in model.classes_:
                by_name = model.weights_of(label)
                assert [*by_name.values()] == sorted(by_name.values(), reverse=True)
                row = sum(by_name[name] * value for name, value in rows[4].items())
                zero = model.score_one({})[label]
                assert row + zero == pytest.approx(wanted[label])


def test_probabilities_follow_the_scores(rng):
    rows = [{name: float(rng.normal()) for name in "abcd"} for _ in range(30)]
    for labels, params in (
        (["n", "p"] * 15, {"rule": "logistic", "multi_class": "joint"}),
        (["n", "p", "q"] * 10, {"rule": "logistic"}),
        (["n", "p", "q"] * 10, {"rule": "pa1", "multi_class": "joint"}),
        (["n", "p"] * 15, {}),
    ):
        model = one_by_one(OnlinePerceptron(**params), rows, labels)
        for row in rows:
            scores, by_label = model.score_one(row), model.predict_proba_one(row)
            joint = params.get("multi_class") == "joint" and len(scores) > 2
            share = {k: math.exp(s) if joint else 1 / (1 + math.exp(-s)) for k, s in scores.items()}
            total = sum(share.values())
            assert by_label == pytest.approx({k: value / total for k, value in share.items()})
            assert by_label[model.predict_one(row)] == max(by_label.values())


def test_probabilities_before_the_second_label_and_of_large_scores():
    model = OnlinePerceptron(rule="logistic")
    assert model.predict_proba_one({"a": 1}) == {}
    assert model.learn_one({"a": 1}, "x").predict_proba_one({"a": 1}) == {"x": 1.0}
    model.learn_many([{"a": 1}, {"b": 1}] * 5, ["x", "y"] * 5)
    assert model.predict_proba_one({"a": 1e9}) == {"x": 1.0, "y": 0.0}
    three = OnlinePerceptron().learn_many([{"a": 1}, {"b": 1}, {"c": 1}] * 9, [*"xyz"] * 9)
    assert three.predict_proba_one({"a": -1e9, "b": -1e9, "c": -1e9}) == pytest.approx(
        dict.fromkeys("xyz", 1 / 3)
    )
    arrays = OnlinePerceptron().learn_many(np.eye(2) * 3, [0, 1])
    assert arrays.predict_proba_one(np.eye(2)[1])[1] > 0.5


@pytest.mark.parametrize("labels", [["n", "p"], [0, 1, 2], [True, False], ["only"]])
@pytest.mark.parametrize("output", ["last", "average"])
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_probabilities_of_many_rows_are_those_of_each(rng, labels, output, multi_class):
    rows = [{name: float(rng.normal()) for name in "abcd"} for _ in range(30)]
    rows[3] = {"new": 1.0}
    model = OnlinePerceptron(rule="logistic", output=output, multi_class=multi_class)
    assert model.predict_proba_many(rows).shape == (30, 0)
    model.learn_many(rows[:20], (labels * 20)[:20])
    each = [list(model.predict_proba_one(row).values()) for row in rows]
    np.testing.assert_allclose(model.predict_proba_many(rows), each, rtol=1e-12)
    assert model.predict_proba_many([]).shape == (0, len(labels))
    arrays = OnlinePerceptron(rule="logistic", output=output, multi_class=multi_class)
    X = rng.normal(size=(20, 3))
    arrays.learn_many(X, (labels * 20)[:20])
    each = [list(arrays.predict_proba_one(row).values()) for row in X]
    for matrix in (X, sp.csr_array(X), X.tolist()):
        np.testing.assert_allclose(arrays.predict_proba_many(matrix), each, rtol=1e-12)
    with pytest.raises(TypeError, match="X is a single row"):
        model.predict_proba_many(rows[0])


def test_a_table_has_a_table_of_probabilities(rng):
    frame = pd.DataFrame(rng.normal(size=(20, 3)), columns=[*"abc"], index=np.arange(20) * 2 + 5)
    frame.iloc[4, 1] = None
    before = OnlinePerceptron().predict_proba_many(frame)
    assert before.shape == (20, 0)
    assert before.index.equals(frame.index)
    model = OnlinePerceptron(rule="logistic").learn_many(frame, frame["a"] > frame["c"])
    probabilities = model.predict_proba_many(frame)
    assert probabilities.columns.tolist() == model.classes_ == [False, True]
    assert probabilities.index.equals(frame.index)
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    each = pd.DataFrame([model.predict_proba_one(row) for row in rows], index=frame.index)
    pd.testing.assert_frame_equal(probabilities, each, rtol=1e-12)
    of_polars = model.predict_proba_many(pl.from_pandas(frame))
    assert of_polars.columns == ["False", "True"]
    assert of_polars.to_numpy().tolist() == probabilities.to_numpy().tolist()


def test_unknown_names_are_ignored_in_prediction():
    model = one_by_one(OnlinePerceptron(), [{"a": 1}, {"b": 1}], ["x", "y"])
    assert model.score_one({"b": 1, "new": 1e9}) == model.score_one({"b": 1})
    assert model.predict_many([{"new": 5}]).tolist() == [model.predict_one({})]
    assert model.feature_names_ == ["a", "b"]


def test_weights_double_when_names_run_out_of_room():
    model = OnlinePerceptron()
    weights = []
    for j in range(3000):
        model.learn_one({f"w{j}": 1.0}, j % 2)
        if j > 1 and (not weights or model._model._state.W is not weights[-1]):
            weights.append(model._model._state.W)
    assert len(model.feature_names_) == 3000
    assert [len(W) for W in weights] == [64, 128, 256, 512, 1024, 2048, 4096]


@pytest.mark.parametrize("output", ["last", "average"])
def test_batches_and_weights_follow_single_rows(rng, output):
    rows = [{name: float(rng.normal()) for name in "abcd"} for _ in range(40)]
    labels = rng.integers(2, size=40).tolist()
    model = OnlinePerceptron(output=output)
    for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
        model.learn_one(row, label)
        fresh = one_by_one(OnlinePerceptron(output=output), rows[: i + 1], labels[: i + 1])
        assert model.predict_many(rows).tolist() == fresh.predict_many(rows).tolist()
        assert model.weights_of(label) == fresh.weights_of(label)
        assert pickle.loads(pickle.dumps(model)).weights_of(label) == fresh.weights_of(label)


# --- a limit to memory ---------------------------------------------------------------------------


@given(STREAMS, st.integers(1, 6), st.booleans())
@thorough(60)
def test_names_beyond_the_limit_are_ignored_and_counted(stream, limit, at_once):
    rows, labels = map(list, zip(*stream, strict=True))
    model = OnlinePerceptron(max_features=limit)
    model = model.learn_many(rows, labels) if at_once else one_by_one(model, rows, labels)
    X, names = encoded(rows)
    same_bits(model, X[:, :limit], labels)
    assert model.feature_names_ == names[:limit]
    assert model.ignored_ == X[:, limit:].nnz


# --- copies --------------------------------------------------------------------------------------


def test_copies_continue_alike(rng):
    rows = [{f"w{j}": 1.0 for j in rng.integers(40, size=5)} for _ in range(80)]
    labels = [LABELS[k] for k in rng.integers(3, size=80)]
    X, _ = encoded(rows)
    model = one_by_one(OnlinePerceptron(output="average"), rows[:40], labels[:40])
    copies = pickle.loads(pickle.dumps(model)), copy.deepcopy(model)
    for each in (model, *copies):
        same_bits(one_by_one(each, rows[40:], labels[40:]), X, labels, output="average")
    fresh = clone(model)
    assert (fresh.output, fresh.classes_, fresh.t_) == ("average", [], 1.0)


@pytest.mark.parametrize("limit", [None, 7])
def test_a_loaded_model_continues_to_the_bit(rng, path, limit):
    rows = [{f"w{j}": 1.0 for j in rng.integers(40, size=5)} | {3: "x", "v": 2} for _ in range(80)]
    labels = [LABELS[k] for k in rng.integers(3, size=80)]
    for at in (1, 20):
        params = {"output": "average", "rule": "pa1", "max_features": limit}
        params |= {"penalty": "elasticnet", "class_weight": {"ham": 2.0}}
        uninterrupted = one_by_one(OnlinePerceptron(**params), rows, labels)
        model = one_by_one(OnlinePerceptron(**params), rows[:at], labels[:at])
        save(model, path, notes={"of": "words"})
        back = load(path)
        assert back.get_params() == model.get_params()
        assert back.feature_names_ == model.feature_names_
        one_by_one(back, rows[at:], labels[at:])
        for name, mine in arrays_of(back._model._state).items():
            theirs = arrays_of(uninterrupted._model._state)[name]
            d = len(uninterrupted.feature_names_) if mine.ndim == 2 else None
            np.testing.assert_array_equal(mine[:d], theirs[:d])
        for name in ("classes_", "feature_names_", "ignored_", "mistakes_", "errors_", "t_"):
            assert getattr(back, name) == getattr(uninterrupted, name)
        about = describe(path)
        assert (about["class"], about["notes"]) == ("OnlinePerceptron", {"of": "words"})


def test_files_of_arrays_and_of_an_empty_row(path):
    X = np.eye(3)
    save(OnlinePerceptron().learn_many(X, [0, 1, 2]), path)
    assert load(path).learn_one(X[0], 0).t_ == 5
    with pytest.raises(TypeError, match="trained on arrays"):
        load(path).predict_one({"a": 1})
    save(OnlinePerceptron().learn_one({}, "only"), path)
    assert load(path).learn_one({"a": 1}, "other").classes_ == ["only", "other"]


def test_names_that_cannot_be_saved(path):
    with pytest.raises(TypeError, match=r"The feature \('a', 1\) cannot be saved"):
        save(OnlinePerceptron().learn_one({("a", 1): 1}, "x"), path)
    with pytest.raises(ValueError, match="not fitted"):
        save(OnlinePerceptron(), path)
    assert not path.exists()


@pytest.mark.parametrize(
    "names",
    [
        {"features": ["a"], "limit": None, "ignored": 0, "more": 1},
        {"features": ["a", "a"], "limit": None, "ignored": 0},
        {"features": ["a", "b", "c"], "limit": None, "ignored": 0},
        {"features": [["a"]], "limit": None, "ignored": 0},
        {"features": "ab", "limit": None, "ignored": 0},
        {"features": ["a"], "limit": 0, "ignored": 0},
        {"features": ["a"], "limit": None, "ignored": -1},
        {"features": ["a"], "limit": None, "ignored": True},
        ["a"],
    ],
)
def test_a_file_whose_names_do_not_fit_is_refused(path, names):
    save(one_by_one(OnlinePerceptron(), [{"a": 1}, {"b": 1}], ["x", "y"]), path)
    change(path, names)
    with pytest.raises(ModelError, match=r"its (names|limit|number of values)"):
        load(path)


def change(path, names):
    """Write other names into a file, and seal it again."""
    with safe_open(path, framework="np") as file:
        header = json.loads(file.metadata()["rosenblatt"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    header["names"] = names
    header["seal"] = files._header_digest(header)
    path.write_bytes(serialized(tensors, {"rosenblatt": json.dumps(header)}))


def test_parameters_that_are_set_after_training_count_from_then_on():
    rows, labels = [{"a": 1.0}, {"b": 1.0}] * 3, ["x", "y"] * 3
    model = one_by_one(OnlinePerceptron(rule="arow"), rows, labels)
    batches = copy.deepcopy(model)
    model.set_params(rule="perceptron", eta0=100.0).learn_one({"a": 1.0, "b": 4.0}, "x")
    batches.set_params(rule="perceptron", eta0=100.0).learn_many([{"a": 1.0, "b": 4.0}], ["x"])
    assert model.weights_of("x")["b"] > 300.0
    assert model.weights_of("x") == batches.weights_of("x")
    for learner in model, batches:
        learner.set_params(rule="sop")
        for learn in (
            lambda learner=learner: learner.learn_one(rows[0], "x"),
            lambda learner=learner: learner.learn_many(rows, labels),
        ):
            with pytest.raises(ValueError, match="SOP was set after training with AROW"):
                learn()
