"""A saved model is the model: there and back, to the bit."""

import json
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from profiles import by_night
from safetensors import safe_open
from safetensors.numpy import save_file
from saved_models import assert_same, assert_same_bits, batch, fitted, numbers, run, same_value
from sklearn import linear_model
from sklearn.base import clone

import rosenblatt
from rosenblatt import (
    Adaline,
    AveragedPerceptron,
    LMSRegressor,
    PassiveAggressiveClassifier,
    Perceptron,
    rules,
)
from rosenblatt.engine.state import arrays_of
from rosenblatt.learning.models import files
from rosenblatt.models import ModelError, describe, load, save

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
    (Perceptron, {"rule": "arow", "output": "average"}, 2, "f8"),
    (Perceptron, {"rule": "romma"}, 3, "f8"),
    (Perceptron, {"rule": "minover", "output": "average"}, 2, "f8"),
    (Perceptron, {"rule": rules.MinOver(0.5, 2.0), "output": "pocket"}, 3, "f4"),
    (Perceptron, {"rule": "adagrad", "shards": 2}, 3, "f4"),
    (Perceptron, {"rule": "scw1", "multi_class": "joint", "output": "pocket"}, 3, "f8"),
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
def test_training_continues_after_loading_to_the_bit(cls, params, classes, dtype, path):
    random = np.random.RandomState(7)
    random.randn(3)  # leaves half of a pair of normal numbers behind
    model = cls(max_iter=3, tol=None, random_state=random, **params)
    model.fit(*batch(0, classes=classes, dtype=dtype))
    save(model, path)
    loaded = load(path)
    assert_same(model, loaded)
    matrices = [
        array for array in arrays_of(loaded._state).values() if array.ndim == 2 and array.size
    ]
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
    before = [array.tobytes() for array in arrays_of(saved._state).values()]
    save(saved, tmp_path / "again", notes={"target": "kind"})
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    assert [array.tobytes() for array in arrays_of(saved._state).values()] == before
    save(load(path), tmp_path / "again", notes=describe(path)["notes"])
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_a_new_process_continues_with_the_same_bits(saved, path):
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
def test_labels_keep_their_type(labels, path):
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


def test_fixed_classes_stay_fixed(path):
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
    {"class_weight": {0: 2, np.int64(1): np.float32(0.1), 2: 1e308}},
    {"class_weight": "balanced", "output": np.str_("average")},
    {"class_weight": {}, "random_state": None},
    {"random_state": np.int64(5), "tie": -1, "multi_class": "joint"},
]


@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_parameters_keep_their_types(params, path):
    model = Perceptron(output="average").fit(*batch(0)).set_params(**params)
    save(model, path)
    loaded = load(path)
    assert_same(model, loaded)
    for name, value in params.items():
        assert same_value(value, getattr(loaded, name)), name
    fresh = clone(loaded)
    assert "_state" not in vars(fresh)
    assert same_value(fresh.get_params(False), model.get_params(False))


def test_every_rule_of_the_library_is_saved(path):
    X, y = batch(0)
    for kind in rules.RULES.values():
        rule = kind(
            *(
                {"tie": 1.0, "p": 2.5, "learners": 1.0, "blend": 0.0}.get(name, 0.3)
                for name in kind._fields
            )
        )
        save(Perceptron(rule=rule, max_iter=1, tol=None).fit(X / 10, y), path)
        assert same_value(load(path).rule, rule)


def test_a_model_that_went_on_without_a_confidence_is_saved_without(path):
    X, y = batch(0)
    model = Perceptron(rule="arow", max_iter=1, tol=None).fit(X, y)
    save(model, path)
    assert {"C", "cb"} <= describe(path)["tensors"].keys()
    save(model.set_params(rule="perceptron").partial_fit(X, y), path)
    assert "C" not in describe(path)["tensors"]
    np.testing.assert_array_equal(load(path).coef_, model.coef_)


def test_column_names_and_history_are_saved(path):
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


def test_unused_averages_are_saved(path):
    model = Perceptron(penalty="l1", output="average", alpha=0.01).fit(*batch(0))
    model.set_params(penalty=None, output="last")
    save(model, path)
    loaded = load(path)
    assert loaded._state.U.any()
    assert loaded._state.Q.any()
    assert_same(model, loaded)
    assert_same(model.partial_fit(*batch(1)), loaded.partial_fit(*batch(1)))


def test_weights_edited_by_hand_are_saved(path):
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


REFUSED_TO_SAVE = [
    (lambda: Perceptron(), ValueError, "not fitted"),
    (lambda: Own().fit(*batch(0)), TypeError, "A Own cannot be saved.*one of Perceptron, "),
    (lambda: linear_model.Perceptron().fit(*batch(0)), TypeError, "A Perceptron cannot be saved"),
    (lambda: fitted(rule=Slow()), TypeError, r"rule=Slow.*contains no code.*rosenblatt\.rules"),
    (lambda: fitted(rule=PA1()), TypeError, r"rule=PA1.*contains no code"),
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
    (lambda: fitted(penalty="l1"), ValueError, "array Q .*Set the parameters"),
    (lambda: dated(), TypeError, "classes_ of type datetime64.*Use strings"),
]


def dated():
    """A model whose classes were set by hand to dates, which no fit takes."""
    model = fitted()
    model.classes_ = model.classes_.astype("M8[D]")
    return model


@pytest.mark.parametrize(("build", "kind", "message"), REFUSED_TO_SAVE)
def test_a_model_that_cannot_be_loaded_is_not_saved(build, kind, message, path):
    model = build()
    with pytest.raises(kind, match=f"(?s){message}"):
        save(model, path)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("notes", [{"a": {1, 2}}, {"a": float("nan")}, {"a": b"x"}])
def test_notes_must_be_json(notes, path):
    with pytest.raises((TypeError, ValueError), match="notes must be JSON values"):
        save(fitted(), path, notes=notes)


def test_a_header_too_long_for_safetensors_is_refused_before_it_is_written(
    saved, path, monkeypatch
):
    monkeypatch.setattr(files, "_MAX_HEADER_BYTES", 5000)
    with pytest.raises(ValueError, match="at most 5000"):
        save(saved, path, notes={"x": "y" * 5000})
    assert_same(saved, load(path))


@by_night("a header over the limit is refused, whatever the limit")
def test_the_limit_of_the_header_is_below_that_of_safetensors(path):
    save_file({"W": np.zeros(1)}, path, {"x": "y" * files._MAX_HEADER_BYTES})
    with safe_open(path, "np") as file:
        assert len(file.metadata()["x"]) == files._MAX_HEADER_BYTES


# --- what a file says of itself ------------------------------------------------------------------


def test_describe_reads_the_header_and_no_weights(saved, path):
    about = describe(path)
    assert about["format"] == 2
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
    model = fitted(class_weight={0: 1e308, 1: 5e-324})
    save(model, path)
    with safe_open(path, "np") as file:
        assert list(file.metadata()) == ["rosenblatt"]
        json.loads(file.metadata()["rosenblatt"], parse_constant=pytest.fail)
        assert (model.coef_ == file.get_tensor("W")[:, :3].T).all()


def test_the_bytes_of_a_model_are_those_of_its_file(path):
    model = fitted()
    save(model, path, notes={"target": "spam"})
    assert files.to_bytes(model, notes={"target": "spam"}) == path.read_bytes()
