"""Weights of classes: balanced by counts, or by name, in linear and kernel learners."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from rosenblatt import Perceptron, load
from rosenblatt.cli.training.class_weights import balanced_weights, typed_weights
from rosenblatt.streams import open_stream
from rosenblatt.validation import validate


@pytest.fixture
def rare(tmp_path, monkeypatch):
    """A table with 20 rows of fraud among 400, in 3 columns, one of them weights."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = rng.permutation(400) < 20
    X = rng.standard_normal((400, 2)) + 1.5 * y[:, None]
    lines = [
        f"{a:.3f},{b:.3f},{w},{'fraud' if one else 'fine'}\n"
        for (a, b), w, one in zip(X, rng.integers(1, 4, 400), y, strict=True)
    ]
    Path("rare.csv").write_text("a,b,w,kind\n" + "".join(lines))
    codes = [f"{1 if one else -1} 1:{a:.3f} 2:{b:.3f}\n" for (a, b), one in zip(X, y, strict=True)]
    Path("rare.svm").write_text("".join(codes))


def test_balanced_weights_equal_scikit_learn(rare):
    weights = balanced_weights(open_stream("rare.csv"))
    _, y = open_stream("rare.csv").read()
    expected = compute_class_weight("balanced", classes=np.unique(y), y=y)
    assert weights == dict(zip(np.unique(y).tolist(), expected, strict=True))
    assert list(balanced_weights(open_stream("rare.svm"))) == ["-1", "1"]


def test_a_balanced_run_learns_with_the_weights_of_scikit_learn(rare, call):
    status, _, err = call("train", "rare.svm", "-m", "m", "--class-weight", "balanced")
    assert status == 0
    assert "class weights: -1 0.526, 1 10" in err
    assert "above the baseline" not in err  # weights accept errors in the frequent class
    model = load("m")
    X, y = open_stream("rare.svm").read()
    weights = {-1: 400 / 760, 1: 10.0}
    assert model.class_weight == weights
    expected = Perceptron(rule="auto", class_weight=weights, shuffle=False).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_weights_by_name(rare, call):
    options = ["--target", "kind", "--class-weight", '{"fraud": 9}', "-q"]
    assert call("train", "rare.csv", "-m", "m", *options)[0] == 0
    X, y = open_stream("rare.csv", target="kind").read()
    expected = Perceptron(rule="auto", shuffle=False, class_weight={"fraud": 9}).partial_fit(X, y)
    np.testing.assert_array_equal(load("m").coef_, expected.coef_)


def test_a_kernel_learner_takes_weights(rare, call):
    options = ["--kernel", "rbf", "--class-weight", '{"1": 9}', "-q"]
    assert call("train", "rare.svm", "-m", "weighted", *options)[0] == 0
    assert call("train", "rare.svm", "-m", "plain", *options[:2], "-q")[0] == 0
    weighted, plain = load("weighted"), load("plain")
    assert weighted.class_weight == {1: 9.0}
    assert np.abs(weighted.dual_coef_).max() == 9.0 > np.abs(plain.dual_coef_).max()


def test_a_resumed_run_keeps_its_weights(rare, call):
    rows = Path("rare.svm").read_text().splitlines(keepends=True)
    Path("first.svm").write_text("".join(rows[:300]))
    options = ["--class-weight", "balanced", "-q"]
    assert call("train", "first.svm", "-m", "m", *options)[0] == 0
    weights = load("m").class_weight
    assert call("train", "rare.svm", "-m", "m", *options, "--resume")[0] == 0
    assert load("m").class_weight == weights
    X, y = open_stream("rare.svm").read()
    expected = Perceptron(rule="auto", shuffle=False, class_weight=weights).partial_fit(X, y)
    np.testing.assert_array_equal(load("m").coef_, expected.coef_)
    status, _, err = call("train", "rare.svm", "-m", "m", "-q", "--resume")
    assert status == 2
    assert "no --class-weight does not go with --resume" in err


def test_a_label_that_no_row_has_is_noted(rare, call):
    for command in (["train", "rare.csv", "-m", "m"], ["validate", "rare.csv"]):
        _, _, err = call(*command, "--class-weight", '{"fruad": 2}')
        assert "no row has the label fruad of --class-weight; the labels are fine, fraud" in err


def test_validation_with_weights_equals_the_library(rare, call):
    def errors(*options):
        return json.loads(call("validate", "rare.svm", "--json", "-q", *options)[1])["errors"]

    model = Perceptron(rule="auto", shuffle=False, class_weight={1: 9.0})
    weighted = errors("--class-weight", '{"1": 9}')
    assert weighted == validate(model, open_stream("rare.svm")).errors != errors()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("balance", "expected 'balanced' or a JSON object"),
        ("{spam: 1}", "expected 'balanced' or a JSON object"),
        ("{}", "expected 'balanced' or a JSON object"),
        ('{"1": 0}', "expected 'balanced' or a JSON object of positive numbers"),
        ('{"1": "9"}', "expected 'balanced' or a JSON object of positive numbers"),
        ('{"1": NaN}', "expected 'balanced' or a JSON object of positive numbers"),
        ('{"1": true}', "expected 'balanced' or a JSON object of positive numbers"),
        pytest.param(f'{{"1": 1{"0" * 400}}}', "a JSON object of positive numbers", id="huge"),
        pytest.param("[" * 2000, "expected 'balanced' or a JSON object", id="deep"),
    ],
)
def test_malformed_weights(rare, call, value, message):
    status, _, err = call("train", "rare.svm", "-m", "m", "--class-weight", value)
    assert status == 2
    assert message in err
    assert not Path("m").exists()


def test_names_of_labels_that_are_numbers(rare, call):
    status, _, err = call("train", "rare.svm", "-m", "m", "--class-weight", '{"spam": 2}')
    assert status == 3
    assert "rare.svm: the labels are numbers (-1, 1), but --class-weight has spam" in err
    assert typed_weights({"0.0": 1, "2": 3}, np.array([0.0, 2.0]), "") == {0: 1, 2: 3}
    assert typed_weights({"a": 1.0}, np.array(["a", "b"]), "") == {"a": 1.0}


def test_balanced_weights_need_a_first_pass(rare, call):
    options = ["--class-weight", "balanced"]
    status, _, err = call("train", "-", "-m", "m", *options, stdin="1 1:1\n")
    assert status == 2
    assert "standard input can be read only once: name a file, or give weights" in err
    status, _, err = call("validate", "rare.svm", *options)
    assert status == 2
    assert "a validation does not know them yet: give weights" in err


def test_the_column_of_sample_weights(rare, call):
    assert call("train", "rare.csv", "-m", "a", "-q", "--sample-weight", "w")[0] == 0
    assert call("train", "rare.csv", "-m", "b", "-q", "--schema", "w:weight")[0] == 0
    np.testing.assert_array_equal(load("a").coef_, load("b").coef_)
    assert load("a").classifier.n_features_in_ == 2
    status, _, err = call("train", "rare.csv", "-m", "a", "--sample-weight", "v")
    assert status == 3
    assert "no column 'v' of the kind weight; the columns are 'a', 'b', 'w', 'kind'" in err
    status, _, err = call("train", "rare.svm", "-m", "a", "--sample-weight", "w")
    assert status == 2
    assert "--sample-weight does not go with svmlight text" in err
    for schema in ("w:number", "a:weight"):
        options = ["--sample-weight", "w", "--schema", schema]
        status, _, err = call("train", "rare.csv", "-m", "a", *options)
        assert status == 2
        assert f"--sample-weight w and --schema {schema} contradict each other" in err
