"""The lifts: equal inner products, a ring made separable, and the machine of 1958."""

import math
import pickle
import time
import tracemalloc
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from profiles import thorough
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from rosenblatt import AssociationCells, Perceptron, PolynomialLift, RadialLift, retina, toys

LIFTS = [
    PolynomialLift(),
    PolynomialLift(3, gamma=0.5, coef0=2.0),
    PolynomialLift(repeated=True, coef0=1.0),
    RadialLift(),
    AssociationCells(30),
]
examples = thorough(80)


def ids(lift):
    return repr(lift)


@parametrize_with_checks(LIFTS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# --- L2.8: the polynomial lift ------------------------------------------------------------------


def inner(x, z):
    """⟨x, z⟩ in exact arithmetic."""
    return sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(x, z, strict=True))


@st.composite
def pairs(draw, elements):
    """Two rows of 1 to 5 columns, a degree and a constant."""
    X = draw(hnp.arrays(np.float64, (2, draw(st.integers(1, 5))), elements=elements))
    return X, draw(st.integers(1, 5)), draw(st.sampled_from([0.0, 1.0, 4.0]))


def test_L2_8_the_lectures_own_vector():
    x = np.array([3.0, -5.0])
    lifted = PolynomialLift().fit_transform([x])
    assert lifted.tolist() == [[9.0, math.sqrt(2) * -15.0, 25.0]]


@examples
@given(pairs(st.integers(-6, 6).map(float)))
def test_L2_8_repeated_is_exact_on_whole_numbers(case):
    X, degree, coef0 = case
    Z = PolynomialLift(degree, coef0=coef0, repeated=True).fit_transform(X)
    kernel = [[int((inner(x, z) + int(coef0)) ** degree) for z in X] for x in X]
    assert (Z @ Z.T).tolist() == kernel  # as floats multiply and add
    assert [[inner(x, z) for z in Z] for x in Z] == kernel
    assert Z.shape[1] == (X.shape[1] + (coef0 > 0)) ** degree


@examples
@given(
    pairs(st.floats(-100, 100).filter(lambda x: x == 0 or abs(x) > 1e-3)),
    st.floats(1e-3, 10),
    st.booleans(),
)
def test_L2_8_with_roots_it_is_exact_to_rounding(case, gamma, repeated):
    X, degree, coef0 = case
    lift = PolynomialLift(degree, gamma=gamma, coef0=coef0, repeated=repeated)
    Z = lift.fit_transform(X)
    for i, j in [(0, 0), (0, 1), (1, 1)]:
        wanted = (Fraction(gamma) * inner(X[i], X[j]) + Fraction(coef0)) ** degree
        scale = (Fraction(gamma) * inner(abs(X[i]), abs(X[j])) + Fraction(coef0)) ** degree
        assert abs(inner(Z[i], Z[j]) - wanted) <= Fraction(1e-12) * scale


def test_L2_8_the_columns_are_all_monomials_in_the_lectures_order():
    x = np.array([2.0, 3.0, 5.0, 7.0])
    for degree in (1, 2, 3, 4):
        wanted = []
        for picks in combinations_with_replacement(range(4), degree):
            orderings = sum(sorted(p) == list(picks) for p in product(range(4), repeat=degree))
            wanted.append(math.sqrt(orderings) * math.prod(x[i] for i in picks))
        np.testing.assert_allclose(PolynomialLift(degree).fit_transform([x])[0], wanted, rtol=1e-15)
        repeated = PolynomialLift(degree, repeated=True).fit_transform([x])[0]
        free = product(range(4), repeat=degree)
        assert repeated.tolist() == [math.prod(x[i] for i in picks) for picks in free]


def test_L2_8_high_degrees_keep_their_twelve_digits():
    X = np.array([[0.5, -0.25], [1.0, 0.75]])
    Z = PolynomialLift(60).fit_transform(X)
    np.testing.assert_allclose(Z[0] @ Z[0], (0.3125) ** 60, rtol=1e-12)
    np.testing.assert_allclose(Z[1] @ Z[1], (1.5625) ** 60, rtol=1e-12)


def test_L2_8_roots_may_miss_a_tie_that_repeated_columns_hit():
    # Orthogonal rows: every product is exactly 0, and with the roots it need not be.
    X = np.array([[a, b] for a in range(-9, 10) for b in range(-9, 10)], float)
    tied = (X @ X.T) == 0
    exact = PolynomialLift(repeated=True).fit_transform(X)
    rooted = PolynomialLift().fit_transform(X)
    inners = [[float(np.dot(x, z)) for z in exact] for x in exact]
    assert (np.array(inners)[tied] == 0).all()
    missed = [rooted[i] @ rooted[j] for i, j in zip(*np.nonzero(tied), strict=True)]
    assert np.count_nonzero(missed) > 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("lift", LIFTS, ids=ids)
def test_sparse_is_dense_to_the_bit(lift, dtype, rng):
    X = sp.random_array((60, 9), density=0.3, rng=rng, dtype=np.float64).toarray().astype(dtype)
    X *= rng.choice([-1, 1], X.shape).astype(dtype)
    X += 0.0  # no −0: it is not stored
    X[5] = 0.0
    dense = lift.fit_transform(X)
    assert dense.dtype == dtype
    kinds = {sp.csr_array: sp.csr_array, sp.csr_matrix: sp.csr_matrix, sp.csc_array: sp.csr_array}
    for convert, returned in kinds.items():
        sparse = lift.transform(convert(X))
        assert type(sparse) is returned
        assert sparse.dtype == dtype
        assert sparse.has_canonical_format
        assert sparse.toarray().tobytes() == dense.tobytes()
    long = sp.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    assert lift.transform(long).toarray().tobytes() == dense.tobytes()


@pytest.mark.parametrize("lift", LIFTS, ids=ids)
def test_rows_in_disorder_are_lifted_the_same_and_left_alone(lift):
    columns = np.array([2, 0, 2, 1])
    X = sp.csr_array((np.array([1.0, 2.0, 3.0, 4.0]), columns, np.array([0, 3, 4])), shape=(2, 3))
    X.has_sorted_indices = X.has_canonical_format = False
    np.testing.assert_array_equal(
        lift.fit_transform(X).toarray(), lift.transform([[2.0, 0.0, 4.0], [0.0, 4.0, 0.0]])
    )
    assert X.indices.tolist() == [2, 0, 2, 1]


def test_a_sparse_row_costs_what_its_nonzeros_make(rng):
    X = sp.random_array((1000, 10_000), density=0.005, format="csr", rng=rng)
    lift = PolynomialLift().fit(X)
    z = np.diff(X.indptr)
    wanted = int((z * (z + 1) // 2).sum())
    tracemalloc.start()
    Z = lift.transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert Z.shape == (1000, 10_000 * 10_001 // 2)
    assert Z.nnz == wanted
    assert peak < 4 * wanted * 16  # values and places, and a few of them on the way
    begin = time.perf_counter()
    lift.transform(X)
    assert time.perf_counter() - begin < 1.0
    row = X[[7]].toarray()[0]
    i, j = np.flatnonzero(row)[[1, 3]]
    column = i * 10_000 - i * (i - 1) // 2 + (j - i)
    assert Z[7, column] == row[i] * row[j] * np.sqrt(2.0)


def test_places_beyond_32_bits_are_right():
    X = sp.csr_array(([2.0, 3.0], ([0, 0], [0, 99_999])), shape=(1, 100_000))
    Z = PolynomialLift(3).fit_transform(X)
    columns = math.comb(100_002, 3)
    assert Z.shape[1] == columns
    first = math.comb(100_001, 2)  # that begin with x0
    assert Z.indices.tolist() == [0, 99_999, first - 1, columns - 1]
    np.testing.assert_allclose(Z.data, [8, math.sqrt(3) * 12, math.sqrt(3) * 18, 27], rtol=1e-15)
    repeated = PolynomialLift(3, repeated=True).fit_transform(X)
    places = [i * 100_000**2 + j * 100_000 + k for i, j, k in product([0, 99_999], repeat=3)]
    assert repeated.indices.tolist() == places
    assert repeated.data.tolist() == [8, 12, 12, 18, 12, 18, 18, 27]


def test_L3_9_xor_is_learned_on_the_lift():
    toy = toys.xor(5, noise=0.3)
    assert not Perceptron().fit(toy.X, toy.y).converged_
    assert make_pipeline(PolynomialLift(), Perceptron()).fit(toy.X, toy.y)[-1].converged_


# --- L0.6: the radial lift ----------------------------------------------------------------------


def test_L0_6_a_ring_becomes_separable_and_both_verdicts_are_proved():
    toy = toys.rings(200, width=0.2, seed=3)
    lifted = RadialLift().fit_transform(toy.X)
    np.testing.assert_array_equal(lifted, toy.Z)
    assert not Perceptron().fit(toy.X, toy.y).converged_
    assert Perceptron().fit(lifted, toy.y).converged_
    assert rosenblatt.certify(toy.X, toy.y).status == "inseparable"
    assert rosenblatt.certify(lifted, toy.y).status == "separable"


@pytest.mark.parametrize("seed", range(5))
def test_L0_6_the_plane_above_is_a_circle_below(seed):
    toy = toys.rings(200, inner=1.0, outer=1.3, width=0.2, seed=seed)
    middle = np.array([3.0, -2.0])  # away from the origin, so that the circle must be found
    X = toy.X + middle
    model = make_pipeline(RadialLift(), Perceptron(max_iter=100_000, tol=None)).fit(X, toy.y)
    assert model[-1].converged_
    (w1, w2, c), b = model[-1].coef_[0], model[-1].intercept_[0]
    assert c < 0  # inside is +1
    centre = -np.array([w1, w2]) / (2 * c)
    radius = math.sqrt(centre @ centre - b / c)
    inside = np.linalg.norm(X - centre, axis=1) < radius
    np.testing.assert_array_equal(inside, toy.y > 0)
    assert np.linalg.norm(centre - middle) < 0.3
    assert 1.0 - 0.3 < radius < 1.3 + 0.3


@examples
@given(hnp.arrays(np.float64, (3, 4), elements=st.integers(-1000, 1000).map(float)))
def test_L0_6_in_any_dimension(X):
    Z = RadialLift().fit_transform(X)
    np.testing.assert_array_equal(Z[:, :4], X)
    assert Z[:, 4].tolist() == [inner(x, x) for x in X]


def test_L0_6_single_precision_is_rounded_once(rng):
    X = rng.standard_normal((200, 7)).astype(np.float32)
    wanted = [np.float32(math.fsum(float(x) ** 2 for x in row)) for row in X]
    np.testing.assert_array_equal(RadialLift().fit_transform(X)[:, 7], wanted)


# --- L0.7: the machine of the newspaper ---------------------------------------------------------


def unseen(make, n, m, **options):
    """Pictures to learn from, and pictures that are none of them."""
    seen, new = make(n, seed=1, **options), make(m, seed=2, **options)
    old = {x.tobytes() for x in seen.X}
    fresh = np.array([x.tobytes() not in old for x in new.X])
    assert fresh.sum() > 200
    return seen.X, seen.y, new.X[fresh], new.y[fresh]


def accuracies(X, y, new_X, new_y, **options):
    """Share of new pictures that are named right: on the retina alone, and on cells."""
    plain = Perceptron(output="average").fit(X, y)
    cells = make_pipeline(AssociationCells(**options), Perceptron(output="average")).fit(X, y)
    return plain.score(new_X, new_y), cells.score(new_X, new_y)


def test_L0_7_it_learns_left_from_right():
    _, cells = accuracies(*unseen(retina.sides, 500, 600))
    assert cells >= 0.985


def test_L0_7_it_learns_shapes_that_the_retina_alone_does_not():
    plain, cells = accuracies(*unseen(retina.shapes, 1500, 1000))
    assert plain < 0.5
    assert cells > 0.68


def test_L0_7_it_learns_letters():
    plain, cells = accuracies(*unseen(retina.letters, 1500, 700))
    assert cells > 0.9
    assert cells > plain + 0.08


def test_L0_7_it_tells_e_from_x():
    _, cells = accuracies(*unseen(retina.letters, 500, 500, letters="EX"))
    assert cells > 0.95


def test_L0_7_more_cells_learn_more_and_the_threshold_matters():
    pictures = unseen(retina.shapes, 1500, 1000)
    _, few = accuracies(*pictures, n_cells=30)
    _, many = accuracies(*pictures)
    _, deaf = accuracies(*pictures, threshold=5)  # more than four connections can bring
    assert few < many - 0.1
    assert deaf < 0.45


def test_L0_7_a_cell_is_a_threshold_on_its_points(rng):
    X = retina.shapes(20).X
    lift = AssociationCells(50, excitatory=6, inhibitory=2, threshold=2).fit(X)
    wiring = lift.wiring_.toarray()
    assert wiring.shape == (400, 50)
    assert (wiring.sum(axis=0) == 4).all()
    assert (abs(wiring).sum(axis=0) <= 8).all()
    assert len(np.unique(wiring, axis=1).T) == 50
    fires = [[1.0 if x @ cell >= 2 else 0.0 for cell in wiring.T] for x in X]
    assert lift.transform(X).tolist() == fires
    assert {0.0, 1.0} == set(np.ravel(fires))
    sums = X @ wiring
    for threshold in (-1, 0, 0.5, 3):
        lift.set_params(threshold=threshold)
        np.testing.assert_array_equal(lift.transform(X), sums >= threshold)
        np.testing.assert_array_equal(lift.transform(sp.csr_array(X)).toarray(), sums >= threshold)


def test_L0_7_the_wiring_is_fixed():
    X, other = retina.sides(30).X, retina.shapes(50).X

    def wiring(X, n=40, seed=0):
        return AssociationCells(n, random_state=seed).fit(X).wiring_.toarray()

    np.testing.assert_array_equal(wiring(X), wiring(other))  # whatever it sees
    np.testing.assert_array_equal(wiring(X), wiring(X, n=90)[:, :40])
    assert (wiring(X) != wiring(X, seed=1)).any()
    rng = np.random.RandomState(0)
    np.testing.assert_array_equal(wiring(X, seed=rng), wiring(X))
    assert (wiring(X, seed=rng) != wiring(X)).any()


def test_connections_that_cancel_are_not_kept():
    lift = AssociationCells(200, excitatory=1, inhibitory=1).fit([[1.0, 2.0]])
    assert 0 < lift.wiring_.nnz < 400
    assert (lift.wiring_.data != 0).all()


def test_all_connections_may_go_to_one_point():
    lift = AssociationCells(3, excitatory=200, inhibitory=0, threshold=400).fit([[1.0]])
    assert lift.wiring_.toarray().tolist() == [[200, 200, 200]]
    assert lift.transform([[1.99], [2.0]]).tolist() == [[0, 0, 0], [1, 1, 1]]


# --- names, copies, bad input -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lift", "names"),
    [
        (PolynomialLift(), "x0^2,x0 x1,x1^2"),
        (PolynomialLift(3), "x0^3,x0^2 x1,x0 x1^2,x1^3"),
        (PolynomialLift(coef0=1), "x0^2,x0 x1,x0,x1^2,x1,1"),
        (PolynomialLift(1, coef0=1), "x0,x1,1"),
        (PolynomialLift(repeated=True), "x0 x0,x0 x1,x1 x0,x1 x1"),
        (PolynomialLift(1, repeated=True, coef0=1), "x0,x1,1"),
        (RadialLift(), "x0,x1,x0^2 + x1^2"),
        (AssociationCells(3), "cell0,cell1,cell2"),
    ],
    ids=repr,
)
def test_names(lift, names):
    lift = clone(lift).fit([[1.0, 2.0]])
    assert lift.get_feature_names_out().tolist() == names.split(",")
    renamed = names.replace("x0", "height").replace("x1", "width").split(",")
    assert lift.get_feature_names_out(["height", "width"]).tolist() == renamed
    with pytest.raises(ValueError, match="input_features"):
        lift.get_feature_names_out(["height"])


def test_names_of_many_columns():
    for d, last in [(3, "x0^2 + x1^2 + x2^2"), (4, "|x|^2")]:
        assert RadialLift().fit(np.ones((1, d))).get_feature_names_out()[-1] == last


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("lift", LIFTS, ids=ids)
def test_tables_come_back_with_names(lift, library):
    frames = pytest.importorskip(library)
    X = frames.DataFrame({"height": [1.0, 2.0], "width": [3.0, 5.0]})
    lift = clone(lift).set_output(transform=library).fit(X)
    out = lift.transform(X)
    assert isinstance(out, frames.DataFrame)
    assert list(out.columns) == lift.get_feature_names_out().tolist()
    plain = clone(lift).set_output(transform="default").fit_transform(X)
    np.testing.assert_array_equal(out.to_numpy(), plain)


@pytest.mark.parametrize("lift", LIFTS, ids=ids)
def test_a_pickle_lifts_the_same(lift, rng):
    X = rng.standard_normal((5, 3))
    lift = clone(lift).fit(X)
    again = pickle.loads(pickle.dumps(lift))
    np.testing.assert_array_equal(again.transform(X), lift.transform(X))
    with pytest.raises(NotFittedError):
        clone(lift).transform(X)
    with pytest.raises(NotFittedError):
        clone(lift).get_feature_names_out()


@pytest.mark.parametrize(
    ("lift", "says"),
    [
        (PolynomialLift(0), r"degree must be a whole number in \[1, inf\); got 0"),
        (PolynomialLift(2.0), r"degree must be a whole number in \[1, inf\); got 2.0"),
        (PolynomialLift(gamma=0), r"gamma must be a number in \(0, inf\); got 0"),
        (PolynomialLift(gamma=math.inf), r"gamma must be a number in \(0, inf\); got inf"),
        (PolynomialLift(gamma="scale"), r"gamma must be a number"),
        (PolynomialLift(coef0=-1), r"coef0 must be a number in \[0, inf\); got -1"),
        (PolynomialLift(coef0=math.nan), r"coef0 must be a number in \[0, inf\); got nan"),
        (PolynomialLift(repeated="yes"), r"repeated must be one of False, True; got 'yes'"),
        (AssociationCells(0), r"n_cells must be a whole number in \[1, inf\); got 0"),
        (AssociationCells(excitatory=0), r"excitatory must be a whole number in \[1, inf\)"),
        (AssociationCells(inhibitory=-1), r"inhibitory must be a whole number in \[0, inf\)"),
        (AssociationCells(threshold=math.nan), r"threshold must be a finite number"),
    ],
    ids=repr,
)
def test_bad_parameters_are_refused(lift, says):
    with pytest.raises(ValueError, match=says):
        lift.fit([[1.0, 2.0]])


def test_a_parameter_changed_after_fit_is_checked():
    lift = PolynomialLift().fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="degree must be"):
        lift.set_params(degree=0).transform([[1.0, 2.0]])


def test_more_columns_than_can_be_numbered_are_refused():
    X = np.ones((2, 784))
    says = (
        r'degree=10 makes 10\^22.4 columns of 784, .* KernelPerceptron\(kernel="poly", degree=10\)'
    )
    with pytest.raises(ValueError, match=says):
        PolynomialLift(10).fit(X)
    with pytest.raises(ValueError, match=says):
        PolynomialLift(np.int64(10)).fit(sp.csr_array(X))
    with pytest.raises(ValueError, match=r"makes 10\^14471.6 columns"):
        PolynomialLift(5000, repeated=True).fit(X)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_more_columns_than_memory_holds_are_refused(make):
    X = make(np.ones((2, 784)))
    lift = PolynomialLift(6).fit(X)
    columns = f"{math.comb(789, 6):,}"
    with pytest.raises(ValueError, match=f"degree=6 makes {columns} columns of 784, .* memory"):
        lift.transform(X)
    few = sp.csr_array(([1.0], ([0], [3])), shape=(1, 784))
    assert lift.transform(few).nnz == 1  # what a sparse row does not have costs nothing


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("lift", "big"), [(PolynomialLift(), 1e200), (RadialLift(), 1e155)])
def test_products_beyond_all_floats_are_refused(lift, big, make):
    with pytest.raises(ValueError, match="overflows float64: scale X"):
        lift.fit_transform(make([[big, big]]))
    with pytest.raises(ValueError, match="overflows float32: scale X"):
        lift.fit_transform(make(np.array([[1e20, 1.0]], np.float32)))
