"""The plan of a model: which cells it reads, its terms and weights, and what it refuses."""

import json
import time
from pathlib import Path

import numpy as np
import pytest
from export_twin import predict
from exported import of_text
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    LMSRegressor,
    OnlinePerceptron,
    Perceptron,
    RowEncoder,
    VotedPerceptron,
    load,
    save,
)
from rosenblatt.exports.format import ExportOptions
from rosenblatt.exports.formats.json import write
from rosenblatt.exports.plan import plan_of, read_plan
from rosenblatt.exports.terms import CannotExport, Category, Column, IsMissing, Number

TABLE = "size,colour,y\n1.5,red,stop\n2,green,go\n?,red,stop\n0,,go\n4,green,go\n"


def test_a_table_has_its_columns_and_terms(call, tmp_path):
    done = of_text(call, tmp_path, TABLE, "--impute", "indicator", "--interactions", "size*colour")
    plan = read_plan(done.model)
    assert plan.rows == "table"
    assert plan.sparse
    assert plan.columns == (Column("size", "number"), Column("colour", "category"))
    terms = {term.name: term.factors for term in plan.terms}
    assert terms == {
        "size": (Number(0),),
        "colour=red": (Category(1, "red"),),
        "colour=green": (Category(1, "green"),),
        "size is missing": (IsMissing(0),),
        "colour is missing": (IsMissing(1),),
        "size*colour=red": (Number(0), Category(1, "red")),
        "size*colour=green": (Number(0), Category(1, "green")),
    }
    assert plan.classes == ("go", "stop")
    assert plan.missing.policy == "indicator"
    assert {"", "?"} <= set(plan.missing.spellings)
    assert plan.all_columns == {"size", "colour", "y"}
    learner = load(done.model)
    np.testing.assert_array_equal(plan.weights, learner.coef_)
    np.testing.assert_array_equal(plan.intercepts, learner.intercept_)


def test_means_and_numbers_that_are_missing(call, tmp_path):
    text = "a,b,y\n1,-999,0\n3,2,1\n-999.0,4,0\n"
    done = of_text(call, tmp_path, text, "--missing=-999")
    missing = read_plan(done.model).missing
    assert missing.policy == "mean"
    assert missing.numbers == (-999.0,)
    assert missing.means == {"a": 2.0, "b": 3.0}
    assert "-999" in missing.spellings


def test_dense_rows_and_raw_weights(call, tmp_path):
    text = "a,b,y\n1,200,0\n3,100,1\n2,150,0\n"
    done = of_text(call, tmp_path, text, "--scale", "--interactions", "a*b")
    plan, learner = read_plan(done.model), load(done.model)
    assert not plan.sparse
    assert plan.terms[2].factors == (Number(0), Number(1))
    np.testing.assert_array_equal(plan.weights, learner.coef_)


def test_hashed_names_and_texts(call, tmp_path):
    text = "mail,kind,y\nwin a prize now,x,1\nsee you at noon,z,0\n"
    done = of_text(call, tmp_path, text, "--text", "char:2-3", "--bits", "10")
    plan = read_plan(done.model)
    assert plan.hashing.bits == 10
    assert plan.hashing.texts == (("char", 2, 3),)
    assert [column.name for column in plan.texts] == ["mail"]
    assert plan.terms == ()
    assert plan.weights.shape == (1, 1024)


def test_a_classifier_of_numbers():
    X = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 3.0]])
    plan = read_plan(Perceptron(multi_class="joint", rule="logistic").fit(X, ["a", "b", "c"]))
    assert (plan.rows, plan.columns, plan.terms) == ("matrix", (), ())
    assert plan.probabilities == "softmax"
    assert plan.weights.shape == (3, 2)


def test_probabilities_are_those_of_the_learner():
    X, three = [[0.0], [2.0], [1.0]], ["a", "b", "c"]
    assert read_plan(Perceptron(rule="logistic").fit(X, three)).probabilities == "normalised"
    assert read_plan(Perceptron(rule="logistic").fit(X, [0, 1, 0])).probabilities == "logistic"
    assert read_plan(Perceptron().fit(X, three)).probabilities is None
    calibrated = Perceptron(rule="logistic", probabilities=True).fit(X, three)
    assert read_plan(calibrated).probabilities is None  # exports have its scores alone


@pytest.mark.parametrize("tie", [-1.0, 0.0, 1.0])
def test_the_label_of_a_score_of_zero(tie):
    model = Perceptron(tie=tie).fit([[0.0], [0.0]], [0, 1])
    model.coef_, model.intercept_ = [[0.0]], [0.0]
    assert model.predict([[5.0]])[0] == int(read_plan(model).zero_is_second)


def test_files_of_version_0_1():
    """Their notes are those of then."""
    saved = Path(__file__).parents[1] / "promises" / "saved_by_0_1"
    assert read_plan(saved / "online.model").rows == "objects"
    assert read_plan(saved / "binary.model").rows == "matrix"
    plan = read_plan(saved / "table-finished.model")
    assert [column.kind for column in plan.columns] == ["category", "number", "number"]
    assert plan.weights.shape[1] == len(plan.terms)


def test_rows_of_any_names():
    model = OnlinePerceptron().learn_many([{"a": 1, "b": "x"}, {"b": "y"}], ["left", "right"])
    plan = read_plan(model)
    assert plan.rows == "objects"
    assert [term.name for term in plan.terms] == ["a", "b=x", "b=y"]


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (KernelPerceptron(), "a sum over its support rows"),
        (KernelPerceptron(output="vote"), "a sum over its support rows"),
        (VotedPerceptron(), "votes with many weight vectors"),
        (LMSRegressor(), "predicts numbers"),
        (LogisticRegression(), "no model of this library"),
    ],
)
def test_a_model_without_one_weight_a_feature_is_refused(model, reason):
    with pytest.raises(CannotExport, match=reason):
        read_plan(model.fit([[0.0], [1.0]], [0, 1]))


def test_a_model_that_is_not_fitted_is_called_so():
    for model in (Perceptron(), OnlinePerceptron()):
        with pytest.raises(CannotExport, match="this Perceptron is not fitted yet"):
            read_plan(model)


def test_a_single_class_is_refused():
    with pytest.raises(CannotExport, match="one class so far"):
        read_plan(AveragedPerceptron().partial_fit([[0.0]], [0]))


@pytest.mark.parametrize(
    ("notes", "reason"),
    [
        ({"format": "vw", "bits": 18}, "Vowpal Wabbit text"),
        ({"format": "svmlight", "bits": 18}, "hashed"),
        ({"format": "jsonl", "interactions": ["a*b"]}, "interactions of JSON lines"),
        ({"format": "csv", "schema": {"a": "date"}}, "of the kind date, and no export makes"),
        ({"format": "csv", "schema": {"a": "number"}, "impute": "mean"}, "lack the means"),
        ({"format": "csv"}, "notes lack the kinds of its columns"),
        ({"format": "csv", "schema": {"b": "number"}}, "'a', which no column"),
        ({"format": "csv", "schema": {"a": "number", "a=b": "category"}}, None),
    ],
)
def test_notes_that_tell_no_cells_are_refused(notes, reason):
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    if reason is None:
        assert plan_of(model, notes, ["a"]).terms[0].factors == (Number(0),)
        return
    with pytest.raises(CannotExport, match=reason):
        plan_of(model, notes, ["a"])


ROWS = [{"a": "u", "x": 3.0}, {"a": "v", "x": -1.5}, {"a": "u", "x": None}, {"a": "w", "x": 2.0}]
LABELS = ["no", "yes", "no", "yes"]


def pipeline(encoder, classifier):
    return Pipeline([("encoder", encoder), ("classifier", classifier)])


@pytest.mark.parametrize("scale", [False, True])
def test_a_pipeline_is_what_its_file_is(tmp_path, scale):
    encoder = RowEncoder(impute="mean", scale=scale)
    model = pipeline(encoder, Perceptron(rule="logistic")).fit(ROWS, LABELS)
    plan = read_plan(model)
    assert [term.name for term in plan.terms] == ["x", "a=u", "a=v", "a=w"]
    assert plan.missing.means == {"x": 3.5 / 3}
    save(model, tmp_path / "m")
    for one in (tmp_path / "m", load(tmp_path / "m")):
        assert write(plan, ExportOptions()) == write(read_plan(one), ExportOptions())
    data = json.loads(write(plan, ExportOptions()))
    scores = [predict(data, row)[1][0] for row in ROWS]
    np.testing.assert_allclose(scores, model.decision_function(ROWS), rtol=1e-12)


def test_a_pipeline_that_no_file_has_is_refused():
    hashed = pipeline(RowEncoder(impute="mean", scale=True, bits=5), Perceptron())
    twice = pipeline(RowEncoder(impute="mean", scale=True), Perceptron(scale=True))
    for model in (hashed.fit(ROWS, LABELS), twice.fit(ROWS, LABELS)):
        with pytest.raises(CannotExport, match=r"^its encoder scales numbers, which then"):
            read_plan(model)
    with pytest.raises(CannotExport, match=r"^a model file has a pipeline of two steps"):
        read_plan(pipeline(StandardScaler(), Perceptron()))
    with pytest.raises(CannotExport, match="not fitted"):
        read_plan(pipeline(RowEncoder(), Perceptron()))


def test_a_feature_of_two_cells_is_refused():
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    notes = {"format": "csv", "schema": {"a": "category", "a=b": "category"}}
    with pytest.raises(CannotExport, match="'a=b=c', which two different cells give"):
        plan_of(model, notes, ["a=b=c"])


def test_a_product_is_no_category_of_its_name(call, tmp_path):
    done = of_text(call, tmp_path, TABLE, "--impute", "zero", "--interactions", "colour*size")
    terms = {term.name: term.factors for term in read_plan(done.model).terms}
    assert terms["colour=red*size"] == (Category(1, "red"), Number(0))
    text = "size,colour,y\n0,a*size,0\n2,b,1\n"  # a category with a star is one
    done = of_text(call, tmp_path, text, "--interactions", "colour*size")
    terms = {term.name: term.factors for term in read_plan(done.model).terms}
    assert terms["colour=a*size"] == (Category(1, "a*size"),)


def test_a_product_of_three(call, tmp_path):
    names = ["a", "b=u", "a*a*b=u", "a*a*a"]
    notes = {"schema": {"a": "number", "b": "category"}, "interactions": ["a*b*a", "a*a*a"]}
    model = Perceptron().fit(np.eye(4), [0, 1, 0, 1])
    terms = plan_of(model, notes, names).terms
    assert terms[2].factors == (Number(0), Number(0), Category(1, "u"))
    assert terms[3].factors == (Number(0), Number(0), Number(0))


def test_a_product_of_named_columns_without_a_schema():
    X = np.array([[1.0, 2.0, 2.0], [3.0, 0.0, 0.0]])
    notes = {"format": "sklearn", "interactions": ["a*b"]}
    plan = plan_of(Perceptron().fit(X, [0, 1]), notes, ["a", "b", "a*b"])
    assert [column.name for column in plan.columns] == ["a", "b"]
    assert plan.terms[2].factors == (Number(0), Number(1))


@pytest.mark.parametrize("interactions", [("c*c", "c*c"), ("c*c", "c*c.d")])
def test_a_product_of_two_interactions_is_refused(call, tmp_path, interactions):
    text = "c,c.d,y\nu,x,0\nv,z,1\nu,z,0\n"
    options = [part for one in interactions for part in ("--interactions", one)]
    done = of_text(call, tmp_path, text, *options)
    with pytest.raises(CannotExport, match="two of its interactions make the product"):
        read_plan(done.model)


def test_names_with_many_stars_are_cut_in_linear_time():
    long = "a=x" + "*" * 50_000
    names = [long, "b=u", "c", f"{long}*b=u*c", "a=" + "*b=*c" * 10_000]
    schema = {"a": "category", "b": "category", "c": "number"}
    notes = {"schema": schema, "interactions": ["a*b*c", "b*b*b*a"]}
    begin = time.process_time()
    terms = plan_of(Perceptron().fit(np.eye(5), [0, 1, 0, 1, 0]), notes, names).terms
    assert time.process_time() - begin < 2
    assert terms[3].factors == (Category(0, long[2:]), Category(1, "u"), Number(2))
    assert terms[4].factors == (Category(0, names[4][2:]),)


def test_a_name_of_too_many_cuts_is_refused():
    names = ["*".join(["a="] * k) for k in range(1, 60)]
    notes = {"schema": {"a": "category"}, "interactions": ["a*a*a"]}
    model = Perceptron().fit(np.eye(len(names)), np.arange(len(names)) % 2)
    with pytest.raises(CannotExport, match=r"separate factors in more than 1,000 ways"):
        plan_of(model, notes, [*reversed(names)])


@pytest.mark.parametrize("half", ["\ud800", "x\udfff"])
def test_what_is_no_text_of_unicode_is_refused(half):
    model = Perceptron().fit([[0.0], [1.0]], ["a", half])
    with pytest.raises(CannotExport, match=r"its label '.*\\ud.*' has half of a surrogate pair"):
        read_plan(model)
    model = Perceptron().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(CannotExport, match=r"its feature '.*' has half of a surrogate pair"):
        plan_of(model, {}, [half])
    notes = {"schema": {"x": "number", half: "skip"}}
    with pytest.raises(CannotExport, match=r"its column '.*' has half of a surrogate pair"):
        plan_of(model, notes, ["x"])
