"""Encoders of a fit on shards: found in one pass, joined, and those of one process."""

import json

import dask.array as da
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from cluster_bits import assert_same_bits

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.cluster.preparing.encoding import Encoder, join_encodings
from rosenblatt.dask import DaskPerceptron
from rosenblatt.estimators.models import load_estimator
from rosenblatt.learning import interface
from rosenblatt.learning.scaling import Scaling
from rosenblatt.streams import open_stream
from rosenblatt.streams.features.encoding import number_columns

TREES = ["oak", "elm", "ash", "fir", "yew"]
HEADER = "height,tree,area,when,kind\n"


def cells(i):
    tree = TREES[i * 7 % (2 + i // 40)]  # later rows have other trees
    height = "" if i % 7 == 3 else f"{37 + (i * 13 % 11) / 5:.1f}"
    kind = "ab"[(i * 13 % 11 > 5) ^ (tree == "oak")]
    return f"{height},{tree if i % 11 else ''},{5000 + i * 37 % 900},2026-0{i % 9 + 1}-11,{kind}\n"


LINES = [cells(i) for i in range(120)]
PARTS = np.array_split(np.arange(len(LINES)), 3)


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """A table, and its rows in three files."""
    folder = tmp_path_factory.mktemp("trees")
    (folder / "all.csv").write_text(HEADER + "".join(LINES))
    for s, part in enumerate(PARTS):
        (folder / f"part-{s}.csv").write_text(HEADER + "".join(LINES[i] for i in part))
    return folder


def local(path, reading, **params):
    """A perceptron of this process, of all rows in memory."""
    stream = open_stream(path, **reading)
    model = Perceptron(**{"max_iter": 3, "tol": None} | params)
    X, y = stream.read()
    interface.centre_columns(model, number_columns(stream))
    return model.fit(X, y)


@pytest.mark.parametrize(
    ("impute", "scale", "shuffle"),
    [
        ("zero", False, True),
        ("indicator", True, True),
        ("mean", True, True),
        ("mean", True, False),
    ],
)
def test_shards_of_a_table_have_the_bits_of_one_process(client, trees, impute, scale, shuffle):
    params = {"scale": scale, "shuffle": shuffle, "output": "average"}
    model = DaskPerceptron(max_iter=3, tol=None, **params)
    model.fit(str(trees / "part-*.csv"), impute=impute)
    reading = {"impute": impute}
    if impute == "mean":
        reading["means"] = model.noted()["means"]
        heights = [float(line.split(",")[0]) for line in LINES if line[0] != ","]
        assert reading["means"]["height"] == pytest.approx(np.mean(heights), rel=1e-14)
        assert model.noted()["totals"]["height"][0] == len(heights)
    expected = local(trees / "all.csv", reading, shards=3, **params)
    assert model.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    assert_same_bits(model, expected)


def test_new_tables_are_read_by_the_columns_of_the_fit(client, trees, tmp_path):
    model = DaskPerceptron(max_iter=3, tol=None, scale=True)
    model.fit(str(trees / "part-*.csv"), impute="mean")
    new = tmp_path / "new.csv"
    new.write_text(HEADER + "".join([*LINES[:-20:-1], "1,birch,2,2026-01-01,a\n", LINES[0]]))
    X = rosenblatt.streams.reopen(model.noted(), model.feature_names_in_, new).read()[0]
    expected = model.to_local().predict(X.tocsr())
    assert model.predict(new)[0].compute().tolist() == expected.tolist()
    rosenblatt.save(model, tmp_path / "m")
    rosenblatt.save(model.to_local(), tmp_path / "same", notes=model.noted())
    assert (tmp_path / "m").read_bytes() == (tmp_path / "same").read_bytes()
    y = np.array([line[-2] for line in new.read_text().splitlines(keepends=True)[1:]])
    assert model.score(new) == np.mean(expected == y)


COMMANDS = [
    (["--impute", "zero"], {"rule": "auto"}, {}),
    (["--impute", "indicator", "--rule", "pa1", "--average"], {"output": "average"}, {}),
    (["--impute", "zero", "--bits", 8, "--rule", "pa1", "--probabilities"], {}, {"bits": 8}),
    (["--impute", "zero", "--schema", "tree:text"], {"rule": "auto"}, {"schema": {"tree": "text"}}),
    (["--impute", "mean", "--scale", "--epochs", 3], {"rule": "perceptron", "scale": True}, {}),
]


@pytest.mark.parametrize(("options", "params", "reading"), COMMANDS, ids=str)
def test_the_file_of_one_shard_is_that_of_one_process(
    processes, call, trees, tmp_path, options, params, reading
):
    train = ["train", trees / "all.csv", *options, "-q", "-m"]
    here, there = tmp_path / "here", tmp_path / "there"
    assert call(*train, here)[0] == 0
    status, _, err = call(*train, there, "--scheduler", processes.scheduler.address, "--shards", 1)
    assert status == 0, err
    notes = [rosenblatt.models.describe(path)["notes"] for path in (here, there)]
    assert (
        not {name for name in notes[0] if name != "run"} - notes[1].keys() - {"collisions", "names"}
    )
    for name in ("format", "schema", "target", "bits", "text", "impute", "missing", "totals"):
        assert notes[0].get(name) == notes[1].get(name), name

    loaded = load_estimator(there)
    reading |= {"impute": options[1], "means": notes[1].get("means")}
    params = {"rule": "pa1", "probabilities": "--probabilities" in options} | params
    epochs = 3 if "--epochs" in options else 1
    expected = local(trees / "all.csv", reading, shuffle=False, **params, max_iter=epochs)
    assert loaded.coef_.tobytes() == expected.coef_.tobytes()
    assert loaded.intercept_.tobytes() == expected.intercept_.tobytes()
    labels = expected.predict(open_stream(trees / "all.csv", **reading).read()[0]).tolist()
    status, out, err = call("predict", there, trees / "all.csv")
    assert [line.split()[-1] for line in out.splitlines()] == labels
    rows = [dict(zip(HEADER.split(",")[:4], line.split(",")[:4], strict=True)) for line in LINES]
    assert rosenblatt.load(there).predict(pd.DataFrame(rows)).tolist() == labels
    assert call(*train[:2], "--from", there, "-m", tmp_path / "more", "-q")[0] == 0


def test_the_moments_of_shards_are_those_of_all_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(1e4, 1.0, (90, 4))
    one = Scaling.for_rows(X).fitted(X)
    parts = [Encoder(scale=True) for _ in range(3)]
    for part, rows in zip(parts, np.array_split(X, 3), strict=True):
        part.add(rows)
    joint = join_encodings([part.encoding() for part in parts]).scaling
    np.testing.assert_allclose(joint.spreads(), one.spreads(), rtol=1e-11)
    np.testing.assert_allclose(joint.moments.mean, one.moments.mean, rtol=1e-15)
    assert joint.moments.n_seen.tolist() == [90] * 4
    alone = join_encodings([Encoder(scale=True).encoding(), parts[0].encoding()]).scaling
    assert alone.moments.squares.tobytes() == parts[0].encoding().scaling.moments.squares.tobytes()


@pytest.mark.parametrize("sparse", [True, False])
def test_collections_and_batches_are_scaled(client, digits, parts, sparse):
    X, y = digits
    model = DaskPerceptron(max_iter=2, tol=None, scale=True)
    if sparse:
        import dask

        model.fit([dask.delayed((sp.csr_array(X[part]), y[part])) for part in parts])
        X = sp.csr_array(X)
    else:
        model.set_params(shards=3).fit(da.from_array(X, chunks=(600, 64)), da.from_array(y))
    expected = Perceptron(shards=3, max_iter=2, tol=None, scale=True).fit(X, y)
    assert_same_bits(model, expected)


def test_json_lines_have_the_columns_of_one_pass(client, tmp_path):
    rows = [
        {
            "x": float(i % 5),
            f"k{i % 7}" if i > 20 else "k0": 1.0,
            "hue": TREES[i % (1 + i // 13)],
            "y": "ab"[i % 5 > 2],
        }
        for i in range(60)
    ]
    for name, part in (("all", rows), ("p0", rows[:30]), ("p1", rows[30:])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part))
    reading = {"target": "y"}
    model = DaskPerceptron(max_iter=3, tol=None)
    model.fit([tmp_path / "p0.jsonl", tmp_path / "p1.jsonl"], **reading)
    assert_same_bits(model, local(tmp_path / "all.jsonl", reading, shards=2))
