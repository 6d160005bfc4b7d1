"""JSON lines: columns by name, labels, sources, and the command."""

import gzip
import json
import random
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from profiles import scaled
from stream_rows import refused_at, rows_by_name

from rosenblatt.streams import DataError, open_stream, write_arrow
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.formats.json_rows import RowParser
from rosenblatt.streams.formats.jsonl import JsonLinesStream
from rosenblatt.streams.io.files import Pipe, Text
from rosenblatt.streams.opening import open_with

keys = st.text("pqr", min_size=1, max_size=2)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("abé", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("labels", "kind", "want"),
    [
        ([1, -1], "i", [1, -1]),
        ([True, False], "i", [1, 0]),
        ([1, 0.5], "f", [1, 0.5]),
        (["spam", "ham"], "U", ["spam", "ham"]),
        (["1", "2"], "i", [1, 2]),  # as in a table
        ([1, "ham"], "U", ["1", "ham"]),
    ],
)
def test_labels(put_json, labels, kind, want):
    ((_, y, *_),) = open_stream(put_json(*({"a": 1, "label": label} for label in labels)))
    assert (y.dtype.kind, y.tolist()) == (kind, want)


@pytest.mark.parametrize(
    ("keys", "target", "chosen"),
    [
        ("a y", None, "y"),
        ("Class y", None, "Class"),
        ("y a", "a", "a"),
        ("TARGET a", None, "TARGET"),
    ],
)
def test_the_target(put_json, keys, target, chosen):
    stream = open_stream(put_json(dict.fromkeys(keys.split(), 1)), target=target)
    assert stream.target == chosen
    assert rows_by_name(stream) == [({key: 1 for key in keys.split() if key != chosen}, 1)]


def test_rows_without_labels(put_json):
    path = put_json({"a": 1, "y": 2})
    assert rows_by_name(open_stream(path, labelled=False)) == [({"a": 1, "y": 2}, None)]
    assert rows_by_name(open_stream(path, labelled=False, target="y")) == [({"a": 1}, None)]
    assert rows_by_name(open_stream(path, labelled=False, target="z")) == [({"a": 1, "y": 2}, None)]


def test_suffixes_and_first_lines(put_json):
    text = '\n{"a": 1, "y": 1}\r\n\n{"a": 2, "y": 2}'
    Path("a.ndjson").write_text(text)
    Path("plain").write_text(text)
    Path("a.jsonl.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.encode()))
    for name in ("a.ndjson", "plain", "a.jsonl.gz"):
        assert rows_by_name(open_stream(name)) == [({"a": 1}, 1), ({"a": 2}, 2)]


def test_several_files_share_their_columns(put_json):
    put_json({"a": 1, "y": 1}, name="1.jsonl")
    put_json({"b": 2, "a": 3, "y": 2}, {"c": 1, "y": 1}, name="2.jsonl")
    stream = open_stream("*.jsonl")
    for _ in range(2):
        assert rows_by_name(stream) == [({"a": 1}, 1), ({"b": 2, "a": 3}, 2), ({"c": 1}, 1)]
    assert stream.feature_names == ["a", "b", "c"]


def test_converted_rows_keep_their_names(put_json):
    stream = open_stream(put_json({"a": 1, "y": 1}, {"b": 2, "y": 2}, {"y": 1}), batch_bytes=1)
    write_arrow(stream, "a.arrow")
    again = open_stream("a.arrow")
    assert again.feature_names == ["a", "b"]
    assert [batch.X.shape[1] for batch in again] == [2, 2, 2]
    assert rows_by_name(again) == rows_by_name(stream)


def test_labels_of_mixed_types(put_json):
    path = put_json({"a": 1, "y": 1}, {"a": 1, "y": "b"})
    refused_at(path, "column 'y': found 'b', .* labels of mixed types", 2, batch_bytes=1)


def test_rows_before_a_fault_are_yielded_first(put_json):
    path = put_json({"a": 1, "y": 1}, {"b": 2, "y": 2}, '{"c": 3, "d": 1e999, "y": 1}')
    seen = []
    with pytest.raises(DataError, match=r"a\.jsonl:3"):
        seen.extend(batch.y.tolist() for batch in open_stream(path))
    assert seen == [[1, 2]]


def test_sources_without_rows(put_json):
    Path("a.jsonl").write_bytes(b"")
    refused_at("a.jsonl", "no rows: it is empty")
    Path("a.jsonl").write_bytes(b"\n \n")
    refused_at("a.jsonl", "no rows")
    refused_at(
        put_json({"a": 1, "kind": 2}), "found none of the keys target, label, class, y: set t", 1
    )
    with pytest.raises(ValueError, match="index_base does not go with JSON lines"):
        open_stream(put_json({"y": 1}), index_base=1)


def test_the_command_finds_features_by_name(put_json, call):
    rows = [{"kind": "oak", "n": 1, "y": "a"}, {"kind": "elm", "n": -1, "y": "b"}] * 5
    assert call("train", put_json(*rows), "-m", "m", "-q")[0] == 0
    shuffled = [{"new": 9, "n": -2, "kind": "elm"}, {"kind": "oak"}, {"other": "x"}, {"n": 3}]
    status, out, err = call("predict", "m", put_json(*shuffled, name="b.jsonl"), "--scores")
    answers = [line.split("\t")[0] for line in out.splitlines()]
    assert (status, len(answers), answers[:2], answers[3]) == (0, 4, ["b", "a"], "a")
    assert err.count("has features beyond the model's 3") == 1
    assert json.loads(call("evaluate", "m", "a.jsonl", "--json")[1])["errors"] == 0
    assert call("inspect", "m", "--json")[0] == 0
    assert call("convert", "a.jsonl", "a.arrow", "-q")[0] == 0
    assert call("predict", "m", "a.arrow")[1].split() == ["a", "b"] * 5


def test_the_scores_are_those_of_the_named_weights(put_json, call):
    rng = np.random.default_rng(0)
    rows = [{f"f{j}": round(rng.normal(), 3) for j in rng.permutation(6)[:4]} for _ in range(40)]
    labels = [int(sum(row.values()) > 0) for row in rows]
    data = put_json(*({**row, "y": label} for row, label in zip(rows, labels, strict=True)))
    assert call("train", data, "-m", "m", "-q")[0] == 0
    other = put_json(*(dict(reversed(row.items())) for row in rows[::-1]), name="b.jsonl")
    ahead = call("predict", "m", data, "--scores")[1].splitlines()
    back = call("predict", "m", other, "--scores")[1].splitlines()
    assert ahead == back[::-1]


def test_names_that_the_model_lacks(put_json, call):
    Path("a.svm").write_text("1 1:1\n2 2:1\n")
    assert call("train", "a.svm", "-m", "m", "-q")[0] == 0
    status, _, err = call("predict", "m", put_json({"a": 1}, name="b.jsonl"))
    assert (status, "has features with names, but the model knows" in err) == (3, True)


def test_interactions_are_in_the_order_of_rows_whatever_the_batches(put_json):
    rows = [{"a": f"x{k * 5 % 7}", "b": {"c": k, "d": k % 3}, "y": k % 2} for k in range(40)]
    path = put_json("".join(json.dumps(row) + "\n" for row in rows))
    streams = [
        open_stream(path, batch_bytes=size, interactions=["a*b"]) for size in (1, 200, 1 << 20)
    ]
    for stream in streams:
        list(stream)
    assert streams[0].feature_names == streams[1].feature_names == streams[2].feature_names


def test_the_schema_of_keys_is_enforced(put_json):
    text = '{"x": "2.5", "y": 1}\n'
    with pytest.raises(DataError, match=r":1: key 'x': found '2\.5', expected a number by"):
        list(open_stream(put_json(text), schema={"x": "number"}))
    rows = '{"m": {"id": "a7", "w": 2}, "x": 3, "y": 1}\n'
    schema = {"m.id": "id", "m.w": "weight", "x": "category"}
    stream = open_stream(put_json(rows), schema=schema)
    (batch,) = stream
    assert (batch.ids.tolist(), batch.weight.tolist()) == (["a7"], [2.0])
    assert stream.feature_names == ["x=3"]


def test_the_wildcard_can_have_the_kind_text(put_json):
    rows = '{"m": {"a": "win the prize", "b": ["free", "now"]}, "kind": "oak", "y": 1}\n'
    read_options = {"schema": {"*": "text", "kind": "category"}, "text": "word:1-1", "bits": 18}
    X, _ = open_stream(put_json(rows), **read_options).read()
    assert X.nnz == 5 + 1


def test_an_exponent_of_any_size_costs_nothing(put_json):
    path = put_json(
        '{"a": 1e-99999999, "b": 2, "y": 1}', '{"a": 3, "b": 0.30000000000000001, "y": 2}'
    )
    started = time.perf_counter()
    (batch,) = open_with(path, ReadOptions(written=True))
    assert time.perf_counter() - started < 5.0
    assert [array.tolist() for array in batch.long] == [
        [0, 1],
        [0, 1],
        [1, 30000000000000001],
        [-99999999, -17],
    ]


@pytest.mark.parametrize("impute", ["zero", "indicator", "mean"])
def test_a_long_number_that_is_a_missing_cell_has_no_digits(put_json, impute):
    texts = ["-999.00000000000000001", "0.25000000000000000001", "0.75"]
    path = put_json(*[f'{{"a": {text}, "y": {k}}}' for k, text in enumerate(texts)])
    options = ReadOptions(written=True, impute=impute, missing=("-999",))
    (batch,) = open_with(path, options)
    assert batch.long.rows.tolist() == [1]


GOOD = [
    '{"y": 1, "a": 0.5, "b": {"c": [1, "p", "p"]}}', '{"y": 2, "kind": "oak", "a": true}',
    '{"b": {"c": [null, "q"]}, "y": 1.5}', '{"y": "word", "new": -0.0}', '{"y": false}',
    '{"y": " 1 ", "é": 1e-320}',
]  # fmt: skip
ODD = [
    '{"y": 1, "a": 1, "a": 2}', '{"a": 1}', '{"y": ""}', '{"y": "nan"}', '{"y": "a\\u0000b"}', "{",
    "", "[1]", '{"y": 1, "a": 1e999}', '{"y": 12345678901234567890}', '{"y": {"a": 1}}',
]  # fmt: skip


@pytest.mark.parametrize("options", [
    {}, {"labelled": False}, {"target": None, "labelled": False}, {"on_bad_row": "skip"},
    {"target": "b"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("seed", range(scaled(40)))
def test_the_core_reads_what_python_reads(seed, options, monkeypatch):
    """The same batches, and then the same error."""
    rng = random.Random(seed)
    lines = [rng.choice(GOOD if rng.random() < 0.97 else ODD) for _ in range(60)]
    text = "\n".join(['{"y": 3, "b": 1}', *lines]).encode() + b"\n" * (seed % 2)

    def batches():
        pieces = iter([text[i : i + 700] for i in range(0, len(text), 700)])
        source = Pipe("demo", pieces, 200 + 37 * seed)
        found = []
        try:
            reading = ReadOptions(**{"target": "y"} | options)
            stream = JsonLinesStream(Text("jsonl", source, source.head(), reading))
            for batch in stream:
                X = batch.X
                arrays = [X.data, X.indices, X.indptr] + ([] if batch.y is None else [batch.y])
                facts = [(a.dtype.str, a.tolist()) for a in arrays]
                found.append((facts, X.shape, batch.first_row, batch.weight, batch.ids))
                found.append([stream._line_of(i) for i in range(X.shape[0])])
            found.append((stream.feature_names, stream.bad_rows))
        except DataError as error:
            found.append((str(error), error.line))
        return found

    ours = batches()
    monkeypatch.setattr(JsonLinesStream, "_core_parser", lambda stream: None)
    assert ours == batches()


def test_the_core_reads_ordinary_files(monkeypatch):
    monkeypatch.setattr(RowParser, "parse", None)
    text = b"".join(b'{"y": %d, "n%d": 1.5}\n' % (j % 2, j) for j in range(500))
    source = Pipe("demo", iter([text]), 2000)
    stream = JsonLinesStream(Text("jsonl", source, source.head(), ReadOptions()))
    assert sum(len(batch.y) for batch in stream) == 500
    assert stream.feature_names == [f"n{j}" for j in range(500)]
