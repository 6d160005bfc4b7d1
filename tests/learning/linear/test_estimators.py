"""The estimators: one answer always, what scikit-learn does not have, and bad input."""

import copy
import signal
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy_twins import bits
from profiles import share
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import scale

from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    certify,
    load,
    rules,
    save,
    textbook,
    theory,
    toys,
)
from rosenblatt.engine import state
from rosenblatt.learning import training

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Class PassiveAggressive:FutureWarning"
)

# --- promise 1: the same answer ------------------------------------------------------------------


SETTINGS = [
    {"output": "average"},
    {"output": "pocket"},
    {"penalty": "elasticnet", "alpha": 0.01, "output": "average"},
    {"multi_class": "joint"},
    {"rule": "arow", "output": "average"},
    {"rule": "adagrad", "multi_class": "joint"},
]


@pytest.mark.parametrize(
    ("setting", "kind"),
    [
        (setting, kind)
        for turn, setting in enumerate(SETTINGS)
        for kind in share(["dense", "sparse"], 2, turn)
    ],
    ids=str,
)
def test_promise_1_chunks_and_single_rows_are_one_pass(kind, setting):
    X, y = load_iris(return_X_y=True)
    mixed = np.random.default_rng(0).permutation(len(y))
    X, y = X[mixed] if kind == "dense" else sp.csr_array(X[mixed]), y[mixed]
    whole = Perceptron(shuffle=False, **setting).partial_fit(X, y)
    chunks = Perceptron(shuffle=False, **setting)
    for rows in np.array_split(np.arange(len(y)), 11):
        chunks.partial_fit(X[rows], y[rows])
    single = Perceptron(shuffle=False, **setting)
    for i in range(len(y)):
        single.partial_fit(X[i : i + 1], y[i : i + 1])
    assert bits(whole) == bits(chunks) == bits(single)
    if "penalty" not in setting:
        known = Perceptron(shuffle=False, **setting).partial_fit(X, y, classes=[0, 1, 2])
        fitted = Perceptron(shuffle=False, max_iter=1, tol=None, **setting).fit(X, y)
        pocket = {f for f in state.State._fields if f.startswith(("pocket", "champion", "run"))}
        assert bits(known, "losses", *pocket) == bits(fitted, "losses", *pocket)


def test_promise_1_a_warm_start_continues_a_stopped_fit():
    X, y = load_digits(return_X_y=True)
    whole = Perceptron(shuffle=False, tol=None, max_iter=6, output="average").fit(X, y)
    parts = Perceptron(shuffle=False, tol=None, max_iter=2, output="average", warm_start=True)
    for _ in range(3):
        parts.fit(X, y)
    assert bits(whole) == bits(parts)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_promise_1_the_number_of_workers_does_not_matter(kind):
    X, y = load_digits(return_X_y=True)
    X = X if kind == "dense" else sp.csr_array(X)
    models = [
        Perceptron(shards=4, n_jobs=n, max_iter=5, tol=None, output="average").fit(X, y)
        for n in (None, 1, 2, -1)
    ]
    assert len({str(bits(m)) for m in models}) == 1
    assert models[0].score(X, y) > 0.9
    other = Perceptron(shards=2, max_iter=5, tol=None, output="average").fit(X, y)
    assert bits(other) != bits(models[0])
    lone = Perceptron(shards=1, max_iter=5, tol=None, output="average").fit(X, y)
    plain = Perceptron(max_iter=5, tol=None, output="average").fit(X, y)
    assert bits(lone) == bits(plain)


def test_parameter_mixing_is_the_mean_of_its_shards():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    setting = {"shuffle": False, "max_iter": 1, "tol": None, "output": "average"}
    both = Perceptron(shards=2, **setting).fit(X, y)
    halves = [
        Perceptron(**setting).fit(X[rows], y[rows]) for rows in np.array_split(range(len(y)), 2)
    ]
    W = [h._state.W for h in halves]
    np.testing.assert_allclose(both._state.W, (W[0] + W[1]) / 2, rtol=1e-12, atol=1e-12)
    n = [h._state.t[0] for h in halves]
    mean = sum(k * h.coef_ for k, h in zip(n, halves, strict=True)) / sum(n)
    np.testing.assert_allclose(both.coef_, mean, rtol=1e-10, atol=1e-12)
    assert both.mistakes_ == sum(h.mistakes_ for h in halves)
    assert both.t_ == len(y) + 1


def test_mixing_separates_after_more_epochs():
    """McDonald, Hall and Mann 2010: total mistakes of S shards stay within S (R/γ)²."""
    toy = toys.separable(300, 6, margin=0.1, radius=1.0, seed=5)
    model = Perceptron(shards=3, fit_intercept=False, tol=None).fit(toy.X, toy.y)
    assert model.converged_
    assert model.mistakes_ <= 3 * theory.mistake_bound(toy.R, toy.gamma)


@pytest.mark.parametrize("use", [Perceptron().fit, KernelPerceptron().fit, certify])
def test_rows_of_different_lengths_are_named(use):
    with pytest.raises(ValueError, match="rows of different lengths: row 0 has 2, row 1 has 1"):
        use([[1, 2], [3]], [0, 1])


# --- rules that are not plain ---------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["arow", "sop", "pegasos", "romma", "minover"])
@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"penalty": "l2"}, "A penalty does not go with .*, which does more than to move w"),
        ({"expansion": True}, "and this rule does more than to move w along a row"),
    ],
)
def test_what_does_not_go_with_a_rule_that_is_not_plain_is_refused(rule, params, says):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=says):
        Perceptron(rule=rule, **params).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight must be at least 0 with rule="):
        Perceptron(rule=rule).fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(
        ValueError, match="does more than to move w along a row, and a kernel model"
    ):
        KernelPerceptron(rule=rule).fit(X, y)


@pytest.mark.parametrize("rule", ["ogd", "pegasos", "alma", "romma", "aromma", "sop", "narow"])
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_rules_of_every_kind_learn_separable_classes(rule, multi_class):
    y = np.arange(150) % 3
    corners = np.array([[0.0, 3.0], [-3.0, -2.0], [3.0, -2.0]])
    X = corners[y] + np.random.default_rng(0).uniform(-1, 1, (150, 2))
    model = Perceptron(rule=rule, output="average", multi_class=multi_class, max_iter=30)
    assert model.fit(X, y).score(X, y) > 0.95
    assert model.fit(X, y == 0).score(X, y == 0) > 0.95


# --- a rule that chooses its row -----------------------------------------------------------------


@pytest.mark.parametrize("output", ["last", "average"])
def test_an_epoch_of_minover_is_one_step_and_a_batch_is_its_set_of_rows(output):
    X, species = load_iris(return_X_y=True)
    for y, columns in ((species == 1, 1), (species, 3)):
        params = {"rule": "minover", "shuffle": False, "output": output}
        model, steps = Perceptron(max_iter=9, **params).fit(X, y), Perceptron(**params)
        assert model.history_["updates"].tolist()[:5] == [columns] * 5
        for _ in range(9):
            steps.partial_fit(X, y, classes=np.unique(y))
        # fit leaves a weight vector alone that had no update: it counts no more errors
        assert bits(steps, "losses", "errors") == bits(model, "losses", "errors")


def test_minover_ends_when_every_row_has_the_overlap_c_and_not_where_the_criterion_stalls():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(rule=theory.rules.MinOver(c=30.0), n_iter_no_change=1).fit(X, y == 0)
    overlaps = np.where(y == 0, 1, -1) * model.decision_function(X)
    assert model.converged_
    assert 10 < model.n_iter_ < 1000
    assert overlaps.min() >= 30.0
    assert model.history_["criterion"][0] == 30.0, "the loss of the row that was chosen"
    assert model.history_["updates"][-1] == model.history_["criterion"][-1] == 0.0
    assert not model.partial_fit(X, y == 1).converged_


def test_the_pocket_has_the_best_weights_of_minover():
    X, y = load_iris(return_X_y=True)
    X, y, params = scale(X), y == 1, {"rule": "minover", "shuffle": False}
    model = Perceptron(output="pocket", max_iter=99, **params).fit(X, y)
    steps, errors = Perceptron(**params), []
    for _ in range(99):
        errors.append((steps.partial_fit(X, y, classes=[False, True]).predict(X) != y).sum())
    assert (model.predict(X) != y).sum() == min(errors) < errors[-1]


def test_what_needs_more_than_one_row_of_an_epoch_is_refused_with_minover():
    X, y = load_iris(return_X_y=True)
    for params, says in (
        ({"early_stopping": True}, "one step, of a row chosen among all: use early_stopping=False"),
        ({"multi_class": "joint"}, "a joint model has one score of them all: use multi_class='ovr"),
    ):
        with pytest.raises(ValueError, match=says):
            Perceptron(rule="minover", **params).fit(X, y)
    assert Perceptron(rule="minover", multi_class="joint").fit(X, y == 0).converged_


@pytest.mark.parametrize("rule", ["pegasos", "alma", "romma", "aromma"])
def test_large_class_weights_of_rules_that_rescale_do_not_diverge(rule):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 4))
    y = X @ [1.0, 2.0, -1.0, 0.0] + rng.standard_normal(400) > 2.5
    model = Perceptron(rule=rule, output="average", max_iter=10, tol=None)
    model.set_params(class_weight={False: 1, True: 20}).fit(X, y)
    assert np.linalg.norm(model.coef_) < 1e6
    model.set_params(class_weight="balanced").fit(X, y)
    assert balanced_accuracy_score(y, model.predict(X)) > 0.8


@pytest.mark.parametrize(
    "rule",
    ["hinge", "margin", theory.rules.MarginPerceptron(beta=0.0), "relaxation", "pa2", "logistic"],
)
def test_an_empty_row_of_a_weight_above_1_changes_nothing(rule):
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, -2.0]]), [0, 1, 0]
    for weight in (1.0, 2.0, 3.5):
        model = Perceptron(rule=rule, fit_intercept=False, shuffle=False, max_iter=3, tol=None)
        with_it = model.fit(X, y, sample_weight=[weight, 2.0, 2.0]).coef_
        assert np.array_equal(with_it, model.fit(X[1:], y[1:], sample_weight=[2.0, 2.0]).coef_)


@pytest.mark.parametrize(
    ("before", "after"), [("arow", "adagrad"), ("scw1", "sop"), ("sop", "arow")]
)
def test_a_rule_whose_confidences_mean_something_else_cannot_continue(before, after, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = Perceptron(rule=before, warm_start=True).partial_fit(X, y)
    save(model, tmp_path / "model")
    for trained in model, load(tmp_path / "model"), copy.deepcopy(model):
        trained.set_params(rule="perceptron").partial_fit(X, y).set_params(rule=after)
        for learn in trained.partial_fit, trained.fit:
            with pytest.raises(
                ValueError, match="whose number for each weight means something else"
            ):
                learn(X, y)
        trained.set_params(rule=before).partial_fit(X, y).set_params(rule=after, warm_start=False)
        trained.fit(X, y).partial_fit(X, y)


def test_rules_whose_confidences_mean_the_same_may_follow_each_other():
    X, y = load_iris(return_X_y=True)
    for before, after in ("arow", "scw2"), ("adagrad", "adagrad_logistic"):
        model = Perceptron(rule=before).partial_fit(X, y)
        assert model.set_params(rule=after).partial_fit(X, y).t_ == 2 * len(y) + 1


@pytest.mark.parametrize("rule", ["pegasos", "alma", "romma"])
def test_the_history_of_rescaled_weights_is_that_of_single_epochs(rule):
    X, y = load_iris(return_X_y=True)
    model = Perceptron(rule=rule, max_iter=6, tol=None, shuffle=False).fit(X, y == 1)
    steps, norms = Perceptron(rule=rule, shuffle=False), []
    for _ in range(model.n_iter_):
        steps.partial_fit(X, y == 1, classes=[False, True])
        norms.append(np.linalg.norm(steps.coef_))
    np.testing.assert_allclose(model.history_["norm"], norms, rtol=1e-9)


def test_pegasos_shrinks_in_every_step_and_so_never_converges():
    X = np.array([[3.0], [-3.0]])
    model = Perceptron(rule=theory.rules.Pegasos(0.5), max_iter=40, tol=None).fit(X, [1, 0])
    assert model.history_["updates"][-1] == 0
    assert model.n_iter_ == 40
    assert not model.converged_
    assert not model.partial_fit(X, [1, 0]).converged_
    assert Perceptron(rule="romma").fit(X, [1, 0]).converged_


# --- outputs and stopping ------------------------------------------------------------------------


def test_L4_7_the_pocket_has_the_fewest_training_errors():
    X, y = load_iris(return_X_y=True)
    for labels in (y == 1, y):
        last = Perceptron(max_iter=30, tol=None).fit(X, labels)
        pocket = Perceptron(max_iter=30, tol=None, output="pocket").fit(X, labels)
        assert pocket.score(X, labels) >= last.score(X, labels)
        assert (pocket.predict(X) != labels).sum() == pocket._state.pocket_errors[0]
        ends = [
            (Perceptron(max_iter=e, tol=None).fit(X, labels).predict(X) != labels).sum()
            for e in range(1, 31)
        ]
        assert pocket._state.pocket_errors[0] <= min(ends)


def test_L4_7_on_a_small_set_the_pocket_judges_every_w_that_the_run_passes():
    iris = load_iris()
    two = iris.target > 0
    X, y = iris.data[two][:, [0, 1]], iris.target[two] == 1
    params = {"max_iter": 4, "tol": None, "shuffle": False, "tie": -1, "output": "pocket"}
    pocket = Perceptron(**params).fit(X, y)
    run = textbook.perceptron(X, np.where(y, 1, -1), max_epochs=4)
    assert pocket._state.pocket_errors[0] == run.errors[1:].min()
    assert (pocket.predict(X) != y).sum() == run.errors[1:].min()
    doubled = Perceptron(**params).fit(X, y, sample_weight=np.full(len(y), 2.0))
    assert doubled._state.pocket_errors[0] == 2 * run.errors[1:].min()


def test_L4_7_on_a_larger_set_the_pocket_judges_two_an_epoch(monkeypatch):
    X, y = load_iris(return_X_y=True)
    params = {"max_iter": 8, "tol": None, "output": "pocket"}
    every = Perceptron(**params).fit(X, y == 1)
    monkeypatch.setattr(training, "JUDGED_PRODUCTS", 0)
    two = Perceptron(**params).fit(X, y == 1)
    assert np.array_equal(two._state.W, every._state.W), "the run itself is the same"
    assert every._state.pocket_errors[0] < two._state.pocket_errors[0]


def test_L2_2_an_epoch_without_a_mistake_ends_the_fit():
    toy = toys.separable(200, 5, margin=0.1, radius=1.0, seed=1)
    model = Perceptron(tol=None, max_iter=100_000).fit(toy.X, toy.y)
    assert model.converged_
    assert model.n_iter_ < 100_000
    assert model.history_["mistakes"][-1] == 0
    assert (model.history_["mistakes"][:-1] > 0).all()
    assert model.score(toy.X, toy.y) == 1.0


def test_L0_5_mistakes_stay_within_novikoffs_bound():
    for seed in range(20):
        toy = toys.separable(150, 4, margin=0.15, radius=1.0, seed=seed)
        model = Perceptron(fit_intercept=False, tol=None, random_state=seed).fit(toy.X, toy.y)
        assert model.converged_
        assert model.mistakes_ <= theory.mistake_bound(toy.R, toy.gamma)


def test_history_has_a_row_per_epoch(capsys):
    X, y = load_digits(return_X_y=True)
    model = Perceptron(max_iter=4, tol=None, verbose=1).fit(X, y)
    table = pd.DataFrame(model.history_)
    assert list(table.columns) == [
        *("epoch", "mistakes", "updates", "errors", "criterion", "norm", "seconds")
    ]
    assert table["mistakes"].sum() == model.mistakes_
    assert table["updates"].sum() == model.updates_
    assert table["errors"].sum() == model.errors_
    assert np.isclose(table["norm"].iloc[-1], np.linalg.norm(model.coef_))
    assert (table["seconds"] > 0).all()
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 4
    assert printed[0].startswith("epoch 1: ")


def test_mistakes_and_updates_are_counted_separately():
    X, y = load_breast_cancer(return_X_y=True)
    model = Perceptron(rule="pa1", max_iter=1, tol=None).fit(scale(X), y)
    assert model.updates_ > model.mistakes_ > 0


@pytest.mark.parametrize("tie", [0, -1, 1])
def test_L0_1_and_L1_1_tie_decides_a_score_of_zero(tie):
    X, y = np.eye(2), np.array([0, 1])
    model = Perceptron(tie=tie, fit_intercept=False, shuffle=False, max_iter=1, tol=None).fit(X, y)
    assert model.mistakes_ == {0: 2, -1: 1, 1: 1}[tie]
    np.testing.assert_array_equal(model.predict(np.zeros((1, 2))), [1 if tie == 1 else 0])


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("types", [(np.float64, np.float32), (np.float32, np.float64)])
def test_a_warm_start_takes_rows_in_the_type_of_its_weights(types, kind, rng):
    X, y = rng.standard_normal((60, 5)), rng.integers(0, 2, 60)
    first, second = (kind(X.astype(dtype)) for dtype in types)
    model = Perceptron(max_iter=2, tol=None, shuffle=False, warm_start=True).fit(first, y)
    batches = Perceptron(max_iter=2, tol=None, shuffle=False).fit(first, y)
    model.fit(second, y)
    for _ in range(2):
        batches.partial_fit(second, y)
    np.testing.assert_array_equal(model.coef_, batches.coef_)
    assert model.coef_.dtype == types[0]


class Pressed(NamedTuple):
    """The perceptron; Ctrl-C is pressed at an example."""

    at: float

    def step(self, score, y, sqnorm):
        presses.append(y)
        if len(presses) == self.at:
            signal.raise_signal(signal.SIGINT)
        return y if y * score <= 0.0 else 0.0


presses = []


def test_ctrl_c_ends_a_fit_by_a_users_rule_after_a_block_of_rows(rng, monkeypatch):
    monkeypatch.setattr("rosenblatt.engine.linear.user_rules.BLOCK", 16)
    monkeypatch.setattr("rosenblatt.engine.linear.user_rules.BLOCK_SECONDS", 1e9)
    X, y = rng.standard_normal((60, 5)), rng.integers(0, 2, 60)
    model = Perceptron(rule=Pressed(100.0), max_iter=9, tol=None)
    presses.clear()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.t_ - 1 == 60 + 48, "row 99 is in the third block of the second epoch"
    assert model.history_["mistakes"].sum() == model.mistakes_


@pytest.mark.parametrize("rule", ["romma", "aromma", "alma", "pegasos", "ogd"])
def test_a_warm_start_of_a_rule_that_rescales_continues_to_the_bit(rule):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    options = {"rule": rule, "shuffle": False, "tol": None}
    whole = Perceptron(max_iter=5, **options).fit(X, y)
    parts = Perceptron(max_iter=2, warm_start=True, **options).fit(X, y)
    parts.set_params(max_iter=3).fit(X, y)
    assert parts.coef_.tobytes() == whole.coef_.tobytes()


def test_a_rule_that_writes_to_the_columns_of_x_learns_the_rows_as_they_were():
    X = sp.csr_array(np.random.default_rng(0).normal(size=(60, 5)))
    y, before = np.arange(60) % 2, X.copy()

    class Writes(NamedTuple):
        eta: float = 1.0

        def step(self, score, y, sqnorm):
            if abs(score) > 1.0:  # not in the call that tries the rule
                X.indices[:] = 2**30
            return self.eta * y if y * score <= 0.0 else 0.0

    model = Perceptron(rule=Writes(), max_iter=2, tol=None).fit(X, y)
    assert X.indices[0] == 2**30
    assert bits(model) == bits(Perceptron(max_iter=2, tol=None).fit(before, y))


RESCALING = [name for name, rule in rules.DECLARATIONS.items() if rule.kind == "rescaling"]


@pytest.mark.parametrize("before", ["perceptron", "arow", "adagrad", "scinol"])
@pytest.mark.parametrize("rule", RESCALING)
def test_a_warm_start_goes_on_with_a_rescaling_rule(before, rule):
    X, y = load_breast_cancer(return_X_y=True)
    model = Perceptron(rule=before, max_iter=2, tol=None, scale=True).fit(X, y)
    warm = model.set_params(rule=rule, warm_start=True).fit(X, y)
    assert warm.t_ == 4 * len(y) + 1
    assert warm.score(X, y) > 0.9


class Mirrored(Perceptron):
    def decision_function(self, X):
        return -super().decision_function(X)


def test_predictions_are_by_the_decision_function_of_a_subclass():
    X, y = load_breast_cancer(return_X_y=True)
    model = Mirrored(rule="logistic", scale=True).fit(X, y)
    assert model.score(X, y) < 0.1
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
