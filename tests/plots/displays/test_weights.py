"""Weights as images."""

import numpy as np
import pytest
from displays import drawn
from matplotlib import pyplot
from sklearn.datasets import load_digits

from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    toys,
)
from rosenblatt.plots import (
    WeightsDisplay,
)

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)


def test_weights_are_images_on_one_scale_around_zero():
    X, y = load_digits(return_X_y=True)
    model = Perceptron(max_iter=1, tol=None).fit(X, y)
    display = drawn(WeightsDisplay.from_estimator(model, shape=(8, 8)))
    assert [ax.get_title(loc="left") for ax in display.axes_] == list("0123456789")
    most = np.abs(model.coef_).max()
    for image, w in zip(display.images_, model.coef_, strict=True):
        assert np.array_equal(image.get_array().ravel(), w)
        assert image.get_clim() == (-most, most)


def test_two_classes_are_one_image_of_the_second():
    model = Perceptron().fit(TOY.X, np.where(TOY.y > 0, "spam", "ham"))
    display = drawn(WeightsDisplay.from_estimator(model, shape=(1, 2)))
    assert display.classes == ("spam",)
    assert len(display.axes_) == 1
    assert display.figure_.get_size_inches()[0] > 3


def test_the_sign_of_a_class_is_a_minus():
    model = Perceptron().fit(TOY.X, -1 - (TOY.y < 0))
    assert WeightsDisplay.from_estimator(model, (1, 2)).axes_[0].get_title(loc="left") == "−1"
    model = Perceptron().fit(TOY.X, TOY.y)
    assert WeightsDisplay.from_estimator(model, (1, 2)).classes == ("+1",)


def test_weights_of_another_size_are_refused():
    with pytest.raises(ValueError, match=r"of 2 pixels, got 8 × 8; .*, \(1, 2\)$"):
        WeightsDisplay.from_estimator(Perceptron().fit(TOY.X, TOY.y), (8, 8))
    with pytest.raises(ValueError, match=r"shape must be a pair \(height, width\), got 2"):
        WeightsDisplay.from_weights([[1.0, 2.0]], 2)
    with pytest.raises(ValueError, match="must have coef_"):
        WeightsDisplay.from_estimator(KernelPerceptron().fit(TOY.X, TOY.y), (1, 2))
    with pytest.raises(ValueError, match="classes must be 1, got 2"):
        WeightsDisplay.from_weights([[1.0, 2.0]], (1, 2), ["a", "b"])
    with pytest.raises(ValueError, match="2 axes for 2 panels, got 1"):
        WeightsDisplay.from_weights(np.eye(2), (1, 2), ax=pyplot.subplots()[1])
