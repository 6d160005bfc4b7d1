"""``--scale`` of the command, and the note on columns of very different sizes."""

import json
import lzma
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from adult_table import write_adult_table
from real_data import real_data
from sklearn.datasets import load_wine

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.cli.training.column_scales import ColumnScales
from rosenblatt.models import describe
from rosenblatt.streams import open_stream

NOTE = "so the learner hardly sees the others: --scale evens them out."
ADULT = ["train", "adult.csv", "--target", "income", "-m", "m"]


@pytest.fixture
def adult(folder):
    write_adult_table(Path("adult.csv"), 3000)
    write_adult_table(Path("test.csv"), 3000, seed=1)


def error_of(call, model, data="test.csv"):
    return json.loads(call("evaluate", model, data, "--json", "-q")[1])["error"]


def test_one_option_makes_a_table_as_it_is_learnable(adult, call):
    run = [*ADULT, "--average", "--epochs", 5]
    status, _, err = call(*run)
    screen = " ".join(err.split())
    assert status == 0
    assert "note: adult.csv: fnlwgt, capital-gain, capital-loss and 2 more are over 20" in screen
    assert NOTE in screen
    before = error_of(call, "m")
    status, _, err = call(*run, "--scale")
    assert status == 0
    assert NOTE not in err
    assert "scaled yes, while learning" in " ".join(err.split())
    assert error_of(call, "m") < min(before - 0.02, 0.175)
    assert "scaled yes" in " ".join(call("inspect", "m")[1].split())
    assert json.loads(call("inspect", "m", "--json")[1])["params"]["scale"] is True


def test_two_columns_that_differ_by_a_thousand_are_named(folder, call):
    rng = np.random.default_rng(0)
    columns = rng.normal(2800, 400, 200), rng.uniform(0, 360, 200), rng.random(200) < 0.5
    lines = [
        f"{h:.0f},{a:.0f},{int(f)},{'y' if h > 2800 else 'n'}"
        for h, a, f in zip(*columns, strict=True)
    ]
    Path("units.csv").write_text("\n".join(["height,angle,flag,label", *lines]) + "\n")
    note = "height is over 1,000 times as large as flag, and decides what is learned"
    for command in (["train", "units.csv", "-m", "m"], ["validate", "units.csv"]):
        for rule in ("perceptron", "arow"):
            err = call(*command, "--rule", rule)[2]
            assert note in " ".join(err.split())
        assert note not in " ".join(call(*command, "--scale")[2].split())
    Path("words.txt").write_text("y | a:5000 b:0.001\nn | a:4000 c:0.001\n")
    assert "times as large" not in call("train", "words.txt", "--format", "vw", "-m", "m")[2]


def test_inspect_ranks_by_the_effect_of_a_scaled_column(adult, call):
    call(*ADULT, "--scale", "--average", "-q")
    call(*ADULT[:-1], "plain", "--average", "-q")
    out = call("inspect", "m", "--top", 3)[1]
    assert "effect = weight × standard deviation of the column; in brackets the weight" in out
    shown = out.split("in brackets the weight")[1]
    assert re.search(r"capital-gain +\+[0-9.]+ +\(\+[0-9.e-]+\) +▇", shown)
    record = json.loads(call("inspect", "m", "--json", "--top", 3)[1])
    (sides,) = record["effects"].values()
    model = rosenblatt.load("m").classifier
    names = model.feature_names_in_.tolist()
    X, _ = open_stream("adult.csv", target="income").read()
    effects = model.coef_[0] * X.toarray().std(axis=0)  # of numbers and categories alike
    expected = [names[j] for j in np.argsort(-effects)[:3]]
    assert [name for name, _, _ in sides["positive"]] == expected
    for name, effect, weight in sides["positive"] + sides["negative"]:
        assert weight == model.coef_[0, names.index(name)]
        assert effect == pytest.approx(effects[names.index(name)])
    call("inspect", "m", "--csv", "w.csv")
    table = pd.read_csv("w.csv", keep_default_na=False)
    assert table.columns.tolist() == ["feature", "class", "weight", "effect"]
    assert table["effect"][0] == ""
    sizes = table["effect"][1:].astype(float).abs()
    assert sizes.is_monotonic_decreasing
    assert sizes.iloc[0] == pytest.approx(np.abs(effects).max())
    assert call("inspect", "m", "--csv", "w.csv")[0] == 0  # replaced
    assert json.loads(call("inspect", "plain", "--json")[1])["effects"] is None
    assert "effect" not in call("inspect", "plain", "--csv")[1] + call("inspect", "plain")[1]


def test_inspect_shows_the_effects_of_several_classes(folder, call):
    call("train", "sklearn:wine", "-m", "m", "--scale", "-q")
    out = call("inspect", "m", "--top", 2)[1]
    title = "Features of the largest effects effect = weight × standard deviation of the column"
    assert title in " ".join(out.split())
    assert re.search(r"class_0 +proline", out)


@pytest.fixture
def patients(folder):
    """Tables ``v.csv`` and ``test.csv``: numbers far from zero beside a category."""
    random = np.random.default_rng(0)
    for name in ("v.csv", "test.csv"):
        temperature, pressure = random.normal(37, 1, 1000), random.normal(120, 15, 1000)
        smoker = random.random(1000) < 0.4
        score = (temperature - 37) * 1.2 + (pressure - 120) / 15 + smoker - 0.4
        rows = zip(temperature, pressure, smoker, score > 0.0, strict=True)
        lines = [
            f"{t:.1f},{p:.0f},{'yes' if s else 'no'},{'ill' if y else 'well'}"
            for t, p, s, y in rows
        ]
        Path(name).write_text("\n".join(["temperature,pressure,smoker,state", *lines]) + "\n")


def test_numbers_beside_categories_are_centred(patients, call):
    assert call("convert", "v.csv", "dense.csv", "-q")[0] == 0
    assert call("convert", "test.csv", "dense_test.csv", "-q")[0] == 0
    run = ["--scale", "--average", "-q"]
    assert call("train", "v.csv", "-m", "m", *run)[0] == 0
    assert call("train", "dense.csv", "-m", "dense", *run)[0] == 0
    assert error_of(call, "m") <= error_of(call, "dense", "dense_test.csv") + 0.01
    assert error_of(call, "m") < 0.05
    assert call("train", "v.csv", "-m", "hashed", "--bits", 8, *run)[0] == 0
    assert error_of(call, "hashed") < 0.05
    errors = json.loads(call("validate", "v.csv", "--scale", "--json", "-q")[1])["errors"]
    assert call("train", "v.csv", "-m", "last", "--scale", "-q")[0] == 0
    assert errors == rosenblatt.load("last").errors_


def test_the_model_is_that_of_the_estimator(folder, call):
    assert call("train", "sklearn:wine", "-m", "m", "--scale", "--epochs", 2, "-q")[0] == 0
    X, y = load_wine(return_X_y=True)
    names = load_wine().target_names[y]
    same = Perceptron(scale=True, shuffle=False).partial_fit(X, names).partial_fit(X, names)
    model = rosenblatt.load("m")
    assert model.coef_.tobytes() == same.coef_.tobytes()
    assert model.intercept_.tobytes() == same.intercept_.tobytes()
    predicted = call("predict", "m", "sklearn:wine", "-q")[1].split()
    assert predicted == same.predict(X).tolist()


def test_a_certificate_is_of_the_data_whatever_the_scale(folder, call):
    run = ["train", "four.svm", "-m", "m", "--certify", "--json", "-q"]
    scaled, plain = (json.loads(call(*run, *more)[1]) for more in (["--scale"], []))
    for record in (scaled, plain):
        del record["certificate"]["seconds"]
    assert scaled["certificate"] == plain["certificate"]
    assert scaled["certificate"]["status"] == "separable"


def test_the_report_states_no_bound_for_scaled_features(folder, call):
    run = ["train", "four.svm", "-m", "m", "--certify", "-q", "--report", "r.html"]
    assert call(*run, "--scale")[0] == 0
    assert "the learner saw scaled features" in Path("r.html").read_text()
    assert call(*run)[0] == 0
    assert "the learner saw scaled features" not in Path("r.html").read_text()


def test_validate_scales_and_notes(adult, call):
    run = ["validate", "adult.csv", "--target", "income", "--rule", "perceptron"]
    plain, scaled = call(*run, "--json"), call(*run, "--json", "--scale")
    assert NOTE in plain[2]
    assert NOTE not in scaled[2]
    assert json.loads(scaled[1])["error"] < json.loads(plain[1])["error"] - 0.05
    assert call(*run, "-q")[2] == ""


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--kernel", "rbf"], "--scale is for the linear learner: scale the columns before"),
        (["--vote"], "--scale is for the linear learner"),
        (["--expansion"], "--expansion and --scale exclude each other"),
    ],
)
def test_where_it_makes_no_sense_it_is_refused(folder, call, options, problem):
    status, _, err = call("train", "four.svm", "-m", "m", "--scale", *options)
    assert status == 2
    assert problem in " ".join(err.split())


def test_a_resumed_run_keeps_the_scale(folder, call):
    assert call("train", "four.svm", "-m", "m", "--scale", "-q")[0] == 0
    status, _, err = call("train", "four.svm", "-m", "m", "-q", "--resume")
    assert status == 2
    assert "no --scale does not go with --resume: m was trained with --scale" in err
    assert "scale" not in describe_run(call)


def describe_run(call):
    """Options that a run without ``--scale`` notes: those of older versions."""
    assert call("train", "four.svm", "-m", "plain", "-q")[0] == 0
    return describe("plain")["notes"]["run"]["options"]


SILENT = {
    "one-hot": "a1a/a1a.xz",
    "binary": "mushroom/agaricus_train.txt.xz",
    "tf-idf": "rcv1_small/rcv1_small.dat.xz",
    "pixels": "pendigits/pendigits.xz",
}


@pytest.mark.parametrize("kind", SILENT)
def test_the_note_is_silent_where_scaling_does_not_help(kind):
    path = real_data(*SILENT[kind].split("/"))
    format_ = "vw" if kind == "tf-idf" else None
    scales = ColumnScales()
    for batch in open_stream(path, format=format_):
        scales.add(batch.rows)
    assert scales.dominating() == []


def test_texts_have_no_note(folder, call):
    path = real_data("sms_spam", "SMSSpamCollection.xz")
    lines = lzma.decompress(path.read_bytes()).decode().splitlines()[:800]
    rows = [json.dumps(dict(zip(("kind", "text"), line.split("\t", 1), strict=True)))
            for line in lines]  # fmt: skip
    Path("sms.jsonl").write_text("\n".join(rows) + "\n")
    status, _, err = call("train", "sms.jsonl", "--target", "kind", "-m", "m")
    assert (status, NOTE in err) == (0, False)


def test_the_note_speaks_on_spambase(folder, call):
    text = lzma.decompress(real_data("spambase", "spam.data.xz").read_bytes()).decode()
    Path("spam.csv").write_text("\n".join(",".join(line.split()) for line in text.splitlines()))
    status, _, err = call("train", "spam.csv", "--no-header", "-m", "m", "--average")
    assert status == 0
    assert "note: spam.csv: c57, c56 and c55 are over 20 times as large as most columns" in err


def test_sizes_are_those_of_values_that_are_not_zero():
    X = np.zeros((50, 4))
    X[:, 0], X[:25, 1], X[3, 2] = 1.0, 2.0, 1000.0
    for rows in (X, sp.csr_array(X)):
        scales = ColumnScales()
        scales.add(rows[:10, :3])
        scales.add(rows[10:])
        scales.add(rows[:5, :2])  # of the next epoch
        assert scales.dominating() == [2]
    scales = ColumnScales()
    scales.add(np.zeros((3, 2)))
    assert scales.dominating() == []


def test_a_number_that_hides_its_column_is_named(folder, call):
    cells = np.random.default_rng(0).normal(size=200).round(3)
    cells[7] = -999999
    Path("sent.csv").write_text("a,b\n" + "".join(f"{x},{x > 0}\n" for x in cells))
    note = "note: sent.csv: one number of a, 999999 in size, is over 100 times as large"
    for command in (["train", "sent.csv", "-m", "m"], ["validate", "sent.csv"]):
        assert note in call(*command)[2]
        assert note not in call(*command, "--missing=-999999", "--impute", "mean")[2]
        assert "20 times as large" not in call(*command)[2]
