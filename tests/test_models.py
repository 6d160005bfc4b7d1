"""A saved model is the model, whatever happens to the disk; any other file is refused by name."""

import errno
import json
import os
import stat
import subprocess
import sys
import textwrap
import tracemalloc
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file
from sklearn import linear_model
from sklearn.base import clone

import rosenblatt
from rosenblatt import (
    Adaline,
    AveragedPerceptron,
    LMSRegressor,
    PassiveAggressiveClassifier,
    Perceptron,
    models,
    rules,
)
from rosenblatt.models import ModelError, describe, load, save

ROOT = Path(rosenblatt.__file__).parents[1]


def batch(seed, *, classes=3, dtype=np.float64, rows=40):
    random = np.random.RandomState(seed)
    X = random.randn(rows, 5).astype(dtype)
    y = (X @ random.randn(5, 3))[:, :classes].argmax(axis=1) if classes > 2 else X[:, 0] > 0.3
    y = np.asarray(y, dtype=np.int64)
    y[:classes] = np.arange(classes)
    return X, y


def numbers(random):
    kind, key, *rest = random.get_state()
    return [kind, key.tolist(), *rest]


def same_value(one, other):
    if isinstance(one, np.random.RandomState):
        return numbers(one) == numbers(other)
    if isinstance(one, dict):
        return repr(list(one.items())) == repr(list(other.items()))
    return type(one) is type(other) and repr(one) == repr(other)


def assert_same_bits(one, other):
    """Every bit of what two models learned."""
    for name, array in one._state._asdict().items():
        twin = getattr(other._state, name)
        assert (name, array.dtype, array.shape) == (name, twin.dtype, twin.shape)
        assert array.tobytes() == twin.tobytes(), name
    for name in ("coef_", "intercept_"):
        assert (
            np.asarray(getattr(one, name)).tobytes() == np.asarray(getattr(other, name)).tobytes()
        )


def assert_same(one, other):
    """Class, parameters, fitted attributes and every bit of the state."""
    assert type(one) is type(other)
    ours, theirs = one.get_params(deep=False), other.get_params(deep=False)
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        assert same_value(value, theirs[name]), (name, value, theirs[name])
    assert_same_bits(one, other)
    mine, yours = vars(one), vars(other)
    assert mine.keys() == yours.keys()
    for name in mine.keys() - ours.keys() - {"_state", "_coef"}:
        if isinstance(mine[name], np.ndarray):
            assert mine[name].dtype == yours[name].dtype, name
            assert mine[name].tolist() == yours[name].tolist(), name
        else:
            assert same_value(mine[name], yours[name]), name


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a model.safetensors"


@pytest.fixture
def saved(path):
    """A small model with three classes, in a file."""
    model = Perceptron(max_iter=2, tol=None, rule=rules.PA1(C=0.5)).fit(*batch(0))
    save(model, path, notes={"target": "kind"})
    return model


# --- there and back ------------------------------------------------------------------------------

MODELS = [
    (Perceptron, {"output": output, "penalty": penalty, "alpha": 0.01}, classes, dtype)
    for output in ("last", "average", "pocket")
    for classes in (2, 3)
    for penalty, dtype in ((None, "f8"), (None, "f4"), ("l2", "f8"), ("l1", "f8"))
] + [
    (Perceptron, {"multi_class": "joint", "output": "average", "fit_intercept": False}, 3, "f8"),
    (Perceptron, {"penalty": "elasticnet", "alpha": 0.5, "output": "average"}, 3, "f8"),
    (Perceptron, {"shards": 3, "output": "average"}, 3, "f8"),
    (AveragedPerceptron, {"tie": -1}, 3, "f8"),
    (AveragedPerceptron, {"class_weight": {0: 2.0, 1: 1.0}}, 2, "f8"),
    (PassiveAggressiveClassifier, {"C": 0.5}, 2, "f8"),
    (PassiveAggressiveClassifier, {"C": 0.5, "average": True}, 3, "f8"),
    (Adaline, {"eta0": 0.01}, 2, "f8"),
    (Adaline, {"eta0": 0.01, "output": "average"}, 3, "f8"),
    (LMSRegressor, {}, 2, "f8"),
    (LMSRegressor, {"output": "average", "rule": rules.NormalizedLMS(0.1, 1e-3)}, 2, "f8"),
]


@pytest.mark.parametrize(("cls", "params", "classes", "dtype"), MODELS)
def test_goes_on_as_if_it_had_never_stopped(cls, params, classes, dtype, path):
    random = np.random.RandomState(7)
    random.randn(3)  # leaves half of a pair of normal numbers behind
    model = cls(max_iter=3, tol=None, random_state=random, **params)
    model.fit(*batch(0, classes=classes, dtype=dtype))
    save(model, path)
    loaded = load(path)
    assert_same(model, loaded)
    matrices = [array for array in loaded._state if array.ndim == 2 and array.size]
    assert [array.ctypes.data % 64 for array in matrices] == [0] * len(matrices)
    for seed in (1, 2):
        X, y = batch(seed, classes=classes, dtype=dtype)
        assert (
            model.partial_fit(X, y).predict(X).tolist()
            == loaded.partial_fit(X, y).predict(X).tolist()
        )
        assert_same(model, loaded)
    save(model, path)
    reloaded = load(path)
    for one in (model, reloaded):
        one.set_params(warm_start=True).fit(*batch(3, classes=classes, dtype=dtype))
    assert_same_bits(model, reloaded)
    assert numbers(model.random_state) == numbers(reloaded.random_state)


def test_saving_changes_nothing_and_gives_the_same_bytes(saved, path, tmp_path):
    before = [array.tobytes() for array in saved._state]
    save(saved, tmp_path / "again", notes={"target": "kind"})
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    assert [array.tobytes() for array in saved._state] == before
    save(load(path), tmp_path / "again", notes=describe(path)["notes"])
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_a_fresh_process_goes_on_with_the_same_bits(saved, path):
    code = f"""
        import numpy as np, rosenblatt
        model = rosenblatt.load({str(path)!r})
        random = np.random.RandomState(5)
        model.partial_fit(random.randn(40, 5), random.randint(0, 3, 40))
        rosenblatt.save(model, {str(path)!r})
    """
    run(code)
    random = np.random.RandomState(5)
    saved.partial_fit(random.randn(40, 5), random.randint(0, 3, 40))
    assert_same(saved, load(path))


LABELS = [
    np.array([False, True]),
    np.array([-3, 5, 7], dtype=np.int8),
    np.array([0, 2**40, 2**62]),
    np.array([1, 2, 2**64 - 1], dtype=np.uint64),
    np.array([1, 2, 300], dtype=">i2"),
    np.array([-1.0, 0.0, 3.0], dtype=np.float32),
    np.array(["a", "bb"], dtype="U9"),
    np.array(["", 'quote " and \\', "żółw\n\ud800"]),
    np.array(["no", "yes"], dtype=object),
]


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: f"{labels.dtype.str} {len(labels)}")
def test_labels_come_back_with_their_type(labels, path):
    X, codes = batch(0, classes=len(labels))
    model = Perceptron(max_iter=2, tol=None).fit(X, labels[codes])
    save(model, path)
    loaded = load(path)
    assert loaded.classes_.dtype == labels.dtype
    assert_same(model, loaded)
    assert loaded.predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("start", [["b"], ["b", "d"], ["b", "d", "e"]], ids=len)
def test_labels_may_be_new_after_loading(start, path):
    X, codes = batch(0, rows=60)
    model = Perceptron(output="average").partial_fit(
        X[:20], np.array(start)[codes[:20] % len(start)]
    )
    save(model, path)
    loaded = load(path)
    assert_same(model, loaded)
    for labels in (["d", "a", "longer than before"], ["z", "b", "é"]):
        y = np.array(labels)[codes[20:40]]
        assert_same(model.partial_fit(X[20:40], y), loaded.partial_fit(X[20:40], y))
    assert "longer than before" in loaded.classes_


def test_classes_that_are_closed_stay_closed(path):
    X, y = batch(0)
    save(Perceptron().partial_fit(X, y, classes=[0, 1, 2]), path)
    with pytest.raises(ValueError, match="label 9"):
        load(path).partial_fit(X, np.full(len(y), 9))


PARAMS = [
    {"rule": rules.PA1(1), "max_iter": np.int32(3)},
    {"rule": rules.MarginPerceptron(eta=0.1, beta=np.float32(0.3)), "n_jobs": 2},
    {"rule": rules.MarginPerceptron(eta=np.float32(0.1), beta=0)},
    {"rule": rules.MarginPerceptron(eta=5e-324, beta=np.float64(1e308))},
    {"alpha": np.float32(0.1), "tol": None, "verbose": False},
    {"tol": -0.0, "eta0": 5e-324, "alpha": 1.7976931348623157e308},
    {"fit_intercept": np.True_, "validation_fraction": np.float16(0.1)},
    {"class_weight": {0: 2, np.int64(1): np.float32(0.1), 2: float("inf")}},
    {"class_weight": "balanced", "output": np.str_("average")},
    {"class_weight": {}, "random_state": None},
    {"random_state": np.int64(5), "tie": -1, "multi_class": "joint"},
]


@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_parameters_come_back_with_their_types(params, path):
    model = Perceptron(output="average").fit(*batch(0)).set_params(**params)
    save(model, path)
    loaded = load(path)
    assert_same(model, loaded)
    for name, value in params.items():
        assert same_value(value, getattr(loaded, name)), name
    fresh = clone(loaded)
    assert "_state" not in vars(fresh)
    assert same_value(fresh.get_params(False), model.get_params(False))


def test_every_rule_of_the_library_is_kept(path):
    model = Perceptron().fit(*batch(0))
    kinds = [rule for rule in vars(rules).values() if hasattr(rule, "_fields")]
    assert len(kinds) >= 10
    for kind in kinds:
        rule = kind(*(1.0 if name == "tie" else 0.3 for name in kind._fields))
        save(model.set_params(rule=rule), path)
        assert same_value(load(path).rule, rule)


def test_column_names_and_the_history_come_back(path):
    X, y = batch(0)
    frame = pd.DataFrame(X, columns=["a", "b b", "ç", "", '"'])
    model = Perceptron(max_iter=4, tol=None).fit(frame, y)
    save(model, path)
    loaded = load(path)
    assert_same(model, loaded)
    assert loaded.feature_names_in_.dtype == object
    assert loaded.history_.tobytes() == model.history_.tobytes()
    assert loaded.predict(frame).tolist() == model.predict(frame).tolist()
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["b b", "a", "ç", "", '"']])


def test_books_that_are_no_longer_asked_for_are_kept(path):
    model = Perceptron(penalty="l1", output="average", alpha=0.01).fit(*batch(0))
    model.set_params(penalty=None, output="last")
    save(model, path)
    loaded = load(path)
    assert loaded._state.U.any()
    assert loaded._state.Q.any()
    assert_same(model, loaded)
    assert_same(model.partial_fit(*batch(1)), loaded.partial_fit(*batch(1)))


def test_weights_edited_by_hand_are_kept(path):
    X, y = batch(0)
    model = AveragedPerceptron(max_iter=2, tol=None).fit(X, y).sparsify()
    model.coef_.data[np.abs(model.coef_.data) < 1.0] = 0.0
    save(model, path)
    loaded = load(path)
    np.testing.assert_array_equal(loaded.coef_, model.coef_.toarray())
    assert (loaded.coef_ == 0.0).any()
    assert_same(model.partial_fit(X, y), loaded.partial_fit(X, y))


# --- what is not saved ---------------------------------------------------------------------------


class Own(Perceptron):
    pass


class Slow(NamedTuple):
    eta: float = 0.1

    def step(self, score, y, sqnorm):
        return self.eta * y if y * score <= 0.0 else 0.0


class PA1(NamedTuple):
    """A rule of the user's own, with a name of the library's."""

    C: float = 1.0

    def step(self, score, y, sqnorm):
        return 0.0


def fitted(**params):
    return Perceptron().fit(*batch(0)).set_params(**params)


REFUSED_TO_SAVE = [
    (lambda: Perceptron(), ValueError, "not fitted"),
    (lambda: Own().fit(*batch(0)), TypeError, "A Own cannot be saved.*holds Perceptron, "),
    (lambda: linear_model.Perceptron().fit(*batch(0)), TypeError, "A Perceptron cannot be saved"),
    (lambda: fitted(rule=Slow()), TypeError, r"rule=Slow.*run your code.*rosenblatt\.rules"),
    (lambda: fitted(rule=PA1()), TypeError, r"rule=PA1.*run your code"),
    (lambda: fitted(random_state=np.random.default_rng(0)), TypeError, "random_state=.*MT19937"),
    (
        lambda: fitted(random_state=np.random.RandomState(np.random.PCG64())),
        TypeError,
        "random_state=.*MT19937",
    ),
    (lambda: fitted(class_weight={0: [1]}), TypeError, r"class_weight=\[1\]"),
    (lambda: fitted(eta0=np.longdouble(1)), TypeError, "eta0 of type float128"),
    (lambda: fitted(max_iter=0), ValueError, "max_iter must be a whole number"),
    (lambda: fitted(output="average"), ValueError, r"array U is .*\(0, 8\).*\(5, 8\)"),
    (lambda: fitted(output="pocket"), ValueError, "array champion_W"),
    (lambda: fitted(penalty="l1"), ValueError, "array Q .*Give it the parameters"),
    (
        lambda: Perceptron().fit(batch(0)[0], batch(0)[1].astype("M8[D]")),
        TypeError,
        "classes_ of type datetime64.*Use strings",
    ),
]


@pytest.mark.parametrize(("build", "kind", "message"), REFUSED_TO_SAVE)
def test_what_could_not_be_loaded_is_not_saved(build, kind, message, path):
    model = build()
    with pytest.raises(kind, match=f"(?s){message}"):
        save(model, path)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("notes", [{"a": {1, 2}}, {"a": float("nan")}, {"a": b"x"}])
def test_notes_must_be_json(notes, path):
    with pytest.raises((TypeError, ValueError), match="notes must be what JSON can hold"):
        save(fitted(), path, notes=notes)


def test_a_header_too_long_for_safetensors_is_refused_before_it_is_written(
    saved, path, monkeypatch
):
    monkeypatch.setattr(models, "_MOST_HEADER", 5000)
    with pytest.raises(ValueError, match="at most 5000"):
        save(saved, path, notes={"x": "y" * 5000})
    assert_same(saved, load(path))


def test_the_limit_of_the_header_is_below_that_of_safetensors(path):
    save_file({"W": np.zeros(1)}, path, {"x": "y" * models._MOST_HEADER})
    with safe_open(path, "np") as file:
        assert len(file.metadata()["x"]) == models._MOST_HEADER


# --- what is not loaded --------------------------------------------------------------------------


def rewrite(path, change):
    """The file with ``change`` made by somebody who knows how to seal it again."""
    with safe_open(path, "np") as file:
        header = json.loads(file.metadata()["rosenblatt"])
        tensors = file.get_tensors() if hasattr(file, "get_tensors") else None
        tensors = tensors or {name: file.get_tensor(name) for name in list(file.keys())}
    change(header, tensors)
    header["sha256"] = models._digest(tensors)
    header["seal"] = models._seal(header)
    save_file(tensors, path, {"rosenblatt": json.dumps(header)})


def put(*place, value):
    """A change of one entry of the header."""

    def change(header, tensors):
        for key in place[:-1]:
            header = header[key]
        header[place[-1]] = value

    return change


def drop(*place):
    def change(header, tensors):
        for key in place[:-1]:
            header = header[key]
        del header[place[-1]]

    return change


def array(name, value):
    return lambda header, tensors: tensors.__setitem__(name, value)


def labels(values, dtype="<i8"):
    return put("fitted", "classes_", value={"dtype": dtype, "values": values})


def random_state(words=624, place=0):
    return put("params", "random_state", value={"RandomState": [[1] * words, place, 0, 0.0]})


def without(name):
    return lambda header, tensors: tensors.pop(name)


def renamed(old, new):
    return lambda header, tensors: tensors.__setitem__(new, tensors.pop(old))


def nested(depth):
    value = 1
    for _ in range(depth):
        value = {"dict": [[0, value]]}
    return value


CHANGES = {
    "W too wide": (array("W", np.zeros((5, 16))), "weights W"),
    "W too narrow": (array("W", np.zeros((5, 3))), r"W are float64 of shape \(5, 3\)"),
    "W too short": (array("W", np.zeros((4, 8))), "weights W"),
    "W empty": (array("W", np.zeros((0, 8))), "weights W"),
    "W flat": (array("W", np.zeros(40)), "weights W"),
    "W of integers": (array("W", np.zeros((5, 8), np.int64)), "weights W are int64"),
    "W of bytes": (array("W", np.zeros((5, 8), np.uint8)), "weights W are U8"),
    "W of half floats": (array("W", np.zeros((5, 8), np.float16)), "weights W are F16"),
    "W in single precision alone": (array("W", np.zeros((5, 8), "f4")), "array Q is float64"),
    "W missing": (without("W"), "weights W are nothing"),
    "b missing": (without("b"), r"missing \['b'\]"),
    "b another name": (renamed("b", "c"), r"missing \['b'\], unknown \['c'\]"),
    "b too short": (array("b", np.zeros(3)), "array b"),
    "b a matrix": (array("b", np.zeros((1, 8))), "array b"),
    "one array more": (array("x", np.zeros(3)), r"unknown \['x'\]"),
    "U of another height": (array("U", np.zeros((3, 8))), "array U"),
    "U of another width": (array("U", np.zeros((5, 1))), "array U"),
    "Q of another type": (array("Q", np.zeros((0, 8), "f4")), "array Q"),
    "champion too short": (array("champion_W", np.zeros((1, 8))), "array champion_W"),
    "pocket too narrow": (array("pocket_W", np.zeros((5, 1))), "array pocket_W"),
    "no books of the average": (put("params", "output", value="average"), "array U"),
    "no books of the pocket": (put("params", "output", value="pocket"), "array champion_W"),
    "no books of the L1 penalty": (put("params", "penalty", value="l1"), "array Q"),
    "t as a float": (array("t", np.zeros(1)), "array t is float64"),
    "t empty": (array("t", np.zeros(0, np.int64)), "array t"),
    "t negative": (array("t", np.array([-1])), "array t cannot be"),
    "errors negative": (array("errors", np.array([-1])), "array errors cannot be"),
    "updates negative": (array("updates", -np.ones(8, np.int64)), "array updates cannot be"),
    "run negative": (array("run", np.array([0, -5])), "array run cannot be"),
    "run too short": (array("run", np.array([0])), "array run"),
    "scale zero": (array("scale", np.zeros(8)), "array scale cannot be"),
    "scale NaN": (array("scale", np.full(8, np.nan)), "array scale cannot be"),
    "scale infinite": (array("scale", np.full(8, np.inf)), "array scale cannot be"),
    "active padding": (array("active", np.ones(8, bool)), "array active cannot be"),
    "active as bytes": (array("active", np.ones(8, np.uint8)), "array active is U8"),
    "pocket errors NaN": (array("pocket_errors", np.array([np.nan])), "array pocket_errors"),
    "coef_ of another shape": (array("coef_", np.zeros((3, 6))), "array coef_"),
    "coef_ of another type": (array("coef_", np.zeros((3, 5), np.int64)), "array coef_"),
    "history a column short": (without("history_.norm"), "history_.norm"),
    "history without epochs": (without("history_.epoch"), r"unknown \['history_\."),
    "history of another length": (array("history_.norm", np.zeros(9)), "history_.norm"),
    "history a matrix": (array("history_.epoch", np.zeros((2, 1), np.int64)), "history_.epoch"),
    "history a number": (array("history_.epoch", np.array(1)), "history_"),
    "history of another type": (array("history_.seconds", np.zeros(2, "f4")), "history_.seconds"),
    "class unknown": (put("class", value="Oracle"), "class 'Oracle' is none of Perceptron"),
    "class of another library": (put("class", value="os.system"), "class 'os.system'"),
    "class no name": (put("class", value=["Perceptron"]), "model.safetensors"),
    "class another": (put("class", value="Adaline"), "params: missing"),
    "rule unknown": (put("params", "rule", value="newest"), "rule must be one of"),
    "rule object unknown": (
        put("params", "rule", value={"rule": "Newest", "fields": {}}),
        "unknown kind",
    ),
    "rule object not a rule": (
        put("params", "rule", value={"rule": "NamedTuple", "fields": {}}),
        "unknown kind",
    ),
    "rule without fields": (
        put("params", "rule", "fields", value={}),
        r"rule PA1: missing \['C'\]",
    ),
    "rule with a field more": (put("params", "rule", "fields", "D", value=1), r"unknown \['D'\]"),
    "rule of words": (put("params", "rule", "fields", "C", value="many"), "many"),
    "rule no name": (put("params", "rule", value=3), "rule must be a name"),
    "parameter missing": (drop("params", "tie"), r"params: missing \['tie'\]"),
    "parameter unknown": (put("params", "magic", value=1), r"unknown \['magic'\]"),
    "parameters no object": (put("params", value=[]), "params should be a JSON object"),
    "parameter out of range": (put("params", "max_iter", value=0), "max_iter must be"),
    "parameter NaN": (put("params", "eta0", value={"float": "nan"}), "eta0 must be"),
    "parameter of an odd kind": (put("params", "eta0", value={"eval": "1"}), "unknown kind"),
    "parameter a list": (put("params", "eta0", value=[1.0]), "unknown kind"),
    "parameter a bottomless pit": (put("params", "class_weight", value=nested(300)), None),
    "parameter a pit": (put("params", "eta0", value=nested(100)), "eta0 must be"),
    "class_weight a word": (put("params", "class_weight", value="heavy"), "class_weight must be"),
    "random state a word": (put("params", "random_state", value="seed"), "seed"),
    "random state too short": (random_state(words=623), "MT19937"),
    "random state beyond its end": (random_state(place=10**6), "MT19937"),
    "random state before its start": (random_state(place=-1), "MT19937"),
    "random state of words": (
        put("params", "random_state", value={"RandomState": [["x"] * 624, 0, 0, 0.0]}),
        None,
    ),
    "labels unsorted": (labels([1, 0, 2]), "classes_ are not in order"),
    "labels twice": (labels([0, 0, 2]), "classes_ are not in order"),
    "labels too few": (labels([0, 1]), "weights W"),
    "labels too many": (labels(list(range(9))), "weights W"),
    "labels missing": (put("fitted", "classes_", value=None), "classes_ cannot be"),
    "labels nested": (labels([[0, 1, 2]]), "classes_ are not in order"),
    "labels ragged": (labels([[0], [1, 2], []]), None),
    "labels a number": (labels(3), "classes_ are not in order"),
    "labels of a strange type": (labels([0, 1, 2], "M8[D]"), "unknown type"),
    "labels of a broken type": (labels([0, 1, 2], ["<i8"]), "unknown type"),
    "labels beyond their type": (labels([0, 1, 300], "|i1"), None),
    "labels between the integers": (labels([0, 1, 2.5]), "not of their type"),
    "labels longer than their type": (labels(["a", "b", "long"], "<U2"), "not of their type"),
    "labels as objects": (labels([0, 1, 2], "|O"), "not of their type"),
    "labels of a gigantic width": (labels(["a", "b", "c"], "<U99999999"), "more than 67108864"),
    "features another number": (put("fitted", "n_features_in_", value=6), "weights W"),
    "features none": (put("fitted", "n_features_in_", value=0), "n_features_in_ cannot be 0"),
    "features beyond memory": (put("fitted", "n_features_in_", value=2**60), "weights W"),
    "features a word": (put("fitted", "n_features_in_", value="5"), "n_features_in_ cannot be"),
    "names too few": (put("fitted", "feature_names_in_", value=["a"]), "feature_names_in_ cannot"),
    "names of numbers": (put("fitted", "feature_names_in_", value=[1] * 5), "feature_names_in_"),
    "epochs a word": (put("fitted", "n_iter_", value="3"), "n_iter_ cannot be '3'"),
    "converged a word": (put("fitted", "converged_", value="yes"), "converged_ cannot be 'yes'"),
    "open unknown": (put("fitted", "open", value=None), "open cannot be None"),
    "fitted another thing": (put("fitted", "extra", value=1), r"unknown \['extra'\]"),
    "fitted no object": (put("fitted", value=None), "should be a JSON object"),
    "notes with NaN": (put("notes", value={"x": float("nan")}), "the number NaN"),
    "header lacks its notes": (drop("notes"), r"header: missing \['notes'\]"),
    "header has more": (put("pickle", value="gASVAAAA"), r"unknown \['pickle'\]"),
    "format zero": (put("format", value=0), "format must be 1; found 0"),
    "format true": (put("format", value=True), "format must be 1; found True"),
    "format a word": (put("format", value="1"), "format must be 1; found '1'"),
    "format missing": (drop("format"), "format must be 1; found None"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_at_odds_with_itself_is_refused(name, saved, path):
    change, message = CHANGES[name]
    rewrite(path, lambda header, tensors: None)
    assert_same(saved, load(path))
    rewrite(path, change)
    with pytest.raises(ModelError, match=message) as refusal:
        load(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert "restore it from a backup" in str(refusal.value)


def test_a_regressor_has_no_labels(path):
    save(LMSRegressor(max_iter=1, tol=None).fit(*batch(0, classes=2)), path)
    rewrite(path, labels([0, 1]))
    with pytest.raises(ModelError, match="classes_ cannot be"):
        load(path)


def test_a_newer_format_says_who_wrote_it(saved, path):
    def change(header, tensors):
        header.update(format=2, rosenblatt="9.8.7", novelty=[1])
        tensors["news"] = np.zeros(3)

    rewrite(path, change)
    for read in (load, describe):
        with pytest.raises(
            ModelError, match=r"(?s)format 2, written by rosenblatt 9\.8\.7.*Upgrade"
        ):
            read(path)


HEADERS = {
    "not JSON": "{'format': 1}",
    "cut short": '{"format": 1',
    "empty": "",
    "a list": "[1]",
    "a number": "1",
    "not a number": '{"format": NaN}',
    "beyond all numbers": '{"format": 1e999}',
    "a number without end": '{"format": ' + "9" * 10_000 + "}",
    "a bottomless pit": "[" * 200_000,
    "nothing but the format": '{"format": 1}',
}


@pytest.mark.parametrize("text", HEADERS.values(), ids=HEADERS.keys())
def test_a_broken_header_is_refused(text, path):
    save_file({"W": np.zeros((1, 1))}, path, {"rosenblatt": text})
    for read in (load, describe):
        with pytest.raises(ModelError, match=r"^.*a model\.safetensors: .*save the model again"):
            read(path)


@pytest.mark.parametrize("metadata", [None, {}, {"format": "pt"}])
def test_another_programs_safetensors_file_is_refused(metadata, path):
    save_file({"W": np.zeros((1, 1))}, path, metadata)
    for read in (load, describe):
        with pytest.raises(ModelError, match="of another program"):
            read(path)


def size_bomb(shape, body):
    header = {"W": {"dtype": "F64", "shape": shape, "data_offsets": [0, len(body)]}}
    text = json.dumps({"__metadata__": {"rosenblatt": '{"format": 1}'}, **header}).encode()
    return len(text).to_bytes(8, "little") + text + body


NO_SAFETENSORS = {
    "empty": b"",
    "short": b"\x01",
    "text": b"1 1:0.5 7:1\n-1 2:0.25\n",
    "pickle": b"\x80\x04\x95" + b"x" * 100,
    "header beyond memory": (2**62).to_bytes(8, "little") + b"{}",
    "header beyond the file": (2**20).to_bytes(8, "little") + b"{}",
    "array beyond memory": size_bomb([2**40, 8], b"\0" * 64),
    "array beyond all numbers": size_bomb([2**62, 2**62], b""),
    "nothing of a size beyond memory": size_bomb([0, 2**60], b""),
}


@pytest.mark.parametrize("content", NO_SAFETENSORS.values(), ids=NO_SAFETENSORS.keys())
def test_what_is_no_safetensors_file_is_refused_and_takes_no_memory(content, path):
    path.write_bytes(content)
    tracemalloc.start()
    for read in (load, describe):
        with pytest.raises(ModelError, match=r"a model\.safetensors: .*restore it from a backup"):
            read(path)
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()


def test_what_is_no_file_is_refused(path):
    for read in (load, describe):
        with pytest.raises(FileNotFoundError, match=r"a model\.safetensors"):
            read(path)
        with pytest.raises(ModelError, match="a folder or a device"):
            read(path.parent)
    os.mkfifo(path)
    with pytest.raises(ModelError, match="a folder or a device"):
        load(path)


# --- damage --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small model, its file's bytes and a place to damage them."""
    path = tmp_path_factory.mktemp("damage") / "model"
    model = Perceptron(random_state=3, class_weight={0: 1.5, 1: 1.0}).fit([[0.0], [1.0]], [0, 1])
    save(model, path, notes={"é": 'a "note"'})
    return model, path.read_bytes(), path


def assert_refused_or_the_same(model, content, path):
    path.write_bytes(content)
    try:
        loaded = load(path)
    except ModelError:
        return True
    assert_same(model, loaded)
    return False


@pytest.mark.parametrize("mask", [0x01, 0x20, 0xFF])
def test_no_changed_byte_goes_unseen(small, mask):
    model, content, path = small
    refused = 0
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= mask
        refused += assert_refused_or_the_same(model, bytes(damaged), path)
    assert refused >= len(content) - 8  # "\u00e9" may become "\u00E9"


def test_no_missing_byte_goes_unseen(small):
    model, content, path = small
    for length in range(len(content)):
        assert assert_refused_or_the_same(model, content[:length], path)
    assert assert_refused_or_the_same(model, content + b"\0", path)
    assert not assert_refused_or_the_same(model, content, path)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_no_overwritten_stretch_goes_unseen(small, data):
    model, content, path = small
    start = data.draw(st.integers(0, len(content)))
    length = data.draw(st.integers(0, 64))
    new = data.draw(st.binary(max_size=64))
    assert_refused_or_the_same(model, content[:start] + new + content[start + length :], path)


def test_swapped_arrays_are_seen(saved, path):
    with safe_open(path, "np") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in list(file.keys())}
    tensors["b"], tensors["area"] = tensors["area"], tensors["b"]
    save_file(tensors, path, metadata)
    with pytest.raises(ModelError, match="checksum of its arrays"):
        load(path)


# --- what a file says of itself ------------------------------------------------------------------


def test_describe_reads_the_header_and_no_weights(saved, path):
    about = describe(path)
    assert about["format"] == 1
    assert about["rosenblatt"] == rosenblatt.__version__
    assert about["class"] == "Perceptron"
    assert about["params"]["rule"] == {"rule": "PA1", "fields": {"C": 0.5}}
    assert about["fitted"]["classes_"] == {"dtype": "<i8", "values": [0, 1, 2]}
    assert about["fitted"]["n_features_in_"] == 5
    assert about["notes"] == {"target": "kind"}
    assert about["tensors"]["W"] == {"dtype": "float64", "shape": [5, 8]}
    assert about["tensors"]["active"] == {"dtype": "bool", "shape": [8]}
    assert about["bytes"] == path.stat().st_size
    json.dumps(about, allow_nan=False)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert describe(path) == about
    with pytest.raises(ModelError, match="checksum of its arrays"):
        load(path)


def test_the_header_is_standard_json_and_any_reader_finds_the_weights(path):
    model = fitted(class_weight={0: float("inf"), 1: float("nan")})
    save(model, path)
    with safe_open(path, "np") as file:
        assert list(file.metadata()) == ["rosenblatt"]
        json.loads(file.metadata()["rosenblatt"], parse_constant=pytest.fail)
        assert (model.coef_ == file.get_tensor("W")[:, :3].T).all()


# --- the disk ------------------------------------------------------------------------------------


def run(code, **options):
    """Run a program in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=environment,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        **options,
    ).stdout


def assert_untouched(model, path):
    assert_same(model, load(path))
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failure_at_any_step_leaves_the_old_file_whole(call, saved, path, monkeypatch):
    def fail(*arguments):
        raise OSError(errno.EIO, "the disk is on fire")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match=r"the disk is on fire.*untouched") as failure:
        save(fitted(), path)
    monkeypatch.undo()
    assert failure.value.errno == errno.EIO
    assert failure.value.filename == str(path)
    assert_untouched(saved, path)


def test_an_interrupt_leaves_the_old_file_whole(saved, path, monkeypatch):
    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(fitted(), path)
    assert_untouched(saved, path)


def test_the_bytes_are_on_the_disk_before_they_have_the_name(path, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace

    def seen_fsync(descriptor):
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        calls.append((kind, os.fstat(descriptor).st_size if kind == "file" else None))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", seen_fsync)
    monkeypatch.setattr(os, "replace", lambda *names: calls.append("rename") or replace(*names))
    save(fitted(), path)
    assert calls == [("file", path.stat().st_size), "rename", ("folder", None)]


def test_a_folder_that_cannot_be_synced_is_no_failure(path, monkeypatch):
    fsync = os.fsync

    def fail_on_folders(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "no such thing here")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fail_on_folders)
    save(fitted(), path)
    load(path)


def test_paths_that_cannot_be_written(saved, path):
    for bad, kind in {
        path / "below a file": NotADirectoryError,
        path.parent / "no folder" / "model": FileNotFoundError,
        path.parent: IsADirectoryError,
        path.parent / ("x" * 300): OSError,
    }.items():
        with pytest.raises(kind, match=r"was not saved \(.*a folder that exists") as failure:
            save(saved, bad)
        assert failure.value.filename == str(bad)
    assert_untouched(saved, path)


def test_a_device_or_a_pipe_is_not_replaced(saved, path):
    pipe = path.parent / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="was not saved"):
        save(saved, pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_permissions_follow_the_umask_and_links_stay(saved, path):
    link = path.parent / "link"
    link.symlink_to(path.name)
    umask = os.umask(0o027)
    try:
        save(fitted(), link)
    finally:
        os.umask(umask)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert load(path).rule == "perceptron"


@pytest.fixture
def tiny_disk(tmp_path):
    """A disk of 64 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("only root can make a small disk to fill")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_leaves_the_old_file_whole(saved, tiny_disk):
    path = tiny_disk / "model"
    save(saved, path)
    big = Perceptron().partial_fit(np.eye(3, 5000), [0, 1, 2])
    with pytest.raises(OSError, match="No space left") as failure:
        save(big, path)
    assert failure.value.errno == errno.ENOSPC
    assert failure.value.filename == str(path)
    assert_untouched(saved, path)


def test_a_file_size_limit_leaves_the_old_file_whole(saved, path):
    code = f"""
        import resource, numpy as np, rosenblatt
        model = rosenblatt.load({str(path)!r}).partial_fit(np.eye(3, 5), [0, 1, 2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
        try:
            rosenblatt.save(model, {str(path)!r})
        except OSError as error:
            print(error.errno, error.filename)
    """
    assert run(code) == f"{errno.EFBIG} {path}\n"
    assert_untouched(saved, path)


def test_kill_at_any_moment_leaves_a_whole_file(tmp_path):
    path = tmp_path / "model"
    code = f"""
        import os, random, signal, time
        import numpy as np
        import rosenblatt

        def model(label):
            model = rosenblatt.Perceptron(verbose=label)
            model.partial_fit(np.full((2, 200_000), label + 0.5), [0, 1])
            return model

        models = [model(0), model(1)]
        rosenblatt.save(models[0], {str(path)!r})
        found, torn, kills = set(), 0, 0
        random.seed(0)
        while kills < 15 or (not torn and kills < 200):
            child = os.fork()
            if child == 0:
                while True:
                    rosenblatt.save(models[kills % 2], {str(path)!r})
            time.sleep(random.uniform(0.005, 0.05))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            loaded = rosenblatt.load({str(path)!r})
            twin = models[loaded.verbose]
            assert loaded._state.W.tobytes() == twin._state.W.tobytes()
            found.add(loaded.verbose)
            kills += 1
            for name in set(os.listdir({str(tmp_path)!r})) - {{"model"}}:
                assert name.startswith(".rosenblatt-") and name.endswith(".tmp")
                torn += 1
                os.unlink(os.path.join({str(tmp_path)!r}, name))
        print(sorted(found), torn > 0)
    """
    assert run(code) == "[0, 1] True\n"  # both were written, and some died half-way
