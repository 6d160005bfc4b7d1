"""The fit of the learner without a choice, and what it promises."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import log_loss

from rosenblatt import Classifier, Perceptron, load, save
from rosenblatt.engine.blend import records_of
from rosenblatt.learning import interface
from rosenblatt.learning.linear import passes


def noisy(n=400, classes=2, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.argmax(X @ rng.normal(size=(d, classes)) + 2 * rng.normal(size=(n, classes)), axis=1)
    y[:classes] = np.arange(classes)
    return X, y


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_one_pass_has_the_bits_of_partial_fit_and_of_the_rule(classes, stored):
    X, y = noisy(classes=classes)
    X = stored(X)
    whole = Classifier(max_iter=1, shuffle=False).fit(X, y)
    parts, rule = Classifier(shuffle=False), Perceptron(rule="auto", shuffle=False)
    for start in range(0, 400, 37):
        rows = slice(start, start + 37)
        parts.partial_fit(X[rows], y[rows], classes=range(classes))
        rule.partial_fit(X[rows], y[rows], classes=range(classes))
    for other in (parts, rule):
        assert other.coef_.tobytes() == whole.coef_.tobytes()
        assert other.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()
    assert whole.n_iter_ == 1
    assert not whole.converged_


def test_passes_end_where_held_back_rows_gain_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    model = Classifier(max_iter=50).fit(X, y)
    history = model.history_
    assert model.converged_
    assert model.n_iter_ == len(history) < 50
    best = int(np.argmin(history["criterion"]))
    assert len(history) == best + 1 + passes.PATIENCE > 1 + passes.PATIENCE
    assert history["epoch"].tolist() == list(range(1, len(history) + 1))
    assert (history["updates"] == len(y) - len(y) // 10).all()  # a tenth is held back
    short = Classifier(max_iter=best + 1).fit(X, y)
    assert not short.converged_
    assert short.coef_.tobytes() == model.coef_.tobytes()  # that of the best pass


def test_all_rows_are_learned():
    """Also those held back: one that alone has a column has a weight."""
    X, y = noisy(n=100)
    for i in range(100):
        marked = np.column_stack([X, np.arange(100) == i])
        assert Classifier(max_iter=3).fit(marked, y).coef_[0, -1] != 0.0


@pytest.mark.parametrize("n", [2, 5, 19])
def test_of_few_rows_none_is_held_back(n):
    X, y = noisy(n=n)
    model = Classifier(max_iter=4).fit(X, y)
    assert model.n_iter_ == 4
    assert not model.converged_
    assert (model.history_["updates"] == n).all()
    assert (np.diff(model.history_["criterion"]) < 0.0).all()


def test_rows_held_back_may_be_of_one_class():
    X, y = load_iris(return_X_y=True)
    rows = np.empty(150, int)
    setosa, rest = np.flatnonzero(y == 0), np.flatnonzero(y > 0)
    judges = np.arange(150) % 10 == 9
    rows[judges], rows[~judges] = setosa[:15], np.append(setosa[15:], rest)
    model = Classifier(shuffle=False).fit(X[rows], y[rows])
    assert model.score(X, y) > 0.6  # in any other order 0.95
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_seed_repeats_and_another_does_not():
    X, y = noisy()
    one, same, other = (Classifier(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    assert one.coef_.tobytes() == same.coef_.tobytes() != other.coef_.tobytes()


def test_class_weights_move_the_probabilities():
    X, y = noisy()
    rare = np.append(np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:20])
    plain = Classifier().fit(X[rare], y[rare])
    balanced = Classifier(class_weight="balanced").fit(X[rare], y[rare])
    mean = [model.predict_proba(X[rare])[:, 1].mean() for model in (plain, balanced)]
    assert abs(mean[0] - (y[rare] == 1).mean()) < 0.03
    assert mean[1] > 2 * mean[0]
    np.testing.assert_array_equal(plain.coef_, balanced.coef_)
    moved = np.log((y[rare] == 0).sum() / (y[rare] == 1).sum())
    np.testing.assert_allclose(balanced.intercept_ - plain.intercept_, moved)


def test_warm_starts_files_and_partial_fit_go_on_with_the_bits(tmp_path):
    X, y = load_wine(return_X_y=True)
    model = Classifier(warm_start=True).fit(X, y)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert type(loaded) is Classifier
    assert loaded.get_params() == model.get_params()
    for step in (lambda m: m.partial_fit(X[:50], y[:50]), lambda m: m.fit(X, y)):
        step(model), step(loaded)
        assert loaded.coef_.tobytes() == model.coef_.tobytes()
        assert loaded.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    cold = Classifier().fit(X, y)
    assert model.t_ > cold.t_


def test_an_interrupt_leaves_a_model_that_predicts(monkeypatch):
    X, y = noisy(classes=3)

    def interrupt(row):
        if row[0] == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("rosenblatt.learning.linear.classifier.print_epoch", interrupt)
    model = Classifier(verbose=1)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.n_iter_ == 2
    assert model.score(X, y) > 0.5
    model.partial_fit(X, y)


def test_units_and_means_of_columns_change_no_prediction():
    X, y = load_wine(return_X_y=True)
    model = Classifier().fit(X, y)
    units = 2.0 ** np.random.default_rng(0).integers(-20, 20, 13)
    same = Classifier().fit(X * units, y)
    assert same.predict_proba(X * units).tobytes() == model.predict_proba(X).tobytes()
    shifted = Classifier().fit(X + 100.0, y)
    np.testing.assert_allclose(shifted.predict_proba(X + 100.0), model.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("max_iter", [0, -1, 1.5, "many"])
def test_what_is_no_number_of_passes_is_refused(max_iter):
    with pytest.raises((ValueError, TypeError), match="max_iter"):
        Classifier(max_iter=max_iter).fit(*noisy())


def test_rows_of_weight_zero_judge_nothing():
    """Turned labels of weight 0 leave the passes and the model as they are without them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 20))
    y = (X @ rng.normal(size=20) + rng.normal(size=5000) > 0).astype(int)
    weight = np.repeat([1.0, 0.0], [1000, 4000])
    turned = np.where(weight > 0, y, 1 - y)
    parts = {"shuffle": False}
    without = Classifier(**parts).fit(X[:1000], y[:1000])
    beside = Classifier(**parts).fit(X, turned, sample_weight=weight)
    assert without.n_iter_ == beside.n_iter_ > 1
    np.testing.assert_array_equal(without.history_["criterion"], beside.history_["criterion"])
    np.testing.assert_array_equal(without.coef_, beside.coef_)


def test_a_warm_fit_does_not_learn_the_blend_by_rows_that_were_learned():
    """It would trust the boldest learner: four fits would cost .12 of log loss."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 300))
    y = (X @ rng.normal(size=300) / 9 + rng.logistic(size=3000) > 0).astype(int)
    model, losses = Classifier(warm_start=True), []
    for _ in range(4):
        model.fit(X[:1000], y[:1000])
        losses.append(log_loss(y[1000:], model.predict_proba(X[1000:])))
    assert losses[-1] < losses[0] + 0.09, losses


@pytest.mark.parametrize("shards", [2, 4])
def test_shards_of_several_epochs_mix_to_a_model(shards):
    """What shards forget of a precision is not taken from it several times."""
    X, y = load_digits(return_X_y=True)
    model = Perceptron(rule="auto", shards=shards, max_iter=5, tol=None).fit(X[:1200], y[:1200])
    assert (records_of(model._state.own["blend.columns"]).precisions >= 0.0).all()
    assert model.score(X[1200:], y[1200:]) > 0.88


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_few_rows_do_not_turn_the_blend_against_its_learners():
    for n, most, seed in itertools.product((4, 8, 16), (1, 5), range(20)):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, 20))
        y = X @ rng.standard_normal(20) > 0
        if y.min() == y.max():
            continue
        model = Classifier(max_iter=most, random_state=0).fit(X, y)
        assert sum(interface.blend_of(model).weights) > 0.5 - 1e-9
        assert model.score(X, y) >= 0.5, (n, most, seed)
