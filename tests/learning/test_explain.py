"""L2.6: w of the linear learner as a sum of rows, and explanations of predictions."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from profiles import thorough
from sklearn.datasets import load_digits, load_iris

from rosenblatt import AveragedPerceptron, KernelPerceptron, Perceptron, load, save
from rosenblatt.learning import explain


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:200], y[:200]


SETTINGS = [
    {},
    {"multi_class": "joint"},
    {"rule": "margin", "shuffle": False},
    {"fit_intercept": False},
    {"class_weight": {3: 2.0}},
]


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_L2_6_w_is_a_sum_of_rows_exactly(digits, setting, dtype, sparse):
    """Perceptron's own rule compiled; of the other settings, as many rows as run uncompiled."""
    rows = slice(None if not setting else 60)
    X, y = digits[0][rows].astype(dtype), digits[1][rows]
    X = sp.csr_array(X) if sparse else X
    free = Perceptron(max_iter=4, tol=None, **setting).fit(X, y)
    model = Perceptron(max_iter=4, tol=None, expansion=True, **setting).fit(X, y)
    np.testing.assert_array_equal(model.coef_, free.coef_)
    np.testing.assert_array_equal(model.dual_coef_ @ model.support_vectors_, model.coef_)
    rows = X[model.support_]
    assert (rows != model.support_vectors_).sum() == 0
    assert len(model.moves_) == model.updates_


@thorough(60)
@given(
    X=arrays.arrays(np.float64, (12, 3), elements=st.integers(-4, 4).map(float)),
    y=arrays.arrays(np.int64, 12, elements=st.integers(0, 2)),
    output=st.sampled_from(["last", "average"]),
)
def test_L2_6_holds_for_any_whole_numbers_one_at_a_time(X, y, output):
    model = Perceptron(expansion=True, output=output, shuffle=False)
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    if len(model.classes_) < 2:
        return
    w = model.dual_coef_ @ model.support_vectors_
    np.testing.assert_allclose(w, model.coef_, atol=1e-12)
    assert len(np.unique(model.support_vectors_, axis=0)) == len(model.support_)


def test_L2_6_the_steps_replayed_give_every_bit_of_w():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(expansion=True, rule="pa1", max_iter=9, tol=None).fit(X, y > 0)
    w, b = np.zeros(4), 0.0
    for row, column, tau, t in model.moves_.tolist():
        assert column == 0
        assert 0 <= t < 9 * len(y)
        w, b = w + tau * X[row], b + tau
    assert w.tobytes() == model.coef_[0].tobytes()
    assert b == model.intercept_[0]


def test_the_average_is_a_sum_of_rows(digits):
    X, y = digits
    model = AveragedPerceptron(max_iter=3, tol=None, expansion=True).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_ @ model.support_vectors_, model.coef_, atol=1e-9)


def test_chunks_late_labels_and_saving_give_the_same_expansion(digits, tmp_path):
    X, y = digits
    whole = Perceptron(expansion=True, shuffle=False).partial_fit(X, y)
    parts = Perceptron(expansion=True, shuffle=False)
    for i in range(0, 200, 37):
        parts.partial_fit(X[i : i + 37], y[i : i + 37])
        if len(parts.classes_) > 1:
            save(parts, tmp_path / "m")
            parts = load(tmp_path / "m")
    np.testing.assert_array_equal(parts.moves_, whole.moves_)
    np.testing.assert_array_equal(parts.support_, whole.support_)
    np.testing.assert_array_equal(parts.dual_coef_, whole.dual_coef_)
    np.testing.assert_array_equal(parts.dual_coef_ @ parts.support_vectors_, parts.coef_)


def test_a_warm_start_continues_the_recorded_steps(digits):
    X, y = digits
    setting = {"expansion": True, "shuffle": False, "tol": None}
    four = Perceptron(max_iter=4, **setting).fit(X, y)
    two = Perceptron(max_iter=2, warm_start=True, **setting).fit(X, y)
    before = len(two.moves_)
    two.fit(X, y)
    assert len(two.moves_) > before
    np.testing.assert_array_equal(two.moves_, four.moves_)
    with pytest.raises(ValueError, match="was set after training without it"):
        Perceptron(max_iter=1, tol=None, warm_start=True).fit(X, y).set_params(expansion=True).fit(
            X, y
        )


def test_without_expansion_no_steps_are_recorded(digits):
    model = Perceptron().fit(*digits)
    assert model._dual is None
    for name in ("support_", "support_vectors_", "dual_coef_", "moves_"):
        with pytest.raises(AttributeError, match=f"no {name}: its steps are recorded with"):
            getattr(model, name)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"penalty": "l2"}, "a penalty moves w, too"),
        ({"shards": 2}, "shards are averaged"),
        ({"output": "pocket"}, "the pocket is an older w"),
        ({"expansion": 1}, "expansion must be True or False"),
    ],
    ids=str,
)
def test_parameters_that_make_w_no_sum_of_rows_are_refused(digits, params, message):
    with pytest.raises(ValueError, match=message):
        Perceptron(**{"expansion": True} | params).fit(*digits)


def test_initial_weights_and_assigned_weights_are_refused(digits):
    with pytest.raises(ValueError, match="cannot start elsewhere"):
        Perceptron(expansion=True).fit(*digits, coef_init=np.ones((10, 64)))
    model = Perceptron(expansion=True).fit(*digits)
    with pytest.raises(ValueError, match="it cannot be set"):
        model.coef_ = np.zeros((10, 64))


# --- explain -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(expansion=True),
        AveragedPerceptron(expansion=True),
        KernelPerceptron("linear"),
        KernelPerceptron("rbf", output="average"),
        KernelPerceptron("poly", budget=50),
    ],
    ids=str,
)
@pytest.mark.parametrize("classes", [2, 10])
def test_contributions_add_up_to_the_score(digits, model, classes):
    X, y = digits[0] / 16.0, digits[1] % classes
    model.fit(X, y)
    why = model.explain(X[5], top=10_000)
    assert why.label == model.predict(X[5:6])[0]
    score = np.atleast_1d(model.decision_function(X[5:6])[0])
    sign = 1.0 if classes > 2 or why.label == model.classes_[1] else -1.0
    assert why.score == pytest.approx(sign * score[why.label if classes > 2 else 0], rel=1e-9)
    assert why.rows["contribution"].sum() + why.intercept == pytest.approx(why.score)
    np.testing.assert_allclose(
        why.rows["contribution"], why.rows["coefficient"] * why.rows["product"]
    )
    sizes = np.abs(why.rows["contribution"])
    assert (np.diff(sizes) <= 0).all()
    if getattr(model, "kernel", "linear") == "linear":
        assert why.features["contribution"].sum() + why.intercept == pytest.approx(why.score)
    else:
        assert why.features is None


def test_explain_names_features_and_takes_a_label():
    data = load_iris(as_frame=True)
    names = data.target_names[data.target]
    model = Perceptron(expansion=True).fit(data.data, names)
    why = model.explain(data.data[:1], label="virginica", top=2)
    assert why.label == "virginica"
    assert len(why.rows) == len(why.features) == 2
    assert set(why.features["feature"]) < set(data.data.columns)
    scores = dict(zip(model.classes_, model.decision_function(data.data[:1])[0], strict=True))
    assert why.score == pytest.approx(scores["virginica"])


@pytest.mark.parametrize(
    "model",
    [Perceptron(expansion=True), KernelPerceptron("poly", degree=2)],
    ids=["linear", "poly"],
)
def test_a_row_is_a_series_a_dict_or_numbers(model):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model.fit(X, y)
    expected = model.explain(X.iloc[[100]])
    row = X.iloc[100]
    for x in (row, row[::-1], row.to_dict(), row.tolist(), row.to_numpy(), X.to_numpy()[100:101]):
        why = model.explain(x)  # warnings are errors
        assert str(why) == str(expected)
        assert (why.label, why.score) == (expected.label, expected.score)
    row.index = range(4)  # no names: by position
    assert model.explain(row).score == expected.score
    unnamed = model.fit(X.to_numpy(), y)
    assert unnamed.explain(X.iloc[100]).label == expected.label
    with pytest.raises(ValueError, match="columns have no names: give the numbers in order"):
        unnamed.explain({"petal length (cm)": 6.0})


def test_a_row_is_a_sparse_vector():
    model = Perceptron().fit([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]], ["ham", "spam"])
    expected = str(model.explain([3.0, 0.0, 4.0]))
    for kind in (sp.csr_array, sp.coo_array):
        assert str(model.explain(kind(np.array([3.0, 0.0, 4.0])))) == expected
        assert str(model.explain(kind(np.array([[3.0, 0.0, 4.0]])))) == expected


def test_the_names_of_a_row_are_looked_up_in_one_pass():
    """A set of all names for each of them took minutes for 50,000 columns."""

    class Names:
        passes = 0

        def tolist(self):
            self.passes += 1
            return ["a", "b", "c"]

    names = Names()
    assert explain._values_by_name({"c": 3, "a": 1, "b": 2}, names) == [1, 2, 3]
    assert names.passes == 1


def test_a_row_of_other_names_is_refused():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = Perceptron(expansion=True).fit(X, y)
    row = X.iloc[0].to_dict()
    with pytest.raises(ValueError, match="it has 'colour', which is none of them"):
        model.explain(row | {"colour": 1.0})
    row.pop("sepal width (cm)")
    with pytest.raises(ValueError, match=r"it has no 'sepal width \(cm\)'"):
        model.explain(row)


@pytest.mark.parametrize("labels", [slice(2), slice(10)])
@pytest.mark.parametrize("scale", [False, True])
def test_a_linear_model_without_expansion_is_explained_by_its_features(digits, labels, scale):
    X, y = digits
    chosen = np.isin(y, np.arange(10)[labels])
    model = Perceptron(scale=scale).fit(X[chosen], y[chosen])
    for row in X[chosen][:5]:
        for label in model.classes_:
            why = model.explain(row, label, top=64)
            position = list(model.classes_).index(label)
            scores = model.decision_function([row])[0]
            expected = scores * (2 * position - 1) if scores.ndim == 0 else scores[position]
            assert why.rows is None
            assert why.score == pytest.approx(expected)
            assert why.features["contribution"].sum() + why.intercept == pytest.approx(why.score)
    assert "feature" in str(why)
    assert "product" not in str(why)


def test_explain_refuses_bad_input(digits):
    X, y = digits
    model = Perceptron(expansion=True).fit(X, y)
    with pytest.raises(ValueError, match="one row"):
        model.explain(X[:2])
    with pytest.raises(ValueError, match="label must be one of"):
        model.explain(X[0], label=11)
    with pytest.raises(ValueError, match="A vote is no sum"):
        KernelPerceptron("linear", output="vote").fit(X, y).explain(X[0])
