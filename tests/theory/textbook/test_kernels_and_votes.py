"""Kernels and votes: the lectures' algorithms by hand, and on explicit features."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_data import integer_rows, products
from profiles import thorough

from rosenblatt import textbook, toys

seeds = st.integers(0, 2**32 - 1)
examples = thorough(60)
nan = math.nan


# L2.9, L2.10


def test_L2_9_rings_are_learnt_on_quadratic_features():
    toy = toys.rings(40, 0.5, 1.0)
    run = textbook.perceptron(products(toy.X, 2), toy.y)
    assert run.converged
    # The lecture's Φ has √2 x1 x2 for the two mixed products: it is the same run but for rounding.
    x1, x2 = toy.X.T
    short = textbook.perceptron(np.column_stack([x1**2, 2**0.5 * x1 * x2, x2**2]), toy.y)
    np.testing.assert_array_equal(short.mistake, run.mistake)
    np.testing.assert_allclose(short.score, run.score, rtol=0, atol=1e-12)
    assert not textbook.perceptron(toy.X, toy.y, max_epochs=run.epochs).converged


@examples
@given(
    seed=seeds,
    degree=st.integers(1, 3),
    eta=st.sampled_from([1.0, 2.0, 2.0**-8]),
    tie=st.sampled_from([-1, 0, 1]),
)
def test_L2_10_a_kernel_looks_scores_and_corrects_as_its_features(seed, degree, eta, tie):
    X, y = integer_rows(seed)
    Z = products(X, degree)
    on_features = textbook.perceptron(Z, y, eta, tie=tie, max_epochs=20)
    by_kernel = textbook.kernel_perceptron(
        X, y, lambda x, z: (x @ z) ** degree, eta=eta, tie=tie, max_epochs=20
    )
    for name in ("order", "used", "score", "prediction", "label", "mistake"):
        np.testing.assert_array_equal(getattr(by_kernel, name), getattr(on_features, name), name)
    for name in ("epochs", "converged", "offset", "b"):
        assert getattr(by_kernel, name) == getattr(on_features, name), name
    alphas, b = by_kernel.weights[:, :-1], by_kernel.weights[:, -1:]
    np.testing.assert_array_equal(np.hstack([alphas @ Z, b]), on_features.weights)


def test_L2_10_by_hand():
    # k = (x z + 1)², so k(0, ·) = 1, k(1, 1) = 4, k(1, 2) = 9, k(2, 2) = 25; labels -, +, -.
    X, y = [[0.0], [1.0], [2.0]], [-1, 1, -1]
    run = textbook.kernel_perceptron(
        X, y, lambda x, z: (x @ z + 1) ** 2, eta=2.0, tie=1, max_epochs=1
    )
    # 0 is +: row 0 is wrong, -2; row 1: -2 - 2, wrong; row 2: -2 + 18 + 0, wrong.
    assert run.score.tolist() == [0, -4, 16]
    assert run.weights.tolist() == [[0, 0, 0, 0], [-2, 0, 0, -2], [-2, 2, 0, 0], [-2, 2, -2, -2]]
    assert (run.w.tolist(), run.b, run.offset) == ([-2, 2, -2], -2.0, -1)
    assert (run.epochs, run.converged) == (1, False)


def test_L2_10_any_function_of_two_rows_is_a_kernel():
    # Not symmetric: the first row is the one that is kept, the second the one that is scored.
    run = textbook.kernel_perceptron(
        [[1.0], [2.0]], [1, -1], lambda kept, x: kept[0] * x[0] ** 2, max_epochs=1
    )
    assert run.score.tolist() == [0, 1 * 4 + 1]
    assert run.weights[-1].tolist() == [1, -1, 0]


def test_L2_10_and_L3_9_xor_needs_the_kernel():
    toy = toys.xor()
    run = textbook.kernel_perceptron(toy.X, toy.y, lambda x, z: (x @ z + 1) ** 2)
    assert (run.converged, run.epochs, run.mistakes) == (True, 3, 4)
    linear = textbook.kernel_perceptron(toy.X, toy.y, lambda x, z: x @ z, max_epochs=200)
    assert (linear.converged, linear.epochs) == (False, 200)


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        (([], [-1, 1], max), {}, r"X must have shape \(n, d\)"),
        (([[1.0], [2.0]], [2, 1], max), {}, "y must hold the labels -1 and 1, or 0 and 1, got 2"),
        (([[1.0], [2.0]], [1, 1], max), {}, "y must hold both -1 and 1, got 1 only"),
        (([[1.0], [2.0]], [-1, 1], lambda x, z: nan), {}, r"k must be finite, got nan at \(0, 0\)"),
        (([[1.0], [2.0]], [-1, 1], lambda x, z: x), {}, r"k must have shape \(n, n\)"),
        (([[1.0], [2.0]], [-1, 1], lambda x, z: "near"), {}, "k must be an array of real numbers"),
        (([[1.0], [2.0]], [-1, 1], max), {"eta": 0.0}, "eta must be a finite number > 0, got 0.0"),
        (([[1.0], [2.0]], [-1, 1], max), {"tie": 2}, "tie must be one of -1, 0, 1; got 2"),
        (([[1.0], [2.0]], [-1, 1], max), {"max_epochs": 0}, "max_epochs must be a whole number"),
    ],
)
def test_kernel_perceptron_says_what_is_wrong(arguments, options, says):
    with pytest.raises(ValueError, match=says):
        textbook.kernel_perceptron(*arguments, **options)


def test_the_kernel_in_its_old_position_is_told_the_new_one():
    says = r"the kernel comes last: kernel_perceptron\(X, y, k\), not \(k, X, y\)"
    with pytest.raises(TypeError, match=says):
        textbook.kernel_perceptron(max, [[1.0], [2.0]], [-1, 1])
    with pytest.raises(TypeError, match="k must be a function of two rows, got str"):
        textbook.kernel_perceptron([[1.0], [2.0]], [-1, 1], "poly")


# L3.7


def test_L3_7_by_hand():
    X, y = [[1.0], [1.0], [1.0], [10.0], [10.0]], [-1, -1, -1, 1, 1]
    done = textbook.voted_perceptron(X, y)
    # sign(0) = +1: wrong, w = -1; right twice; wrong, w = -1 + 10; right.
    assert done.run.weights.tolist() == [[0], [-1], [9]]
    assert done.run.mistake.tolist() == [True, False, False, True, False]
    assert done.survived.tolist() == [0, 3, 2]
    assert done.w.tolist() == [(-3 + 18) / 5]
    # Three for -sign(x) and two for sign(x); but the average is 3.
    assert done.vote([[1.0], [-2.0], [0.0]]).tolist() == [-1, 1, 1]
    assert done.average([[1.0], [-2.0], [0.0]]).tolist() == [1, -1, 1]


def test_L3_7_the_sign_of_zero():
    X, y = [[1.0, 0.0], [0.0, 1.0]], [-1, -1]
    survived = {
        tie: textbook.voted_perceptron(X, y, tie=tie).survived.tolist() for tie in (-1, 0, 1)
    }
    assert survived == {-1: [2], 0: [0, 1, 1], 1: [0, 1, 1]}
    # One of the two voters scores 0, and one is against.
    said = {
        tie: textbook.voted_perceptron(X, y, tie=tie).vote([[0.0, 1.0]]).item() for tie in (0, 1)
    }
    assert said == {0: -1, 1: 1}
    assert textbook.voted_perceptron(X, y, tie=0).vote([[0.0, 0.0]]).tolist() == [0]


@examples
@given(seed=seeds, epochs=st.integers(1, 3), tie=st.sampled_from([-1, 0, 1]))
def test_L3_7_every_step_counts_for_the_vector_that_it_leaves(seed, epochs, tie):
    X, y = integer_rows(seed)
    done = textbook.voted_perceptron(X, y, epochs=epochs, tie=tie)
    steps = list(done.run)
    assert len(steps) == done.survived.sum() == epochs * len(X)
    after = [step.after.tolist() for step in steps]
    np.testing.assert_array_equal(np.repeat(done.run.weights, done.survived, axis=0), after)
    np.testing.assert_allclose(done.w, np.mean(after, axis=0), rtol=1e-15, atol=1e-15)
    rows = np.random.default_rng(seed).integers(-3, 4, (9, X.shape[1])).astype(float)
    signs = np.sign(rows @ np.transpose(after))
    signs[signs == 0] = tie
    ballots = signs.sum(axis=1)
    np.testing.assert_array_equal(done.vote(rows), np.where(ballots == 0, tie, np.sign(ballots)))
    total = rows @ np.sum(after, axis=0)
    np.testing.assert_array_equal(done.average(rows)[total != 0], np.sign(total[total != 0]))


@examples
@given(seed=seeds, tie=st.sampled_from([-1, 0, 1]))
def test_L3_7_one_pass_is_the_online_perceptron(seed, tie):
    X, y = integer_rows(seed)
    done = textbook.voted_perceptron(X, y, tie=tie)
    online = textbook.online_perceptron(X, y, tie=tie)
    np.testing.assert_array_equal(done.run.weights, online.weights)
    np.testing.assert_array_equal(done.run.mistake, online.mistake)
    assert done.run.converged == online.converged


def test_voted_perceptron_says_what_is_wrong():
    with pytest.raises(ValueError, match="y must hold the labels -1 and 1, or 0 and 1, got 2"):
        textbook.voted_perceptron([[1.0], [2.0]], [2, 1])
    with pytest.raises(ValueError, match="epochs must be a whole number >= 1"):
        textbook.voted_perceptron([[1.0]], [1], epochs=0)
    with pytest.raises(ValueError, match="tie must be one of"):
        textbook.voted_perceptron([[1.0]], [1], tie=2)
    done = textbook.voted_perceptron([[1.0]], [1])
    for predict in (done.vote, done.average):
        with pytest.raises(ValueError, match=r"a row of X must have shape \(1,\), got \(2,\)"):
            predict([[1.0, 2.0]])
        with pytest.raises(ValueError, match=r"X must have shape \(n, d\)"):
            predict([1.0])


def test_one_against_rest_is_shown_in_a_line_and_as_a_table():
    model = textbook.one_against_rest([[0.0, 2.0], [2.0, 0.0], [-2.0, -2.0]], ["up", "no", "<b>"])
    assert repr(model) == "<OneAgainstRest of 3 classes, 3 rows: <b>, no, up>"
    page = model._repr_html_()
    assert page.count("<tr>") == 4
    assert "&lt;b&gt;" in page
    assert "Trace" not in page


def test_the_votes_of_one_step_are_in_the_singular():
    votes = textbook.voted_perceptron([[2.0]], [1])
    assert repr(votes) == "<Votes of 1 weight vector, 1 step: w = (0)>"
