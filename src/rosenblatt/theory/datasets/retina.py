"""Pictures of the perceptron machine of 1958: 20 × 20 photocells, 1 lit, 0 dark.

Random numbers come from ``numpy.random.default_rng(seed)`` with an integer seed >= 0. The numbers
of pictures per label differ by one at most. An argument out of its range is a ValueError that names
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import resources
from typing import NamedTuple

import numpy as np

from rosenblatt.utils.arrays import ArrayLike, NDArray
from rosenblatt.utils.checks import Floats, check_float, check_int, check_vector

__all__ = ["SIDE", "Pictures", "letters", "picture", "shapes", "sides"]


SIDE = 20


class Pictures(NamedTuple):
    """Pictures and their labels.

    Attributes
    ----------
    X : array of shape (n, 400)
        One picture a row: the photocells from left to right, from top to bottom, 0 or 1.
    y : array of shape (n,)
        Labels, strings.

    Examples
    --------
    >>> seen = sides(n=4)
    >>> seen.X.shape, sorted(seen.y.tolist())
    ((4, 400), ['left', 'left', 'right', 'right'])
    """

    X: Floats
    y: NDArray[np.str_]


def sides(n: int = 100, *, seed: int = 0) -> Pictures:
    """A bright square of 3 to 8 photocells a side, completely "left" or "right" of the middle.

    Parameters
    ----------
    n : int, default 100
        Number of pictures, n >= 1.
    seed : int, default 0

    Returns
    -------
    Pictures

    Notes
    -----
    Lecture row L0.7: the task that the machine learned at its public demonstration. There are 529
    such pictures on each side.

    Examples
    --------
    >>> seen = sides(n=1)
    >>> left, right = np.hsplit(seen.X.reshape(20, 20), 2)
    >>> seen.y[0], bool(left.any()), bool(right.any())
    (np.str_('left'), True, False)
    """
    half = SIDE // 2

    def draw(label: str, rng: np.random.Generator) -> Floats:
        lit_half = _paste_at_random(np.ones((int(rng.integers(3, 9)),) * 2), (SIDE, half), rng)
        dark = np.zeros((SIDE, half))
        return np.hstack((lit_half, dark) if label == "left" else (dark, lit_half))

    return _pictures(n, ("left", "right"), draw, 0.0, seed)


def shapes(n: int = 100, *, noise: float = 0.0, seed: int = 0) -> Pictures:
    """A "circle", "square" or "triangle", filled, 7 to 14 photocells wide, at a random position.

    Parameters
    ----------
    n : int, default 100
        Number of pictures, n >= 1.
    noise : float, default 0.0
        Probability that a photocell is inverted, 0 <= noise < 1/2.
    seed : int, default 0

    Returns
    -------
    Pictures

    Notes
    -----
    Lecture row L0.7.

    Examples
    --------
    >>> sorted(shapes(n=3).y.tolist())
    ['circle', 'square', 'triangle']
    """

    def draw(label: str, rng: np.random.Generator) -> Floats:
        size = int(rng.integers(7, 15))
        return _paste_at_random(_SHAPES[label](size), (SIDE, SIDE), rng)

    return _pictures(n, tuple(_SHAPES), draw, noise, seed)


def letters(
    n: int = 100, *, letters: Sequence[str] = "ABCDEX", noise: float = 0.02, seed: int = 0
) -> Pictures:
    """A capital letter, 10 photocells wide and 14 high, at a random position.

    Parameters
    ----------
    n : int, default 100
        Number of pictures, n >= 1.
    letters : sequence of str, default "ABCDEX"
        Letters from A to Z.
    noise : float, default 0.02
        Probability that a photocell is inverted, 0 <= noise < 1/2. Without noise there are 77
        pictures of each letter.
    seed : int, default 0

    Returns
    -------
    Pictures

    Raises
    ------
    ValueError
        A letter is none of A to Z, or there is none.

    Notes
    -----
    Lecture row L0.7; Rosenblatt's own experiments included E and X.

    Examples
    --------
    >>> seen = letters(n=1, letters="E", noise=0.0)
    >>> for line in picture(seen.X[0]).splitlines()[5:19:2]:
    ...     print(line[7:17])
    ##########
    ##........
    ##........
    ########..
    ##........
    ##........
    ##########
    """
    glyphs = _glyphs()
    unknown = [letter for letter in letters if letter not in glyphs]
    if unknown or not letters:
        raise ValueError(f"letters must be some of A to Z, got {letters!r}")

    def draw(label: str, rng: np.random.Generator) -> Floats:
        return _paste_at_random(glyphs[label], (SIDE, SIDE), rng)

    return _pictures(n, tuple(letters), draw, noise, seed)


def picture(x: ArrayLike) -> str:
    """Format a picture as 20 lines of text, "#" for a lit photocell.

    Parameters
    ----------
    x : array of shape (400,)
        A picture, or weights; a value > 0 counts as lit.

    Returns
    -------
    str

    Examples
    --------
    >>> print(picture(np.eye(20).ravel())[:41])
    #...................
    .#..................
    """
    lit = check_vector(x, "x", SIDE * SIDE).reshape(SIDE, SIDE) > 0.0
    return "\n".join("".join("#" if cell else "." for cell in row) for row in lit)


def _pictures(
    n: int,
    labels: Sequence[str],
    draw: Callable[[str, np.random.Generator], Floats],
    noise: float,
    seed: int,
) -> Pictures:
    """Draw `n` pictures, and invert each cell with probability `noise`."""
    n, noise = check_int(n, "n", minimum=1), check_float(noise, "noise", minimum=0.0)
    if noise >= 0.5:
        raise ValueError(f"noise must be below 1/2, got {noise!r}")
    rng = np.random.default_rng(check_int(seed, "seed", minimum=0))
    y = rng.permutation(np.resize(np.array(labels), n))
    X = np.array([draw(str(label), rng).ravel() for label in y])
    return Pictures(np.abs(X - (rng.random(X.shape) < noise)), y)


def _paste_at_random(glyph: Floats, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Return a dark picture of the shape with the glyph at a random position."""
    result = np.zeros(shape)
    height, width = glyph.shape
    top, left = rng.integers(0, (shape[0] - height + 1, shape[1] - width + 1))
    result[top : top + height, left : left + width] = glyph
    return result


def _square(size: int) -> Floats:
    return np.ones((size, size))


def _circle(size: int) -> Floats:
    from_middle = np.arange(size) - (size - 1) / 2
    lit: NDArray[np.bool_] = np.hypot(from_middle, from_middle[:, np.newaxis]) <= size / 2
    return lit.astype(np.float64)


def _triangle(size: int) -> Floats:
    from_middle = np.abs(np.arange(size) - (size - 1) / 2)
    lit: NDArray[np.bool_] = from_middle <= np.arange(1, size + 1)[:, np.newaxis] / 2
    return lit.astype(np.float64)


_SHAPES = {"circle": _circle, "square": _square, "triangle": _triangle}


def _glyphs() -> dict[str, Floats]:
    """Return all letters, each dot as two by two photocells."""
    file = resources.files("rosenblatt").joinpath("theory", "datasets", "letters.txt")
    alphabet = file.read_text(encoding="utf-8").strip()
    bands = [[line.split() for line in band.splitlines()] for band in alphabet.split("\n\n")]
    columns = [column for band in bands for column in zip(*band, strict=True)]
    lit = [np.array([[dot == "#" for dot in line] for line in glyph], float) for glyph in columns]
    large = [glyph.repeat(2, axis=0).repeat(2, axis=1) for glyph in lit]
    return dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", large, strict=True))
