"""Model files of learners with ``scale=True``: round trips, older formats, hostile values."""

import numpy as np
import pytest
import scipy.sparse as sp
from edited_models import array, put, rewrite, without
from saved_models import assert_same_bits, batch

from rosenblatt import LMSRegressor, Perceptron, load, save
from rosenblatt.learning.interface import centre_columns
from rosenblatt.models import ModelError, compare, describe


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model"


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_loaded_model_continues_to_the_bit(kind, dtype, path):
    X, y = batch(0, dtype=dtype)
    X = kind(X * [1, 10, 100, 1000, 1e4]).astype(dtype)
    model = Perceptron(scale=True, output="average").partial_fit(X, y)
    save(model, path)
    back = load(path)
    assert_same_bits(back, model)
    assert compare(model, back).equal
    assert_same_bits(back.partial_fit(X, y), model.partial_fit(X, y))
    assert compare(model, back).equal
    for one, other in zip(back._scaling.moments, model._scaling.moments, strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_loaded_model_keeps_its_centred_columns(path):
    X, y = batch(0)
    X = sp.csr_array(np.maximum(X, 0.0))
    model = Perceptron(scale=True)
    centre_columns(model, [1, 3])
    save(model.partial_fit(X, y), path)
    back = load(path)
    assert back._scaling.moments.centred.tolist() == [False, True, False, True, False]
    assert compare(back.partial_fit(X, y), model.partial_fit(X, y)).equal


def test_only_scaled_models_need_the_newer_format(path):
    X, y = batch(0)
    for scale, version in ((False, 2), (True, 3)):
        save(Perceptron(scale=scale).fit(X, y), path)
        about = describe(path)
        assert about["format"] == version
        assert ("scale" in about["params"]) == scale
        assert ("moments.mean" in about["tensors"]) == scale
        assert load(path).scale is scale
    save(LMSRegressor(scale=True).fit(X, X[:, 0]), path)
    assert load(path).predict(X).shape == (40,)


def test_models_that_differ_in_the_scale_differ(path):
    X, y = batch(0)
    model = Perceptron(scale=True).partial_fit(X, y)
    other = Perceptron(scale=True).partial_fit(X, y)
    other._scaling.moments.mean[0] += 1.0
    assert not compare(model, other).equal


def test_a_scale_that_was_not_trained_is_not_saved(path):
    model = Perceptron().fit(*batch(0)).set_params(scale=True)
    with pytest.raises(ValueError, match="cannot be saved: the list of its arrays: missing"):
        save(model, path)
    model = Perceptron(scale=True).fit(*batch(0)).set_params(scale=False)
    with pytest.raises(ValueError, match="cannot be saved: the list of its arrays: missing"):
        save(model, path)


def change(name, value):
    return lambda header, tensors: tensors[f"moments.{name}"].__setitem__(0, value)


CHANGES = {
    "a negative number": (change("n_seen", -1), "array moments.n_seen has invalid"),
    "a number of values beyond reach": (change("n_seen", 2**63 - 1), "moments.n_seen has invalid"),
    "a mean beyond its squares": (change("mean", 1e308), "array moments.mean has invalid"),
    "squares of no value": (change("n_seen", 0), "array moments.(mean|squares) has invalid"),
    "a mean of NaN": (change("mean", np.nan), "array moments.mean has invalid"),
    "a mean of a column not centred": (
        array("moments.centred", np.zeros(5, bool)),
        "array moments.(mean|dense) has invalid",
    ),
    "dense rows not centred": (
        lambda *file: [change(name, 0)(*file) for name in ("centred", "mean")],
        "array moments.dense has invalid",
    ),
    "infinite squares": (change("squares", np.inf), "array moments.squares has invalid"),
    "negative squares": (change("squares", -1.0), "array moments.squares has invalid"),
    "too few columns": (array("moments.mean", np.zeros(3)), "array moments.mean is float64"),
    "another type": (array("moments.n_seen", np.zeros(5)), "array moments.n_seen is float64"),
    "an array too few": (without("moments.squares"), r"missing \['moments.squares'\]"),
    "arrays without the parameter": (put("params", "scale", value=False), "unknown"),
    "a word": (put("params", "scale", value="yes"), "scale must be True or False"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_hostile_values_are_refused(name, path):
    edit, message = CHANGES[name]
    save(Perceptron(scale=True).fit(*batch(0)), path)
    rewrite(path, edit)
    with pytest.raises(ModelError, match=message):
        load(path)
