"""Predictions by the costs of errors, wherever a model goes."""

import copy
import json
import pickle
from collections import Counter

import numpy as np
import pytest

from rosenblatt import (
    AveragedPerceptron,
    Classifier,
    KernelPerceptron,
    OnlinePerceptron,
    Perceptron,
    RowEncoder,
    RowModel,
    export,
    load,
    save,
)
from rosenblatt.engine.serving.examples import ExampleParser
from rosenblatt.learning.decisions.costs import Costs
from rosenblatt.learning.linear.presets import as_perceptron
from rosenblatt.learning.models import files
from rosenblatt.learning.online.base import predict_then_learn_rows
from rosenblatt.learning.online.estimator import predict_then_learn
from rosenblatt.models import ModelError, describe
from rosenblatt.streams import Batch
from rosenblatt.validation import validate


@pytest.fixture
def rows(rng):
    X = rng.standard_normal((400, 3))
    return X, np.where(rng.random(400) < 1 / (1 + np.exp(-2 * X[:, 0])), "spam", "ham")


def logistic(**params):
    return Perceptron(rule="logistic", eta0=0.1, output="average", max_iter=3, tol=None, **params)


@pytest.mark.parametrize("costs", [(1, 1), (1, 9), (7.5, 0.5), (1e-9, 1e9)])
def test_each_row_gets_the_label_of_the_least_expected_cost(rows, costs):
    X, y = rows
    model = logistic().fit(X, y)
    p = model.predict_proba(X)[:, 1]
    assert model.set_costs(*costs) is model
    expected = np.where((1 - p) * costs[0] <= p * costs[1], "spam", "ham")
    assert (model.predict(X) == expected).mean() > 0.99  # but for rounding at the threshold
    by_threshold = np.where(p >= model.costs_.threshold, "spam", "ham")
    np.testing.assert_array_equal(model.predict(X), by_threshold)
    assert model.set_costs().costs_ is None
    np.testing.assert_array_equal(model.predict(X), np.where(p > 0.5, "spam", "ham"))


def test_the_mean_cost_is_lower_than_that_of_the_most_probable_class(rows):
    X, y = rows
    model, costs = logistic().fit(X[:200], y[:200]), Costs.of(1, 12)

    def mean_cost():
        predicted = model.predict(X[200:]) == "spam"
        spam = y[200:] == "spam"
        wrong = (predicted & ~spam).mean(), (~predicted & spam).mean()
        return float(np.dot(wrong, costs))

    before = mean_cost()
    model.set_costs(*costs)
    assert mean_cost() < 0.7 * before


@pytest.mark.parametrize("rule", ["perceptron", "pa1", "arow"])
def test_calibrated_probabilities_of_any_rule_decide(rows, rule, tmp_path):
    X, y = rows
    model = Perceptron(rule=rule, probabilities=True, max_iter=3, tol=None).fit(X, y)
    by_score = model.predict(X)
    model.set_costs(1, 9)
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(model.predict(X), np.where(p >= 0.1, "spam", "ham"))
    assert (model.predict(X) == "spam").sum() > (by_score == "spam").sum()
    save(model, tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").predict(X), model.predict(X))


def test_weights_and_probabilities_stay_and_fits_keep_the_costs(rows):
    X, y = rows
    with_costs, without = logistic().set_costs(1, 9), logistic()
    for model in (with_costs, without):
        model.fit(X, y).partial_fit(X[:50], y[:50])
    np.testing.assert_array_equal(with_costs.coef_, without.coef_)
    np.testing.assert_array_equal(with_costs.predict_proba(X), without.predict_proba(X))
    assert with_costs.errors_ == without.errors_
    assert with_costs.costs_ == Costs(1.0, 9.0)
    assert (with_costs.predict(X) == "spam").sum() > (without.predict(X) == "spam").sum()


def test_copies_pickles_and_files_keep_the_costs(rows, tmp_path):
    X, y = rows
    model = logistic().fit(X, y).set_costs(2, 9)
    save(model, tmp_path / "m", notes={"mine": 1})
    assert describe(tmp_path / "m")["notes"] == {"mine": 1, "_decisions": {"costs": [2.0, 9.0]}}
    for one in (load(tmp_path / "m"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert one.costs_ == model.costs_
        np.testing.assert_array_equal(one.predict(X), model.predict(X))
    again = load(tmp_path / "m").set_costs()
    assert describe(tmp_path / "m")["format"] == 6  # older versions predict without costs
    save(again, tmp_path / "m", notes=describe(tmp_path / "m")["notes"])
    assert describe(tmp_path / "m")["format"] == 2
    assert describe(tmp_path / "m")["notes"] == {"mine": 1}
    assert load(tmp_path / "m").costs_ is None


def test_a_model_of_raw_rows_predicts_by_costs(rows, tmp_path):
    X, y = rows
    table = [dict(zip("abc", row, strict=True)) for row in X.tolist()]
    model = RowModel([("encoder", RowEncoder()), ("classifier", logistic())]).fit(table, y)
    model.classifier.set_costs(1, 9)
    model.save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert loaded.costs_ == Costs(1.0, 9.0)
    p = loaded.predict_proba(table)[:, 1]
    np.testing.assert_array_equal(loaded.predict(table), np.where(p >= 0.1, "spam", "ham"))
    loaded.classifier.set_costs()
    loaded.save(tmp_path / "m")
    assert load(tmp_path / "m").costs_ is None


def test_rows_one_at_a_time_and_many_have_the_same_labels(rows, tmp_path):
    X, y = rows
    table = [dict(zip("abc", row, strict=True)) for row in X.tolist()]
    model = OnlinePerceptron(rule="logistic", eta0=0.1).learn_many(table, y.tolist())
    before = model.predict_many(table)
    model._model.set_costs(1, 9)
    many = model.predict_many(table)
    assert [model.predict_one(row) for row in table] == list(many)
    p = model.predict_proba_many(table)[:, 1]
    np.testing.assert_array_equal(many, np.where(p >= 0.1, "spam", "ham"))
    assert list(many) != list(before)
    save(model, tmp_path / "m")
    assert list(load(tmp_path / "m").predict_many(table)) == list(many)


@pytest.mark.parametrize("options", [{"rule": "logistic", "eta0": 0.1}, {"probabilities": True}])
@pytest.mark.parametrize("delay", [0, 3])
def test_predictions_along_a_stream_are_by_costs(rows, options, delay):
    X, y = rows
    model = Perceptron(shuffle=False, **options).partial_fit(X[:9], y[:9]).set_costs(1, 9)
    alone, confusion = copy.deepcopy(model), Counter()
    found = validate(model, [Batch(X[9:], y[9:], 0)], delay=delay)
    for i in range(9, 400):
        arrived = i - max(1, delay)
        if arrived >= 9 and delay:
            alone.partial_fit(X[arrived : arrived + 1], y[arrived : arrived + 1])
        confusion[str(y[i]), str(alone.predict(X[i : i + 1])[0])] += 1
        if not delay:
            alone.partial_fit(X[i : i + 1], y[i : i + 1])
    assert found.confusion == confusion
    assert confusion["spam", "ham"] < confusion["ham", "spam"] / 5


def test_rows_that_are_predicted_and_learned_at_once_are_predicted_by_costs(rows):
    X, y = rows
    table = [dict(zip("abc", row, strict=True)) for row in X[:99].tolist()]
    models = [OnlinePerceptron(rule="logistic", eta0=0.1) for _ in range(3)]
    for model in models:
        model.learn_many(table[:9], y[:9].tolist())._model.set_costs(1, 9)
    rest, labels, part = table[9:], y[9:99].tolist(), []
    expected = []
    for row, label in zip(rest, labels, strict=True):
        expected.append(models[0].predict_one(row))
        models[0].learn_one(row, label)
    at_once = [predict_then_learn(models[1], *each) for each in zip(rest, labels, strict=True)]
    lines = [
        json.dumps({"features": row, "label": label}).encode()
        for row, label in zip(rest, labels, strict=True)
    ]
    predict_then_learn_rows(models[2], ExampleParser(9, 9, 9.0).parse(lines)[0], 0, 90, part)
    assert at_once == part == expected
    assert expected.count("spam") > 60
    assert models[0].weights_of("ham") == models[1].weights_of("ham") == models[2].weights_of("ham")


def test_the_learner_without_a_choice_predicts_by_costs_and_has_sets(rows, tmp_path):
    X, y = rows
    model = Classifier().set_costs(1, 9).fit(X[:300], y[:300])
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(model.predict(X), np.where(p >= 0.1, "spam", "ham"))
    save(model.calibrate_sets(X[300:], y[300:]), tmp_path / "m")
    loaded = load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_set(X), model.predict_set(X))


def test_a_preset_as_a_perceptron_keeps_costs_and_sets(rows):
    X, y = rows
    model = AveragedPerceptron(rule="logistic", eta0=0.1).fit(X, y).set_costs(1, 9)
    perceptron = as_perceptron(model.calibrate_sets(X, y))
    assert type(perceptron) is not type(model)
    assert perceptron.costs_ == Costs(1.0, 9.0)
    np.testing.assert_array_equal(perceptron.predict(X), model.predict(X))
    np.testing.assert_array_equal(perceptron.predict_set(X), model.predict_set(X))


def test_a_kernel_model_predicts_by_costs(rows):
    X, y = rows
    model = KernelPerceptron(rule="logistic", eta0=0.1, max_iter=2, tol=None).fit(X, y)
    model.set_costs(1, 9)
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(model.predict(X), np.where(p >= 0.1, "spam", "ham"))


@pytest.mark.parametrize(
    ("costs", "says"),
    [
        ((0, 1), "false_positive must be"),
        ((1, -2), "false_negative must be"),
        ((1, np.inf), "false_negative must be"),
        ((1,), "false_negative must be"),
        (("1", 2), "false_positive must be"),
    ],
)
def test_costs_that_are_no_positive_numbers_are_refused(costs, says):
    with pytest.raises(ValueError, match=says):
        Perceptron(rule="logistic").set_costs(*costs)


def test_costs_need_probabilities_and_two_classes(rows):
    X, y = rows
    for model in (Perceptron(), KernelPerceptron(rule="logistic", output="vote")):
        with pytest.raises(ValueError, match="this model has none"):
            model.set_costs(1, 2)
    three = np.where(X[:, 1] > 1, "eggs", y)
    with pytest.raises(ValueError, match="there are three or more"):
        logistic().fit(X, three).set_costs(1, 2)
    with pytest.raises(ValueError, match="there are three or more"):
        logistic().set_costs(1, 2).fit(X, three)
    model = logistic().set_costs(1, 2).partial_fit(X, y)
    before = model.coef_
    with pytest.raises(ValueError, match="there are three or more"):
        model.partial_fit(X, three)
    np.testing.assert_array_equal(model.coef_, before)
    assert len(model.set_costs().partial_fit(X, three).classes_) == 3


def test_a_model_that_lost_its_probabilities_predicts_nothing_by_costs(rows):
    X, y = rows
    model = logistic().set_costs(1, 9).fit(X, y).set_params(rule="pa1").fit(X, y)
    with pytest.raises(ValueError, match="this model has none"):
        model.predict(X)
    before = model.coef_
    with pytest.raises(ValueError, match="this model has none"):
        validate(model, [Batch(X, y, 0)])
    np.testing.assert_array_equal(model.coef_, before)
    assert len(model.set_costs().predict(X)) == 400


def test_a_model_of_one_class_predicts_it():
    model = Perceptron(rule="logistic").set_costs(1, 9).partial_fit([[1.0]], ["ham"])
    assert model.predict([[2.0]]).tolist() == ["ham"]


def test_a_damaged_note_is_refused_and_others_are_the_users(rows, tmp_path):
    X, y = rows
    model = logistic().fit(X, y)
    damaged = ({"costs": [1, 0]}, {"costs": [1]}, {"costs": "12"}, {"cost": [1, 2]}, [1, 2], "no")
    for note in damaged:
        header_with(tmp_path / "m", model, note)
        with pytest.raises(ModelError, match=r"note on decisions|must be|its costs"):
            load(tmp_path / "m")
    for notes in ("csv", ["csv"]):
        save(model, tmp_path / "m", notes=notes)
        assert describe(tmp_path / "m")["notes"] == notes
        with pytest.raises(TypeError, match="must be an object"):
            save(copy.deepcopy(model).set_costs(1, 2), tmp_path / "m", notes=notes)


def header_with(path, model, note):
    """Save a model whose file has a note on decisions, with valid checksums."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "with_decisions", lambda model, notes: {"_decisions": note})
        save(model, path)


def test_an_export_refuses_costs(rows, tmp_path):
    model = logistic().fit(*rows).set_costs(1, 2)
    with pytest.raises(ValueError, match="predicts by costs"):
        export(model, tmp_path / "m.json")
    export(model.set_costs(), tmp_path / "m.json")
