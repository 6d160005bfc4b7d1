"""Pictures of the retina match their labels."""

import numpy as np
import pytest

from rosenblatt import retina

MAKERS = [retina.sides, retina.shapes, retina.letters]


def grid(x):
    return x.reshape(20, 20)


def box(x):
    """What is lit, cut out."""
    lit = grid(x) > 0
    rows, columns = np.flatnonzero(lit.any(axis=1)), np.flatnonzero(lit.any(axis=0))
    return lit[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


@pytest.mark.parametrize("make", MAKERS)
def test_L0_7_the_retina_has_400_photocells(make):
    seen = make(31)
    assert seen.X.shape == (31, 400)
    assert seen.X.dtype == np.float64
    assert set(np.unique(seen.X)) == {0.0, 1.0}
    labels, counts = np.unique(seen.y, return_counts=True)
    assert len(labels) > 1
    assert np.ptp(counts) <= 1
    assert (seen.y[:-1] != seen.y[1:]).any()
    assert (seen.y[:-1] == seen.y[1:]).any()  # no turns: the order is drawn


@pytest.mark.parametrize("make", MAKERS)
def test_the_seed_decides(make):
    for one, again in zip(make(9, seed=7), make(9, seed=7), strict=True):
        np.testing.assert_array_equal(one, again)
    assert not np.array_equal(make(9, seed=7).X, make(9, seed=8).X)


def test_L0_7_sides_are_squares_on_one_side():
    seen = retina.sides(400)
    sizes, places = set(), set()
    for x, label in zip(seen.X, seen.y, strict=True):
        left, right = np.hsplit(grid(x), 2)
        assert (left.any(), right.any()) == ((True, False) if label == "left" else (False, True))
        cut = box(x)
        assert cut.all()
        assert cut.shape[0] == cut.shape[1]
        sizes.add(len(cut))
        places.add(int(np.flatnonzero(x)[0]))
    assert sizes == set(range(3, 9))
    assert len(places) > 100


def test_L0_7_shapes_match_their_labels():
    seen = retina.shapes(400)
    widths = set()
    for x, label in zip(seen.X, seen.y, strict=True):
        cut = box(x)
        lit = cut.sum(axis=1)
        size = len(cut)
        widths.add(size)
        assert size == cut.shape[1]
        np.testing.assert_array_equal(cut, cut[:, ::-1])
        if label == "square":
            assert cut.all()
        elif label == "circle":
            np.testing.assert_array_equal(cut, cut.T)
            assert not cut[0, 0]
            assert cut.sum() == pytest.approx(np.pi * size**2 / 4, rel=0.12)
        else:
            assert label == "triangle"
            assert lit[0] <= 2
            assert lit[-1] == size
            assert (np.diff(lit) >= 0).all()
    assert widths == set(range(7, 15))


def test_L0_7_letters_are_moved_about():
    seen = retina.letters(400, letters="EX", noise=0.0)
    drawn = {
        "E": "########## ##........ ##........ ########.. ##........ ##........ ##########",
        "X": "##......## ##......## ..##..##.. ....##.... ..##..##.. ##......## ##......##",
    }
    for x, label in zip(seen.X, seen.y, strict=True):
        lines = [line for line in drawn[str(label)].split() for _ in range(2)]
        np.testing.assert_array_equal(box(x), [[dot == "#" for dot in line] for line in lines])
    assert len(np.unique(seen.X, axis=0)) > 120  # of 77 places for each


def test_all_letters_differ():
    seen = retina.letters(26, letters="ABCDEFGHIJKLMNOPQRSTUVWXYZ", noise=0.0)
    assert sorted(seen.y) == list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    assert len({retina.picture(np.pad(box(x), (0, 20))[:20, :20].ravel()) for x in seen.X}) == 26


@pytest.mark.parametrize("make", [retina.shapes, retina.letters])
def test_noise_inverts_its_share_of_photocells(make):
    for noise in (0.02, 0.3):
        turned = np.abs(make(400, noise=noise, seed=3).X - make(400, noise=0.0, seed=3).X)
        assert turned.mean() == pytest.approx(noise, rel=0.05)
        assert turned.mean(axis=0).max() < 2.5 * noise + 0.03  # everywhere alike


def test_picture_draws_lit_photocells():
    x = np.zeros(400)
    x[[0, 39]] = 1.0
    lines = retina.picture(x).split("\n")
    assert lines[:2] == ["#" + "." * 19, "." * 19 + "#"]
    assert lines[2:] == ["." * 20] * 18
    assert retina.picture(-x) == "\n".join(["." * 20] * 20)


@pytest.mark.parametrize(
    ("function", "arguments", "says"),
    [
        (retina.sides, {"n": 0}, "n must be a whole number >= 1, got 0"),
        (retina.sides, {"seed": -1}, "seed must be a whole number >= 0, got -1"),
        (retina.shapes, {"n": 2.0}, "n must be a whole number >= 1, got 2.0"),
        (retina.shapes, {"noise": -0.1}, "noise must be a finite number >= 0, got -0.1"),
        (retina.shapes, {"noise": 0.5}, "noise must be below 1/2, got 0.5"),
        (retina.letters, {"noise": float("nan")}, "noise must be a finite number >= 0"),
        (retina.letters, {"letters": "EÄ"}, "letters must be some of A to Z, got 'EÄ'"),
        (retina.letters, {"letters": "e"}, "letters must be some of A to Z, got 'e'"),
        (retina.letters, {"letters": ""}, "letters must be some of A to Z, got ''"),
        (retina.picture, {"x": [1.0]}, r"x must have shape \(400,\)"),
    ],
)
def test_bad_input(function, arguments, says):
    with pytest.raises(ValueError, match=says):
        function(**arguments)
