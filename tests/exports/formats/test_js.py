"""The ES module: the bits of the command in Node and Chromium, hostile texts, and rows refused."""

import json
import time
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from exported import TABLES, of_text, table, trained
from exported_cases import hashed_pairs, hostile, messages, missing_cells, newsgroups
from profiles import share
from programs import run_module

from rosenblatt import Perceptron, load
from rosenblatt.exports.format import ExportOptions
from rosenblatt.exports.formats.js import write
from rosenblatt.exports.plan import CannotExport, plan_of, read_plan


def module_of(model):
    return write(read_plan(model), ExportOptions())


def check(done, folder):
    """Compare every row with the command: labels, scores to the bit, probabilities."""
    found = run_module(folder, module_of(done.model), done.rows)
    compare(done, found)


def compare(done, found):
    assert len(found) == len(done.labels) == len(done.rows) > 1
    for i, one in enumerate(found):
        expected = done.scores[i]
        assert "error" not in one, one
        assert one["label"] == done.labels[i]
        if isinstance(expected, dict):
            assert [*map(float, one["scores"])] == [*expected.values()]
        else:
            assert float(one["score"]) == expected
        if done.probabilities is not None:
            wanted = [*done.probabilities[i].values()]
            np.testing.assert_allclose(one["probabilities"], wanted, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("name", TABLES)
def test_a_real_table_has_the_bits_of_the_command(call, tmp_path, name):
    check(table(call, tmp_path, name), tmp_path)


@pytest.mark.parametrize(
    "options",
    [("--text", "word:1-2"), ("--text", "char_wb:3-4", "--text", "char:2", "--rule", "logistic")],
)
def test_short_messages_have_the_bits_of_the_command(call, tmp_path, options):
    check(messages(call, tmp_path, "--average", *options, step=10), tmp_path)


def test_newsgroups_have_the_bits_of_the_command(call, tmp_path):
    check(newsgroups(call, tmp_path, "--bits", "14"), tmp_path)


@pytest.mark.parametrize("options", [(), ("--interactions", "c*n ${x}"), ("--bits", "8")])
def test_hostile_names_values_and_labels_are_only_texts(call, tmp_path, options):
    check(hostile(call, tmp_path, *options), tmp_path)


@pytest.mark.parametrize("impute", ["mean", "zero", "indicator"])
@pytest.mark.parametrize("bits", [(), ("--bits", "6")])
def test_missing_cells(call, tmp_path, impute, bits):
    check(missing_cells(call, tmp_path, "--impute", impute, *bits), tmp_path)


@pytest.mark.parametrize("classes", [2, 3])
def test_hashed_pairs_that_collide(call, tmp_path, classes):
    check(hashed_pairs(call, tmp_path, classes), tmp_path)


OBJECTS = [
    {"n": 2.5, "in": {"a": True, "words": ["x", "y", "x", 3]}, "kind": "oak", "t": "one two"},
    {"n": 0, "in": {"a": False}, "kind": None, "z": -1.5, "t": ["two words", "three"]},
    {"n": -1, "kind": "elm", "in": {"words": []}, "z": 0.25, "t": None},
    {"kind": "oak", "n": None, "k": 7, "__proto__": 2, "t": "NA"},
    {"kind": " ? ", "n": 3, "k": True, "list": [1, None, {"b": [2, "z"]}]},
    {"kind": "1e5", "k": 0.00001, "n": 1e17},
]


SCHEMAS = ["t:skip", "t:text", "t:skip,k:category", "*:category,n:number"]
BITS = [(), ("--bits", "5", "--interactions", "n*kind")]
IMPUTES = [(), ("--impute", "mean"), ("--impute", "indicator")]


@pytest.mark.parametrize(
    ("schema", "bits", "impute"),
    [
        (schema, *options)
        for turn, schema in enumerate(SCHEMAS)
        for options in share(product(BITS, IMPUTES), 2, turn)
    ],
)
def test_json_lines(call, tmp_path, bits, schema, impute):
    data = tmp_path / "a.jsonl"
    lines = [json.dumps(row | {"y": i % 2}) for i, row in enumerate(OBJECTS)]
    data.write_text("\n".join(lines))
    if schema == "t:text":
        bits = bits or ("--bits", "12")
    options = ("--epochs", "3", "--average", "--schema", schema, *bits, *impute)
    check(trained(call, data, tmp_path / "m", OBJECTS, *options), tmp_path)
    with_label = [json.loads(line) for line in lines]  # the label is no feature
    check(trained(call, data, tmp_path / "m", with_label, *options), tmp_path)


def test_rows_of_numbers(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 9))
    X[X < -0.5] = 0.0
    model = Perceptron(rule="logistic", multi_class="joint").fit(X, np.arange(40) % 3)
    found = run_module(tmp_path, module_of(model), X.tolist())
    assert [one["label"] for one in found] == model.predict(X).tolist()
    assert [one["scores"] for one in found] == model.decision_function(X).tolist()
    np.testing.assert_allclose([one["probabilities"] for one in found], model.predict_proba(X))


@pytest.mark.parametrize("tie", [-1.0, 0.0, 1.0])
def test_a_score_of_zero(tmp_path, tie):
    model = Perceptron(tie=tie).fit([[0.0], [0.0]], ["first", "second"])
    model.coef_, model.intercept_ = [[0.0]], [0.0]
    (found,) = run_module(tmp_path, module_of(model), [[5.0]])
    assert found["label"] == model.predict([[5.0]])[0]


def test_labels_keep_their_type(tmp_path):
    X = [[0.0], [1.0]]
    for labels in ([False, True], [-1, 1], [1.0, 2.0], ["1", "2"]):
        model = Perceptron().fit(X, labels)
        found = run_module(tmp_path, module_of(model), X)
        assert [one["label"] for one in found] == model.predict(X).tolist() == labels


def test_whole_labels_beyond_exact_floats(tmp_path):
    model = Perceptron().fit([[0.0], [1.0]], [3, 2**60 + 1])
    found = run_module(tmp_path, module_of(model), [[0.0], [1.0]])
    assert [one["label"] for one in found] == [3, str(2**60 + 1)]  # a BigInt, spelled by the test


TABLE = "size,colour,y\n1.5,red,stop\n2,green,go\n3,7,stop\n0,1e-05,go\n4,True,go\n"


def test_cells_of_any_type(call, tmp_path):
    """A number and a boolean as category are spelled as Python spells them."""
    done = of_text(call, tmp_path, TABLE)
    assert read_plan(done.model).columns[1].kind == "category"
    rows = [
        {"size": 1.5, "colour": "red", "more": "x"},
        {"size": " 2 ", "colour": "\tgreen ", "__proto__": 1},
        {"size": 3, "colour": 7.0},
        {"size": False, "colour": 0.00001},
        {"size": "4.0e0", "colour": True},
    ]
    compare(replace(done, rows=rows), run_module(tmp_path, module_of(done.model), rows))


ZONES = "zone,flag,size,y\n1.0,True,1,a\n2,no,2,b\n02,FALSE,3,a\nx,True,4,b\n-0.0,no,5,a\n"
VALUES = [1, 2, 2.0, 0, 1e300, 9007199254740992, 0.5, True, False, "1", "2", "1.0", "02", "true"]


@pytest.mark.parametrize("options", [(), ("--impute", "mean"), ("--interactions", "zone*size")])
def test_a_number_as_category_is_the_category_of_its_value(call, tmp_path, options):
    more = f"{10**300}.0,no,6,a\n9007199254740992,no,7,b\n9007199254740993,tRue,8,a\n.5,no,9,b\n"
    done = of_text(
        call, tmp_path, ZONES + more, "--schema", "zone:category", "--rule", "logistic", *options
    )
    rows = [{"zone": a, "flag": b, "size": 2} for a in VALUES for b in (True, False, "no", "true")]
    expected = load(done.model).decision_function(rows)
    found = run_module(tmp_path, module_of(done.model), rows)
    assert [float(one["score"]) for one in found] == expected.tolist()
    assert len(set(expected)) > 10


@pytest.mark.parametrize("inside", [" " * 200_000, "\t" * 200_000], ids=["blanks", "tabs"])
def test_blanks_and_digits_inside_a_cell_take_linear_time(call, tmp_path, inside):
    (tmp_path / "a.jsonl").write_text('{"c": "x", "y": 0}\n{"c": "z", "y": 1}\n')
    row = {"c": f"x{inside}x", "size": f"{'1' * 200_000}x", "colour": f"x{inside}x"}
    of_json = trained(call, tmp_path / "a.jsonl", tmp_path / "m", [row], "--impute", "mean")
    sources = [module_of(of_text(call, tmp_path, TABLE).model), module_of(of_json.model)]
    begin = time.monotonic()
    for source in sources:
        assert len(run_module(tmp_path, source, [row])) == 1
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"size": "x", "colour": "red"}, '"size": found "x", expected a finite number.'),
        ({"size": "0x10", "colour": "red"}, '"size": found "0x10", expected a finite number.'),
        ({"size": "1e999"}, '"size": found "1e999", expected a finite number.'),
        ({"size": None}, '"size": found null, expected a number'),
        ({}, '"size": found null, expected a number'),
        ({"size": 1, "colour": ["red"]}, '"colour": found "[object Array]", expected a number, a'),
        (["red"], "A row is an object"),
        (None, "A row is an object"),
        ("red", "A row is an object"),
    ],
)
def test_what_is_no_row_is_refused(call, tmp_path, row, message):
    module = module_of(of_text(call, tmp_path, TABLE).model)
    (found,) = run_module(tmp_path, module, [row])
    assert found["error"].startswith(message)


@pytest.mark.parametrize("options", [(), ("--impute", "indicator")], ids=["dense", "sparse"])
def test_a_product_that_overflows_is_no_row(call, tmp_path, options):
    text = "a,b,y\n1,2,no\n-3,0.5,yes\n2,2,no\n"
    module = module_of(of_text(call, tmp_path, text, "--interactions", "a*b", *options).model)
    (found,) = run_module(tmp_path, module, [{"a": 1e200, "b": -1e200}])
    assert found["error"] == "A product of features overflows."


def test_a_category_is_not_a_property_of_all_objects(call, tmp_path):
    done = of_text(call, tmp_path, TABLE)
    rows = [{"size": 1, "colour": colour} for colour in ("__proto__", "toString", "unknown", None)]
    found = run_module(tmp_path, module_of(done.model), rows)
    assert len({one["score"] for one in found}) == 1


def test_the_module_runs_in_a_browser(call, tmp_path, browser):
    done = messages(call, tmp_path, "--text", "word:1-2", "--text", "char:2", step=20)
    rows = [*done.rows, {"text": "ΣΑΣ Öffnen ﬁn 가각 \ud83d\ude00"}]
    source = module_of(done.model)
    page = browser.new_page()
    page.route("**/*", lambda route: route.fulfill(**answer(route.request.url, source)))
    page.goto("http://model.test/")
    run = """async rows => {
      const { predict } = await import("/model.js");
      return rows.map(predict);
    }"""
    found = page.evaluate(run, rows)
    page.close()
    compare(done, found[:-1])
    assert found[-1]["score"] == run_module(tmp_path, source, rows)[-1]["score"]


def answer(url, source):
    if url.endswith("/model.js"):
        return {"body": source.decode(), "content_type": "text/javascript"}
    return {"body": "<!doctype html><title>model</title>", "content_type": "text/html"}


def test_too_many_weights_and_factors_are_refused(monkeypatch):
    model = Perceptron().fit(np.eye(16), np.arange(16) % 2)
    notes = {"format": "csv", "bits": 4, "schema": {"a": "number"}, "interactions": ["a*a*a*a"]}
    plan = plan_of(model, notes, None)
    with pytest.raises(CannotExport, match=r"products of 4 hashed names: a\*a\*a\*a"):
        write(plan, ExportOptions())
    monkeypatch.setattr("rosenblatt.exports.code.numbered.MAX_WEIGHTS", 10)
    with pytest.raises(CannotExport, match="has 16 weights, and a program has at most 10"):
        write(read_plan(model), ExportOptions())


def test_the_source_is_ascii_and_ends_no_script(call, tmp_path):
    source = module_of(hostile(call, tmp_path).model).decode()
    literals = source.partition("// --- scores")[0]
    assert literals.isascii()
    assert "</script" not in source
    assert "\u2028" not in source
