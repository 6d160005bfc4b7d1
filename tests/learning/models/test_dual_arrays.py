"""Model files that hold rows: what comes back is what was saved, and nothing else is let in."""

import tempfile
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from edited_models import array, put, rewrite, without
from hypothesis import given
from hypothesis import strategies as st
from profiles import share, thorough
from saved_models import assert_same_bits
from sklearn.datasets import load_digits

from rosenblatt import KernelPerceptron, Perceptron, VotedPerceptron, kernels, load, save
from rosenblatt.engine.state import arrays_of
from rosenblatt.models import ModelError, describe
from rosenblatt.streams.core.named import with_columns


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:160] / 16.0, y[:160]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model"


MODELS = [
    KernelPerceptron(),
    KernelPerceptron(output="vote"),
    KernelPerceptron(output="vote", multi_class="joint"),
    KernelPerceptron("poly", degree=2, coef0=1, output="average"),
    KernelPerceptron(kernels.Laplace(0.1), fit_intercept=False),
    KernelPerceptron("cosine", budget=20),
    KernelPerceptron("cosine", budget=20, budget_scheme="forgetron"),
    KernelPerceptron("cosine", budget=20, budget_scheme="random"),
    KernelPerceptron(budget=20, budget_scheme="projectron++", budget_eta=0.4),
    VotedPerceptron(),
    Perceptron(expansion=True),
    Perceptron(expansion=True, output="average"),
]


def every_bit(model):
    memory = model._dual
    size = int(memory.steps.size[0])
    arrays = [*arrays_of(model._state).values(), model.support_, memory.slots.squares]
    arrays += [array[:size] for array in memory.steps]
    rows = memory.support.matrix()
    arrays += [rows.data, rows.indices, rows.indptr] if sp.issparse(rows) else [rows]
    return [np.asarray(a).tobytes() for a in [*arrays, *(memory.budget or ())]]


@pytest.mark.parametrize(
    ("model", "classes", "kind"),
    [
        (model, *rows)
        for turn, model in enumerate(MODELS)
        for rows in share(product([2, 10], [np.asarray, sp.csr_array, sp.csr_matrix]), 3, turn)
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_loaded_model_continues_to_the_bit(model, classes, kind, digits, path):
    X, y = kind(digits[0].astype(np.float32)), digits[1] % classes
    model.set_params(max_iter=2, tol=None).fit(X[:120], y[:120])
    save(model, path)
    back = load(path)
    assert type(back) is type(model)
    assert repr(back) == repr(model)
    assert every_bit(back) == every_bit(model)
    assert type(back.support_vectors_) is type(model.support_vectors_)
    np.testing.assert_array_equal(back.decision_function(X), model.decision_function(X))
    for one in (model, back):
        one.partial_fit(X[120:], y[120:])
    assert every_bit(back) == every_bit(model)


@pytest.mark.parametrize(("eta", "version"), [(0.1, 2), (0.4, 4)])
def test_files_of_the_default_eta_stay_readable(eta, version, digits, path):
    model = KernelPerceptron(budget=9, budget_scheme="projectron++", budget_eta=eta).fit(*digits)
    save(model, path)
    assert describe(path)["format"] == version
    assert load(path).budget_eta == eta


def test_a_new_label_after_loading(digits, path):
    X, y = digits
    model = KernelPerceptron(output="vote").partial_fit(X[:50], y[:50] % 2)
    save(model, path)
    back = load(path)
    for one in (model, back):
        one.partial_fit(X[50:], y[50:])
    assert every_bit(back) == every_bit(model)


def test_a_precomputed_kernel_stores_row_numbers_only(digits, path):
    X, y = digits
    K = X @ X.T
    model = KernelPerceptron("precomputed").fit(K, y)
    save(model, path)
    assert describe(path)["tensors"]["support.rows"]["shape"] == [len(model.support_)]
    np.testing.assert_array_equal(load(path).predict(K), model.predict(K))


def test_a_function_is_not_saved(digits, path):
    model = KernelPerceptron(lambda A, B: A @ B.T).fit(*digits)
    with pytest.raises(TypeError, match=r"kernel=.* cannot be saved: a model file contains no"):
        save(model, path)
    assert not path.exists()


def test_a_file_of_format_1_is_read(digits, path):
    model = Perceptron(max_iter=2, tol=None).fit(*digits)
    save(model, path)

    def older(header, tensors):
        header["format"] = 1
        del header["params"]["expansion"]
        for name in ("rows", "dtype", "gamma_"):
            del header["fitted"][name]

    rewrite(path, older)
    assert_same_bits(load(path), model)
    assert load(path).expansion is False


CHANGES = {
    "slots too many": (array("slots.rows", np.zeros(999, np.int64)), "weights W"),
    "slots negative": (lambda h, t: t["slots.rows"].__setitem__(0, -1), "slots.rows has invalid"),
    "slots missing": (without("slots.rows"), "weights W"),
    "squares too few": (array("slots.squares", np.zeros(1)), "array slots.squares"),
    "a move of no slot": (lambda h, t: t["moves.slot"].__setitem__(0, 10**6), "moves.slot"),
    "a move of slot −1": (lambda h, t: t["moves.slot"].__setitem__(0, -1), "moves.slot"),
    "a move of no class": (lambda h, t: t["moves.column"].__setitem__(0, 10), "moves.column"),
    "a move without end": (lambda h, t: t["moves.tau"].__setitem__(0, np.inf), "moves.tau"),
    "moves out of turn": (lambda h, t: t["moves.t"].__setitem__(-1, 0), "moves.t"),
    "moves of the future": (lambda h, t: t["moves.t"].__setitem__(-1, 10**9), "moves.t"),
    "moves of two lengths": (array("moves.tau", np.zeros(3)), "array moves.tau"),
    "rows too narrow": (
        lambda h, t: t.update({"support.rows": t["support.rows"][:, 1:].copy()}),
        "rows",
    ),
    "rows too few": (lambda h, t: t.update({"support.rows": t["support.rows"][1:]}), "rows"),
    "rows with NaN": (lambda h, t: t["support.rows"].__setitem__((0, 0), np.nan), "support.rows"),
    "rows of another type": (
        lambda h, t: t.update({"support.rows": t["support.rows"].astype("f4")}),
        "support.rows",
    ),
    "rows in another form": (put("fitted", "rows", value="csr_array"), "support"),
    "rows in no form": (put("fitted", "rows", value=None), "rows cannot be None"),
    "rows of a class of their own": (put("fitted", "rows", value="coo_array"), "rows cannot be"),
    "dtype of another kind": (put("fitted", "dtype", value="object"), "dtype cannot be"),
    "no gamma": (put("fitted", "gamma_", value=None), "gamma_ cannot be None"),
    "gamma below zero": (put("fitted", "gamma_", value=-1.0), "gamma must be"),
    "kernel unknown": (put("params", "kernel", value="os.system"), "kernel must be one of"),
    "kernel object unknown": (
        put("params", "kernel", value={"kernel": "Oracle", "fields": {}}),
        "unknown type",
    ),
    "kernel object short": (
        put("params", "kernel", value={"kernel": "Polynomial", "fields": {}}),
        "its kernel Polynomial",
    ),
    "a budget that was not": (put("params", "budget", value=5), "held"),
    "single precision W": (lambda h, t: t.update(W=t["W"].astype("f4")), "weights W are float32"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_inconsistent_file_is_refused(name, digits, path):
    change, message = CHANGES[name]
    X, y = (part[:60] for part in digits)
    save(KernelPerceptron(output="vote", max_iter=2, tol=None).fit(X, y), path)
    rewrite(path, change)
    with pytest.raises(ModelError, match=message):
        load(path)


SPARSE = {
    "indices beyond": lambda t: t["support.indices"].__setitem__(0, 64),
    "indices below": lambda t: t["support.indices"].__setitem__(0, -1),
    "indices twice": lambda t: t["support.indices"].__setitem__(1, t["support.indices"][0]),
    "rows that overlap": lambda t: t["support.indptr"].__setitem__(1, 10**6),
    "rows that run backwards": lambda t: t["support.indptr"].__setitem__(1, -5),
    "a first row that begins late": lambda t: t["support.indptr"].__setitem__(0, 1),
    "values without end": lambda t: t["support.data"].__setitem__(0, np.inf),
}


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_rows_with_invalid_indices_are_refused(name, digits, path):
    X, y = digits
    save(Perceptron(expansion=True, max_iter=2, tol=None).fit(sp.csr_array(X), y), path)
    rewrite(path, lambda header, tensors: SPARSE[name](tensors))
    with pytest.raises(ModelError, match="has invalid values"):
        load(path)


HELD = {
    "inverse too small": (array("held.inverse", np.zeros((3, 3))), "held.inverse"),
    "random zero": (array("held.random", np.zeros(1, np.int64)), "held.random"),
    "entered missing": (without("held.entered"), "held.entered"),
    "a smaller budget": (put("params", "budget", value=3), "held"),
    "another scheme": (put("params", "budget_scheme", value="forgetron"), "held"),
    "no scheme": (put("params", "budget_scheme", value="lru"), "budget_scheme must be"),
}


@pytest.mark.parametrize("name", HELD)
def test_a_budget_inconsistent_with_its_rows_is_refused(name, digits, path):
    change, message = HELD[name]
    save(KernelPerceptron(budget=20, max_iter=2, tol=None).fit(*digits), path)
    rewrite(path, change)
    with pytest.raises(ModelError, match=message):
        load(path)


@st.composite
def sparse_rows(draw):
    """Sparse rows of any shape, with empty rows and columns, stored zeros, or no entry at all."""
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    cells = draw(st.dictionaries(st.tuples(st.integers(0, n - 1), st.integers(0, d - 1)), number))
    keys = list(cells)
    X = sp.coo_array(
        (list(cells.values()), ([i for i, _ in keys], [j for _, j in keys])), (n, d), dtype=float
    )
    return draw(st.sampled_from([sp.csr_array, sp.csr_matrix]))(X.tocsr())


number = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 3.0])


@thorough(40)
@given(
    sparse_rows(),
    st.sampled_from(["linear", "poly", "rbf", "laplace", "sigmoid", "cosine", "intersection"]),
    st.sampled_from(["last", "average", "vote"]),
    st.sampled_from([None, 2]),
)
def test_sparse_rows_of_every_shape_come_back(X, kernel, output, budget):
    """Rows without a single entry, too: a row of zeros is a support row like any other."""
    options = {"output": output} if budget is None else {"budget": budget}
    model = KernelPerceptron(kernel, **options)
    y = np.arange(X.shape[0]) % 2
    model.partial_fit(X, y, classes=[0, 1])
    dense = KernelPerceptron(kernel, **options).partial_fit(X.toarray(), y, classes=[0, 1])
    scores = dense.decision_function(X.toarray())
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-7, atol=1e-12)
    with tempfile.TemporaryDirectory() as folder:
        save(model, f"{folder}/model")
        back = load(f"{folder}/model")
    assert every_bit(back) == every_bit(model)
    assert every_bit(back.partial_fit(X, 1 - y)) == every_bit(model.partial_fit(X, 1 - y))
    np.testing.assert_array_equal(back.predict(X), model.predict(X))


@pytest.mark.parametrize("model", [KernelPerceptron("rbf"), VotedPerceptron(), Perceptron()])
def test_rows_without_a_single_entry(model, path):
    X = sp.csr_array((4, 3))
    if isinstance(model, Perceptron):
        model.set_params(expansion=True)
    model.fit(X, [0, 1, 1, 0])
    save(model, path)
    np.testing.assert_array_equal(load(path).predict(X), model.predict(X))


@pytest.mark.parametrize(
    "model", [KernelPerceptron(), VotedPerceptron(), Perceptron(expansion=True)], ids=str
)
def test_sparse_rows_that_know_their_columns(path, digits, model):
    """As an encoder of raw rows gives them."""
    X, y = digits
    rows = with_columns(sp.csr_array(X), [f"pixel {j}" for j in range(X.shape[1])])
    model = model.fit(rows, y)
    save(model, path)
    assert describe(path)["fitted"]["rows"] == "csr_array"
    assert (load(path).decision_function(rows) == model.decision_function(rows)).all()
