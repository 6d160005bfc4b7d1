"""Studies print aligned tables, give the same result for a seed, and refuse bad input."""

import pytest

from rosenblatt import studies, toys

SQUARE, TOY = toys.unit_square(60), toys.separable(40, 2)
HALVES = (TOY.X[::2], TOY.y[::2], TOY.X[1::2], TOY.y[1::2])


@pytest.mark.parametrize(
    ("study", "lines"),
    [
        (lambda: studies.orders(SQUARE.X, SQUARE.signs, orders=40, max_iter=500), 13),
        (lambda: studies.margins([[0.0], [1.0]], [-1, 1]), 10),
        (lambda: studies.mistakes_by_margin((0.4,), n=20, repeats=2), 2),
        (lambda: studies.error_from_mistakes(*HALVES, orders=2), 10),
        (lambda: studies.gaussians(sizes=(10, 20), repeats=2), 8),
        (lambda: studies.unequal_gaussians(50, n_new=50), 5),
    ],
)
def test_a_study_prints_its_table_and_is_the_same_again(study, lines):
    text = str(study())
    assert len(text.splitlines()) == lines
    assert text == str(study())
    assert max(map(len, text.splitlines())) <= 96, "too wide for a page"
    assert len({len(line) for line in text.splitlines()[:3]}) == 1, "columns end alike"


def on_two_points(study, **params):
    toy = toys.two_points()
    return study(toy.X, toy.y, **params)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: on_two_points(studies.orders, orders=0), "orders must be a whole number >= 1"),
        (lambda: on_two_points(studies.orders, seed=-1), "seed must be a whole number >= 0"),
        (lambda: on_two_points(studies.orders, max_iter=0), "max_iter must be a whole number >= 1"),
        (
            lambda: on_two_points(studies.orders, X_new=[[1.0, 2.0]]),
            "X_new and y_new must be given tog",
        ),
        (
            lambda: on_two_points(studies.orders, X_new=[[1.0]], y_new=[1]),
            "X_new must have 2 columns",
        ),
        (lambda: on_two_points(studies.orders, X_new=[[1.0, 2.0]], y_new=[3]), "y_new must hold"),
        (lambda: studies.orders([[1.0], [2.0]], [1, 1]), "y must hold both"),
        (lambda: on_two_points(studies.margins, betas=(0.0,)), "betas must be a finite number > 0"),
        (lambda: studies.margins(toys.xor().X, toys.xor().y), "separable by a hyperplane, got ins"),
        (lambda: studies.mistakes_by_margin((0.0,)), "margins must lie between 0 and the radius 1"),
        (lambda: studies.mistakes_by_margin(repeats=0), "repeats must be a whole number >= 1"),
        (lambda: studies.mistakes_by_dimension((0,)), "d must be a whole number >= 1"),
        (lambda: studies.mistakes_by_dimension(()), "dimensions must .* not be empty"),
        (lambda: studies.mistakes_by_noise(()), "noise must .* not be empty"),
        (lambda: studies.mistakes_by_noise((1.5,)), "noise must be at most 1, got 1.5"),
        (lambda: studies.mistakes_by_noise(epochs=0), "epochs must be a whole number >= 1"),
        (lambda: studies.gaussians(0.0), "separation must be a finite number > 0"),
        (lambda: studies.gaussians(correlation=1.0), "correlation must lie between -1 and 1"),
        (lambda: studies.gaussians(sizes=(1,)), "sizes must be a whole number >= 2"),
        (lambda: studies.unequal_gaussians(1), "n must be a whole number >= 2"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
