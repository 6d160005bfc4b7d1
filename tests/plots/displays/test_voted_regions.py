"""The regions of classes and of votes, and the boundaries of vote, average and last weights."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from displays import drawn, words
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    VotedPerceptron,
    plots,
    textbook,
    toys,
)
from rosenblatt.plots import ClassRegionsDisplay, VotedRegionsDisplay
from rosenblatt.plots.displays import voted_regions
from rosenblatt.theory.textbook.step import sgn

TOY = toys.separable(40, 2, margin=0.2, offset=0.1)
MIXED = toys.xor(copies=5, noise=0.5)


@pytest.mark.parametrize("intercept", [True, False])
def test_L3_7_the_average_and_the_last_are_those_of_fits_that_keep_them(intercept):
    toy = toys.rings(60, inner=0.6, outer=0.75, width=0.35)
    how = {"kernel": "rbf", "gamma": 8, "max_iter": 2, "tol": None, "fit_intercept": intercept}
    fits = {
        output: KernelPerceptron(output=output, **how).fit(toy.X, toy.y)
        for output in ("vote", "average", "last")
    }
    display = drawn(VotedRegionsDisplay.from_estimator(fits["vote"], toy.X, toy.y))
    at = np.random.default_rng(0).normal(size=(50, 2))
    last, average, share = (
        fits[output].decision_function(at) for output in ("last", "average", "vote")
    )
    assert display.last(at) == pytest.approx(last, abs=1e-9)
    assert display.share(at) == pytest.approx(share)
    assert display.average(at) == pytest.approx(average, abs=1e-9)


def test_L3_7_the_textbooks_votes_are_those_that_are_drawn():
    votes = textbook.voted_perceptron(textbook.append_one(MIXED.X), MIXED.y, epochs=3)
    display = drawn(VotedRegionsDisplay.from_votes(votes))
    rows = votes.run.X
    assert np.array_equal(display.X, MIXED.X)
    assert np.array_equal(np.where(display.share(MIXED.X) >= 0, 1, -1), votes.vote(rows))
    assert np.array_equal(np.where(display.average(MIXED.X) >= 0, 1, -1), votes.average(rows))
    assert display.last(MIXED.X) == pytest.approx(rows @ votes.run.weights[-1])
    assert np.abs(display.share(MIXED.X)).max() <= 1
    assert display.wrong[0] == (votes.vote(rows) != MIXED.y).sum()
    assert len(display.rings_.get_offsets()) == display.wrong[0]
    assert f"vote: {display.wrong[0]} wrong" in words(display.figure_)


def test_L3_7_votes_are_counted_in_blocks_and_without_those_that_have_none(monkeypatch):
    votes = textbook.voted_perceptron(textbook.append_one(MIXED.X), MIXED.y, epochs=30)
    assert (votes.survived == 0).any()
    at = np.random.default_rng(0).normal(size=(100, 2))
    said = np.where(textbook.append_one(at) @ votes.run.weights.T >= 0, 1, -1)
    monkeypatch.setattr(voted_regions, "MAX_NUMBERS", 2000)
    display = VotedRegionsDisplay.from_votes(votes)
    assert display.share(at) == pytest.approx(said @ votes.survived / votes.survived.sum())
    asked = []
    monkeypatch.setattr(voted_regions, "sgn", lambda s, tie: asked.append(s.shape) or sgn(s, tie))
    display.share(at)
    assert {width for _, width in asked} == {(votes.survived > 0).sum()}
    assert max(height * width for height, width in asked) <= 2000


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_votes_over_a_table_with_named_columns(kind):
    X = kind({"long": TOY.X[:, 0], "wide": TOY.X[:, 1]})
    model = VotedPerceptron(max_iter=3, tol=None).fit(X, TOY.y)
    display = drawn(VotedRegionsDisplay.from_estimator(model, X, TOY.y))
    assert display.ax_.get_ylabel() == "wide"
    assert display.share(TOY.X) == pytest.approx(model.decision_function(X))


def test_a_boundary_out_of_the_panel_is_not_drawn():
    scores = [lambda at: np.ones(len(at))] * 3
    display = VotedRegionsDisplay(TOY.X[:3], np.array([1, 1, -1]), *scores)
    assert drawn(display.plot()).vote_ is display.average_ is display.last_ is None
    assert display.wrong == (1, 1, 1)


def test_models_without_votes_are_refused():
    for model in (KernelPerceptron(), Perceptron(expansion=True), LogisticRegression()):
        wanted = r'must be VotedPerceptron\(\) or KernelPerceptron\(output="vote"\), got '
        with pytest.raises(ValueError, match=wanted + type(model).__name__):
            VotedRegionsDisplay.from_estimator(model.fit(TOY.X, TOY.y), TOY.X, TOY.y)
    with pytest.raises(ValueError, match=r"shape \(n, 2\)"):
        VotedRegionsDisplay.from_votes(textbook.voted_perceptron(np.eye(4), [1, -1, 1, -1]))


def test_votes_over_unlike_units_and_their_classes():
    X = TOY.X * [3000, 1]
    model = VotedPerceptron(max_iter=3, tol=None).fit(X, TOY.y)
    display = drawn(VotedRegionsDisplay.from_estimator(model, X, TOY.y))
    assert display.ax_.get_aspect() == "auto"
    assert np.ptp(display.ax_.get_ylim()) < 3
    assert len(display.ax_.get_xticks()) > 1
    assert display.classes == ("−1", "+1")
    votes = textbook.voted_perceptron(TOY.X, TOY.y)
    assert VotedRegionsDisplay.from_votes(votes).classes == display.classes


IRIS = load_iris()
FLOWERS, SPECIES = IRIS.data[:, 2:], IRIS.target_names[IRIS.target]


def test_L3_5_the_regions_are_the_predictions():
    model = Perceptron(random_state=0).fit(FLOWERS, SPECIES)
    display = drawn(ClassRegionsDisplay.from_estimator(model, FLOWERS, SPECIES))
    wrong = model.predict(FLOWERS) != SPECIES
    assert np.array_equal(display.mistaken, wrong)
    assert np.array_equal(display.rings_.get_offsets(), FLOWERS[wrong])
    assert f"{wrong.sum()} of 150 rows wrong" in words(display.figure_)
    at = np.random.default_rng(0).uniform(0, 7, (50, 2))
    assert display.classes == tuple(model.classes_)
    assert [display.classes[k] for k in display.predict(at)] == model.predict(at).tolist()
    assert set(np.unique(display.regions_.get_array())) <= {0, 1, 2}


def test_L3_5_where_no_class_says_yes_or_several_do_it_is_grey():
    X, labels = [[0.0, 2.0], [2.0, 0.0], [-2.0, -2.0]], ["up", "right", "down"]
    model = textbook.one_against_rest(X, labels)
    display = drawn(ClassRegionsDisplay.from_estimator(model, X, labels, conflicts=True))
    at = np.random.default_rng(0).normal(size=(99, 2))
    yes = model.scores(at) > 0
    assert np.array_equal(display.predict(at) < 0, yes.sum(axis=1) != 1)
    assert "several do" in words(display.figure_)
    plain = drawn(ClassRegionsDisplay.from_estimator(model, X, labels))
    assert (plain.predict(at) >= 0).all()
    assert plain.rings_ is None


def test_regions_that_cannot_be_drawn_are_refused():
    model = Perceptron().fit(TOY.X, TOY.y)
    with pytest.raises(ValueError, match="three classes or more"):
        ClassRegionsDisplay.from_estimator(model, TOY.X, TOY.y, conflicts=True)
    with pytest.raises(ValueError, match="y must hold -1 and 1, got "):
        ClassRegionsDisplay.from_estimator(model, TOY.X, TOY.y + 5)
    with pytest.raises(ValueError, match=r"y must have shape \(40,\), got \(39,\)"):
        ClassRegionsDisplay.from_estimator(model, TOY.X, TOY.y[:39])
    three = Perceptron().fit(TOY.X, np.arange(40) % 3)
    with pytest.raises(ValueError, match="y must hold the estimator's classes, got 9"):
        ClassRegionsDisplay.from_estimator(three, TOY.X, np.full(40, 9))
    many = Perceptron().fit(TOY.X, np.arange(40) % 8)
    with pytest.raises(ValueError, match="at most 6, got 8"):
        ClassRegionsDisplay.from_estimator(many, TOY.X, np.arange(40) % 8)


@pytest.mark.parametrize("rare", [0, 1])
def test_a_rare_class_is_drawn_on_top(rare):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(90) % 10 == 0, rare, 1 - rare)
    X = rng.normal(size=(90, 2))
    model = Perceptron().fit(X, y)
    for display in (ClassRegionsDisplay, plots.DecisionLineDisplay):
        marks = display.from_estimator(model, X, y).points_
        assert marks[rare].get_zorder() > marks[1 - rare].get_zorder()
