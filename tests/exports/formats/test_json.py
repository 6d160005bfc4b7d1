"""JSON: the file alone gives the bits of the command, on real tables and texts; its schema."""

import json
import lzma
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from export_twin import murmur3, predict
from exported import TABLES, hostile_table, of_text, table, trained
from exported_cases import newsgroups
from hypothesis import given
from hypothesis import strategies as st
from real_data import real_data

from rosenblatt import OnlinePerceptron, Perceptron
from rosenblatt.engine.text import hashing
from rosenblatt.exports.format import ExportOptions
from rosenblatt.exports.formats.json import write
from rosenblatt.exports.plan import read_plan

SCHEMA = json.loads((files("rosenblatt.exports") / "model.schema.json").read_text())


def exported(model):
    """The file of a model as a program reads it."""
    data = json.loads(write(read_plan(model), ExportOptions()))
    jsonschema.validate(data, SCHEMA)
    return data


def check(done, exact=True):
    """Compare every row with the command: labels, scores to the bit, probabilities."""
    model = exported(done.model)
    assert len(done.rows) == len(done.labels) > 1
    for i, row in enumerate(done.rows):
        label, scores, probabilities = predict(model, row)
        expected = done.scores[i]
        expected = list(expected.values()) if isinstance(expected, dict) else [expected]
        assert (label, scores) == (done.labels[i], expected), row
        if done.probabilities is not None:
            wanted = list(done.probabilities[i].values())
            np.testing.assert_allclose(probabilities, wanted, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("name", TABLES)
def test_a_real_table_has_the_bits_of_the_command(call, tmp_path, name):
    check(table(call, tmp_path, name))


def test_the_schema_is_a_schema_and_refuses(call, tmp_path):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    data = exported(of_text(call, tmp_path, "a,y\n1,0\n2,1\n").model)
    with pytest.raises(jsonschema.ValidationError, match="'a' is not"):
        jsonschema.validate(data | {"intercepts": ["a"]}, SCHEMA)


SPECS = [
    ("--text", "word:1-2"),
    ("--text", "char:3"),
    ("--text", "char_wb:3-4", "--text", "word:1"),
]


@pytest.mark.parametrize("specs", SPECS)
def test_short_messages_have_the_bits_of_the_command(call, tmp_path, specs):
    text = lzma.decompress(real_data("sms_spam", "SMSSpamCollection.xz").read_bytes()).decode()
    lines = [line.split("\t", 1) for line in text.splitlines()]
    lines = lines[::10]
    data = tmp_path / "sms.tsv"
    data.write_text("label\ttext\n" + "".join(f"{y}\t{x}\n" for y, x in lines))
    model = tmp_path / "sms.rosenblatt"
    rows = [{"text": x} for _, x in lines]
    check(trained(call, data, model, rows, "--no-quotes", "--average", "--bits", "14", *specs))


def test_newsgroups_have_the_bits_of_the_command(call, tmp_path):
    check(newsgroups(call, tmp_path, "--bits", "14"))


@pytest.mark.parametrize("options", [(), ("--interactions", "c*n ${x}"), ("--bits", "8")])
def test_hostile_names_values_and_labels(call, tmp_path, options):
    check(of_text(call, tmp_path, hostile_table(), "--epochs", "4", *options))


@pytest.mark.parametrize("impute", ["mean", "zero", "indicator"])
@pytest.mark.parametrize("bits", [(), ("--bits", "6")])
def test_missing_cells(call, tmp_path, impute, bits):
    text = "a,b,c,y\n1,-999,u,0\n3,2,v,1\n-999.0,?,?,0\n,7,,1\nNA,0,u,1\n 5 , NaN , u ,0\n"
    options = ("--impute", impute, "--missing=-999", "--epochs", "3", *bits)
    check(of_text(call, tmp_path, text, *options))


def test_hashed_pairs_that_collide(call, tmp_path):
    text = "a,b,y\n" + "".join(f"{i % 3},{'uvwxyz'[i % 6]},{i % 2}\n" for i in range(24))
    options = ("--interactions", "a*b", "--interactions", "b*b", "--bits", "3", "--average")
    check(of_text(call, tmp_path, text, *options))


@pytest.mark.parametrize("product", ["a*b*c", "b*a*b", "a*a*a", "b*b*b"])
def test_hashed_products_of_three(call, tmp_path, product):
    text = "a,b,c,y\n" + "".join(
        f"{i % 3 * 0.1},{'uvwxyz'[i % 6]},{'kl'[i % 2]},{i * i % 3}\n" for i in range(24)
    )
    options = ("--interactions", product, "--interactions", "c*a", "--bits", "4", "--average")
    check(of_text(call, tmp_path, text, *options))


def test_hashed_products_of_three_keys(call, tmp_path):
    """A row has several features of a group."""
    rows = [{"a": {str(k): k + i * 0.1 for k in range(i % 4)}, "b": "xy"[i % 2]} for i in range(12)]
    data = tmp_path / "a.jsonl"
    data.write_text("".join(json.dumps(row | {"y": i % 2}) + "\n" for i, row in enumerate(rows)))
    for product in ("a*b*a", "a*a*a"):
        check(trained(call, data, tmp_path / "m", rows, "--interactions", product, "--bits", "6"))


@pytest.mark.parametrize("bits", [(), ("--bits", "5")])
def test_json_lines(call, tmp_path, bits):
    objects = [
        {"n": 2.5, "in": {"a": True, "words": ["x", "y", "x", 3]}, "kind": "oak", "y": "no"},
        {"n": 0, "in": {"a": False}, "kind": None, "z": -1.5, "y": "yes"},
        {"n": -1, "kind": "elm", "in": {"words": []}, "z": 0.25, "y": "no"},
        {"kind": "oak", "n": None, "y": "yes"},
    ]
    data = tmp_path / "a.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in objects))
    rows = [{k: v for k, v in row.items() if k != "y"} for row in objects]
    options = ("--epochs", "5", "--average", *bits)
    check(trained(call, data, tmp_path / "m", rows, *options))
    check(trained(call, data, tmp_path / "m", rows, "--impute", "mean", *options))


def test_numbers_by_position(call, tmp_path):
    data = tmp_path / "a.svm"
    data.write_text("1 1:2.5 4:1e-3\n-1 2:1 3:-0.5 4:7\n1 1:1 5:3 3:2\n-1 3:1 2:0.1\n")
    rows = [[2.5, 0, 0, 1e-3, 0], [0, 1, -0.5, 7, 0], [1, 0, 2, 0, 3], [0, 0.1, 1, 0, 0]]
    check(trained(call, data, tmp_path / "m", rows, "--average", "--epochs", "7"))


def test_rows_of_any_names():
    rows = [{"a": 1, "b": "x"}, {"b": "y", "c": 0.1}, {"a": 0.3, "c": 7, "b": "x"}]
    model = OnlinePerceptron().learn_many(rows, ["left", "right", "left"])
    data = exported(model)
    assert [predict(data, row)[0] for row in rows] == [model.predict_one(row) for row in rows]


def test_labels_keep_their_types():
    for labels in ([False, True], [3, 7], ["a", "b"]):
        model = Perceptron().fit([[0.0], [1.0]], labels)
        assert exported(model)["classes"] == labels


@given(st.binary(max_size=30))
def test_the_hash_of_the_twin(data):
    assert murmur3(data) == hashing.murmur3(data)
