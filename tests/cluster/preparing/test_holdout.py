"""Rows that shards hold out, and fits that end by the errors on them."""

import json

import numpy as np
import pytest
from cluster_bits import assert_same_bits, assert_same_weights
from joblib import Parallel
from sklearn.base import clone

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.dask import DaskPerceptron
from rosenblatt.estimators.models import load_estimator
from rosenblatt.learning.tuning.held_out import RowChoice, StratifiedChoice
from rosenblatt.streams import open_stream

FIXED = {"tol": None, "output": "average", "holdout": 0.2}


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    """Two files of a table, whose labels are wrong in a tenth of the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(0, 1, (300, 6)).round(3)
    y = (X @ [1, -1, 0.5, 0, 0, 0] > 0) ^ (rng.random(300) < 0.1)
    folder = tmp_path_factory.mktemp("noisy")
    lines = [",".join(map(str, [*x, "ab"[int(one)]])) + "\n" for x, one in zip(X, y, strict=True)]
    header = "a,b,c,d,e,f,y\n"
    (folder / "all.csv").write_text(header + "".join(lines))
    for s, part in enumerate((lines[:170], lines[170:])):
        (folder / f"part-{s}.csv").write_text(header + "".join(part))
    return folder


def rows_of(choice, path):
    batches = list(choice.of(open_stream(path)))
    return np.concatenate([one.X for one in batches]), np.concatenate([one.y for one in batches])


def errors_of(model, X, y):
    del model.feature_names_in_
    return int((model.predict(X) != y).sum())


@pytest.mark.parametrize("shuffle", [True, False])
def test_each_shard_holds_out_its_share(client, noisy, shuffle):
    seeds = [3, int(np.random.SeedSequence([3, 1]).generate_state(1)[0])]
    paths = [noisy / f"part-{s}.csv" for s in range(2)]
    model = DaskPerceptron(max_iter=4, shuffle=shuffle, random_state=3, scale=True, **FIXED)
    model.fit([str(path) for path in paths])
    learned, held_out = [
        [rows_of(RowChoice(0.2, seed, kind), path) for seed, path in zip(seeds, paths, strict=True)]
        for kind in (False, True)
    ]
    X, y = (np.concatenate(parts) for parts in zip(*held_out, strict=True))
    assert model.held_out_rows_ == len(y) == 61
    assert len(model.held_out_errors_) == 4
    assert model.held_out_errors_[-1] == errors_of(model.to_local(), X, y)
    import dask

    batches = [dask.delayed(pair) for pair in learned]
    rest = clone(model).set_params(holdout=None).fit(batches)
    assert_same_bits(model, rest)


@pytest.mark.parametrize("shuffle", [True, False])
def test_weights_of_classes_are_those_of_the_rows_that_are_learned(shuffle, tmp_path):
    rows = [f"{i % 7},{('oak', 'elm', 'fir')[i % 3]},{'ab'[i % 4 == 0]}\n" for i in range(90)]
    (tmp_path / "a.csv").write_text("x,tree,kind\n" + "".join(rows) + "1,yew,c\n")
    params = {"max_iter": 2, "tol": None, "class_weight": "balanced", "shuffle": shuffle}
    model = DaskPerceptron(holdout=0.3, random_state=3, **params)
    model.fit(str(tmp_path / "a.csv"), client=Parallel(n_jobs=1))
    X, y = open_stream(tmp_path / "a.csv").read()
    rest = ~StratifiedChoice(0.3, 3)(y)
    X, y = X.toarray()[rest], y[rest]
    assert model.classes_.tolist() == ["a", "b"]
    here = Perceptron(random_state=3, **params).fit(X, y)
    assert model.coef_.tobytes() == here.coef_.tobytes()


def test_the_best_epoch_is_kept_and_resumed(client, noisy, tmp_path):
    path = str(noisy / "part-*.csv")
    model = DaskPerceptron(
        max_iter=30, **FIXED, early_stopping=True, n_iter_no_change=3, rule="pa", shuffle=False
    )
    model.fit(path)
    errors = model.held_out_errors_
    best = errors.index(min(errors)) + 1
    assert model.n_iter_ == len(errors) == best + 3 < 30
    of_best = clone(model).set_params(max_iter=best, early_stopping=False).fit(path)
    assert of_best.held_out_errors_ == errors[:best]
    assert model.coef_.tobytes() == of_best.coef_.tobytes()

    checkpoint = tmp_path / "checkpoint"
    first = clone(model).set_params(max_iter=best + 1).fit(path, checkpoint=checkpoint)
    assert first.coef_.tobytes() == of_best.coef_.tobytes()
    resumed = clone(model).fit(path, checkpoint=checkpoint)
    assert_same_weights(resumed, model)
    assert resumed.held_out_errors_ == errors
    with pytest.warns(UserWarning, match="has ended"):
        again = clone(model).fit(path, checkpoint=checkpoint)
    assert_same_weights(again, model)
    with pytest.raises(ValueError, match="holdout"):
        clone(model).set_params(holdout=0.3).fit(path, checkpoint=checkpoint)


def test_one_shard_holds_out_the_rows_of_the_command(processes, call, noisy, tmp_path):
    options = ["--holdout", 0.2, "--seed", 3, "--rule", "pa1", "--epochs", 9, "--early-stop", 2]
    train = ["train", noisy / "all.csv", *options, "--json", "-m"]
    here, there = tmp_path / "here", tmp_path / "there"
    status, out, err = call(*train, here)
    assert status == 0, err
    record = json.loads(out)["holdout"]
    address = processes.scheduler.address
    status, out, err = call(*train, there, "--scheduler", address, "--shards", 1)
    assert status == 0, err
    on_shard = json.loads(out)["holdout"]
    assert "held-out error" in err
    choice = StratifiedChoice(0.2, 3)
    X, y = open_stream(noisy / "all.csv").read()
    assert record["examples"] == on_shard["examples"] == int(choice(y).sum())
    chosen = StratifiedChoice(0.2, 3)(y)
    model = load_estimator(there)
    assert on_shard["errors"] == errors_of(model, np.asarray(X)[chosen], y[chosen])
    assert not list(tmp_path.glob("there.checkpoint*"))
    assert rosenblatt.models.describe(there)["notes"]["schema"]


def test_shares_that_are_none_are_refused(client, noisy):
    with pytest.raises(ValueError, match="holdout must be"):
        DaskPerceptron(holdout=1.0).fit(str(noisy / "all.csv"))
    with pytest.raises(ValueError, match="needs rows that are held out"):
        DaskPerceptron(early_stopping=True).fit(str(noisy / "all.csv"))
    with pytest.raises(ValueError, match="too few rows to hold any out"):
        DaskPerceptron(holdout=1e-6).fit(str(noisy / "all.csv"))
