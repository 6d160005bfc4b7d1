"""ONNX: onnxruntime gives the labels of the command on the rows of real tables."""

import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from exported import HOSTILE, TABLES, hostile_table, of_text, table, trained

from rosenblatt import Perceptron
from rosenblatt.exports.format import ExportOptions
from rosenblatt.exports.formats.onnx import write
from rosenblatt.exports.plan import plan_of, read_plan
from rosenblatt.exports.terms import CannotExport


def session(plan):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    content = write(plan, ExportOptions())
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def number(cell, missing):
    word = cell.strip(" \t")
    return np.nan if word in missing.spellings else float(word)


def feeds(plan, rows):
    """The inputs of raw rows of text: numbers, NaN where missing, and words without blanks."""
    inputs = {}
    for column in plan.columns:
        cells = [row[column.name] for row in rows]
        if column.kind == "number":
            values = np.array([number(cell, plan.missing) for cell in cells])
        else:
            values = np.array([cell.strip(" \t") for cell in cells], dtype=object)
        inputs[column.name] = values.reshape(-1, 1)
    return inputs


def check(done):
    """Compare every row with the command."""
    plan = read_plan(done.model)
    label, scores, *probabilities = session(plan).run(None, feeds(plan, done.rows))
    assert label.tolist() == done.labels
    expected = [list(s.values()) if isinstance(s, dict) else s for s in done.scores]
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-10)
    if done.probabilities is None:
        assert probabilities == []
    else:
        wanted = [list(row.values()) for row in done.probabilities]
        np.testing.assert_allclose(probabilities[0], wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", TABLES)
def test_a_real_table_has_the_labels_of_the_command(call, tmp_path, name):
    check(table(call, tmp_path, name))


@pytest.mark.parametrize("options", [(), ("--interactions", "c*n ${x}", "--rule", "logistic")])
def test_hostile_names_values_and_labels(call, tmp_path, options):
    done = of_text(call, tmp_path, hostile_table(), "--epochs", "4", *options)
    assert HOSTILE[0] in done.labels
    check(done)


@pytest.mark.parametrize("impute", ["mean", "zero", "indicator"])
def test_missing_cells(call, tmp_path, impute):
    text = "a,b,c,y\n1,-999,u,0\n3,2,v,1\n-999.0,?,?,0\n,7,,1\nNA,0,u,1\n 5 , NaN , u ,0\n"
    options = ("--impute", impute, "--missing=-999", "--epochs", "3")
    check(of_text(call, tmp_path, text, *options, "--interactions", "a*c"))
    check(of_text(call, tmp_path, text, *options, "--interactions", "c*c"))


def test_pairs_of_categories_and_of_numbers(call, tmp_path):
    rows = [f"{i % 3},{i % 5},{'uvw'[i % 3]},{'xyzt'[i % 4]},{i * i % 7 > 2}" for i in range(60)]
    text = "a,b,c,d,y\n" + "\n".join(rows) + "\n"
    pairs = ("--interactions", "c*d", "--interactions", "a*b", "--interactions", "a*d")
    check(of_text(call, tmp_path, text, *pairs, "--rule", "logistic", "--epochs", "3"))


def test_a_missing_number_is_an_error_where_the_library_has_one(call, tmp_path):
    for labels in ("01", "012"):
        lines = [f"{i},{i * i % 5},{labels[i % len(labels)]}" for i in range(9)]
        done = of_text(call, tmp_path, "a,b,y\n" + "\n".join(lines) + "\n")
        run = session(read_plan(done.model)).run
        with pytest.raises(Exception, match="out of data bounds"):
            run(None, {"a": np.array([[np.nan]]), "b": np.array([[1.0]])})


def test_numbers_by_position(call, tmp_path):
    data = tmp_path / "a.svm"
    data.write_text("1 1:2.5 4:1e-3\n-1 2:1 3:-0.5 4:7\n1 1:1 5:3 3:2\n-1 3:1 2:0.1\n")
    X = [[2.5, 0, 0, 1e-3, 0], [0, 1, -0.5, 7, 0], [1, 0, 2, 0, 3], [0, 0.1, 1, 0, 0]]
    done = trained(call, data, tmp_path / "m", [], "--average", "--epochs", "7")
    label, scores = session(read_plan(done.model)).run(None, {"X": np.array(X)})
    assert label.tolist() == done.labels
    np.testing.assert_allclose(scores, done.scores, rtol=1e-12)


@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [False, True], [0.0, 2.0]])
@pytest.mark.parametrize("tie", [-1.0, 1.0])
def test_labels_of_every_type_and_a_score_of_zero(labels, tie):
    X = np.array([[0.0], [1.0], [-1.0]])
    model = Perceptron(tie=tie, rule="logistic").fit(X[:2], labels)
    model.coef_, model.intercept_ = [[1e4]], [0.0]
    label, _, shares = session(read_plan(model)).run(None, {"X": X})
    assert label.tolist() == model.predict(X).tolist()
    assert type(label.tolist()[0]) is type(labels[0])
    np.testing.assert_allclose(shares, model.predict_proba(X), rtol=1e-12, atol=1e-300)


def test_the_first_of_equal_scores_wins():
    X = np.array([[0.0], [1.0], [2.0]])
    model = Perceptron().fit(X, ["a", "b", "c"])
    model.coef_, model.intercept_ = np.zeros((3, 1)), [0.0, 1.0, 1.0]
    label, _ = session(read_plan(model)).run(None, {"X": X})
    assert label.tolist() == model.predict(X).tolist() == ["b"] * 3


def test_the_character_nul_is_one_of_a_text():
    X = np.eye(3)
    model = Perceptron().fit(X, ["x\0y", "b", "c"])
    names = ["c\0d=u", "c\0d=u\0v", "c\0d=u\0w"]
    plan = plan_of(model, {"schema": {"c\0d": "category"}}, names)
    cells = np.array([["u"], ["u\0v"], ["u\0w"]], dtype=object)
    label, scores = session(plan).run(None, {"c\0d": cells})
    assert label.tolist() == model.predict(X).tolist()
    np.testing.assert_array_equal(scores, model.decision_function(X))


def test_versions_and_names_of_results():
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    plan = plan_of(Perceptron().fit(X, [0, 1]), {}, ["label", "step 0"])
    model = onnx.load_from_string(write(plan, ExportOptions()))
    assert {one.domain: one.version for one in model.opset_import} == {"": 21, "ai.onnx.ml": 5}
    assert [one.name for one in model.graph.output] == ["label_", "scores"]
    used = {name for node in model.graph.node for name in node.input}
    assert {one.name for one in model.graph.initializer} <= used
    rows = {"label": X[:, :1], "step 0": X[:, 1:]}
    assert session(plan).run(None, rows)[0].tolist() == [0, 1]


def test_what_it_cannot_express_is_refused(call, tmp_path):
    words = "a,y\nwin a prize,0\nsee you soon,1\n"
    texts = of_text(call, tmp_path, words, "--schema", "a:text").model
    with pytest.raises(CannotExport, match="it reads texts"):
        write(read_plan(texts), ExportOptions())
    names = [f"{c}={k}" for c in "ab" for k in range(15_000)]
    wide = Perceptron().partial_fit(np.zeros((2, len(names) + 1)), [0, 1])
    notes = {"schema": {"a": "category", "b": "category"}, "interactions": ["a*b"]}
    with pytest.raises(CannotExport, match=r"225,060,004 weights"):
        write(plan_of(wide, notes, [*names, "a=1*b=2"]), ExportOptions())


def test_a_column_without_a_name_is_refused():
    plan = plan_of(Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1]), {}, ["", "x"])
    with pytest.raises(CannotExport, match="it has a column without a name"):
        write(plan, ExportOptions())


def test_without_its_package_the_extra_is_named(monkeypatch):
    plan = read_plan(Perceptron().fit([[0.0], [1.0]], [0, 1]))
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'rosenblatt\[onnx\]'"):
        write(plan, ExportOptions())
