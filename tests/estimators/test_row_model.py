"""RowModel: raw rows in, the same scores as the command, and all of it in one file."""

import json
import pickle
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline
from stream_rows import NEAREST

import rosenblatt
from rosenblatt import (
    Classifier,
    KernelPerceptron,
    PassiveAggressiveClassifier,
    Perceptron,
    RowEncoder,
    RowModel,
    load,
    save,
)
from rosenblatt.models import ModelError, describe, load_estimator
from rosenblatt.serve.encoded.files import read_file
from rosenblatt.streams import DataError, open_stream

TRAIN = "colour,y\nred,stop\ngreen,go\nred,stop\ngreen,go\n"
NEW = "colour,y\ngreen,go\nred,stop\n"
PEOPLE = (
    "age,work,city,pay\n39,private,Oslo,low\n50,own,Rome,high\n38,private,,low\n,own,Bonn,high\n"
    "28,private,Rome,low\n60,own,Oslo,high\n31,state,Bonn,low\n44,state,Rome,high\n"
)


read_csv = partial(pd.read_csv, **NEAREST)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, the current one."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def colours(folder, call):
    Path("a.csv").write_text(TRAIN)
    Path("b.csv").write_text(NEW)
    assert call("train", "a.csv", "-m", "a.rosenblatt", "-q")[0] == 0
    return load("a.rosenblatt")


@pytest.fixture
def people(folder, call):
    Path("people.csv").write_text(PEOPLE)
    options = ["--impute", "mean", "--epochs", "5", "--scale", "-q"]
    assert call("train", "people.csv", "-m", "people.rosenblatt", *options)[0] == 0
    return load("people.rosenblatt")


def predicted(call, model, source):
    """Return the labels of the command, and its scores of two classes."""
    status, out, _ = call("predict", model, source, "--scores", "--json", "-q")
    assert status == 0
    lines = list(map(json.loads, out.splitlines()))
    return [line["prediction"] for line in lines], [line["score"] for line in lines]


# --- the trap ------------------------------------------------------------------------------------


def test_rows_of_another_file_have_the_columns_of_the_model(colours, call):
    rows, y = colours.read("b.csv")
    assert (
        colours.predict(rows).tolist() == y.tolist() == predicted(call, "a.rosenblatt", "b.csv")[0]
    )
    assert colours.score(rows, y) == 1.0
    assert rows.columns == ("colour=red", "colour=green")


def test_a_matrix_read_otherwise_is_refused(colours):
    with pytest.raises(ValueError, match=r"column 0 is 'colour=green'.*model\.read\(FILE\)"):
        colours.predict(open_stream("b.csv").read()[0])
    for bare in (np.eye(2), [[1.0, 0.0]], np.array([[1, 0]])):
        with pytest.raises(ValueError, match="give a DataFrame or dicts with these names"):
            colours.predict(bare)
    with pytest.raises(TypeError, match=r"rows of model\.read\(source\)"):
        colours.predict(sp.csr_array(np.eye(2)))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, "dicts", "one"], ids=str)
def test_raw_rows_are_predicted_by_name(colours, frame):
    columns = {"new": [1, 2, 3], "colour": ["green", "red", "blue"]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if frame == "one":
        assert [colours.predict(row).tolist() for row in rows[:2]] == [["go"], ["stop"]]
        return
    X = rows if frame == "dicts" else frame(columns)
    assert colours.predict(X).tolist()[:2] == ["go", "stop"]


def test_a_missing_column_is_named(colours):
    with pytest.raises(ValueError, match="'colour'"):
        colours.predict(pd.DataFrame({"color": ["red"]}))
    Path("c.csv").write_text("color,y\nred,stop\n")
    with pytest.raises(DataError, match="colour"):
        colours.read("c.csv")


# --- the same scores -----------------------------------------------------------------------------


def test_numbers_categories_and_missing_cells_have_the_bits_of_the_command(people, call):
    labels, scores = predicted(call, "people.rosenblatt", "people.csv")
    frame = read_csv("people.csv")
    for rows in (frame, frame.drop(columns="pay"), people.read("people.csv")[0]):
        assert people.predict(rows).tolist() == labels
        assert people.decision_function(rows).tolist() == scores
    assert [people.decision_function([row])[0] for row in frame.to_dict("records")] == scores


@pytest.mark.parametrize(
    "options", [[], ["--text", "word:1"], ["--text", "char:2-3", "--bits", 12]]
)
def test_texts(folder, call, options):
    assert call("sample", "mail", "-o", "mail.tsv")[0] == 0
    assert call("train", "mail.tsv", "-m", "m", "-q", *options)[0] == 0
    model, frame = load("m"), read_csv("mail.tsv", sep="\t")
    labels, scores = predicted(call, "m", "mail.tsv")
    assert model.predict(frame).tolist() == labels
    assert model.decision_function(model.read("mail.tsv")[0]).tolist() == scores


def test_objects_and_a_folder_of_texts(folder, call):
    rows = [{"n": k, "kind": {"of": "ab"[k % 2]}, "y": "pq"[k % 2]} for k in range(8)]
    Path("a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    call("train", "a.jsonl", "-m", "m", "-q", "--target", "y")
    model = load("m")
    assert model.decision_function(rows).tolist() == predicted(call, "m", "a.jsonl")[1]
    for name, text in (("spam/1", "win now"), ("ham/1", "see you at four")):
        Path("box", name).parent.mkdir(parents=True)
        Path("box", name).write_text(text)
    call("train", "box", "-m", "t", "-q", "--epochs", "3")
    assert load("t").predict(["see you at four", "win now"]).tolist() == ["ham", "spam"]
    why = load("t").explain("win now")
    assert why.label == "spam"
    assert set(why.features["feature"]) == {"win", "now", "win now"}
    assert (why.features["value"] == 1.0).all()
    assert why.features["contribution"].sum() + why.intercept == pytest.approx(why.score)


@pytest.mark.parametrize(
    "options", [["--kernel", "rbf"], ["--average"], ["--rule", "arow"], ["--interactions", "a*c"]]
)
def test_models_of_all_kinds(folder, call, options):
    rng = np.random.default_rng(0)
    rows = [f"{x},{'uvw'[k % 3]},{'ny'[k % 2]}" for k, x in enumerate(rng.normal(size=30))]
    Path("t.csv").write_text("a,c,y\n" + "\n".join(rows) + "\n")
    assert call("train", "t.csv", "-m", "m", "-q", *options)[0] == 0
    model = load("m")
    scores = predicted(call, "m", "t.csv")[1]
    assert model.decision_function(read_csv("t.csv")).tolist() == scores
    assert model.decision_function(model.read("t.csv")[0]).tolist() == scores


def test_arff(folder, call):
    attributes = (
        "@attribute size numeric\n@attribute 'the colour' {red,green}\n@attribute c {a,b}\n"
    )
    rows = [(k, ["red", "green"][k % 3 == 0], "ab"[k % 2]) for k in range(20)]
    lines = "".join(f"{size},{colour},{label}\n" for size, colour, label in rows)
    Path("t.arff").write_text(f"@relation t\n{attributes}@data\n{lines}")
    assert call("train", "t.arff", "-m", "m", "-q")[0] == 0
    model, scores = load("m"), predicted(call, "m", "t.arff")[1]
    objects = [{"the colour": colour, "size": size} for size, colour, _ in rows]
    assert model.decision_function(objects).tolist() == scores
    assert model.decision_function(model.read("t.arff")[0]).tolist() == scores


def test_models_of_numbered_columns_stay_estimators(folder, call):
    Path("a.svm").write_text("1 1:2\n-1 2:1\n1 1:1 2:1\n")
    Path("a.vw").write_text("1 |w a\n-1 |w b\n")
    for source in ("a.svm", "a.vw"):
        call("train", source, "-m", "m", "-q")
        assert type(load("m")) is Perceptron


# --- learning ------------------------------------------------------------------------------------


def test_new_categories_and_labels_are_learned_and_kept(colours, call):
    colours.partial_fit([{"colour": "blue"}] * 3, ["wait"] * 3)
    colours.save("b.rosenblatt")
    again = load("b.rosenblatt")
    assert again.encoder.names_ == ["colour=red", "colour=green", "colour=blue"]
    assert again.classes_.tolist() == ["go", "stop", "wait"]
    assert again.predict([{"colour": "blue"}]).tolist() == ["wait"]
    Path("c.csv").write_text("colour,y\nblue,wait\n")
    out = call("predict", "b.rosenblatt", "c.csv", "-q")[1]
    assert out == "wait\n"
    notes, before = (describe(f"{name}.rosenblatt")["notes"] for name in "ba")
    assert notes["target"] == before["target"] == "y"
    np.testing.assert_array_equal(again.coef_, colours.coef_)


NUMBERS = "x,z,pay\n1,2,low\n3,,high\n,1,low\n5,9,high\n7,,high\n,3,low\n,4,high\n10,1,low\n"


@pytest.mark.parametrize("table", [PEOPLE, NUMBERS], ids=["sparse", "dense"])
@pytest.mark.parametrize("by", ["frame", "read"])
def test_partial_fit_goes_on_as_the_command_does(folder, call, by, table):
    lines = table.splitlines()
    Path("all.csv").write_text(table)
    Path("1.csv").write_text("\n".join(lines[:5]) + "\n")
    Path("2.csv").write_text("\n".join([lines[0], *lines[5:]]) + "\n")
    for name in ("all", "1"):
        call("train", f"{name}.csv", "-m", name, "-q", "--impute", "mean", "--scale")
    model, frame = load("1"), read_csv("2.csv")
    rows = (frame, frame["pay"]) if by == "frame" else model.read("2.csv", grows=True)
    model.partial_fit(*rows)
    expected = load("all")
    assert model.encoder.names_ == expected.encoder.names_
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.intercept_, expected.intercept_)
    assert model.encoder.means_ == expected.encoder.means_
    notes = describe("all")["notes"]
    model.save("went-on")
    later = describe("went-on")["notes"]
    assert (later["totals"], later["means"]) == (notes["totals"], notes["means"])
    assert set(later) <= set(notes) - {"run", "data", "epochs", "interrupted"}


def test_rows_read_before_others_were_learned_are_refused(people):
    first, second = (people.read("people.csv", grows=True) for _ in range(2))
    people.partial_fit(*first)
    scores = people.decision_function(read_csv("people.csv"))
    with pytest.raises(ValueError, match="read these rows again"):
        people.partial_fit(*second)
    assert (people.decision_function(read_csv("people.csv")) == scores).all()


def test_what_was_measured_is_not_said_of_a_model_that_learned_on(people, call):
    frame = read_csv("people.csv")
    people.partial_fit(frame, frame["pay"])
    people.save("later.rosenblatt")
    assert "baseline" not in call("inspect", "later.rosenblatt", "--card")[1]
    people.fit(frame.drop(columns="pay"), frame["work"]).save("other.rosenblatt")
    assert "pay" not in json.dumps(describe("other.rosenblatt")["notes"])


def test_a_failed_partial_fit_changes_nothing(people):
    frame = read_csv("people.csv")
    before = people.decision_function(frame), people.encoder.names_, people.encoder.noted()
    rows = [{"age": 1000.0, "work": "zz", "city": "zz"}]
    for y, weight in (
        (["low", "high"], None), (["low"], [1.0, 2.0]), ([7], None), ([None], None),
        (["low"], [-1.0]), (["low"], -1), (["low"], ["x"]), (["low"], [10**400]),
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            people.partial_fit(rows, y, sample_weight=weight)
    assert (people.decision_function(frame) == before[0]).all()
    assert (people.encoder.names_, people.encoder.noted()) == before[1:]


def test_a_failed_fit_keeps_the_notes(people):
    before = dict(people.notes)
    with pytest.raises(DataError, match="no column 'work'"):
        people.fit([{"age": object()}], ["low"])
    assert people.notes == before != {}
    assert people.read("people.csv")[0].shape[0] == 8


def test_a_negative_weight_is_refused_with_its_row(people):
    frame = read_csv("people.csv")
    weights = [1.0, 0.0, -0.5, *[1.0] * 5]
    message = r"^sample_weight, row 2 \(from 0\): found -0.5, expected a weight: a finite number"
    with pytest.raises(ValueError, match=message):
        people.partial_fit(frame, frame["pay"], sample_weight=weights)
    people.partial_fit(frame, frame["pay"], sample_weight=np.abs(weights))


@pytest.mark.parametrize("options", [["--kernel", "rbf"], ["--expansion"]], ids=str)
@pytest.mark.parametrize("y", [["go", "stop"], [7], [None]], ids=str)
def test_support_rows_forget_columns_of_refused_rows(colours, call, options, y):
    call("train", "a.csv", "-m", "k", "-q", "--epochs", "3", *options)
    model, frame = load("k"), read_csv("a.csv")
    before = model.decision_function(frame)
    with pytest.raises(ValueError, match=r"inconsistent numbers|mixed types|missing labels"):
        model.partial_fit([{"colour": "blue"}], y)
    assert (model.decision_function(frame) == before).all()
    model.partial_fit([{"colour": "blue"}], ["go"]).save("later")
    later = load("later")
    assert later.encoder.names_ == ["colour=red", "colour=green", "colour=blue"]
    assert (later.decision_function(frame) == model.decision_function(frame)).all()


def test_a_thread_predicts_while_another_learns_new_categories(colours):
    faults, done = [], threading.Event()

    def predict():
        while not done.is_set():
            try:
                colours.predict([{"colour": "red"}, {"colour": "blue"}])
            except Exception as error:
                faults.append(error)

    thread = threading.Thread(target=predict)
    thread.start()
    for k in range(200):
        colours.partial_fit([{"colour": f"c{k}"}], ["stop"])
    done.set()
    thread.join()
    assert faults == []
    assert pickle.loads(pickle.dumps(colours)).predict([{"colour": "c7"}]) == ["stop"]


@pytest.mark.parametrize("labels", [object, str])
def test_models_of_pipelines_read_and_learn_files(folder, call, labels):
    Path("people.csv").write_text(PEOPLE)
    frame = read_csv("people.csv")
    pipeline = make_pipeline(RowEncoder(impute="mean"), Perceptron(max_iter=5, tol=None))
    save(pipeline.fit(frame.drop(columns="pay"), np.array(frame["pay"], labels)), "p")
    model = load("p")
    rows, y = model.read("people.csv", target="pay")
    assert model.predict(rows).tolist() == pipeline.predict(frame).tolist()
    model.partial_fit(rows, y)
    assert call("train", "people.csv", "--from", "p", "--target", "pay", "-q")[0] == 0
    assert load("p").classes_.tolist() == ["high", "low"]


# --- pipelines -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("cls", [Pipeline, RowModel])
def test_a_fitted_pipeline_is_saved_to_the_file_of_the_command(folder, call, cls, scale):
    Path("people.csv").write_text(PEOPLE)
    frame = read_csv("people.csv")
    encoder, classifier = RowEncoder(impute="mean", scale=scale), Perceptron(max_iter=20, tol=None)
    pipeline = cls([("rows", encoder), ("model", classifier)])
    pipeline.fit(frame.drop(columns="pay"), frame["pay"])
    save(pipeline, "p.rosenblatt")
    loaded = load("p.rosenblatt")
    expected = pipeline.decision_function(frame)
    for scores in (
        loaded.decision_function(frame),
        predicted(call, "p.rosenblatt", "people.csv")[1],
    ):
        np.testing.assert_allclose(scores, expected, rtol=1e-12)
    assert loaded.predict(frame).tolist() == pipeline.predict(frame).tolist()
    assert loaded.classifier.get_params()["scale"] is scale
    assert classifier.scale is False


def test_a_pipeline_of_dense_scaled_numbers(folder, call):
    call("sample", "flowers", "-o", "flowers.csv")
    frame = read_csv("flowers.csv")
    X, y = frame.drop(columns="species"), frame["species"]
    pipeline = make_pipeline(RowEncoder(scale=True), Perceptron()).fit(X, y)
    save(pipeline, "m")
    np.testing.assert_allclose(
        load("m").decision_function(X), pipeline.decision_function(X), rtol=1e-9, atol=1e-12
    )


def test_what_a_file_cannot_hold_is_refused(folder):
    rows, y = [{"a": 1.0, "b": 2.0}, {"a": 2.0, "b": 0.5}], ["p", "q"]
    scaled = RowEncoder(scale=True)
    for encoder, classifier in (
        (RowEncoder(scale=True, interactions=("a*b",)), Perceptron()),
        (scaled, Perceptron(scale=True)),
        (scaled, KernelPerceptron()),
        (scaled, Classifier()),
        (scaled, PassiveAggressiveClassifier()),
    ):
        with pytest.raises(ValueError, match="Leave out scale=True in the encoder"):
            save(make_pipeline(encoder, classifier).fit(rows, y), "m")
    with pytest.raises(TypeError, match="a pipeline of two steps"):
        save(make_pipeline(RowEncoder(), RowEncoder(), Perceptron()), "m")
    with pytest.raises(ValueError, match="not fitted"):
        save(make_pipeline(RowEncoder().fit(rows), Perceptron()), "m")
    assert not Path("m").exists()


def test_a_fit_anew_does_not_learn_the_label(people):
    frame = read_csv("people.csv")
    assert people.explain(frame.iloc[0]).label in ("low", "high")
    again = clone(people).fit(frame, frame["pay"])
    assert not any("pay" in name for name in again.encoder.names_)
    assert again.predict(frame.drop(columns="pay")).tolist() == again.predict(frame).tolist()


def test_diff_shows_means(people, call):
    frame = read_csv("people.csv")
    save(people, "before")
    people.encoder.partial_fit(frame.assign(age=90.0))
    save(people, "after")
    out = call("diff", "before", "after")[1]
    assert "bit for bit" not in out
    assert "age" in out


def test_clone_repr_and_parameters(colours):
    fresh = clone(colours).set_params(classifier__rule="perceptron")
    assert type(fresh) is RowModel
    assert fresh.fit(pd.DataFrame({"colour": ["red", "green"]}), [0, 1]).predict(
        [{"colour": "green"}]
    ).tolist() == [1]
    assert "RowEncoder" in repr(colours)
    assert "Perceptron" in colours._repr_html_()
    assert colours.feature_names_in_.tolist() == ["colour"]
    assert colours.classifier.feature_names_in_.tolist() == ["colour=red", "colour=green"]
    with pytest.raises(AttributeError, match="no attribute 'nothing_'"):
        _ = colours.nothing_


@pytest.mark.parametrize(
    "change",
    [
        {"schema": {"size": "number"}},
        {"schema": ["colour"]},
        {"schema": {"colour": "colours"}},
        {"bits": 30},
        {"bits": "18"},
        {"totals": "x", "impute": "mean"},
        {"totals": {"colour": [10**400, 5]}, "impute": "mean"},
        {"means": {"colour": 10**400}, "impute": "mean"},
        {"column_names": 5},
    ],
    ids=str,
)
def test_a_file_whose_notes_are_no_ones_is_refused(colours, change):
    save(colours.classifier, "lies", notes=describe("a.rosenblatt")["notes"] | change)
    with pytest.raises(ModelError, match=r"lies: its (notes on rows|columns) are not"):
        load("lies")
    assert load_estimator("lies").classes_.tolist() == ["go", "stop"]


@pytest.mark.parametrize("bits", [None, 10])
@pytest.mark.parametrize("names", [["Ada"], {"Ada": "Lovelace", "3": [2, "x"]}], ids=str)
def test_a_note_of_ones_own_may_be_called_names(folder, call, bits, names):
    """The note of this name is that of hashed columns only where it has their form."""
    Path("a.csv").write_text(TRAIN)
    frame = read_csv("a.csv")
    model = make_pipeline(RowEncoder(bits=bits), Perceptron()).fit(frame[["colour"]], frame["y"])
    save(model, "own", notes={"names": names})
    assert load("own").notes["names"] == names
    live = read_file(Path("own").read_bytes())
    (features,) = live.heaviest(2).values()
    assert len(features) == 2
    assert call("inspect", "own")[0] == call("diff", "own", "own")[0] == 0


# --- encoders alone ------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [False, True])
def test_an_encoder_alone_is_saved(folder, call, scale):
    Path("people.csv").write_text(PEOPLE)
    frame = read_csv("people.csv").drop(columns="pay")
    encoder = RowEncoder(impute="mean", scale=scale).fit(frame)
    save(encoder, "e.rosenblatt")
    again = load("e.rosenblatt")
    assert (again.names_, again.means_, again.scale) == (encoder.names_, encoder.means_, scale)
    np.testing.assert_array_equal(
        again.transform(frame).toarray(), encoder.transform(frame).toarray()
    )
    status, _, err = call("predict", "e.rosenblatt", "people.csv")
    assert status != 0
    assert "encoder" in err
    assert describe("e.rosenblatt")["class"] == "RowEncoder"


def test_a_damaged_encoder_is_refused(folder):
    save(RowEncoder(scale=True).fit([{"a": 1.0}, {"a": 2.0}]), "e")
    data = Path("e").read_bytes()
    for i in range(0, len(data), 7):
        Path("d").write_bytes(data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :])
        with pytest.raises(ModelError):
            load("d")


def test_the_version_of_scikit_learn_is_not_in_the_file(colours):
    assert b"sklearn" not in Path("a.rosenblatt").read_bytes()
    assert rosenblatt.RowModel is RowModel
