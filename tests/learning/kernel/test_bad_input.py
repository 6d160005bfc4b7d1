"""The kernel perceptron: bad input is an answer, and a failure leaves the model as it was."""

import numpy as np
import pytest
import scipy.sparse as sp
from kernel_data import integers, remembered
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from rosenblatt import KernelPerceptron, VotedPerceptron, kernels, rules
from rosenblatt.learning.base import attributes_without_locks

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"kernel": "rbff"}, "kernel must be one of .*linear, poly, .*; got 'rbff'"),
        ({"kernel": "RBF"}, "kernel must be one of .*linear, poly, .*; got 'RBF'"),
        ({"kernel": None}, "kernel must be one of .*precomputed.*function of two.*; got None"),
        ({"kernel": 3}, "kernel must be one of .*; got 3"),
        ({"gamma": 0}, r"gamma must be .*number in \(0, inf\); got 0"),
        ({"gamma": -1.0}, r"gamma must be .*number in \(0, inf\); got -1.0"),
        ({"gamma": np.nan}, r"gamma must be .*number in \(0, inf\); got nan"),
        ({"gamma": "skale"}, r"gamma must be .*number in \(0, inf\); got 'skale'"),
        ({"kernel": "poly", "degree": 0}, "degree must be a whole number in .*got 0"),
        (
            {"kernel": "poly", "degree": 2.5},
            "degree must be a whole number in .*got 2.5",
        ),
        ({"kernel": "poly", "coef0": np.inf}, "coef0 must be a finite number; got inf"),
        ({"kernel": "sigmoid", "coef0": "0"}, "coef0 must be a finite number; got '0'"),
        ({"cache_size": -1}, "cache_size must be a number in .0, inf.; got -1"),
        ({"cache_size": "200MB"}, "cache_size must be a number"),
        ({"output": "votes"}, "output must be one of .*'vote'; got 'votes'"),
        ({"multi_class": "ovo"}, "multi_class must be one of"),
        ({"multi_class": "joint", "tie": 1}, "takes the arg max"),
        ({"tie": 2}, "tie must be one of 0, -1, 1; got 2"),
        ({"rule": "perceptrn"}, "rule must be one of"),
        ({"rule": rules.PA1}, "NamedTuple with a method step"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"class_weight": {0: np.nan}}, r"class_weight\[0\] must be a finite number; got nan"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(setting, says):
    X, y = load_iris(return_X_y=True)
    model = KernelPerceptron(**setting)
    with pytest.raises((ValueError, TypeError), match=says):
        model.fit(X, y)
    assert not hasattr(model, "classes_")
    assert not hasattr(model, "gamma_"), "nothing is left behind"


@pytest.mark.parametrize(
    ("X", "y", "says"),
    [
        ([[1.0], [np.nan]], [0, 1], "NaN"),
        ([[1.0], [np.inf]], [0, 1], "infinity"),
        ([[1.0], [2.0]], [1, 1], "greater than one; got 1 class"),
        (np.zeros((0, 2)), [], "0 sample"),
        (np.zeros((2, 0)), [0, 1], "0 feature"),
        ([[1.0], [2.0]], [0, 1, 0], "inconsistent numbers of samples"),
        ([[1.0], [2.0]], [0.5, 1.7], "Unknown label type"),
        ([1.0, 2.0], [0, 1], "2D array"),
        ([["a"], ["b"]], [0, 1], "could not convert string"),
    ],
    ids=str,
)
@pytest.mark.parametrize("cls", [KernelPerceptron, VotedPerceptron])
def test_bad_data_is_named(cls, X, y, says):
    with pytest.raises(ValueError, match=says):
        cls().fit(X, y)


def test_unfitted_models_and_bad_rows_are_refused():
    X, y = load_iris(return_X_y=True)
    for name in ("support_", "support_vectors_", "dual_coef_", "intercept_", "mistakes_"):
        with pytest.raises(AttributeError, match=f"has no {name} before it is fitted"):
            getattr(KernelPerceptron(), name)
    with pytest.raises(NotFittedError):
        KernelPerceptron().predict(X)
    model = KernelPerceptron().fit(X, y)
    with pytest.raises(ValueError, match="X has 3 features, but KernelPerceptron is expecting 4"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="NaN"):
        model.decision_function(X * np.nan)


# --- a function as kernel ------------------------------------------------------------------------


def broken(A, B):
    raise KeyError("no such row")


@pytest.mark.parametrize(
    ("kernel", "says"),
    [
        (lambda A, B: A @ B[::-1].T, r"The kernel is not symmetric: k\(A, A\) of the first rows"),
        (lambda A, B: A[:, :1] + 0 * B[:, 0], "The kernel is not symmetric"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), r"kernel\(A, B\) is nan for row 0 of A"),
        (lambda A, B: np.where(A @ B.T > 9, np.inf, 0.0), r"kernel\(A, B\) is inf for row \d of A"),
        (lambda A, B: A @ B.T @ B, r"must be a matrix of real numbers of shape \(len\(A\), len\(B"),
        (lambda A, B: 1.0, r"of shape .* = \(8, 8\); got float64 of shape \(\)\."),
        (lambda A, B: (A @ B.T).astype(str), r"must be a matrix of real numbers .* got <U"),
        (lambda A, B: A @ B.T + 0j, "must be a matrix of real numbers .* got complex128"),
    ],
)
def test_a_bad_kernel_function_is_refused(kernel, says):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=says):
        KernelPerceptron(kernel).fit(X[::10], y[::10])


def test_an_error_of_a_kernel_function_is_passed_on():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(KeyError, match="no such row") as caught:
        KernelPerceptron(broken).fit(X, y)
    assert caught.value.__notes__ == ["kernel(A, B) was called with shapes (8, 4) and (8, 4)."]


def test_a_kernel_function_is_checked_on_all_rows():
    """Also on rows that the test for symmetry does not use."""
    X, y = load_iris(return_X_y=True)

    def kernel(A, B):
        values = A @ B.T
        values[np.ix_(A[:, 0] > 6.5, B[:, 0] > 6.5)] = np.nan
        return values

    with pytest.raises(
        ValueError, match=r"kernel\(A, B\) is nan for row \d+ of A and row \d+ of B"
    ):
        KernelPerceptron(kernel).fit(X, y)


# --- a table as kernel ---------------------------------------------------------------------------


def test_a_bad_precomputed_kernel_is_refused():
    X, y = integers(20)
    K = X @ X.T
    with pytest.raises(ValueError, match=r"must be the square matrix .* X has shape \(20, 19\)"):
        KernelPerceptron("precomputed").fit(K[:, :19], y)
    bad = K.copy()
    bad[3, 7] += 1.0
    says = rf"X has {bad[3, 7]:g} at \(3, 7\) and {bad[7, 3]:g} at \(7, 3\)"
    with pytest.raises(ValueError, match=f"The precomputed kernel is not symmetric: {says}"):
        KernelPerceptron("precomputed").fit(bad, y)
    with pytest.raises(ValueError, match=r"[Ss]parse"):
        KernelPerceptron("precomputed").fit(sp.csr_array(K), y)
    model = KernelPerceptron("precomputed").fit(K, y)
    with pytest.raises(ValueError, match="X has 3 features, but KernelPerceptron is expecting 20"):
        model.predict(X)


# --- numbers that are too large ------------------------------------------------------------------


def test_an_overflow_in_float32_is_explained():
    X, y = integers(30)
    X = (20.0 * X).astype(np.float32)
    model = KernelPerceptron("poly", degree=15, gamma=1, coef0=1, max_iter=2, tol=None)
    row = np.flatnonzero((np.sum(X * X, axis=1, dtype=float) + 1) ** 15 > np.finfo(np.float32).max)[
        0
    ]
    with pytest.raises(
        ValueError, match=rf"float32: k\(x, x\) of row {row} reaches 1e\d\d"
    ) as told:
        model.fit(X, y)
    for part in ("the largest float32 is 3.4e+38", "Scale the rows", "smaller", "X as float64"):
        assert part in str(told.value)
    assert not hasattr(model, "classes_")
    wide = model.fit(X.astype(np.float64), y)
    assert np.isfinite(wide.decision_function(X)).all()
    with pytest.raises(ValueError, match=r"float64: k\(x, x\) of row") as told:
        model.set_params(degree=100).fit(X.astype(np.float64), y)
    assert "X as float64" not in str(told.value)


@pytest.mark.parametrize("output", ["last", "vote"])
def test_rows_too_large_to_predict_are_named(output):
    X, y = integers(30)
    setting = {"degree": 9, "gamma": 1, "coef0": 1, "max_iter": 2, "tol": None, "output": output}
    model = KernelPerceptron("poly", **setting).fit(X.astype(np.float32), y)
    with pytest.raises(ValueError, match=r"The kernel overflows float32.*or give X as float64"):
        model.predict(1e6 * X)


# --- a failure leaves the model as it was --------------------------------------------------------


@pytest.mark.parametrize(
    "failing",
    [
        lambda model, X, y: model.fit(X, np.zeros(len(y))),
        lambda model, X, y: model.fit(X[:, :2] * np.nan, y),
        lambda model, X, y: model.set_params(kernel="bogus").fit(X, y),
        lambda model, X, y: model.set_params(kernel=broken).fit(X, y),
        lambda model, X, y: model.set_params(gamma=-1).fit(X, y),
        lambda model, X, y: model.set_params(kernel=kernels.Polynomial(400)).fit(1e3 * X, y),
        lambda model, X, y: model.set_params(rule="lms", eta0=1e300).fit(X, y),
        lambda model, X, y: model.set_params(class_weight={0: np.nan}).fit(X, y),
        lambda model, X, y: model.set_params(rule="bogus").partial_fit(X, y),
        lambda model, X, y: model.set_params(class_weight="balanced").partial_fit(X, y),
        lambda model, X, y: model.partial_fit(X[:, :2], y),
        lambda model, X, y: model.partial_fit(X, y[:-1]),
        lambda model, X, y: model.partial_fit(X, y, sample_weight=np.zeros(3)),
        lambda model, X, y: model.partial_fit(X, np.array(["mixed"] * len(y))),
        lambda model, X, y: model.set_params(warm_start=True).fit(X[:, :2], y),
        lambda model, X, y: model.set_params(warm_start=True).fit(X, y + 1),
    ],
)
@pytest.mark.parametrize("output", ["last", "vote"])
def test_a_failure_leaves_the_model_unchanged(output, failing):
    X, y = load_iris(return_X_y=True)
    model = KernelPerceptron(max_iter=3, tol=None, output=output).fit(X, y)
    parameters, attributes = model.get_params(), set(attributes_without_locks(model))
    before, scores = remembered(model), model.decision_function(X)
    with pytest.raises((ValueError, KeyError)):
        failing(model, X, y)
    model.set_params(**parameters)
    assert remembered(model) == before
    assert set(attributes_without_locks(model)) == attributes
    np.testing.assert_array_equal(model.decision_function(X), scores)


def test_a_failed_first_batch_leaves_the_model_unfitted():
    X, y = load_iris(return_X_y=True)
    model = KernelPerceptron()
    with pytest.raises(ValueError, match="none of the classes"):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.partial_fit(X, y, classes=[0, 1, 2]).t_ == 151
