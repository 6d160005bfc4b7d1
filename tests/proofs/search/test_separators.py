"""Margins to within the tolerance at every offset and scale, and support rows that are proved."""

import math
from dataclasses import replace
from fractions import Fraction

import corpus
import numpy as np
import pytest
import scipy.sparse as sp
from profiles import scaled, share
from search_certificates import exact_rows, fault, largest_sqmargin, search, status_by_simplex

from rosenblatt import Certificate, certify
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search.separators import moved_back, root_above, root_below, translated

DATES = [[20260101], [20260105], [20260108], [20260112]]


def test_dates_have_the_margin_of_their_differences():
    proof = certify(DATES, [0, 0, 1, 1])
    assert (proof.status, proof.margin, proof.rows.tolist()) == ("separable", (1.5, 1.5), [1, 2])
    assert proof.determined
    assert "1.5 exactly" in str(proof)


def test_milliseconds_are_separated():
    proof = certify([[1.7e12], [1.7e12 + 4], [1.7e12 + 7], [1.7e12 + 11]], [0, 0, 1, 1])
    assert (proof.margin, proof.rows.tolist()) == ((1.5, 1.5), [1, 2])


@pytest.mark.parametrize("offset", [1e7, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_tolerance_holds_at_offsets(offset, form, tmp_path):
    rng = np.random.default_rng(int(offset) % 97)
    y = np.arange(40) % 2
    X = rng.integers(0, 20, (40, 3)) + 30 * y[:, None] * [1, 0, 1] + offset
    near, far = certify(X - offset, y), certify(form(X), y)
    assert far.rows.tolist() == near.rows.tolist()
    assert far.weights == near.weights
    assert far.margin[1] == near.margin[1]
    assert far.margin[1] - far.margin[0] <= 1e-6 * far.margin[1]
    far.save(tmp_path / "proof.json")
    loaded = Certificate.load(tmp_path / "proof.json")
    assert loaded.direction == far.direction
    assert loaded.verify(X, y)


def test_many_rows_at_an_offset_have_a_direction(monkeypatch):
    """Without the exact margin, a separator in floats of the moved rows has an exact offset."""
    monkeypatch.setattr("rosenblatt.proofs.search.finder.CHEAP_OPERATIONS", 0.0)
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.integers(0, 20, (60, 2)) + 30 * y[:, None] * [1, 2] + 1e15
    proof = certify(X, y)
    assert proof.verification
    assert not proof.determined
    assert proof.direction is not None
    assert proof.margin[1] - proof.margin[0] <= 1e-6 * proof.margin[1]


@pytest.fixture(scope="module")
def directed():
    X = np.array([[1.0, 2.0], [3.0, 1.0], [5.0, 9.0], [8.0, 8.0]]) + 1e15
    proof = certify(X, [0, 0, 1, 1])
    assert proof.direction is not None
    assert proof.determined
    return proof, X


@pytest.mark.parametrize(
    ("change", "claim"),
    [
        (lambda p: {"margin": (np.nextafter(p.margin[1], 9), np.nextafter(p.margin[1], 9))}, "low"),
        (lambda p: {"weights": (p.weights[0] + 1, *p.weights[1:])}, "upper end|determine"),
        (lambda p: {"rows": np.array([0, 3]), "weights": (1, 1)}, "upper end|determine"),
        (lambda p: {"margin": (p.margin[0], 99.0), "weights": (1, 2, 1)[: len(p.rows)]}, "determ"),
        (lambda p: {"coef": p.coef * 2, "intercept": p.intercept * 2}, "length"),
        (lambda p: {"direction": (*p.direction[:-1], p.direction[-1] + 2**40)}, "rounded|low"),
    ],
)
def test_a_false_direction_fails(directed, change, claim):
    proof, X = directed
    assert proof.verify(X, [0, 0, 1, 1])
    forged = replace(proof, **change(proof)).verify(X, [0, 0, 1, 1])
    assert not forged
    assert any(part in forged.failed for part in claim.split("|")), forged.failed


def test_rows_that_only_bound_the_margin_do_not_determine_it():
    X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    proof = certify(X, y)
    for rows in ([0, 2], [0, 3], [1, 3]):
        loose = replace(proof, rows=np.array(rows), margin=(1.0, 2.0))
        assert "is nearer" in loose.verify(X, y).failed
        assert replace(loose, determined=False).verify(X, y)


@pytest.mark.parametrize("exponent", [-150, -70, -61, 61, 70, 100, 154, 200, 300])
def test_the_constant_has_the_scale_of_the_rows(exponent):
    X = [[-(10.0**exponent)], [10.0**exponent]]
    proof = certify(X, [-1, 1])
    assert proof.status == "separable"
    assert proof.margin == (10.0**exponent,) * 2
    assert proof.verify(X, [-1, 1])
    assert proof.mistakes <= proof.mistake_bound


def test_subnormal_rows_have_a_certificate():
    X = 5e-324 * np.array([[2, 7, -1, -6], [0, -9, -3, -8], [-8, -8, 6, 2], [4, -6, -2, 1]])
    X = np.vstack([X, 5e-324 * np.array([[9, -7, -4, -5], [-3, 0, 0, -6], [9, 7, 7, -4]])])
    y = [1, 1, -1, 1, 1, 1, -1]
    proof = certify(X, y, fit_intercept=False)
    assert proof.status == "separable"
    assert proof.verify(X, y)


def test_the_run_noted_is_that_of_the_rows_as_given():
    proof = certify([[1e-70], [2e-70]], [-1, 1])
    assert (proof.mistakes, proof.epochs, proof.converged) == (40, 20, False)


def test_random_data_at_every_offset_and_scale():
    counts, faults = search(60.0, seed=1, cases=scaled(80))
    assert faults == []
    assert sum(counts.values()) > 10


@pytest.mark.parametrize("intercept", [True, False])
def test_data_that_the_search_has_kept(intercept):
    cases = corpus.read("certificates")
    assert len(cases) > 20
    assert [why for case in share(cases, 2, intercept) if (why := fault(case, intercept)[1])] == []


def test_the_oracle_is_right():
    line = exact_rows(np.array([[0.0], [1.0], [3.0]]), [-1, -1, 1], True)
    assert status_by_simplex(line) == "separable"
    assert largest_sqmargin(line, [-1, -1, 1], True) == 1
    touching = exact_rows(np.array([[0.0], [1.0], [1.0]]), [-1, -1, 1], True)
    assert status_by_simplex(touching) == "quasi-separable"
    assert status_by_simplex(exact_rows(np.array([[0.0], [1.0]]), [-1, 1], False)) != "separable"
    xor = exact_rows(np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), [1, 1, -1, -1], True)
    assert status_by_simplex(xor) == "inseparable"


def labelled(X):
    return LabelledData(X, np.where(np.arange(X.shape[0]) % 2 == 0, -1.0, 1.0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_every_difference_is_exact(dtype, sign):
    rng = np.random.default_rng(0)
    X = (sign * (1e6 + rng.normal(size=(50, 4)) * 10.0 ** np.arange(1, 5))).astype(dtype)
    moved, origin = translated(labelled(X))
    assert moved.X.dtype == dtype
    assert origin.tolist() == X[0].astype(float).tolist()
    for row, given in zip(moved.X.tolist(), X.tolist(), strict=True):
        pairs = zip(row, given, origin.tolist(), strict=True)
        assert all(Fraction(a) == Fraction(b) - Fraction(c) for a, b, c in pairs)


def test_columns_that_gain_nothing_stay():
    X = np.array([[0.0, -3.0, 5.0, 100.0], [1.0, 4.0, 9.0, 0.0]])
    data = labelled(X)
    moved, origin = translated(data)
    assert moved is data
    assert origin is None


def test_a_constant_column_becomes_zero():
    moved, origin = translated(labelled(np.array([[7.7e15, 1.0], [7.7e15, 0.0]])))
    assert moved.X.tolist() == [[0.0, 1.0], [0.0, 0.0]]
    assert origin.tolist() == [7.7e15, 0.0]


def test_sparse_columns_with_zeros_stay_and_the_matrix_stays_sparse():
    X = sp.csr_array([[1e9, 0.0, 2e9], [1e9 + 1, 3e9, 2e9], [1e9 + 2, 3e9, 2e9]])
    moved, origin = translated(labelled(X))
    assert origin.tolist() == [1e9, 0.0, 2e9]
    assert moved.X.toarray().tolist() == [[0.0, 0.0, 0.0], [1.0, 3e9, 0.0], [2.0, 3e9, 0.0]]
    assert moved.X.nnz == 4
    assert X.nnz == 8
    few = labelled(sp.csr_array([[1e9, 0.0], [0.0, 3e9]]))
    assert translated(few) == (few, None)


def test_the_offset_moves_back():
    w = [Fraction(1, 3), Fraction(2)]
    b = moved_back(w, Fraction(5), np.array([3e15, 0.0]))
    assert b == 5 - 10**15


@pytest.mark.parametrize(
    "square",
    [Fraction(2), Fraction(9, 4), Fraction(1, 3), Fraction(10) ** 300, Fraction(1, 7**350)]
    + [Fraction(k**2 + 1, 10**12) for k in range(1, 12)],
)
def test_roots_are_the_neighbouring_floats(square):
    low, high = root_below(square), root_above(square)
    assert Fraction(low) ** 2 <= square <= Fraction(high) ** 2
    assert high <= math.nextafter(low, math.inf)
    assert (low == high) == (Fraction(low) ** 2 == square)


def test_roots_beyond_the_floats():
    assert root_below(Fraction(1, 10**700)) == 0.0
    assert root_above(Fraction(1, 10**700)) == 5e-324
    assert root_below(Fraction(10) ** 700) == math.nextafter(math.inf, 0.0)
    assert root_above(Fraction(10) ** 700) == math.inf
