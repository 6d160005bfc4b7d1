"""The exact margin: square roots rounded, the precision of separators, the limits of the proof."""

import math
from fractions import Fraction

import numpy as np
import pytest

from rosenblatt import certify
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search import determined
from rosenblatt.proofs.search.nearest import Deadline


@pytest.mark.parametrize(
    "square",
    [Fraction(2), Fraction(9, 4), Fraction(1, 3), Fraction(10) ** 300, Fraction(1, 7**350)]
    + [Fraction(k**2 + 1, 10**12) for k in range(1, 12)],
)
def test_roots_are_the_neighbouring_floats(square):
    low, high = determined.root_below(square), determined.root_above(square)
    assert Fraction(low) ** 2 <= square <= Fraction(high) ** 2
    assert high <= math.nextafter(low, math.inf)
    assert (low == high) == (Fraction(low) ** 2 == square)


def test_roots_beyond_the_floats():
    assert determined.root_below(Fraction(1, 10**700)) == 0.0
    assert determined.root_above(Fraction(1, 10**700)) == 5e-324
    assert determined.root_below(Fraction(10) ** 700) == math.nextafter(math.inf, 0.0)
    assert determined.root_above(Fraction(10) ** 700) == math.inf


def gaussian(n, d):
    rng = np.random.default_rng(0)
    X, u = rng.normal(size=(n, d)), rng.normal(size=d)
    return X, (X @ u > 0).astype(int)


def test_rows_that_the_floats_overlooked_are_added(monkeypatch):
    monkeypatch.setattr(determined, "_NEAR_ROWS", 1)
    monkeypatch.setattr(determined, "_ROUNDS", 50)
    X, y = gaussian(500, 3)
    data, best = LabelledData(X, np.where(y == 1, 1.0, -1.0)), certify(X, y)
    wrong = np.array([int(y.argmin()), int(y.argmax())])
    found = determined.determine(data, True, wrong, X[wrong[1]] - X[wrong[0]], Deadline(60.0), 3e7)
    assert found.rows.tolist() == best.rows.tolist()
    assert tuple(found.weights) == best.weights


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ("search.finder.MAX_DATA", 10),
        ("search.finder.CHEAP_OPERATIONS", 10.0),
        ("search.determined.MAX_NUMBERS", 10),
    ],
)
def test_beyond_the_limits_rows_are_candidates(limit, value, monkeypatch):
    X, y = gaussian(500, 3)
    proof = certify(X, y)
    assert proof.determined
    assert "Support rows (they determine the margin" in str(proof)
    monkeypatch.setattr(f"rosenblatt.proofs.{limit}", value)
    proof = certify(X, y)
    assert not proof.determined
    assert proof.verification
    assert "Candidates for support rows (they bound the margin from above" in str(proof)
