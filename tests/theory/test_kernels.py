"""The kernels against plain formulas and scikit-learn's, on every kind of rows."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from sklearn.metrics import pairwise

from rosenblatt import kernels, textbook
from rosenblatt.learning.kernel.gram import (
    CallableKernel,
    FormulaKernel,
    PrecomputedKernel,
    check_symmetric,
)
from rosenblatt.learning.support import KernelRows


def cosine(x, z):
    lengths = np.linalg.norm(x) * np.linalg.norm(z)
    return x @ z / lengths if lengths else 0.0


def overlap(x, z):
    return sum(min(abs(a), abs(b)) for a, b in zip(x, z, strict=True) if a * b > 0)


OTHERS = {  # of each kernel, with the numbers that it declares: a formula, and scikit-learn's
    "linear": (lambda x, z: x @ z, pairwise.linear_kernel),
    "poly": (
        lambda x, z: (0.5 * (x @ z) + 1.5) ** 3,
        partial(pairwise.polynomial_kernel, degree=3, gamma=0.5, coef0=1.5),
    ),
    "rbf": (
        lambda x, z: np.exp(-0.3 * np.sum((x - z) ** 2)),
        partial(pairwise.rbf_kernel, gamma=0.3),
    ),
    "laplace": (
        lambda x, z: np.exp(-0.3 * np.sum(np.abs(x - z))),
        partial(pairwise.laplacian_kernel, gamma=0.3),
    ),
    "sigmoid": (
        lambda x, z: np.tanh(0.2 * (x @ z) - 0.5),
        partial(pairwise.sigmoid_kernel, gamma=0.2, coef0=-0.5),
    ),
    "cosine": (cosine, pairwise.cosine_similarity),
    "intersection": (overlap, None),
}
KERNELS = {
    name: (cls(*cls.declaration.tried), *OTHERS[name]) for name, cls in kernels.KERNELS.items()
}
STORED = {
    "dense": np.asarray,
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "wide indices": lambda X: wide(sp.csr_array(X)),
}


def wide(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def rows(n, seed):
    """Some features are 0, and one row is nothing else."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6)) * (rng.random((n, 6)) < 0.6)
    X[1] = 0.0
    return X


def values(gram, A, B):
    return gram.values(KernelRows(A, gram.norms(A)), KernelRows(B, gram.norms(B)))


def table(formula, A, B):
    return np.array([[formula(x, z) for z in B] for x in A])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", list(STORED))
@pytest.mark.parametrize("name", list(KERNELS))
def test_a_kernel_is_its_formula(name, kind, dtype):
    kernel, formula, theirs = KERNELS[name]
    A, B = rows(7, 0).astype(dtype), rows(5, 1).astype(dtype)
    stored = STORED[kind]
    gram, left, right = FormulaKernel(kernel), stored(A), stored(B)
    close = {"rtol": 3e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-14}
    wanted = table(formula, A.astype(float), B.astype(float))
    found = values(gram, left, right)
    assert found.dtype == gram.dtype(left) == dtype
    np.testing.assert_allclose(found, wanted, **close)
    if theirs is not None:
        np.testing.assert_allclose(found, theirs(A, B), **close)
    diagonal = gram.diagonal(left, gram.norms(left))
    assert diagonal.dtype == np.float64
    np.testing.assert_allclose(diagonal, np.diag(table(formula, *[A.astype(float)] * 2)), **close)
    for given_, was in ((left, A), (right, B)):
        np.testing.assert_array_equal(given_.toarray() if sp.issparse(given_) else given_, was)


whole_rows = st.lists(
    st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=6
).map(lambda rows: np.array(rows, np.float64))


@thorough(60)
@given(A=whole_rows, B=whole_rows, degree=st.integers(1, 9), coef0=st.integers(-3, 3))
def test_whole_numbers_are_exact(A, B, degree, coef0):
    power = kernels.Polynomial(degree, 2.0, float(coef0))
    sums = (2 * A @ B.T + coef0).astype(object)  # Python's own whole numbers
    for kernel, wanted in [
        (kernels.Linear(), A @ B.T),
        (kernels.Intersection(), table(overlap, A, B)),
        (power, (sums**degree).astype(np.float64)),
    ]:
        exact = np.abs(wanted).max() < 2.0**53
        for stored in (np.asarray, sp.csr_array):
            found = values(FormulaKernel(kernel), stored(A), stored(B))
            if exact:
                np.testing.assert_array_equal(found, wanted)
            else:
                np.testing.assert_allclose(found, wanted, rtol=1e-14)


@thorough(60)
@given(A=whole_rows, name=st.sampled_from([k for k in KERNELS if k != "sigmoid"]))
def test_L2_10_a_kernel_is_an_inner_product(A, name):
    """Its matrix is symmetric, and no combination of the Φ(x) has a negative square."""
    kernel, _, _ = KERNELS[name]
    K = values(FormulaKernel(kernel), A, A)
    np.testing.assert_allclose(K, K.T, rtol=1e-12)
    assert np.linalg.eigvalsh(K).min() >= -1e-12 * max(1.0, np.abs(K).max())


@thorough(60)
@given(A=whole_rows, seed=st.integers(0, 99))
def test_an_overlap_follows_from_the_distance(A, seed):
    B = np.random.default_rng(seed).permutation(A.ravel()).reshape(A.shape)
    found = values(FormulaKernel(kernels.Intersection()), A, B)
    sizes = np.abs(A).sum(1)[:, None] + np.abs(B).sum(1)
    np.testing.assert_array_equal(found, (sizes - pairwise.manhattan_distances(A, B)) / 2)


def test_duplicate_entries_are_summed():
    given_ = (np.array([3.0, -1.0, 2.0]), np.array([0, 0, 0]), np.array([0, 2, 3]))
    for name, (kernel, formula, _) in KERNELS.items():
        X = sp.csr_array(given_, shape=(2, 2))
        plain = X.toarray()
        gram = FormulaKernel(kernel)
        np.testing.assert_allclose(values(gram, X, X), table(formula, plain, plain), err_msg=name)


def test_a_kernel_by_its_name():
    assert kernels.by_name("poly", 2, 0.5, 1.0) == kernels.Polynomial(2, 0.5, 1.0)
    assert kernels.by_name("polynomial", 2) == kernels.Polynomial(2)
    assert kernels.by_name("rbf", gamma=2.0) == kernels.RBF(2.0)
    for name in ("laplace", "laplacian"):
        assert kernels.by_name(name, gamma=2.0) == kernels.Laplace(2.0)
    assert kernels.by_name("sigmoid", gamma=2.0, coef0=-1.0) == kernels.Sigmoid(2.0, -1.0)
    plain = kernels.Linear(), kernels.Cosine(), kernels.Intersection()
    assert tuple(map(kernels.by_name, ("linear", "cosine", "intersection"))) == plain
    assert {type(kernels.by_name(name)) for name in kernels.NAMES} == {
        type(kernel) for kernel, _, _ in KERNELS.values()
    }


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: kernels.by_name("rbff"), "kernel must be one of .*linear, poly, .*; got 'rbff'"),
        (lambda: kernels.Polynomial(0), r"degree must be a whole number in \[1, inf\); got 0"),
        (lambda: kernels.Polynomial(2.5), r"degree must be a whole number in \[1, inf\); got 2.5"),
        (lambda: kernels.Polynomial(gamma=0.0), r"gamma must be .*number in \(0, inf\); got 0.0"),
        (lambda: kernels.Polynomial(coef0=np.inf), "coef0 must be a finite number; got inf"),
        (lambda: kernels.RBF(-1.0), r"gamma must be .*number in \(0, inf\); got -1.0"),
        (lambda: kernels.Laplace(np.nan), r"gamma must be .*number in \(0, inf\); got nan"),
        (lambda: kernels.Sigmoid("1"), r"gamma must be .*number in \(0, inf\); got '1'"),
        (lambda: kernels.Sigmoid(coef0=None), "coef0 must be a finite number; got None"),
    ],
)
def test_errors_name_the_bad_kernel(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_kernels_from_a_function_and_from_a_table():
    A, B = rows(7, 0), rows(5, 1)
    for stored in (np.asarray, sp.csr_array):
        gram = CallableKernel(lambda A, B: A @ B.T)
        np.testing.assert_allclose(values(gram, stored(A), stored(B)), A @ B.T, rtol=1e-13)
        X = rows(19, 2)  # more than it is tried on at a time
        found = gram.diagonal(stored(X), gram.norms(X))
        np.testing.assert_allclose(found, np.sum(X * X, axis=1), rtol=1e-13)
    K = A @ A.T
    columns = np.array([3, 0])
    found = PrecomputedKernel().values(
        KernelRows(K[1:4], np.zeros(3)), KernelRows(columns, np.zeros(2))
    )
    np.testing.assert_array_equal(found, K[1:4][:, columns])
    np.testing.assert_array_equal(PrecomputedKernel().diagonal(K, np.zeros(7)), np.diag(K))


def test_symmetric_but_for_rounding():
    K = np.ones((1030, 1030))
    K[3, 1027] = 1.0 + 1e-7
    check_symmetric(K, "It has")
    K[1027, 1028] = 2.0
    with pytest.raises(ValueError, match=r"It has 2 at \(1027, 1028\) and 1 at \(1028, 1027\)\."):
        check_symmetric(K, "It has")


@pytest.mark.parametrize("name", sorted(set(KERNELS) - {"sigmoid"}))
def test_L2_12_kernels_are_positive_definite_on_points(name):
    kernel, function, _ = KERNELS[name]
    X = np.abs(rows(12, 3))
    assert kernels.is_positive_definite(kernel, X)
    assert kernels.is_positive_definite(function, X)


def test_L2_12_not_any_function_will_do():
    X = np.random.default_rng(0).standard_normal((12, 3))
    is_kernel = kernels.is_positive_definite
    assert is_kernel(lambda x, z: (x @ z + 1.0) ** 3, X)
    assert not is_kernel(lambda x, z: -(x @ z), X)
    assert not is_kernel(lambda x, z: x[0] * z[1], X)  # not symmetric
    assert not is_kernel(lambda x, z: float(np.linalg.norm(x - z)), X)
    assert not is_kernel(kernels.Polynomial(2, coef0=-1.0), X)
    assert not is_kernel(kernels.Sigmoid(gamma=5.0, coef0=-1.0), X)
    assert is_kernel(lambda x, z: -(x @ z), np.zeros((3, 2)))
    # The kernel perceptron still runs, but "corrects" a mistake away from its label.
    y = np.where(X[:, 0] > 0, 1, -1)
    run = textbook.kernel_perceptron(X, y, lambda x, z: -(x @ z), max_epochs=50)
    assert not run.converged
    assert textbook.kernel_perceptron(X, y, lambda x, z: x @ z, max_epochs=500).converged
    with pytest.raises(ValueError, match="k must be finite"):
        is_kernel(lambda x, z: np.inf, X)
