"""Certificates made by hand, for the tests of proofs."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from rosenblatt.proofs.certificate import Certificate
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.check.record import Overlap

small = st.integers(-6, 6)


def certificate(X, y, **parts):
    """A certificate of these rows, as one would write it down; ``parts`` replace what is said."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    signs = np.where(y == 1, 1.0, -1.0)
    said = {
        "status": "inseparable",
        "margin": (0.0, 0.0),
        "rows": np.arange(len(X)),
        "weights": (1,) * len(X),
        "coef": None,
        "intercept": 0.0,
        "direction": None,
        "overlap": None,
        "diverging": np.zeros(X.shape[1], np.int8),
        "radius": float(np.nextafter(max(math.hypot(*row) for row in X.tolist()), np.inf)),
        "mistakes": 3,
        "epochs": 2,
        "converged": False,
        "positive": 1,
        "negative": 0,
        "fit_intercept": True,
        "shape": X.shape,
        "digest": LabelledData(X, signs).digest(),
    }
    return Certificate(**said | parts)


NONE = Overlap(np.array([], np.int64), (), 1)


def xor():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    return certificate(X, y, overlap=NONE), X, y


def line():
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    proof = certificate(
        X,
        y,
        status="separable",
        margin=(1.0, 1.0),
        rows=np.array([1, 2]),
        weights=(5, 5),
        coef=np.array([1.0]),
        intercept=-2.0,
        diverging=np.array([1], np.int8),
        converged=True,
    )
    return proof, X, y


def ray():
    """Without an intercept: the nearest point of the hull of (1, 2), (2, 1) is (3/2, 3/2)."""
    X, y = np.array([[1.0, 2.0], [2.0, 1.0], [-5.0, -5.0]]), np.array([1, 1, 0])
    proof = certificate(
        X,
        y,
        status="separable",
        margin=(2.1213203435, 2.1213203436),
        rows=np.array([0, 1]),
        weights=(7, 7),
        coef=np.array([0.5, 0.5]) ** 0.5,
        diverging=np.array([1, 1], np.int8),
        fit_intercept=False,
    )
    return proof, X, y


def step():
    X, y = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 2.0], [3.0, -2.0]]), np.array([0, 1, 1, 1])
    proof = certificate(
        X,
        y,
        status="quasi-separable",
        rows=np.array([0, 1]),
        weights=(2, 2),
        coef=np.array([3.0, 0.0]),
        direction=(3, 0, 0),
        overlap=Overlap(np.array([1]), (4,), 4),
        diverging=np.array([1, 0], np.int8),
    )
    return proof, X, y


def open_end():
    _, X, y = line()
    return certificate(X, y, status="undecided", margin=(0.0, 1.5), rows=np.arange(4)), X, y


def scaled(numbers):
    """Rounded to floats, by a common power of two where they are beyond these."""
    bits = max(max(map(abs, numbers)).bit_length() - 1000, 0)
    return [float(Fraction(number, 2**bits)) for number in numbers]


MADE = {make.__name__: make for make in (xor, line, ray, step, open_end)}
