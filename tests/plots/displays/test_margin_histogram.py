"""The histogram of margins."""

import numpy as np
import pytest
from displays import drawn, words
from matplotlib.colors import to_hex
from sklearn.datasets import load_digits

from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    theory,
    toys,
)
from rosenblatt.plots import (
    MarginHistogramDisplay,
    style,
)

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)


def test_L1_3_margins_of_two_classes():
    toy = toys.separable(60, 7)
    model = Perceptron().fit(toy.X, toy.y)
    display = drawn(MarginHistogramDisplay.from_estimator(model, toy.X, toy.y))
    w, b = model.coef_[0], model.intercept_[0]
    assert display.margins == pytest.approx(theory.margins(toy.X, toy.y, w, b))
    assert display.smallest == pytest.approx(theory.margin(toy.X, toy.y, w, b))
    assert display.wrong == 0
    assert display.mark_.get_xdata()[0] == display.smallest
    assert "Every row is right" in words(display.figure_)


def test_L3_8_margins_of_ten_classes_are_distances_to_the_nearest_boundary():
    X, y = load_digits(return_X_y=True)
    model = Perceptron(max_iter=5, tol=None).fit(X[:1000], y[:1000])
    X, y = X[1000:], y[1000:]
    display = drawn(MarginHistogramDisplay.from_estimator(model, X, y))
    assert np.array_equal(display.margins > 0, model.predict(X) == y)
    i = int(np.argmax(display.margins))
    rivals = [k for k in range(10) if k != y[i]]
    across = model.coef_[y[i]] - model.coef_[rivals]
    scores = across @ X[i] + model.intercept_[y[i]] - model.intercept_[rivals]
    nearest = np.argmin(scores / np.linalg.norm(across, axis=1))
    step = (1 + 1e-9) * display.margins[i] * across[nearest] / np.linalg.norm(across[nearest])
    assert model.predict([X[i] - step])[0] == rivals[nearest]


def test_the_bars_hold_all_rows_and_the_mistaken_side_is_purple():
    margins = np.random.default_rng(0).normal(0.5, 1, 300)
    display = drawn(MarginHistogramDisplay.from_margins(margins))
    heights = {style.GREEN: 0, style.PURPLE: 0}
    for bar in display.bars_:
        heights[to_hex(bar.get_facecolor()).upper()] += bar.get_height()
    assert heights == {style.PURPLE: (margins < 0).sum(), style.GREEN: (margins >= 0).sum()}
    assert f"{display.wrong} of 300 rows on the wrong side" in words(display.figure_)


@pytest.mark.parametrize("sign", [1, -1, 0])
def test_every_row_has_its_place_in_a_bar(sign):
    margins = sign * np.random.default_rng(7).random(14)  # the largest is beyond 12 widths
    display = drawn(MarginHistogramDisplay.from_margins(margins))
    assert sum(bar.get_height() for bar in display.bars_) == 14


def test_margins_that_do_not_exist_are_refused():
    kernel = KernelPerceptron().fit(TOY.X, TOY.y)
    with pytest.raises(ValueError, match="must have coef_"):
        MarginHistogramDisplay.from_estimator(kernel, TOY.X, TOY.y)
    model = Perceptron().fit(TOY.X, TOY.y)
    with pytest.raises(ValueError, match="y must hold -1 and 1, got 0"):
        MarginHistogramDisplay.from_estimator(model, TOY.X, 0 * TOY.y)
    model.coef_ = 0 * model.coef_
    with pytest.raises(ValueError, match="there is no boundary"):
        MarginHistogramDisplay.from_estimator(model, TOY.X, TOY.y)
    with pytest.raises(ValueError, match="margins must be finite"):
        MarginHistogramDisplay.from_margins([1.0, np.nan])
