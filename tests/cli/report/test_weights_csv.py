"""Table of all weights: names, classes, order, kernels; pandas reads it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rosenblatt
from rosenblatt import KernelPerceptron, LMSRegressor, OnlinePerceptron
from rosenblatt.cli.inputs.models import open_model
from rosenblatt.cli.report.weights_csv import INTERCEPT, save_weights


def table(path):
    """Write and read the weights of a model file; check the number of rows and their order."""
    rows = save_weights(open_model(path), "w.csv")
    weights = pd.read_csv("w.csv", keep_default_na=False)
    assert len(weights) == rows
    for _, part in weights.groupby("class"):
        assert part.iloc[0, 0] == INTERCEPT
        decides = "effect" if "effect" in weights else weights.columns[2]
        sizes = part[decides].iloc[1:].astype(float).abs().to_numpy()
        assert (sizes[:-1] >= sizes[1:]).all()
        assert (part.iloc[1:, 2] != 0).all()
    return weights


def test_every_weight_of_several_classes(folder, call):
    call("train", "sklearn:iris", "-m", "m", "--average", "-q")
    model, weights = open_model("m"), table("m")
    assert list(dict.fromkeys(weights["class"])) == model.model.classes_.tolist()
    assert list(weights.columns) == ["feature", "class", "weight"]
    wide = weights.pivot_table("weight", "class", "feature", fill_value=0.0)
    assert wide[model.names].to_numpy().tobytes() == model.model.coef_.tobytes()
    assert wide[INTERCEPT].tolist() == model.model.intercept_.tolist()


def test_indices_count_as_in_the_source(models):
    weights = table("four.rosenblatt").set_index("feature")["weight"]
    coef = rosenblatt.load("four.rosenblatt").coef_[0]
    assert {int(j): w for j, w in weights.iloc[1:].items()} == {
        j + 1: w for j, w in enumerate(coef.tolist()) if w
    }


def test_hashed_names_have_the_sign_of_the_name(folder, call):
    Path("a.vw").write_text("1 | good:2 fine\n-1 | bad:3 poor\n" * 3)
    call("train", "a.vw", "-m", "m", "-q")
    weights = table("m").set_index("feature")["weight"].drop(INTERCEPT)
    assert set(weights.index) <= {"good", "fine", "bad", "poor"}
    assert (weights[weights.index.isin(["good", "fine"])] > 0).all()
    assert (weights[weights.index.isin(["bad", "poor"])] < 0).all()


def test_names_with_commas_and_of_dicts(folder):
    model = OnlinePerceptron().learn_many([{"c": 1}, {'a, "b"': 1, "é": 2}], ["x", "y"])
    rosenblatt.save(model, "m")
    assert set(table("m")["feature"]) <= {INTERCEPT, 'a, "b"', "é", "c"}
    assert 'a, "b"' in set(table("m")["feature"])


def test_regressors_have_no_class(folder):
    rosenblatt.save(LMSRegressor(max_iter=1, tol=None).fit(np.eye(2), [1.0, 2.0]), "m")
    assert set(table("m")["class"]) == {""}


@pytest.mark.parametrize(("kernel", "column"), [("rbf", "coefficient"), ("linear", "weight")])
def test_kernel_models(folder, kernel, column):
    X = np.array([[1.0, 0.0], [-1.0, 0.5], [0.0, 2.0]])
    model = KernelPerceptron(kernel, max_iter=3, tol=None).fit(X, ["a", "b", "c"])
    rosenblatt.save(model, "m")
    weights = table("m")
    assert weights.columns[2] == column
    if kernel == "rbf":
        part = weights[weights.iloc[:, 0] != INTERCEPT]
        nonzero = {
            (str(model.support_[k]), str(label), float(coefs[k]))
            for label, coefs in zip(model.classes_, model.dual_coef_, strict=True)
            for k in np.flatnonzero(coefs)
        }
        assert set(part.iloc[:, :3].itertuples(index=False, name=None)) == nonzero
