"""Matrices that know their columns, and models that compare them with their own."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import cross_val_score, train_test_split

import rosenblatt
from rosenblatt import KernelPerceptron, LMSRegressor, Perceptron, certify
from rosenblatt.learning.linear.learners import Perceptron as PlainPerceptron
from rosenblatt.streams import open_stream
from rosenblatt.streams.core.batch import slice_rows
from rosenblatt.streams.core.named import with_columns

SPARSE = "colour,y\nred,stop\ngreen,go\nred,stop\ngreen,go\n"
SPARSE_REVERSED = "colour,y\ngreen,go\nred,stop\n"
DENSE = "a,b,y\n1,2,0\n3,1,1\n2,2,0\n4,0,1\n"
DENSE_REVERSED = "b,a,y\n2,1,0\n1,3,1\n"


def read(tmp_path, text):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    return open_stream(str(path)).read()


@pytest.fixture(params=["sparse", "dense"])
def tables(request, tmp_path):
    """The same columns in two orders: (X, y) and (X, y)."""
    texts = (SPARSE, SPARSE_REVERSED) if request.param == "sparse" else (DENSE, DENSE_REVERSED)
    return [read(tmp_path, text) for text in texts]


def test_a_model_of_the_command_refuses_another_table(tmp_path, call):
    (tmp_path / "a.csv").write_text(SPARSE)
    (tmp_path / "b.csv").write_text(SPARSE_REVERSED)
    call("train", tmp_path / "a.csv", "-m", tmp_path / "a.rosenblatt", "-q")
    model = rosenblatt.load(tmp_path / "a.rosenblatt")
    X, y = open_stream(str(tmp_path / "a.csv")).read()
    assert model.predict(X).tolist() == y.tolist()
    with pytest.raises(
        ValueError, match=r"column 0 is 'colour=green', the model's is 'colour=red'"
    ) as e:
        model.predict(open_stream(str(tmp_path / "b.csv")).read()[0])
    assert "model.read(FILE)" in str(e.value)


@pytest.mark.parametrize("cls", [Perceptron, PlainPerceptron, KernelPerceptron], ids=str)
def test_every_method_compares(tables, cls):
    (X, y), (X2, y2) = tables
    model = cls().fit(X, y)
    assert tuple(model.feature_names_in_) == X.columns
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # names that are equal give no warning
        assert model.predict(X[1:]).tolist() == y[1:].tolist()
        model.partial_fit(X, y)
    assert tuple(model.feature_names_in_) == X.columns
    methods = [model.predict, model.decision_function, lambda X: model.partial_fit(X, y2)]
    if hasattr(model, "score"):
        methods.append(lambda X: model.score(X, y2))
    for method in methods:
        with pytest.raises(ValueError, match="The columns of X are not those"):
            method(X2)
    logistic = Perceptron(rule="logistic").fit(X, y)
    with pytest.raises(ValueError, match="The columns of X are not those"):
        logistic.predict_proba(X2)


def test_a_regressor_compares(tmp_path):
    X, y = read(tmp_path, DENSE)
    model = LMSRegressor(eta0=0.01).partial_fit(X, y)
    assert model.predict(X).shape == (4,)
    with pytest.raises(ValueError, match="column 0 is 'b', the model's is 'a'"):
        model.predict(read(tmp_path, DENSE_REVERSED)[0])


def test_fewer_columns_are_said(tmp_path):
    X, y = read(tmp_path, SPARSE)
    model = Perceptron().fit(X, y)
    with pytest.raises(ValueError, match="X has 1, the model 2"):
        model.predict(read(tmp_path, "colour,y\nred,stop\nred,go\n")[0])


def test_a_new_fit_forgets_the_names(tables):
    (X, y), (X2, y2) = tables
    model = Perceptron().fit(X, y).fit(X2, y2)
    assert tuple(model.feature_names_in_) == X2.columns
    bare = sp.csr_array(X) if sp.issparse(X) else np.array(X)
    assert not hasattr(model.fit(bare, y), "feature_names_in_")
    assert model.predict(X2).shape == (len(y2),)  # nothing to compare with


def test_a_bare_matrix_is_taken_with_a_warning_of_scikit_learn(tables):
    (X, y), _ = tables
    model = Perceptron().fit(X, y)
    bare = sp.csr_array(X) if sp.issparse(X) else np.array(X)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert model.predict(bare).tolist() == y.tolist()


def test_the_bits_are_those_of_a_bare_matrix(tables):
    (X, y), _ = tables
    bare = sp.csr_array(X) if sp.issparse(X) else np.array(X)
    named, plain = (Perceptron().fit(rows, y) for rows in (X, bare))
    assert named.coef_.tobytes() == plain.coef_.tobytes()
    assert type(named.coef_) is np.ndarray


@pytest.mark.parametrize(
    "select",
    [
        lambda X: X[1:3],
        lambda X: X[[2, 0]],
        lambda X: X[np.array([True, False, True, True])],
        lambda X: X[1:, :],
        lambda X: X[np.array([1, 2]), ...] if not sp.issparse(X) else X[np.array([1, 2])],
        lambda X: slice_rows(X, slice(1, 3)),
        lambda X: train_test_split(X, random_state=0)[0],
        lambda X: pickle.loads(pickle.dumps(X)),
    ],
)
def test_rows_keep_the_names(tables, select):
    (X, _), _ = tables
    assert select(X).columns == X.columns


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X[:, ::-1],
        lambda X: X[:, [1, 0]],
        lambda X: X[[0, 1], [1, 0]],
        lambda X: X[0],
        lambda X: X * 2.0,
        lambda X: X.T,
        lambda X: abs(X),
        lambda X: copy.copy(X).sum(axis=0),
    ],
)
def test_other_columns_have_no_names(tables, change):
    (X, _), _ = tables
    assert getattr(change(X), "columns", None) is None


def test_arithmetic_gives_plain_arrays():
    X = with_columns(np.eye(2), ["a", "b"])
    assert type(X.sum()) is np.float64
    assert type(X @ X) is type(X - X.mean(axis=0)) is np.ndarray
    before = X
    X += 1.0
    assert X is before
    assert X.columns == ("a", "b")


def test_names_pass_through_scikit_learns_splits(tables):
    (X, y), _ = tables
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(cross_val_score(Perceptron(), X, y, cv=2)) == 2


def test_a_certificate_names_the_columns(tables):
    (X, y), _ = tables
    assert certify(X, y).feature_names == X.columns


def test_rows_without_names_are_plain(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("1 1:1\n-1 2:1\n")
    assert type(open_stream(str(path)).read()[0]) is sp.csr_array
    assert with_columns(path, None) is path
