"""More epochs of new shards, and several epochs of the rule without a choice."""

import json

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from cluster_bits import assert_same_weights
from joblib import Parallel

from rosenblatt import Perceptron
from rosenblatt.dask import DaskPerceptron
from rosenblatt.learning import interface
from rosenblatt.learning.evaluation.repeated import Repeated
from rosenblatt.streams import DataError
from rosenblatt.streams.core.batch import Batch


def halves(digits):
    X, y = digits
    half = len(y) // 2
    return (X[:half], y[:half]), (X[half:], y[half:])


@pytest.mark.parametrize("params", [{}, {"output": "average", "rule": "pa1"}, {"rule": "auto"}])
def test_one_shard_goes_on_as_in_one_process(client, digits, params):
    first, second = halves(digits)
    fixed = {"max_iter": 2, "tol": None, **params}
    model = DaskPerceptron(**fixed).fit([dask.delayed(first)])
    here = Perceptron(**fixed)
    if params.get("rule") != "auto":
        here.fit(*first)
    else:
        here = model.to_local()
    model.partial_fit([dask.delayed(second)])
    here.partial_fit(*second)
    assert model.coef_.tobytes() == here.coef_.tobytes()
    assert model.t_ == here.t_
    assert model.to_local().get_params()["max_iter"] == 2


def test_an_epoch_of_shards_is_that_of_a_warm_start(client, digits):
    first, second = halves(digits)
    X, y = (da.from_array(one, chunks=300) for one in second)
    model = DaskPerceptron(scale=True)
    model.partial_fit(*(da.from_array(one, chunks=300) for one in first), classes=np.arange(10))
    start = model.score(X.rechunk((300, 64)), y)
    moments = interface.learned(model.to_local()).scaling.moments
    assert set(moments.n_seen.tolist()) == {len(first[1])}
    model.partial_fit(X.rechunk((300, 64)), y)
    moments = interface.learned(model.to_local()).scaling.moments
    assert set(moments.n_seen.tolist()) == {len(digits[1])}
    np.testing.assert_allclose(moments.mean, digits[0].mean(axis=0), atol=1e-12)
    assert model.score(X.rechunk((300, 64)), y) > start


def test_new_files_are_read_as_those_of_the_fit(client, tmp_path):
    lines = [f"{i % 5},{['oak', 'elm'][i % 3 == 0]},{'ab'[i % 5 > 2]}\n" for i in range(60)]
    (tmp_path / "a.csv").write_text("x,tree,kind\n" + "".join(lines[:30]))
    (tmp_path / "b.csv").write_text("x,tree,kind\n" + "".join(["1,fir,a\n", *lines[:29:-1]]))
    model = DaskPerceptron(max_iter=2, tol=None).partial_fit(tmp_path / "a.csv")
    names = model.feature_names_in_.tolist()
    before = model.t_
    model.partial_fit(tmp_path / "b.csv")
    assert names == ["x", "tree=elm", "tree=oak"]
    assert model.feature_names_in_.tolist() == [*names, "tree=fir"]
    assert model.t_ == before + 31
    assert len(model.predict(tmp_path / "b.csv")[0].compute()) == 31
    (tmp_path / "c.csv").write_text("x,tree,kind\n1,oak,c\n")
    with pytest.raises(DataError, match="none of the classes"):
        model.partial_fit(tmp_path / "c.csv")
    frame = pd.DataFrame({"z": [1.0, 2.0], "x": [0.0, 1.0]})
    table = dd.from_pandas(frame.assign(y=["a", "b"]), npartitions=1)
    other = DaskPerceptron().partial_fit(table[["z", "x"]], table["y"])
    with pytest.raises(ValueError, match=r"columns must be those of the fit, .*: z, x\.$"):
        other.partial_fit(table[["x", "z"]], table["y"])
    with pytest.raises(ValueError, match=r"New here: new\. Not here: x\.$"):
        other.partial_fit(table[["z", "x"]].rename(columns={"x": "new"}), table["y"])


@pytest.mark.parametrize("scale", [False, True])
def test_new_names_get_columns_as_if_they_had_been_known(tmp_path, scale):
    here, random = Parallel(n_jobs=1), np.random.default_rng(0)

    def write(name, keys):
        X = random.integers(1, 9, (40, len(keys)))
        rows = [dict(zip(keys, x.tolist(), strict=True)) for x in X]
        rows = [row | {"kind": "ab"[row["x"] > 4]} for row in rows]
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        return X

    write("first.jsonl", ["x", "old"])
    write("second.jsonl", ["new", "x", "newer"])
    model = DaskPerceptron(scale=scale, shuffle=False)
    for name in ("first.jsonl", "second.jsonl"):
        model.partial_fit(tmp_path / name, target="kind", client=here)
    assert model.feature_names_in_.tolist() == ["x", "old", "new", "newer"]
    online = Perceptron(scale=scale, shuffle=False)
    rows, columns = [], ["x", "old", "new", "newer"]
    for name in ("first.jsonl", "second.jsonl"):
        lines = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        X = [[line.get(column, 0.0) for column in columns] for line in lines]
        rows.append((sp.csr_array(X), [line["kind"] for line in lines]))
    if not scale:
        for X, y in rows:
            online.partial_fit(X, y, classes=["a", "b"])
        assert model.coef_.tobytes() == online.coef_.tobytes()
    moments = interface.learned(model.to_local()).scaling
    assert (moments is None) != scale
    if scale:
        assert len(moments.moments.mean) == 4
    assert (model.coef_ != 0).all()
    assert model.score(tmp_path / "first.jsonl", client=here) > 0.5


def test_new_files_are_cut_and_dealt_as_those_of_the_fit(tmp_path):
    (tmp_path / "a.csv").write_text("x,kind\n" + "1,a\n2,b\n" * 300)
    model = DaskPerceptron(shards=2, interleave=True)
    for _ in range(2):
        model.partial_fit(tmp_path / "a.csv", client=Parallel(n_jobs=1))
        assert model.shards_["classes"].sum(axis=0).tolist() == [300, 300]
        assert (model.shards_["rows"] > 250).all()
        assert all(" … " in name for name in model.shards_["shard"])


@pytest.mark.parametrize("shuffle", [True, False])
def test_the_rule_auto_holds_back_the_rows_of_one_process(client, digits, shuffle):
    X, y = digits
    model = DaskPerceptron(rule="auto", max_iter=3, tol=None, shuffle=shuffle)
    model.fit([dask.delayed((X, y))])
    if not shuffle:
        batch, here = Batch(X, y, 0), Perceptron(rule="auto", shuffle=False)
        passes = Repeated(here, 3)
        for epoch in (1, 2, 3):
            with interface.in_pass(here, passes.stream_pass(batch, epoch)):
                here.partial_fit(X, y, classes=np.arange(10))
        assert model.coef_.tobytes() == here.coef_.tobytes()
        assert model.to_local().predict_proba(X).tobytes() == here.predict_proba(X).tobytes()
    shards = DaskPerceptron(rule="auto", max_iter=3, tol=None, shuffle=shuffle, shards=4)
    shards.fit(da.from_array(X, chunks=(450, 64)), da.from_array(y, chunks=450))
    assert shards.to_local().score(X, y) > 0.96


def test_more_epochs_of_the_rule_auto_are_another_fit(client, digits, tmp_path):
    X, y = digits
    rows = da.from_array(X[:400], chunks=(200, 64)), da.from_array(y[:400], chunks=200)
    model = DaskPerceptron(rule="auto", max_iter=2, tol=None)
    whole = model.fit(*rows).to_local()
    model.fit(*rows, checkpoint=tmp_path / "c")
    assert_same_weights(model, whole)
    with pytest.raises(ValueError, match="max_iter"):
        model.set_params(max_iter=3).fit(*rows, checkpoint=tmp_path / "c")
