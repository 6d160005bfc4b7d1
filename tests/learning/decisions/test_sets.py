"""Sets of labels: their coverage is what is promised, of exchangeable rows and along any stream."""

import copy
import pickle
import threading
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from profiles import share
from sklearn.base import clone

from rosenblatt import (
    Classifier,
    KernelPerceptron,
    Perceptron,
    RowEncoder,
    RowModel,
    load,
    save,
)
from rosenblatt.learning import interface
from rosenblatt.learning.decisions.sets import MAX_KEPT, conformal_quantile, kept_scores
from rosenblatt.learning.models import files
from rosenblatt.models import ModelError, describe
from rosenblatt.sets import AdaptiveSets


def logistic(**params):
    return Perceptron(rule="logistic", eta0=0.1, max_iter=2, tol=None, **params)


def drawn(rng, n, classes=3):
    X = rng.standard_normal((n, 4))
    scores = X @ np.random.default_rng(1).standard_normal((4, classes)) * 1.5
    return X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


# --- held-out scores -----------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "coverage"), [(19, 0.9), (9, 0.8), (30, 0.9), (4, 0.5), (5, 0.9)])
def test_a_new_score_is_covered_with_the_probability_of_its_rank(rng, n, coverage):
    scores = rng.random((20_000, n + 1))
    held_out = np.sort(scores[:, :n], axis=1)
    pairs = zip(scores[:, n], held_out, strict=True)
    covered = [score <= conformal_quantile(one, coverage) for score, one in pairs]
    place = np.ceil((n + 1) * Fraction(str(coverage)))
    assert np.mean(covered) == pytest.approx(min(1.0, place / (n + 1)), abs=0.012)


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_sets_cover_the_labels_of_rows_drawn_alike(rng, coverage, multi_class):
    X, y = drawn(rng, 900)
    model, shares, sizes = logistic(multi_class=multi_class).fit(X[:300], y[:300]), [], []
    for _ in range(60):
        order = 300 + rng.permutation(600)
        held_out, new = order[:199], order[199:]
        sets = model.calibrate_sets(X[held_out], y[held_out]).predict_set(X[new], coverage)
        shares.append(sets[np.arange(len(new)), y[new]].mean())
        sizes.append(sets.sum(axis=1).mean())
    assert np.mean(shares) == pytest.approx(coverage, abs=0.015)
    assert np.mean(sizes) < 3.0


def test_calibrated_probabilities_of_any_rule_have_sets(rng, tmp_path):
    X, y = drawn(rng, 1200)
    model = Perceptron(rule="pa1", probabilities=True).fit(X[:300], y[:300])
    model.calibrate_sets(X[300:800], y[300:800])
    save(model, tmp_path / "m")
    sets = load(tmp_path / "m").predict_set(X[800:], 0.9)
    assert sets[np.arange(400), y[800:]].mean() == pytest.approx(0.9, abs=0.05)
    assert sets.sum(axis=1).mean() < 2.9


def test_sets_hold_the_labels_whose_score_is_low_enough(rng):
    X, y = drawn(rng, 400)
    model = logistic().fit(X[:200], y[:200]).calibrate_sets(X[200:300], y[200:300])
    p = model.predict_proba(X[200:300])
    scores = np.sort(1.0 - p[np.arange(100), y[200:300]])
    np.testing.assert_allclose(model.set_scores_, scores, atol=2e-6)
    assert (model.set_scores_ >= scores).all()
    sets = model.predict_set(X[300:], 0.9)
    np.testing.assert_array_equal(sets, 1.0 - model.predict_proba(X[300:]) <= model.set_scores_[90])
    larger = model.predict_set(X[300:], 0.95)
    assert (sets <= larger).all()
    assert model.predict_set(X[300:], 0.999).all()  # too few scores to leave a label out


def test_a_label_of_a_held_out_part_that_is_no_class_has_the_score_one(rng):
    X, y = drawn(rng, 60)
    scores = interface.label_scores(logistic().fit(X, y), X[:3], np.array([0, 7, 9]))
    assert scores[0] < 1.0
    assert scores[1:].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ([0], r"inconsistent numbers of samples: \[3, 1\]"),
        ([0, 1], r"inconsistent numbers of samples: \[3, 2\]"),
        ([[0, 1, 2]] * 3, "y should be a 1d array"),
        (None, "y is missing"),
        ([0, None, 1], "missing"),
        ([0.5, 0.0, 1.0], "a fraction"),
        (["0", "1", "2"], r"the label '0', which is none of the classes \[0, 1, 2\]"),
        ([0, 7, 9], r"the label 7, which is none of the classes \[0, 1, 2\]"),
    ],
)
def test_labels_that_fit_would_refuse_or_that_are_no_classes_are_refused(rng, labels, says):
    X, y = drawn(rng, 60)
    for model in (logistic(), KernelPerceptron(rule="logistic")):
        model.fit(X, y)
        with pytest.raises(ValueError, match=says):
            model.calibrate_sets(X[:3], labels)
        assert model.set_scores_ is None


def test_columns_and_objects_of_labels_are_those_labels(rng):
    X, y = drawn(rng, 60)
    scores = logistic().fit(X, y).calibrate_sets(X, y).set_scores_
    for labels in (y[:, None], y.astype(object), y.tolist()):
        other = logistic().fit(X, y).calibrate_sets(X, labels)
        np.testing.assert_array_equal(other.set_scores_, scores)


def test_many_scores_are_sampled(rng):
    scores = rng.random(5 * MAX_KEPT)
    kept = kept_scores(scores)
    assert len(kept) == MAX_KEPT
    assert abs(conformal_quantile(kept, 0.9) - 0.9) < 0.03
    assert (np.diff(kept) >= 0).all()


def test_scores_count_for_the_model_that_gave_them_alone(rng):
    X, y = drawn(rng, 90)
    model = logistic().fit(X[:60], y[:60]).calibrate_sets(X[60:], y[60:])
    model.predict_set(X)
    model.partial_fit(X[:1], y[:1])
    assert model.set_scores_ is None
    with pytest.raises(ValueError, match="since the model learned last"):
        model.predict_set(X)


@pytest.mark.parametrize("width", [4, 2])
@pytest.mark.parametrize(
    "learner",
    [logistic(), KernelPerceptron(rule="logistic", max_iter=2, tol=None), Classifier()],
    ids=str,
)
def test_a_fit_on_as_many_rows_drops_the_scores(rng, learner, width):
    X, y = drawn(rng, 90)
    model = clone(learner).fit(X[:60], y[:60]).calibrate_sets(X[60:], y[60:])
    t = model.t_
    model.fit(X[:60, :width], (y[:60] + 1) % 3)
    assert model.t_ == t
    assert model.set_scores_ is None
    with pytest.raises(ValueError, match="since the model learned last"):
        model.predict_set(X[:, :width])


def test_a_refused_fit_keeps_the_scores(rng):
    X, y = drawn(rng, 90)
    model = logistic().fit(X[:60], y[:60]).calibrate_sets(X[60:], y[60:])
    with pytest.raises(ValueError, match="greater than one"):
        model.fit(X, np.zeros(90, int))
    assert len(model.set_scores_) == 30


@pytest.mark.parametrize("name", ["coef_", "intercept_"])
def test_other_weights_drop_the_scores(rng, name):
    X, y = drawn(rng, 90)
    model = logistic().fit(X[:60], y[:60]).calibrate_sets(X[60:], y[60:])
    setattr(model, name, 2.0 * getattr(model, name))
    assert model.set_scores_ is None


def test_scores_are_those_of_the_model_before_or_after_a_batch(rng):
    """While the scores are computed, another thread learns: it waits."""
    X, y = drawn(rng, 90)
    model = logistic().fit(X[:60], y[:60])
    compute, waits = type(model)._label_scores, []

    def compute_while_another_learns(self, *args, **options):
        scores = compute(self, *args, **options)
        thread.start()
        thread.join(0.2)
        waits.append(thread.is_alive())
        return scores

    thread = threading.Thread(target=model.partial_fit, args=(X[:5], y[:5]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(model), "_label_scores", compute_while_another_learns)
        model.calibrate_sets(X[60:], y[60:])
    thread.join()
    assert waits == [True]
    assert model.set_scores_ is None  # it has learned since


def test_copies_pickles_and_files_keep_the_scores(rng, tmp_path):
    X, y = drawn(rng, 90)
    model = logistic().fit(X[:60], y[:60]).calibrate_sets(X[60:], y[60:])
    save(model, tmp_path / "m", notes={"mine": 1})
    assert describe(tmp_path / "m")["format"] == 2  # older versions predict the same labels
    expected = model.predict_set(X, 0.8)
    for one in (load(tmp_path / "m"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(one.predict_set(X, 0.8), expected)
    save(model.partial_fit(X, y), tmp_path / "m")
    assert describe(tmp_path / "m")["notes"] == {}


def test_a_model_of_raw_rows_has_sets(rng, tmp_path):
    X, y = drawn(rng, 120)
    rows = [dict(zip("abcd", row, strict=True)) for row in X.tolist()]
    model = RowModel([("encoder", RowEncoder()), ("classifier", logistic())]).fit(rows[:60], y[:60])
    model.calibrate_sets(rows[60:], y[60:]).save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    sets = loaded.predict_set(rows, coverage=0.7)
    np.testing.assert_array_equal(sets, model.predict_set(rows, coverage=0.7))
    assert sets.shape == (120, 3)


@pytest.mark.parametrize(
    "scores", [[], [0.5, 1.5], [0.5, "a"], [None], {"a": 1}, [0.5] * (MAX_KEPT + 1), [True]]
)
def test_damaged_scores_are_refused(rng, tmp_path, scores):
    model = logistic().fit(*drawn(rng, 60))
    with pytest.MonkeyPatch.context() as patch:
        noted = {"_decisions": {"set_scores": scores}}
        patch.setattr(files, "with_decisions", lambda model, notes: noted)
        save(model, tmp_path / "m")
    with pytest.raises(ModelError, match="scores for prediction sets"):
        load(tmp_path / "m")


def test_sets_need_probabilities_and_rows(rng):
    X, y = drawn(rng, 60)
    for model in (Perceptron(), KernelPerceptron(rule="logistic", output="vote")):
        with pytest.raises(ValueError, match="this model has none"):
            model.fit(X, y).calibrate_sets(X, y)
        with pytest.raises(ValueError, match="this model has none"):
            model.predict_set(X)
    model = logistic().fit(X, y)
    with pytest.raises(ValueError, match="held-out rows"):
        model.predict_set(X)
    with pytest.raises(ValueError, match="a held-out row or more"):
        kept_scores(np.zeros(0))
    for coverage in (0, 1, 1.5):
        with pytest.raises(ValueError, match="coverage must be"):
            model.calibrate_sets(X, y).predict_set(X, coverage)


# --- along a stream ------------------------------------------------------------------------------


def bound(sets, alpha, gamma):
    """Proposition 4.1 of Gibbs and Candès, in exact fractions."""
    largest = max(alpha, 1 - alpha)
    return (largest + gamma) / (sets.rows * gamma)


KINDS = ["drifting", "adversary", "worse and worse", "certain"]
ALPHAS = [Fraction(1, 8), Fraction(1, 2), Fraction(15, 16)]
GAMMAS = [Fraction(1, 64), Fraction(1, 4), Fraction(1, 1024)]


@pytest.mark.parametrize(
    ("kind", "alpha", "gamma"),
    [
        (kind, *numbers)
        for turn, kind in enumerate(KINDS)
        for numbers in share(product(ALPHAS, GAMMAS), 7, turn)
    ],
)
def test_the_error_is_within_the_bound_after_every_row(rng, kind, alpha, gamma):
    """Level and rate are sums of powers of two: floats are exact."""
    sets = AdaptiveSets(float(1 - alpha), gamma=float(gamma), window=50)
    for t in range(1500):
        p = rng.dirichlet(np.ones(3))
        code = int(rng.choice(3, p=p))
        if kind == "drifting":
            code = int(rng.choice(3, p=np.roll(p, t // 300)))
        elif kind == "adversary":  # a label that the set lacks, if there is one
            code = int(np.argmin(sets.labels_of(p)))
        elif kind == "worse and worse":
            code = int(np.argsort(p)[2 - t // 500])
        elif kind == "certain":
            code = int(p.argmax())
        sets.add(p, code)
        assert -gamma <= Fraction(sets.level) <= 1 + gamma
        error = abs(Fraction(sets.errors, sets.rows) - alpha)
        assert error <= bound(sets, alpha, gamma), t


def test_a_label_that_is_no_class_is_an_error_and_does_not_move_the_level_for_ever(rng):
    sets = AdaptiveSets(0.75, gamma=0.125)
    for _ in range(50):
        assert sets.add(rng.dirichlet(np.ones(3)), -1) is False
    assert (sets.errors, sets.labels, -0.125 < sets.level <= 0.0) == (50, 150, True)


def test_without_adapting_a_drift_breaks_the_coverage_and_with_it_not(rng):
    adaptive, fixed = AdaptiveSets(0.9, gamma=0.02), []
    held_out = np.sort(1.0 - rng.beta(8, 1, 999))
    q = conformal_quantile(held_out, 0.9)
    for t in range(6000):
        right = rng.beta(8, 1) if t < 1000 else rng.beta(2, 2)  # the model gets worse
        p = np.array([right, 1.0 - right])
        adaptive.add(p, 0)
        fixed.append(1.0 - right <= q)
    assert np.mean(fixed) < 0.5
    assert 1 - adaptive.errors / adaptive.rows == pytest.approx(0.9, abs=0.01)


def test_the_quantile_is_that_of_the_window(rng):
    sets, scores = AdaptiveSets(0.75, gamma=1e-9, window=40), []
    for _ in range(200):
        p = rng.dirichlet(np.ones(2))
        last = np.sort(scores[-40:])
        if 0.75 * (len(last) + 1) % 1.0:  # else the level, which moves a little, decides
            assert sets.quantile == conformal_quantile(last, 0.75)
        sets.add(p, 0)
        scores.append(1.0 - p[0])
    assert sets.rows == 200
    assert 0 < sets.labels < 400


@pytest.mark.parametrize("options", [{"coverage": 1}, {"gamma": 0}, {"window": 0}])
def test_parameters_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        AdaptiveSets(**options)
