"""A file has the oldest format whose versions know its class and rule, and no other."""

import numpy as np
import pytest
from profiles import share

from rosenblatt import Classifier, LMSRegressor, PassiveAggressiveClassifier, Perceptron, rules
from rosenblatt.models import describe, load, save
from rosenblatt.theory.rules import NAMES, by_name

FORMATS = {
    2: "hinge lms logistic margin nlms pa pa1 pa2 perceptron relaxation",
    4: "adagrad adagrad_logistic alma arow arow_full aromma cw cw_full cw_stdev cw_stdev_full kt "
    "minover narow ogd pegasos romma scinol scw1 scw1_full scw2 scw2_full sop",
    6: "auto coin coin_hinge coin_squared coin_squared_hinge ftrl kt_hinge kt_squared "
    "kt_squared_hinge nag nag_hinge nag_squared nag_squared_hinge normal_herd pnorm scinol1 "
    "scinol1_hinge scinol1_squared scinol1_squared_hinge scinol_hinge scinol_squared "
    "scinol_squared_hinge winnow",
}


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3))
    return X, (X[:, 0] > 0).astype(int)


def written_format(model, path):
    save(model, path)
    assert load(path).get_params() == model.get_params()
    return describe(path)["format"]


@pytest.mark.parametrize(
    ("version", "rule", "as_object"),
    [
        (version, rule, as_object)
        for version, of in FORMATS.items()
        for turn, rule in enumerate(of.split())
        for as_object in share([False, True], 2, turn)
    ],
)
def test_versions_that_do_not_know_a_rule_ask_for_an_upgrade(
    rows, tmp_path, version, rule, as_object
):
    model = Perceptron(rule=by_name(rule, 1.0, 0) if as_object else rule, max_iter=1, tol=None)
    assert written_format(model.fit(*rows), tmp_path / "m") == version


def test_each_rule_has_a_format():
    assert set(" ".join(FORMATS.values()).split()) == set(NAMES)


@pytest.mark.parametrize(
    ("model", "version"),
    [
        (Classifier(), 6),
        (PassiveAggressiveClassifier(), 2),
        (LMSRegressor(), 2),
        (LMSRegressor(rule=rules.NormalizedLMS(0.1, 1e-3)), 2),
    ],
    ids=str,
)
def test_so_do_versions_that_do_not_know_a_class(rows, tmp_path, model, version):
    assert written_format(model.fit(*rows), tmp_path / "m") == version
