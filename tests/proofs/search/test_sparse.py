"""Sparse rows that a few features decide take no factorisation, whatever their number."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import certify
from rosenblatt.proofs.search import faces, finder


def identity_with_a_twin(n, labels, form):
    X = sp.vstack([sp.eye_array(n), sp.csr_array(([1.0], ([0], [0])), (1, n))], format="csr")
    y = np.arange(n + 1) % 2 if labels == "alternating" else np.ones(n + 1, np.int64)
    y[-1] = 1 - y[0]
    return (X if form == "sparse" else X.toarray()), y


@pytest.fixture
def no_factorisation(monkeypatch):
    """A factorisation of more rows than a person can count is the cliff."""
    spanning = faces._spanning_rows

    def few(Z, rows, deadline):
        assert len(rows) < 100
        return spanning(Z, rows, deadline)

    monkeypatch.setattr(faces, "_spanning_rows", few)


@pytest.mark.parametrize("labels", ["alternating", "one class but the twin"])
@pytest.mark.parametrize("n", [2000, 3000, 3900, 4001])
def test_identity_rows_with_a_twin_take_two_seconds(n, labels, no_factorisation):
    X, y = identity_with_a_twin(n, labels, "sparse")
    proof = certify(X, y, time_limit=2.0)
    assert (proof.status, proof.rows.tolist()) == ("quasi-separable", [0, n])
    assert proof.verification


def test_so_do_dense_rows_with_few_numbers(no_factorisation):
    X, y = identity_with_a_twin(1000, "alternating", "dense")
    proof = certify(X, y, time_limit=5.0)
    assert (proof.status, proof.rows.tolist()) == ("quasi-separable", [0, 1000])


@pytest.mark.parametrize("intercept", [True, False])
def test_what_remains_is_searched_before_all_rows(intercept, monkeypatch):
    """The rows that overlap have two features of their own, among many that decide the others."""
    n = 600
    square = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    X = sp.csr_array(sp.block_diag([square, sp.eye_array(n)]))
    y = np.concatenate([[0, 0, 1, 1], np.arange(n) % 2])
    monkeypatch.setattr(finder._Finder, "nearest", lambda _: pytest.fail("all rows were searched"))
    proof = certify(X, y, fit_intercept=intercept)
    assert proof.status == "quasi-separable"
    assert max(proof.rows) < 4
    assert proof.verify(X, y)
