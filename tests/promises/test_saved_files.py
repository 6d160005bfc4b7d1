"""Files that version 0.1.0 wrote: models, proofs, converted rows, stopped runs, a recorded run.

The store of a service, with each kind of record, and what it shipped are of 0.1.0, too.
"""

import json
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest
from service_runs import learn_rows, run_service
from shipped import rows_of

import rosenblatt
from rosenblatt import OnlinePerceptron, models, streams, textbook
from rosenblatt.serve.shipping.restore import restore
from rosenblatt.serve.shipping.target import Target

FOLDER = Path(__file__).with_name("saved_by_0_1")
NAMES = np.array(["ant", "bee", "cat"])
MODELS = [
    "binary",
    "classes-averaged",
    "joint-pocket",
    "passive-aggressive",
    "penalty",
    "rule",
    "expansion",
    "regression",
    "kernel",
    "kernel-averaged",
    "budget",
    "rbf",
    "voted",
    "precomputed",
    "online",
]
RUNS = {
    "text": ["train", "rows-*.svm", "--average", "--epochs", "3"],
    "table": ["train", "table.csv", "--target", "kind", "--epochs", "3", "--shuffle"],
    "kernel": ["train", "rows-*.svm", "--kernel", "poly", "--budget", "8", "--epochs", "3"],
}

VERSIONS = (32, 9)
"""Version and examples of the model "m" of the store."""
HEAD = "d74a83a7ea61e77437910f3f7ffe1744b7315e2cc7fb4fb8fd932806859e6a2e"
SCORES = {"c0": -0.033047782218541766, "c1": -0.6793222488285997, "c2": -0.8441902015220282}
"""Of a row that it did not learn, to the last bit."""


def rows(first=0, n=40):
    """Eighths of whole numbers, of which every sum and product is exact, and three classes."""
    i, j = np.arange(first, first + n)[:, np.newaxis], np.arange(4)
    X = ((7 * i + 13 * j + i * i * (j + 1) + i * j // 3) % 37 - 18) / 8.0
    return X, (X[:, 0] > 0.5).astype(int) + (X[:, 1] + X[:, 2] > 0.5)


def inputs(name, X):
    """Rows as the model of that name takes them."""
    if name == "online":
        keys = ("length", "width", "colour=red", "⌀")
        return [{k: v for k, v in zip(keys, x, strict=True) if v} for x in X.tolist()]
    if name == "joint-pocket":
        pandas = pytest.importorskip("pandas")
        return pandas.DataFrame(X, columns=["length", "width", "depth", "⌀"])
    if name == "precomputed":
        return (X @ rows()[0].T + 1.0) ** 2
    return X


def bits_of(name, model):
    """Scores and predictions of rows that were not learned, and the counters, exactly."""
    X = inputs(name, rows(100, 12)[0])
    if isinstance(model, OnlinePerceptron):
        scores = [[x[k] for k in model.classes_] for x in map(model.score_one, X)]
        predictions = model.predict_many(X)
    else:
        scores = getattr(model, "decision_function", model.predict)(X).tolist()
        predictions = model.predict(X)
    counts = [float(model.t_), int(model.updates_)]
    if name == "regression":
        predictions = []
    else:
        counts += [int(model.mistakes_), int(model.errors_)]
    return {
        "scores": [score.hex() for score in np.ravel(scores).tolist()],
        "predictions": list(map(str, predictions)),
        "counts": counts,
    }


def learn_more(name, model):
    """The model after 15 more rows; None for a kernel matrix, which takes no new rows."""
    X, y = rows(40, 15)
    if name == "precomputed":
        return None
    if name == "online":
        return model.learn_many(inputs(name, X), NAMES[y].tolist())
    if name == "regression":
        return model.partial_fit(X, X @ [1.0, -2.0, 0.5, 3.0])
    if name == "rule":
        X = X.astype(np.float32)
    if model.classes_.dtype == bool:
        return model.partial_fit(inputs(name, X), y > 0)
    return model.partial_fit(inputs(name, X), NAMES[y])


def assert_same(name, ours, theirs):
    """Equal to the bit; scores of exponentials equal to rounding."""
    if name == "rbf":
        ours, theirs = dict(ours), dict(theirs)
        scores = [[float.fromhex(text) for text in bits.pop("scores")] for bits in (ours, theirs)]
        assert scores[0] == pytest.approx(scores[1], rel=1e-12)
    assert ours == theirs


@pytest.fixture(scope="module")
def expected():
    return json.loads((FOLDER / "expected.json").read_text())


@pytest.mark.parametrize("name", MODELS)
def test_a_model_predicts_and_learns_on(name, expected):
    path = FOLDER / f"{name}.model"
    model = rosenblatt.load(path)
    assert type(model).__name__ == expected[name]["class"]
    assert models.describe(path)["notes"] == {"written by": "0.1.0"}
    assert_same(name, bits_of(name, model), expected[name]["loaded"])
    again = learn_more(name, model)
    assert (again is None) == ("went on" not in expected[name])
    if again is not None:
        assert_same(name, bits_of(name, again), expected[name]["went on"])


def test_every_model_is_listed(expected):
    assert sorted(expected) == sorted(MODELS)
    assert sorted(expected) == sorted(
        path.stem
        for path in FOLDER.glob("*.model")
        if not path.stem.endswith(("stopped", "finished"))
    )


def test_the_parameters_come_back():
    model = rosenblatt.load(FOLDER / "rule.model")
    assert model.rule == rosenblatt.rules.Relaxation(eta=0.5, beta=2.0)
    assert rosenblatt.load(FOLDER / "kernel-averaged.model").kernel == (
        rosenblatt.kernels.Polynomial(2, 1.0, 1.0)
    )
    pocket = rosenblatt.load(FOLDER / "joint-pocket.model")
    assert pocket.feature_names_in_.tolist() == ["length", "width", "depth", "⌀"]
    assert isinstance(pocket.random_state, np.random.RandomState)
    weight = {"ant": 0.5, "bee": 1.0, "cat": 2.0}
    assert rosenblatt.load(FOLDER / "classes-averaged.model").class_weight == weight


@pytest.mark.parametrize("name", ["separable", "inseparable", "quasi-separable", "several-classes"])
def test_a_proof_holds(name, call):
    proof = rosenblatt.Certificate.load(FOLDER / f"{name}.json")
    assert proof.status == ("inseparable" if name == "several-classes" else name)
    data, file = FOLDER / f"{name}.csv", FOLDER / f"{name}.json"
    status, out, _ = call("verify", file, data, "--json")
    assert (status, json.loads(out)["verified"]) == (0, True)


def test_converted_rows_are_those_of_their_source():
    pytest.importorskip("pyarrow")
    arrow = list(streams.open_stream(str(FOLDER / "table.arrow")))
    table = list(streams.open_stream(str(FOLDER / "table.csv"), target="kind"))
    for batches in (arrow, table):
        assert sum(len(batch.y) for batch in batches) == 40
    ours, theirs = (
        [row.tobytes() for batch in batches for row in batch.X.toarray()]
        for batches in (arrow, table)
    )
    assert ours == theirs
    assert [str(k) for b in arrow for k in b.y] == [str(k) for b in table for k in b.y]


@pytest.mark.parametrize("name", RUNS)
def test_a_stopped_run_goes_on_to_the_same_model(name, call, tmp_path, monkeypatch):
    for file in ("rows-1.svm", "rows-2.svm", "rows-3.svm", "table.csv"):
        shutil.copy(FOLDER / file, tmp_path)
    shutil.copy(FOLDER / f"{name}-stopped.model", tmp_path / "m")
    monkeypatch.chdir(tmp_path)
    assert models.describe("m")["notes"]["interrupted"]
    status, _, err = call(*RUNS[name], "-m", "m", "-q", "--resume")
    assert status == 0, err
    ours, theirs = models.describe("m"), models.describe(FOLDER / f"{name}-finished.model")
    for about in (ours, theirs):
        for key in ("rosenblatt", "seal", "bytes"):
            del about[key]
    ours["notes"]["run"].pop("errors_before_epoch")  # 0.1 did not count them
    ours["notes"].pop("data_bytes")  # nor note the size of the data
    assert ours == theirs


def test_a_recorded_run_is_read():
    text = (FOLDER / "trace.json").read_text()
    run = textbook.Trace.from_json(text)
    assert json.loads(run.to_json()) == json.loads(text)
    X, y = rows()
    again = textbook.perceptron(X[:8], np.where(y[:8] > 0, 1, -1), 0.5, max_epochs=3)
    assert run.to_json() == again.to_json()


def test_an_audit_is_verified(call):
    status, out, _ = call("verify", FOLDER / "audit.json", "--json")
    assert (status, json.loads(out)["verified"]) == (0, True)


def test_a_store_and_what_it_shipped_go_on(tmp_path):
    with tarfile.open(FOLDER / "store.tar.gz") as archive:
        newer = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # not in 3.11.2
        archive.extractall(tmp_path, **newer)
    (tmp_path / "restored").mkdir()
    restore(tmp_path / "restored", Target(str(tmp_path / "target")))
    rows = rows_of(tmp_path / "restored")
    assert all(rows.values())
    assert rows == rows_of(tmp_path / "store")

    async def go_on(service, model):
        assert (model.live.version, model.live.examples) == VERSIONS
        assert model.log(service.reader).head(model.live.version) == HEAD
        assert model.live.model.score_one({"x": 2.5, "f1": 1.0}) == SCORES
        (learned,) = await learn_rows(service, model, [({"x": 1.0}, "c0", 1.0)])
        assert learned.version == VERSIONS[0] + 1

    for folder in ("store", "restored"):
        run_service(tmp_path / folder, go_on)
