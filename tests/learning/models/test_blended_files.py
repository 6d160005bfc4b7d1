"""Files of a blended rule whose arrays lie: an error or a model, and never beyond the memory."""

import numpy as np
import pytest
from edited_models import rewrite

from rosenblatt import Perceptron, load, save
from rosenblatt.engine.blend import records_of

D = 6


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, D)) + 1.0, rng.integers(0, 2, 60)
    path = tmp_path / "model.rosenblatt"
    save(Perceptron(rule="auto", max_iter=1, tol=None).fit(X, y), path)
    return path


def changed(name, place, value):
    def change(header, tensors):
        tensors[name].reshape(-1)[place] = value
        tensors["blend.lists"][1] = -1  # the weights are to be written

    return change


def use(path):
    """Predict and learn on, with rows of every column."""
    model = load(path)
    X = np.ones((4, D))
    model.predict(X)
    model.partial_fit(X, model.classes_[[0, 1, 0, 1]])
    return model


def test_the_file_is_good_as_it_was_written(path):
    rewrite(path, lambda header, tensors: None)
    assert np.isfinite(use(path).coef_).all()


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        *[("blend.dense", slice(None), value) for value in (-1, D, 2**31, 2**62, -(2**63))],
        *[("blend.lists", 0, value) for value in (D + 1, 2**31, 2**62)],
        *[("blend.totals", 0, value) for value in (np.nan, np.inf, -1.0, 1e300)],
        ("blend.totals", 1, -1.0),
        *[("blend.sums", 1, value) for value in (0.0, -1.0, np.nan)],
        *[("blend.columns", place, np.nan) for place in range(16)],
        *[("blend.columns", place, np.inf) for place in range(16)],
        *[("blend.columns", place, -1.0) for place in (3, 4, 5, 6, 7, 12)],
    ],
)
def test_numbers_that_training_cannot_produce_are_refused(path, name, place, value):
    rewrite(path, changed(name, place, value))
    with pytest.raises(ValueError, match=r"cannot be|must be"):
        use(path)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        *[("blend.lists", 0, value) for value in (0, 1, -1, -7, -(2**63))],
        *[("blend.lists", 1, value) for value in (0, 1, -(2**63))],
        *[("blend.seen", slice(None), value) for value in (-1, 61, 2**62, -(2**63))],
        ("blend.dense", slice(None), 0),  # one column, as often as there are columns
    ],
)
def test_marks_and_lists_that_lie_do_no_harm(path, name, place, value):
    rewrite(path, changed(name, place, value))
    assert np.isfinite(use(path).coef_).all()


def test_records_of_the_file_are_those_of_the_features_and_the_intercept(path):
    seen = []
    rewrite(path, lambda header, tensors: seen.append(records_of(tensors["blend.columns"])))
    assert seen[0].weights.shape == (D + 1, 3, 1)
    assert (seen[0].largest[1:] > 0.0).all()
