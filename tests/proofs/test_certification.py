"""certify against linear programs and the perceptron, and on hard data."""

import bz2
import gzip
import io
import lzma
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from profiles import is_thorough, scaled, thorough
from real_data import real_data
from scipy.optimize import linprog
from sklearn.datasets import load_iris, load_svmlight_file

from rosenblatt import Perceptron, certify, theory
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search import finder, sparse
from rosenblatt.proofs.search.finder import find_exactly
from rosenblatt.proofs.search.nearest import Deadline, Task


def augmented(X, y, intercept=True):
    signs = np.where(np.asarray(y) == np.max(y), 1.0, -1.0)
    ones = np.ones((len(X), int(intercept)))
    return np.column_stack([X, ones]) * signs[:, None]


def by_linear_programs(X, y, intercept=True):
    """The verdict of two linear programs on the whole data, and the rows that a direction moves."""
    Z = augmented(X, y, intercept)
    n, p = Z.shape
    strict = linprog(np.zeros(p), A_ub=-Z, b_ub=-np.ones(n), bounds=(None, None))
    if strict.status == 0:
        return "separable"
    konis = linprog(-Z.sum(axis=0), A_ub=-Z, b_ub=np.zeros(n), bounds=(-1, 1))
    return "quasi-separable" if (Z @ konis.x > 1e-7).any() else "inseparable"


def labelled(draw, X):
    y = draw(hnp.arrays(np.int64, len(X), elements=st.integers(0, 1)))
    assume(len(set(y.tolist())) == 2)
    return X, y


@st.composite
def small_integers(draw):
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    bound = draw(st.sampled_from([1, 2, 5, 100]))
    X = draw(hnp.arrays(np.int64, (n, d), elements=st.integers(-bound, bound)))
    return labelled(draw, X.astype(float))


@st.composite
def any_floats(draw):
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.floats(-1e300, 1e300)))
    return labelled(draw, X)


@thorough(100)
@given(small_integers(), st.booleans())
@example((np.zeros((2, 1)), np.array([0, 1])), False)
def test_L2_5_agrees_with_linear_programs(data, intercept):
    X, y = data
    proof = certify(X, y, fit_intercept=intercept)
    assert proof.status == by_linear_programs(X, y, intercept)
    assert proof.verify(X, y)
    if proof.status == "separable":
        low, high = proof.margin
        assert 0 < low <= high <= low * (1 + 1e-6)
    else:
        assert proof.margin == (0.0, 0.0)
        assert len(proof.rows) <= X.shape[1] + 1 + intercept
        Z = augmented(X, y, intercept)
        for column in Z.T:
            total = sum(
                Fraction(w) * Fraction(column[i])
                for i, w in zip(proof.rows, proof.weights, strict=True)
            )
            assert total == 0


@thorough(100)
@given(any_floats(), st.booleans())
def test_any_finite_floats_are_decided(data, intercept):
    X, y = data
    proof = certify(X, y, fit_intercept=intercept)
    assert proof.status != "undecided"
    assert proof.verify(X, y)


@thorough(25)
@given(small_integers())
def test_dense_sparse_and_narrow_agree(data):
    X, y = data
    proof = certify(X, y)
    for other in (sp.csr_array(X), sp.coo_matrix(X), X.astype(np.float32), X.astype(np.int8)):
        again = certify(other, y)
        assert again.status == proof.status
        assert again.digest == proof.digest
        assert proof.verify(other, y)
        assert again.verify(X, y)
        np.testing.assert_array_equal(again.diverging != 0, proof.diverging != 0)


@thorough(75)
@given(small_integers())
def test_L2_5_never_contradicts_the_perceptron(data):
    X, y = data
    proof = certify(X, y)
    model = Perceptron(max_iter=200, tol=None, shuffle=False).fit(X, y)
    if model.converged_:
        assert proof.status == "separable"
        assert model.mistakes_ <= proof.mistake_bound
    if proof.status == "separable" and proof.mistake_bound < 190:
        assert model.converged_
    assert proof.mistakes <= proof.mistake_bound
    run = Perceptron(max_iter=proof.epochs, tol=None, shuffle=False).fit(X, y)
    assert run.mistakes_ == proof.mistakes
    assert run.converged_ == proof.converged


@thorough(50)
@given(small_integers())
def test_the_face_does_not_depend_on_order_or_scale(data):
    X, y = data
    proof = certify(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    assert certify(X[order], y[order]).status == proof.status
    scaled = X * 2.0 ** np.arange(-3, -3 + 40 * X.shape[1], 40)
    other = certify(scaled, y)
    assert other.status == proof.status
    assert certify(X, 1 - y).status == proof.status
    if proof.status != "separable":
        np.testing.assert_array_equal(other.diverging != 0, proof.diverging != 0)


# --- real data -----------------------------------------------------------------------------------


def uci(name):
    with open(real_data("uci_small", f"{name}.csv")) as file:
        rows = [line.strip().split(",") for line in file if line.strip() and "?" not in line]
    return np.array([[float(v) for v in row[:-1]] for row in rows]), np.array([r[-1] for r in rows])


def svmlight(*parts):
    path = real_data(*parts)
    opened = {".xz": lzma.open, ".bz2": bz2.open}.get(path.suffix, open)
    with opened(path, "rb") as file:
        return load_svmlight_file(io.BytesIO(b"".join(islice(file, 8000))))


def test_endometrial_as_in_r():
    """R's detectseparation: NV's estimate is infinite, all others are finite."""
    path = real_data("separation", "endometrial.csv")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    X, y = table[:, :3], table[:, 3]
    proof = certify(X, y)
    assert proof.status == "quasi-separable"
    assert proof.diverging.tolist() == [1, 0, 0]
    assert proof.direction == (1, 0, 0, 0)
    assert len(proof.rows) <= 5
    assert proof.verify(X, y)
    without = certify(X[:, 1:], y)
    assert without.status == "inseparable"
    assert without.verify(X[:, 1:], y)


@pytest.mark.parametrize(
    ("name", "positive", "status"),
    [
        ("sonar", "R", "separable"),
        ("ionosphere", "g", "quasi-separable"),
        ("banknote_authentication", "1", "inseparable"),
        ("pima-indians-diabetes", "1", "inseparable"),
        ("haberman", "2", "inseparable"),
        ("iris", "Iris-setosa", "separable"),
        ("iris", "Iris-virginica", "inseparable"),
        *(("wine", label, "separable") for label in "123"),
        ("wheat-seeds", "1", "inseparable"),
        ("wheat-seeds", "2", "separable"),
        ("glass", "6", "separable"),
    ],
)
def test_L2_5_small_real_sets(name, positive, status):
    X, y = uci(name)
    proof = certify(X, y == positive)
    assert proof.status == status == by_linear_programs(X, y == positive)
    assert proof.verify(X, y == positive)
    if status == "separable":
        low, high = proof.margin
        assert low <= high <= low * (1 + 1e-6)
        assert theory.margin(
            X, np.where(y == positive, 1, -1), proof.coef, proof.intercept
        ) >= low * (1 - 1e-12)


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        (("mushroom", "agaricus_train.txt.xz"), "separable"),
        (("a1a", "a1a.xz"), "quasi-separable"),
        (("heart_scale", "heart_scale"), "inseparable"),
        (("svmguide3", "svmguide3.xz"), "inseparable"),
        (("ijcnn1", "ijcnn1.trn.bz2"), "inseparable"),
    ],
)
def test_sparse_real_sets(parts, status):
    X, y = svmlight(*parts)
    proof = certify(X, y)
    assert proof.status == status
    assert proof.verify(X, y)
    if parts[0] == "ijcnn1":  # its one-hot columns add up: an LP moves 11 coefficients and no row
        assert not proof.diverging.any()


@cache
def mnist():
    images = real_data("mnist", "train-images-idx3-ubyte.gz")
    labels = real_data("mnist", "train-labels-idx1-ubyte.gz")
    X = np.frombuffer(gzip.decompress(images.read_bytes()), np.uint8, offset=16)
    y = np.frombuffer(gzip.decompress(labels.read_bytes()), np.uint8, offset=8)
    return X.reshape(-1, 784), y


@pytest.mark.parametrize("scale", [1.0, 255.0][: scaled(2)])
def test_a_digit_against_the_rest(scale):
    """By day of every fourth pixel; of all it takes half a minute."""
    X, y = (part[:20_000] for part in mnist())
    X = X[:, :: 1 if is_thorough() else 4].astype(np.float32) / np.float32(scale)
    proof = certify(X, y == 9, time_limit=600.0)  # the default is a minute, too short beside others
    assert proof.status == "quasi-separable"
    assert len(proof.rows) <= X.shape[1] + 2
    assert proof.verify(X, y == 9)
    assert proof.verify(sp.csr_array(X), y == 9)


def test_two_digits():
    X, y = mnist()
    some = (y == 0) | (y == 1)
    proof = certify(X[some], y[some])
    assert proof.status == "separable"
    assert proof.converged
    assert proof.mistakes <= proof.mistake_bound
    assert proof.margin[0] == pytest.approx(108.25239287)


# --- attacks -------------------------------------------------------------------------------------


def test_twins_with_opposite_labels():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 40))
    y = rng.integers(0, 2, 500)
    X[77], y[77], y[400] = X[400], 0, 1
    proof = certify(X, y)
    assert proof.rows.tolist() == [77, 400]
    assert proof.weights == (1, 1)
    assert proof.verify(X, y)


def test_more_features_than_rows_with_twins():
    rng = np.random.default_rng(0)
    X = sp.random_array((60, 700), density=0.02, rng=rng, format="lil")
    X[7] = X[9]
    X, y = sp.csr_array(X), rng.integers(0, 2, 60)
    y[7], y[9] = 0, 1
    proof = certify(X, y)
    assert proof.status == "quasi-separable"
    assert proof.rows.tolist() == [7, 9]
    assert proof.verify(X, y)


def test_more_features_than_rows():
    X = np.random.default_rng(0).standard_normal((40, 300))
    y = np.arange(40) % 2
    proof = certify(X, y)
    assert proof.status == "separable"
    assert proof.verify(X, y)
    low, high = proof.margin
    assert high <= low * (1 + 1e-6)


def test_a_constant_feature_decides_nothing():
    X = np.column_stack([[0.0, 1.0, 3.0, 4.0], np.full(4, 7.7), np.zeros(4)])
    proof = certify(X, [0, 0, 1, 1])
    assert proof.diverging.tolist() == [1, 0, 0]
    X[1, 0] = 3.5
    proof = certify(X, [0, 0, 1, 1])
    assert proof.status == "inseparable"
    assert proof.verify(X, [0, 0, 1, 1])


def test_points_on_the_hyperplane():
    X = np.array([[0.0, 0], [0, 1], [0, 2], [1, 0], [-1, 1]])
    y = np.array([0, 1, 0, 1, 0])
    proof = certify(X, y)
    assert proof.status == "quasi-separable"
    assert proof.direction == (1, 0, 0)
    assert proof.diverging.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.7e308, 1.7e308], [-1.7e308, 1.7e308]], [0, 1]),
        ([[1e300, 5e-324], [1e300, 0.0], [1e300, 5e-324], [-1e300, 0.0]], [0, 1, 0, 1]),
        ([[5e-324], [0.0]], [0, 1]),
        ([[1e308, 1e308], [-1e308, -1e308]], [0, 1]),
        ([[1.0 + 2.0**-52], [1.0]], [0, 1]),
        ([[1e-160, 1.0], [0.0, 1.0], [1e160, 2.0]], [0, 1, 0]),
        ([[1e300], [5e-324], [1e300], [5e-324]], [0, 1, 0, 1]),
        ([[1e300], [5e-324], [1e-300], [1.0]], [0, 1, 0, 1]),
    ],
)
def test_extreme_floats(X, y):
    proof = certify(X, y)
    assert proof.status in ("separable", "quasi-separable", "inseparable")
    assert proof.verify(X, y)


@pytest.mark.parametrize(
    "X", [[[0.1, 0.0], [0.1, 0.0], [0.2, 1e-7]], [[0.0, 0.25], [0.0, 0.25], [1e-7, 0.25]]]
)
def test_small_features_of_different_sizes(X):
    proof = certify(X, [0, 1, 1])
    assert proof.status == "quasi-separable"
    assert proof.verify(X, [0, 1, 1])


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0, 0], [0, 0], [1, 0], [1, 2]], [0, 1, 1, 1]),
        ([[0, 0], [1, 0], [1, 1], [1, 1]], [0, 0, 0, 1]),
    ],
)
def test_coefficients_that_the_face_does_not_determine_diverge(X, y):
    proof = certify(X, y)
    assert proof.status == "quasi-separable"
    assert proof.diverging.all()
    assert proof.verify(X, y)


@pytest.fixture
def no_rationals(monkeypatch):
    """The rationals rescue whatever floats leave open; here they may not."""

    def refused(*_):
        raise AssertionError("floats should have decided this")

    monkeypatch.setattr(finder, "exact_minimal_face", refused)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(scaled(40)))
def test_floats_decide_zeros_and_ones(seed, intercept, no_rationals):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(5, 120), rng.integers(2, 12)
    X = (rng.random((n, d)) < rng.uniform(0.2, 0.8)).astype(float)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    proof = certify(X, y, fit_intercept=intercept)
    assert proof.status == by_linear_programs(X, y, intercept)


def test_floats_decide_many_copies(no_rationals):
    X = np.array([[int(c) for c in row] for row in COPIED.split()])
    y = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0])
    proof = certify(np.tile(X, (2000, 1)), np.tile(y, 2000), fit_intercept=False)
    assert proof.status == "quasi-separable"


COPIED = """00010 11111 01111 01011 01001 00111 11100 01111 11100 11011 00001 00100 01100"""


@thorough(60)
@given(small_integers(), st.booleans())
def test_rationals_alone_agree(data, intercept):
    X, y = data
    signs = np.where(y == 1, 1.0, -1.0)
    found = find_exactly(Task(LabelledData(X, signs), intercept, Deadline(60.0)), 1e-6)
    assert found.status == certify(X, y, fit_intercept=intercept).status


def test_features_of_very_different_sizes():
    rng = np.random.default_rng(1)
    sizes = 10.0 ** np.linspace(-4, 8, 12)
    X = (rng.standard_normal((400, 12)) + 3.0) * sizes
    separable = (X / sizes) @ rng.standard_normal(12) > 0
    for y, status in ((separable, "separable"), (rng.integers(0, 2, 400), "inseparable")):
        proof = certify(X, y)
        assert proof.status == status
        assert proof.verify(X, y)


@thorough(60)
@given(seed=st.integers(0, 2**32 - 1), intercept=st.booleans())
def test_rows_that_features_of_one_sign_decide_are_removed_first(seed, intercept):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 30)), int(rng.integers(2, 30))
    X = rng.integers(-2, 3, (n, d)) * (rng.random((n, d)) < rng.choice([0.05, 0.2, 0.5]))
    X = np.vstack([X, X[:1]]).astype(float)
    y = rng.integers(0, 2, n + 1)
    y[-1] = 1 - y[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "PEELED_FROM", 0)
        patch.setattr(finder, "_MAX_REST", 1.0)
        proof = certify(sp.csr_array(X), y, fit_intercept=intercept)
    assert proof.status == by_linear_programs(X, y, intercept)
    assert proof.verification
    assert proof.verify(X, y)


def test_large_sparse_sets_with_rows_that_cancel_are_decided():
    n = 4200
    twin = sp.csr_array(([1.0], ([0], [7])), (1, n))
    X = sp.csr_array(sp.vstack([sp.eye_array(n, format="csr"), twin]))
    y = np.arange(n + 1) % 2
    y[-1] = 1 - y[7]
    proof = certify(X, y)
    assert (proof.status, proof.rows.tolist()) == ("quasi-separable", [7, n])
    assert proof.verification
    assert (np.count_nonzero(proof.diverging), proof.diverging[7]) == (n - 1, 0)


def test_without_time_the_status_is_undecided():
    X, y = np.random.default_rng(0).standard_normal((3000, 300)), np.arange(3000) % 2
    proof = certify(X, y, time_limit=0)
    assert proof.status == "undecided"
    assert proof.margin[0] == 0.0
    assert 0 < proof.margin[1] < np.inf
    assert proof.verify(X, y)


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    proofs = certify(X, y)
    assert [proof.status for proof in proofs.values()] == [
        "separable",
        "inseparable",
        "inseparable",
    ]
    assert proofs.status == "inseparable"
    assert proofs.verify(X, y)
    assert not proofs.verify(X, (y + 1) % 3)


def test_names_of_features():
    table = load_iris(as_frame=True)
    proof = certify(table.data, table.target == 0)
    assert proof.feature_names == tuple(table.data.columns)


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[1.0], [2.0]], [1, 1], {}, "one class"),
        (np.zeros((0, 2)), [], {}, "0 sample"),
        ([[1.0], [np.nan]], [0, 1], {}, "NaN"),
        ([[1.0], [np.inf]], [0, 1], {}, "infinity"),
        ([[1.0], [2.0]], [0, 1, 1], {}, "2 rows, but y has 3"),
        ([[1.0], [2.0]], [0.5, 1.5], {}, "a fraction"),
        ([[10**400], [1]], [0, 1], {}, "too large"),
        ([[Decimal("NaN")], [Decimal("0.1")]], [0, 1], {}, "NaN"),
        ([[Decimal("-Infinity")], [Decimal("0.1")]], [0, 1], {}, "infinity"),
        ([[Decimal("1e-99999")], [1]], [0, 1], {}, "too many digits"),
        ([[Fraction(1, 10**400)], [1]], [0, 1], {}, "common denominator"),
        ([[1.0], [2.0]], np.array(["2020-01-01", "2021-01-01"], "M8[D]"), {}, "label"),
        ([[1.0], [2.0]], [None, "a"], {}, "label"),
        ([[1.0], [2.0]], [0, 1], {"tol": 0}, "tol must be"),
        ([[1.0], [2.0]], [0, 1], {"time_limit": -1}, "time_limit must be"),
        ([[1.0], [2.0]], [0, 1], {"fit_intercept": 2}, "fit_intercept must be"),
    ],
)
def test_bad_input(X, y, options, message):
    with pytest.raises(ValueError, match=message):
        certify(X, y, **options)
