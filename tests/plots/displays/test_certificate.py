"""Certificates in the plane."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from displays import drawn, labels_outside, words

from rosenblatt import Perceptron, certify, textbook, toys
from rosenblatt.plots import CertificateDisplay

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)
WIDEST = certify(TOY.X, TOY.y)


def of(X, y, **options):
    return drawn(CertificateDisplay.from_certificate(certify(X, y), X, y, **options))


def test_L2_5_a_separable_set_has_its_band_and_its_support_rows():
    display = of(TOY.X, TOY.y)
    corners = display.band_.get_xy()[:4]
    distances = (corners @ WIDEST.coef + WIDEST.intercept) / np.hypot(*WIDEST.coef)
    assert np.abs(distances) == pytest.approx(WIDEST.margin[0])
    assert np.array_equal(display.rings_.get_offsets(), TOY.X[WIDEST.rows])
    assert (display.share, display.hulls_, display.meeting) == (None, [], None)
    assert f"γ = {WIDEST.margin[0]:.3g}" in words(display.figure_)


def test_L3_8_the_widest_band_under_a_learned_line():
    model = Perceptron().fit(TOY.X, TOY.y)
    run = textbook.perceptron(TOY.X, TOY.y)
    for learned, (w, b) in ((model, (model.coef_[0], model.intercept_[0])), (run, run.line(-1))):
        display = of(TOY.X, TOY.y, learned=learned)
        margin = (TOY.y * (TOY.X @ w + b)).min() / np.hypot(*w)
        assert display.share == pytest.approx(margin / WIDEST.margin[1])
        assert f"learned: {100 * display.share:.3g} % of it" in words(display.figure_)
        point = np.array(display.learned_.get_xy1())
        assert w @ point + b == pytest.approx(0, abs=1e-9)
        key = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert key == ["−1", "+1", "learned"]


def test_L2_5_rows_on_the_line_of_a_quasi_separable_set():
    X, y = [[0, 0], [1, 1], [2, 2], [3, 3], [0, 2], [3, 0]], [0, 1, 0, 1, 0, 1]
    display = of(np.array(X, float), y)
    assert display.proof.status == "quasi-separable"
    assert sorted(display.rings_.get_offsets().tolist()) == [[k, k] for k in range(4)]
    assert "no row on the wrong side, 4 on the line" in words(display.figure_)
    assert display.band_ is None


def test_L3_9_two_segments_that_cross():
    square = toys.xor()
    display = of(square.X, square.y)
    assert [len(hull.get_xydata()) for hull in display.hulls_] == [3, 3]
    assert display.meeting_.get_offsets().tolist() == [[0, 0]]
    said = [text.get_text() for text in display.ax_.texts]
    assert said.count("1") == 4


def test_L2_5_a_triangle_around_a_point():
    X, y = np.array([[0, 0], [4, 0], [0, 4], [1, 1.0]]), [0, 0, 0, 1]
    display = of(X, y)
    triangle, point = (hull.get_xydata() for hull in display.hulls_)
    assert sorted(map(tuple, triangle[:3])) == sorted(map(tuple, X[:3]))
    assert triangle[0].tolist() == triangle[-1].tolist()
    assert point.tolist() == [[1, 1], [1, 1]]
    assert display.meeting.tolist() == [1, 1]
    assert display.meeting_ is None, "the point itself"


def test_through_the_origin_hulls_need_not_meet():
    X, y = np.array([[1.0, 1], [2, 2], [3, 1]]), [1, -1, 1]
    proof = certify(X, y, fit_intercept=False)
    display = drawn(CertificateDisplay.from_certificate(proof, X, y))
    assert display.meeting is None
    assert display.hulls_ == []
    (cross,) = [line for line in display.ax_.lines if line.get_marker() == "+"]
    assert cross.get_xydata().tolist() == [[0, 0]]


def test_one_class_against_the_rest_of_a_table():
    X = pd.DataFrame({"long": [0.0, 1, 0, 1, 5, 6], "wide": [0.0, 0, 3, 4, 0, 0]})
    y = ["a", "a", "b", "b", "c", "c"]
    proofs = certify(X, y)
    display = drawn(CertificateDisplay.from_certificate(proofs["b"], X, y))
    assert display.y.tolist() == [-1, -1, 1, 1, -1, -1]
    assert display.classes == ("the rest", "b")
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("long", "wide")
    with pytest.raises(TypeError, match="proof must be Certificate,"):
        CertificateDisplay.from_certificate(proofs, X, y)
    with pytest.raises(ValueError, match=r"X must be the certified rows, \(6, 2\), got \(5, 2\)"):
        CertificateDisplay.from_certificate(proofs["b"], X[:5], y[:5])
    model = Perceptron().fit(np.eye(3), [0, 1, 1])
    with pytest.raises(ValueError, match=r"coef_ of shape \(1, 2\)"):
        CertificateDisplay.from_certificate(WIDEST, TOY.X, TOY.y, learned=model)


def test_columns_in_different_units_have_two_scales():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(40_000, 15_000, 60), rng.normal(40, 12, 60)])
    y = X[:, 0] / 15_000 + X[:, 1] / 12 > 6
    display = CertificateDisplay.from_certificate(certify(X, y), X, y)
    low, high = display.ax_.get_ylim()
    assert high - low < 2 * np.ptp(X[:, 1])
    assert "two scales" in "".join(text.get_text() for text in display.ax_.texts)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_weights_stay_within_the_axes(scale):
    square = toys.xor()
    display = of(square.X * [1.0, scale], square.y)
    assert {text.get_text() for text in display.ax_.texts} >= {"1"}
    assert labels_outside(display) == []


def test_weights_cover_neither_their_rings_nor_a_hull():
    toy = toys.rings(80, inner=0.6, outer=0.75, width=0.35)
    display = of(toy.X, toy.y)
    display.figure_.canvas.draw()
    ax, edges = display.ax_, display.hulls_[0].get_xydata()
    along = np.linspace(0, 1, 200)[:, None, None]
    marks = [toy.X[display.proof.rows], *(edges[:-1] * along + edges[1:] * (1 - along))]
    weights = [text for text in ax.texts if "%" in text.get_text()]
    assert len(weights) == 4
    for text in weights:
        box = text.get_window_extent()
        assert not [
            mark for mark in ax.transData.transform(np.vstack(marks)) if box.contains(*mark)
        ]


def test_equal_rows_of_both_classes_have_a_weight_on_each_side():
    display = of([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5], [0.5, 0.5], [1.0, 0.0]], [1, 1, 1, -1, 1])
    places = [text.xyann for text in display.ax_.texts if text.get_text() == "1"]
    assert len(set(places)) == len(places)


def test_a_learned_w_of_zero_has_neither_line_nor_share():
    model = Perceptron().fit(TOY.X, TOY.y)
    model.coef_ = 0 * model.coef_
    display = of(TOY.X, TOY.y, learned=model)
    assert display.share is display.learned_ is None


def test_a_learned_line_with_mistakes_has_no_share():
    model = Perceptron().fit(TOY.X, TOY.y)
    model.intercept_ = np.array([9.0])
    display = of(TOY.X, TOY.y, learned=model)
    assert display.share < 0.0
    assert "learned: mistakes" in words(display.figure_)
    assert "%" not in words(display.figure_)


@pytest.mark.parametrize(("high", "said"), [(0.12341, "at most 0.124"), (np.inf, "unknown")])
def test_the_bound_of_an_undecided_margin_is_rounded_up(high, said):
    open_question = replace(WIDEST, status="undecided", margin=(0.0, high), coef=None)
    display = CertificateDisplay.from_certificate(open_question, TOY.X, TOY.y)
    assert f"the margin is {said}" in words(drawn(display).figure_)
