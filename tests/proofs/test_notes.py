"""Notes on certificates: labels of rows, and equal rows with opposite labels."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from rosenblatt import certify
from rosenblatt.proofs.certificate import Certificate
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.notes import MAX_PAIRS, find_equal_rows, find_main_columns

X, Y = np.array([[0.0], [1.0], [2.0], [1.0]]), np.array(["no", "yes", "yes", "no"])


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_all_pairs_of_equal_rows_are_counted_and_the_first_listed(layout):
    rng = np.random.default_rng(0)
    rows, signs = rng.integers(-1, 2, (60, 3)) * 1.0, rng.choice([-1.0, 1.0], 60)
    rows[rows == 0.0] = rng.choice([-0.0, 0.0], (rows == 0.0).sum())
    expected = {
        (i, j)
        for i, j in combinations(range(60), 2)
        if (rows[i] == rows[j]).all() and signs[i] != signs[j]
    }
    equal = find_equal_rows(LabelledData(layout(rows), signs))
    assert equal.count == len(expected) > MAX_PAIRS == len(set(equal.pairs))
    assert expected.issuperset(equal.pairs)


def test_the_index_of_a_table_names_the_rows():
    table = pd.DataFrame({"a": X[:, 0]}, index=pd.Index(["K1", "K2", "K3", "K4"], name="id"))
    proof = certify(table, Y)
    assert proof.labels_of_rows == tuple(table.iloc[proof.rows].index)
    assert set(proof.labels_of_rows) == {"K2", "K4"}
    assert proof.with_feature_names(("dose",)).labels_of_rows == proof.labels_of_rows
    report = str(proof)
    assert "1 pair with opposite labels: 1 (K2) and 3 (K4)" in report
    assert "row  id  weight λ" in report
    for counted in (X, pd.DataFrame(X)):
        assert certify(counted, Y).labels_of_rows is None
        assert "pair with opposite labels: 1 and 3" in str(certify(counted, Y))


def test_files_have_no_notes(tmp_path):
    proof = certify(pd.DataFrame(X, index=list("abcd")), Y)
    proof.save(tmp_path / "p.json")
    loaded = Certificate.load(tmp_path / "p.json")
    assert (loaded.labels_of_rows, loaded.equal_rows) == (None, None)
    assert "opposite labels" not in str(loaded)


def test_separable_rows_have_no_equal_rows():
    assert certify(X[:3], Y[:3]).equal_rows is None


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_columns_that_decide(layout, fit_intercept):
    rng = np.random.default_rng(2)
    y = np.where(np.arange(80) % 4 == 0, 1.0, -1.0)
    rows = rng.normal(0.0, [1.0, 1.0, 50.0, 1.0], (80, 4))
    rows[:, 1] = -y * rng.uniform(1.0, 3.0, 80)  # separates, also without an intercept
    rows[:, 3] = 7.0 + y  # separates with one only
    data, coef = LabelledData(layout(rows), y), np.array([0.5, -0.1, 0.01, 0.0])
    main = find_main_columns(data, coef, fit_intercept=fit_intercept)
    assert main.alone == ((1, 3) if fit_intercept else (1,))
    sizes = np.abs(coef) * rows.std(axis=0)
    assert [j for j, _ in main.effects] == np.argsort(-sizes)[:3].tolist()
    assert [size for _, size in main.effects] == pytest.approx(sorted(sizes, reverse=True)[:3])


def test_the_report_names_the_columns_that_decide():
    table = pd.DataFrame({"late": [0, 3, 1, 2], "cancelled": [0, 0, 9, 9]})
    report = str(certify(table, [0, 0, 1, 1]))
    assert "decided by    the column cancelled alone separates the classes" in report
    assert "cancelled 4.5: the largest |w| × standard deviation" in report
    assert "alone" not in str(certify([[0, 0], [3, 1], [0, 1], [3, 4]], [0, 0, 1, 1]))


def test_standard_deviations_are_those_from_the_mean():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(1.7e9, 1.0, 500), rng.normal(0.0, 1.0, 500), np.ones(500)])
    X[X[:, 1] < 0.5, 1] = 0.0
    y = np.where(X[:, 0] > np.median(X[:, 0]), 1.0, -1.0)
    for rows in (X, sp.csr_array(X)):
        effects = dict(
            find_main_columns(LabelledData(rows, y), np.ones(3), fit_intercept=True).effects
        )
        assert effects == pytest.approx({j: X[:, j].std() for j in (0, 1)}, rel=1e-6)
