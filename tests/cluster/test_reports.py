"""Reports on shards: their numbers, the rule of the warning, and shards that are interleaved."""

import re

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from cluster_bits import assert_same_bits
from joblib import Parallel
from sklearn.datasets import load_digits

from rosenblatt import Perceptron
from rosenblatt.cluster.reports import ShardReport, ShardsDifferWarning, differences
from rosenblatt.dask import DaskPerceptron

HERE = Parallel(n_jobs=1)
FIXED = {"max_iter": 2, "tol": None}


@pytest.fixture(scope="module")
def in_order():
    """The digits in the order of their classes."""
    X, y = load_digits(return_X_y=True)
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


@pytest.fixture(scope="module")
def path(in_order, tmp_path_factory):
    """A file of the digits in the order of their classes."""
    path = tmp_path_factory.mktemp("sorted") / "digits.svm"
    lines = (
        f"{label} " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(x) if v or j == 63)
        for x, label in zip(*in_order, strict=True)
    )
    path.write_text("\n".join(lines) + "\n")
    return path


def reports(*classes):
    return [ShardReport(sum(one), np.array(one), 0, 0.0, 0) for one in classes]


@pytest.mark.parametrize("shuffle", [True, False])
def test_each_shard_is_reported(folder, parts, digits, shuffle):
    _, y = digits
    model = DaskPerceptron(shuffle=shuffle, **FIXED).fit(str(folder / "*.svm"), client=HERE)
    names = [str(folder / f"part-{s}.svm") for s in range(3)]
    assert model.shards_["shard"].tolist() == names
    counts = [np.bincount(y[part], minlength=10) for part in parts]
    np.testing.assert_array_equal(model.shards_["classes"], counts)
    assert model.shards_["rows"].tolist() == [len(part) for part in parts]
    assert model.shards_["updates"].sum() == model.updates_
    assert (model.shards_["seconds"] > 0.0).all()
    sizes = [(folder / f"part-{s}.svm").stat().st_size for s in range(3)]
    assert (model.shards_["bytes"].tolist() == sizes) is not shuffle  # shuffled rows are kept
    assert (model.shards_["bytes"] > 0).all()


def test_two_classes_are_counted(tmp_path):
    (tmp_path / "a.svm").write_text("0 1:1\n1 2:1\n1 2:2\n")
    (tmp_path / "b.svm").write_text("0 1:1\n0 2:1\n")
    model = DaskPerceptron(**FIXED).fit([tmp_path / "a.svm", tmp_path / "b.svm"], client=HERE)
    assert model.shards_["classes"].tolist() == [[1, 2], [2, 0]]


def test_bytes_are_those_of_the_parts_of_files(table, tmp_path):
    path = tmp_path / "a.parquet"
    table.to_parquet(path, index=False, row_group_size=len(table) // 6)
    model = DaskPerceptron(shards=3, shuffle=False, **FIXED)
    model.fit(str(path), target="kind", client=HERE)
    size = path.stat().st_size
    assert size - 3 <= model.shards_["bytes"].sum() <= size
    assert (model.shards_["bytes"] > 0.2 * size).all()
    model.fit(path.as_uri(), target="kind", client=HERE)
    assert size - 3 <= model.shards_["bytes"].sum() <= size
    model.set_params(shards=None).fit(path.as_uri(), target="kind", client=HERE)
    assert model.shards_["bytes"].tolist() == [size]


def test_rows_in_random_order_are_warned_of_rarely():
    rng, names = np.random.default_rng(0), [f"s{i}" for i in range(20)]
    shares = np.array([0.6, 0.3, 0.09, 0.01])
    for _ in range(200):
        assert differences(names, reports(*rng.multinomial(300, shares, 20))) is None


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ([[500, 500], [500, 500]], None),
        ([[560, 440], [440, 560]], None),  # 6 % are few
        ([[700, 300], [300, 700]], r"classes of 2 of 2 shards differ .* in s0 \(by 20 %"),
        ([[7, 3], [3, 7]], None),  # by chance
        ([[980, 20], [1000, 0]], r"of 1 of 2 shards differ .* most in s1 \(by 1 %"),
        ([[999, 1], [1000, 0]], None),
        ([[50, 50], [50, 50], [130, 130]], r"^s2 has 260 rows, and the median shard 100\.$"),
        ([[50, 50], [50, 50], [0, 0]], None),  # no rows
        ([[990, 10]], None),
    ],
)
def test_shards_differ_if_chance_does_not_explain_it(classes, expected):
    found = differences([f"s{i}" for i in range(len(classes))], reports(*classes))
    if expected is None:
        assert found is None
    else:
        assert re.search(expected, found), found


def test_a_file_in_the_order_of_its_classes_is_warned_of_and_dealt(path, in_order):
    X, y = in_order
    model = DaskPerceptron(shards=4, shuffle=False, output="average", **FIXED)
    with pytest.warns(ShardsDifferWarning, match=r"4 of 4 shards differ .*: interleave=True"):
        model.fit(path, client=HERE)
    dealt = DaskPerceptron(shards=4, shuffle=False, output="average", interleave=True, **FIXED).fit(
        path, client=HERE
    )
    assert dealt.shards_["rows"].sum() == len(y)
    np.testing.assert_array_equal(dealt.shards_["classes"].sum(axis=0), np.bincount(y))
    assert (dealt.shards_["classes"] > 30).all()
    assert dealt.to_local().score(X, y) > model.to_local().score(X, y) + 0.02


def test_interleaved_shards_that_differ_are_not_told_to_interleave(tmp_path):
    pieces = ["0 1:1\n" * 50, "1 1:1\n" * 50] * 32  # dealt in turn, each shard has one class
    (tmp_path / "a.svm").write_text("".join(pieces))
    model = DaskPerceptron(shards=2, shuffle=False, interleave=True, **FIXED)
    with pytest.warns(ShardsDifferWarning, match="2 of 2 shards differ") as caught:
        model.fit(tmp_path / "a.svm", client=HERE)
    said = str(caught[0].message)
    assert "pieces that were dealt differ, too" in said
    assert "interleave=True" not in said


def test_interleaved_collections_have_the_bits_of_shards(client, in_order):
    X, y = in_order
    order = np.concatenate([np.arange(s, len(y), 5) for s in range(5)])
    expected = Perceptron(shards=5, **FIXED).fit(X[order], y[order])
    arrays = da.from_array(X, chunks=(400, 64)), da.from_array(y, chunks=400)
    model = DaskPerceptron(interleave=True, **FIXED)
    assert_same_bits(model.fit(*arrays), expected)  # five blocks
    table = pd.DataFrame(X, columns=[f"pixel{j}" for j in range(64)]).assign(kind=y)
    frame = dd.from_pandas(table, npartitions=3)
    model.set_params(shards=5).fit(frame.drop(columns="kind"), frame["kind"])
    assert_same_bits(model, expected)


def test_interleaved_batches_are_dealt(client, digits):
    X, y = digits
    batches = [dask.delayed((X[i : i + 100], y[i : i + 100])) for i in range(0, 1700, 100)]
    model = DaskPerceptron(shards=2, interleave=True, **FIXED).fit(batches)
    assert model.shards_["shard"].tolist() == ["batches 0 … 16", "batches 1 … 15"]
    assert model.shards_["rows"].tolist() == [900, 800]


def test_files_that_cannot_be_dealt_are_refused(table, tmp_path):
    for name in "abc":
        table.to_parquet(tmp_path / f"{name}.parquet", index=False)
    names = [tmp_path / f"{name}.parquet" for name in "abc"]
    with pytest.raises(ValueError, match=r"3 files cannot be cut into enough pieces for 3 shards"):
        DaskPerceptron(interleave=True, **FIXED).fit(names, target="kind", client=HERE)


def test_a_checkpoint_of_other_shards_is_refused(path, tmp_path):
    model = DaskPerceptron(shards=2, shuffle=False, interleave=True, **FIXED)
    model.fit(path, client=HERE, checkpoint=tmp_path / "checkpoint")
    with pytest.raises(
        ValueError, match="made with interleave=True, this fit has interleave=False"
    ):
        model.set_params(interleave=False).fit(
            path, client=HERE, checkpoint=tmp_path / "checkpoint"
        )


def test_verbose_prints_a_line_for_each_epoch(folder, capsys):
    DaskPerceptron(verbose=1, **FIXED).fit(str(folder / "*.svm"), client=HERE)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("epoch 1: error ")
    assert " (95 % interval " in first
    assert " of 1,797 rows, " in first
    assert second.startswith("epoch 2: error ")
    assert "interval" not in second
    assert second.endswith(" s, 1 worker")
