"""Margins of rules: below the maximal margin, and at least their bounds."""

import numpy as np
import pytest
from profiles import scaled

from rosenblatt import studies, toys


@pytest.mark.parametrize("seed", range(scaled(7)))
def test_L3_8_no_rule_has_more_than_the_maximal_margin_and_each_what_it_is_promised(seed):
    toy = toys.separable(60, 3, margin=0.1, offset=0.1, seed=seed)
    study = studies.margins(toy.X, toy.y)
    assert (study.ratio <= 1).all()
    assert study.high >= toy.gamma * (1 - 1e-9)
    stopped = study.converged & ~np.isnan(study.promised)
    assert stopped.sum() == 6
    assert (study.margin >= study.promised)[stopped].all()
    for name, margin, w, b in zip(study.names, study.margin, study.w, study.b, strict=True):
        signed = toy.y * (toy.X @ w + b) / np.linalg.norm(w)
        assert margin == pytest.approx(signed.min(), rel=1e-9), name


def test_L3_8_a_growing_margin_comes_near_the_maximal_one():
    ratios = []
    for seed in range(scaled(7)):
        toy = toys.separable(60, 3, margin=0.1, offset=0.1, seed=seed)
        ratios.append(studies.margins(toy.X, toy.y, betas=(0.1, 100.0)).ratio)
    perceptron, small, large = np.median(ratios, axis=0)[[0, 4, 5]]
    assert perceptron < small < large
    assert np.min(ratios, axis=0)[5] > 0.97
