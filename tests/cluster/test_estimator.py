"""A fit on a cluster is that of ``Perceptron(shards=k)``, to the last bit, whatever the input."""

import warnings
from itertools import pairwise, product

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from cluster_bits import assert_same_bits
from sklearn.base import clone

import rosenblatt
from rosenblatt import Perceptron, rules
from rosenblatt.dask import DaskPerceptron
from rosenblatt.streams import DataError, open_stream

K = 3
FIXED = {"tol": None}


@pytest.fixture
def arrays(digits):
    X, y = digits
    return da.from_array(X, chunks=(600, 32)), da.from_array(y, chunks=600)


def local(X, y, epochs=2, **params):
    return Perceptron(shards=K, max_iter=epochs, **FIXED | params).fit(X, y)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"output": "average", "penalty": "l2"},
        {"rule": "arow"},
        {"rule": rules.PA1(C=0.1), "multi_class": "joint", "output": "average"},
        {"class_weight": "balanced", "shuffle": False},
        {"rule": "sop", "random_state": 3},
        {"probabilities": True, "output": "average"},
    ],
    ids=str,
)
def test_arrays_give_the_bits_of_shards(processes, arrays, digits, params):
    model = DaskPerceptron(max_iter=2, shards=K, **FIXED, **params).fit(*arrays)
    assert_same_bits(model, local(*digits, **params))


def test_shares_by_errors_are_other_weights(client, arrays, digits):
    model = DaskPerceptron(max_iter=3, shards=K, mixing="errors", **FIXED).fit(*arrays)
    assert not np.array_equal(model.coef_, local(*digits).coef_)
    assert model.score(*arrays) > 0.9


def test_the_stopping_test_is_that_of_a_fit_here(client, digits):
    X, y = digits[0], digits[1] == 0
    rows, labels = da.from_array(X), da.from_array(y)
    model = DaskPerceptron(max_iter=60, shards=2).fit(rows, labels)
    assert model.n_iter_ < 60
    assert_same_bits(model, Perceptron(max_iter=60, shards=2).fit(X, y))
    model = DaskPerceptron(max_iter=60, shards=2, tol=None).fit(rows[:99], labels[:99])
    assert model.converged_
    assert_same_bits(model, Perceptron(max_iter=60, shards=2, tol=None).fit(X[:99], y[:99]))


def test_frames_give_the_bits_of_shards_and_keep_their_columns(processes, digits):
    X, y = digits
    table = pd.DataFrame(X, columns=[f"pixel{j}" for j in range(64)]).assign(kind=y)
    frame = dd.from_pandas(table, npartitions=4)
    columns = frame.drop(columns="kind")
    model = DaskPerceptron(max_iter=2, shards=K, **FIXED).fit(columns, frame["kind"])
    assert_same_bits(model, local(X, y))
    assert model.feature_names_in_[63] == "pixel63"
    np.testing.assert_array_equal(
        model.predict(columns).compute(), model.to_local().predict(table.iloc[:, :64])
    )
    with pytest.raises(ValueError, match="columns must be those of the fit"):
        model.predict(columns[columns.columns[::-1]])
    by_partition = DaskPerceptron(max_iter=1, **FIXED).fit(columns, frame["kind"])
    assert by_partition.to_local().shards == 4


def test_delayed_batches_give_the_bits_of_shards(processes, digits, parts):
    X, y = digits
    batches = [dask.delayed((sp.csr_array(X[part]), y[part])) for part in parts]
    model = DaskPerceptron(max_iter=2, **FIXED).fit(batches)
    assert_same_bits(model, local(sp.csr_array(X), y))
    pairs = DaskPerceptron(max_iter=1, shards=2, **FIXED).fit(batches)
    assert pairs.to_local().shards == 2
    assert pairs.t_ == len(y) + 1
    (first, *_), expected = dask.compute(*model.predict(batches)), model.to_local().predict(X)
    np.testing.assert_array_equal(first, expected[parts[0]])


@pytest.mark.parametrize("shuffle", [True, False])
def test_files_and_ranges_give_the_bits_of_shards(
    processes, folder, lines, parts, tmp_path, shuffle
):
    pattern = str(folder / "*.svm")
    expected = local(*open_stream(pattern).read(), shuffle=shuffle)
    model = DaskPerceptron(max_iter=2, shuffle=shuffle, **FIXED)
    assert_same_bits(model.fit(pattern, batch_bytes=3000), expected)

    text = tmp_path / "all.text"
    text.write_text("".join(lines))
    cuts = np.cumsum([0, *(sum(len(lines[i]) for i in part) for part in parts)]).tolist()
    ranges = [f"{text}#bytes={a}-{b}" for a, b in pairwise(cuts)]
    assert_same_bits(clone(model).fit(ranges), expected)


def test_files_are_cut_into_shards_and_scored(client, folder, digits):
    model = DaskPerceptron(max_iter=2, shards=7, **FIXED).fit(str(folder / "*.svm"))
    assert model.to_local().shards == 7
    assert model.t_ == 2 * len(digits[1]) + 1
    score = model.score(str(folder / "*.svm"))
    assert score == pytest.approx(model.to_local().score(*digits))


def test_one_pass_needs_no_survey_and_hashes(client, tmp_path):
    for s in range(3):
        rows = (f"{i % 2} |words w{i % 7} v{i % 5} z{i % 2}\n" for i in range(s, 200))
        (tmp_path / f"{s}.vw").write_text("".join(rows))
    sources = [tmp_path / f"{s}.vw" for s in range(3)]
    model = DaskPerceptron(max_iter=1, shuffle=False, **FIXED)
    model.fit(sources, classes=[0, 1], bits=10)
    assert model.n_features_in_ == 1024
    assert model.score(sources, bits=10) > 0.95
    assert_same_bits(clone(model).fit(sources, bits=10), model)


def test_predictions_are_lazy_and_equal(client, arrays, digits):
    X, y = digits
    model = DaskPerceptron(max_iter=3, shards=K, **FIXED).fit(*arrays)
    here = model.to_local()
    labels, scores = model.predict(arrays[0]), model.decision_function(arrays[0])
    assert isinstance(labels, da.Array)
    assert scores.chunks == ((600, 600, 597), (10,))
    np.testing.assert_array_equal(labels.compute(), here.predict(X))
    np.testing.assert_array_equal(scores.compute(), here.decision_function(X))
    np.testing.assert_array_equal(model.predict(X), here.predict(X))
    weight = da.from_array(np.arange(len(y)) + 0.0, chunks=600)
    assert model.score(*arrays) == here.score(X, y)
    expected = here.score(X, y, sample_weight=np.arange(len(y)))
    assert model.score(*arrays, sample_weight=weight) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("of", [lambda model: model, DaskPerceptron.to_local])
def test_a_model_is_saved_and_learns_on(client, arrays, digits, path, of):
    X, y = digits
    model = DaskPerceptron(max_iter=2, shards=K, **FIXED).fit(*arrays)
    rosenblatt.save(of(model), path)
    rosenblatt.export(of(model), f"{path}.json")
    loaded = rosenblatt.load(path)
    assert_same_bits(loaded, model)
    assert loaded.partial_fit(X[:10], y[:10]).t_ == model.t_ + 10


def test_a_warm_start_continues(client, arrays, digits):
    model = DaskPerceptron(max_iter=1, shards=K, shuffle=False, warm_start=True, **FIXED)
    for _ in range(2):
        model.fit(*arrays)
    expected = local(*digits, shuffle=False)
    assert model.coef_.tobytes() == expected.coef_.tobytes()


def test_float32_rows_give_float32_weights(client, digits):
    X, y = digits[0].astype("f4"), digits[1]
    model = DaskPerceptron(max_iter=2, shards=K, **FIXED).fit(da.from_array(X), da.from_array(y))
    assert model.coef_.dtype == np.float32
    assert_same_bits(model, local(X, y, 2))


def test_rows_of_no_weight_and_weights(client, digits):
    X, y = digits
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 2.0)
    model = DaskPerceptron(max_iter=2, shards=K, **FIXED)
    model.fit(da.from_array(X), da.from_array(y), sample_weight=da.from_array(weight))
    expected = Perceptron(shards=K, max_iter=2, **FIXED).fit(X, y, sample_weight=weight)
    assert_same_bits(model, expected)


@pytest.mark.parametrize("name", ["max_iter", "shards", "mixing", "output", "eta0"])
def test_parameters_out_of_range_are_named(client, arrays, name):
    wrong = {"max_iter": 0, "shards": 0, "mixing": "median", "output": "pocket", "eta0": -1.0}
    with pytest.raises(ValueError, match=name):
        DaskPerceptron(**{name: wrong[name]}).fit(*arrays)
    with pytest.raises(ValueError, match=name):
        DaskPerceptron(**{name: wrong[name]}).partial_fit(*arrays)


def test_wrong_rows_are_refused(client, arrays, folder):
    model = DaskPerceptron(max_iter=1)
    for arguments, message in (
        ((arrays[0],), "y is missing"),
        ((arrays[0], arrays[1][:100]), "inconsistent numbers of samples"),
        ((arrays[0][0], arrays[1]), "Expected 2D array"),
        ((str(folder / "*.svm"), arrays[1]), "y and sample_weight go with"),
        ((str(folder / "*.txt"),), "no file matches"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(*arguments)
    batch = dask.delayed((np.eye(2), [0, 1]))
    future = client.submit(tuple, [np.eye(2), [0, 1]])
    for rows, message in (
        ((np.eye(2), None), r"rosenblatt\.Perceptron"),
        ((np.eye(2), [0, 1]), r"rosenblatt\.Perceptron"),
        ((pd.DataFrame(np.eye(2)), pd.Series([0, 1])), r"rosenblatt\.Perceptron"),
        ((batch,), "give a list of them, each a tuple"),
        ((future,), r"\[dask\.delayed\(future\) for future in futures\]"),
        (([future],), r"\[dask\.delayed\(future\) for future in futures\]"),
    ):
        with pytest.raises(TypeError, match=message):
            model.fit(*rows)
    with pytest.raises(ValueError, match=r"a delayed batch is a tuple \(X, y\)"):
        model.fit([batch], [batch])
    assert DaskPerceptron(max_iter=1, tol=None).fit([dask.delayed(future)]).t_ == 3
    with pytest.raises(ValueError, match="at most the 1,797 rows"):
        DaskPerceptron(shards=2000).fit(*arrays)
    assert not hasattr(model, "coef_")


def test_an_error_of_a_delayed_batch_names_it(client, digits):
    def load(i):
        if i == 2:
            raise OSError("the store is down")
        return digits

    known = {"classes": range(10), "n_features": 64}  # so that the first round meets it
    for shuffle, options in product((True, False), ({}, known)):
        with pytest.raises(OSError, match="the store is down") as caught:
            DaskPerceptron(shuffle=shuffle).fit(
                [dask.delayed(load)(i) for i in range(4)], **options
            )
        assert caught.value.__notes__ == ["It was raised by batch 2."]


def test_a_delayed_batch_is_a_tuple_whose_rows_may_be_a_list(client):
    rows, labels = [[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]], [0, 1, 0]
    fits = [
        DaskPerceptron(max_iter=2, **FIXED).fit([dask.delayed((X, labels))])
        for X in (rows, np.array(rows))
    ]
    assert_same_bits(*fits)
    for batch, got in (
        ((rows,), "a tuple of 1 part"),
        ((rows, labels, None, None), "a tuple of 4 parts"),
        (np.array(rows), "a ndarray"),
        ([np.array(rows), labels], "a ndarray"),
    ):
        with pytest.raises(DataError, match=rf"batch 0: .* \(X, y, weight\); got {got}\."):
            DaskPerceptron(max_iter=2).fit([dask.delayed(batch)])


def test_a_checkpoint_of_more_epochs_says_how_many(client, arrays, tmp_path):
    path = tmp_path / "fit.checkpoint"
    DaskPerceptron(max_iter=3, **FIXED).fit(*arrays, checkpoint=path)
    with pytest.warns(UserWarning, match=r"nothing is learned\. It learned 3 epochs\."):
        model = DaskPerceptron(max_iter=2, **FIXED).fit(*arrays, checkpoint=path)
    assert model.n_iter_ == 3


def test_labels_that_are_no_classes_are_named_with_their_shard(client, folder):
    with pytest.raises(DataError, match=r"part-\d\.svm: y has the label \d, which is none"):
        DaskPerceptron(max_iter=1).fit(str(folder / "*.svm"), classes=[0, 1, 2], n_features=64)


def test_a_fit_that_did_not_converge_warns_as_here(client, arrays):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        DaskPerceptron(max_iter=1, shards=2).fit(*arrays)
    messages = [str(one.message) for one in caught]
    assert any("stopped after 1 epoch (max_iter)" in message for message in messages)


def test_the_former_name_of_max_iter_warns(client, arrays):
    with pytest.warns(FutureWarning, match=r"epochs is now called max_iter"):
        model = DaskPerceptron(epochs=2, shards=2, tol=None).fit(*arrays)
    assert_same_bits(model, DaskPerceptron(max_iter=2, shards=2, tol=None).fit(*arrays))
